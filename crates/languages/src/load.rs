//! Modules from files: read where the file is one, compiled where it is a source.

use anyhow::Result;
use pessimum_files::read;
use pessimum_wasm::names::Names;
use pessimum_wasm::{LoadSettings, Module};

use crate::compiled::{Compiled, compile};
use crate::wanted::Wanted;

/// The bytes of a module, in the binary format; compiled first where it is a source file.
pub fn module_bytes(wanted: &Wanted<'_>) -> Result<(Vec<u8>, Option<Compiled>)> {
    let compiled = compile(wanted)?;
    let bytes = match &compiled {
        Some(compiled) => compiled.bytes.clone(),
        None => binary(read(wanted.path)?),
    };
    Ok((bytes, compiled))
}

/// A module in the binary format. What is neither binary nor text is left as it is: the loader says what is wrong.
pub fn binary(bytes: Vec<u8>) -> Vec<u8> {
    match wat::parse_bytes(&bytes) {
        Ok(std::borrow::Cow::Owned(binary)) => binary,
        Ok(std::borrow::Cow::Borrowed(_)) | Err(_) => bytes,
    }
}

/// Reads and checks a module, or compiles it first where it is a source file.
pub fn load(wanted: &Wanted<'_>) -> Result<(Module, Option<Compiled>)> {
    let (module, _, compiled) = load_with_bytes(wanted)?;
    Ok((module, compiled))
}

/// The same with its bytes.
pub fn load_with_bytes(wanted: &Wanted<'_>) -> Result<(Module, Vec<u8>, Option<Compiled>)> {
    let (bytes, compiled) = module_bytes(wanted)?;
    let module = Module::load(&bytes, &LoadSettings::default()).map_err(|error| {
        let names = Names::read(&bytes);
        let function = error.function.and_then(|index| names.get(index)).map(|name| format!(" in `{name}`"));
        anyhow::anyhow!("{}: {error}{}", wanted.path.display(), function.unwrap_or_default())
    })?;
    Ok((module, bytes, compiled))
}
