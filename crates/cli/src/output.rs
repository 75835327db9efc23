//! Text for people, and the one place that writes to standard output.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::AnsiColor;
use anyhow::{Context, Result};
use pessimum_report::names::short_place;
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

/// The width of standard output in characters: that of the terminal; elsewhere COLUMNS, or 80.
pub fn width() -> usize {
    let terminal = terminal_size_of(std::io::stdout()).map(|(Width(width), _)| usize::from(width));
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(told).filter(|width| *width > 0).unwrap_or(80)
}

/// The length of a text as it is seen: the escape sequences of a [`Style`] take no room.
pub fn seen(text: &str) -> usize {
    let mut pieces = text.split('\x1b');
    let first = pieces.next().map_or(0, |piece| piece.chars().count());
    first + pieces.map(|piece| piece.split_once('m').map_or(0, |(_, rest)| rest.chars().count())).sum::<usize>()
}

/// The text on lines of at most `width` characters, broken at spaces; the lines after the first start with `indent`
/// spaces. A longer word stays whole, since it may have to be copied. `used` characters stand before the text already.
pub fn folded(text: &str, used: usize, indent: usize, width: usize) -> String {
    // Where hardly anything would fit beside the margin, the margin goes.
    let indent = if indent + 16 > width { 4.min(width / 4) } else { indent };
    let mut lines = String::new();
    let mut at = used;
    for (index, word) in text.split(' ').enumerate() {
        let length = seen(word);
        if index > 0 && at + 1 + length > width && at > indent {
            lines += &format!("\n{:indent$}", "");
            at = indent;
        } else if index > 0 {
            lines.push(' ');
            at += 1;
        }
        lines += word;
        at += length;
    }
    lines
}

/// Says which files are in which directory now. The names have lines of their own, which fit the terminal wherever the directory is;
/// none is broken.
pub fn written_to(directory: &Path, names: &[String]) -> String {
    format!("\nwritten to {}:{}\n", directory.display(), listed(names, width()))
}

fn listed(names: &[String], width: usize) -> String {
    let (mut text, mut at) = (String::new(), width);
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        let length = seen(name) + comma.len();
        let is_full = at + 1 + length > width;
        text += if is_full { "\n  " } else { " " };
        at = if is_full { 2 } else { at + 1 } + length;
        text += &format!("{name}{comma}");
    }
    text
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

    /// The rows, each on as many lines as the terminal's width calls for.
    pub fn render(&self) -> String {
        self.within(width())
    }

    fn within(&self, width: usize) -> String {
        let numbers = self.rows.iter().filter(|row| row.2).map(|(_, value, _)| value.len()).max().unwrap_or(0);
        // Names of functions and places may be longer than everything else.
        let room = width.saturating_sub(numbers.max(16) + 2).max(16);
        let shown: Vec<String> = self.rows.iter().map(|(name, ..)| short_row_name(name, room)).collect();
        let names = shown.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, (_, value, is_number)) in shown.iter().zip(&self.rows) {
            let _ = match is_number {
                true => writeln!(text, "{name:<names$}  {value:>numbers$}"),
                false => writeln!(text, "{name:<names$}  {}", folded(value, names + 2, names + 2, width)),
            };
        }
        text
    }
}

/// A name, with its indentation, in this room.
fn short_row_name(name: &str, room: usize) -> String {
    let inner = name.trim_start();
    let indent = name.len() - inner.len();
    format!("{:indent$}{}", "", short_place(inner, room.saturating_sub(indent), ".."))
}

/// A time in a form for people.
pub fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.2} s") } else { format!("{seconds:.1} s") }
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
    fn lists_of_files_fit_the_terminal_and_no_name_is_broken() {
        let names = ["result.json", "a name with spaces.txt", "report.html"].map(String::from);
        assert_eq!(listed(&names, 80), "\n  result.json, a name with spaces.txt, report.html");
        assert_eq!(listed(&names, 38), "\n  result.json, a name with spaces.txt,\n  report.html");
        assert_eq!(listed(&names, 4).lines().count(), 4, "what is too long has a line of its own");
    }

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
    fn rows_fit_the_width() {
        let style = Style { colored: true };
        let mut table = Table::default();
        table.text("how sure", format!("{} one two three four five six seven eight nine ten", style.good("certain:")));
        table.text("", "a_word_that_is_longer_than_everything_else_in_the_table and more");
        let text = table.within(40);
        assert_eq!(seen(text.lines().next().unwrap()), 37, "{text}");
        assert!(text.contains("\n          five six seven eight nine ten\n"), "{text}");
        assert!(
            text.contains("a_word_that_is_longer_than_everything_else_in_the_table\n          and more\n"),
            "{text}"
        );
        for width in 0..60 {
            for line in table.within(width).lines().filter(|line| !line.contains("a_word")) {
                assert!(seen(line) <= width.max(19), "{width}: {line:?}");
            }
        }
        assert_eq!(table.within(400).lines().count(), 2);
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(short(&serde_json::json!([1, "a"])), r#"[1,"a"]"#);
        let long = short(&Value::from("é".repeat(500)));
        assert!(long.starts_with("\"éé") && long.ends_with("... (all of it with --json)"), "{long}");
    }
}
