//! Rust files, compiled with rustc: a file with `main` becomes a WASI command, any other a library.
//!
//! A library is compiled as it is, and a second, small crate with a C interface calls its public functions (`shim.rs`),
//! so `pub fn sort(values: &mut [i32])` can be called as `sort(i32[n], n)`. The values are made from plain data: the
//! source is read (`items.rs`), names are looked up (`names.rs`), types are resolved and chosen (`types.rs`,
//! `bounds.rs`), and for each type there is a way to make a value (`values.rs`, `constructors.rs`) from data (`data.rs`).
//! Where the compiler disagrees with one of the calls, that function is left out, with what it says.
//! Functions that have a C interface already are exported as they are.
//!
//! A library is built as it is, with a second crate that gives its public functions a C interface. No compiler is asked
//! for types: where a guess is wrong, rustc refuses that one function, which is left out with the reason, and the rest
//! is built again.

mod bounds;
mod constructors;
mod data;
mod digests;
mod handles;
mod items;
mod looks;
mod names;
mod native;
mod package;
mod sequences;
mod shim;
mod suite;
mod suite_text;
#[cfg(test)]
mod tests;
mod types;
mod values;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use pessimum_input::Signature;
use serde_json::Value;

use crate::cache::{About, Cache};
use crate::calling::Declared;
use crate::diagnostics::{refuse_bytes, refuse_narrow};
use crate::language::Language;
use crate::suite::{Case, Emitted};
use crate::toolchain::inputs::{Input, Rule};
use crate::toolchain::tool::{Tool, attempt, failed, run};
use crate::values::{self as written, Datum, Form};
use crate::wanted::{Wanted, here};
pub use data::CHARACTERS;
use items::{Crate, read_crate};
use native::Native;
pub use sequences::variable;
pub use shim::CALL_OF;
use shim::{FILE, Purpose, Shim, VALUES};

/// Rust, by the file or by the package.
pub struct Rust {
    is_package: bool,
}

impl Rust {
    /// Files.
    pub const FILE: Rust = Rust { is_package: false };
    /// Packages: a directory with a `Cargo.toml`, or that file.
    pub const PACKAGE: Rust = Rust { is_package: true };
}

impl Language for Rust {
    fn is_source(&self, path: &Path, ending: &str) -> bool {
        let is_package = path.file_name().is_some_and(|name| name == "Cargo.toml") || path.join("Cargo.toml").is_file();
        if self.is_package { is_package } else { ending == "rs" }
    }

    fn build(&self, wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
        if self.is_package { package::build(wanted, cache) } else { build(wanted, cache) }
    }

    /// In the order of the source.
    fn functions<'m>(&self, about: &About, exported: Vec<&'m str>) -> Vec<&'m str> {
        let exported: BTreeSet<&str> = exported.into_iter().collect();
        about.functions.iter().filter_map(|own| exported.get(own.as_str())).copied().collect()
    }

    fn check_call(&self, wanted: &Wanted<'_>, call: &Signature, hint: &str, parameters: usize) -> Result<()> {
        if call.arity() != parameters {
            let path = wanted.path.display();
            bail!("{path}: a slice or text is passed as a pointer and its length: --call '{hint}'");
        }
        refuse_bytes(call, hint)?;
        refuse_narrow(call, hint)
    }

    fn why_none(&self) -> &'static str {
        HOW_TO_EXPORT
    }

    fn has_type_parameters(&self) -> bool {
        true
    }

    fn has_collections(&self) -> bool {
        true
    }

    fn declared<'a>(&self, about: &'a About) -> Option<&'a [Declared]> {
        Some(&about.declared)
    }

    fn write_tests(&self, functions: &[Declared], wanted: &Wanted<'_>, cases: &[Case]) -> Result<Option<Emitted>> {
        let prepare = if self.is_package { Native::package } else { Native::file };
        suite::write(prepare(wanted, &Cache::open()?)?, functions, wanted.path, cases).map(Some)
    }

    fn values_section(&self) -> Option<&'static str> {
        Some(VALUES)
    }

    fn write_value(&self, form: &Form, value: &Datum) -> Option<String> {
        written::shown::shown(form, value)
    }
}

/// What the functions of a crate are called for.
fn purpose(wanted: &Wanted<'_>) -> Purpose {
    if wanted.sequences { Purpose::Sequences } else { Purpose::Call }
}

/// Whether this is the directory of a Rust package; that of a workspace alone is none.
pub fn is_package(path: &Path) -> bool {
    let manifest = std::fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "[package]")
}

const HOW_TO_EXPORT: &str = "a function can be called if it is a `pub fn` in public modules; it has none, or only in \
     macros: write a `pub fn` that calls what you want to look at";

const LIBRARY: &str = "wasm32-unknown-unknown";
const PROGRAM: &str = "wasm32-wasip1";

/// What both kinds are compiled with. More debug information than line tables would be larger and is never read.
const CODE_OPTIONS: [&str; 2] = ["debuginfo=line-tables-only", "panic=abort"];

fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler()?;
    let options = wanted.options()?;
    let here = here()?;
    let items = Crate::read(wanted.path, &source)?;
    let listed = wanted.listed && items.functions.iter().any(|function| function.visible);
    let program = wanted.is_program() && items.has_main() && !listed;
    let kind: &[u8] = match (program, purpose(wanted)) {
        (true, _) => b"program",
        (false, Purpose::Call) => b"library",
        (false, Purpose::Sequences) => b"sequences",
    };
    let key = wanted.key(&tool, &options)?;
    let parts: [&[u8]; 4] = [b"rust", source.as_bytes(), &key, kind];
    let entry = cache.entry(&parts, wanted.inputs(&options));
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    let target = if program { PROGRAM } else { LIBRARY };
    has_target(&tool, target)?;
    tool.announce(wanted.path);
    let (work, started) = (cache.workplace()?, SystemTime::now());
    let rule = work.file("rule.d");
    let module = work.file("module.wasm");
    let given = wanted.source();
    let name = crate_name(&wanted.stem());
    let edition = options.iter().all(|option| !option.starts_with("--edition"));
    let command = |kind: &str, name: &str| {
        let mut command = tool.command();
        if edition {
            command.args(["--edition", "2024"]);
        }
        for option in CODE_OPTIONS {
            command.args(["-C", option]);
        }
        command.args(["-C", &format!("opt-level={}", wanted.optimisation())]);
        // Arithmetic wraps, as it does in a package.
        command.args(["-C", "debug-assertions=off"]);
        command.args(["--target", target, "--crate-type", kind, "--crate-name", name]);
        command.arg(format!("--remap-path-prefix={}=", here.display()));
        command.arg(format!("--remap-path-prefix={}=pessimum", work.path().display()));
        command
    };
    let mut about = About::default();
    // Without --out-dir, object files go to the current directory for a moment, where another compilation of a file of
    // this name would find them.
    if program {
        let mut command = command("bin", &name);
        command.arg("--out-dir").arg(work.path());
        command.arg(format!("--emit=dep-info={},link={}", rule.display(), module.display()));
        run(command.args(&options).arg(&given))?;
    } else {
        let library = work.file(&format!("lib{name}.rlib"));
        let mut first = command("rlib", &name);
        first.arg("--out-dir").arg(work.path());
        first.arg(format!("--emit=dep-info={},link={}", rule.display(), library.display()));
        run(first.args(&options).arg(&given))?;
        let mut shim = Shim::new(&name, &items, &wanted.chosen()?, purpose(wanted));
        let file = work.file(FILE);
        compile_shim(&mut shim, |text| {
            std::fs::write(&file, text).with_context(|| file.display().to_string())?;
            let mut second = command("cdylib", "module");
            second.args(searched(&options)).arg("--error-format=json");
            second.arg("--extern").arg(format!("{name}={}", library.display())).arg(&file).arg("-o").arg(&module);
            let output = attempt(&mut second)?;
            let messages = errors(&output.stderr, |message| Some(message.clone()));
            Ok((second, output, messages))
        })?;
        let linked = std::fs::read(&module).context("rustc wrote no module")?;
        let (renamed, known) = shim.finish(&linked)?;
        std::fs::write(&module, renamed).with_context(|| module.display().to_string())?;
        about = known;
    }
    let bytes = std::fs::read(&module).context("rustc wrote no module")?;
    Ok(entry.keep(bytes, about, read(&Rule::read(&rule)?, &given), started))
}

/// How often functions are left out before the compiler is given up on. Each of its phases may find others.
const ATTEMPTS: usize = 12;

/// Compiles the crate around a library. What the compiler does not accept is left out, and the rest compiled again.
fn compile_shim(shim: &mut Shim, compile: impl Fn(&str) -> Result<(Command, Output, Vec<Value>)>) -> Result<Output> {
    for attempt in 1.. {
        let (command, output, messages) = compile(&shim.text())?;
        if output.status.success() {
            return Ok(output);
        }
        if attempt == ATTEMPTS || !shim.leave_out(&messages) {
            let rendered: Vec<&str> = messages.iter().filter_map(|message| message["rendered"].as_str()).collect();
            let said = match rendered.is_empty() {
                true => String::from_utf8_lossy(&output.stderr).into_owned(),
                false => rendered.concat(),
            };
            return Err(failed(&command, &output, &said));
        }
    }
    bail!("the calls of the functions were not compiled")
}

/// The errors of a compiler that prints one JSON object on a line, where `message` finds the message in it.
fn errors(printed: &[u8], message: impl Fn(&Value) -> Option<Value>) -> Vec<Value> {
    let lines = printed.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    lines.filter_map(|line| message(&line)).filter(|message| message["level"] == "error").collect()
}

/// The options that say where libraries are: whoever links a library needs those that it uses.
fn searched(options: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (i, option) in options.iter().enumerate() {
        let library = |text: &str| Some(Path::new(text.split_once('=')?.1).parent()?.display().to_string());
        match option.as_str() {
            "-L" => found.extend(options.get(i + 1).map(|directory| format!("-L{directory}"))),
            "--extern" => {
                let directory = options.get(i + 1).and_then(|text| library(text));
                found.extend(directory.map(|directory| format!("-Ldependency={directory}")));
            }
            _ if option.starts_with("-L") => found.push(option.clone()),
            _ => {
                let directory = option.strip_prefix("--extern=").and_then(library);
                found.extend(directory.map(|directory| format!("-Ldependency={directory}")));
            }
        }
    }
    // A library in the current directory has no parent in its path.
    found.into_iter().map(|option| if option.ends_with('=') { option + "." } else { option }).collect()
}

/// What the compiler read according to its rule, and where else it would look for a module: two files for one module
/// are an error.
fn read(rule: &Rule, source: &Path) -> BTreeSet<Input> {
    let mut inputs: BTreeSet<Input> = rule.variables.iter().cloned().map(Input::Variable).collect();
    for file in &rule.files {
        inputs.insert(Input::File(file.clone()));
        if file.extension().is_some_and(|ending| ending == "rs") && file != source {
            inputs.insert(Input::File(match file.file_name().is_some_and(|name| name == "mod.rs") {
                true => file.parent().unwrap_or(Path::new("")).with_extension("rs"),
                false => file.with_extension("").join("mod.rs"),
            }));
        }
    }
    inputs
}

/// The compiler. It is known by where its parts are, since a name in PATH is mostly that of rustup, and since compilers
/// that people built themselves all have the same version.
fn compiler() -> Result<Tool> {
    const SYSROOT: [&str; 2] = ["--print", "sysroot"];
    let mut tool = match Tool::from_environment("PESSIMUM_RUSTC", &SYSROOT)? {
        Some(tool) => tool,
        None => Tool::named("rustc", &[], &SYSROOT).context(
            "no Rust compiler was found: install it from https://rustup.rs, then `rustup target add \
             wasm32-unknown-unknown wasm32-wasip1`, or name a compiler in PESSIMUM_RUSTC, or build the module yourself \
             and give the .wasm file",
        )?,
    };
    let sysroot = Path::new(&tool.version);
    let libraries = [LIBRARY, PROGRAM].map(|target| sysroot.join("lib/rustlib").join(target).join("lib"));
    let libraries: Vec<Input> = [sysroot.join("lib")].into_iter().chain(libraries).map(Input::Libraries).collect();
    tool.parts.extend(libraries);
    Ok(tool)
}

/// Whether the standard library for this target is installed.
fn has_target(tool: &Tool, target: &str) -> Result<()> {
    let directory = tool.says(&["--print", "target-libdir", "--target", target]).unwrap_or_default();
    let installed = std::fs::read_dir(&directory).is_ok_and(|mut files| files.next().is_some());
    if !installed {
        bail!("this Rust has no standard library for {target}; install it with `rustup target add {target}`");
    }
    Ok(())
}

/// A crate's name, from a file's. Characters that it cannot have become `_`, and a name that would hide a library gets
/// one more.
fn crate_name(stem: &str) -> String {
    let mut name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        name.insert(0, '_');
    }
    if matches!(name.as_str(), "std" | "core" | "alloc" | "test" | "proc_macro" | "crate" | "self" | "super" | "_") {
        name.push('_');
    }
    name
}
