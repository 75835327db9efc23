//! Branches covered at equal processor time: by the strategies of `pessimum cover`, by libFuzzer and by AFL++, the latter
//! two on native builds of the same sources. Whatever a contestant leaves is run once more by one counter, so that every
//! figure is a number of arms of conditional branches in the same module. What cannot be run is named at the end, with the
//! reason.

mod contest;
mod counter;
mod fuzzers;
mod manifest;
mod table;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use contest::{Pessimum, Run, score};
use counter::Counter;
use fuzzers::Fuzzer;
use manifest::Program;
use table::Row;

use crate::args::{Programs, rows, time};
use crate::clock;
use crate::manifest::{directory, read};
use crate::record::Record;

/// The input that every contestant starts from: AFL++ takes no empty one.
const SEED_INPUT: &[u8] = b"0";

/// Branches covered at equal processor time by strategies of `pessimum cover` and by fuzzers
#[derive(Args)]
pub struct Cover {
    #[command(flatten)]
    programs: Programs,

    /// Processor time of each search
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10s")]
    budget: Duration,

    /// Searches of each contestant, with seeds 1, 2, 3, ...; the median is shown
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 3)]
    seeds: u64,

    /// Who takes part; the first is compared with the others
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "auto,pex,fitnex,random,libfuzzer,libfuzzer-vp,afl,afl-cmplog"
    )]
    contestants: Vec<String>,
}

impl Cover {
    /// Prints the table.
    pub fn run(mut self) -> Result<Record, String> {
        let mut pessimum = Pessimum::new(self.programs.command()?);
        let (out, _scratch) = self.programs.place()?;
        let mut left_out = BTreeSet::new();
        self.contestants.retain(|column| match Fuzzer::named(column).map(Fuzzer::version) {
            Some(Ok(version)) => {
                println!("{column}: {version}");
                true
            }
            Some(Err(reason)) => {
                left_out.insert(format!("{column}: {reason}"));
                false
            }
            None => true,
        });
        let mut programs: Vec<Program> = read(&directory("cover"))?;
        programs.retain(|program| self.programs.wants(&program.name));
        let (budget, clock) = (self.budget.as_secs_f64(), clock::name());
        println!(
            "{budget} s of {clock} for each search, median of {} seed(s); arms of conditional branches",
            self.seeds
        );
        println!("{}", table::heading(&self.contestants));
        let row = |program: &Program, left_out: &mut BTreeSet<String>| {
            self.row(program, &mut pessimum, &out, left_out).map_err(|why| format!("{}: {why}", program.name))
        };
        let rows = rows(&programs, &mut left_out, row, table::line);
        table::summary(&self.contestants, &rows).iter().for_each(|line| println!("{line}"));
        left_out.iter().for_each(|line| println!("left out: {line}"));
        Ok(table::record(&self.contestants, &rows))
    }

    fn row(
        &self,
        program: &Program,
        pessimum: &mut Pessimum,
        out: &Path,
        left_out: &mut BTreeSet<String>,
    ) -> Result<Row, String> {
        let directory: PathBuf = out.join(&program.name);
        let module = pessimum.compile(program, &directory.join("module"))?;
        let counter = Counter::new(program, &module)?;
        let mut row = Row { name: program.name.clone(), arms: counter.all(), covered: Vec::new() };
        for column in &self.contestants {
            let scores = (1..=self.seeds).map(|seed| {
                let directory = directory.join(format!("{column}-{seed}"));
                let run = Run { budget: self.budget, seed, seed_input: SEED_INPUT, directory: &directory };
                score(pessimum, column, program, (&module, &counter), &run)
            });
            let scores: Result<Vec<usize>, String> = scores.collect();
            row.covered.push(scores.map_err(|why| left_out.insert(format!("{} by {column}: {why}", row.name))).ok());
        }
        Ok(row)
    }
}
