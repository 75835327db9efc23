//! Realistic programs with known worst cases, and what is found of them at equal processor time: by the strategies of
//! `pessimum`, and by a fuzzer in the manner of PerfFuzz on a native build of the same source. What cannot be run is named at
//! the end, with the reason.

mod course;
mod manifest;
mod measure;
mod peer;
mod strategy;
mod table;
mod threads;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use course::Course;
use manifest::Program;
use measure::Meter;
use peer::{Peer, Run};
use strategy::Searcher;
use table::Row;

use crate::args::{Programs, median, rows, time};
use crate::clock;
use crate::manifest::{directory, read};
use crate::record::Record;

/// Worst cases of realistic programs that strategies and a fuzzer find in equal processor time
#[derive(Args)]
pub struct Real {
    #[command(flatten)]
    programs: Programs,

    /// Processor time of each search
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    budget: Duration,

    /// Searches of each contestant, with seeds 1, 2, 3, ...; the median is shown
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 1)]
    seeds: u64,

    /// Who takes part; the first is compared with the others
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "auto,ga,ese,random,peer")]
    strategies: Vec<String>,

    /// Compare `auto` with one and with so many threads instead, at equal time of the clock
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(2..))]
    threads: Option<u64>,
}

/// What there is to run with, and where to.
struct Contest {
    searcher: Searcher,
    peer: Option<Peer>,
    out: PathBuf,
    /// What else there is to know about rows of the table.
    remarks: BTreeSet<String>,
}

impl Real {
    /// Prints the table.
    pub fn run(self) -> Result<Option<Record>, String> {
        let command = self.programs.command()?;
        let (out, _scratch) = self.programs.place()?;
        let mut programs: Vec<Program> = read(&directory("real"))?;
        programs.retain(|program| self.programs.wants(&program.name));
        if let Some(threads) = self.threads {
            return threads::run(&self, &programs, &command, threads, &out).map(|()| None);
        }
        let built = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut left_out = BTreeSet::new();
        let mut peer = None;
        if self.strategies.iter().any(|column| column == "peer") {
            peer = Peer::build(built.path()).map_err(|reason| left_out.insert(format!("the peer: {reason}"))).ok();
        }
        let (budget, clock) = (self.budget.as_secs_f64(), clock::name());
        println!("{budget} s of {clock} for each search, {} seed(s); costs in instructions", self.seeds);
        println!("{}", table::heading(&self.strategies));
        let searcher = Searcher::new(command, self.budget);
        let mut contest = Contest { searcher, peer, out, remarks: BTreeSet::new() };
        let row = |program: &Program, left_out: &mut BTreeSet<String>| {
            self.row(program, &mut contest, left_out).map_err(|why| format!("{}: {why}", program.name))
        };
        let rows = rows(&programs, &mut left_out, row, table::line);
        table::summary(&self.strategies, &rows).iter().for_each(|line| println!("{line}"));
        contest.remarks.iter().for_each(|line| println!("{line}"));
        left_out.iter().for_each(|line| println!("left out: {line}"));
        Ok(Some(table::record(&self.strategies, &rows)))
    }

    fn row(&self, program: &Program, contest: &mut Contest, left_out: &mut BTreeSet<String>) -> Result<Row, String> {
        let module = contest.searcher.prepare(program, &contest.out.join(&program.name).join("module"))?;
        let meter = Meter::new(program, &module)?;
        let (known, said) = (meter.cost_of_json(&program.worst.input)?, program.worst.cost);
        if known != said {
            let name = &program.name;
            contest.remarks.insert(format!("{name}: with this compiler the known input costs {known}, not {said}"));
        }
        let is_argued = program.worst.is_argued();
        let mut row = Row { name: program.name.clone(), known, is_argued, courses: Vec::new() };
        for column in &self.strategies {
            let searches = (1..=self.seeds).map(|seed| self.course(program, column, seed, contest, &meter));
            let course = match searches.collect::<Result<Vec<Course>, String>>() {
                Ok(courses) => median(courses, Course::best),
                Err(reason) => {
                    left_out.insert(format!("{} by {column}: {reason}", program.name));
                    None
                }
            };
            if let Some(remark) = course.as_ref().and_then(|course| course.remark.as_ref()) {
                contest.remarks.insert(format!("* {} by {column}: {remark}", program.name));
            }
            row.courses.push(course);
        }
        Ok(row)
    }

    fn course(
        &self,
        program: &Program,
        column: &str,
        seed: u64,
        contest: &mut Contest,
        meter: &Meter,
    ) -> Result<Course, String> {
        let out: &Path = &contest.out.join(&program.name).join(format!("{column}-{seed}"));
        if column == "peer" {
            let peer = contest.peer.as_ref().ok_or("there is no peer, see below")?;
            return peer.search(program, &Run { budget: self.budget, seed, out }, meter);
        }
        contest.searcher.search(program, column, seed, out)
    }
}
