//! Numbers and times as text for people.

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

/// A time.
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

/// An average: with a decimal where it is small.
pub fn average(average: f64) -> String {
    if average < 100.0 { format!("{average:.1}") } else { grouped(average.round() as u64) }
}

/// The text with a capital letter.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Words of a command line, quoted for a shell where they need it.
pub fn command_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A name or a piece of text that is not ours, safe for a terminal and on one line: characters that control the terminal
/// are shown as escapes, such as `\n` and `\u{1b}`.
pub fn printable(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains(char::is_control) {
        true => text.escape_debug().to_string().into(),
        false => text.into(),
    }
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
    fn a_command_line_survives_a_shell() {
        let words = ["worst", "a b.wasm", "sort(i32[n], n)", "it's", ""].map(str::to_string);
        assert_eq!(command_line(&words), r"worst 'a b.wasm' 'sort(i32[n], n)' 'it'\''s' ''");
    }
}
