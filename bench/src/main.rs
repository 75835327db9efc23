//! Every measurement of Pessimum: `cargo run --release -p bench -- NAME`, and `--help` says what there is.

mod args;
mod budgets;
mod clock;
mod cover;
mod engine;
mod manifest;
mod pattern;
mod real;
mod search;
mod solver;
mod statistics;
mod tables;

use std::process::ExitCode;

use clap::Parser;

/// Measures what Pessimum does, and what others do beside it
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
enum Bench {
    Tables(Box<tables::Tables>),
    Real(real::Real),
    Cover(cover::Cover),
    Pattern(pattern::Pattern),
    Engine(engine::Engine),
    Solver(solver::Solver),
    Search(search::Search),
    Budgets(budgets::Budgets),
}

fn main() -> ExitCode {
    let done = match Bench::parse() {
        Bench::Tables(tables) => tables.run().map_err(|error| format!("{error:#}")),
        Bench::Real(real) => real.run(),
        Bench::Cover(cover) => cover.run(),
        Bench::Pattern(pattern) => pattern.run(),
        Bench::Engine(engine) => engine.run(),
        Bench::Solver(solver) => solver.run(),
        Bench::Search(search) => search.run(),
        Bench::Budgets(budgets) => budgets.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}
