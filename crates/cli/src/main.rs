//! The command line of Pessimum: flags, files, output, exit codes. What the commands do is in the libraries.

mod calls;
mod check;
mod child;
mod compare;
mod cover;
mod curve;
mod emit;
mod examples;
mod explain;
mod files;
mod flags;
mod gate;
mod inspect;
mod live;
mod manual;
mod output;
mod paths;
mod pattern;
mod place;
mod project;
mod python;
mod queries;
mod replay;
mod report;
mod run;
mod shape;
mod shrink;
mod strategy;
mod subject;
mod suite;
mod whose;
mod worst;
mod written;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use flags::{Arguments, Command};
use pessimum_languages::Usage;
use pessimum_session::interrupt;

/// The work could not be done: bad module, bad call, I/O.
const EXIT_FAILED: u8 = 1;
/// The flags do not fit together; `clap` exits with the same code for flags that it does not understand.
const EXIT_USAGE: u8 = 2;
/// An input that costs more than `--fail-above` was found, or a class above `--fail-above-class`; or less is covered than
/// `--fail-under`.
const EXIT_ABOVE: u8 = 3;

/// What to say to those who knew the command `bench`.
const MOVED: &str = "published tables are made in the source tree: cargo run --release -p bench -- tables NAME";

/// The command line. Help and mistakes end here.
fn parsed() -> Arguments {
    if std::env::args_os().nth(1).is_some_and(|word| word == "bench") {
        output::tell(MOVED);
        std::process::exit(EXIT_USAGE.into());
    }
    let mut command = flags::narrow(Arguments::command());
    let matches = command.try_get_matches_from_mut(std::env::args_os()).unwrap_or_else(|error| flags::exit(&error));
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
}

fn main() -> ExitCode {
    let mut arguments = parsed();
    let ready = python::settle_language(&mut arguments.command)
        .map_err(Into::into)
        .and_then(|()| gate::check(arguments.command.verdicts()))
        .and_then(|()| arguments.command.check_api().map_err(Into::into))
        .and_then(|()| arguments.command.count_named_code().map_err(Into::into))
        .and_then(|()| arguments.command.subject_mut().map_or(Ok(()), calls::settle));
    let done = ready.and_then(|()| match &arguments.command {
        Command::Run(flags) => run::run(flags),
        Command::Worst(flags) if flags.api.is_given() => suite::worst(flags),
        Command::Worst(flags) => worst::worst(flags),
        Command::Curve(flags) => curve::curve(flags),
        Command::Pattern(flags) => pattern::pattern(flags),
        Command::Generate(flags) => pattern::generate(flags).map(|()| 0),
        Command::Cover(flags) => cover::cover(flags),
        Command::Suite(flags) => suite::suite(flags),
        Command::Compare(flags) => compare::compare(flags),
        Command::Check(flags) => project::check(flags),
        Command::Init(flags) => project::init(flags).map(|()| 0),
        Command::Paths(flags) => paths::paths(flags).map(|()| 0),
        Command::Replay(flags) if flags.check => check::check(flags),
        Command::Replay(flags) => replay::replay(flags).map(|()| 0),
        Command::Shrink(flags) => shrink::shrink(flags),
        Command::Report(flags) => report::report(flags).map(|()| 0),
        Command::Inspect(flags) => inspect::inspect(flags).map(|()| 0),
        Command::Completions(flags) => manual::completions(flags).map(|()| 0),
        Command::Man(flags) => manual::man(flags).map(|()| 0),
    });
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            output::tell(&format!("{error:#}"));
            ExitCode::from(if error.is::<Usage>() { EXIT_USAGE } else { EXIT_FAILED })
        }
    }
}
