//! Workers end with the program that they work for. Alone in its file: it looks at all processes of the test.

mod common;

use std::time::{Duration, Instant};

use common::{Subject, interpreter};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{self, ArmOrder, Exhaustive, Order};
use pessimum_term::Witness;

const LIMITS: PathLimits = PathLimits { instructions: 20_000, decisions: 1 << 20, depth: 1 << 16, memory: 1 << 28 };

#[test]
fn nothing_is_left_running() {
    let Some(python) = interpreter() else { return };
    // What the program starts itself goes, too.
    let text = "import subprocess\ndef f(x):\n    if x == 1:\n        subprocess.Popen(['sleep', '1234.5'])\n        while True:\n            10 ** 10 ** 7\n    return 0\n";
    let subject = Subject::open(&python, text, Duration::from_secs(1)).map_err(|(_, error)| error).unwrap();
    let program = subject.program("f(int in 0..=1)", 0);
    program.replay(&Witness::new(vec![1]), &LIMITS);
    let settings = Settings { limits: LIMITS, ..Settings::default() };
    strategy::run(Search::new(&program, settings), &mut Exhaustive::new(Order::Depth(ArmOrder::TrueFirst)));
    program.replay(&Witness::new(vec![0]), &LIMITS);
    let before = processes();
    drop((program, subject));
    let until = Instant::now() + Duration::from_secs(5);
    while !processes().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    if cfg!(target_os = "linux") {
        assert!(!before.is_empty(), "workers are kept for the next run");
    }
    assert_eq!(processes(), Vec::<String>::new());
    assert!(
        !std::process::Command::new("pgrep").args(["-f", "sleep 1234.5"]).output().is_ok_and(|o| o.status.success())
    );
}

/// Descendants of this test that run our file: a worker's command line begins with the interpreter and our first code.
fn processes() -> Vec<String> {
    let own = std::process::id().to_string();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)).unwrap_or_default();
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        if parent == own && line.contains("_pessimum") {
            found.push(line);
        }
    }
    found
}
