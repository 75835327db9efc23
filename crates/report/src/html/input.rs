//! The worst input, drawn: bars for lists of numbers, a hex view for bytes, a table for single values.

use serde_json::Value;

use super::chart::bars;
use super::element::{Element, element};
use crate::text::{counted, grouped, sentence};

/// At most this many numbers of a list are written out.
const NUMBERS_SHOWN: usize = 64;
/// At most this many rows of records or of arrays of arrays are written out.
const ROWS_SHOWN: usize = 48;
/// At most this many of their columns are described.
const COLUMNS_SHOWN: usize = 8;
/// A hex view has at most this many lines of 16 bytes; the middle of a longer one is left out.
const HEX_LINES: usize = 32;
/// At most this many single values are listed.
const VALUES_SHOWN: usize = 64;

/// Everything that the program read, one part after the other.
pub fn input(input: &Value, call: Option<&str>) -> Vec<Element> {
    let mut parts = Vec::new();
    match input {
        Value::Array(arguments) => arguments_drawn(arguments, call, &mut parts),
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("arguments", Value::Array(arguments)) => arguments_drawn(arguments, call, &mut parts),
                    ("stdin", Value::String(hex)) => bytes_drawn("Standard input", hex, &mut parts),
                    ("args", Value::Array(values)) => {
                        for (i, value) in values.iter().enumerate() {
                            bytes_drawn(&format!("Word {} of the command line", i + 1), &text_of(value), &mut parts);
                        }
                    }
                    ("files", Value::Object(files)) => {
                        for (name, value) in files {
                            bytes_drawn(&format!("File {name}"), &text_of(value), &mut parts);
                        }
                    }
                    ("values", Value::Array(values)) => asked(values, &mut parts),
                    (name, value) => parts.push(raw(name, value)),
                }
            }
        }
        other => parts.push(raw("Input", other)),
    }
    parts
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn raw(name: &str, value: &Value) -> Element {
    part(name).child(element("pre").class("wrap").text(shortened(&value.to_string(), 2000)))
}

fn part(title: &str) -> Element {
    element("div").child(element("h3").text(title))
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            format!("{}\u{2026} ({} more)", &text[..end], counted((text.len() - end) as u64, "byte", "bytes"))
        }
        None => text.to_string(),
    }
}

/// A number as a chart needs it; infinities and NaN have no bar.
fn bar_value(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite()).or(match value {
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::String(_) => Some(0.0),
        _ => None,
    })
}

fn arguments_drawn(arguments: &[Value], call: Option<&str>, parts: &mut Vec<Element>) {
    let mut scalars = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        let name = format!("Argument {}", i + 1);
        match argument {
            Value::Array(values) if values.first().is_some_and(Value::is_array) => rows(&name, values, parts),
            Value::Array(values) => list(&name, values, parts),
            Value::String(text) if text.starts_with('&') && call.is_some_and(|call| call.contains(text)) => {
                scalars.push((name, text.clone()));
            }
            Value::String(text) if text.starts_with("nan:") || text == "inf" || text == "-inf" => {
                scalars.push((name, text.clone()));
            }
            Value::String(text) => {
                let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
                bytes_drawn(&format!("{name}, text"), &hex, parts);
            }
            Value::Null => scalars.push((name, "a zeroed buffer".to_string())),
            value => scalars.push((name, value.to_string())),
        }
    }
    if !scalars.is_empty() {
        parts.push(scalar_table("Single values", &scalars));
    }
}

fn scalar_table(title: &str, scalars: &[(String, String)]) -> Element {
    let rows = scalars.iter().take(VALUES_SHOWN).map(|(name, value)| {
        let row = element("tr").child(element("th").with("scope", "row").text(name));
        row.child(element("td").class("value mono").text(shortened(value, 200)))
    });
    let mut part = part(title).child(element("table").child(element("tbody").children(rows)));
    if scalars.len() > VALUES_SHOWN {
        let more = counted((scalars.len() - VALUES_SHOWN) as u64, "more value", "more values");
        part = part.child(element("p").class("note").text(format!("and {more}, in input.json")));
    }
    part
}

/// Records, or the rows of an array of arrays: one to a line, and the order of each column in words.
fn rows(name: &str, values: &[Value], parts: &mut Vec<Element>) {
    let mut part = part(&format!("{name}: {}", counted(values.len() as u64, "row", "rows")));
    let width = values.first().and_then(Value::as_array).map_or(0, Vec::len);
    let column = |at: usize| -> Option<Vec<f64>> { values.iter().map(|row| row.get(at).and_then(bar_value)).collect() };
    for at in (0..width).take(COLUMNS_SHOWN) {
        if let Some(numbers) = column(at).filter(|numbers| numbers.len() > 1) {
            let text = format!("column {}: {}", at + 1, describe(&numbers));
            part = part.child(element("p").text(sentence(&text) + "."));
        }
    }
    let mut lines: Vec<String> = values.iter().take(ROWS_SHOWN).map(|row| shortened(&row.to_string(), 200)).collect();
    if values.len() > ROWS_SHOWN {
        let more = counted((values.len() - ROWS_SHOWN) as u64, "more row", "more rows");
        lines.push(format!("\u{2026} and {more}, in input.json"));
    }
    parts.push(part.child(element("pre").class("wrap").text(lines.join("\n"))));
}

fn list(name: &str, values: &[Value], parts: &mut Vec<Element>) {
    let count = counted(values.len() as u64, "number", "numbers");
    let mut part = part(&format!("{name}: {count}"));
    if values.is_empty() {
        parts.push(part);
        return;
    }
    let numbers: Option<Vec<f64>> = values.iter().map(bar_value).collect();
    if let Some(numbers) = &numbers {
        let description = describe(numbers);
        if numbers.iter().all(|number| *number == numbers[0]) && numbers.len() > 1 {
            parts.push(part.child(element("p").text(sentence(&description) + ".")));
            return;
        }
        let figure = element("figure").child(bars(numbers, &format!("{name}: {count}, {description}")));
        part = part.child(figure.child(element("figcaption").text(sentence(&description) + ".")));
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let shown: Vec<String> = match values.len() > NUMBERS_SHOWN {
        false => values.iter().map(text).collect(),
        true => {
            let (head, tail) = (NUMBERS_SHOWN * 3 / 4, NUMBERS_SHOWN / 4);
            let left_out = format!("\u{2026} {} more \u{2026}", grouped((values.len() - head - tail) as u64));
            let first = values[..head].iter().map(text);
            first.chain([left_out]).chain(values[values.len() - tail..].iter().map(text)).collect()
        }
    };
    parts.push(part.child(element("pre").class("wrap").text(shown.join(", "))));
}

/// Order, extent and repetition of a list, in words.
fn describe(numbers: &[f64]) -> String {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    let pairs = || numbers.windows(2).map(|pair| pair[0].total_cmp(&pair[1]));
    if numbers.len() > 1 && distinct.len() == 1 {
        return format!("all equal to {least}");
    }
    let order = match numbers.len() {
        1 => "one number",
        _ if pairs().all(|order| order.is_lt()) => "ascending",
        _ if pairs().all(|order| order.is_gt()) => "descending",
        _ if pairs().all(|order| order.is_le()) => "ascending, with repetitions",
        _ if pairs().all(|order| order.is_ge()) => "descending, with repetitions",
        _ => "in no simple order",
    };
    let different = match distinct.len() {
        count if count == numbers.len() => "all different".to_string(),
        count => counted(count as u64, "distinct value", "distinct values"),
    };
    let per_column = numbers.len().div_ceil(200);
    let columns =
        if per_column > 1 { format!("; each column shows the range of {per_column} numbers") } else { String::new() };
    format!("{order}, {different}, from {least} to {most}{columns}")
}

/// Bytes given in hex, 16 to a line, with their text beside them.
fn bytes_drawn(name: &str, hex: &str, parts: &mut Vec<Element>) {
    let digits: Vec<u8> = hex.bytes().collect();
    let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let Some(bytes) = digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>() else {
        parts.push(raw(name, &Value::String(hex.to_string())));
        return;
    };
    let mut part = part(&format!("{name}: {}", counted(bytes.len() as u64, "byte", "bytes")));
    if let Some(text) = readable(&bytes) {
        part = part.child(element("pre").class("wrap").text(shortened(&text, 4000)));
    }
    let lines = bytes.len().div_ceil(16);
    let mut rows = element("tbody");
    for (i, chunk) in bytes.chunks(16).enumerate() {
        let (head, tail) = (HEX_LINES * 3 / 4, HEX_LINES / 4);
        if lines > HEX_LINES && i >= head && i < lines - tail {
            if i == head {
                let text = format!("\u{2026} {} left out", counted((lines - head - tail) as u64, "line", "lines"));
                rows = rows.child(element("tr").child(element("td")).child(element("td").text(text)));
            }
            continue;
        }
        rows = rows.child(hex_line(i * 16, chunk));
    }
    let table = element("table").class("hex").with("aria-label", format!("{name} in hexadecimal")).child(rows);
    parts.push(part.child(element("div").class("scroll").child(table)));
}

fn hex_line(offset: usize, chunk: &[u8]) -> Element {
    let mut hex = String::new();
    for (i, byte) in chunk.iter().enumerate() {
        if i == 8 {
            hex.push(' ');
        }
        hex += &format!("{byte:02x} ");
    }
    let hex = format!("{:<49}", hex);
    let mut text = element("td");
    for &byte in chunk {
        text = match byte {
            0x20..=0x7e => text.text(char::from(byte)),
            _ => text.child(element("i").text('\u{b7}')),
        };
    }
    let offset = element("td").class("offset").text(format!("{offset:x}"));
    element("tr").child(offset).child(element("td").text(hex)).child(text)
}

/// The bytes as text, where all of them are text.
fn readable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_text = !text.is_empty() && text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    is_text.then(|| text.to_string())
}

fn asked(values: &[Value], parts: &mut Vec<Element>) {
    let mut scalars: Vec<(String, String)> = Vec::new();
    let mut numbers = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let Some((kind, value)) = value.as_object().and_then(|object| object.iter().next()) else { continue };
        match (kind.as_str(), value) {
            ("bytes", Value::String(hex)) => bytes_drawn(&format!("Answer {}", i + 1), hex, parts),
            (kind, value) => {
                scalars.push((format!("Answer {}, {kind}", i + 1), value.to_string()));
                numbers.push(value.clone());
            }
        }
    }
    // Many single answers are a list that the program fetched number by number.
    if numbers.len() > 8 {
        list("Answers to what the program asked", &numbers, parts);
    } else if !scalars.is_empty() {
        parts.push(scalar_table("Answers to what the program asked", &scalars));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(value: Value) -> String {
        input(&value, Some("f(&compare)")).iter().map(Element::to_string).collect()
    }

    #[test]
    fn lists_are_described_in_words() {
        let cases: [(&[f64], &str); 6] = [
            (&[3.0, 2.0, 1.0], "descending, all different, from 1 to 3"),
            (&[1.0, 1.0, 2.0], "ascending, with repetitions, 2 distinct values, from 1 to 2"),
            (&[5.0], "one number, all different, from 5 to 5"),
            (&[5.0, 5.0], "all equal to 5"),
            (&[1.0, 3.0, 2.0], "in no simple order, all different, from 1 to 3"),
            (&[-1.0, 0.0], "ascending, all different, from -1 to 0"),
        ];
        for (numbers, expected) in cases {
            assert_eq!(describe(numbers), expected);
        }
    }

    #[test]
    fn every_form_of_input_is_drawn() {
        let call = drawn(json!([[1, 2, 3], 3, null, "a<b", "nan:0x7fc00000", [1.5, "inf"]]));
        for part in ["Argument 1: 3 numbers", "a zeroed buffer", "a&lt;b", "nan:0x7fc00000", "61 3c 62", "1.5, inf"] {
            assert!(call.contains(part), "{part} in {call}");
        }
        let command = drawn(json!({
            "stdin": "3c2f00ff", "args": ["61"], "files": { "<x>": "0a" }, "values": [{ "i32": 7 }, { "bytes": "4142" }]
        }));
        for part in ["3c 2f 00 ff", "&lt;/<i>", "Word 1", "File &lt;x&gt;", "Answer 1, i32", "41 42"] {
            assert!(command.contains(part), "{part} in {command}");
        }
    }

    #[test]
    fn long_inputs_are_shortened() {
        let many: Vec<u64> = (0..10_000).collect();
        let text = drawn(json!([many]));
        assert!(text.contains("9,936 more"));
        assert!(text.len() < 60_000, "{}", text.len());
        let hex = "41".repeat(100_000);
        let text = drawn(json!({ "stdin": hex }));
        assert!(text.contains("6,218 lines left out"), "{text}");
        assert!(text.len() < 20_000, "{}", text.len());
    }
}
