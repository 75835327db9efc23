//! The verdicts of a gate as JUnit XML, in the form that Jenkins, GitLab and others read: `testsuites`, `testsuite`,
//! `testcase`, with `failure` for what is above its limit and `error` for what could not be established. Only attributes of
//! Jenkins' junit-10.xsd are used, the strictest of the schemas; source lines are in the messages.

use std::fmt::Write as _;

use crate::gate::{Check, Gate, Rule, Verdict};
use crate::text::is_control;

/// The file's text.
pub fn junit(gate: &Gate) -> String {
    let count = |verdict: Verdict| gate.checks.iter().filter(|check| check.verdict == verdict).count();
    let (tests, failures, errors) = (gate.checks.len(), count(Verdict::Failed), count(Verdict::Unknown));
    let time = seconds(gate.elapsed_s);
    let name = escaped(&gate.subject);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pessimum\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"{errors}\" time=\"{time}\">\n  <testsuite name=\"{name}\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{time}\">\n"
    );
    for check in &gate.checks {
        text += &case(gate, check);
    }
    text + "  </testsuite>\n</testsuites>\n"
}

fn case(gate: &Gate, check: &Check) -> String {
    let mut text = format!(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\">\n",
        escaped(&gate.module),
        escaped(&check.name),
        seconds(check.elapsed_s)
    );
    let message = escaped(&check.message);
    match check.verdict {
        Verdict::Failed => {
            let kind = match check.rule {
                Rule::WorstCase | Rule::Growth => "above-limit",
                Rule::Coverage => "under-limit",
                Rule::Trap => "trap",
            };
            let _ = writeln!(text, "      <failure message=\"{message}\" type=\"{kind}\">{message}</failure>");
        }
        Verdict::Unknown => {
            let _ = writeln!(text, "      <error message=\"{message}\" type=\"not-known\">{message}</error>");
        }
        Verdict::Passed => {}
    }
    let _ = writeln!(text, "      <system-out>{message}</system-out>");
    text + "    </testcase>\n"
}

/// A time with a decimal point, whatever the locale.
fn seconds(seconds: f64) -> String {
    format!("{seconds:.3}")
}

/// Text for XML. Invisible characters are shown as escapes: XML cannot hold all of them, and nobody could see the
/// others.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' => escaped += "&#10;",
            '\t' => escaped += "&#9;",
            '\r' => escaped += "&#13;",
            c if is_control(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}
