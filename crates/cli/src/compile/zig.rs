//! Zig: a file with `pub fn main` becomes a WASI command, any other a library of its `export fn`s.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::Wanted;
use super::cache::{About, Cache, Hidden};
use super::inputs::{Input, expanded};
use super::tool::{Tool, run};

const INSTALL: &str = "no Zig compiler was found: install it from https://ziglang.org/download, or with `pip install \
     ziglang`, or name it in PESSIMUM_ZIG, or build the module yourself and give the .wasm file";

pub fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler(cache)?;
    let options = wanted.options()?;
    let items = items(&source);
    let program = wanted.function().is_none() && items.main;
    let kind: &[u8] = if program { b"program" } else { b"library" };
    let key = wanted.key(&tool, &options)?;
    let parts: [&[u8]; 4] = [b"zig", source.as_bytes(), &key, kind];
    let entry = cache.entry(&parts, inputs(wanted, &options));
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    tool.announce(wanted.path);
    let (work, started) = (cache.workplace()?, SystemTime::now());
    let module = work.file("module.wasm");
    let mut command = tool.command();
    // Otherwise it leaves a directory beside the source.
    command.env("ZIG_LOCAL_CACHE_DIR", cache.subdirectory("zig")?);
    command.arg("build-exe").arg(wanted.source());
    match program {
        true => command.args(["-target", "wasm32-wasi"]),
        false => command.args(["-target", "wasm32-freestanding", "-fno-entry", "-rdynamic"]),
    };
    command.args(["-O", "ReleaseSafe", "-fno-strip"]).args(&options);
    command.arg(format!("-femit-bin={}", module.display()));
    run(&mut command)?;
    let hidden = Hidden::all(items.other, "it is not exported: write `export fn` and pointers instead of slices");
    let about = About { functions: items.exported, hidden, ..About::default() };
    let bytes = std::fs::read(&module).context("zig wrote no module")?;
    Ok(entry.keep(bytes, about, BTreeSet::new(), started))
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

#[derive(Default)]
struct Items {
    main: bool,
    exported: Vec<String>,
    other: Vec<String>,
}

/// The functions of a file, recognised by the lines that start them.
fn items(source: &str) -> Items {
    let mut items = Items::default();
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let Some((before, after)) = line.split_once("fn ") else { continue };
        let words: Vec<&str> = before.split_whitespace().collect();
        if words.iter().any(|word| !matches!(*word, "pub" | "export" | "inline" | "noinline")) {
            continue;
        }
        let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // Indented ones belong to a struct.
        let top = !line.starts_with([' ', '\t']);
        items.main |= top && name == "main" && words.contains(&"pub");
        match words.contains(&"export") {
            true => items.exported.push(name),
            false if top => items.other.push(name),
            false => {}
        }
    }
    items
}
