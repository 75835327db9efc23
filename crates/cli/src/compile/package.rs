//! Rust packages, by cargo: a directory with a `Cargo.toml`, or that file.
//!
//! Cargo knows best what has changed, so it is asked every time, with a directory of ours for what it builds. A library
//! is built as the dependency of a small package with a C interface, made as for single files (`rust.rs`); a binary is
//! built as it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::cache::{About, Cache, hash};
use super::rust::{has_target, shim};
use super::rust_items::functions;
use super::tool::{Tool, run};
use super::{Wanted, here};
use crate::files::write_atomically;

const LIBRARY: &str = "wasm32-unknown-unknown";
const PROGRAM: &str = "wasm32-wasip1";

pub fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let manifest = if wanted.path.is_dir() { wanted.path.join("Cargo.toml") } else { wanted.path.to_path_buf() };
    let manifest = std::fs::canonicalize(&manifest).with_context(|| manifest.display().to_string())?;
    let cargo = Cargo { tool: cargo()?, built: cache.subdirectory(&format!("cargo-{}", hash(&manifest)))? };
    let options = wanted.options()?;
    let metadata = cargo.metadata(&manifest)?;
    let package = package(&metadata, &manifest)?;
    let empty = Vec::new();
    let targets = package["targets"].as_array().unwrap_or(&empty);
    let is =
        |target: &Value, kind: &str| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == kind));
    if wanted.function().is_none() {
        let programs: Vec<&str> =
            targets.iter().filter(|target| is(target, "bin")).filter_map(|target| target["name"].as_str()).collect();
        let chosen = options.iter().position(|option| option == "--bin").and_then(|at| options.get(at + 1));
        let name = match (chosen, &programs[..]) {
            (Some(name), _) => name.as_str(),
            (None, [only]) => only,
            (None, []) => bail!("the package has no program; say which function to call with --call"),
            (None, several) => {
                let default = package["default_run"].as_str();
                default.with_context(|| format!("several programs: say which with --cflags '--bin {}'", several[0]))?
            }
        };
        let mut command = cargo.build(PROGRAM)?;
        command.arg("--manifest-path").arg(&manifest);
        if chosen.is_none() {
            command.args(["--bin", name]);
        }
        return Ok((cargo.module(command.args(&options), name)?, About::default()));
    }
    let library = targets.iter().find(|target| ["lib", "rlib", "cdylib"].iter().any(|kind| is(target, kind)));
    let library = library.context("the package has no library; without --call its program is run")?;
    let source = PathBuf::from(library["src_path"].as_str().unwrap_or_default());
    let text = std::fs::read_to_string(&source).with_context(|| source.display().to_string())?;
    let mut about = About::default();
    let calls = shim("subject", &functions(&text), &mut about);
    let mut command = cargo.build(LIBRARY)?;
    if !is(library, "lib") && !is(library, "rlib") {
        // Nothing can depend on it; what it exports is all there is.
        let (exported, rest) = (functions(&text).into_iter()).partition(|function| function.exported);
        let names = |functions: Vec<super::rust_items::Function>| functions.into_iter().map(|f| f.name).collect();
        about = About { functions: names(exported), hidden: names(rest), ..About::default() };
        command.arg("--lib").arg("--manifest-path").arg(&manifest).args(&options);
        return Ok((cargo.module(&mut command, library["name"].as_str().unwrap_or_default())?, about));
    }
    let (features, options) = features(options);
    let directory = cache.subdirectory(&format!("calls-{}", hash(&manifest)))?;
    let name = package["name"].as_str().unwrap_or_default();
    let root = manifest.parent().unwrap_or(Path::new("/"));
    write_changed(
        &directory.join("Cargo.toml"),
        &format!(
            "[package]\nname = \"pessimum-calls\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\ncrate-type = \
             [\"cdylib\"]\npath = \"lib.rs\"\n\n[dependencies]\nsubject = {{ package = {}, path = {}{features} }}\n\n\
             [workspace]\n",
            Value::from(name),
            Value::from(root.display().to_string()),
        ),
    )?;
    write_changed(&directory.join("lib.rs"), &calls)?;
    // The same versions of dependencies as the package's own.
    let workspace = PathBuf::from(metadata["workspace_root"].as_str().unwrap_or_default());
    if let Ok(lock) = std::fs::read_to_string(workspace.join("Cargo.lock")) {
        write_atomically(&directory.join("Cargo.lock"), lock.as_bytes())?;
    }
    command.arg("--manifest-path").arg(directory.join("Cargo.toml")).args(&options);
    Ok((cargo.module(&mut command, "pessimum_calls")?, about))
}

struct Cargo {
    tool: Tool,
    /// Where it builds.
    built: PathBuf,
}

fn cargo() -> Result<Tool> {
    const VERSION: [&str; 1] = ["--version"];
    match Tool::from_environment("PESSIMUM_CARGO", &VERSION)? {
        Some(tool) => Ok(tool),
        None => Tool::named("cargo", &[], &VERSION).context(
            "a Rust package is built with cargo, which was not found: install it from https://rustup.rs, then `rustup \
             target add wasm32-unknown-unknown wasm32-wasip1`, or build the module yourself and give the .wasm file",
        ),
    }
}

impl Cargo {
    fn metadata(&self, manifest: &Path) -> Result<Value> {
        let mut command = self.tool.command();
        command.args(["metadata", "--quiet", "--no-deps", "--format-version", "1", "--manifest-path"]).arg(manifest);
        serde_json::from_slice(&run(&mut command)?.stdout).context("what `cargo metadata` printed")
    }

    fn build(&self, target: &str) -> Result<Command> {
        if let Some(rustc) = Tool::named("rustc", &[], &["--version"]) {
            has_target(&rustc, target)?;
        }
        let mut command = self.tool.command();
        command.args(["build", "--release", "--quiet", "--message-format=json-render-diagnostics", "--target", target]);
        command.env("CARGO_TARGET_DIR", &self.built);
        // The same as for single files.
        command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1").env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
        command.env("CARGO_PROFILE_RELEASE_PANIC", "abort").env("CARGO_PROFILE_RELEASE_STRIP", "none");
        let (here, built) = (here()?, self.built.parent().unwrap_or(&self.built));
        let remap =
            format!("--remap-path-prefix={}=\x1f--remap-path-prefix={}=pessimum", here.display(), built.display());
        command.env("CARGO_ENCODED_RUSTFLAGS", remap);
        Ok(command)
    }

    /// Runs the build and reads the module of the target with this name.
    fn module(&self, command: &mut Command, name: &str) -> Result<Vec<u8>> {
        let output = run(command)?;
        let messages = output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        let artifacts = messages.filter(|message: &Value| {
            message["reason"] == "compiler-artifact" && message["target"]["name"].as_str() == Some(name)
        });
        let files: Vec<PathBuf> = artifacts
            .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
            .filter_map(|file| file.as_str().map(PathBuf::from))
            .collect();
        let module = files.iter().find(|file| file.extension().is_some_and(|ending| ending == "wasm"));
        let module = module.context("cargo built no module")?;
        std::fs::read(module).with_context(|| module.display().to_string())
    }
}

/// The package of this manifest; a workspace without one of its own has to be told apart by its user.
fn package<'m>(metadata: &'m Value, manifest: &Path) -> Result<&'m Value> {
    let packages = metadata["packages"].as_array().context("what `cargo metadata` printed")?;
    let own = packages.iter().find(|package| {
        let path = package["manifest_path"].as_str().map(std::fs::canonicalize);
        path.is_some_and(|path| path.is_ok_and(|path| path == manifest))
    });
    own.with_context(|| {
        let paths = packages.iter().filter_map(|package| Path::new(package["manifest_path"].as_str()?).parent());
        let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
        format!("this is a workspace: give the directory of one of its packages ({})", paths.join(", "))
    })
}

/// Takes the choice of features out of the options, as the end of a dependency's table.
fn features(options: Vec<String>) -> (String, Vec<String>) {
    let (mut chosen, mut rest, mut text) = (Vec::new(), Vec::new(), String::new());
    let mut options = options.into_iter();
    while let Some(option) = options.next() {
        if option == "--no-default-features" {
            text += ", default-features = false";
        } else if option == "--features" || option == "-F" {
            chosen.extend(options.next());
        } else if let Some(names) = option.strip_prefix("--features=") {
            chosen.push(names.to_string());
        } else {
            rest.push(option);
        }
    }
    if !chosen.is_empty() {
        let names: Vec<&str> =
            chosen.iter().flat_map(|names| names.split([',', ' '])).filter(|name| !name.is_empty()).collect();
        text += &format!(", features = {}", Value::from(names));
    }
    (text, rest)
}

/// Leaves a file alone that is as it should be: cargo goes by times.
fn write_changed(path: &Path, text: &str) -> Result<()> {
    if std::fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(());
    }
    write_atomically(path, text.as_bytes())
}
