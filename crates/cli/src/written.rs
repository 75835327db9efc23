//! Values in the language of the source, shortened for one line of a terminal.

use serde_json::Value;

use crate::shape::{SHOWN, name_of, quoted};
use pessimum_report::text::call_with;

/// A call with its arguments as the source's author would write them; `call` is the text of `--call`.
pub fn call_line(call: Option<&str>, arguments: &[String]) -> String {
    let shortened: Vec<String> = arguments.iter().map(|argument| shortened(argument)).collect();
    call_with(call, &shortened, name_of(call))
}

/// A value without the middle of long lists and texts in it.
fn shortened(text: &str) -> String {
    let mut reader = Reader { rest: text };
    let mut result = String::new();
    while !reader.rest.is_empty() {
        result += &reader.piece();
    }
    result
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// A list, a text, or one character.
    fn piece(&mut self) -> String {
        let mut letters = self.rest.char_indices();
        match letters.next() {
            Some((_, open @ ('[' | '{'))) => self.list(open),
            Some((_, quote @ ('"' | '\''))) => self.quoted(quote),
            Some((_, letter)) => {
                self.rest = &self.rest[letter.len_utf8()..];
                letter.to_string()
            }
            None => String::new(),
        }
    }

    /// What is in brackets: without the middle of many elements.
    fn list(&mut self, open: char) -> String {
        let close = if open == '[' { ']' } else { '}' };
        self.rest = &self.rest[1..];
        let (mut elements, mut depth) = (vec![String::new()], 0usize);
        while let Some(next) = self.rest.chars().next() {
            if next == close && depth == 0 {
                self.rest = &self.rest[1..];
                break;
            }
            match next {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    self.rest = self.rest[1..].trim_start();
                    elements.push(String::new());
                    continue;
                }
                _ => {}
            }
            let piece = self.piece();
            if let Some(last) = elements.last_mut() {
                *last += &piece;
            }
        }
        let (head, tail) = SHOWN;
        if elements.len() > head + tail + 2 {
            elements.splice(head..elements.len() - tail, ["...".to_string()]);
        }
        format!("{open}{}{close}", elements.join(", "))
    }

    /// A text or a character in quotes, which is shortened like other texts.
    fn quoted(&mut self, quote: char) -> String {
        let mut letters = self.rest.char_indices().skip(1);
        let mut end = self.rest.len();
        while let Some((at, letter)) = letters.next() {
            if letter == '\\' {
                letters.next();
            } else if letter == quote {
                end = at + 1;
                break;
            }
        }
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        // What Rust escapes and JSON does not is left as it is.
        match serde_json::from_str(text) {
            Ok(Value::String(plain)) if quote == '"' => quoted(&plain),
            _ => text.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_long_values_is_left_out() {
        let unchanged = ["Some(3)", "[\"a, b]\", \"\\\"\"]", "{\"a\": [1, 2], \"b\": []}", "P { x: 1, y: '\\'' }", "["];
        for text in unchanged {
            let expected = if text == "[" { "[]" } else { text };
            assert_eq!(shortened(text), expected);
        }
        let pairs: Vec<String> = (0..40).map(|i| format!("({i}, {i})")).collect();
        assert_eq!(
            shortened(&format!("Some([{}])", pairs.join(", "))),
            "Some([(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), ..., (36, 36), (37, 37), (38, 38), (39, 39)])"
        );
        assert_eq!(shortened(&format!("[{:?}]", "a".repeat(90))), "[\"a\" 90 times]");
        assert_eq!(call_line(Some("f"), &["1".to_string(), "\"x\"".to_string()]), "f(1, \"x\")");
    }
}
