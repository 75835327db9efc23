//! The worst input, drawn: bars for lists of numbers, a hex view for bytes, a table for single values.

use serde_json::Value;

use super::chart::bars;
use super::element::{Element, element, is_shown};
use super::scrolled;
use crate::text::{call_with, counted, elements, grouped, method_of, sentence};

/// Of a longer list, this many numbers are seen at once; the others unfold.
const NUMBERS_SEEN: usize = 64;
/// Of a longer text, this many characters are seen at once; the others unfold.
const TEXT_SEEN: usize = 2000;
/// Of a longer hex view, this many lines of 16 bytes are seen at once; the others unfold.
const HEX_SEEN: usize = 32;
/// A page holds at most this much of a list, a text and a hex view; the files beside it hold all of it.
const NUMBERS_HELD: usize = 20_000;
const TEXT_HELD: usize = 100_000;
const HEX_HELD: usize = 1024;
/// The longest input, in bytes of JSON, that is in the page once more to be copied.
const COPIED: usize = 64 << 10;
/// At most this many rows of records or of arrays of arrays are written out.
const ROWS_SHOWN: usize = 48;
/// At most this many of their columns are described.
const COLUMNS_SHOWN: usize = 8;
/// At most this many single values are listed.
const VALUES_SHOWN: usize = 64;

/// How to take the input away: a button that copies it, and the files that hold it.
pub fn to_take(input: &Value, files: &[String]) -> Element {
    let mut row = element("p").class("take");
    let json = json(input);
    if json.len() <= COPIED {
        row = row.child(copy("input-json", "Copy as JSON"));
        row = row.child(element("span").with("id", "input-json").with("hidden", "").text(json));
    }
    for file in files {
        row = row.child(element("a").with("href", address(file)).text(file.rsplit('/').next().unwrap_or(file)));
    }
    row
}

/// A button that copies the text of the element with this id. It is hidden until the script that makes it work has run.
fn copy(of: &str, name: &str) -> Element {
    element("button").class("copy").with("type", "button").with("data-of", of).with("hidden", "").text(name)
}

/// JSON on one line. Characters that a page would show in another form are escaped, so that a copy is the same value.
fn json(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        match is_shown(c) {
            true => text.push(c),
            false => text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
        }
    }
    text
}

/// A path as the address of a link relative to the page.
fn address(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    // A first directory with a colon would be read as the name of a protocol.
    let start = if path.starts_with('.') { "" } else { "./" };
    let bytes =
        path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    start.to_string() + &bytes.collect::<String>()
}

/// The arguments of a call as the source's author would write them.
pub fn written(arguments: &[String], call: Option<&str>) -> Element {
    // A name with the types of its parameters is in quotes.
    let name = call.and_then(|call| call.trim_start_matches('"').split('(').next()).unwrap_or_default().trim();
    let whole = call_with(call, arguments, name);
    text_drawn(part("The call"), &whole, "call")
}

/// Everything that the program read, one part after the other; `written` has the arguments as the source's author would write
/// them, where that says more.
pub fn input(input: &Value, call: Option<&str>, written: Option<&[String]>) -> Vec<Element> {
    let mut parts = Vec::new();
    match input {
        Value::Array(arguments) => arguments_drawn(arguments, call, written.unwrap_or_default(), &mut parts),
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("arguments", Value::Array(arguments)) => arguments_drawn(arguments, call, &[], &mut parts),
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

fn arguments_drawn(arguments: &[Value], call: Option<&str>, written: &[String], parts: &mut Vec<Element>) {
    let mut scalars = Vec::new();
    let has_object = !written.is_empty() && call.is_some_and(|call| method_of(call).is_some());
    for (i, argument) in arguments.iter().enumerate() {
        let name = match (has_object, i) {
            (true, 0) => "The object".to_string(),
            (true, i) => format!("Argument {i}"),
            (false, i) => format!("Argument {}", i + 1),
        };
        let texts = written.get(i).and_then(|text| elements(text));
        let are_numbers = || texts.as_ref().is_none_or(|texts| texts.iter().all(|text| text.parse::<f64>().is_ok()));
        match argument {
            Value::Array(values) if values.first().is_some_and(Value::is_array) => {
                rows(&name, values, texts.as_deref(), parts);
            }
            // Numbers of what there was to choose from are no numbers to a reader.
            Value::Array(values) if !are_numbers() => rows(&name, values, texts.as_deref(), parts),
            // What no number of the input is in; the call has it.
            Value::Null if !written.is_empty() => {}
            Value::Array(_) | Value::Number(_) if texts.is_none() && written.get(i).is_some() => {
                scalars.push((name, written[i].clone()));
            }
            // A text with bytes that are no UTF-8.
            Value::Array(values) if written.is_empty() && takes_text(call, i) => {
                match values.iter().map(byte).collect::<Option<Vec<u8>>>() {
                    Some(bytes) => bytes_part(&format!("{name}, text"), &bytes, parts),
                    None => list(&name, values, parts),
                }
            }
            Value::Array(values) => list(&name, values, parts),
            Value::String(text) if text.starts_with('&') && call.is_some_and(|call| call.contains(text)) => {
                scalars.push((name, text.clone()));
            }
            Value::String(text) if text.starts_with("nan:") || text == "inf" || text == "-inf" => {
                scalars.push((name, text.clone()));
            }
            Value::String(text) => {
                bytes_part(&format!("{name}, text"), text.as_bytes(), parts);
            }
            Value::Null => scalars.push((name, "a zeroed buffer".to_string())),
            value => scalars.push((name, value.to_string())),
        }
    }
    if !scalars.is_empty() {
        parts.push(scalar_table("Single values", &scalars));
    }
}

fn byte(value: &Value) -> Option<u8> {
    value.as_u64().and_then(|value| u8::try_from(value).ok())
}

/// Whether the argument of this index is a text, by the call.
fn takes_text(call: Option<&str>, index: usize) -> bool {
    let inside = call.and_then(|call| call.split_once('(')).map_or("", |(_, inside)| inside);
    let (mut depth, mut quote, mut argument, mut text) = (0, None, 0, String::new());
    for character in inside.chars() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth -= 1,
            (None, ',') if depth == 0 => argument += 1,
            (None, _) if argument == index && !character.is_whitespace() => text.push(character),
            (None, _) => {}
        }
    }
    text.starts_with("str")
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
fn rows(name: &str, values: &[Value], written: Option<&[&str]>, parts: &mut Vec<Element>) {
    let are_rows = values.iter().all(Value::is_array);
    let (one, many) = if are_rows { ("row", "rows") } else { ("value", "values") };
    let mut part = part(&format!("{name}: {}", counted(values.len() as u64, one, many)));
    let width = values.first().and_then(Value::as_array).map_or(0, Vec::len);
    let column = |at: usize| -> Option<Vec<f64>> {
        values.iter().map(|row| row.get(at).filter(|value| !value.is_string()).and_then(bar_value)).collect()
    };
    for at in (0..width).take(COLUMNS_SHOWN) {
        if let Some(numbers) = column(at).filter(|numbers| numbers.len() > 1) {
            let text = format!("column {}: {}", at + 1, describe(&numbers));
            part = part.child(element("p").text(sentence(&text) + "."));
        }
    }
    let texts: Vec<String> = match written {
        Some(written) => written.iter().take(ROWS_SHOWN).map(|text| text.to_string()).collect(),
        None => values.iter().take(ROWS_SHOWN).map(Value::to_string).collect(),
    };
    let mut lines: Vec<String> = texts.iter().map(|text| shortened(text, 200)).collect();
    if values.len() > ROWS_SHOWN {
        let more = counted((values.len() - ROWS_SHOWN) as u64, &format!("more {one}"), &format!("more {many}"));
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
    let text = |values: &[Value]| {
        let texts = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_string));
        texts.collect::<Vec<String>>().join(", ")
    };
    let head = if values.len() > NUMBERS_SEEN { NUMBERS_SEEN * 3 / 4 } else { values.len() };
    let tail = if values.len() > NUMBERS_SEEN { NUMBERS_SEEN / 4 } else { 0 };
    let middle = &values[head..values.len() - tail];
    let mut shown = element("div").class("numbers").text(text(&values[..head]));
    if !middle.is_empty() {
        let held = &middle[..middle.len().min(NUMBERS_HELD)];
        let summary = element("summary").text(format!("\u{2026} {} more \u{2026}", grouped(middle.len() as u64)));
        let mut rest = element("details").child(summary).text(text(held));
        if held.len() < middle.len() {
            let left = counted((middle.len() - held.len()) as u64, "number", "numbers");
            rest = rest.child(element("p").class("note").text(format!("and {left} more, in input.json")));
        }
        shown = shown.child(rest).text(text(&values[values.len() - tail..]));
    }
    parts.push(part.child(shown));
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
    bytes_part(name, &bytes, parts);
}

fn bytes_part(name: &str, bytes: &[u8], parts: &mut Vec<Element>) {
    let mut part = part(&format!("{name}: {}", counted(bytes.len() as u64, "byte", "bytes")));
    if let Some(text) = readable(bytes) {
        part = text_drawn(part, text, &format!("text-{}", parts.len()));
    }
    let lines: Vec<(usize, &[u8])> = bytes.chunks(16).enumerate().collect();
    let (head, tail) = if lines.len() > HEX_SEEN { (HEX_SEEN * 3 / 4, HEX_SEEN / 4) } else { (lines.len(), 0) };
    let middle = &lines[head..lines.len() - tail];
    let table = |lines: &[(usize, &[u8])]| {
        let rows = lines.iter().map(|&(i, chunk)| hex_line(i * 16, chunk));
        scrolled(element("table").class("hex").child(element("tbody").children(rows)))
    };
    part = part.child(table(&lines[..head]));
    if !middle.is_empty() {
        let held = &middle[..middle.len().min(HEX_HELD)];
        let count = counted(middle.len() as u64, "more line", "more lines");
        let summary = element("summary").text(format!("\u{2026} {count} \u{2026}"));
        let mut rest = element("details").child(summary).child(table(held));
        if held.len() < middle.len() {
            let left = counted((middle.len() - held.len()) as u64, "line is", "lines are");
            let text = format!("{left} left out; the files above have all of it");
            rest = rest.child(element("p").class("note").text(text));
        }
        part = part.child(rest).child(table(&lines[lines.len() - tail..]));
    }
    parts.push(part);
}

/// A text with a button that copies it; the end of a long one unfolds. `id` tells the texts of a page apart.
fn text_drawn(part: Element, text: &str, id: &str) -> Element {
    let at = |most: usize| text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    let (seen, held) = (at(TEXT_SEEN), at(TEXT_HELD));
    if held < text.len() {
        return part.child(element("pre").class("wrap").text(shortened(text, TEXT_SEEN)));
    }
    let part = part.child(copy(id, "Copy the text"));
    if seen == text.len() {
        return part.child(element("pre").class("wrap").with("id", id).text(text));
    }
    let whole = format!("All of it, {}", counted(text.len() as u64, "byte", "bytes"));
    part.child(element("pre").class("wrap").text(shortened(text, TEXT_SEEN))).child(
        element("details")
            .child(element("summary").text(whole))
            .child(element("pre").class("wrap").with("id", id).text(text)),
    )
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
fn readable(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.is_empty() && text.chars().all(is_shown)).then_some(text)
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
        input(&value, Some("f(&compare)"), None).iter().map(Element::to_string).collect()
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
    fn texts_that_are_no_utf8_are_shown_as_bytes() {
        let drawn = |call: &str| {
            let value = json!([[97, 200, 98], [97, 200, 98]]);
            input(&value, Some(call), None).iter().map(Element::to_string).collect::<String>()
        };
        let first = drawn("f(str[n], u8[n] in ','..='z')");
        assert!(first.contains("Argument 1, text: 3 bytes") && first.contains("Argument 2: 3 numbers"), "{first}");
        let second = drawn("f({u8, u8}[n], str[n])");
        assert!(second.contains("Argument 1: 3 numbers") && second.contains("Argument 2, text: 3 bytes"), "{second}");
    }

    #[test]
    fn what_is_copied_is_the_input() {
        let value = json!([["\u{202e}\u{1ffff}\n\u{0}\"<&"], 5]);
        let row = to_take(&value, &["n-8/a b:c.bin".to_string()]).to_string();
        assert!(row.contains("href=\"./n-8/a%20b%3Ac.bin\">a b:c.bin</a>"), "{row}");
        let json = json(&value);
        assert!(json.chars().all(is_shown) && serde_json::from_str::<Value>(&json).unwrap() == value, "{json}");
        assert!(row.contains(r"\u202e\ud83f\udfff\n\u0000\&quot;&lt;&amp;"), "{row}");
        let large: Vec<u64> = (0..100_000).collect();
        assert!(!to_take(&json!([large]), &[]).to_string().contains("button"));
    }

    #[test]
    fn long_inputs_are_shortened() {
        let many: Vec<u64> = (0..10_000).collect();
        let text = drawn(json!([many]));
        assert!(text.contains("9,936 more") && text.contains("4999, 5000, 5001"));
        assert!(text.len() < 120_000, "{}", text.len());
        let many: Vec<u64> = (0..100_000).collect();
        let text = drawn(json!([many]));
        assert!(text.contains("and 79,936 numbers more, in input.json") && text.len() < 250_000, "{}", text.len());
        let hex = "41".repeat(100_000);
        let text = drawn(json!({ "stdin": hex }));
        assert!(text.contains("6,218 more lines") && text.contains("5,194 lines are left out"));
        assert!(text.contains("All of it, 100,000 bytes"));
        assert!(text.len() < 300_000, "{}", text.len());
    }
}
