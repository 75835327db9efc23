//! One search by one contestant, and what it covers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::counter::Counter;
use super::fuzzers::Fuzzer;
use super::manifest::Program;
use super::watch::{self, Used};

/// The options with which programs are compiled to WebAssembly: conditions stay branches, and code is not duplicated much.
const OPTIONS: &str = "-O1";

/// One search: its processor time, its seed, the input that everybody starts from, and a directory for what it leaves.
pub struct Run<'a> {
    pub budget: Duration,
    pub seed: u64,
    pub seed_input: &'a [u8],
    pub directory: &'a Path,
}

/// The command `pessimum`.
pub struct Pessimum {
    command: PathBuf,
    /// Wall time over processor time in the last search: its budget is wall time.
    stretch: f64,
}

impl Pessimum {
    pub fn new(command: PathBuf) -> Pessimum {
        Pessimum { command, stretch: 1.0 }
    }

    /// Compiles the program into this directory and returns its module.
    pub fn compile(&self, program: &Program, directory: &Path) -> Result<PathBuf, String> {
        let mut command = self.cover(&program.file(), program, directory);
        command.arg(format!("--cflags={OPTIONS}")).args(["--paths=1", "--strategy=random"]);
        let ran =
            command.stdin(Stdio::null()).output().map_err(|error| format!("{}: {error}", self.command.display()))?;
        let module = directory.join("module.wasm");
        if ran.status.success() && module.exists() {
            return Ok(module);
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        Err(said.lines().find(|line| !line.is_empty()).unwrap_or("`pessimum cover` failed").to_string())
    }

    fn cover(&self, file: &Path, program: &Program, out: &Path) -> Command {
        let mut command = Command::new(&self.command);
        command.arg("cover").arg(file).arg(format!("--call={}", program.call()));
        command.arg(format!("--size={}", program.size)).arg(format!("--out={}", out.display())).arg("--quiet");
        command
    }

    /// Searches with a strategy and returns the inputs of the suite.
    fn search(
        &mut self,
        program: &Program,
        strategy: &str,
        module: &Path,
        run: &Run<'_>,
    ) -> Result<Vec<Value>, String> {
        let (inputs, used) = self.search_once(program, strategy, module, run)?;
        let ended_early = self.had_too_little(&used, run.budget) && inputs.1;
        self.stretch = if used.processor > 0.2 { used.wall / used.processor } else { self.stretch };
        // The machine was busier than before; now it is known how busy.
        let inputs = if ended_early { self.search_once(program, strategy, module, run)?.0 } else { inputs };
        Ok(inputs.0)
    }

    fn had_too_little(&self, used: &Used, budget: Duration) -> bool {
        !used.interrupted && used.processor < 0.85 * budget.as_secs_f64()
    }

    /// Also returns whether the time was over.
    fn search_once(
        &self,
        program: &Program,
        strategy: &str,
        module: &Path,
        run: &Run<'_>,
    ) -> Result<((Vec<Value>, bool), Used), String> {
        let (out, seeds) = (run.directory.join("out"), run.directory.join("seeds"));
        std::fs::create_dir_all(&seeds).map_err(|error| format!("{}: {error}", seeds.display()))?;
        let seed = program.json(run.seed_input).to_string();
        std::fs::write(seeds.join("seed.json"), seed).map_err(|error| error.to_string())?;
        let wall = run.budget.mul_f64((1.15 * self.stretch).clamp(1.15, 100.0));
        let mut command = self.cover(module, program, &out);
        command.arg(format!("--strategy={strategy}")).arg(format!("--seed={}", run.seed));
        command.arg(format!("--corpus={}", seeds.display())).arg(format!("--budget={}ms", wall.as_millis()));
        let used = watch::run(&mut command, run.budget)?;
        let text =
            std::fs::read_to_string(out.join("result.json")).map_err(|_| "ended without a result".to_string())?;
        let result: Value = serde_json::from_str(&text).map_err(|error| format!("result.json: {error}"))?;
        let inputs = result["inputs"].as_array().ok_or("result.json has no inputs")?.clone();
        Ok(((inputs, result["stopped"] == "time"), used))
    }
}

/// Searches with a strategy of `pessimum`, or with a fuzzer, and counts what the inputs cover.
pub fn score(
    pessimum: &mut Pessimum,
    contestant: &str,
    program: &Program,
    (module, counter): (&Path, &Counter),
    run: &Run<'_>,
) -> Result<usize, String> {
    if run.directory.exists() {
        std::fs::remove_dir_all(run.directory).map_err(|error| format!("{}: {error}", run.directory.display()))?;
    }
    std::fs::create_dir_all(run.directory).map_err(|error| format!("{}: {error}", run.directory.display()))?;
    let mut inputs: Vec<Value> = match Fuzzer::named(contestant) {
        Some(fuzzer) => fuzzer.search(program, run)?.iter().map(|bytes| program.json(bytes)).collect(),
        None => pessimum.search(program, contestant, module, run)?,
    };
    // Fuzzers do not copy what they start from.
    inputs.push(program.json(run.seed_input));
    counter.covered(&inputs)
}
