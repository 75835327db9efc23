//! Rust packages, built with cargo: a directory with a `Cargo.toml`, or that file.
//!
//! Cargo knows best what has changed, so it is run every time, with a target directory of ours. A library is built as
//! the dependency of a small package with a C interface, which is made as for single files (`rust.rs`); a binary is
//! built as it is.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result};
use pessimum_report::text::printable_lines;
use serde_json::Value;

use super::native;
use super::{Crate, FILE, Purpose, Shim, compile_shim, errors, has_target, purpose, read_crate};
use crate::cache::{About, Cache, Hidden, hash};
use crate::toolchain::tool::{Tool, attempt, failed, run_for_data};
use crate::wanted::{Wanted, here};
use pessimum_files::write_atomically;

const LIBRARY: &str = "wasm32-unknown-unknown";
const PROGRAM: &str = "wasm32-wasip1";

/// The name of the package that calls the functions, and of its library. Both kinds build into one directory, where a module
/// of one must not be taken for one of the other.
fn calls_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Call => "pessimum_calls",
        Purpose::Sequences => "pessimum_sequences",
    }
}

/// The directory of our own sources, by which debug information knows them.
const OURS: &str = "pessimum";

pub fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let manifest = if wanted.path.is_dir() { wanted.path.join("Cargo.toml") } else { wanted.path.to_path_buf() };
    let manifest = std::fs::canonicalize(&manifest).with_context(|| manifest.display().to_string())?;
    let name = format!("cargo-{}", hash(&manifest));
    // Every build of a package leaves its module in the same place, where another process must not put its own before
    // this one has read it; the same goes for the package that calls it. Cargo's own lock ends too early for that.
    let _alone = cache.exclusive(&name)?;
    let cargo = Cargo { tool: cargo()?, built: cache.subdirectory(&name)?, optimisation: wanted.optimisation() };
    let metadata = cargo.metadata(&manifest)?;
    let package = Package { own: package(&metadata, &manifest)?, metadata: &metadata, manifest: &manifest };
    let options = wanted.options()?;
    // Without a function to call, a program is started; a package that has none, or also a library, can be inspected.
    let listed = wanted.listed && package.library_target().is_some();
    match wanted.is_program() && !listed && package.targets().any(|target| is(target, "bin")) {
        true => Ok((package.program(&cargo, &options)?, About::default())),
        false => package.library(&cargo, options, wanted, cache),
    }
}

/// A package as `cargo metadata` describes it.
struct Package<'m> {
    own: &'m Value,
    metadata: &'m Value,
    manifest: &'m Path,
}

impl Package<'_> {
    fn targets(&self) -> impl Iterator<Item = &Value> {
        self.own["targets"].as_array().into_iter().flatten()
    }

    /// Its library, if it has one.
    fn library_target(&self) -> Option<&Value> {
        self.targets().find(|target| ["lib", "rlib", "cdylib"].iter().any(|kind| is(target, kind)))
    }

    /// Builds a program of the package: the only one, the one that `--bin` names, or the default.
    fn program(&self, cargo: &Cargo, options: &[String]) -> Result<Vec<u8>> {
        let programs = self.targets().filter(|target| is(target, "bin"));
        let programs: Vec<&str> = programs.filter_map(|target| target["name"].as_str()).collect();
        let chosen = options.iter().position(|option| option == "--bin").and_then(|at| options.get(at + 1));
        let name = match (chosen, &programs[..]) {
            (Some(name), _) => name.as_str(),
            (None, [only]) => only,
            (None, several) => {
                let example = several.first().unwrap_or(&"NAME");
                let default = self.own["default_run"].as_str();
                default.with_context(|| format!("several programs; choose one with --cflags '--bin {example}'"))?
            }
        };
        let mut command = cargo.build(PROGRAM, None)?;
        command.arg("--manifest-path").arg(self.manifest);
        if chosen.is_none() {
            command.args(["--bin", name]);
        }
        cargo.run(command.args(options))?.module(name)
    }

    /// Builds the library of the package with a C interface.
    fn library(
        &self,
        cargo: &Cargo,
        options: Vec<String>,
        wanted: &Wanted<'_>,
        cache: &Cache,
    ) -> Result<(Vec<u8>, About)> {
        let library =
            self.library_target().context("the package has no library; leave out --call to run its program")?;
        let source = PathBuf::from(library["src_path"].as_str().unwrap_or_default());
        let items = read_crate(&source)?;
        if !is(library, "lib") && !is(library, "rlib") {
            // Nothing can depend on it, so what it exports is all there is.
            let mut command = cargo.build(LIBRARY, None)?;
            command.arg("--lib").arg("--manifest-path").arg(self.manifest).args(&options);
            let module = cargo.run(&mut command)?.module(library["name"].as_str().unwrap_or_default())?;
            return Ok((module, exported_only(&items)));
        }
        let (features, options) = features(options, &self.own["features"]);
        let mut shim = Shim::new("subject", &items, &wanted.chosen()?, purpose(wanted));
        let output = compile_shim(&mut shim, |text| {
            let directory = self.write_calls(cache, text, &features, purpose(wanted))?;
            let mut command = cargo.build(LIBRARY, Some(&directory))?;
            command.arg("--manifest-path").arg(directory.join("Cargo.toml")).args(&options);
            let output = attempt(&mut command)?;
            let messages = compiler_errors(&output.stdout);
            Ok((command, output, messages))
        })?;
        let module = Built::new(&output).module(calls_name(purpose(wanted)))?;
        shim.finish(&module)
    }

    /// Writes the package that depends on this one and calls its functions. Returns its directory.
    fn write_calls(&self, cache: &Cache, calls: &str, features: &str, purpose: Purpose) -> Result<PathBuf> {
        let kind = if purpose == Purpose::Call { "calls" } else { "sequences" };
        let directory = cache.subdirectory(&format!("{kind}-{}", hash(&self.manifest)))?;
        let name = self.own["name"].as_str().unwrap_or_default();
        let root = self.manifest.parent().unwrap_or(Path::new("/"));
        let manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\ncrate-type = \
             [\"cdylib\"]\npath = \"{OURS}/{FILE}\"\n\n[dependencies]\nsubject = {{ package = {}, path = {}{features} }}\n\n\
             [workspace]\n",
            calls_name(purpose),
            Value::from(name),
            Value::from(root.display().to_string()),
        );
        write_changed(&directory.join("Cargo.toml"), &manifest)?;
        let ours = directory.join(OURS);
        std::fs::create_dir_all(&ours).with_context(|| ours.display().to_string())?;
        write_changed(&ours.join(FILE), calls)?;
        self.copy_lock(&directory)?;
        Ok(directory)
    }

    /// Dependencies have the same versions as in the package itself.
    fn copy_lock(&self, directory: &Path) -> Result<()> {
        let workspace = PathBuf::from(self.metadata["workspace_root"].as_str().unwrap_or_default());
        match std::fs::read_to_string(workspace.join("Cargo.lock")) {
            Ok(lock) => Ok(write_atomically(&directory.join("Cargo.lock"), lock.as_bytes())?),
            Err(_) => Ok(()),
        }
    }
}

/// A package with tests of another one, on which it depends.
pub struct Crates {
    cargo: Cargo,
    directory: PathBuf,
    options: Vec<String>,
    /// The name of the library.
    pub name: String,
    /// Where its package is.
    pub root: PathBuf,
    /// The version of the language that its package is written in.
    pub edition: String,
}

impl Crates {
    /// Makes the package; nobody else does while the file is held.
    pub fn new(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Crates, File)> {
        let manifest = if wanted.path.is_dir() { wanted.path.join("Cargo.toml") } else { wanted.path.to_path_buf() };
        let manifest = std::fs::canonicalize(&manifest).with_context(|| manifest.display().to_string())?;
        let place = native::place(&manifest);
        let alone = cache.exclusive(&place)?;
        let built = cache.subdirectory(&format!("{place}-target"))?;
        let cargo = Cargo { tool: cargo()?, built, optimisation: wanted.optimisation() };
        let metadata = cargo.metadata(&manifest)?;
        let package = Package { own: package(&metadata, &manifest)?, metadata: &metadata, manifest: &manifest };
        let library = package.library_target().context("the package has no library, so tests cannot call it")?;
        let name = library["name"].as_str().unwrap_or_default().replace('-', "_");
        let (features, options) = features(wanted.options()?, &package.own["features"]);
        let (directory, root) =
            (cache.subdirectory(&place)?, manifest.parent().unwrap_or(Path::new("/")).to_path_buf());
        let edition = package.own["edition"].as_str().unwrap_or("2021");
        let text = format!(
            "[package]\nname = \"pessimum-tests\"\nversion = \"0.0.0\"\nedition = {}\n\n[lib]\npath = \
             \"lib.rs\"\n\n[[test]]\nname = \"probe\"\npath = \"probe.rs\"\nharness = false\n\n[[test]]\nname = \
             \"suite\"\npath = \"suite.rs\"\n\n[dependencies]\n{name} = {{ package = {}, path = {}{features} }}\n\n\
             [workspace]\n",
            Value::from(edition),
            Value::from(package.own["name"].as_str().unwrap_or_default()),
            Value::from(root.display().to_string()),
        );
        write_changed(&directory.join("Cargo.toml"), &text)?;
        for (file, text) in [("lib.rs", ""), ("probe.rs", "fn main() {}\n"), ("suite.rs", "")] {
            write_changed(&directory.join(file), text)?;
        }
        package.copy_lock(&directory)?;
        Ok((Crates { cargo, directory, options, name, root, edition: edition.to_string() }, alone))
    }

    /// Compiles the file of this name, which is a target of the package.
    pub fn compile(&self, name: &str, text: &str) -> Result<std::result::Result<PathBuf, native::Refused>> {
        write_changed(&self.directory.join(format!("{name}.rs")), text)?;
        let mut command = self.cargo.tool.command();
        command.args(["test", "--no-run", "--quiet", "--message-format=json", "--test", name]);
        command.arg("--manifest-path").arg(self.directory.join("Cargo.toml")).args(&self.options);
        command.env("CARGO_TARGET_DIR", &self.cargo.built);
        let output = attempt(&mut command)?;
        if !output.status.success() {
            return Ok(Err(native::refused(&command, &output, compiler_errors(&output.stdout))));
        }
        let lines = output.stdout.split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let mut built = lines.filter(|line| line["reason"] == "compiler-artifact" && line["target"]["name"] == name);
        let program = built.find_map(|line| line["executable"].as_str().map(PathBuf::from));
        Ok(Ok(program.context("cargo built no program")?))
    }
}

/// Whether a target is of this kind.
fn is(target: &Value, kind: &str) -> bool {
    target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|other| other == kind))
}

/// What is known about a library of which only the exported functions can be called.
fn exported_only(items: &Crate) -> About {
    let mut about = About::default();
    for function in &items.functions {
        match &function.exported {
            Some(name) => about.functions.push(name.clone()),
            None => {
                let why = "it is not exported, and the library is a `cdylib` only; add \"rlib\" to its `crate-type`";
                about.hidden.push(Hidden { name: function.name.clone(), why: why.to_string() });
            }
        }
    }
    about
}

/// The errors of compilers among the messages of cargo.
fn compiler_errors(printed: &[u8]) -> Vec<Value> {
    errors(printed, |line| (line["reason"] == "compiler-message").then(|| line["message"].clone()))
}

/// What cargo says that it has built.
struct Built {
    artifacts: Vec<Value>,
}

impl Built {
    /// Reads what cargo printed. What compilers said about a build that succeeded goes to standard error.
    fn new(output: &Output) -> Built {
        let lines = output.stdout.split(|byte| *byte == b'\n');
        let lines: Vec<Value> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        for line in lines.iter().filter(|line| line["reason"] == "compiler-message") {
            if let Some(text) = line["message"]["rendered"].as_str() {
                eprintln!("{}", printable_lines(text.trim_end()));
            }
        }
        Built { artifacts: lines.into_iter().filter(|line| line["reason"] == "compiler-artifact").collect() }
    }

    /// The module of the target with this name.
    fn module(&self, name: &str) -> Result<Vec<u8>> {
        let artifacts = self.artifacts.iter().filter(|artifact| artifact["target"]["name"].as_str() == Some(name));
        let files: Vec<PathBuf> = artifacts
            .flat_map(|artifact| artifact["filenames"].as_array().cloned().unwrap_or_default())
            .filter_map(|file| file.as_str().map(PathBuf::from))
            .collect();
        let module = files.iter().find(|file| file.extension().is_some_and(|ending| ending == "wasm"));
        let module = module.context("cargo built no module")?;
        std::fs::read(module).with_context(|| module.display().to_string())
    }
}

struct Cargo {
    tool: Tool,
    /// Where it builds.
    built: PathBuf,
    /// How far code is optimised.
    optimisation: &'static str,
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
        serde_json::from_slice(&run_for_data(&mut command)?.stdout).context("what `cargo metadata` printed")
    }

    /// A build for this target. `calls` is the package that calls the functions of another one: generic functions are compiled
    /// in it, and the paths of their sources are relative to its directory, which is therefore the current one as far as
    /// debug information knows.
    fn build(&self, target: &str, calls: Option<&Path>) -> Result<Command> {
        if let Some(rustc) = Tool::named("rustc", &[], &["--version"]) {
            has_target(&rustc, target)?;
        }
        let mut command = self.tool.command();
        command.args(["build", "--release", "--quiet", "--message-format=json", "--target", target]);
        command.env("CARGO_TARGET_DIR", &self.built);
        // These are the options for single files, too.
        command
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.optimisation)
            .env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
        command.env("CARGO_PROFILE_RELEASE_PANIC", "abort").env("CARGO_PROFILE_RELEASE_STRIP", "none");
        let (here, built) = (here()?, self.built.parent().unwrap_or(&self.built));
        let mut remap =
            format!("--remap-path-prefix={}=\x1f--remap-path-prefix={}={OURS}", here.display(), built.display());
        if let Some(calls) = calls {
            // The last one that fits is taken.
            remap += &format!("\x1f--remap-path-prefix={}=", calls.display());
        }
        command.env("CARGO_ENCODED_RUSTFLAGS", remap);
        Ok(command)
    }

    /// Runs a build, whose errors are shown as the compiler shows them.
    fn run(&self, command: &mut Command) -> Result<Built> {
        let output = attempt(command)?;
        if output.status.success() {
            return Ok(Built::new(&output));
        }
        let errors = compiler_errors(&output.stdout);
        let said: String = errors.iter().filter_map(|message| message["rendered"].as_str()).collect();
        let own = String::from_utf8_lossy(&output.stderr);
        Err(failed(command, &output, if said.is_empty() { &own } else { &said }))
    }
}

/// The package of this manifest. For a workspace without a package of its own, the user has to name one of its
/// members.
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

/// Takes the choice among these features out of the options. Returns it as the end of a dependency's table, with the other
/// options.
fn features(options: Vec<String>, known: &Value) -> (String, Vec<String>) {
    let (mut chosen, mut rest, mut text) = (Vec::new(), Vec::new(), String::new());
    let mut options = options.into_iter();
    while let Some(option) = options.next() {
        if option == "--no-default-features" {
            text += ", default-features = false";
        } else if option == "--all-features" {
            chosen.extend(known.as_object().into_iter().flat_map(|known| known.keys().cloned()));
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

/// Writes a file unless it already has this text: cargo goes by modification times.
fn write_changed(path: &Path, text: &str) -> Result<()> {
    if std::fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(());
    }
    Ok(write_atomically(path, text.as_bytes())?)
}
