//! The live display on a terminal: it is drawn, redrawn in place, and leaves nothing behind.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// As much of a terminal as the display uses: text, newline, carriage return, cursor up, erase below, colours.
#[derive(Default)]
struct Terminal {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// Codes that it does not know.
    unknown: Vec<String>,
    /// The text of the first line each time the screen was erased.
    frames: Vec<String>,
}

impl Terminal {
    fn feed(&mut self, text: &str) {
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '\n' => (self.row, self.column) = (self.row + 1, 0),
                '\r' => self.column = 0,
                '\x1b' => {
                    let mut code = String::new();
                    while !code.ends_with(char::is_alphabetic)
                        && let Some(next) = characters.next()
                    {
                        code.push(next);
                    }
                    self.control(&code);
                }
                other => self.put(other),
            }
        }
    }

    fn control(&mut self, code: &str) {
        if let Some(rows) = code.strip_prefix('[').and_then(|code| code.strip_suffix('A')) {
            self.row = self.row.checked_sub(rows.parse().unwrap()).expect("not above the first line");
        } else if code == "[J" {
            self.frames.push(self.lines.get(self.row).map(|line| line.iter().collect()).unwrap_or_default());
            self.lines.truncate(self.row);
        } else if !code.ends_with('m') {
            self.unknown.push(code.to_string());
        }
    }

    fn put(&mut self, character: char) {
        if self.lines.len() <= self.row {
            self.lines.resize(self.row + 1, Vec::new());
        }
        let line = &mut self.lines[self.row];
        line.resize(line.len().max(self.column + 1), ' ');
        line[self.column] = character;
        self.column += 1;
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| line.iter().collect::<String>() + "\n").collect()
    }
}

/// Runs a command under `script` of util-linux, which gives it a terminal.
fn on_a_terminal(command: &str) -> Option<Terminal> {
    let output = Command::new("script")
        .args(["-qefc", command, "/dev/null"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .output();
    let Ok(output) = output else {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "`script` (util-linux) is not installed");
        println!("not tested: `script` (util-linux) is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mut terminal = Terminal::default();
    terminal.feed(&String::from_utf8(output.stdout).unwrap());
    assert!(terminal.unknown.is_empty(), "{:?}", terminal.unknown);
    Some(terminal)
}

fn command(name: &str, more: &str) -> String {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live").join(name);
    format!(
        "'{}' worst subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --size 30 --strategy ese --budget 1500ms \
         --out '{}' {more}",
        env!("CARGO_BIN_EXE_pessimum"),
        out.display()
    )
}

#[test]
fn nothing_is_left_of_the_live_display() {
    let Some(terminal) = on_a_terminal(&command("plain", "")) else { return };
    // It is drawn eight times a second; twice is enough to show that it is redrawn, however busy the machine is.
    assert!(terminal.frames.len() > 1, "{:?}", terminal.frames);
    let best = |frame: &String| frame.starts_with("searching  best ") || frame == "searching  nothing found yet";
    assert!(terminal.frames.iter().all(best), "{:?}", terminal.frames);
    let text = terminal.text();
    assert!(text.starts_with("worst input  sort("), "{text}");
    assert!(!text.contains("searching") && !text.contains("s left"), "{text}");
}

#[test]
fn quiet_is_quiet() {
    let Some(terminal) = on_a_terminal(&command("quiet", "--quiet")) else { return };
    assert!(terminal.frames.is_empty() && terminal.text().starts_with("worst input"));
    let Some(terminal) = on_a_terminal(&command("json", "--json")) else { return };
    assert!(terminal.frames.is_empty() && terminal.text().starts_with("{\n"));
}
