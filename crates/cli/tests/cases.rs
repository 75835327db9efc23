//! Command-line tests as files: `tests/cases/NAME.txt` holds the command in its first line, then the exit code and the
//! exact output. `PESSIMUM_ACCEPT=1` writes what was found. `$TMP` is a fresh directory; times are written as `T s`;
//! lines of progress, which depend on timing, are left out.

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
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let temporary = directory.to_str().unwrap();
    for case in cases {
        let expected = std::fs::read_to_string(&case).unwrap();
        let command = expected.lines().next().unwrap_or_default();
        let words: Vec<String> = words(command).iter().map(|word| word.replace("$TMP", temporary)).collect();
        assert_eq!(words.first().map(String::as_str), Some("$"), "{}: first line is `$ pessimum ...`", case.display());
        assert_eq!(words.get(1).map(String::as_str), Some("pessimum"), "{}", case.display());
        let output = Command::cargo_bin("pessimum").unwrap().current_dir(&root).args(&words[2..]).output().unwrap();
        let mut found = format!("{command}\nexit {}\n", output.status.code().expect("not killed"));
        for (name, stream) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let stream = without_times(&String::from_utf8_lossy(stream));
            let is_progress = |line: &str| name == "stderr" && line.starts_with("T s  ") && line.contains("  cost ");
            let stream: String = stream.split_inclusive('\n').filter(|line| !is_progress(line)).collect();
            if !stream.is_empty() {
                write!(found, "--- {name}\n{stream}").unwrap();
            }
        }
        let found = found.replace(temporary, "$TMP");
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

/// Writes `T s` for times, as in `0.25 s`.
fn without_times(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(" s") {
        let (before, after) = rest.split_at(at);
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let ends_word = !after[2..].starts_with(|c: char| c.is_alphanumeric());
        match before[number.len()..].contains('.') && ends_word {
            true => kept += &format!("{number}T"),
            false => kept += before,
        }
        kept += " s";
        rest = &after[2..];
    }
    kept + rest
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
