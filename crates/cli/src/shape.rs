//! An input in a few words: shortened, and with what is easily said about it.

use pessimum_input::Signature;
use pessimum_report::text::elements;
use pessimum_session::plan::SubjectPlan;
use pessimum_session::{Target, values};
use pessimum_term::Witness;
use serde_json::Value;

use crate::output::counted;
use crate::written::call_line;

/// How many numbers of a list are shown at its beginning and at its end, if that leaves out more than two.
pub const SHOWN: (usize, usize) = (8, 4);

/// How many characters of a text, escapes included, are shown at its beginning and at its end.
const SHOWN_TEXT: (usize, usize) = (32, 12);

/// What a character of text is repeated so often is said with a number instead.
const REPEATED: usize = 24;

/// How many parts of an object are shown.
const SHOWN_PARTS: usize = 6;

/// What puts an input of this program on one line, for a display.
pub fn words<'p>(subject: &'p SubjectPlan, program: &'p Target) -> impl Fn(&Witness) -> String + Sync + Send + 'p {
    let (plan, call) = (program.plan(), subject.start.text());
    let signature = call.and_then(|call| Signature::parse(call).ok());
    move |input| match values::arguments(program, subject, input) {
        Some(written) => call_line(call, &written),
        None => input_line(&plan.encode(input, &[]), call, &|index| {
            signature.as_ref().is_some_and(|call| call.is_bytes(index))
        }),
    }
}

/// The name of the function in the text of `--call`. Of one that is in quotes, because the types of its parameters belong to
/// it, only what a call in the source has.
pub fn name_of(call: Option<&str>) -> &str {
    let call = call.unwrap_or_default().trim_start();
    call.trim_start_matches('"').split('(').next().unwrap_or_default().trim()
}

/// Lines for an input in the form that `--json` prints; `call` is the text of `--call`, and `written` has its arguments as
/// the source's author would write them, where they are known.
pub fn input_lines(input: &Value, call: Option<&str>, written: Option<&[String]>) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Value::Array(arguments), Some(written)) = (input, written) {
        lines.push(call_line(call, written));
        // The lengths of texts in a list say nothing by themselves.
        let is_made = |row: &Value| row.as_array().is_some_and(|row| row.iter().any(Value::is_array));
        let numbers: Vec<&Value> = arguments.iter().filter(|list| list.is_array()).collect();
        // Numbers of what there was to choose from are no numbers to a reader.
        let is_number =
            |text: &String| elements(text).is_some_and(|all| all.iter().all(|one| one.parse::<f64>().is_ok()));
        let is_text = |text: &String| text.starts_with(['"', 's']) && text.contains('"');
        if let [list] = numbers[..]
            && let Some(rows) = list.as_array().filter(|rows| !rows.iter().any(is_made))
            && (rows.iter().any(Value::is_array) || written.iter().any(|text| is_number(text) || is_text(text)))
        {
            let is_bytes = written.iter().any(is_text) && rows.iter().all(Value::is_u64);
            lines.extend(if is_bytes { Some(bytes_words(&byte_list(rows))) } else { describe(list) });
        }
        return lines;
    }
    match input {
        Value::Array(arguments) => arguments_lines(arguments, call, &mut lines),
        Value::Object(parts) => {
            for (key, value) in parts {
                part_lines(key, value, call, &mut lines);
            }
        }
        other => lines.push(other.to_string()),
    }
    lines
}

/// An input on one line, with nothing said about it. `is_bytes` says which arguments of the call are arrays of bytes,
/// which are shown like texts.
pub fn input_line(input: &Value, call: Option<&str>, is_bytes: &dyn Fn(usize) -> bool) -> String {
    let bytes_of = |value: &Value| value.as_str().and_then(bytes).map_or_else(|| short(value), |bytes| shown(&bytes));
    let one = |(key, value): (&String, &Value)| match (key.as_str(), value) {
        ("arguments", Value::Array(_)) => input_line(value, call, is_bytes),
        ("stdin", value) => bytes_of(value),
        ("args", Value::Array(list)) => list.iter().map(bytes_of).collect::<Vec<String>>().join(" "),
        ("files", Value::Object(files)) => {
            let files = files.iter().map(|(name, value)| format!("{name}: {}", bytes_of(value)));
            files.collect::<Vec<String>>().join(", ")
        }
        (key, value) => {
            let mut lines = Vec::new();
            part_lines(key, value, call, &mut lines);
            lines.join(", ")
        }
    };
    match input {
        Value::Array(arguments) => {
            let name = name_of(call);
            let text = |(index, value): (usize, &Value)| match value.as_array().filter(|_| is_bytes(index)) {
                Some(bytes) => shown(&byte_list(bytes)),
                None => short(value),
            };
            format!("{name}({})", arguments.iter().enumerate().map(text).collect::<Vec<String>>().join(", "))
        }
        Value::Object(parts) => parts.iter().map(one).collect::<Vec<String>>().join("; "),
        other => other.to_string(),
    }
}

/// A call with its arguments, then what there is to say about the longer ones.
fn arguments_lines(arguments: &[Value], call: Option<&str>, lines: &mut Vec<String>) {
    let name = name_of(call);
    let signature = call.and_then(|call| Signature::parse(call).ok());
    let is_function = |i: usize| signature.as_ref().is_some_and(|call| call.is_function(i));
    let bytes_of = |i: usize, value: &Value| match signature.as_ref().is_some_and(|call| call.is_text(i)) {
        true => value.as_array().map(|list| byte_list(list)),
        false => None,
    };
    let text = |(i, value): (usize, &Value)| match (value, bytes_of(i, value)) {
        (_, Some(bytes)) => text_of(&bytes),
        (Value::String(name), None) if is_function(i) => name.clone(),
        _ => match plain_text(value).filter(|_| signature.as_ref().is_some_and(|call| call.is_bytes(i))) {
            Some(text) => quoted(&text),
            None => short(value),
        },
    };
    let texts: Vec<String> = arguments.iter().enumerate().map(text).collect();
    lines.push(format!("{name}({})", texts.join(", ")));
    let words = |i: usize, value: &Value| match bytes_of(i, value) {
        _ if is_function(i) => None,
        Some(bytes) => Some(bytes_words(&bytes)),
        None => describe(value),
    };
    let described: Vec<(usize, String)> =
        arguments.iter().enumerate().filter_map(|(i, value)| Some((i, words(i, value)?))).collect();
    let alone = described.len() == 1;
    for (index, words) in described {
        lines.push(if alone { words } else { format!("argument {}: {words}", index + 1) });
    }
}

fn part_lines(key: &str, value: &Value, call: Option<&str>, lines: &mut Vec<String>) {
    let bytes_line = |name: &str, value: &Value| match value.as_str().and_then(bytes) {
        Some(bytes) => format!("{name} {}", bytes_text(&bytes)),
        None => format!("{name} {}", short(value)),
    };
    match (key, value) {
        ("arguments", Value::Array(arguments)) => arguments_lines(arguments, call, lines),
        ("stdin", value) => lines.push(bytes_line("standard input:", value)),
        ("args", Value::Array(list)) => {
            lines.extend(list.iter().enumerate().map(|(i, value)| bytes_line(&format!("argument {}:", i + 1), value)));
        }
        ("files", Value::Object(files)) => {
            lines.extend(files.iter().map(|(name, value)| bytes_line(&format!("file {name}:"), value)));
        }
        ("values", Value::Array(values)) => {
            let asked = values.iter().take(SHOWN_PARTS).map(|value| match value.as_object() {
                Some(object) => {
                    let pairs = object.iter().map(|(kind, value)| match value.as_str().and_then(bytes) {
                        Some(bytes) if kind == "bytes" => format!("bytes {}", bytes_text(&bytes)),
                        _ => format!("{kind} {}", short(value)),
                    });
                    pairs.collect::<Vec<String>>().join(" ")
                }
                None => short(value),
            });
            let mut line = format!("asked for: {}", asked.collect::<Vec<String>>().join(", "));
            if values.len() > SHOWN_PARTS {
                line += &format!(", ... ({} values)", values.len());
            }
            lines.push(line);
        }
        (key, value) => lines.push(format!("{key}: {}", short(value))),
    }
}

/// A value on one line, without its middle if it is long.
fn short(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let text = |values: &[Value]| values.iter().map(short).collect::<Vec<String>>().join(", ");
            if list.len() > SHOWN.0 + SHOWN.1 + 2 {
                format!("[{}, ..., {}]", text(&list[..SHOWN.0]), text(&list[list.len() - SHOWN.1..]))
            } else {
                format!("[{}]", text(list))
            }
        }
        Value::String(text) => quoted(text),
        Value::Null => "out".to_string(),
        other => other.to_string(),
    }
}

/// An array of bytes as text, if it has at least three and all of them are.
fn plain_text(value: &Value) -> Option<String> {
    let byte = |value: &Value| u8::try_from(value.as_i64()?).ok().filter(|byte| is_plain(*byte));
    let bytes: Vec<u8> = value.as_array()?.iter().map(byte).collect::<Option<_>>()?;
    (bytes.len() >= 3).then(|| String::from_utf8(bytes).ok()).flatten()
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r')
}

/// In quotes, with control characters escaped and without the middle if it is long.
pub fn quoted(text: &str) -> String {
    let pieces: Vec<String> = text
        .chars()
        .map(|c| match c {
            // As short as bytes are written elsewhere.
            '\0'..='\x1f' | '\x7f' if !matches!(c, '\n' | '\t' | '\r') => format!("\\x{:02x}", u32::from(c)),
            '\'' => c.to_string(),
            c => c.escape_debug().to_string(),
        })
        .collect();
    in_quotes(&pieces)
}

/// Characters as they are written, in quotes; the middle of many is left out, and many equal ones are counted.
fn in_quotes(pieces: &[String]) -> String {
    if pieces.len() >= REPEATED && pieces.iter().all(|piece| *piece == pieces[0]) {
        return format!("\"{}\" {} times", pieces[0], pieces.len());
    }
    let length = |pieces: &[String]| pieces.iter().map(|piece| piece.chars().count()).sum::<usize>();
    if length(pieces) <= SHOWN_TEXT.0 + SHOWN_TEXT.1 + 5 {
        return format!("\"{}\"", pieces.concat());
    }
    let head = (0..pieces.len()).rev().find(|&end| length(&pieces[..end]) <= SHOWN_TEXT.0).unwrap_or(0);
    let tail = (head..pieces.len()).find(|&start| length(&pieces[start..]) <= SHOWN_TEXT.1).unwrap_or(pieces.len());
    format!("\"{}\"...\"{}\"", pieces[..head].concat(), pieces[tail..].concat())
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let byte = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(byte).collect()
}

fn byte_list(list: &[Value]) -> Vec<u8> {
    list.iter().filter_map(|byte| Some(byte.as_i64()? as u8)).collect()
}

/// As text, with escapes where there is no character, and without the middle if it is long.
fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => quoted(text),
        Err(_) => escaped(bytes),
    }
}

fn escaped(bytes: &[u8]) -> String {
    in_quotes(&bytes.iter().map(|byte| byte.escape_ascii().to_string().replace("\\'", "'")).collect::<Vec<_>>())
}

/// How many bytes a text has, and what there is to say about their order.
fn bytes_words(bytes: &[u8]) -> String {
    let numbers: Vec<f64> = bytes.iter().copied().map(f64::from).collect();
    let words = order_words(&numbers).map(|words| format!(", {words}")).unwrap_or_default();
    format!("{}{words}", counted(bytes.len() as u64, "byte", "bytes"))
}

/// As text if it is text, in hex otherwise, with what there is to say about it.
fn bytes_text(bytes: &[u8]) -> String {
    format!("{} ({})", shown(bytes), bytes_words(bytes))
}

/// As text if it is mostly text, in hex otherwise, without the middle if it is long. Zeros at the end, where nothing is
/// in use, are counted.
fn shown(bytes: &[u8]) -> String {
    const MANY: usize = 8;
    let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let zeros = bytes.len() - used;
    if zeros >= MANY {
        let before = if used > 0 { shown(&bytes[..used]) + " + " } else { String::new() };
        return format!("{before}{zeros} zero bytes");
    }
    let text = std::str::from_utf8(bytes).ok();
    let readable = text.filter(|text| text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')));
    let plain = bytes.iter().filter(|byte| is_plain(**byte)).count();
    match readable {
        Some(text) => quoted(text),
        // A parser's text with a byte or two that no text has reads better so than in hex. Zeros are what the rest of an
        // input is filled with.
        None if plain > 0 && 2 * plain >= bytes.iter().filter(|&&byte| byte != 0).count() => escaped(bytes),
        None => {
            let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<String>>().join(" ");
            if bytes.len() > 24 {
                format!("{} ... {}", hex(&bytes[..16]), hex(&bytes[bytes.len() - 6..]))
            } else {
                hex(bytes)
            }
        }
    }
}

/// What there is to say about a list or a text; nothing for single numbers.
fn describe(value: &Value) -> Option<String> {
    match value {
        Value::Array(list) if list.first().is_some_and(Value::is_array) => rows_words(list),
        Value::Array(list) => {
            let count = counted(list.len() as u64, "number", "numbers");
            // NaN and the infinities are strings in JSON.
            let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
            let words = order_words(&numbers?)?;
            let comma = if words.starts_with("in ") { "" } else { "," };
            Some(format!("{count}{comma} {words}"))
        }
        Value::String(text) => Some(bytes_words(text.as_bytes())),
        _ => None,
    }
}

/// How many rows there are, and in which order those of their columns are that have one.
fn rows_words(rows: &[Value]) -> Option<String> {
    let width = rows.first()?.as_array()?.len();
    let column = |at: usize| -> Option<Vec<f64>> { rows.iter().map(|row| row.get(at)?.as_f64()).collect() };
    let is_order = |words: &String| words.starts_with("in ") || words.starts_with("first ") || words == "all equal";
    let words = (0..width).filter_map(|at| {
        let words = order_words(&column(at)?).filter(is_order)?;
        Some(format!("column {} {words}", at + 1))
    });
    let words: Vec<String> = words.take(SHOWN_PARTS).collect();
    let colon = if words.is_empty() { "" } else { ": " };
    Some(format!("{}{colon}{}", counted(rows.len() as u64, "row", "rows"), words.join("; ")))
}

/// The order of numbers in words; none for fewer than three.
fn order_words(numbers: &[f64]) -> Option<String> {
    if numbers.len() < 3 {
        return None;
    }
    let rises = |pair: &[f64]| pair[1] > pair[0];
    let falls = |pair: &[f64]| pair[1] < pair[0];
    let (up, down) = (numbers.windows(2).any(rises), numbers.windows(2).any(falls));
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let distinct = sorted.len();
    let values = match distinct {
        d if d == numbers.len() => "all different".to_string(),
        d => format!("{d} different values"),
    };
    // Whether the direction changes only once.
    let turn = |first: fn(&[f64]) -> bool, then: fn(&[f64]) -> bool| {
        let last = numbers.windows(2).rposition(first)?;
        (!numbers.windows(2).take(last).any(then)).then_some(())
    };
    let rises: fn(&[f64]) -> bool = |pair| pair[1] > pair[0];
    let falls: fn(&[f64]) -> bool = |pair| pair[1] < pair[0];
    Some(match (up, down) {
        (false, false) => "all equal".to_string(),
        (true, false) if distinct == numbers.len() => "in ascending order".to_string(),
        (false, true) if distinct == numbers.len() => "in descending order".to_string(),
        (true, false) => format!("in ascending order, {values}"),
        (false, true) => format!("in descending order, {values}"),
        (true, true) if numbers.len() > 3 && turn(rises, falls).is_some() => {
            format!("first ascending, then descending, {values}")
        }
        (true, true) if numbers.len() > 3 && turn(falls, rises).is_some() => {
            format!("first descending, then ascending, {values}")
        }
        (true, true) => values,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn orders_have_words() {
        let words = |numbers: &[i32]| order_words(&numbers.iter().map(|&n| f64::from(n)).collect::<Vec<f64>>());
        let cases: [(&[i32], Option<&str>); 11] = [
            (&[], None),
            (&[1, 2], None),
            (&[5, 5, 5], Some("all equal")),
            (&[3, 2, 1], Some("in descending order")),
            (&[-3, 2, 9], Some("in ascending order")),
            (&[3, 3, 1], Some("in descending order, 2 different values")),
            (&[1, 1, 2, 7], Some("in ascending order, 3 different values")),
            (&[1, 2, 9, 8, 0], Some("first ascending, then descending, all different")),
            (&[9, 2, 2, 8, 8], Some("first descending, then ascending, 3 different values")),
            (&[1, 3, 2, 4], Some("all different")),
            (&[1, 0, 1, 0], Some("2 different values")),
        ];
        for (numbers, expected) in cases {
            assert_eq!(words(numbers).as_deref(), expected, "{numbers:?}");
        }
    }

    #[test]
    fn inputs_are_shortened() {
        let check = |input: Value, call: Option<&str>, expected: &[&str]| {
            assert_eq!(input_lines(&input, call, None), expected, "{input}");
        };
        let long: Vec<i64> = (0..40).rev().collect();
        check(
            json!([long, 40]),
            Some("sort(i32[n], n)"),
            &["sort([39, 38, 37, 36, 35, 34, 33, 32, ..., 3, 2, 1, 0], 40)", "40 numbers in descending order"],
        );
        check(json!([7]), Some("f(i32)"), &["f(7)"]);
        check(json!([7]), Some("\"over(int)\"(i32)"), &["over(7)"]);
        let written = ["Some(3)".to_string(), "[\"a\"]".to_string()];
        let rows = json!([[1, 3], [[1, [97, 0]]], 1]);
        assert_eq!(input_lines(&rows, Some("f({bool, u8}, ..)"), Some(&written)), ["f(Some(3), [\"a\"])"]);
        check(
            json!([[1, 1, 1], "aaab", null]),
            Some("find(u8[3], str[4], out i32[1])"),
            &[
                "find([1, 1, 1], \"aaab\", out)",
                "argument 1: 3 numbers, all equal",
                "argument 2: 4 bytes, in ascending order, 2 different values",
            ],
        );
        check(
            json!([[97, 255, 10], [[3, 1], [2, 1], [1, 1]], "&compare"]),
            Some("find(str[3], {i32, u8}[3], &compare)"),
            &[
                "find(\"a\\xff\\n\", [[3, 1], [2, 1], [1, 1]], &compare)",
                "argument 1: 3 bytes, all different",
                "argument 2: 3 rows: column 1 in descending order; column 2 all equal",
            ],
        );
        check(
            json!([[97, 32, 10], 3]),
            Some("lines(u8[n] in ' '..='~' | '\\n', n)"),
            &["lines(\"a \\n\", 3)", "3 bytes, in descending order"],
        );
        check(json!({ "stdin": "5b5b5b" }), None, &["standard input: \"[[[\" (3 bytes, all equal)"]);
        check(
            json!({ "stdin": format!("5b0b{}", "00".repeat(9)) }),
            None,
            &["standard input: \"[\\x0b\" + 9 zero bytes (11 bytes, in descending order, 3 different values)"],
        );
        check(json!({ "stdin": "00".repeat(64) }), None, &["standard input: 64 zero bytes (64 bytes, all equal)"]);
        check(json!({ "stdin": "00ff" }), None, &["standard input: 00 ff (2 bytes)"]);
        check(json!({ "stdin": "5b0b" }), None, &["standard input: \"[\\x0b\" (2 bytes)"]);
        check(
            json!({ "stdin": "2b0000" }),
            None,
            &["standard input: \"+\\x00\\x00\" (3 bytes, in descending order, 2 different values)"],
        );
        check(
            json!({ "stdin": "5b227fff" }),
            None,
            &["standard input: \"[\\\"\\x7f\\xff\" (4 bytes, first descending, then ascending, all different)"],
        );
        check(
            json!(["\u{1}\u{1}\u{8}'\"\n", [102, 111, 111], [0, 1, 2]]),
            Some("find(str[6], u8[3] in 'a'..='z', u8[3])"),
            &[
                "find(\"\\x01\\x01\\x08'\\\"\\n\", \"foo\", [0, 1, 2])",
                "argument 1: 6 bytes, first ascending, then descending, 5 different values",
                "argument 2: 3 bytes, in ascending order, 2 different values",
                "argument 3: 3 numbers in ascending order",
            ],
        );
        let lines = input_lines(&json!({ "stdin": "41".repeat(64) }), None, None);
        assert_eq!(lines, ["standard input: \"A\" 64 times (64 bytes, all equal)"]);
        // Escapes count as what they take on the screen.
        let text: String = (0..64).map(|i| format!("{:02x}", if i % 2 == 0 { 65 } else { 200 })).collect();
        let lines = input_lines(&json!({ "stdin": text }), None, None);
        assert_eq!(
            lines,
            [
                "standard input: \"A\\xc8A\\xc8A\\xc8A\\xc8A\\xc8A\\xc8A\"...\"A\\xc8A\\xc8\" (64 bytes, 2 different values)"
            ]
        );
        let parts = json!({ "files": { "a.txt": "0a" }, "values": [{ "i32": 5 }, { "bytes": "6162" }] });
        check(parts, None, &["file a.txt: \"\\n\" (1 byte)", "asked for: i32 5, bytes \"ab\" (2 bytes)"]);
    }
}
