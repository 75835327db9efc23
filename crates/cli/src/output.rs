//! Text for people, and the one place that writes to standard output.

use std::fmt::Write as _;
use std::io::Write as _;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::AnsiColor;
use anyhow::{Context, Result};
pub use pessimum_report::text::{average, counted, grouped};
use pessimum_report::text::{json_text, printable, printable_lines};
use serde_json::Value;
use terminal_size::{Width, terminal_size_of};

/// Longest piece of a value shown in text; `--json` has all of it.
const MAX_SHOWN: usize = 400;

/// Most bytes of a program's output shown in text.
const MAX_STREAM_SHOWN: usize = 4096;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set, CLICOLOR is 0 or TERM is dumb; CLICOLOR_FORCE means always.
    #[default]
    Auto,
    Always,
    Never,
}

/// Colours for a stream, or none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    colored: bool,
}

impl Style {
    /// Goes by the flag, the stream and the environment (no-color.org, bixense.com/clicolors).
    pub fn of(color: Color, stream: &impl RawStream) -> Style {
        Style {
            colored: match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => AutoStream::choice(stream) != ColorChoice::Never,
            },
        }
    }

    fn paint(self, style: anstyle::Style, text: &str) -> String {
        if self.colored { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    /// What matters most.
    pub fn strong(self, text: &str) -> String {
        self.paint(anstyle::Style::new().bold(), text)
    }

    /// What matters least.
    pub fn faint(self, text: &str) -> String {
        self.paint(anstyle::Style::new().dimmed(), text)
    }

    /// A number that is the answer.
    pub fn number(self, text: &str) -> String {
        self.paint(AnsiColor::Cyan.on_default().bold(), text)
    }

    /// A good sign.
    pub fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    /// A bad sign, or something to watch out for.
    pub fn bad(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default(), text)
    }

    /// A command to type.
    pub fn command(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }
}

/// Whether the user's locale can show characters beyond ASCII.
pub fn has_unicode() -> bool {
    let value = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value).unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Rows of a name and a value; numbers line up at their last digit, other values at their first letter. A name may come
/// from a module and contain any character.
#[derive(Default)]
pub struct Table {
    rows: Vec<(String, String, bool)>,
}

impl Table {
    pub fn number(&mut self, name: &str, value: u64) {
        self.rows.push((printable(name).into_owned(), value.to_string(), true));
    }

    pub fn text(&mut self, name: &str, value: impl Into<String>) {
        self.rows.push((printable(name).into_owned(), value.into(), false));
    }

    pub fn render(&self) -> String {
        let names = self.rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        let numbers = self.rows.iter().filter(|row| row.2).map(|(_, value, _)| value.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, value, is_number) in &self.rows {
            let _ = match is_number {
                true => writeln!(text, "{name:<names$}  {value:>numbers$}"),
                false => writeln!(text, "{name:<names$}  {value}"),
            };
        }
        text
    }
}

/// A time in a form for people.
pub fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.2} s") } else { format!("{seconds:.1} s") }
}

/// Columns of what is printed: 80, or more if the terminal is wider.
pub fn width() -> usize {
    const USUAL: usize = 80;
    terminal_size_of(std::io::stdout()).map_or(USUAL, |(Width(width), _)| usize::from(width).max(USUAL))
}

/// A text in lines of at most this many characters, broken between words where there are any.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        let mut word = word.to_string();
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        while let Some((end, _)) = word.char_indices().nth(width) {
            let rest = word.split_off(end);
            lines.push(std::mem::replace(&mut word, rest));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &word;
    }
    lines.extend(Some(line).filter(|line| !line.is_empty()));
    lines
}

/// A JSON value on one line, cut if it is long.
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}... (all of it with --json)", &text[..end]),
        None => text,
    }
}

/// What a program wrote, indented under a heading; empty if it wrote nothing.
pub fn stream(name: &str, bytes: &[u8], total: u64) -> String {
    if total == 0 {
        return String::new();
    }
    let shown = &bytes[..bytes.len().min(MAX_STREAM_SHOWN)];
    let mut text = format!("{name} ({total} bytes)\n");
    // Control characters of a subject stay out of the user's terminal.
    for line in printable_lines(&String::from_utf8_lossy(shown)).lines() {
        let _ = writeln!(text, "  {line}");
    }
    if (shown.len() as u64) < total {
        let _ = writeln!(text, "  ... ({} more bytes)", total - shown.len() as u64);
    }
    text
}

/// Prints text; a closed pipe (`| head`) is not an error. Texts contain names and strings that are not ours, so
/// characters that control the terminal are shown as escapes, except for those of a [`Style`].
pub fn print(text: &str) -> Result<()> {
    unless_closed(print_finding(text))
}

/// Prints one JSON object and a newline; a closed pipe is not an error.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    unless_closed(print_json_finding(value))
}

/// Prints what a search found, like [`print`]; but a finding that nobody reads is an error.
pub fn print_finding(text: &str) -> Result<()> {
    write(&controlled_by_styles_only(text))
}

/// Prints what a search found as a JSON object; if nobody reads it, that is an error.
pub fn print_json_finding(value: &impl serde::Serialize) -> Result<()> {
    write(&json_text(value).context("JSON")?)
}

/// Tells the user something on standard error. The text may quote names that are not ours.
pub fn tell(text: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(std::io::stderr(), "pessimum: {}", printable_lines(text));
}

fn write(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("standard output")
}

fn unless_closed(printed: Result<()>) -> Result<()> {
    printed.or_else(|error| match error.downcast_ref::<std::io::Error>() {
        Some(cause) if cause.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

/// The escape sequences that a [`Style`] uses.
const STYLES: [&str; 7] = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"];

fn controlled_by_styles_only(text: &str) -> String {
    let mut pieces = text.split('\x1b');
    let mut safe = printable_lines(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let sequence = STYLES.into_iter().find(|sequence| piece.starts_with(&sequence[1..]));
        safe += sequence.unwrap_or("\\u{1b}");
        safe += &printable_lines(&piece[sequence.map_or(0, |sequence| sequence.len() - 1)..]);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_survive_and_nothing_else_controls_the_terminal() {
        let style = Style { colored: true };
        for paint in [Style::strong, Style::faint, Style::number, Style::good, Style::bad, Style::command] {
            let text = format!("a\n{}\tb\n", paint(style, "x"));
            assert!(text.contains('\x1b'));
            assert_eq!(controlled_by_styles_only(&text), text);
        }
        assert_eq!(controlled_by_styles_only("a\x1b]0;t\x07\x1b[2J\u{9b}b"), r"a\u{1b}]0;t\u{7}\u{1b}[2J\u{9b}b");
        assert_eq!(Style::default().bad("x"), "x");
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(short(&serde_json::json!([1, "a"])), r#"[1,"a"]"#);
        let long = short(&Value::from("é".repeat(500)));
        assert!(long.starts_with("\"éé") && long.ends_with("... (all of it with --json)"), "{long}");
    }
}
