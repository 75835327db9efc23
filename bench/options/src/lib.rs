//! The command lines of the benches: names of programs, and options with a value each.

use std::process::ExitCode;
use std::time::Duration;

/// The words of a command line that are no options, and the options with their values.
pub type Split = (Vec<String>, Vec<(String, String)>);

/// Splits a command line into words that are no options, and options (`--name value` or `--name=value`) with their values, both in
/// their order. `usage` is added to what is wrong.
pub fn split(words: impl IntoIterator<Item = String>, usage: &str) -> Result<Split, String> {
    let (mut names, mut options) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            names.push(word);
            continue;
        }
        options.push(match word.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            None => {
                let value = words.next().ok_or(format!("{word} needs a value\n{usage}"))?;
                (word, value)
            }
        });
    }
    Ok((names, options))
}

/// What to say about an option that there is not.
pub fn unknown(name: &str, usage: &str) -> String {
    format!("{name} is not an option\n{usage}")
}

/// A time in seconds.
pub fn seconds(name: &str, value: &str) -> Result<Duration, String> {
    let seconds = value.trim_end_matches('s').parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let seconds = seconds.ok_or(format!("{name} {value}: expected seconds, as in 10s"))?;
    Ok(Duration::from_secs_f64(seconds.min(1e6)))
}

/// A number that is not below this one.
pub fn number(name: &str, value: &str, least: u64) -> Result<u64, String> {
    let number = value.parse().ok().filter(|number| *number >= least);
    number.ok_or(format!("{name} {value}: expected a number from {least} on"))
}

/// Names between commas.
pub fn list(value: &str) -> Vec<String> {
    value.split(',').map(String::from).collect()
}

/// Whether a program is one of those that were named: all are where none is.
pub fn is_wanted(program: &str, names: &[String]) -> bool {
    names.is_empty() || names.iter().any(|name| program.contains(name))
}

/// The exit code of a bench, after what went wrong was told.
pub fn end(bench: &str, done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{bench}: {message}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(String::from).collect()
    }

    #[test]
    fn options_have_values_and_other_words_are_names() {
        let (names, options) = split(words("sort --budget 5s --out=a=b hash"), "usage").unwrap();
        assert_eq!(names, ["sort", "hash"]);
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(options, [pair("--budget", "5s"), pair("--out", "a=b")]);
        assert_eq!(split(words("sort --budget"), "usage").unwrap_err(), "--budget needs a value\nusage");
        assert!(is_wanted("quick_sort", &names) && !is_wanted("json", &names) && is_wanted("json", &[]));
    }

    #[test]
    fn what_is_no_number_is_named() {
        assert_eq!(seconds("--budget", "0.5s"), Ok(Duration::from_millis(500)));
        for wrong in ["", "0", "-1s", "NaN", "5m"] {
            assert!(seconds("--budget", wrong).is_err_and(|why| why.contains("expected seconds")), "{wrong}");
        }
        assert_eq!(number("--seeds", "1", 1), Ok(1));
        assert_eq!(number("--threads", "1", 2).unwrap_err(), "--threads 1: expected a number from 2 on");
    }
}
