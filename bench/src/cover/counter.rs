//! What inputs cover, counted alike for all contestants: arms of the conditional branches of the program's own source in
//! the module that `pessimum` searches.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use pessimum_program::WasmProgram;
use pessimum_search::program::{Arm, PathLimits, Program as _, SiteId};
use pessimum_session::cover::Scope;
use pessimum_subjects::program;
use pessimum_wasm::{LoadSettings, Module};
use serde_json::Value;

use super::manifest::Program;

/// Instructions after which a run is cut off; what it covered until then counts.
const MOST_INSTRUCTIONS: u64 = 10_000_000;

/// Counts what inputs of one program cover.
pub struct Counter {
    program: WasmProgram,
    arms: BTreeSet<(SiteId, Arm)>,
}

impl Counter {
    /// For a compiled module.
    pub fn new(program: &Program, module: &Path) -> Result<Counter, String> {
        let bytes = std::fs::read(module).map_err(|error| format!("{}: {error}", module.display()))?;
        let module = Module::load(&bytes, &LoadSettings::default()).map_err(|error| error.to_string())?;
        let subject = program::call(&Arc::new(module), &program.call(), Some(program.size as u64))?;
        let program = WasmProgram::new(program.name.clone(), subject).map_err(|error| error.to_string())?;
        let arms = Scope::own(&program.places()).arms.into_iter().collect();
        Ok(Counter { program, arms })
    }

    /// All arms that there are, reachable or not.
    pub fn all(&self) -> usize {
        self.arms.len()
    }

    /// How many arms these inputs, in the form of `--input`, take together.
    pub fn covered(&self, inputs: &[Value]) -> Result<usize, String> {
        let limits = PathLimits { instructions: MOST_INSTRUCTIONS, ..PathLimits::default() };
        let places = self.program.places();
        let mut covered = BTreeSet::new();
        for input in inputs {
            let decoded = self.program.subject().plan().decode(input);
            let (witness, _) = decoded.map_err(|error| format!("an input: {}: {}", error.path, error.message))?;
            let seen = self.program.observe(&witness, &limits);
            covered.extend(seen.arms.iter().filter(|arm| arm.hits > 0).map(|arm| {
                let twin = places.twins.get(&(arm.site, arm.arm)).copied();
                (arm.site, twin.unwrap_or(arm.arm))
            }));
        }
        Ok(covered.intersection(&self.arms).count())
    }
}
