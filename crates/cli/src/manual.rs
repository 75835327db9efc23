//! `pessimum completions` and `pessimum man`: both are made from the definitions of the flags.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::CommandFactory as _;

use crate::files::{make_directory, write_atomically};
use crate::flags::{Arguments, CompletionsFlags, ManFlags};
use crate::output::print;

pub fn completions(flags: &CompletionsFlags) -> Result<()> {
    let mut bytes = Vec::new();
    clap_complete::generate(flags.shell, &mut Arguments::command(), "pessimum", &mut bytes);
    print(&String::from_utf8(bytes).context("completions")?)
}

pub fn man(flags: &ManFlags) -> Result<()> {
    let mut all = Arguments::command();
    // This gives each command its full name, such as `pessimum-worst`.
    all.build();
    if let Some(directory) = &flags.out {
        return write_pages(&all, directory);
    }
    let command = match &flags.command {
        None => &all,
        Some(name) => match all.find_subcommand(name) {
            Some(command) => command,
            None => {
                let names: Vec<&str> = all.get_subcommands().map(|command| command.get_name()).collect();
                bail!("no command is named `{name}`; there are {}", names.join(", "));
            }
        },
    };
    print(&page(command)?)
}

fn write_pages(all: &clap::Command, directory: &Path) -> Result<()> {
    make_directory(directory)?;
    let commands = all.get_subcommands().filter(|command| command.get_name() != "help");
    let mut names = Vec::new();
    for command in std::iter::once(all).chain(commands) {
        let name = format!("{}.1", command.get_display_name().unwrap_or("pessimum"));
        write_atomically(&directory.join(&name), page(command)?.as_bytes())?;
        names.push(name);
    }
    print(&format!("written to {}: {}\n", directory.display(), names.join(", ")))
}

fn page(command: &clap::Command) -> Result<String> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut bytes).context("man page")?;
    let page = String::from_utf8(bytes).context("man page")?;
    // To the generator, what follows the flags is just extra text, whose lines it fills.
    let Some((before, extra)) = page.split_once(".SH EXTRA\nExamples:\n") else { return Ok(page) };
    let (examples, after) = extra.split_at(extra.find(".SH ").unwrap_or(extra.len()));
    Ok(format!("{before}.SH EXAMPLES\n.nf\n{examples}.fi\n{after}"))
}
