//! A program whose input goes through files before it decides on it: all paths are found, and each is the run on its
//! input.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pessimum_input::{InputPlan, Length};
use pessimum_outcome::{Costs, End};
use pessimum_program::WasmProgram;
use pessimum_search::program::Program;
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy;
use pessimum_term::Witness;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

const MODULE: &str = concat!(
    "(module ",
    include_str!("../../../wasm/tests/files/helpers.wat"),
    include_str!("../../../wasm/tests/files/decides.wat"),
    ")"
);

#[test]
fn all_paths_through_files_are_those_of_all_inputs() {
    let module = Arc::new(Module::load(MODULE.as_bytes(), &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(None);
    Length::parse("1 in 'a'..='d'").unwrap().lay_out_stdin(&mut plan).unwrap();
    Length::parse("3 in 'a'..='d'").unwrap().lay_out_file("data", &mut plan).unwrap();
    let world = World { plan, program: "decides".into(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Command, world, Limits::default()).unwrap();

    // Concrete runs from the start, not from a prefix.
    let mut classes: BTreeMap<u32, (Costs, u64)> = BTreeMap::new();
    for number in 0..256u64 {
        let input = Witness::new((0..4).map(|i| 97 + (number >> (2 * i)) % 4).collect());
        let ran = subject.run_concrete(input).unwrap();
        let End::Exited(code) = ran.end.kind() else { panic!("{}", ran.end) };
        let class = classes.entry(code).or_insert((ran.costs, 0));
        assert_eq!(class.0, ran.costs, "inputs of one path cost the same");
        class.1 += 1;
    }
    assert_eq!(classes.len(), 8);

    let program = WasmProgram::new("decides".to_string(), subject).unwrap();
    let settings = Settings::default();
    let limits = settings.limits;
    let found = Mutex::new(BTreeMap::new());
    let search = Search::new(&program, settings).with_visitor(|path| {
        // Replays start from the prefix.
        let replay = program.replay(path.witness, &limits);
        let concrete = Costs { decisions: path.costs.decisions, ..replay.costs };
        assert_eq!((concrete, replay.end), (*path.costs, path.end));
        let End::Exited(code) = path.end else { panic!("{:?}", path.end) };
        assert_eq!(classes[&code].0, replay.costs);
        *found.lock().unwrap().entry(code).or_insert(0) += 1;
    });
    let result = strategy::run(search, &mut *strategy::named("exhaustive").unwrap());
    assert_eq!((result.paths, result.complete, result.counters.unsupported), (8, true, 0));
    let found = found.into_inner().unwrap();
    assert_eq!(found, classes.keys().map(|&code| (code, 1)).collect(), "each class is one path");
}
