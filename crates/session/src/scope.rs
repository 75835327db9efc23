//! Whose code counts: the user's own, not that of libraries, or what the user names.

use std::collections::BTreeSet;

use pessimum_search::objective::Goal;
use pessimum_search::places::Places;
use pessimum_search::program::{Arm, SiteId};
use pessimum_wasm::Module;
use pessimum_wasm::names::{Names, SourceLines};

use crate::Error;

/// The parts of a program whose coverage counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The arms of their conditional branches, in ascending order; one for each place that a table leads to.
    pub arms: Vec<(SiteId, Arm)>,
    /// Functions, by their index in [`Places::functions`].
    pub functions: Vec<u32>,
    /// Source lines, by their index in [`Places::lines`].
    pub lines: Vec<u32>,
}

/// Names of files shown when a pattern matches nothing.
const SHOWN: usize = 8;

impl Scope {
    /// The user's own code that a run can call, whatever its input is: a library has other functions. With debug information that is what comes from a source file that is not part of a known
    /// library; without it, or where all sources are those of libraries, every function that is not clearly part of a
    /// language's runtime.
    pub fn own(places: &Places) -> Scope {
        let by_file = Scope::of(places, |file| !is_library(file), |_| false);
        let mut scope = match by_file.functions.is_empty() && by_file.lines.is_empty() {
            false => by_file,
            true => Scope::of(places, |_| false, |function| !is_runtime(function)),
        };
        let callable = |function: u32| places.callable.get(function as usize).copied().unwrap_or(true);
        scope.functions.retain(|&function| callable(function));
        scope.arms.retain(|(site, _)| places.sites.get(site.0 as usize).is_none_or(|place| callable(place.function)));
        scope.lines.retain(|&line| {
            places.line_functions.get(line as usize).is_none_or(|of| of.iter().any(|&function| callable(function)))
        });
        scope
    }

    /// The code that these patterns name: parts of the path of a source file or of the name of a function, in which
    /// `*` stands for any characters.
    pub fn named(places: &Places, patterns: &[String]) -> Result<Scope, Error> {
        for pattern in patterns {
            let is_known = places.lines.iter().any(|line| matches(pattern, &line.file))
                || places.functions.iter().any(|function| matches(pattern, function));
            if !is_known {
                let mut files: Vec<&str> = places.lines.iter().map(|line| line.file.as_str()).collect();
                files.dedup();
                return Err(unknown(pattern, files));
            }
        }
        let is_named = |name: &str| patterns.iter().any(|pattern| matches(pattern, name));
        Ok(Scope::of(places, is_named, is_named))
    }

    /// What comes from one of these files or is in one of these functions.
    fn of(places: &Places, file: impl Fn(&str) -> bool, function: impl Fn(&str) -> bool) -> Scope {
        let functions: BTreeSet<u32> =
            (0..).zip(&places.functions).filter(|(_, name)| function(name)).map(|(index, _)| index).collect();
        let in_file: Vec<bool> = places.lines.iter().map(|line| file(&line.file)).collect();
        let of_line = |line: Option<u32>| line.is_some_and(|line| in_file[line as usize]);
        let lines = (0..).zip(&in_file).filter(|&(line, &in_file): &(u32, &bool)| {
            let of = places.line_functions.get(line as usize).map_or(&[][..], Vec::as_slice);
            in_file || of.iter().any(|function| functions.contains(function))
        });
        let lines = lines.map(|(line, _)| line).collect();
        let arms = places.arms.iter().copied().filter(|arm| !places.twins.contains_key(arm)).filter(|(site, _)| {
            let place = places.sites.get(site.0 as usize).copied().unwrap_or_default();
            of_line(place.line) || functions.contains(&place.function)
        });
        let arms = arms.collect();
        let begun = (0..).zip(&places.beginnings).filter(|(_, line)| of_line(**line)).map(|(index, _)| index);
        let mut functions: Vec<u32> = functions.iter().copied().chain(begun).collect();
        functions.sort_unstable();
        functions.dedup();
        Scope { arms, functions, lines }
    }

    /// Without these arms.
    pub fn without(mut self, arms: &BTreeSet<(SiteId, Arm)>) -> Scope {
        self.arms.retain(|arm| !arms.contains(arm));
        self
    }

    /// All of it as goals.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        let arms = self.arms.iter().map(|&(site, arm)| Goal::Arm(site, arm));
        let functions = self.functions.iter().map(|&function| Goal::Function(function));
        arms.chain(functions).chain(self.lines.iter().map(|&line| Goal::Line(line)))
    }

    /// Whether nothing counts.
    pub fn is_empty(&self) -> bool {
        self.arms.is_empty() && self.functions.is_empty() && self.lines.is_empty()
    }
}

/// The offsets of the instructions that these patterns name: those of a function so named, and those whose line is in a
/// file so named, inlined or not.
pub(crate) fn instructions_in(module: &Module, patterns: &[String]) -> Result<BTreeSet<u32>, Error> {
    let (names, lines) = (Names::of(module), SourceLines::of(module));
    let is_named = |name: &str| patterns.iter().any(|pattern| matches(pattern, name));
    let (mut found, mut files) = (BTreeSet::new(), BTreeSet::new());
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut function = None;
    for &offset in module.instruction_offsets() {
        let index = module.function_at(offset);
        if function.as_ref().is_none_or(|(known, _)| *known != index) {
            let name = names.function(index);
            seen.extend(patterns.iter().filter(|pattern| matches(pattern, &name)).map(String::as_str));
            function = Some((index, is_named(&name)));
        }
        let in_function = function.is_some_and(|(_, named)| named);
        let file = lines.line(u64::from(offset)).map(|line| line.file);
        let in_file = file.as_deref().is_some_and(is_named);
        if let Some(file) = file
            && !files.contains(&file)
        {
            seen.extend(patterns.iter().filter(|pattern| matches(pattern, &file)).map(String::as_str));
            files.insert(file);
        }
        if in_function || in_file {
            found.insert(offset);
        }
    }
    match patterns.iter().find(|pattern| !seen.contains(pattern.as_str())) {
        Some(pattern) => Err(unknown(pattern, files.iter().map(String::as_str).collect())),
        None => Ok(found),
    }
}

/// What to say about a pattern that names nothing in a module that was made from these files.
fn unknown(pattern: &str, mut files: Vec<&str>) -> Error {
    if files.iter().any(|file| !is_library(file)) {
        files.retain(|file| !is_library(file));
    }
    let more = if files.len() > SHOWN { ", ..." } else { "" };
    files.truncate(SHOWN);
    let has = match files.is_empty() {
        true => "the module has no debug information, so only functions have names".to_string(),
        false => format!(
            "the module was made from {}{more}, and a function that was inlined everywhere has no name left (for C, --cflags \
             -O0 keeps it)",
            files.join(", ")
        ),
    };
    Error::new(format!("--in {pattern}: no source file and no function is named so; {has}"))
}

/// Whether the pattern occurs in the name; `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = Some(name);
    for part in pattern.split('*') {
        rest = rest.and_then(|rest| rest.split_once(part)).map(|(_, after)| after);
    }
    rest.is_some()
}

/// Parts of the paths of library sources, as compilers record them. Rust's own are recorded without the place where they
/// were built; `pessimum/` is what we add to call a Rust function.
const LIBRARY_PARTS: [&str; 26] = [
    "/rustc/",
    "/rust/deps/",
    "/.rustup/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/usr/include/",
    "/usr/lib/",
    "/usr/local/include/",
    "/usr/local/lib/",
    "/include/c++/",
    "sysroot/include/",
    "/wasi-sysroot/",
    "/wasi-sdk",
    "/wasi-libc/",
    "/wasilibc/",
    "/libcxx/",
    "/libcxxabi/",
    "/compiler-rt/",
    "/emsdk/",
    "/emscripten/",
    "libc-bottom-half/",
    "libc-top-half/",
    "dlmalloc/",
    "/lib/zig/",
    "/lib/std/",
    "/zig/lib/",
];

/// How the paths of library sources begin.
const LIBRARY_STARTS: [&str; 10] = [
    "core/src/",
    "alloc/src/",
    "std/src/",
    "panic_abort/src/",
    "compiler_builtins/",
    "compiler-builtins/",
    "library/",
    "~lib/",
    "pessimum/",
    "<",
];

/// Whether a source file belongs to a library rather than to the user.
pub(crate) fn is_library(file: &str) -> bool {
    let file = file.replace('\\', "/");
    LIBRARY_STARTS.iter().any(|start| file.starts_with(start)) || LIBRARY_PARTS.iter().any(|part| file.contains(part))
}

/// Functions of C's and Rust's runtime that a module contains without asking for them.
const RUNTIME: [&str; 34] = [
    "_start",
    "_initialize",
    "_exit",
    "_Exit",
    "exit",
    "abort",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "posix_memalign",
    "aligned_alloc",
    "sbrk",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strlen",
    "strnlen",
    "strchr",
    "strcmp",
    "strncmp",
    "printf",
    "fprintf",
    "snprintf",
    "vfprintf",
    "fputs",
    "fwrite",
    "fread",
    "writev",
    "undefined_weak",
    "dummy",
    "pop_arg",
];

/// How the names of such functions begin.
const RUNTIME_STARTS: [&str; 20] = [
    "__",
    "_Unwind_",
    "pessimum_exceptions::",
    "_start",
    "dlmalloc",
    "<dlmalloc",
    "dlfree",
    "emscripten_",
    "wasi_",
    "core::",
    "alloc::",
    "std::",
    "<core::",
    "<alloc::",
    "<std::",
    "rust_",
    "compiler_builtins::",
    "printf_core",
    "~lib/",
    "~start",
];

/// Whether a function belongs to a language's runtime.
pub(crate) fn is_runtime(function: &str) -> bool {
    // AssemblyScript puts the path of the source file in front, also of the allocator that we add.
    let last = function.rsplit('/').next().unwrap_or(function);
    let starts = |name: &str| RUNTIME_STARTS.iter().any(|start| name.starts_with(start));
    RUNTIME.contains(&last) || starts(function) || starts(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_search::places::{Line, Place};

    /// Two functions of the user's, the second of which has a library function inlined, and one of the library.
    fn places() -> Places {
        let line = |file: &str, line| Line { file: file.to_owned(), line };
        let site = |function, line| Place { function, line: Some(line) };
        Places {
            arms: (0..3).flat_map(|site| [Arm::FALSE, Arm::TRUE].map(|arm| (SiteId(site), arm))).collect(),
            functions: ["parse", "list::push", "malloc"].map(str::to_owned).to_vec(),
            lines: vec![line("/usr/include/c++/vector", 9), line("src/list.cpp", 4), line("src/parse.cpp", 7)],
            sites: vec![site(0, 2), site(1, 0), site(2, 0)],
            callable: vec![true; 3],
            beginnings: vec![Some(2), Some(1), Some(0)],
            line_functions: vec![vec![1, 2], vec![1], vec![0]],
            ..Places::default()
        }
    }

    #[test]
    fn inlined_library_code_is_not_the_users() {
        let own = Scope::own(&places());
        assert_eq!(own.arms, [(SiteId(0), Arm::FALSE), (SiteId(0), Arm::TRUE)]);
        assert_eq!((own.functions, own.lines), (vec![0, 1], vec![1, 2]));
    }

    #[test]
    fn what_no_run_can_call_does_not_count() {
        let own = Scope::own(&Places { callable: vec![false, true, true], ..places() });
        assert_eq!((own.arms.len(), own.functions, own.lines), (0, vec![1], vec![1]));
        let named = Scope::named(&Places { callable: vec![false; 3], ..places() }, &["parse".to_owned()]).unwrap();
        assert_eq!((named.arms.len(), named.functions), (2, vec![0]), "unless it is named");
    }

    #[test]
    fn without_debug_information_names_decide() {
        let bare = Places {
            lines: Vec::new(),
            line_functions: Vec::new(),
            beginnings: vec![None; 3],
            sites: [0, 1, 2].map(|function| Place { function, line: None }).to_vec(),
            ..places()
        };
        let own = Scope::own(&bare);
        assert_eq!((own.arms.len(), own.functions), (4, vec![0, 1]));
    }

    #[test]
    fn patterns_name_files_and_functions() {
        let named = |patterns: &[&str]| {
            Scope::named(&places(), &patterns.iter().map(|&pattern| pattern.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(named(&["parse.cpp"]).unwrap().functions, [0]);
        let by_function = named(&["list::*sh"]).unwrap();
        assert_eq!((by_function.arms.len(), by_function.lines), (2, vec![0, 1]), "all code in it, inlined or not");
        assert_eq!(named(&["list", "mall*"]).unwrap().functions, [1, 2]);
        let message = named(&["src/", "lost"]).unwrap_err().to_string();
        assert!(message.starts_with("--in lost: no source file and no function") && message.contains("src/list.cpp"));
    }

    #[test]
    fn library_sources_are_known_by_their_paths() {
        for file in [
            "core/src/fmt/mod.rs",
            "/rust/deps/dlmalloc-0.2.11/src/lib.rs",
            "/home/me/.cargo/registry/src/x/lib.rs",
            "/opt/wasi-sdk-20/x.h",
            "sysroot/include/ctype.h",
            "<stdin>",
        ] {
            assert!(is_library(file), "{file}");
        }
        for file in ["sort.c", "src/core/mod.rs", "/home/me/json/parse.c", "../lib.rs", "standard/main.c"] {
            assert!(!is_library(file), "{file}");
        }
        assert!(
            is_runtime("__wasm_call_ctors")
                && is_runtime("core::fmt::write")
                && is_runtime("<dlmalloc::Dlmalloc>::malloc")
                && is_runtime("../cache/allocator/__pessimum_alloc")
                && !is_runtime("my_sort")
                && !is_runtime("leap/days")
        );
    }
}
