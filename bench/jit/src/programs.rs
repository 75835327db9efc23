//! The programs of `bench/real`, compiled by `pessimum`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use pessimum_program::WasmProgram;
use pessimum_search::program::Program as _;
use pessimum_search::random::Random;
use pessimum_subjects::program::call;
use pessimum_term::Witness;
use pessimum_wasm::call::Signature;
use pessimum_wasm::{LoadSettings, Module, Subject};
use serde::Deserialize;

/// What is needed of an entry of `programs.toml`; its head says what the fields mean.
#[derive(Clone, Debug, Deserialize)]
pub struct Program {
    pub name: String,
    source: String,
    options: String,
    call: String,
    pub size: Option<u64>,
    worst: Known,
}

#[derive(Clone, Debug, Deserialize)]
struct Known {
    input: String,
}

#[derive(Deserialize)]
struct Manifest {
    program: Vec<Program>,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../real")
}

/// All programs, in the order of the file.
pub fn read() -> Result<Vec<Program>, String> {
    let file = directory().join("programs.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let manifest: Manifest = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(manifest.program)
}

/// A program that can be run.
pub struct Loaded {
    pub program: Program,
    pub bytes: Vec<u8>,
    module: Arc<Module>,
    /// The exported function.
    pub function: String,
}

impl Program {
    /// Compiles it with this command `pessimum`, in this directory.
    pub fn load(&self, command: &Path, out: &Path) -> Result<Loaded, String> {
        let out = out.join(&self.name);
        let mut pessimum = Command::new(command);
        pessimum.arg("worst").arg(directory().join("programs").join(&self.source));
        pessimum.arg(format!("--cflags={}", self.options)).arg(format!("--call={}", self.call));
        pessimum.args(self.size.map(|size| format!("--size={size}")));
        pessimum.args(["--strategy=ga", "--paths=1", "--budget=1s", "--quiet"]);
        pessimum.arg(format!("--out={}", out.display())).stdin(Stdio::null());
        let ran = pessimum.output().map_err(|error| format!("{}: {error}", command.display()))?;
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).lines().next().unwrap_or("it failed").to_string());
        }
        let bytes = std::fs::read(out.join("module.wasm")).map_err(|error| error.to_string())?;
        let module = Module::load(&bytes, &LoadSettings::default()).map_err(|error| error.to_string())?;
        let function = Signature::parse(&self.call).map_err(|error| error.to_string())?.name;
        Ok(Loaded { program: self.clone(), bytes, module: Arc::new(module), function })
    }
}

impl Loaded {
    /// The program at a size.
    pub fn subject(&self, size: Option<u64>) -> Result<Subject, String> {
        call(&self.module, &self.program.call, size)
    }

    /// The same as a search sees it.
    pub fn wasm_program(&self, size: Option<u64>) -> Result<WasmProgram, String> {
        WasmProgram::new(self.program.name.clone(), self.subject(size)?).map_err(|error| error.to_string())
    }

    /// Random inputs, and inputs near the worst known one: that one, and copies in which one to four numbers are drawn
    /// anew. The latter are what a search is busy with.
    pub fn inputs(&self, program: &WasmProgram, count: usize) -> Result<[Vec<Witness>; 2], String> {
        let mut random = Random::new(1);
        let variables = program.variables();
        let drawn = (0..count).map(|_| random.witness(&variables)).collect();
        let json = serde_json::from_str(&self.program.worst.input).map_err(|error| error.to_string())?;
        let known = program.subject().plan().decode(&json).map_err(|error| error.message)?.0;
        let mut near = vec![known.clone()];
        for _ in 0..count {
            let mut values = known.values().to_vec();
            for _ in 0..=random.below(4) {
                let variable = &variables[random.index(variables.len())];
                values[variable.id.0 as usize] = random.value(variable);
            }
            near.push(Witness::new(values));
        }
        Ok([drawn, near])
    }
}
