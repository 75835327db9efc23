//! The result of `pessimum suite` in words.

use pessimum_report::suite::{AboutTest, MutationScore, Statement, SuiteResult};
use pessimum_report::text::printable;

use crate::cover::text::{by_file, by_function, open, verdict};
use crate::flags::SuiteFlags;
use crate::output::{Style, counted, folded, seconds, width};

/// Tests, statements of one test, and mutants that are shown; result.json has all of them.
const SHOWN: (usize, usize, usize) = (12, 12, 8);

/// Coverage by file and function, the tests, what is not covered, and what mistakes the tests notice.
pub fn suite(flags: &SuiteFlags, result: &SuiteResult) -> String {
    let style = Style::of(flags.search.color, &std::io::stdout());
    let mut text = by_file(&result.coverage, style);
    text += &by_function(&result.coverage, style);
    text += &tests(result, style);
    text += &open(&result.coverage, &result.module, None, style);
    text += &verdict(&result.coverage, flags.fail_under, style);
    if let Some(score) = &result.mutation {
        text += &mutation(score, style);
    }
    text
}

fn tests(result: &SuiteResult, style: Style) -> String {
    let (runs, time) = (counted(result.runs, "execution", "executions"), seconds(result.elapsed_s));
    let count = counted(result.tests.len() as u64, "test", "tests");
    let mut text = format!("\nsuite: {} from {runs} in {time}\n", style.number(&count));
    for (statements, about) in result.tests.iter().zip(&result.about).take(SHOWN.0) {
        text += &test(statements, about, style);
    }
    if result.tests.len() > SHOWN.0 {
        text += &format!("  and {} more in result.json\n", result.tests.len() - SHOWN.0);
    }
    text
}

fn test(statements: &[Statement], about: &AboutTest, style: Style) -> String {
    let adds = style.faint(&format!("+{}", about.adds));
    let end = if about.traps() { format!("  {}", style.bad(&about.end)) } else { String::new() };
    let mut text = format!("  {}  {adds}{end}\n", printable(&about.name));
    let mut rows: Vec<(String, usize)> = Vec::new();
    for statement in statements {
        let returned = statement.returned.as_ref().map(|value| format!("  -> {value}")).unwrap_or_default();
        let row = format!("{}{returned}", printable(&statement.text));
        match rows.last_mut() {
            // Counters are counted up by one call after the other.
            Some((last, times)) if *last == row => *times += 1,
            _ => rows.push((row, 1)),
        }
    }
    for (row, times) in rows.iter().take(SHOWN.1) {
        let times = if *times > 1 { format!("  {times} times") } else { String::new() };
        text += &format!("    {}\n", folded(&format!("{row}{times}"), 4, 6, width()));
    }
    if rows.len() > SHOWN.1 {
        text += &format!("    and {} more\n", rows.len() - SHOWN.1);
    }
    text
}

fn mutation(score: &MutationScore, style: Style) -> String {
    let killed = format!("{} of {} ({:.0} %)", score.killed, score.tried, score.per_cent().floor());
    let mut text = format!("\nmistakes noticed: {}", style.number(&killed));
    if score.tried < score.mutants {
        text += &format!(", {} not tried", score.mutants - score.tried);
    }
    text.push('\n');
    for survivor in score.survivors.iter().take(SHOWN.2) {
        text += &format!("  not noticed: {}, {}\n", printable(&survivor.place), survivor.change);
    }
    let more = (score.tried - score.killed).saturating_sub(SHOWN.2 as u64);
    if more > 0 {
        text += &format!("  and {more} more\n");
    }
    text
}
