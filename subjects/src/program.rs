//! Subjects as programs that can be searched: the only way in which tests and benches make them.

use std::sync::Arc;

use pessimum_input::{InputPlan, Length, Signature};
use pessimum_program::WasmProgram;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

/// A module with what is run and what is input, both given by a call in the form that `--call` takes.
pub fn call(module: &Arc<Module>, call: &str, size: Option<u64>) -> Result<Subject, String> {
    let signature = Signature::parse(call).map_err(|error| error.to_string())?;
    let mut plan = InputPlan::new(size);
    signature.lay_out(&mut plan).map_err(|error| error.to_string())?;
    subject(module, Start::Call(signature), plan)
}

fn subject(module: &Arc<Module>, start: Start, plan: InputPlan) -> Result<Subject, String> {
    let world = World { plan, program: "subject".into(), environment: Vec::new() };
    Subject::new(Arc::clone(module), start, world, Limits::default()).map_err(|error| error.to_string())
}

impl crate::Subject {
    /// Reads the built module.
    pub fn load(&self) -> Result<Arc<Module>, String> {
        let file = self.module_file();
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let module = Module::load(&bytes, &LoadSettings::default());
        module.map(Arc::new).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// The program at a size, from a module that is loaded already.
    pub fn program_of(&self, module: &Arc<Module>, size: u64) -> Result<WasmProgram, String> {
        let subject = if let Some(text) = &self.call {
            call(module, text, Some(size))?
        } else {
            let mut plan = InputPlan::new(Some(size));
            let start = match &self.entry {
                Some(entry) if !self.stdin => Start::Entry(entry.clone()),
                _ if self.stdin => {
                    let length = Length::parse("n").map_err(|error| error.to_string())?;
                    length.lay_out_stdin(&mut plan).map_err(|error| error.to_string())?;
                    Start::Command
                }
                _ => return Err(format!("{}: no call, no entry and no standard input", self.name)),
            };
            subject(module, start, plan)?
        };
        WasmProgram::new(format!("{} at {size}", self.name), subject).map_err(|error| error.to_string())
    }

    /// The program at a size.
    pub fn program(&self, size: u64) -> Result<WasmProgram, String> {
        self.program_of(&self.load()?, size)
    }
}
