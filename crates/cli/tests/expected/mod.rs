//! Compares what a command printed with what a file says it prints, as far as that is certain.
//!
//! Three things are not compared:
//!
//! - Times and rates, which differ between runs and machines; see [`normalised`].
//! - What a shown `...` stands for: any text within a line, any lines where it is a line of its own.
//! - What a search happens to find, if the file says that it *varies*. `varies: worst input | how sure` names labels. A label
//!   at the start of a line takes its whole section with it: the line and the indented lines below. A label further right, as
//!   the head of a column, takes what is to the right of that place, down to the next blank line. So a file can show real
//!   output of a search, and a better search still does not make its test fail.

/// What was said about a command's output, apart from the output itself.
#[derive(Clone, Default)]
pub struct Rules {
    varies: Vec<String>,
    prints: Vec<String>,
}

impl Rules {
    /// Reads one remark: `varies: LABEL | LABEL` or `prints: TEXT`. Says whether it was one of these.
    pub fn add(&mut self, remark: &str) -> bool {
        let Some((name, value)) = remark.split_once(": ") else { return false };
        match name {
            "varies" => self.varies.extend(value.split('|').map(|label| label.trim().to_string())),
            "prints" => self.prints.push(value.to_string()),
            _ => return false,
        }
        true
    }

    /// Whether the output is what is shown.
    pub fn agree(&self, shown: &[String], found: &[String]) -> bool {
        let printed = |text: &String| found.iter().any(|line| line.contains(text));
        self.prints.iter().all(printed) && lines_match(&self.certain(shown), &self.certain(found))
    }

    /// The output without what varies, and without blank lines at its end.
    fn certain(&self, lines: &[String]) -> Vec<String> {
        let mut kept = Vec::new();
        // The column from which nothing is compared, until a blank line, the next stream or the next command.
        let mut cut: Option<usize> = None;
        for line in lines {
            let begins = ["$ ", "--- "].iter().any(|mark| line.starts_with(mark));
            if line.trim().is_empty() || begins || (cut == Some(0) && !line.starts_with(' ')) {
                cut = None;
            }
            if let Some(column) = self.varies.iter().filter_map(|label| column(line, label)).min() {
                cut = Some(cut.map_or(column, |cut| cut.min(column)));
            }
            match cut {
                Some(0) => {}
                Some(column) => kept.push(line.chars().take(column).collect::<String>().trim_end().to_string()),
                None => kept.push(normalised(line)),
            }
        }
        while kept.last().is_some_and(String::is_empty) {
            kept.pop();
        }
        kept
    }
}

/// Where a label is in a line: at its start, or after at least two spaces, as in a table.
fn column(line: &str, label: &str) -> Option<usize> {
    line.match_indices(label).find_map(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + label.len()..]);
        let is_whole = !(label.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric));
        let is_label = is_whole && (before.is_empty() || before.ends_with("  "));
        is_label.then(|| before.chars().count())
    })
}

/// Whether lines are as shown; a line `...` stands for any number of lines.
fn lines_match(shown: &[String], found: &[String]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first.trim() == "..." => (0..=found.len()).any(|at| lines_match(rest, &found[at..])),
        Some((first, rest)) => {
            found.split_first().is_some_and(|(line, others)| line_matches(first, line) && lines_match(rest, others))
        }
    }
}

/// Whether a line is as shown; `...` stands for any text.
fn line_matches(shown: &str, found: &str) -> bool {
    match shown.split_once("...") {
        None => shown == found,
        Some((start, rest)) => found.strip_prefix(start).is_some_and(|found| {
            found.char_indices().map(|(at, _)| at).chain([found.len()]).any(|at| line_matches(rest, &found[at..]))
        }),
    }
}

/// A line without what differs between runs: `0.07 s` is `T s`, `1,234 paths/s` is `R paths/s`, and `"elapsed_s": 0.07` and
/// `time="0.07"` likewise.
pub fn normalised(line: &str) -> String {
    let mut text = line.to_string();
    for (unit, letter) in [(" s", 'T'), (" ms", 'T'), (" paths/s", 'R'), (" runs/s", 'R'), (" MiB", 'M')] {
        text = without_numbers(&text, unit, letter);
    }
    // Which unit it is depends on the machine.
    text = text.replace("T ms", "T s");
    for (key, end) in [("\"elapsed_s\": ", ","), ("\"time_s\": ", ","), (" time=\"", "\"")] {
        if let Some(at) = text.find(key) {
            let rest = &text[at + key.len()..];
            let after = rest.find(end).map_or("", |end| &rest[end..]);
            text = format!("{}{key}T{after}", &text[..at]);
        }
    }
    text
}

/// Replaces numbers before a unit with a letter. `20 s` is not one of our times, which have a decimal point.
fn without_numbers(text: &str, unit: &str, letter: char) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(unit) {
        let (before, after) = rest.split_at(at);
        let start = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
        let number = &before[start.len()..];
        let ends = !after[unit.len()..].starts_with(|c: char| c.is_alphanumeric());
        if !number.is_empty() && ends && (letter != 'T' || number.contains('.')) {
            // Padding before a number depends on its length.
            kept += start.trim_end_matches(' ');
            kept.push(' ');
            kept.push(letter);
        } else {
            kept += before;
        }
        kept += unit;
        rest = &after[unit.len()..];
    }
    kept + rest
}

/// The tests of this module, for harnesses that are not libtest's.
pub fn check() {
    assert_eq!(normalised("best of 38,819 paths in 5.00 s (spent)"), "best of 38,819 paths in T s (spent)");
    assert_eq!(normalised("12.5 s  8,412 paths/s"), " T s R paths/s");
    assert_eq!(normalised("20 s are 20 samples"), "20 s are 20 samples");
    assert_eq!(normalised("  \"elapsed_s\": 0.123,"), "  \"elapsed_s\": T,");
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<String>>();
    let agree = |rules: &str, shown: &str, found: &str| {
        let mut read = Rules::default();
        rules.lines().for_each(|rule| assert!(read.add(rule), "{rule}"));
        read.agree(&lines(shown), &lines(found))
    };
    assert!(agree("", "a\n...\nz", "a\nb\nc\nz"));
    assert!(!agree("", "a\n...\nz", "a\nb\nc"));
    assert!(agree("", "f([...], 3)", "f([1, 2, 3], 3)"));
    assert!(!agree("", "f([...], 3)", "f([1, 2, 3], 4)"));
    assert!(agree("", "took 1.25 s", "took 0.01 s"));
    assert!(!agree("", "2 paths", "3 paths"));
    // A section goes with its label, however long it is; other sections stay.
    let found = "worst  f(1)\n       one\ncost   3\nend    ok\n\ncost is\n  here";
    assert!(agree("varies: worst", found, "worst  f(2)\ncost   3\nend    ok\n\ncost is\n  here"));
    assert!(!agree("varies: worst", found, "worst  f(2)\ncost   4\nend    ok\n\ncost is\n  here"));
    assert!(!agree("varies: worst", found, "worst  f(2)\nend    ok\n\ncost is\n  here"));
    assert!(agree("varies: worst | cost", found, "worst  f(2)\ncost   4\nend    ok\n\ncost is"));
    // A column is left out down to the end of its table.
    let found = " n  cost  how sure\n 4    25  very\n\nend";
    assert!(agree("varies: how sure", found, " n  cost  how sure\n 4    25  not at all\n\nend"));
    assert!(!agree("varies: how sure", found, " n  cost  how sure\n 4    26  very\n\nend"));
    assert!(!agree("varies: how sure", found, " n  cost  how sure\n 4    25  very\n\nends"));
    assert!(!agree("varies: cost\nprints: 27", found, " n  cost  how sure\n 4    26  very\n\nend"));
    assert!(!Rules::default().add("a remark: about nothing"));
}
