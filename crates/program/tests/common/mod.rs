//! Subjects of the manifest as programs.

use std::sync::Arc;

use pessimum_program::WasmProgram;
use pessimum_subjects::Subject as Entry;
use pessimum_wasm::call::{InputPlan, Length, Signature};
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

pub fn program(entry: &Entry, size: u64) -> WasmProgram {
    let bytes = std::fs::read(entry.module_file()).unwrap();
    let module = Arc::new(Module::load(&bytes, &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(Some(size));
    let start = if let Some(call) = &entry.call {
        let signature = Signature::parse(call).unwrap();
        signature.lay_out(&mut plan).unwrap();
        Start::Call(signature)
    } else if entry.stdin {
        Length::parse("n").unwrap().lay_out_stdin(&mut plan).unwrap();
        Start::Command
    } else {
        Start::Entry(entry.entry.clone().unwrap())
    };
    let world = World { plan, program: entry.name.clone(), environment: Vec::new() };
    let subject = Subject::new(module, start, world, Limits::default()).unwrap();
    WasmProgram::new(format!("{} at {size}", entry.name), subject).unwrap()
}
