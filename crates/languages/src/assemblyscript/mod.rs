//! AssemblyScript, compiled with asc.
//!
//! Its allocator assumes that all memory from its start onwards belongs to it, so buffers have to come from it: a
//! second file exports a function that makes them. Functions that take a `usize` get the address of the first element.
//! For those that take an array or a string the second file has functions that make it
//! (`calls.rs`).

mod calls;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::cache::{About, Cache, Entry};
use crate::language::Language;
use crate::toolchain::exports::renamed;
use crate::toolchain::inputs::{Input, expanded};
use crate::toolchain::tool::{Tool, run};
use crate::wanted::{Wanted, here};
use calls::{Calls, FILE, import_path};

const ALLOCATOR: &str = "export function __pessimum_alloc(size: usize): usize {\n  \
     return __pin(__new(size, idof<StaticArray<u8>>()));\n}\n";

/// Files of AssemblyScript.
pub struct AssemblyScript;

impl Language for AssemblyScript {
    fn is_source(&self, _path: &Path, ending: &str) -> bool {
        ending == "ts"
    }

    fn build(&self, wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
        build(wanted, cache)
    }

    fn why_none(&self) -> &'static str {
        "it has no `export function`"
    }
}

fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler()?;
    let options = wanted.options()?;
    let key = wanted.key(&tool, &options)?;
    let calls = Calls::new(&source);
    let subject = here()?.join(wanted.path);
    // Its text does not depend on where it is, apart from how it imports the source.
    let around = calls.text(ALLOCATOR, "");
    let parts: [&[u8]; 4] = [b"assemblyscript", source.as_bytes(), &key, around.as_bytes()];
    let inputs = inputs(wanted, &source, &options)?;
    let entry = inputs.map(|inputs| cache.entry(&parts, inputs));
    if let Some(found) = entry.as_ref().and_then(Entry::find) {
        return Ok(found);
    }
    tool.announce(wanted.path);
    let (work, started) = (cache.workplace()?, SystemTime::now());
    let module = work.file("module.wasm");
    // Names in the module have the place of this file in them, so that it must not be a temporary one.
    let beside = cache.directory_with("allocator.ts", ALLOCATOR)?;
    let text = calls.text(ALLOCATOR, &import_path(&beside, &subject));
    let file = cache.directory_with(FILE, &text)?.join(FILE);
    let mut command = tool.command();
    command.arg(wanted.source()).arg(&file);
    // A failed check traps on the spot instead of calling the host.
    command.args(["-O1", "--debug", "--use", "abort="]).args(&options).arg("-o").arg(&module);
    run(&mut command)?;
    let bytes = std::fs::read(&module).context("asc wrote no module")?;
    let (bytes, about) = (renamed(&bytes, &calls.exports)?, calls.about);
    Ok(match entry {
        Some(entry) => entry.keep(bytes, about, BTreeSet::new(), started),
        None => (bytes, about),
    })
}

/// Where npm puts the compiler of a project.
const LOCAL: &str = "node_modules/.bin/asc";

fn compiler() -> Result<Tool> {
    const VERSION: [&str; 1] = ["--version"];
    let mut tool = match Tool::from_environment("PESSIMUM_ASC", &VERSION)? {
        Some(tool) => tool,
        None => Tool::named("asc", &[], &VERSION).with_context(|| {
            // What lies in the current directory is run only if it is named.
            let local = Path::new(LOCAL);
            let own = if local.exists() { format!("this project has one: PESSIMUM_ASC={LOCAL}; or ") } else { String::new() };
            format!(
                "no AssemblyScript compiler was found: {own}install it with `npm install --global assemblyscript`, or name \
                 it in PESSIMUM_ASC, or build the module yourself and give the .wasm file"
            )
        })?,
    };
    if let Some(package) = tool.home().and_then(|home| Some(home.parent()?.to_path_buf())) {
        let files = ["package.json", "dist/asc.js", "dist/assemblyscript.js", "node_modules/binaryen/package.json"];
        tool.parts.extend(files.map(|file| Input::Program(package.join(file))));
    }
    Ok(tool)
}

/// What the compiler may read, which it does not say itself; `None` where that cannot be told, because a project
/// extends the compiler or its library.
fn inputs(wanted: &Wanted<'_>, source: &str, options: &[String]) -> Result<Option<Vec<Input>>> {
    let settings = PathBuf::from("asconfig.json");
    let words = expanded(options).0;
    let extends = |word: &str| ["--transform", "--lib", "--path", "--config"].iter().any(|name| word.starts_with(name));
    let text = std::fs::read_to_string(&settings).unwrap_or_default();
    let configured = ["transform", "lib", "path", "extends"].iter().any(|name| text.contains(&format!("\"{name}\"")));
    if configured || words.iter().any(|word| extends(word)) {
        return Ok(None);
    }
    let mut inputs = wanted.inputs(options);
    inputs.push(Input::File(settings));
    inputs.extend(imported(&here()?.join(wanted.path), source));
    Ok(Some(inputs))
}

/// The files that a source imports, directly or indirectly, and those that would be taken instead if they existed.
fn imported(path: &Path, source: &str) -> BTreeSet<Input> {
    let mut found = BTreeSet::new();
    let mut open = vec![(path.to_path_buf(), source.to_string())];
    while let Some((path, source)) = open.pop() {
        let directory = path.parent().unwrap_or(Path::new(""));
        for name in imports(&source) {
            if name.starts_with('.') {
                for candidate in ["", "/index", ".d"].map(|ending| directory.join(format!("{name}{ending}.ts"))) {
                    let text = std::fs::read_to_string(&candidate);
                    if found.insert(Input::File(candidate.clone()))
                        && let Ok(text) = text
                    {
                        open.push((candidate, text));
                    }
                }
            } else {
                // A package, in the nearest directory of packages that has it. What it imports itself is part of it or
                // a package in turn.
                let package: PathBuf = name.split('/').take(if name.starts_with('@') { 2 } else { 1 }).collect();
                for above in directory.ancestors() {
                    let root = above.join("node_modules").join(&package);
                    if found.insert(Input::Tree(root.clone())) {
                        open.extend(scripts(&root));
                    }
                }
            }
        }
    }
    found
}

/// The names after `from` and `import`.
fn imports(source: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for word in ["from", "import"] {
        for (at, _) in source.match_indices(word) {
            let rest = source[at + word.len()..].trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
            names.extend(rest[1..].split(quote).next());
        }
    }
    names
}

/// Paths and texts of the scripts below a directory.
fn scripts(directory: &Path) -> Vec<(PathBuf, String)> {
    let (mut found, mut open) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "ts")
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                found.push((path, text));
            }
        }
    }
    found
}
