//! Every measurement of Pessimum: `cargo run --release -p bench -- NAME`, and `--help` says what there is.

mod args;
mod budgets;
mod clock;
mod cover;
mod engine;
mod manifest;
mod pattern;
mod real;
mod record;
mod results;
mod search;
mod solver;
mod statistics;
mod tables;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use record::Record;

/// Measures what Pessimum does, and what others do beside it
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    bench: Bench,

    /// Keep the table as bench/records/NAME.json, for docs/results.md
    #[arg(long, global = true, value_name = "NAME")]
    record: Option<String>,
}

#[derive(Subcommand)]
enum Bench {
    Tables(Box<tables::Tables>),
    Real(real::Real),
    Cover(cover::Cover),
    Pattern(pattern::Pattern),
    Engine(engine::Engine),
    Solver(solver::Solver),
    Search(search::Search),
    Budgets(budgets::Budgets),
    Results(results::Results),
}

impl Bench {
    /// Measures, and returns the table if it is one that can be kept.
    fn run(self) -> Result<Option<Record>> {
        let text = anyhow::Error::msg::<String>;
        match self {
            Bench::Tables(tables) => tables.run(),
            Bench::Real(real) => real.run().map_err(text),
            Bench::Cover(cover) => cover.run().map(Some).map_err(text),
            Bench::Pattern(pattern) => pattern.run().map(Some).map_err(text),
            Bench::Engine(engine) => engine.run().map_err(text),
            Bench::Solver(solver) => {
                solver.run();
                Ok(None)
            }
            Bench::Search(search) => {
                search.run();
                Ok(None)
            }
            Bench::Budgets(budgets) => budgets.run().map(|()| None).map_err(text),
            Bench::Results(results) => results.run().map(|()| None),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = arguments.bench.run().and_then(|record| match arguments.record {
        Some(name) => record.context("--record: this is no table that can be kept")?.save(&name),
        None => Ok(()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}
