//! Zig: a file with `pub fn main` becomes a WASI command, any other a library of its `export fn`s and, with code around them, of its
//! `pub fn`s.

mod calls;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::cache::{About, Cache};
use crate::language::Language;
use crate::toolchain::exports::renamed;
use crate::toolchain::inputs::{Input, expanded};
use crate::toolchain::tool::{Tool, run};
use crate::wanted::Wanted;
use calls::{Calls, FILE, functions};

const INSTALL: &str = "no Zig compiler was found: install it from https://ziglang.org/download, or with `pip install \
     ziglang`, or name it in PESSIMUM_ZIG, or build the module yourself and give the .wasm file";

/// Files of Zig.
pub struct Zig;

impl Language for Zig {
    fn is_source(&self, _path: &Path, ending: &str) -> bool {
        ending == "zig"
    }

    fn build(&self, wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
        build(wanted, cache)
    }

    fn why_none(&self) -> &'static str {
        "it has no `export fn` or `pub fn`"
    }
}

fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler(cache)?;
    let options = wanted.options()?;
    let has_main = functions(&source).iter().any(|function| function.name == "main" && function.is_public);
    let program = wanted.function().is_none() && has_main;
    let calls = if program { Calls::exported(&source) } else { Calls::new(&source) };
    let kind: &[u8] = if program { b"program" } else { b"library" };
    let key = wanted.key(&tool, &options)?;
    let parts: [&[u8]; 5] = [b"zig", source.as_bytes(), &key, kind, calls.text.as_bytes()];
    let entry = cache.entry(&parts, inputs(wanted, &options));
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    tool.announce(wanted.path);
    let (work, started) = (cache.workplace()?, SystemTime::now());
    let module = work.file("module.wasm");
    let compile = |around: Option<&Path>| -> Result<()> {
        let mut command = tool.command();
        // Otherwise it leaves a directory beside the source.
        command.env("ZIG_LOCAL_CACHE_DIR", cache.subdirectory("zig")?).arg("build-exe");
        let target = if program { "wasm32-wasi" } else { "wasm32-freestanding" };
        if !program {
            command.args(["-fno-entry", "-rdynamic"]);
        }
        let settings = ["-target", target, "-O", "ReleaseSafe", "-fno-strip"];
        match around {
            None => command.arg(wanted.source()).args(settings).args(&options),
            // Settings belong to the module that is named after them.
            Some(file) => {
                command.args(settings).args(["--dep", "subject"]).arg(named_module("root", file));
                command.args(settings).args(&options).arg(named_module("subject", &wanted.source()))
            }
        };
        command.arg(format!("-femit-bin={}", module.display()));
        run(&mut command).map(drop)
    };
    // Names in the module have the place of this file in them, so that it must not be a temporary one.
    let around = cache.directory_with(FILE, &calls.text)?.join(FILE);
    // Types are read from the text, so that a guess may be wrong; and a library of many files may have its own names for modules.
    let calls = match calls.text.is_empty() || compile(Some(&around)).is_err() {
        true => {
            compile(None)?;
            Calls::exported(&source)
        }
        false => calls,
    };
    let bytes = std::fs::read(&module).context("zig wrote no module")?;
    Ok(entry.keep(renamed(&bytes, &calls.exports)?, calls.about, BTreeSet::new(), started))
}

/// The option that names the root file of a module.
fn named_module(name: &str, file: &Path) -> OsString {
    let mut option = OsString::from(format!("-M{name}="));
    option.push(file);
    option
}

fn compiler(cache: &Cache) -> Result<Tool> {
    const VERSION: [&str; 1] = ["version"];
    // The Python package has no command of its own.
    let names: [(&str, &[&str]); 3] = [("zig", &[]), ("python3", &["-m", "ziglang"]), ("python", &["-m", "ziglang"])];
    let mut tool = match Tool::from_environment("PESSIMUM_ZIG", &VERSION)? {
        Some(tool) => tool,
        None => names.iter().find_map(|(name, arguments)| Tool::named(name, arguments, &VERSION)).context(INSTALL)?,
    };
    // The program itself, where Python or a script starts it.
    let note = ("zig", tool.identity());
    let program = cache.noted(&note).filter(|program: &PathBuf| program.is_file()).or_else(|| {
        let program = program(&tool.says(&["env"])?)?;
        cache.note(&note, &program);
        Some(program)
    });
    tool.parts.extend(program.map(Input::Program));
    Ok(tool)
}

/// The path of the compiler in what `zig env` prints, which is JSON or, since 0.15, a Zig value.
fn program(environment: &str) -> Option<PathBuf> {
    let (_, rest) = environment.split_once("zig_exe")?;
    let quoted = rest.split_once(['=', ':'])?.1.split('"').nth(1)?;
    Some(PathBuf::from(quoted)).filter(|path| path.is_file())
}

/// What the compiler may read. It does not say what it did read, so everything counts that a source can name (nothing
/// outside its directory) and everything below the directories among the options.
fn inputs(wanted: &Wanted<'_>, options: &[String]) -> Vec<Input> {
    let mut inputs = wanted.inputs(options);
    let source = wanted.source();
    let mut directories = BTreeSet::from([source.parent().unwrap_or(Path::new("")).to_path_buf()]);
    for word in expanded(options).0 {
        let parts = [Some(word.as_str()), word.get(2..), word.split_once('=').map(|(_, value)| value)];
        for path in parts.into_iter().flatten().map(PathBuf::from) {
            if path.is_dir() {
                directories.insert(path);
            } else if path.is_file() {
                // The root of another module, which may import what is beside it.
                directories.insert(path.parent().unwrap_or(Path::new("")).to_path_buf());
            }
        }
    }
    inputs.extend(directories.into_iter().map(Input::Tree));
    inputs
}
