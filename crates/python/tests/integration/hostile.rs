//! Programs that do not behave: each ends as a limit or with a clear error, the next run works, and nothing is left running.

use std::time::{Duration, Instant};

use crate::common::{Subject, interpreter, interpreters};
use pessimum_outcome::{CostModel, End, Limit, Trap};
use pessimum_python::{NoteKind, PythonError, PythonProgram};
use pessimum_search::budget::Budget;
use pessimum_search::program::{Afresh, PathLimits, Program as _};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{self, ArmOrder, Exhaustive, Order};
use pessimum_term::Witness;

const LIMITS: PathLimits = PathLimits { instructions: 20_000, decisions: 1 << 20, depth: 1 << 16, memory: 1 << 28 };

/// Bodies of a function of `x` that behave well if it is 0, and how they end if it is 1.
const BODIES: &[(&str, End)] = &[
    ("while True:\n            pass", End::Limit(Limit::Instructions)),
    ("return f(x)", End::Limit(Limit::Depth)),
    ("a = []\n        while True:\n            a.append(bytearray(1 << 24))", End::Limit(Limit::Memory)),
    ("import sys; sys.exit(3)", End::Exited(3)),
    ("import sys; sys.exit('no')", End::Exited(1)),
    ("import os; os._exit(4)", End::Exited(4)),
    ("import os; os.abort()", End::Exited(134)),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", End::Exited(137)),
    ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", End::Exited(143)),
    ("import os; os.fork()", End::Unsupported),
    ("import os; os.system('true')", End::Unsupported),
    ("import os; os.execvp('true', ['true'])", End::Unsupported),
    ("import os; os.posix_spawn('/bin/true', ['true'], {})", End::Unsupported),
    ("import subprocess; subprocess.run(['true'])", End::Unsupported),
    (
        "import subprocess\n        try:\n            subprocess.check_output('true', shell=True)\n        except Exception:\n            return 3",
        End::Unsupported,
    ),
    ("import asyncio; asyncio.run(asyncio.sleep(0)); return 1", End::Returned),
    ("import threading; threading.Thread(target=print).start()", End::Unsupported),
    ("from concurrent.futures import ThreadPoolExecutor as E; E().submit(print)", End::Unsupported),
    ("import os; os.close(1); os.close(2); return 1", End::Returned),
    ("import sys; sys.stdout.close(); return 1", End::Returned),
    ("print('x' * 5_000_000); return 1", End::Returned),
    (
        "while True:\n            try:\n                f(x)\n            except BaseException:\n                pass",
        End::Limit(Limit::Depth),
    ),
    (
        "while True:\n            try:\n                x += 1\n            except BaseException:\n                pass",
        End::Limit(Limit::Instructions),
    ),
    (
        "import signal; signal.signal(signal.SIGALRM, lambda *_: 1 // 0); signal.alarm(1)\n        while True:\n            pass",
        End::Limit(Limit::Instructions),
    ),
    (
        "import gc, sys; gc.enable(); sys.settrace(None); sys.setrecursionlimit(50); return f(x)",
        End::Limit(Limit::Depth),
    ),
    ("raise KeyboardInterrupt", End::Trapped(Trap::Exception)),
    ("raise SystemError('x')", End::Trapped(Trap::Exception)),
    ("import sys; sys.stdin.read(); return 1", End::Returned),
];

fn bodies() -> impl Iterator<Item = (String, End)> {
    BODIES.iter().map(|(body, end)| (format!("def f(x):\n    if x == 1:\n        {body}\n    return 0\n"), *end))
}

#[test]
fn what_a_program_does_to_its_process_ends_its_run_only() {
    for python in interpreters() {
        for (text, end) in bodies() {
            let subject = Subject::new(python, &text);
            let program = subject.program("f(int in 0..=1)", 0);
            for _ in 0..2 {
                let found = program.replay(&Witness::new(vec![1]), &LIMITS);
                assert_eq!(found.end, end, "{} {text}", python.display());
                let next = program.replay(&Witness::new(vec![0]), &LIMITS);
                assert_eq!((next.end, next.costs.lines), (End::Returned, 2), "{} {text}", python.display());
            }
            assert_eq!(paths(&program), 2, "{} {text}", python.display());
            // The same whoever runs it.
            let mut ends = Vec::new();
            let search = Search::new(&program, settings()).with_visitor(|path| ends.push(path.end));
            strategy::run(search, &mut Exhaustive::new(Order::Depth(ArmOrder::TrueFirst)));
            ends.sort();
            let mut expected = [End::Returned, end];
            expected.sort();
            assert_eq!(ends, expected, "{} {text}", python.display());
        }
    }
}

fn settings() -> Settings {
    Settings { limits: LIMITS, cost: CostModel::Lines, ..Settings::default() }
}

/// Visits all paths; a difference between the two kinds of runs is a failure.
fn paths(program: &PythonProgram) -> u64 {
    let found =
        strategy::run(Search::new(program, settings()), &mut Exhaustive::new(Order::Depth(ArmOrder::TrueFirst)));
    found.sound().unwrap_or_else(|mismatch| panic!("{mismatch}")).paths
}

#[test]
fn c_code_that_never_looks_up_is_ended() {
    let Some(python) = interpreter() else { return };
    let text = "def f(x):\n    if x == 1:\n        return 10 ** 10 ** 8 * x\n    return 0\n";
    let begun = Instant::now();
    drop(Subject::new(&python, text));
    // What starting an interpreter takes on a machine that has other things to do.
    let start = begun.elapsed();
    let seconds = 2 + 4 * start.as_secs();
    let patience = Duration::from_secs(seconds);
    let subject = Subject::open(&python, text, patience).map_err(|(_, error)| error).unwrap();
    let program = subject.program("f(int in 0..=1)", 0);
    let started = Instant::now();
    let until = Instant::now() + Duration::from_millis(100);
    // Whoever waits may have had enough earlier. That says nothing about the program, and is not remembered.
    let (replay, _) = program.run_concrete(&Witness::new(vec![1]), &LIMITS, &mut || Instant::now() < until);
    assert_eq!(replay.end, End::Limit(Limit::Budget));
    // A run that has said nothing yet gets half a second.
    assert!(started.elapsed() < Duration::from_millis(1500) + 4 * start, "{:?}", started.elapsed());
    let started = Instant::now();
    let ran = program.run(&Witness::new(vec![1]), &LIMITS);
    assert_eq!(ran.end, End::Limit(Limit::Time));
    let explained = ran.explained.expect("a run that was ended is told");
    let told = (explained.why.as_str(), explained.at.as_deref());
    assert_eq!(told, (format!("no answer in {seconds} s, inside f").as_str(), Some("subject.py:3")));
    assert!(started.elapsed() < 3 * patience + 4 * start, "{:?}", started.elapsed());
    // The same process does not wait for it again.
    let started = Instant::now();
    assert_eq!(program.replay(&Witness::new(vec![1]), &LIMITS).end, End::Limit(Limit::Time));
    assert!(started.elapsed() < Duration::from_secs(1) + 4 * start, "{:?}", started.elapsed());
    assert_eq!(program.replay(&Witness::new(vec![0]), &LIMITS).end, End::Returned);
    assert!(program.notes(NoteKind::LeftOut).is_empty(), "it is kept, so it is not left out");
}

#[test]
fn a_run_that_may_not_go_on_ends_where_it_can_end_again() {
    for python in interpreters() {
        let text = "def f(x):\n    while True:\n        x = g(x)\n\ndef g(x):\n    return x + 1\n";
        let program_of = Subject::new(python, text);
        let program = program_of.program("f(int)", 0);
        let limits = PathLimits::default();
        // Until the time is enough for an interpreter to start and to say how far it is.
        let (replay, within) = [150, 1500, 15_000, 60_000]
            .into_iter()
            .map(|milliseconds| {
                let until = Instant::now() + Duration::from_millis(milliseconds);
                program.run_concrete(&Witness::new(vec![1]), &limits, &mut || Instant::now() < until)
            })
            .find(|(replay, _)| replay.costs.lines > 100)
            .expect("a run says how far it is");
        assert_eq!(replay.end, End::Limit(Limit::Budget));
        assert_eq!(replay.costs.lines, within.instructions);
        let again = program.replay(&Witness::new(vec![1]), &within);
        assert_eq!((again.costs, again.end), (replay.costs, End::Limit(Limit::Instructions)), "{}", python.display());
    }
}

#[test]
fn files_that_cannot_be_imported_are_refused() {
    let Some(python) = interpreter() else { return };
    let begun = Instant::now();
    drop(Subject::new(&python, "def f(x):\n    return x\n"));
    let seconds = 3 + 4 * begun.elapsed().as_secs();
    let refused = |text: &str, wanted: &str| {
        let patience = Duration::from_secs(seconds);
        let found = Subject::open(&python, text, patience).map(|_| ()).map_err(|(_, error)| error);
        let error = found.expect_err(text);
        assert!(error.to_string().contains(wanted), "{text:?}: {error}");
        error
    };
    assert!(matches!(refused("def f(:\n", "subject.py:1: "), PythonError::Syntax(_)));
    assert!(matches!(refused("import nothing_of_this_name\n", "No module named"), PythonError::Import(_)));
    refused("x = 1 // 0\n", "ZeroDivisionError: integer division or modulo by zero (subject.py:1)");
    refused("import sys\nsys.exit(5)\n", "sys.exit(5)");
    refused("import os\nos._exit(5)\n", "exit code 5");
    refused("while True: pass\n", &format!("was not imported within {seconds} s"));
    refused("import threading\nthreading.Thread(target=print).start()\n", "starts a thread when it is imported");
    refused("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "signal 9");
    refused("\0", "subject.py");
}

#[test]
fn a_budget_ends_a_search_in_an_endless_program() {
    let Some(python) = interpreter() else { return };
    for body in ["while True:\n        pass", "while x != n:\n        n += 1\n        x += 1", "return 10 ** 10 ** 9"] {
        let begun = Instant::now();
        let subject = Subject::new(&python, &format!("def f(x):\n    n = 0\n    {body}\n"));
        // What starting an interpreter takes on a machine that has other things to do.
        let start = begun.elapsed();
        let program = subject.program("f(int)", 0);
        let started = Instant::now();
        let settings = Settings {
            budget: Budget { time: Some(Duration::from_millis(700)), ..Budget::default() },
            ..Settings::default()
        };
        strategy::run(Search::new(&program, settings), &mut Exhaustive::new(Order::Depth(ArmOrder::TrueFirst)));
        assert!(started.elapsed() < Duration::from_secs(5) + 5 * start, "{body}: {:?}", started.elapsed());
    }
}

/// What the program does to the worker itself makes the worker fail: an error with its traceback, never an end of a run, and no
/// new process for each run after it.
#[test]
fn a_worker_that_fails_is_an_error() {
    let text = "import time\ndef f(x):\n    if x:\n        time.process_time = None\n    return x\n";
    for python in interpreters() {
        let subject = Subject::new(python, text);
        let program = subject.program("f(int in 0..=1)", 0);
        let run = |x| program.replay(&Witness::new(vec![x]), &LIMITS).end;
        assert_eq!((run(0), run(1), program.fatal()), (End::Returned, End::Returned, None));
        assert_eq!((run(0), run(0)), (End::Unsupported, End::Unsupported));
        let why = program.fatal().unwrap();
        assert!(why.contains("bug in Pessimum") && why.contains("Traceback") && why.contains("TypeError"), "{why}");
        let settings = Settings { budget: Budget { paths: Some(20), ..Budget::default() }, ..Settings::default() };
        let found = strategy::run(Search::new(&program, settings), &mut Exhaustive::new(Order::Breadth));
        assert!(!found.complete && found.best.is_none());
    }
}

/// A program that ends its process in C, with every input: after some runs no further process is started.
#[test]
fn a_program_that_always_ends_its_process_is_given_up() {
    let Some(python) = interpreter() else { return };
    let text = "import ctypes\nleave = ctypes.CDLL(None)._exit\ndef f(x):\n    leave(1)\n";
    let subject = Subject::new(&python, text);
    let program = subject.program("f(int)", 0);
    let ends: Vec<End> = (0..40).map(|x| program.replay(&Witness::new(vec![x]), &LIMITS).end).collect();
    assert!(ends[..32].iter().all(|end| *end == End::Exited(1)), "{ends:?}");
    assert!(ends[32..].iter().all(|end| *end == End::Unsupported), "{ends:?}");
    assert!(program.fatal().unwrap().contains("32 times in a row"));
}

/// Modules that do things to whoever looks at them, and to the process: what is done at the top, and in each run.
const MODULES: &[(&str, &str)] = &[
    ("def __getattr__(name):\n    raise RuntimeError(name)", "pass"),
    (
        "class D:\n    def __get__(self, of, kind):\n        raise ImportError('looked at')\nclass A:\n    d = D()\n    __class__ = D()\na = A()",
        "pass",
    ),
    (
        "class M(type):\n    seen = []\n    def __instancecheck__(cls, x):\n        M.seen.append(x)\n        return len(M.seen) > 2\n    \
         def __getattribute__(cls, name):\n        raise OSError(name)\nclass A(metaclass=M):\n    pass",
        "n += isinstance(n, A)",
    ),
    ("class A:\n    def __del__(self):\n        raise SystemExit(3)\nkept = [A()]", "A(); kept.append(A())"),
    (
        "import sys\nclass F:\n    def find_spec(self, name, path=None, target=None):\n        if name == 'nowhere':\n            \
         raise ZeroDivisionError(name)\nsys.meta_path.insert(0, F())",
        "try:\n        import nowhere\n    except ZeroDivisionError:\n        n += 2",
    ),
    (
        "import gc\nseen = []\ngc.callbacks.append(lambda phase, info: seen.append(phase))",
        "gc.collect()\n    for _ in seen: n += 1",
    ),
    (
        "import json",
        "json.JSONEncoder.seen = getattr(json.JSONEncoder, 'seen', 0) + 1\n    for _ in range(json.JSONEncoder.seen): n += 1",
    ),
    ("import os, time", "os.read = os.write = os.getpid = time.perf_counter = None"),
    ("file = open(__file__)", "for _ in file.read(9 + x): n += 1"),
];

#[test]
fn what_a_module_does_to_its_process_changes_no_cost() {
    let all = interpreters();
    for python in all.first().into_iter().chain(all.last().filter(|_| all.len() > 1)) {
        for (head, body) in MODULES {
            let text =
                format!("{head}\n\ndef f(x):\n    n = 0\n    while n < x:\n        n += 1\n    {body}\n    return n\n");
            let subject = Subject::new(python, &text);
            let program = subject.program("f(int in 0..=3)", 0);
            let run = |x| program.replay(&Witness::new(vec![x]), &LIMITS);
            let first = [run(3), run(1), run(3), run(1)];
            assert!(first.iter().all(|replay| replay.end == End::Returned), "{} {text}: {first:?}", python.display());
            let again = |x| program.run_concrete(&Witness::new(vec![x]), &LIMITS, &mut Afresh(|| true)).0;
            let again = [again(3), again(1)];
            assert_eq!([&first[..2], &first[2..]], [&again, &again], "{} {text}", python.display());
            assert_eq!(
                (program.notes(NoteKind::LeftOut), program.fatal()),
                (vec![], None),
                "{} {text}",
                python.display()
            );
        }
    }
}
