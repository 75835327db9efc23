//! The command line of Pessimum: flags, files, output, exit codes. What the commands do is in the libraries.

mod flags;
mod inspect;
mod output;
mod run;
mod subject;

use std::process::ExitCode;

use clap::Parser;

use flags::{Arguments, Command};

/// Could not do the work: bad module, bad call, I/O. (0: done; 2: usage, given by `clap`.)
const EXIT_FAILED: u8 = 1;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Run(flags) => run::run(flags),
        Command::Inspect(flags) => inspect::inspect(flags),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pessimum: {error:#}");
            ExitCode::from(EXIT_FAILED)
        }
    }
}
