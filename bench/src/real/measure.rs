//! What an input costs, in the unit of every column: instructions of the module that `pessimum` searches.

use std::path::Path;
use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_subjects::program;
use pessimum_term::Witness;
use pessimum_wasm::{Concrete, LoadSettings, Module, Process, ProcessEvent, Subject};

use super::manifest::Program;

/// What `--max-instructions` is by default.
const MOST_INSTRUCTIONS: u64 = 1_000_000_000;

/// The input of a program, laid out for its size.
pub fn plan_of(program: &Program) -> Result<InputPlan, String> {
    let mut plan = InputPlan::new(program.size);
    let laid_out = Signature::parse(&program.call).and_then(|signature| signature.lay_out(&mut plan));
    laid_out.map_err(|error| format!("{}: {error}", program.name))?;
    Ok(plan)
}

/// A program that can be run on inputs.
pub struct Meter {
    subject: Subject,
    plan: InputPlan,
}

impl Meter {
    /// For the module that a search has left in its directory.
    pub fn new(program: &Program, module: &Path) -> Result<Meter, String> {
        let bytes = std::fs::read(module).map_err(|error| format!("{}: {error}", module.display()))?;
        let module = Module::load(&bytes, &LoadSettings::default()).map_err(|error| error.to_string())?;
        Ok(Meter { subject: program::call(&Arc::new(module), &program.call, program.size)?, plan: plan_of(program)? })
    }

    /// The cost of an input in the form of `--input`.
    pub fn cost_of_json(&self, input: &str) -> Result<u64, String> {
        let input = serde_json::from_str(input).map_err(|error| format!("the known input: {error}"))?;
        let decoded = self.plan.decode(&input);
        let (witness, _) = decoded.map_err(|error| format!("the known input: {}: {}", error.path, error.message))?;
        self.cost(witness)
    }

    /// The cost of an input that the peer has printed.
    pub fn cost_of_bytes(&self, bytes: &[u8]) -> Result<u64, String> {
        self.cost(self.witness(bytes)?)
    }

    /// An input that the peer has printed, in the form of `--input`.
    pub fn json_of_bytes(&self, bytes: &[u8]) -> Result<String, String> {
        Ok(self.plan.encode(&self.witness(bytes)?, &[]).to_string())
    }

    /// From the bytes of all groups, one after the other and little-endian.
    fn witness(&self, bytes: &[u8]) -> Result<Witness, String> {
        let mut values = Vec::new();
        let mut rest = bytes;
        for group in self.plan.groups() {
            for _ in 0..group.count {
                let width = group.kind.bytes() as usize;
                let (value, after) = rest.split_at_checked(width).ok_or("an input of the peer is too short")?;
                values.push(value.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)));
                rest = after;
            }
        }
        Ok(Witness::new(values))
    }

    fn cost(&self, witness: Witness) -> Result<u64, String> {
        let mut process = Process::<Concrete>::new(&self.subject).map_err(|error| error.to_string())?;
        let mut domain = Concrete { witness };
        process.pause_after(MOST_INSTRUCTIONS);
        loop {
            match process.run(&mut domain) {
                ProcessEvent::End(_) | ProcessEvent::Pause => return Ok(process.costs().instructions),
                ProcessEvent::Assume(_) => {}
                ProcessEvent::Decision(_) | ProcessEvent::Number { .. } => {
                    return Err("a concrete run asks for a decision".to_string());
                }
            }
        }
    }
}
