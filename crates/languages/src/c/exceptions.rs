//! C++ exceptions: when a program is compiled with them, and what it then needs.
//!
//! With exceptions, functions that only destroy something get code for the case that something is thrown, and some are no
//! longer inlined. So a program is compiled without them, unless the compiler says that it cannot do without.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::toolchain::inputs::{Input, Rule};
use crate::toolchain::tool::run;
use crate::toolchain::workplace::Workplace;

/// What libraries that were built without exceptions lack.
pub const RUNTIME: &str = include_str!("../../../../guest/cpp/exceptions.cpp");

/// What the linker misses first in a program with exceptions and without the runtime.
const RUNTIME_FUNCTIONS: [&str; 3] = ["__cxa_", "__wasm_lpad_context", "_Unwind_CallPersonality"];

/// Whether a program is compiled with exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceptions {
    /// As soon as the compiler says that it needs them.
    IfNeeded,
    Off,
    On,
}

impl Exceptions {
    /// What the options say. They are only for C++.
    pub fn new(cpp: bool, options: &[String]) -> Exceptions {
        let last = options.iter().rev().find_map(|option| match option.as_str() {
            "-fno-exceptions" => Some(Exceptions::Off),
            "-fexceptions" | "-fwasm-exceptions" => Some(Exceptions::On),
            _ => None,
        });
        if cpp { last.unwrap_or(Exceptions::IfNeeded) } else { Exceptions::Off }
    }

    /// The option for the compiler.
    pub fn option(self) -> &'static str {
        if self == Exceptions::On { "-fwasm-exceptions" } else { "-fno-exceptions" }
    }
}

/// Whether this error of the compiler says that the program needs exceptions.
pub fn would_help(error: &anyhow::Error) -> bool {
    error.to_string().contains("with exceptions disabled")
}

/// Whether this error of the linker says that the runtime is missing.
pub fn lack_runtime(error: &anyhow::Error) -> bool {
    let text = error.to_string();
    RUNTIME_FUNCTIONS.iter().any(|name| text.contains(&format!("undefined symbol: {name}")))
}

/// Whether a file that is not one of the compiler or its libraries has a word that exceptions are written with. Such a word
/// may be in a comment, so this is only a reason to ask the compiler.
pub fn are_mentioned(files: &[PathBuf]) -> bool {
    let of_library = |file: &Path| {
        let path = file.to_string_lossy();
        ["/c++/v1/", "/include/wasm32-wasi", "/lib/clang/", "wasi-sysroot"].iter().any(|part| path.contains(part))
    };
    files.iter().filter(|file| !of_library(file)).any(|file| {
        let text = std::fs::read(file).unwrap_or_default();
        let mut words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        words.any(|word| matches!(word, b"try" | b"throw" | b"catch"))
    })
}

/// Whether an option is about exceptions. [`Exceptions::option`] stands for all of these; with one of them, some versions of
/// clang link a library that the usual packages do not have.
pub fn is_about_exceptions(option: &str) -> bool {
    matches!(option, "-fno-exceptions" | "-fexceptions" | "-fwasm-exceptions")
}

/// Compiles the runtime with this compiler. Returns the object file and the files that the compiler read.
pub fn compile_runtime(mut compiler: Command, work: &Workplace) -> Result<(PathBuf, BTreeSet<Input>)> {
    let [source, object, rule] = ["exceptions.cpp", "exceptions.o", "exceptions.d"].map(|name| work.file(name));
    std::fs::write(&source, RUNTIME)?;
    compiler.args(["-O1", "-Qunused-arguments", Exceptions::On.option(), "-c", "-MD", "-MF"]).arg(&rule);
    run(compiler.arg(&source).arg("-o").arg(&object))?;
    let outside = |file: &PathBuf| !Path::new(file).starts_with(work.path());
    Ok((object, Rule::read(&rule)?.files.into_iter().filter(outside).map(Input::File).collect()))
}
