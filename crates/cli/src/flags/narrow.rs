//! `--help` as wide as the terminal. The examples in it stay as they are, to be copied.

use clap::builder::StyledStr;

use crate::output::{folded, width};

/// No terminal is so wide that longer lines are easy to read.
const WIDEST: usize = 100;

/// What clap puts before the description of a flag that has a line of its own.
const INDENT: usize = 10;

/// What there is before the description of a command in a list of commands.
const NAMES: usize = 15;

/// The command with descriptions that fit the terminal.
pub fn narrow(command: clap::Command) -> clap::Command {
    let columns = width().clamp(40, WIDEST);
    let about = command.get_about().map(|about| folded(&about.to_string(), 0, 0, columns));
    let command = within(command, columns);
    match about {
        Some(about) => command.about(about),
        None => command,
    }
}

/// How many characters clap puts behind a description: what the flag is without being given, and what it can be.
fn appended(arg: &clap::Arg) -> usize {
    if !arg.get_action().takes_values() {
        return 0;
    }
    let length = |name: &str, values: Vec<usize>| match values.len() {
        0 => 0,
        count => format!("[{name}: ]").len() + values.iter().sum::<usize>() + 2 * (count - 1),
    };
    let defaults = arg.get_default_values().iter().map(|value| value.len()).collect();
    let possible = arg.get_possible_values().iter().map(|value| value.get_name().len()).collect();
    length("default", defaults) + length("possible values", possible)
}

fn within(command: clap::Command, columns: usize) -> clap::Command {
    let wrapped = |text: Option<&StyledStr>, used: usize| {
        let lines = text?.to_string();
        Some(lines.lines().map(|line| folded(line, 0, 0, columns - used)).collect::<Vec<String>>().join("\n"))
    };
    let about = wrapped(command.get_about(), NAMES);
    let long_about = wrapped(command.get_long_about(), 0);
    // A list of commands has their names beside what they do.
    let is_list = command.has_subcommands();
    let mut command = command.next_line_help(!is_list);
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(about) = long_about {
        command = command.long_about(about);
    }
    let command = command.mut_args(|arg| {
        let after = appended(&arg);
        let own = |help: Option<&StyledStr>| {
            let help = wrapped(help, INDENT)?;
            let last = help.lines().last().map_or(0, |line| line.chars().count());
            let gap = if after > 0 && last + 1 + after > columns - INDENT { "\n" } else { "" };
            Some(help + gap)
        };
        let (help, long_help) = (own(arg.get_help()), own(arg.get_long_help()));
        let arg = match help {
            Some(help) => arg.help(help),
            None => arg,
        };
        match long_help {
            Some(help) => arg.long_help(help),
            None => arg,
        }
    });
    command.mut_subcommands(|command| within(command, columns))
}
