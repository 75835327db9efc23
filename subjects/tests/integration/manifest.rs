//! The manifest says what the modules do: every entry can be called, and every input given as a worst case costs what
//! the manifest says.
//!
//! Decisions need symbolic inputs, so their numbers are not checked here but by the searches that find them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use pessimum_input::{Argument, Group, InputPlan, Kind, Signature};
use pessimum_subjects::{Goal, Subject, all, suites};
use pessimum_wasm::{Concrete, Costs, End, Event, Extern, HostId, Limits, LoadSettings, Machine, Module};
use serde_json::Value;

fn load_file(file: &Path) -> Arc<Module> {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let module = Module::load(&bytes, &LoadSettings::default());
    Arc::new(module.unwrap_or_else(|error| panic!("{}: {error}", file.display())))
}

fn load(subject: &Subject) -> Arc<Module> {
    load_file(&subject.module_file())
}

fn plan(subject: &Subject, n: u64) -> InputPlan {
    let mut plan = InputPlan::new(Some(n));
    if let Some(call) = &subject.call {
        let signature = Signature::parse(call).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        signature.lay_out(&mut plan).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
    }
    plan
}

/// Runs the subject on one concrete input, with buffers on pages appended to its memory.
fn run(subject: &Subject, n: u64, input: &str) -> Costs {
    let input: Value = serde_json::from_str(input).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
    let plan = plan(subject, n);
    let (witness, guest) = plan.decode(&input).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
    let values = witness.values();
    let module = load(subject);
    let mut imports = Vec::new();
    let mut machine: Machine<Concrete> = Machine::new(Limits::default());
    let instance = machine
        .instantiate(module.clone(), &mut |machine, import| {
            let pessimum_wasm::ExternType::Function(ty) = &import.ty else { return None };
            let host = HostId(imports.len() as u32);
            imports.push(import.name.to_string());
            Some(Extern::Function(machine.host_function(ty.clone(), host)))
        })
        .unwrap_or_else(|error| panic!("{}: {error}", subject.name));

    let memory = machine.memory_of(instance).expect("every subject has a memory");
    let mut free = machine.memory(memory).len();
    let mut arguments = Vec::new();
    let mut buffer = |bytes: Vec<u8>| {
        let address = free;
        free = (free + bytes.len() as u64 + 1).next_multiple_of(16);
        while machine.memory(memory).len() < free {
            machine.grow_memory(memory, 1).expect("memory can grow by a page");
        }
        assert!(machine.memory_mut(memory).write(address, &bytes));
        address
    };
    let bytes_of = |group: &Group| -> Vec<u8> {
        let width = group.kind.bytes() as usize;
        group.variables().flat_map(|variable| values[variable.0 as usize].to_le_bytes()[..width].to_vec()).collect()
    };
    for argument in &plan.arguments {
        arguments.push(match argument {
            Argument::Scalar(group) => {
                // Signed narrow types would have to be extended by their sign.
                assert!(!matches!(group.kind, Kind::I8 | Kind::I16), "{}", subject.name);
                values[group.first as usize]
            }
            Argument::Buffer(group) | Argument::Text(group) => buffer(bytes_of(group)),
            Argument::Structure(structure) => buffer(structure.image(&witness)),
            Argument::Zeroed { kind, count } => buffer(vec![0; (kind.bytes() * u64::from(*count)) as usize]),
            Argument::Constant(bytes) => buffer(bytes.iter().copied().chain([0]).collect()),
            Argument::Function(name) => panic!("{}: &{name} is not called here", subject.name),
            Argument::Returned(_) => panic!("{}: there is no earlier call", subject.name),
            Argument::Integer(value) => *value as u64 & 0xffff_ffff,
            Argument::Float(value) => value.to_bits(),
        });
    }
    let export = match (&subject.call, &subject.entry) {
        (Some(call), _) => Signature::parse(call).expect("parsed above").name,
        (None, Some(entry)) => entry.clone(),
        (None, None) => panic!("{}: only calls and entries are run here", subject.name),
    };
    let function = machine
        .exported_function(instance, &export)
        .unwrap_or_else(|| panic!("{}: no export named {export}", subject.name));

    let mut answers = guest.iter();
    machine.reset_costs();
    machine.call(function, &arguments);
    let mut domain = Concrete::default();
    loop {
        match machine.run(&mut domain) {
            Event::Host { function, args, .. } => match imports[function.0 as usize].as_str() {
                "cost" => {
                    machine.add_user_cost(args[0]);
                    machine.resume(&[]);
                }
                "assume" => {
                    assert_ne!(args[0], 0, "{}: an assumption does not hold", subject.name);
                    machine.resume(&[]);
                }
                "size" => machine.resume(&[n]),
                "bytes" => {
                    let answer = answers.next().expect("an answer per question");
                    let bytes: Vec<u8> = (0..answer.bytes.expect("bytes were asked for"))
                        .map(|i| values[(answer.first.0 + i) as usize] as u8)
                        .collect();
                    assert!(machine.memory_mut(memory).write(args[0], &bytes));
                    machine.resume(&[]);
                }
                _ => {
                    let answer = answers.next().expect("an answer per question");
                    machine.resume(&[values[answer.first.0 as usize]]);
                }
            },
            Event::Pause => {}
            Event::Decision(_) => unreachable!("nothing is symbolic"),
            Event::End(End::Returned(_)) => return machine.costs(),
            Event::End(end) => panic!("{}: n = {n} ended with {end:?}", subject.name),
        }
    }
}

#[test]
fn entries_fit_the_modules() {
    let subjects = all();
    let names: BTreeSet<&str> = subjects.iter().map(|subject| subject.name.as_str()).collect();
    assert_eq!(names.len(), subjects.len(), "two subjects have the same name");
    for subject in &subjects {
        let name = &subject.name;
        let ways =
            usize::from(subject.call.is_some()) + usize::from(subject.entry.is_some()) + usize::from(subject.stdin);
        assert_eq!(ways, 1, "{name}: one of call, entry and stdin");
        assert!(subject.paper_sizes.is_empty() || subject.paper_sizes.len() == subject.sizes.len(), "{name}");
        assert_eq!(subject.optimum.is_empty(), subject.why.is_none(), "{name}: an optimum needs its reason");
        for (n, value) in &subject.at_least {
            assert!(subject.optimum_at(*n).is_none(), "{name}: {value} at {n} is below a known optimum");
        }
        let module = load(subject);
        let export = match (&subject.call, &subject.entry) {
            (Some(call), _) => Signature::parse(call).unwrap().name,
            (None, Some(entry)) => entry.clone(),
            (None, None) => "_start".to_string(),
        };
        assert!(module.export(&export).is_some(), "{name}: no export {export}");
        for n in subject.sizes.iter().take(3) {
            plan(subject, *n);
        }
    }
}

#[test]
fn worst_inputs_cost_what_is_written() {
    let mut checked = 0;
    for subject in all() {
        for worst in &subject.worst {
            let costs = run(&subject, worst.n, &worst.input);
            let cost = match subject.cost.as_str() {
                "user" => costs.user,
                "branches" => costs.branches,
                "decisions" => continue,
                other => panic!("{}: {other} has no written value", subject.name),
            };
            let expected = subject.reached_at(worst.n);
            assert_eq!(Some(cost), expected, "{}: n = {}", subject.name, worst.n);
            checked += 1;
        }
    }
    assert!(checked >= 50, "only {checked} inputs were run");
}

#[test]
fn target_inputs_reach_their_target() {
    let mut checked = 0;
    for subject in all() {
        let (Some(target), Some(n), Some(input)) = (&subject.target, subject.target_size, &subject.target_input) else {
            assert!(subject.target.is_none(), "{}: a target without an input", subject.name);
            continue;
        };
        assert_eq!(subject.goal, Goal::Cover);
        // Reaching the target is the only thing that these programs report as their own cost.
        let zeros = plan(&subject, n);
        let zeros = zeros.encode(&zeros.default_witness(), &[]).to_string();
        assert_eq!(run(&subject, n, input).user, 1, "{}: {target} is not reached", subject.name);
        assert_eq!(run(&subject, n, &zeros).user, 0, "{}: zeros reach {target}", subject.name);
        checked += 1;
    }
    assert!(checked >= 8, "only {checked} targets were tried");
}

#[test]
fn interfaces_fit_the_modules() {
    let suites = suites();
    assert_eq!(suites.iter().filter(|suite| suite.goal == Goal::Cover).count(), 21);
    for suite in suites {
        let name = &suite.name;
        assert_eq!(suite.infeasible > 0, suite.note.is_some(), "{name}: arms that no test takes need a reason");
        assert_eq!(suite.goal == Goal::Worst, suite.why.is_some(), "{name}: an optimum needs its reason");
        assert_eq!(suite.goal == Goal::Worst, !suite.total.is_empty() && !suite.last.is_empty(), "{name}");
        let module = load_file(&suite.module_file());
        let text = std::fs::read_to_string(suite.api_file()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut declared = BTreeSet::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let export = line.split('(').next().unwrap_or(line);
            assert!(module.export(export).is_some(), "{name}: no export {export}");
            assert!(declared.insert(export), "{name}: {export} twice");
        }
        assert!(declared.len() > 1, "{name}: nothing to combine");
    }
}

/// The greatest cost of so many calls of own/tombstones after these, in total and of the last one. `live` says of each place
/// from the home of all keys on that was ever used whether its key is still there.
fn tombstones(live: &mut Vec<bool>, calls: u64) -> (u64, u64) {
    if calls == 0 {
        return (0, 0);
    }
    let (mut total, mut last) = (0, 0);
    let used = live.len();
    let mut found = |cost: u64, (rest, end): (u64, u64)| {
        total = total.max(cost + rest);
        last = last.max(if calls == 1 { cost } else { end });
    };
    // A key that is not there is looked for behind all others.
    found(used as u64 + 1, tombstones(live, calls - 1));
    if live.iter().filter(|live| **live).count() < 4 {
        live.push(true);
        found(used as u64 + 1, tombstones(live, calls - 1));
        live.pop();
    }
    for place in 0..used {
        if live[place] {
            live[place] = false;
            found(place as u64 + 1, tombstones(live, calls - 1));
            live[place] = true;
        }
    }
    (total, last)
}

#[test]
fn worst_sequences_are_those_of_brute_force() {
    let suites = suites();
    let suite = |name: &str| suites.iter().find(|suite| suite.name == name).unwrap();
    for &(calls, total) in suite("own/tombstones").total.iter().filter(|(calls, _)| *calls <= 10) {
        let last = suite("own/tombstones").last.iter().find(|last| last.0 == calls).unwrap().1;
        assert_eq!(tombstones(&mut Vec::new(), calls - 1), (total, last), "{calls} calls");
    }
    let tree = suite("own/leaning_tree");
    assert!(tree.total.iter().all(|&(calls, total)| total == (calls - 1) * (calls - 2) / 2));
    assert!(tree.last.iter().all(|&(calls, last)| last == calls - 2));
}
