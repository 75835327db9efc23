//! Text for people, and the one place that writes to standard output.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};

use anyhow::{Context, Result};
pub use pessimum_report::text::{average, counted, grouped};
use serde_json::Value;

/// Longest piece of a value shown in text; `--json` has all of it.
const MAX_SHOWN: usize = 400;

/// Most bytes of a program's output shown in text.
const MAX_STREAM_SHOWN: usize = 4096;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
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
    /// Looks at the flag, the stream and the environment (no-color.org).
    pub fn of(color: Color, stream: &impl IsTerminal) -> Style {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Style {
            colored: match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => stream.is_terminal() && !set("NO_COLOR") && !dumb,
            },
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colored { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// What matters most.
    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What matters least.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// A number that is the answer.
    pub fn number(self, text: &str) -> String {
        self.paint("1;36", text)
    }

    /// A good sign.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// A bad sign, or a thing to mind.
    pub fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// A command to type.
    pub fn command(self, text: &str) -> String {
        self.paint("33", text)
    }
}

/// Rows of a name and a value; numbers line up at their last digit, other values at their first letter.
#[derive(Default)]
pub struct Table {
    rows: Vec<(String, String, bool)>,
}

impl Table {
    pub fn number(&mut self, name: &str, value: u64) {
        self.rows.push((name.to_string(), value.to_string(), true));
    }

    pub fn text(&mut self, name: &str, value: impl Into<String>) {
        self.rows.push((name.to_string(), value.into(), false));
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

/// A time for people.
pub fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.2} s") } else { format!("{seconds:.1} s") }
}

/// A JSON value on one line, cut where it is long.
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}... (all of it with --json)", &text[..end]),
        None => text,
    }
}

/// What a program wrote, indented under a heading; nothing where it wrote nothing.
pub fn stream(name: &str, bytes: &[u8], total: u64) -> String {
    if total == 0 {
        return String::new();
    }
    let shown = &bytes[..bytes.len().min(MAX_STREAM_SHOWN)];
    let mut text = format!("{name} ({total} bytes)\n");
    for line in String::from_utf8_lossy(shown).lines() {
        // Control characters of a subject stay out of the user's terminal.
        let line: String = line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect();
        let _ = writeln!(text, "  {line}");
    }
    if (shown.len() as u64) < total {
        let _ = writeln!(text, "  ... ({} bytes more)", total - shown.len() as u64);
    }
    text
}

/// Prints text; a closed pipe (`| head`) is not an error.
pub fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output"),
    }
}

/// Prints one JSON object and a newline.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value).context("JSON")?))
}
