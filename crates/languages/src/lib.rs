//! Source files as subjects: finds a compiler on the machine, builds a module with source lines, and keeps it.
//!
//! There is one file per language. Each finds its compiler (by an environment variable, or in the usual places), says
//! what to install where there is none, and returns the module's bytes with what is known about its functions.
//! Compilers run in the current directory and are told to leave it out of the debug information, so that lines are
//! shown as `sort.c:15`.

pub mod api;
mod assemblyscript;
mod c;
mod cache;
mod calls;
mod clang;
mod cpp_values;
pub mod emit;
mod exceptions;
mod exports;
mod inputs;
mod load;
mod native;
mod objects;
mod package;
mod prototypes;
mod rust;
mod script_calls;
mod tool;
pub mod values;
mod workplace;
mod zig;
mod zig_calls;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_input::{Kind, Signature};
use pessimum_report::names::{listed, nearest};
use pessimum_wasm::{ExternKind, Module};

pub use cache::{About, Cache, Hidden, hash};
pub use calls::Calls;
pub use inputs::names_from;
use inputs::{Input, named, variables};
pub use load::{binary, load, load_with_bytes, module_bytes};
use native::{Kind as NativeKind, Native};
pub use rust::CHARACTERS;
use rust::{Chosen, variable};
use tool::Tool;

/// How the names of our functions begin that call a function of a Rust crate: no name of the user's has spaces in it.
pub const CALL_OF: &str = "the call of ";

/// Flags that do not fit together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// What is to be compiled, and what for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// As on the command line.
    pub path: &'a Path,
    /// What `--call` says.
    pub call: Option<&'a Signature>,
    /// The function that `--entry` names.
    pub entry: Option<&'a str>,
    /// The values of `--cflags`, each a list of options.
    pub options: &'a [String],
    /// The values of `--with`, which choose types for parameters.
    pub with: &'a [String],
    /// Its functions are to be listed, also those of a program.
    pub listed: bool,
    /// Tests are to call several of its functions, one after the other.
    pub sequences: bool,
}

/// The name by which `--with` chooses how much room there is for a collection inside another value.
const ROOM: &str = "room";

impl<'a> Wanted<'a> {
    /// The function to be called; none for a program that is started at its `main`.
    fn function(&self) -> Option<&'a str> {
        self.call.map(|call| call.name.as_str()).or(self.entry)
    }

    /// Whether it may be started at its `main`.
    fn is_program(&self) -> bool {
        self.function().is_none() && !self.sequences
    }

    /// What the functions of a Rust crate are called for.
    fn purpose(&self) -> rust::Purpose {
        if self.sequences { rust::Purpose::Sequences } else { rust::Purpose::Call }
    }

    /// How far code is optimised unless options say otherwise. In suites a branch of the source is to be one branch of the
    /// module, and not one in each place where its function was inlined, in some of which it cannot go both ways.
    fn optimisation(&self) -> &'static str {
        if self.sequences { "0" } else { "1" }
    }

    /// `--cflags`, split into single options.
    fn options(&self) -> Result<Vec<String>> {
        let mut options = Vec::new();
        for text in self.options {
            options.extend(shlex::split(text).ok_or_else(|| Usage(format!("--cflags {text}: {UNCLOSED}")))?);
        }
        Ok(options)
    }

    /// What `--with` chooses: types and constants for parameters, and the room of collections inside other values.
    fn chosen(&self) -> Result<Chosen> {
        let mut chosen = Chosen::default();
        for text in self.with {
            let Some((name, ty)) = text.split_once('=') else {
                bail!(Usage(format!("--with {text}: expected NAME=TYPE, as in --with T=u64, or room=16")));
            };
            let (name, ty) = (name.trim(), ty.trim());
            if name == ROOM {
                // The length of what is in the room is one byte of input.
                let room = ty.parse().ok().filter(|room| (1..=255).contains(room));
                let expected = "room for elements inside other values is a number from 1 to 255, as in --with room=16";
                if room.is_none() {
                    bail!(Usage(format!("--with {text}: {expected}")));
                }
                chosen.room = room;
            } else {
                chosen.with.insert(name.to_string(), ty.to_string());
            }
        }
        Ok(chosen)
    }

    /// The source for a compiler's command line.
    fn source(&self) -> PathBuf {
        as_file(self.path)
    }

    /// The source as text, for languages whose sources are UTF-8.
    fn text(&self) -> Result<String> {
        let bytes = std::fs::read(self.path)?;
        String::from_utf8(bytes).map_err(|error| {
            let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count();
            anyhow::anyhow!("line {line} is not valid UTF-8; save the file in that encoding")
        })
    }

    /// What the module depends on besides contents of files: where the source is and where it is compiled (debug
    /// information names both), the compiler, and its options.
    fn key(&self, tool: &Tool, options: &[String]) -> Result<Vec<u8>> {
        let here = here()?;
        let parts = [self.path.as_os_str().as_encoded_bytes(), here.as_os_str().as_encoded_bytes()];
        let identity = tool.identity();
        let more = options.iter().map(String::as_bytes);
        let with = self.with.iter().map(String::as_bytes);
        let more = more.chain([&b"--with"[..]]).chain(with);
        Ok(parts.into_iter().chain([identity.as_bytes()]).chain(more).collect::<Vec<_>>().join(&0))
    }

    /// What every compiler reads: the source, the files that its options name, and the environment.
    fn inputs(&self, options: &[String]) -> Vec<Input> {
        let mut inputs = vec![Input::File(self.source())];
        inputs.extend(named(options));
        inputs.extend(variables(|name| {
            VARIABLES.contains(&name) || VARIABLES_STARTING.iter().any(|start| name.starts_with(start))
        }));
        inputs
    }

    /// The name of the source file without its extension.
    fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Environment variables that change what a compiler reads or writes. PWD is where clang says that it ran.
const VARIABLES: [&str; 17] = [
    "CC",
    "CCC_ADD_ARGS",
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
    "MACOSX_DEPLOYMENT_TARGET",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PWD",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "SDKROOT",
    "SOURCE_DATE_EPOCH",
];

/// How the names of more of them start.
const VARIABLES_STARTING: [&str; 6] = ["CARGO_", "CLANG_", "NIX_", "RUSTC_", "WASI_", "ZIG_"];

/// A module that was compiled now or before.
pub struct Compiled {
    /// The module, in the binary format.
    pub bytes: Vec<u8>,
    language: Language,
    /// What is known about it besides.
    pub about: About,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    C,
    Cpp,
    Rust,
    Package,
    Zig,
    AssemblyScript,
}

/// Whether this is the directory of a Rust package; that of a workspace alone is none.
pub fn is_package(path: &Path) -> bool {
    let manifest = std::fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "[package]")
}

/// The language of a source file, by its extension; `None` for a module.
fn language(path: &Path) -> Option<Language> {
    if path.file_name().is_some_and(|name| name == "Cargo.toml") || path.join("Cargo.toml").is_file() {
        return Some(Language::Package);
    }
    match path.extension()?.to_str()? {
        "c" => Some(Language::C),
        "cpp" | "cc" | "cxx" => Some(Language::Cpp),
        "rs" => Some(Language::Rust),
        "zig" => Some(Language::Zig),
        "ts" => Some(Language::AssemblyScript),
        _ => None,
    }
}

/// What a file is that can be neither read nor compiled, by its extension or its contents; `None` for a module, in
/// either format.
fn foreign(path: &Path) -> Option<String> {
    const WASM: &[u8] = b"\0asm";
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    if ["h", "hh", "hpp", "hxx"].contains(&ending.as_str()) {
        return Some("this is a header; give a source file that includes it".to_string());
    }
    if path.is_dir() {
        return Some(format!("this is a directory without a Cargo.toml; {WHAT_CAN_BE_GIVEN}"));
    }
    // A file that cannot be read is reported where it is read.
    let bytes = std::fs::read(path).ok()?;
    if bytes.starts_with(WASM) {
        return None;
    }
    if let Some((_, language, how)) = FOREIGN.iter().find(|(known, ..)| *known == ending) {
        return Some(format!("this is {language}; {how}{WHAT_CAN_BE_GIVEN}"));
    }
    let what = match &bytes[..] {
        [] => "the file is empty",
        [0x7f, b'E', b'L', b'F', ..] | [b'M', b'Z', ..] | [0xcf, 0xfa, 0xed, 0xfe, ..] => {
            "this is a program or library for a processor; compile its source for WebAssembly"
        }
        [b'B', b'C', 0xc0, 0xde, ..] => "this is LLVM bitcode; compile it with `clang --target=wasm32-wasi`",
        [0x1f, 0x8b, ..] | [b'P', b'K', ..] => "this is an archive; unpack it",
        // Text of a module starts with a parenthesis, or with a comment before it.
        _ if bytes.trim_ascii_start().starts_with(b"(") || bytes.trim_ascii_start().starts_with(b";;") => return None,
        _ => "this is no WebAssembly: a module starts with the bytes `\\0asm`, its text with `(module`",
    };
    Some(format!("{what}; {WHAT_CAN_BE_GIVEN}"))
}

const WHAT_CAN_BE_GIVEN: &str = "what can be given is a module (.wasm, .wat), a source of C, C++, Rust, Zig or AssemblyScript, a Rust package, or a file of \
     Python";

/// Languages that Pessimum has no compiler for: extension, name, and how to get a module where that is known.
const FOREIGN: [(&str, &str, &str); 19] = [
    ("go", "Go", "build a module with `GOOS=wasip1 GOARCH=wasm go build -o program.wasm`, or with TinyGo; "),
    ("java", "Java", ""),
    ("class", "compiled Java", ""),
    ("kt", "Kotlin", ""),
    ("js", "JavaScript", ""),
    ("mjs", "JavaScript", ""),
    ("tsx", "TypeScript with JSX", ""),
    ("cs", "C#", ""),
    ("swift", "Swift", "build a module with Swift's SDK for WebAssembly; "),
    ("rb", "Ruby", ""),
    ("php", "PHP", ""),
    ("pl", "Perl", ""),
    ("sh", "a shell script", ""),
    ("hs", "Haskell", "build a module with GHC's WebAssembly backend; "),
    ("ml", "OCaml", ""),
    ("f90", "Fortran", ""),
    ("s", "assembly", "compile it with `clang --target=wasm32-wasi`; "),
    ("md", "a text", ""),
    ("json", "data", ""),
];

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
    if !chosen.with.is_empty() && !matches!(language, Language::Rust | Language::Package) {
        bail!(Usage(format!("--with: {path} is not Rust, whose type parameters it chooses")));
    }
    if chosen.room.is_some() && !matches!(language, Language::Rust | Language::Package | Language::Cpp) {
        bail!(Usage(format!("--with {ROOM}: {path} is neither Rust nor C++, whose collections it is about")));
    }
    let cache = Cache::open()?;
    let built = match language {
        Language::C | Language::Cpp => c::build(wanted, language == Language::Cpp, &cache),
        Language::Rust => rust::build(wanted, &cache),
        Language::Package => package::build(wanted, &cache),
        Language::Zig => zig::build(wanted, &cache),
        Language::AssemblyScript => assemblyscript::build(wanted, &cache),
    };
    let (bytes, about) = built.with_context(|| wanted.path.display().to_string())?;
    Ok(Some(Compiled { bytes, language, about }))
}

impl Compiled {
    /// Whether it was written in Rust.
    pub fn is_rust(&self) -> bool {
        matches!(self.language, Language::Rust | Language::Package)
    }

    /// The functions that cannot be called, but those of C and C++ that are only for their own file: there are many.
    pub fn hidden(&self) -> impl Iterator<Item = &Hidden> {
        let is_c = matches!(self.language, Language::C | Language::Cpp);
        self.about.hidden.iter().filter(move |hidden| !is_c || !c::is_local(hidden))
    }

    /// Whether it was written in C.
    pub fn is_c(&self) -> bool {
        self.language == Language::C
    }

    /// Checks that the function to be called is there. The error says what the author can do in the source language.
    pub fn check(&self, wanted: &Wanted<'_>, module: &Module) -> Result<()> {
        let Some(name) = wanted.function() else { return Ok(()) };
        let path = wanted.path.display();
        let export = module.export(name).filter(|export| export.kind == ExternKind::Function);
        if let Some(export) = export {
            let wants = module.function_type(export.index).params.len();
            let Some(call) = wanted.call else { return Ok(()) };
            if let Some(hint) = self.about.calls.get(name)
                && call.arity() != wants
            {
                match self.about.wrapped.get(name) {
                    Some(types) => {
                        let takes = types.iter().map(|ty| format!("`{ty}`")).collect::<Vec<_>>().join(", ");
                        bail!("{path}: `{name}` takes {takes}, made from what is in this call: --call '{hint}'");
                    }
                    None if self.is_rust() => {
                        bail!("{path}: a slice or text is passed as a pointer and its length: --call '{hint}'")
                    }
                    // What is wrong with the number of arguments is said where they are used.
                    None => {}
                }
            }
            if let Some(hint) = self.about.calls.get(name) {
                if self.is_rust() {
                    refuse_bytes(call, hint)?;
                }
                if self.is_rust() || self.about.wrapped.contains_key(name) {
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
        let is_source = matches!(self.language, Language::C | Language::Cpp);
        if is_source && is_written(wanted.path, name) {
            let besides = match self.language {
                Language::Cpp => "; a template needs an instance, as in `template int twice(int);`",
                _ => "",
            };
            bail!(
                "{path}: `{name}` is in the source, but the compiler made no function of it; `static` and `inline` ones \
                 that nothing calls are left out, and so is what is only declared{besides}"
            );
        }
        let known: Vec<&str> = self.about.functions.iter().map(String::as_str).collect();
        let ending = format!("::{name}");
        if let Some(whole) = known.iter().find(|known| known.ends_with(&ending)) {
            bail!("{path}: no function `{name}`; did you mean `{whole}`?");
        }
        let (nothing, besides) = match self.language {
            Language::C | Language::Cpp => ("all its functions are `static`", "; `static` ones cannot be called"),
            Language::Rust | Language::Package => (rust::HOW_TO_EXPORT, ""),
            Language::Zig => ("it has no `export fn` or `pub fn`", ""),
            Language::AssemblyScript => ("it has no `export function`", ""),
        };
        match nearest(name, &known) {
            Some(near) => bail!("{path}: no function `{name}`; did you mean `{near}`?"),
            None if known.is_empty() => bail!("{path}: no function `{name}`; {nothing}"),
            None => bail!("{path}: no function `{name}`; there are {}{besides}", listed(&known)),
        }
    }
}

/// Whether a source mentions a function of this name.
fn is_written(path: &Path, name: &str) -> bool {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let short = name.rsplit("::").next().unwrap_or(name);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(short)
        .any(|(at, _)| !text[..at].ends_with(is_part) && text[at + short.len()..].trim_start().starts_with('('))
}

/// The arguments of a call as they are written.
fn written_arguments(call: &str) -> Vec<String> {
    // The name of a function among several is quoted, with the types of its parameters.
    let quoted_name = call.strip_prefix('"').and_then(|rest| rest.split_once('"')).map_or(call, |(_, rest)| rest);
    let Some((_, inside)) = quoted_name.split_once('(') else { return Vec::new() };
    let (mut parts, mut depth, mut quoted) = (vec![String::new()], 0, false);
    for c in inside.chars() {
        match c {
            '"' => quoted = !quoted,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.iter().map(|part| part.trim().to_string()).collect()
}

/// Refuses as many elements of a smaller type as a function expects of its own: it would read beyond them.
fn refuse_narrow(call: &Signature, hint: &str) -> Result<()> {
    let array = |text: &str| -> Option<(Kind, String)> {
        let (kind, rest) = text.split_once('[')?;
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind.trim())?;
        Some((kind, rest.split_once(']')?.0.replace(' ', "")))
    };
    for (at, (given, expected)) in written_arguments(call.text()).iter().zip(written_arguments(hint)).enumerate() {
        if let (Some((kind, length)), Some((wanted, expected))) = (array(given), array(&expected))
            && length == expected
            && kind.bytes() < wanted.bytes()
        {
            bail!(
                "the argument {} of `{}` is an array of {wanted}: as many of {kind} are less memory than it reads: --call '{hint}'",
                at + 1,
                call.name
            );
        }
    }
    Ok(())
}

/// Refuses arbitrary bytes in the place of a Rust text, whose functions rely on it being UTF-8.
fn refuse_bytes(call: &Signature, hint: &str) -> Result<()> {
    for (at, (given, expected)) in written_arguments(call.text()).iter().zip(written_arguments(hint)).enumerate() {
        if expected.starts_with("utf8[") && given.starts_with("u8[") && !given.contains(" in ") {
            bail!(
                "the argument {} of `{}` is a text, which is always UTF-8: write `{}` for any text, or `{given} in ' '..='~'`",
                at + 1,
                call.name,
                given.replacen("u8[", "utf8[", 1)
            );
        }
    }
    Ok(())
}

/// What is wrong with text that cannot be split into words the way a shell does.
const UNCLOSED: &str = "a quote is not closed, or nothing follows the last backslash";

/// A path that compilers take for a file, whatever its name is: `-x.c` would be an option and `@x.c` a list of options.
fn as_file(path: &Path) -> PathBuf {
    let first = path.as_os_str().as_encoded_bytes().first();
    let plain = first.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | 0x80..));
    if plain || path.is_absolute() { path.to_path_buf() } else { Path::new(".").join(path) }
}

/// The current directory, which is left out of the debug information.
fn here() -> Result<PathBuf> {
    std::env::current_dir().context("the current directory")
}
