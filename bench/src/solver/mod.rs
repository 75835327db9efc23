//! Replays recorded path conditions: time per query for the whole stack, for bit-blasting alone, and for Z3. All three are asked
//! the same questions one after the other, in one process each.

mod cases;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cases::{Case, Decision};
use clap::Args;
use pessimum_solver::{Assumed, Context, LayerName, Settings};
use pessimum_term::smtlib::Definitions;

use crate::clock;

/// Time per query of our solver, of bit-blasting alone and of Z3, on recorded path conditions
#[derive(Args)]
pub struct Solver {
    /// Only the cases whose name starts with one of these letters [a: quicksort, b: JSON, c: hashes, d: arithmetic]
    #[arg(value_name = "CASE")]
    cases: Vec<String>,

    /// Our whole stack only, for profilers
    #[arg(long)]
    stack: bool,
}

/// Time after which a replay is cut short; the rate is that of the queries done.
const LONGEST: Duration = Duration::from_secs(20);

struct Replay {
    queries: u32,
    sat: u32,
    unsat: u32,
    unknown: u32,
    time: Duration,
}

impl Replay {
    fn per_query(&self) -> f64 {
        self.time.as_secs_f64() / self.queries.max(1) as f64
    }
}

fn replay(case: &mut Case, layers: &[LayerName], show: bool) -> Replay {
    let mut context = Context::new(Settings { layers: layers.to_vec(), ..Settings::default() });
    context.restart(case.start.clone());
    let mut result = Replay { queries: 0, sat: 0, unsat: 0, unknown: 0, time: Duration::ZERO };
    let before = clock::own();
    for (index, decision) in case.decisions.iter().enumerate() {
        match *decision {
            Decision::Flip { taken, other } => {
                result.queries += 1;
                match context.is_feasible(&mut case.arena, other) {
                    Ok(true) => result.sat += 1,
                    Ok(false) => result.unsat += 1,
                    Err(_) => result.unknown += 1,
                }
                context.assume(&mut case.arena, taken);
            }
            Decision::Demand(condition) => match context.assume(&mut case.arena, condition) {
                // Not a query: nothing had to be solved.
                Assumed::Held => {}
                Assumed::Moved => {
                    result.queries += 1;
                    result.sat += 1;
                }
                Assumed::Conflict(_) => {
                    result.queries += 1;
                    result.unsat += 1;
                }
                Assumed::Unknown(_) => {
                    result.queries += 1;
                    result.unknown += 1;
                }
            },
        }
        if index % 64 == 63 && clock::own() - before > LONGEST {
            break;
        }
    }
    result.time = clock::own() - before;
    if show {
        for layer in LayerName::ALL {
            let counters = context.counters().layer(layer);
            println!(
                "      {:12} asked {:6}  sat {:6}  unsat {:6}  gave up {:3}  {:?}",
                layer.name(),
                counters.queries,
                counters.sat,
                counters.unsat,
                counters.gave_up,
                counters.time
            );
        }
    }
    result
}

/// Processor time of the children that are over, where the system tells it.
fn children() -> Option<Duration> {
    clock::process("self").map(|process| process.children)
}

/// One incremental Z3 process that is asked the same questions and cut short by its own time limit.
fn z3(case: &Case) -> Option<Replay> {
    let roots = case.decisions.iter().flat_map(|decision| match *decision {
        Decision::Flip { taken, other } => vec![taken, other],
        Decision::Demand(condition) => vec![condition],
    });
    let definitions = Definitions::new(&case.arena, &roots.collect::<Vec<_>>());
    let mut text = definitions.text();
    let held: Vec<bool> = case
        .decisions
        .iter()
        .map(|decision| match *decision {
            Decision::Flip { .. } => false,
            Decision::Demand(condition) => {
                let mut evaluator = pessimum_term::Evaluator::new(case.start.clone());
                evaluator.value(&case.arena, condition) == 1
            }
        })
        .collect();
    for (decision, held) in case.decisions.iter().zip(held) {
        match *decision {
            Decision::Flip { taken, other } => {
                text.push_str("(push)\n");
                text.push_str(&definitions.assertion(other));
                text.push_str("(check-sat)\n(pop)\n");
                text.push_str(&definitions.assertion(taken));
            }
            Decision::Demand(condition) => {
                text.push_str(&definitions.assertion(condition));
                if !held {
                    text.push_str("(check-sat)\n");
                }
            }
        }
    }
    let mut process = Command::new("z3")
        .args(["-in", &format!("-T:{}", LONGEST.as_secs())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = process.stdin.take()?;
    let (start, before) = (Instant::now(), children());
    let writer = std::thread::spawn(move || {
        // Z3 closes the pipe when its time is over.
        let _ = input.write_all(text.as_bytes());
    });
    let output = process.wait_with_output().ok()?;
    let time = children().zip(before).map_or_else(|| start.elapsed(), |(after, before)| after - before);
    let _ = writer.join();
    let answers = String::from_utf8_lossy(&output.stdout);
    let count = |word: &str| answers.lines().filter(|line| *line == word).count() as u32;
    let (sat, unsat, unknown) = (count("sat"), count("unsat"), count("unknown"));
    Some(Replay { queries: sat + unsat + unknown, sat, unsat, unknown, time })
}

fn report(name: &str, result: &Replay) {
    println!(
        "   {name:18} {:12.3} us/query  ({} queries: {} sat, {} unsat, {} unknown)",
        result.per_query() * 1e6,
        result.queries,
        result.sat,
        result.unsat,
        result.unknown
    );
}

impl Solver {
    /// Prints what each case takes.
    pub fn run(self) {
        let cases = [
            cases::quicksort(200),
            cases::quicksort(1000),
            cases::insertion_sort(1000),
            cases::scanner(),
            cases::hash(1024),
            cases::hash(1021),
            cases::arithmetic(60),
        ];
        let wanted = |case: &Case| {
            self.cases.is_empty() || self.cases.iter().any(|letter| case.name[1..].starts_with(letter.as_str()))
        };
        cases.into_iter().filter(wanted).for_each(|case| self.case(case));
    }

    fn case(&self, mut case: Case) {
        println!("{}", case.name);
        let mut whole = replay(&mut case, &LayerName::ALL, true);
        // Short replays are repeated until the clock's resolution does not matter.
        while whole.queries > 0 && whole.time < Duration::from_millis(100) {
            let again = replay(&mut case, &LayerName::ALL, false);
            whole.queries += again.queries;
            whole.sat += again.sat;
            whole.unsat += again.unsat;
            whole.unknown += again.unknown;
            whole.time += again.time;
        }
        if whole.queries == 0 {
            let conditions = case.decisions.len() as f64;
            println!("   whole stack        {:12.3} us/condition", whole.time.as_secs_f64() * 1e6 / conditions);
            return;
        }
        report("whole stack", &whole);
        if self.stack {
            return;
        }
        let blast = replay(&mut case, &[LayerName::Blast], false);
        report("bit-blasting alone", &blast);
        println!("      bit-blasting takes {:.1} times as long", blast.per_query() / whole.per_query());
        match z3(&case) {
            Some(result) if result.queries == 0 => println!("   z3 answered nothing within {LONGEST:?}"),
            Some(result) => {
                report("z3", &result);
                println!("      z3 takes {:.1} times as long", result.per_query() / whole.per_query());
            }
            None => println!("   z3 is not installed: skipped"),
        }
    }
}
