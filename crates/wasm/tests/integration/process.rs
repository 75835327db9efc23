//! A process: WASI and module `pessimum` around the machine, in both domains.

use std::sync::Arc;

use pessimum_input::{Content, InputPlan, Kind, Length, Number, Signature};
use pessimum_term::{VariableId, Witness};
use pessimum_wasm::{
    Limits, LoadSettings, Module, Process, ProcessEnd, ProcessEvent, Ran, Start, Subject, Symbolic, World,
};

fn subject(text: &str, start: Start, plan: InputPlan) -> Subject {
    let module = Arc::new(Module::load(text.as_bytes(), &LoadSettings::default()).unwrap());
    let world = World { plan, program: "program".into(), environment: vec!["HOME=/".into()] };
    Subject::new(module, start, world, Limits::default()).unwrap()
}

/// Copies the file `data`, then the first argument and the environment to standard output.
const COPY: &str = r#"(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_get" (func $environ (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_shutdown" (func $sock (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 100) "./x/../data")
  (func $put (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length))
    (if (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable)))
  (func (export "_start") (local $fd i32)
    (if (call $path_open (i32.const 3) (i32.const 0) (i32.const 100) (i32.const 11) (i32.const 0)
          (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 16)) (then unreachable))
    (local.set $fd (i32.load (i32.const 16)))
    (i32.store (i32.const 0) (i32.const 1000))
    (i32.store (i32.const 4) (i32.const 64))
    (if (call $fd_read (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
    (call $put (i32.const 1000) (i32.load (i32.const 8)))
    (if (call $args_sizes (i32.const 20) (i32.const 24)) (then unreachable))
    (if (i32.ne (i32.load (i32.const 20)) (i32.const 3)) (then unreachable))
    (if (call $args (i32.const 2000) (i32.const 3000)) (then unreachable))
    (call $put (i32.load (i32.const 2004)) (i32.const 3))
    (if (call $environ (i32.const 4000) (i32.const 5000)) (then unreachable))
    (call $put (i32.const 5000) (i32.const 6))
    ;; Outside memory: EFAULT. A directory above the root: ENOTCAPABLE. No such call: ENOSYS.
    (i32.store (i32.const 0) (i32.const 65533))
    (if (i32.ne (i32.const 21) (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (then unreachable))
    (if (i32.ne (i32.const 76) (call $path_open (i32.const 3) (i32.const 0) (i32.const 104) (i32.const 7) (i32.const 0)
          (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 16))) (then unreachable))
    (if (i32.ne (i32.const 52) (call $sock (i32.const 1) (i32.const 0))) (then unreachable))
    (call $exit (i32.const 7))))"#;

#[test]
fn files_arguments_and_environment_are_found() {
    let mut plan = InputPlan::new(None);
    plan.command_line.push(Content::Fixed((*b"abc").into()));
    Length::parse_argument("str[2]").unwrap().unwrap().lay_out_argument(&mut plan).unwrap();
    Length::parse("4").unwrap().lay_out_file("data", &mut plan).unwrap();
    let subject = subject(COPY, Start::Command, plan);
    let ran = subject.run_concrete(Witness::new([b"xy", &b"1234"[..]].concat().into_iter().map(u64::from).collect()));
    let ran = ran.unwrap();
    assert_eq!(ran.end, ProcessEnd::Exited(7), "{:?}", ran.backtrace);
    assert_eq!(String::from_utf8_lossy(&ran.stdout.bytes()), "1234abcHOME=/");
    assert_eq!(ran.unsupported.into_iter().collect::<Vec<_>>(), [("sock_shutdown", 1)]);
}

/// Writes as many bytes as the input says, and assumes something about it.
const DECIDES: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "pessimum" "assume" (func $assume (param i32)))
  (import "pessimum" "i32" (func $i32 (result i32)))
  (import "pessimum" "cost" (func $cost (param i64)))
  (memory (export "memory") 1)
  (data (i32.const 100) "hello")
  (func (export "write") (param $length i32) (result i32)
    (call $assume (i32.lt_u (local.get $length) (i32.const 6)))
    (i32.store (i32.const 0) (i32.const 100))
    (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $cost (i64.extend_i32_u (call $i32)))
    (i32.load (i32.const 8))))"#;

#[test]
fn a_host_call_waits_for_its_numbers_and_then_happens_once() {
    let call = Signature::parse("write(i32)").unwrap();
    let mut plan = InputPlan::new(None);
    call.lay_out(&mut plan).unwrap();
    let subject = subject(DECIDES, Start::Call(call), plan);
    let mut domain = Symbolic::default();
    let mut process = Process::<Symbolic>::new(&subject).unwrap();
    assert_eq!(process.prepare(&mut domain), None);
    let ready = process.clone();
    // Concretely on the same input, for comparison.
    let ran = subject.run_concrete(Witness::new(vec![3, 40])).unwrap();
    for _ in 0..2 {
        let mut process = ready.clone();
        assert!(matches!(process.run(&mut domain), ProcessEvent::Assume(value) if value.term().is_some()));
        // The length is asked for byte by byte: 3, 0, 0, 0 of a little-endian 3.
        let mut forks = Vec::new();
        for byte in [3, 0, 0, 0] {
            match process.run(&mut domain) {
                ProcessEvent::Number { width: 8, .. } => {}
                other => panic!("{other:?}"),
            }
            assert_eq!(process.stdout().total(), 0, "nothing happens before the last number is known");
            forks.push(process.clone());
            process.take(byte);
        }
        match process.run(&mut domain) {
            ProcessEvent::Number { width: 64, .. } => process.take(40),
            other => panic!("{other:?}"),
        }
        assert_eq!(process.stdout().bytes(), b"hel");
        assert_eq!(process.asked().len(), 1);
        assert_eq!(process.asked()[0].first, VariableId(1));
        match process.run(&mut domain) {
            ProcessEvent::End(ProcessEnd::Returned(values)) => assert_eq!(values.len(), 1),
            other => panic!("{other:?}"),
        }
        assert_eq!(process.stdout(), &ran.stdout);
        assert_eq!(process.costs(), ran.costs);
        assert_eq!(process.costs().user, 40);
        // A fork decides differently without disturbing the original.
        let mut fork = forks.remove(0);
        for byte in [1, 0, 0, 0] {
            fork.take(byte);
            assert!(matches!(fork.run(&mut domain), ProcessEvent::Number { .. }));
        }
        assert_eq!(fork.stdout().bytes(), b"h");
    }
    let outside = subject.run_concrete(Witness::new(vec![6])).unwrap();
    assert_eq!(outside.end, ProcessEnd::AssumptionViolated);
}

#[test]
fn buffers_come_from_the_allocator_of_the_module() {
    let text = r#"(module
      (memory (export "memory") 1)
      (global $next (mut i32) (i32.const 4096))
      (func (export "malloc") (param i32) (result i32)
        (global.get $next)
        (global.set $next (i32.add (global.get $next) (i32.and (i32.add (local.get 0) (i32.const 15)) (i32.const -16)))))
      (func (export "where") (param i32 i32) (result i32 i32) (local.get 0) (local.get 1)))"#;
    let run = |text: &str| {
        let call = Signature::parse("where(u8[17], out i64[2])").unwrap();
        let mut plan = InputPlan::new(None);
        call.lay_out(&mut plan).unwrap();
        subject(text, Start::Call(call), plan).run_concrete(Witness::new(vec![9; 17])).unwrap()
    };
    let results = |ran: &Ran| -> Vec<u64> { ran.results.iter().map(|number| number.bits).collect() };
    let ran = run(text);
    assert_eq!(results(&ran), [4096, 4096 + 32]);
    assert_eq!(ran.costs.instructions, 2, "the allocator is not counted");
    assert_eq!(ran.buffers[0], Some(vec![Number { kind: Kind::U8, bits: 9 }; 17]));
    let without = run(&text.replace("\"malloc\"", "\"other\""));
    assert_eq!(results(&without), [65536, 65536 + 32], "pages appended to memory");
    let null = run(&text.replace("i32.const 4096", "i32.const 0"));
    assert!(matches!(null.end, ProcessEnd::Failed(_)), "{}", null.end);
}

#[test]
fn a_call_to_a_missing_import_is_an_end_of_its_own() {
    let text = r#"(module (import "env" "log" (func $log)) (func (export "f") (call $log)))"#;
    let ran = subject(text, Start::Entry("f".to_string()), InputPlan::new(None)).run_concrete(Witness::default());
    let ran = ran.unwrap();
    assert_eq!(ran.end, ProcessEnd::MissingImport { module: "env".to_string(), name: "log".to_string() });
    assert_eq!(ran.end.kind(), pessimum_outcome::End::Unsupported);
    assert!(ran.end.to_string().contains("`env.log`"), "{}", ran.end);
    assert_eq!((ran.costs.instructions, ran.backtrace.len()), (1, 1));
}

/// What is beyond the part of a stream that is kept counts, must be in memory, and is not read byte by byte.
#[test]
fn a_full_stream_counts_what_is_written() {
    let text = r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 32)
        (data (i32.const 64) "abc")
        (func $put (param $length i32) (result i32)
            (i32.store (i32.const 0) (i32.const 64))
            (i32.store (i32.const 4) (local.get $length))
            (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
        (func (export "f") (local $round i32)
            (if (call $put (i32.const 3)) (then unreachable))
            (loop $again
                (if (call $put (i32.const 1048576)) (then unreachable))
                (if (i32.ne (i32.load (i32.const 16)) (i32.const 1048576)) (then unreachable))
                (local.set $round (i32.add (local.get $round) (i32.const 1)))
                (br_if $again (i32.lt_u (local.get $round) (i32.const 100))))
            ;; One byte beyond the memory: EFAULT, although nothing of it would be kept.
            (i32.store (i32.const 0) (i32.const 1048577))
            (i32.store (i32.const 4) (i32.const 1048576))
            (if (i32.ne (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)) (i32.const 21))
                (then unreachable))))"#;
    let ran =
        subject(text, Start::Entry("f".to_string()), InputPlan::new(None)).run_concrete(Witness::default()).unwrap();
    assert_eq!(ran.end, ProcessEnd::Returned(Vec::new()));
    assert_eq!((ran.stdout.bytes().len(), ran.stdout.total()), (1 << 20, 3 + 100 * (1 << 20)));
    assert_eq!(&ran.stdout.bytes()[..6], b"abcabc");
}

#[test]
fn what_a_run_can_call_follows_from_the_code() {
    let text = r#"(module
      (import "pessimum" "cost" (func $cost (param i64)))
      (table funcref (elem $by_table))
      (global funcref (ref.func $by_global))
      (func $by_table)
      (func $by_global)
      (func $helper (call $cost (i64.const 1)))
      (func $alone)
      (func (export "direct") (call $helper) (call $helper))
      (func (export "indirect") (call_indirect (i32.const 0)))
      (func (export "round") (call $around))
      (func $around (call 7)))"#;
    let callable = |name: &str| {
        let call = Signature::parse(&format!("{name}()")).unwrap();
        let subject = subject(text, Start::Call(call), InputPlan::new(None));
        (0..).zip(subject.callable()).filter_map(|(function, can)| can.then_some(function)).collect::<Vec<u32>>()
    };
    assert_eq!(callable("direct"), [0, 3, 5]);
    assert_eq!(callable("indirect"), [1, 2, 6]);
    assert_eq!(callable("round"), [7, 8]);
}
