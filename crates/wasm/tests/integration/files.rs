//! Files in memory: what programs write, read back, list and remove, in both domains and from a prefix.
//!
//! Programs in C and Rust need a compiler for WASI; one that is not on the machine is reported and its test passes, but
//! with PESSIMUM_REQUIRE_TOOLS=1 it fails.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use pessimum_input::{Content, InputPlan, Length};
use pessimum_term::{Evaluator, Witness};
use pessimum_wasm::{
    Concrete, Costs, Limits, LoadSettings, Module, Prefix, Process, ProcessEnd, ProcessEvent, Question, Start, Subject,
    Symbolic, World,
};

fn subject(module: &[u8], plan: InputPlan) -> Subject {
    let module = Arc::new(Module::load(module, &LoadSettings::default()).unwrap());
    let world = World { plan, program: "program".into(), environment: Vec::new() };
    Subject::new(module, Start::Command, world, Limits::default()).unwrap()
}

/// The module that a command makes of a program in `tests/files`; `None` if the compiler is not on the machine.
fn compiled(source: &str, compiler: &str, options: &[&str], last: &[&str]) -> Option<Vec<u8>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(source);
    let module = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(source.file_name().unwrap()).with_extension("wasm");
    let output = Command::new(compiler).args(options).arg(&source).arg("-o").arg(&module).args(last).output();
    match output {
        Ok(output) if output.status.success() => Some(std::fs::read(module).unwrap()),
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("target may not be installed") => {
            panic!("{compiler}: {}", String::from_utf8_lossy(&output.stderr))
        }
        _ => {
            let said = format!("{compiler} for WASI is not on the machine");
            assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{said}");
            println!("not tested: {said}");
            None
        }
    }
}

fn run_to_the_end(module: &[u8]) {
    let mut plan = InputPlan::new(None);
    plan.files.push(("given/data".into(), Content::Fixed((*b"abcdefgh").into())));
    let ran = subject(module, plan).run_concrete(Witness::default()).unwrap();
    let (stdout, stderr) = (ran.stdout.bytes(), ran.stderr.bytes());
    assert_eq!(String::from_utf8_lossy(&stdout), "everything holds\n", "{}", String::from_utf8_lossy(&stderr));
    assert!(matches!(ran.end, ProcessEnd::Returned(_) | ProcessEnd::Exited(0)), "{}", ran.end);
    assert!(ran.unsupported.keys().all(|&name| name == "path_symlink"), "{:?}", ran.unsupported);
}

#[test]
fn a_c_program_uses_files() {
    let options = ["--target=wasm32-wasi", "-D_WASI_EMULATED_GETPID"];
    if let Some(module) = compiled("round_trips.c", "clang-19", &options, &["-lwasi-emulated-getpid"]) {
        run_to_the_end(&module);
    }
}

#[test]
fn a_rust_program_uses_files() {
    let options = ["--target=wasm32-wasip1", "--edition=2024", "-O"];
    if let Some(module) = compiled("std_fs.rs", "rustc", &options, &[]) {
        run_to_the_end(&module);
    }
}

/// Imports and helpers for modules in text.
const HELPERS: &str = include_str!("../files/helpers.wat");

/// See the comment in the file.
const DECIDES: &str = include_str!("../files/decides.wat");

/// One byte of standard input and the three bytes of `data`, of which the last is never read, from `a` to `d`.
fn deciding() -> Subject {
    let mut plan = InputPlan::new(None);
    Length::parse("1 in 'a'..='d'").unwrap().lay_out_stdin(&mut plan).unwrap();
    Length::parse("3 in 'a'..='d'").unwrap().lay_out_file("data", &mut plan).unwrap();
    subject(format!("(module {HELPERS} {DECIDES})").as_bytes(), plan)
}

fn expected_code(input: &[u64]) -> u32 {
    u32::from(input[0] > 98) + 2 * u32::from(input[1] == 100) + 4 * u32::from(input[2] < 99)
}

fn finish(mut process: Process<Concrete>, input: &Witness) -> (ProcessEnd<u64>, Costs) {
    match process.run(&mut Concrete { witness: input.clone() }) {
        ProcessEvent::End(end) => (end, process.costs()),
        event => panic!("a concrete run asks nothing: {event:?}"),
    }
}

/// The symbolic run on one input: its decisions are answered as the input says. Also gives the arms.
fn follow(subject: &Subject, input: &Witness) -> (ProcessEnd<u64>, Costs, Vec<u64>) {
    let mut domain = Symbolic::default();
    let mut process = Process::<Symbolic>::new(subject).unwrap();
    let mut arms = Vec::new();
    loop {
        match process.run(&mut domain) {
            ProcessEvent::Decision(decision) => {
                let value = match decision.question {
                    Question::Truth(value) | Question::Trap(value) | Question::Value(value) => value,
                    Question::Index { value, .. } => value,
                };
                let value = Evaluator::new(input.clone()).value(&domain.arena, value.term().unwrap());
                let arm = if matches!(decision.question, Question::Truth(_)) { u64::from(value != 0) } else { value };
                arms.push(arm);
                process.take(arm);
            }
            ProcessEvent::End(ProcessEnd::Exited(code)) => return (ProcessEnd::Exited(code), process.costs(), arms),
            event => panic!("{event:?}"),
        }
    }
}

#[test]
fn bytes_of_the_input_survive_in_files() {
    let subject = deciding();
    let prefixes: Vec<Prefix> = [1 << 23, 30, 60, 90].iter().filter_map(|&most| Prefix::of(&subject, most)).collect();
    assert_eq!(prefixes.len(), 4);
    let mut paths = std::collections::BTreeMap::new();
    for number in 0..256u64 {
        let values: Vec<u64> = (0..4).map(|i| 97 + (number >> (2 * i)) % 4).collect();
        let input = Witness::new(values.clone());
        let (end, costs) = finish(Process::new(&subject).unwrap(), &input);
        assert_eq!(end, ProcessEnd::Exited(expected_code(&values)), "{values:?}");
        let (followed, symbolic_costs, arms) = follow(&subject, &input);
        assert_eq!((followed, Costs { decisions: 0, ..symbolic_costs }), (end.clone(), costs), "{values:?}");
        for prefix in &prefixes {
            let process = prefix.process(&input, Limits::default()).expect("the prefix fits");
            assert_eq!(finish(process, &input), (end.clone(), costs), "{values:?}");
        }
        *paths.entry((arms, expected_code(&values))).or_insert(0) += 1;
    }
    assert_eq!(paths.len(), 8, "each way is one path: {paths:?}");
}

/// A fork goes on with what its origin wrote, and neither sees what the other writes.
#[test]
fn forks_have_their_own_files() {
    let text = format!(
        r#"(module {HELPERS}
        (func (export "_start") (local $fd i32) (local $i i32) (local $byte i32)
          (local.set $fd (call $open (i32.const 100) (i32.const 3)))
          (loop $again
            (call $vector (i32.const 200) (i32.const 1))
            (call $ok (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
            (i32.store8 (i32.const 300) (if (result i32) (i32.gt_u (i32.load8_u (i32.const 200)) (i32.const 98))
              (then (i32.const 1)) (else (i32.const 0))))
            (call $put (local.get $fd) (i32.const 300) (i32.const 1))
            (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 3))))
          (if (i32.ne (call $get (local.get $fd) (i64.const 0)) (i32.const 3)) (then unreachable))
          (call $exit (i32.or (i32.load8_u (i32.const 4096)) (i32.or
            (i32.shl (i32.load8_u (i32.const 4097)) (i32.const 1))
            (i32.shl (i32.load8_u (i32.const 4098)) (i32.const 2)))))))"#
    );
    let mut plan = InputPlan::new(None);
    Length::parse("3").unwrap().lay_out_stdin(&mut plan).unwrap();
    let subject = subject(text.as_bytes(), plan);
    let mut domain = Symbolic::default();
    let mut open = vec![(Process::<Symbolic>::new(&subject).unwrap(), 0, 0)];
    let mut ends = Vec::new();
    while let Some((mut process, depth, code)) = open.pop() {
        match process.run(&mut domain) {
            ProcessEvent::Decision(_) => {
                let mut fork = process.clone();
                fork.take(0);
                process.take(1);
                open.push((fork, depth + 1, code));
                open.push((process, depth + 1, code | 1 << depth));
            }
            ProcessEvent::End(end) => {
                assert_eq!(end, ProcessEnd::Exited(code));
                ends.push(code);
            }
            event => panic!("{event:?}"),
        }
    }
    ends.sort_unstable();
    assert_eq!(ends, (0..8).collect::<Vec<_>>());
}

/// A number that depends on the input is decided before anything happens, and then it happens once.
#[test]
fn a_write_of_unknown_length_happens_once() {
    let text = format!(
        r#"(module {HELPERS}
        (func (export "_start") (local $fd i32)
          (call $vector (i32.const 200) (i32.const 1))
          (call $ok (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
          (local.set $fd (call $open (i32.const 100) (i32.const 3)))
          (call $put (local.get $fd) (i32.const 100) (i32.load8_u (i32.const 200)))
          (call $put (local.get $fd) (i32.const 100) (i32.load8_u (i32.const 200)))
          (call $exit (call $get (local.get $fd) (i64.const 0)))))"#
    );
    let mut plan = InputPlan::new(None);
    Length::parse("1").unwrap().lay_out_stdin(&mut plan).unwrap();
    let subject = subject(text.as_bytes(), plan);
    let mut domain = Symbolic::default();
    let mut process = Process::<Symbolic>::new(&subject).unwrap();
    let mut asked = 0;
    loop {
        match process.run(&mut domain) {
            ProcessEvent::Number { width: 8, .. } => {
                asked += 1;
                process.take(9);
            }
            ProcessEvent::End(end) => {
                assert_eq!((end, asked), (ProcessEnd::Exited(18), 2));
                return;
            }
            event => panic!("{event:?}"),
        }
    }
}

#[test]
fn a_file_with_an_impossible_name_is_refused() {
    let mut plan = InputPlan::new(None);
    plan.files = vec![("a".into(), Content::Fixed([].into())), ("a/b".into(), Content::Fixed([].into()))];
    let module = Arc::new(Module::load(br#"(module (func (export "_start")))"#, &LoadSettings::default()).unwrap());
    let world = World { plan, ..World::default() };
    let error = Subject::new(module, Start::Command, world, Limits::default()).unwrap_err().to_string();
    assert!(error.contains("`a/b`") && error.contains("another file has the name of its directory"), "{error}");
}
