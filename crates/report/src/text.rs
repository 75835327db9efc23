//! Numbers, times, names and command lines as text for people.

use std::borrow::Cow;

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number for an axis: `250`, `1,500`, `12k`, `3.5M`.
pub fn axis_number(number: f64) -> String {
    let magnitude = number.abs();
    let (unit, sign) = match magnitude {
        m if m > 0.0 && m < 0.01 => {
            let digits = (1.0 - m.log10().floor()).min(12.0) as usize;
            return format!("{number:.digits$}").trim_end_matches('0').to_string();
        }
        m if m >= 1e15 => return format!("{number:.0e}"),
        m if m >= 1e12 => (1e12, "T"),
        m if m >= 1e9 => (1e9, "G"),
        m if m >= 1e6 => (1e6, "M"),
        m if m >= 1e4 => (1e3, "k"),
        m if m >= 1e3 => {
            let text = grouped(m.round() as u64);
            return if number < 0.0 { format!("-{text}") } else { text };
        }
        _ => (1.0, ""),
    };
    let text = format!("{:.3}", number / unit);
    format!("{}{sign}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A duration in the unit that suits it.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.0995 => format!("{:.1} ms", s * 1e3),
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}

/// "1 path", "2 paths".
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A ratio: `31`, `1.7`.
pub fn ratio(ratio: f64) -> String {
    match ratio {
        r if !r.is_finite() => "more than".to_string(),
        r if r >= 100.0 => grouped(r.round() as u64),
        r if r >= 10.0 => format!("{r:.0}"),
        r if r >= 1.995 => format!("{r:.1}"),
        r => format!("{r:.2}"),
    }
}

/// A part of a whole in per cent.
pub fn per_cent(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    if share >= 99.95 || share == 0.0 { format!("{share:.0} %") } else { format!("{share:.1} %") }
}

/// An average, with one decimal where it is small.
pub fn average(average: f64) -> String {
    if average < 100.0 { format!("{average:.1}") } else { grouped(average.round() as u64) }
}

/// The text with its first letter in upper case.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A call with these arguments; `call` is the text of `--call`, and `name` the function in it. Of a call of a method the first
/// argument is its object.
pub fn call_with(call: Option<&str>, arguments: &[String], name: &str) -> String {
    match (call.and_then(method_of), arguments) {
        (Some(method), [object, rest @ ..]) => format!("{object}.{method}({})", rest.join(", ")),
        _ => format!("{name}({})", arguments.join(", ")),
    }
}

/// The values in a list, set, tuple or dictionary as the source's author would write it; none of anything else.
pub fn elements(written: &str) -> Option<Vec<&str>> {
    let inner =
        ["[]", "{}", "()"].iter().find_map(|pair| written.strip_prefix(&pair[..1])?.strip_suffix(&pair[1..]))?;
    let mut found = Vec::new();
    let (mut depth, mut quote, mut escaped, mut start) = (0_i32, None, false, 0);
    for (at, c) in inner.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth -= 1,
            (',', None) if depth == 0 => {
                found.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(inner[start..].trim());
    // As Python writes a tuple of one.
    found.pop_if(|last| last.is_empty());
    Some(found)
}

/// The name of the method in the text of a call like `Stack(int).push(int)`. A name in quotes is one of a function.
pub fn method_of(call: &str) -> Option<&str> {
    let mut depth = 0_i32;
    let mut quote = None;
    for (at, c) in call.char_indices() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) if depth > 0 || at == 0 => quote = Some(c),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) if depth == 1 => {
                let name = call[at + 1..].strip_prefix('.')?.split('(').next()?.trim();
                return Some(name).filter(|name| !name.is_empty());
            }
            (')' | ']' | '}', None) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Words of a command line as one would type them into a shell, and as a shell splits them again.
pub fn command_line<'w>(words: impl IntoIterator<Item = &'w String>) -> String {
    words.into_iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A word, quoted for a shell where it needs it. The name of an option stays outside of the quotes: `--call='f(i32)'`.
pub fn shell_word(word: &str) -> String {
    // A word with a NUL cannot be passed on any command line; it is shown anyway.
    let quoter = shlex::Quoter::new().allow_nul(true);
    let quoted = |text: &str| quoter.quote(text).map_or_else(|_| text.to_string(), Cow::into_owned);
    match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') && quoted(option) == option => match value {
            "" => format!("{option}="),
            value => format!("{option}={}", quoted(value)),
        },
        _ => quoted(word),
    }
}

/// A name or a piece of text that is not ours, safe for a terminal and on one line: characters that control the terminal
/// or the direction of writing are shown as escapes, such as `\n` and `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    for c in text.chars() {
        if is_control(c) { escaped.extend(c.escape_default()) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

/// The same for text of several lines: line ends and tabs stay as they are.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| is_control(c) && !matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| line.split('\t').map(printable).collect::<Vec<_>>().join("\t");
    let lines = text.split('\n').map(|text| line(text.strip_suffix('\r').unwrap_or(text)));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// A value as JSON on several lines, for a file or a terminal. Control characters can only occur in its strings, where
/// JSON has escapes for them, so that every program reads back what was written.
pub fn json_text(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let mut text = json_escaped(&serde_json::to_string_pretty(value)?).into_owned();
    text.push('\n');
    Ok(text)
}

/// The same JSON text with every control character in its strings escaped; its own line ends stay.
pub fn json_escaped(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| c != '\n' && is_control(c);
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { escaped += &format!("\\u{:04x}", u32::from(c)) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

/// Whether a character is invisible but changes what is seen: it controls the terminal (C0, C1 and DEL), separates
/// lines or paragraphs, has no width, or changes the direction of writing, so that a name can look like another one.
pub fn is_control(c: char) -> bool {
    let format = matches!(
        c,
        '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{fffb}'
    );
    format || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.0, 0.0002, 0.5, 2500.0, -2500.0, 12000.0, 3.5e6].map(axis_number),
            ["0", "0.0002", "0.5", "2,500", "-2,500", "12k", "3.5M"]
        );
        assert_eq!([0.0004, 0.07, 5.0, 61.25, 600.0].map(seconds), ["0.4 ms", "70.0 ms", "5.00 s", "61.2 s", "10 min"]);
        assert_eq!([1.234, 1.999, 31.4, 1234.5].map(ratio), ["1.23", "2.0", "31", "1,235"]);
        assert_eq!([per_cent(1, 3), per_cent(3, 3), per_cent(0, 0)], ["33.3 %", "100 %", "0 %"]);
    }

    #[test]
    fn json_shows_no_control_character_and_reads_back() {
        let value = serde_json::json!({ "a\u{202e}b": ["\u{1b}[2J", "\u{9b}\u{2028}\n", "naïve"] });
        let text = json_text(&value).unwrap();
        assert!(!text.contains(|c| c != '\n' && is_control(c)) && text.contains("\\u202e") && text.contains("naïve"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_command_line_survives_a_shell() {
        let words =
            ["worst", "a b.wasm", "--call=sort(i32[n], n)", "--size=3", "-O", "it's", "", "--x=", "a=b", "--a b=c"]
                .map(str::to_string);
        let line = command_line(&words);
        assert_eq!(line, r#"worst 'a b.wasm' --call='sort(i32[n], n)' --size=3 -O "it's" '' --x= 'a=b' '--a b=c'"#);
        assert_eq!(shlex::split(&line).unwrap(), words);
    }

    #[test]
    fn text_of_others_does_not_control_the_terminal() {
        assert!(matches!(printable("naïve → plain"), Cow::Borrowed(_)));
        assert_eq!(printable("a\x1b]0;title\x07b\nc\u{9b}2J\u{202e}d"), r"a\u{1b}]0;title\u{7}b\nc\u{9b}2J\u{202e}d");
        assert_eq!(printable_lines("one\r\n\ttwo\x1b[2J\rthree\n"), "one\n\ttwo\\u{1b}[2J\\rthree\n");
        assert!(matches!(printable_lines("one\n\ttwo"), Cow::Borrowed(_)));
    }

    #[test]
    fn calls_of_methods_have_their_object_before_them() {
        let arguments = ["Stack(4)".to_string(), "[1]".to_string()];
        let written = |call| call_with(Some(call), &arguments, "f");
        assert_eq!(written("Stack(in\"a)\").push(int[n])"), "Stack(4).push([1])");
        assert_eq!(written("Stack.push(int, int)"), "f(Stack(4), [1])");
        assert_eq!(written("\"a(b).c\"(int)"), "f(Stack(4), [1])");
        assert_eq!(call_with(None, &arguments, "f"), "f(Stack(4), [1])");
    }

    #[test]
    fn elements_are_what_stands_between_commas() {
        assert_eq!(elements("[P(x=1, y='a,]'), {2: 3}]").unwrap(), ["P(x=1, y='a,]')", "{2: 3}"]);
        assert_eq!(elements(r"['it\'s, so', b'']").unwrap(), [r"'it\'s, so'", "b''"]);
        assert_eq!((elements("(1,)"), elements("[]"), elements("set()")), (Some(vec!["1"]), Some(vec![]), None));
    }
}
