//! Whose code a function or a line of a profile is: the user's own, or that of a library, which has a name.

use std::collections::BTreeMap;

use pessimum_languages::CALL_OF;
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Module, Profile};

use crate::scope::{is_library, is_runtime};

/// What we put around a function to call it goes by this name. It is not shown.
pub const HARNESS: &str = "harness";

/// Whether a function, by its name, was put around one of the user's to make the objects that it takes.
pub fn is_harness(function: &str) -> bool {
    let is_call = function.starts_with(CALL_OF);
    is_call || function.rsplit(['/', '.']).next().is_some_and(|name| name.starts_with("pessimum_call_"))
}

/// Libraries by what occurs in the paths of their sources; the first that fits counts.
const BY_FILE: [(&str, &str); 18] = [
    ("/c++/", "libc++"),
    ("libcxx", "libc++"),
    ("compiler-rt/", "compiler runtime"),
    ("compiler_builtins", "compiler runtime"),
    ("compiler-builtins", "compiler runtime"),
    ("libc-top-half/", "libc"),
    ("libc-bottom-half/", "libc"),
    ("wasi-libc", "libc"),
    ("wasilibc", "libc"),
    ("wasi-sysroot", "libc"),
    ("sysroot/include/", "libc"),
    ("dlmalloc/", "libc"),
    ("/rustc/", "Rust's library"),
    ("library/", "Rust's library"),
    ("/rust/deps/", "Rust's library"),
    ("~lib/", "AssemblyScript's library"),
    ("zig/", "Zig's library"),
    ("pessimum/", HARNESS),
];

/// The name of a library by one of its source files.
fn by_file(file: &str) -> String {
    let file = file.replace('\\', "/");
    if ["core/src/", "alloc/src/", "std/src/", "panic_abort/src/"].iter().any(|start| file.starts_with(start)) {
        return "Rust's library".to_string();
    }
    if let Some((_, package)) = file.split_once("/.cargo/registry/src/") {
        // The directory of the registry, and that of the package with its version.
        let package = package.split('/').nth(1).unwrap_or(package);
        return package.to_string();
    }
    let found = BY_FILE.iter().find(|(part, _)| file.contains(part));
    found.map_or("other libraries", |(_, name)| *name).to_string()
}

/// The name of a library by one of its functions.
fn by_function(function: &str) -> &'static str {
    let starts = |starts: &[&str]| starts.iter().any(|start| function.starts_with(start));
    match function {
        _ if function.contains("std::__") || starts(&["operator new", "operator delete", "__cxa_"]) => "libc++",
        _ if starts(&["core::", "alloc::", "std::", "<core::", "<alloc::", "<std::", "rust_", "__rust", "__rdl"]) => {
            "Rust's library"
        }
        _ if starts(&["compiler_builtins::"]) => "compiler runtime",
        _ if starts(&["_Unwind_", "pessimum_exceptions::"]) => "C++ exceptions",
        _ if function.contains("~lib/") => "AssemblyScript's library",
        _ if function.contains("pessimum") => HARNESS,
        _ => "libc",
    }
}

/// Whose code was executed in a run.
pub struct Owners {
    /// By index of the function, imports first: those that belong to a library.
    functions: BTreeMap<u32, String>,
    /// Whether source files decide, and not names of functions.
    by_file: bool,
}

impl Owners {
    /// With debug information source files decide: a function belongs to the file of its first line. Where there is none, or
    /// all of them are those of libraries, names do. Imported functions belong to nobody.
    pub fn of(profile: &Profile, module: &Module, names: &Names, lines: &SourceLines<'_>) -> Owners {
        let imported = module.imported_function_count();
        let mut files: BTreeMap<u32, Option<String>> = BTreeMap::new();
        for &(offset, _) in profile.instructions.iter().filter(|_| lines.present()) {
            let file = files.entry(module.function_at(offset)).or_insert(None);
            if file.is_none() {
                let line = lines.outermost_line(u64::from(offset)).filter(|line| line.line > 0);
                *file = line.map(|line| line.file);
            }
        }
        let by_file = files.values().flatten().any(|file| !is_library(file));
        let called =
            profile.functions.iter().map(|function| function.function).filter(|&function| function >= imported);
        let library = |function: u32| {
            let name = names.function(function);
            match files.get(&function).and_then(Option::as_ref).filter(|_| by_file) {
                Some(file) => is_library(file).then(|| self::by_file(file)),
                None => is_runtime(&name).then(|| by_function(&name).to_string()),
            }
        };
        let functions = called.filter_map(|function| Some((function, library(function)?))).collect();
        Owners { functions, by_file }
    }

    /// The library that a function belongs to; none for the user's own.
    pub fn library(&self, function: u32) -> Option<&String> {
        self.functions.get(&function)
    }

    /// The library that a line of this file belongs to; none for the user's own.
    pub fn library_of_line(&self, file: &str) -> Option<String> {
        (self.by_file && is_library(file)).then(|| by_file(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_names() {
        for (file, name) in [
            ("/usr/lib/llvm-19/include/c++/v1/vector", "libc++"),
            ("/usr/include/wasm32-wasi/c++/v1/__hash_table", "libc++"),
            ("core/src/fmt/mod.rs", "Rust's library"),
            ("/home/me/.cargo/registry/src/index.crates.io-6f17d22bba15001f/memchr-2.8.3/src/lib.rs", "memchr-2.8.3"),
            ("libc-top-half/musl/src/string/memchr.c", "libc"),
            ("~lib/rt/itcms.ts", "AssemblyScript's library"),
            ("/usr/lib/other.c", "other libraries"),
        ] {
            assert_eq!(by_file(file), name);
        }
        assert_eq!(by_function("std::__1::vector<int>::push_back"), "libc++");
        assert_eq!(by_function("std::io::Write::write_all"), "Rust's library");
        assert_eq!(by_function("dlmalloc"), "libc");
        assert_eq!(by_function("_Unwind_CallPersonality"), "C++ exceptions");
        assert!(is_harness("the call of sort") && is_harness("pessimum_call_0") && !is_harness("call"));
    }
}
