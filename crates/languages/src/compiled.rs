//! Modules that were compiled from a source, and whether the function to be called is in them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use pessimum_report::names::{listed, nearest};
use pessimum_wasm::{ExternKind, Module};

use crate::assemblyscript::AssemblyScript;
use crate::c::{C, Cpp};
use crate::cache::{About, Cache, Hidden};
use crate::diagnostics::{foreign, refuse_narrow};
use crate::language::Language;
use crate::rust::Rust;
use crate::wanted::{ROOM, Usage, Wanted};
use crate::zig::Zig;

/// All languages. Each source is one of the first that takes it.
pub const LANGUAGES: [&dyn Language; 6] = [&Rust::PACKAGE, &C, &Cpp, &Rust::FILE, &Zig, &AssemblyScript];

/// The language of a source file; `None` for a module.
fn language(path: &Path) -> Option<&'static dyn Language> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    LANGUAGES.into_iter().find(|language| language.is_source(path, ending))
}

/// A module that was compiled now or before.
pub struct Compiled {
    /// The module, in the binary format.
    pub bytes: Vec<u8>,
    /// What it was written in.
    pub language: &'static dyn Language,
    /// What is known about it besides.
    pub about: About,
}

/// The module of a source file; `None` where the file is a module already.
pub fn compile(wanted: &Wanted<'_>) -> Result<Option<Compiled>> {
    let Some(language) = language(wanted.path) else {
        if !wanted.options.is_empty() {
            bail!(Usage(format!("--cflags: {} is a module, so nothing is compiled", wanted.path.display())));
        }
        if !wanted.with.is_empty() {
            bail!(Usage(format!("--with: {} is a module, in which all types are chosen", wanted.path.display())));
        }
        if let Some(what) = foreign(wanted.path) {
            bail!("{}: {what}", wanted.path.display());
        }
        return Ok(None);
    };
    if wanted.path.to_str().is_none() {
        bail!("{}: the name of this file is not valid UTF-8; rename it", wanted.path.display());
    }
    let chosen = wanted.chosen()?;
    let path = wanted.path.display();
    if !chosen.with.is_empty() && !language.has_type_parameters() {
        bail!(Usage(format!("--with: {path} is not Rust, whose type parameters it chooses")));
    }
    if chosen.room.is_some() && !language.has_collections() {
        bail!(Usage(format!("--with {ROOM}: {path} is neither Rust nor C++, whose collections it is about")));
    }
    let cache = Cache::open()?;
    let (bytes, about) = language.build(wanted, &cache).with_context(|| wanted.path.display().to_string())?;
    Ok(Some(Compiled { bytes, language, about }))
}

impl Compiled {
    /// The functions that cannot be called, as far as they are worth mentioning.
    pub fn hidden(&self) -> impl Iterator<Item = &Hidden> {
        self.about.hidden.iter().filter(|hidden| self.language.is_mentioned(hidden))
    }

    /// Checks that the function to be called is there. The error says what the author can do in the source language.
    pub fn check(&self, wanted: &Wanted<'_>, module: &Module) -> Result<()> {
        let Some(name) = wanted.function() else { return Ok(()) };
        let path = wanted.path.display();
        let export = module.export(name).filter(|export| export.kind == ExternKind::Function);
        if let Some(export) = export {
            let wants = module.function_type(export.index).params.len();
            let Some(call) = wanted.call else { return Ok(()) };
            if let Some(hint) = self.about.calls.get(name) {
                let wrapped = self.about.wrapped.get(name);
                if let Some(types) = wrapped.filter(|_| call.arity() != wants) {
                    let takes = types.iter().map(|ty| format!("`{ty}`")).collect::<Vec<_>>().join(", ");
                    bail!("{path}: `{name}` takes {takes}, made from what is in this call: --call '{hint}'");
                }
                self.language.check_call(wanted, call, hint, wants)?;
                if wrapped.is_some() {
                    refuse_narrow(call, hint)?;
                }
            }
            // Memory of input in the place of an object would be followed as pointers.
            if let Some(refused) = self.about.refused.get(name)
                && refused.objects.iter().any(|at| call.is_buffer(*at))
            {
                let why = &refused.why;
                bail!("{path}: `{name}` cannot be called with bytes in the place of an object: {why}");
            }
            return Ok(());
        }
        if let Some(hidden) = self.about.hidden.iter().find(|hidden| hidden.is(name)) {
            bail!("{path}: `{name}` cannot be called: {}", hidden.why);
        }
        let start = format!("{name}(");
        let same = self.about.functions.iter().filter(|other| other.starts_with(&start));
        let same: Vec<&str> =
            same.map(|other| self.about.calls.get(other).map_or(other.as_str(), String::as_str)).collect();
        if !same.is_empty() {
            let mut text = format!("{path}: `{name}` stands for several functions:");
            same.iter().for_each(|call| text += &format!("\n  --call '{call}'"));
            bail!(text);
        }
        if let Some(why) = self.language.why_missing(wanted.path, name) {
            bail!("{path}: {why}");
        }
        let known: Vec<&str> = self.about.functions.iter().map(String::as_str).collect();
        let ending = format!("::{name}");
        if let Some(whole) = known.iter().find(|known| known.ends_with(&ending)) {
            bail!("{path}: no function `{name}`; did you mean `{whole}`?");
        }
        let (nothing, besides) = (self.language.why_none(), self.language.besides());
        match nearest(name, &known) {
            Some(near) => bail!("{path}: no function `{name}`; did you mean `{near}`?"),
            None if known.is_empty() => bail!("{path}: no function `{name}`; {nothing}"),
            None => bail!("{path}: no function `{name}`; there are {}{besides}", listed(&known)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_of_one_language_and_a_module_of_none() {
        let languages = |name: &str| {
            let path = Path::new(name);
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            LANGUAGES.iter().filter(|language| language.is_source(path, ending)).count()
        };
        for source in ["a.c", "a.cpp", "a.cc", "a.cxx", "a.rs", "a.zig", "a.ts", "somewhere/Cargo.toml"] {
            assert_eq!(languages(source), 1, "{source}");
        }
        for other in ["a.wasm", "a.wat", "a.py", "a.h", "c", "a.C", "a.c.o"] {
            assert_eq!(languages(other), 0, "{other}");
        }
    }
}
