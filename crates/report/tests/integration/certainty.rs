//! No sentence about certainty is made outside `crates/report/src/certainty.rs` and, of what is not certain,
//! `crates/report/src/doubts.rs`: the texts in the other sources have none of its words.

use std::fs;
use std::path::{Path, PathBuf};

/// What says how sure something is.
const WORDS: [&str; 18] = [
    "certain",
    "proved",
    "unreachable",
    "settled",
    "every feasible path",
    "every path was seen",
    "all paths seen",
    "all of them",
    "all of its paths",
    "cost the same",
    "grows like",
    "grow like",
    "grows as",
    "exactly",
    "never end",
    "faster than any",
    "accepts no input",
    "every run is",
];

/// Texts that have one of them and say nothing about a result: the end of a file's name, and a part of the text.
const OTHERS: [(&str, &str); 10] = [
    ("outcome/src/end.rs", "never ends"),
    ("outcome/src/end.rs", "unreachable"),
    ("report/src/cover.rs", "unreachable"),
    ("flags/mod.rs", "can be repeated exactly"),
    ("flags/compare.rs", "can be repeated exactly"),
    ("curve/search.rs", "could not be repeated exactly"),
    ("cli/src/examples.rs", "Examples:"),
    ("input/src/domain.rs", "exactly"),
    ("python/worker/boot.py", "exactly("),
    ("python/worker/rewrite.py", "@settled"),
];

/// The crates below those that say anything about a result.
const SILENT: [&str; 4] = ["term", "solver", "wasm", "testkit"];

/// The lines of a Python source that have a text, each with its number. Comments and what stands between three quotes have none.
fn python_texts(source: &str) -> Vec<(usize, String)> {
    let mut is_comment = false;
    let lines = source.lines().enumerate().filter_map(|(at, line)| {
        let is_inside = is_comment;
        is_comment ^= line.matches("\"\"\"").count() % 2 == 1;
        let code = line.split("# ").next().unwrap_or_default();
        let has_text = code.contains(['"', '\'']) && !is_inside && !code.contains("\"\"\"");
        has_text.then(|| (at + 1, code.trim().to_string()))
    });
    lines.collect()
}

/// The texts in quotes in a Rust source, each with its line, up to its tests. Comments have none.
fn texts(source: &str) -> Vec<(usize, String)> {
    let source = source.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = source.char_indices().peekable();
    let line_of = |at: usize| source[..at].matches('\n').count() + 1;
    while let Some((at, c)) = rest.next() {
        let tail = &source[at..];
        let end = match c {
            '/' if tail.starts_with("//") => at + tail.find('\n').unwrap_or(tail.len()),
            // A quote or a backslash as a character, which begins no text.
            '\'' if tail.starts_with("'\"'") => at + 3,
            '\'' if tail.starts_with("'\\") => at + 2 + tail[2..].find('\'').map_or(1, |end| end.max(1) + 1),
            'r' if tail.starts_with("r#\"") => {
                let end = tail.find("\"#").map_or(tail.len(), |end| end + 2);
                found.push((line_of(at), tail[..end].to_string()));
                at + end
            }
            '"' => {
                let mut escaped = false;
                let mut inside = tail.char_indices().skip(1);
                let end = inside.find(|&(_, c)| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                let end = end.map_or(tail.len(), |(end, _)| end + 1);
                // A line that goes on in the next one is one text.
                let text = tail[1..end.max(2) - 1].split("\\\n").map(str::trim_start).collect::<String>();
                found.push((line_of(at), text));
                at + end
            }
            _ => continue,
        };
        while rest.next_if(|&(at, _)| at < end).is_some() {}
    }
    found
}

/// Texts with one of the words, as `file:line: text`.
fn with_words(file: &str, source: &str) -> Vec<String> {
    let is_other = |text: &str| OTHERS.iter().any(|(of, part)| file.ends_with(of) && text.contains(part));
    let has_word = |text: &str| WORDS.iter().any(|word| text.to_lowercase().contains(word));
    let texts = if file.ends_with(".py") { python_texts(source) } else { texts(source) };
    let texts = texts.into_iter().filter(|(_, text)| has_word(text) && !is_other(text));
    texts.map(|(line, text)| format!("{file}:{line}: {text}")).collect()
}

fn sources(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, into),
            false if path.extension().is_some_and(|end| end == "rs" || end == "py") => into.push(path),
            false => {}
        }
    }
}

#[test]
fn one_module_words_every_certainty() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        if !SILENT.iter().any(|name| path.ends_with(name)) {
            ["src", "worker"]
                .map(|part| path.join(part))
                .iter()
                .filter(|part| part.is_dir())
                .for_each(|part| sources(part, &mut files));
        }
    }
    assert!(files.len() > 250, "{} files", files.len());
    let (mut found, mut used) = (Vec::new(), [false; OTHERS.len()]);
    for file in files {
        let name = file.strip_prefix(crates).unwrap().to_string_lossy().into_owned();
        let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
        if !is_test && !["report/src/certainty.rs", "report/src/doubts.rs"].contains(&name.as_str()) {
            let source = fs::read_to_string(&file).unwrap();
            found.extend(with_words(&name, &source));
            for ((_, part), used) in OTHERS.iter().zip(&mut used).filter(|((of, _), _)| name.ends_with(of)) {
                *used |= source.contains(part);
            }
        }
    }
    let unused: Vec<_> = OTHERS.iter().zip(&used).filter(|(_, used)| !**used).map(|(other, _)| other).collect();
    assert!(unused.is_empty(), "no longer there: {unused:?}");
    assert!(found.is_empty(), "sentences for crates/report/src/certainty.rs:\n{}", found.join("\n"));
}

#[test]
fn a_sentence_elsewhere_is_found() {
    let source = r##"//! "certain"
        fn f() -> String {
            let _ = ('"', '\'', '\\', "fine \" grown"); // "proved"
            format!("the worst case \
                     grows like {}", r#"settled"#)
        }
#[cfg(test)]
mod tests { const C: &str = "certain"; }
"##;
    let found = with_words("cli/src/x.rs", source);
    assert_eq!(found, ["cli/src/x.rs:4: the worst case grows like {}", "cli/src/x.rs:5: r#\"settled\"#"]);
    let source = "\"\"\"certain\"\"\"\nraise Refused('it is proved')  # 'settled'\n";
    assert_eq!(with_words("python/worker/x.py", source), ["python/worker/x.py:2: raise Refused('it is proved')"]);
    assert!(with_words("cli/src/flags/mod.rs", "\"runs can be repeated exactly\"").is_empty());
    assert_eq!(with_words("cli/src/flags/other.rs", "\"runs can be repeated exactly\"").len(), 1);
}
