//! Z3 as a second opinion, through SMT-LIB.

use std::io::Write as _;
use std::process::{Command, Stdio};

use pessimum_term::smtlib::Definitions;
use pessimum_term::{Arena, TermId};

/// Whether Z3 is not installed, which is said; with PESSIMUM_REQUIRE_TOOLS=1 it is a failure.
pub fn is_missing() -> bool {
    let missing = Command::new("z3").arg("--version").output().is_err();
    if missing {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "z3 is not installed");
        println!("z3 is not installed: nothing was compared");
    }
    missing
}

/// The answers of one process, a set after the other: `sat`, `unsat`, or something else where it gave up at this limit of
/// steps, which are the same on every machine.
pub fn answers(sets: impl IntoIterator<Item = (Arena, Vec<TermId>)>, steps: u64) -> Vec<String> {
    let (mut script, mut count) = (String::new(), 0);
    for (arena, conditions) in sets {
        let definitions = Definitions::new(&arena, &conditions);
        script.push_str("(reset)\n");
        script.push_str(&definitions.text());
        script.extend(conditions.iter().map(|&condition| definitions.assertion(condition)));
        script.push_str("(check-sat)\n");
        count += 1;
    }
    let mut process = Command::new("z3")
        .args(["-in", &format!("rlimit={steps}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 was there a moment ago");
    let mut input = process.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = process.wait_with_output().expect("z3 ends");
    writer.join().expect("no panic").expect("z3 reads everything");
    let answers: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), count, "{:?}", answers.iter().find(|line| line.len() > 7));
    answers
}
