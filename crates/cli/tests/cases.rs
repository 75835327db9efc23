//! Command-line tests as files: `tests/cases/NAME.txt` holds the command in its first line, then the exit code and the
//! exact output. `PESSIMUM_ACCEPT=1` writes what was found.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

#[test]
fn outputs_are_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let accept = std::env::var_os("PESSIMUM_ACCEPT").is_some();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    cases.sort();
    assert!(!cases.is_empty());
    let mut failures = String::new();
    for case in cases {
        let expected = std::fs::read_to_string(&case).unwrap();
        let command = expected.lines().next().unwrap_or_default();
        let words = words(command);
        assert_eq!(words.first().map(String::as_str), Some("$"), "{}: first line is `$ pessimum ...`", case.display());
        assert_eq!(words.get(1).map(String::as_str), Some("pessimum"), "{}", case.display());
        let output = Command::cargo_bin("pessimum").unwrap().current_dir(&root).args(&words[2..]).output().unwrap();
        let mut found = format!("{command}\nexit {}\n", output.status.code().expect("not killed"));
        for (name, stream) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !stream.is_empty() {
                write!(found, "--- {name}\n{}", String::from_utf8_lossy(stream)).unwrap();
            }
        }
        if found != expected {
            if accept {
                std::fs::write(&case, found).unwrap();
            } else {
                write!(failures, "\n{}\n=== expected\n{expected}=== found\n{found}", case.display()).unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}\n(PESSIMUM_ACCEPT=1 accepts what was found)");
}

/// Splits a command at spaces; quotes of either kind hold a word together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == ' ' => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
