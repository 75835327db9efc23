//! Zig: a file with `pub fn main` becomes a WASI command, any other a library of its `export fn`s.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::Wanted;
use super::cache::{About, Cache, Hidden, hash};
use super::tool::{Tool, run};

const INSTALL: &str = "no Zig compiler was found: install it from https://ziglang.org/download, or with `pip install \
     ziglang`, or name it in PESSIMUM_ZIG, or build the module yourself and give the .wasm file";

pub fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler()?;
    let options = wanted.options()?;
    let items = items(&source);
    let program = wanted.function().is_none() && items.main;
    let entry = cache.entry(&[
        b"zig",
        source.as_bytes(),
        &wanted.key(&tool, &options)?,
        if program { b"program" } else { b"library" },
        // The compiler does not say which other files it read, so all those beside the source count.
        hash(&neighbours(wanted)).as_bytes(),
    ]);
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    tool.announce(wanted.path);
    let work = cache.workplace()?;
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
    entry.keep(std::fs::read(&module).context("zig wrote no module")?, about)
}

fn compiler() -> Result<Tool> {
    const VERSION: [&str; 1] = ["version"];
    if let Some(tool) = Tool::from_environment("PESSIMUM_ZIG", &VERSION)? {
        return Ok(tool);
    }
    // The Python package has no command of its own.
    let names: [(&str, &[&str]); 3] = [("zig", &[]), ("python3", &["-m", "ziglang"]), ("python", &["-m", "ziglang"])];
    names.iter().find_map(|(name, arguments)| Tool::named(name, arguments, &VERSION)).context(INSTALL)
}

/// Paths and contents of the Zig files in the source's directory.
fn neighbours(wanted: &Wanted<'_>) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = match wanted.path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => ".".as_ref(),
    };
    let listing = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<(PathBuf, Vec<u8>)> = listing
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "zig"))
        .filter_map(|path| std::fs::read(&path).ok().map(|bytes| (path, bytes)))
        .collect();
    files.sort();
    files
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
