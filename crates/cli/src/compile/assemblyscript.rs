//! AssemblyScript, compiled with asc.
//!
//! Its allocator assumes that all memory from its start onwards belongs to it, so buffers have to come from it: a
//! second file exports a function that makes them. Each is a `StaticArray`, whose length is stored before its first
//! element, so that `export function sort(values: StaticArray<i32>)` can be called as `sort(i32[n])`; functions that
//! take a `usize` get the address of the first element.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::cache::{About, Cache, Hidden, hash};
use super::tool::{Tool, run};
use super::{Wanted, here};

const ALLOCATOR: &str = "export function __pessimum_alloc(size: usize): usize {\n  \
     return __pin(__new(size, idof<StaticArray<u8>>()));\n}\n";

pub fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler()?;
    let options = wanted.options()?;
    let entry = cache.entry(&[
        b"assemblyscript",
        source.as_bytes(),
        &wanted.key(&tool, &options)?,
        hash(&ALLOCATOR).as_bytes(),
    ]);
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    tool.announce(wanted.path);
    let work = cache.workplace()?;
    let module = work.file("module.wasm");
    let allocator = cache.directory_with("allocator.ts", ALLOCATOR)?.join("allocator.ts");
    let mut command = tool.command();
    command.arg(wanted.source()).arg(&allocator);
    // A failed check traps on the spot instead of calling the host.
    command.args(["-O1", "--debug", "--use", "abort="]).args(&options).arg("-o").arg(&module);
    run(&mut command)?;
    let (functions, hidden) = items(&source);
    let hidden = Hidden::all(hidden, "it is not exported: write `export function`");
    let inputs = imported(wanted.path, &source);
    entry.keep(
        std::fs::read(&module).context("asc wrote no module")?,
        About { functions, hidden, inputs, ..About::default() },
    )
}

fn compiler() -> Result<Tool> {
    const VERSION: [&str; 1] = ["--version"];
    if let Some(tool) = Tool::from_environment("PESSIMUM_ASC", &VERSION)? {
        return Ok(tool);
    }
    // A project's own compiler takes precedence over the machine's.
    let local = here()?.join("node_modules/.bin/asc").display().to_string();
    [local.as_str(), "asc"].iter().find_map(|name| Tool::named(name, &[], &VERSION)).context(
        "no AssemblyScript compiler was found: install it with `npm install --global assemblyscript`, or name it in \
         PESSIMUM_ASC, or build the module yourself and give the .wasm file",
    )
}

/// The files that a source imports by relative paths, directly or indirectly. The compiler does not list them.
fn imported(path: &Path, source: &str) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![(path.to_path_buf(), source.to_string())];
    while let Some((path, source)) = open.pop() {
        let quoted = source.split(['"', '\'']).skip(1).step_by(2);
        for name in quoted.filter(|name| name.starts_with("./") || name.starts_with("../")) {
            let directory = path.parent().unwrap_or(Path::new(""));
            for candidate in [directory.join(format!("{name}.ts")), directory.join(name).join("index.ts")] {
                if let Ok(text) = std::fs::read_to_string(&candidate)
                    && found.insert(candidate.clone())
                {
                    open.push((candidate, text));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// The exported functions of a file and the others, recognised by the lines that start them.
fn items(source: &str) -> (Vec<String>, Vec<String>) {
    let (mut exported, mut other) = (Vec::new(), Vec::new());
    for line in source.lines() {
        let (public, rest) = match line.trim_start().strip_prefix("export ") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, line.trim_start()),
        };
        let Some(rest) = rest.strip_prefix("function ") else { continue };
        let name = rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
        if public { exported.push(name) } else { other.push(name) }
    }
    (exported, other)
}
