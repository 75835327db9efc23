//! Compilers on this machine, for tests that need one by name.

use std::path::Path;
use std::process::{Command, Stdio};

/// A clang in PATH that produces WebAssembly and finds a linker for it: one of several versions may be without.
pub fn clang() -> Option<String> {
    let names = std::iter::once("clang".to_string()).chain((14..=23).rev().map(|version| format!("clang-{version}")));
    names.into_iter().find(|name| {
        let says = |option: &str| {
            let output = Command::new(name).args(["--target=wasm32-wasi", option]).stdin(Stdio::null()).output();
            output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()).unwrap_or_default()
        };
        // Where clang finds no program it repeats the bare name, which may still be in PATH.
        let linker = says("-print-prog-name=wasm-ld");
        let starts = |linker: &str| Command::new(linker).arg("--version").output().is_ok();
        says("--print-targets").contains("wasm32") && (Path::new(&linker).is_file() || starts(&linker))
    })
}
