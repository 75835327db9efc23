//! `--help` as wide as the terminal: clap's text, folded. Commands in examples are folded as a shell reads them.

use std::io::Write as _;

use clap::error::ErrorKind;

use crate::output::{folded, seen, width};

/// No terminal is so wide that longer lines are easy to read.
const WIDEST: usize = 100;

/// The command with every flag's description below the flag: beside it there is no room.
pub fn narrow(command: clap::Command) -> clap::Command {
    // A list of commands has their names beside what they do.
    let is_list = command.has_subcommands();
    command.next_line_help(!is_list).mut_subcommands(narrow)
}

/// Ends with what clap has to say: with help that fits, or as it does for mistakes.
pub fn exit(error: &clap::Error) -> ! {
    let is_help = [ErrorKind::DisplayHelp, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand].contains(&error.kind());
    if !is_help {
        error.exit();
    }
    let text = fitting(&error.render().ansi().to_string(), width().clamp(40, WIDEST));
    // Whoever does not read to the end has seen enough.
    let _ = match error.use_stderr() {
        true => anstream::stderr().write_all(text.as_bytes()),
        false => anstream::stdout().write_all(text.as_bytes()),
    };
    std::process::exit(error.exit_code())
}

/// Help in this many columns.
fn fitting(help: &str, columns: usize) -> String {
    let mut text = String::new();
    for line in help.lines() {
        let inner = line.trim_start();
        let is_command = inner.starts_with("$ ") || inner.starts_with("pessimum ");
        let line = match seen(line) > columns {
            true if is_command => folded_command(line, columns),
            true => folded(line, 0, hanging(line), columns),
            false => line.to_string(),
        };
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Where a line that is too long goes on: below its description, if it begins with what is described.
fn hanging(line: &str) -> usize {
    let plain = plain(line);
    let inner = plain.trim_start();
    let indent = plain.len() - inner.len();
    // `- name:  description` or `name   description`.
    let name = inner.strip_prefix("- ").map_or(0, |_| 2);
    let named = inner[name..].find(' ').map_or(0, |end| name + end);
    let gap = inner[named..].len() - inner[named..].trim_start().len();
    let is_described = gap > 1 || (name > 0 && inner[..named].ends_with(':'));
    indent + if is_described { named + gap } else { 0 }
}

/// A line without the escape sequences of its colours.
fn plain(line: &str) -> String {
    let mut pieces = line.split('\x1b');
    let first = pieces.next().unwrap_or_default().to_string();
    first + &pieces.map(|piece| piece.split_once('m').map_or("", |(_, rest)| rest)).collect::<String>()
}

/// A command of a shell on several lines, which the shell takes for one; a flag and its value stay together where they fit.
fn folded_command(line: &str, columns: usize) -> String {
    let indent = line.len() - line.trim_start().len();
    let mut lines = vec![" ".repeat(indent)];
    for piece in pieces(line.trim_start()) {
        let last = lines.last_mut().expect("there is a first line");
        let is_empty = last.trim().is_empty();
        // Room for the backslash.
        if is_empty || last.chars().count() + 1 + piece.chars().count() + 2 <= columns {
            *last += if is_empty { "" } else { " " };
            *last += &piece;
        } else {
            *last += " \\";
            lines.push(format!("{:1$}{piece}", "", indent + 4));
        }
    }
    lines.join("\n")
}

/// The words of a command, as they are written, each flag with what follows up to the next flag.
fn pieces(command: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (None, ' ') => words.push(String::new()),
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
        if quote.is_some() || character != ' ' {
            words.last_mut().expect("there is a first word").push(character);
        }
    }
    let mut pieces: Vec<String> = Vec::new();
    for word in words {
        match pieces.last_mut() {
            Some(piece) if piece.starts_with("--") && !piece.contains(' ') && !word.starts_with(['-', '|']) => {
                *piece += &format!(" {word}");
            }
            Some(piece) if piece == "$" || piece == "|" => *piece += &format!(" {word}"),
            _ => pieces.push(word),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_go_on_as_a_shell_reads_them() {
        let line = "    $ pessimum worst sort.wasm --call 'sort(i32[n], n)' --size 20 --quiet --json";
        let folded = fitting(line, 50);
        let expected = "    $ pessimum worst sort.wasm \\\n        --call 'sort(i32[n], n)' --size 20 \\\n        --quiet --json\n";
        assert_eq!(folded, expected);
        let joined = folded.replace("\\\n        ", "");
        assert_eq!(shlex::split(&joined), shlex::split(line));
        assert_eq!(fitting(line, 100), format!("{line}\n"));
        let piped = "    $ echo '{\"stdin\": 1}' | pessimum run subjects/own/json.wasm --input -";
        assert_eq!(fitting(piped, 60).lines().nth(1), Some("        subjects/own/json.wasm --input -"));
    }

    #[test]
    fn descriptions_go_on_below_themselves() {
        let line = "          - auto: On a terminal, unless it is dumb";
        assert_eq!(fitting(line, 40), "          - auto: On a terminal, unless\n                  it is dumb\n");
        let line = "  \x1b[1mhelp\x1b[0m       Print this message or the help of commands";
        let expected = "  \x1b[1mhelp\x1b[0m       Print this message or the\n             help of commands\n";
        assert_eq!(fitting(line, 40), expected);
        let line = "          [default: auto] [possible values: auto, dfs]";
        let expected = "          [default: auto] [possible\n          values: auto, dfs]\n";
        assert_eq!(fitting(line, 40), expected);
    }
}
