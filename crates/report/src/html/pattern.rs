//! Patterns in a report: in words, as a picture of the input, and how the cost grows far beyond the searches.

use serde_json::Value;

use super::chart::pattern_chart;
use super::element::{Element, element};
use super::{input, note, scrolled};
use crate::certainty;
use crate::pattern::{FoundPattern, How, PatternResult};
use crate::text::grouped;

/// Rows of the table of costs that are shown without unfolding.
const SHOWN: usize = 24;

/// Everything that is said about patterns. `drawn` is the first pattern's input at a small size.
pub fn contents(result: &PatternResult, drawn: Option<(u64, &Value)>) -> Vec<Element> {
    let mut contents = vec![conclusion(result)];
    for (number, found) in result.patterns.iter().enumerate() {
        contents.extend(pattern(found, &result.cost, (result.patterns.len() > 1).then_some(number + 1)));
    }
    if result.patterns.is_empty()
        && let Some(words) = &result.words
    {
        contents.push(note(format!("No pattern was found. {words}")));
    }
    contents.extend(pattern_chart(result));
    contents.push(scrolled(points(result)));
    if let Some((size, value)) = drawn {
        contents.push(element("h3").text(format!("The pattern's input at n = {}", grouped(size))));
        contents.extend(input::input(value, result.call.as_deref(), None));
    }
    contents
}

fn conclusion(result: &PatternResult) -> Element {
    let verdict = result.verdict();
    let text = match &verdict.grown {
        Some(grown) => certainty::all_grow(grown),
        None => format!("how the worst case grows is {}", certainty::not_known(&verdict)),
    };
    element("p").text(format!("In short: {text}."))
}

fn pattern(found: &FoundPattern, cost: &str, number: Option<usize>) -> Vec<Element> {
    let heading = number.map_or_else(|| "The pattern".to_string(), |number| format!("Pattern {number}"));
    let mut lines = vec![element("h3").text(heading), element("p").child(element("code").text(&found.words))];
    let mut said = match (found.growth.class, &found.growth.fit) {
        (Some(class), Some(fit)) => format!("It {}: about {}.", certainty::pattern_grows(class), fit.formula()),
        (Some(class), None) => format!("It {}.", certainty::pattern_grows(class)),
        (None, _) => {
            let why = found.growth.why_not.as_deref().unwrap_or("not enough data");
            format!("Its class is not known: {why}.")
        }
    };
    if let Some(formula) = &found.formula {
        said += &format!(" Its cost is {}.", certainty::exactly(formula, cost));
    }
    if let Some(place) = &found.place {
        said += &format!(" Most of it is in {place}.");
    }
    if let Some(behind) = &found.behind {
        let part = 100.0 * behind.part();
        said += &format!(" At n = {} it costs {part:.1} % less than what the search found.", behind.size);
    }
    let largest = found.points.last().map_or(0, |point| point.size);
    said += &format!(" It was run up to n = {}: {}.", grouped(largest), found.stopped);
    lines.push(element("p").text(said));
    lines
}

fn points(result: &PatternResult) -> Element {
    let mut sizes: Vec<u64> = result.points.iter().map(|&(size, ..)| size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let head = ["n", "searched", "pattern", "random"];
    let head = element("tr").children(head.map(|name| element("th").class("number").text(name)));
    let cell = |size: u64, how: How| {
        let point = result.points.iter().find(|&&(other, _, kind)| other == size && kind == how);
        element("td").class("number").text(point.map_or_else(|| "-".to_string(), |&(_, cost, _)| grouped(cost)))
    };
    let row = |&size: &u64| {
        let cells = [How::Searched, How::Generated, How::Random].map(|how| cell(size, how));
        element("tr").child(element("td").class("number").text(grouped(size))).children(cells)
    };
    let rows = sizes.iter().rev().take(SHOWN).rev().map(row);
    element("table").child(element("thead").child(head)).child(element("tbody").children(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Growth;
    use crate::pattern::{Behind, GeneratedPoint};

    fn result() -> PatternResult {
        let growth = Growth { class: "n^2".parse().ok(), why_not: None, fit: None, runner_up: None, uncounted: None };
        let found = FoundPattern {
            pattern: Value::Null,
            words: "n/2 times `<`".to_string(),
            place: Some("parse (a.c:3)".to_string()),
            growth,
            formula: Some("n^2 + 1".to_string()),
            points: [8, 16, 32, 1024]
                .map(|n| GeneratedPoint { size: n, cost: n * n, random: None, work: None })
                .to_vec(),
            stopped: "the largest size is 1024".to_string(),
            behind: Some(Behind { size: 16, searched: 300, generated: 256 }),
        };
        PatternResult {
            module: "a.wasm".to_string(),
            call: Some("f(u8[n], n)".to_string()),
            cost: "instructions".to_string(),
            seed: 1,
            growth_with: "size".to_string(),
            class: found.growth.class,
            why_not: None,
            at_least: None,
            class_from: Some("pattern".to_string()),
            pattern: Some(Value::Null),
            words: Some(found.words.clone()),
            formula: None,
            points: vec![(8, 70, How::Searched), (8, 64, How::Generated), (1024, 1 << 20, How::Generated)],
            patterns: vec![found],
            searched: None,
            random: None,
            tried: 7,
            elapsed_s: 1.0,
            arguments: Vec::new(),
        }
    }

    #[test]
    fn everything_is_said_and_escaped() {
        let result = result();
        let input = serde_json::json!([[60, 60], null]);
        let page: String = contents(&result, Some((64, &input))).iter().map(Element::to_string).collect();
        for part in ["n/2 times `&lt;`", "exactly n^2 + 1", "parse (a.c:3)", "14.7 % less", "1,048,576", "n = 64"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
