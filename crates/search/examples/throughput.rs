//! Paths per second of the kernel on native mock programs: what is left when the front end costs next to nothing.
//!
//! `cargo run --release -p pessimum-search --example throughput -- exhaustive|random|quicksort N [PATHS]`

use pessimum_outcome::CostModel;
use pessimum_search::budget::Budget;
use pessimum_search::program::Program;
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy;
use pessimum_testkit::subjects;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u64>().ok());
    let (Some(mode), Some(n)) = (arguments.first(), number(1)) else {
        eprintln!("usage: throughput exhaustive|random|quicksort N [PATHS]");
        std::process::exit(2);
    };
    let n = n as usize;
    let (name, program): (&str, Box<dyn Program>) = match mode.as_str() {
        "exhaustive" => ("exhaustive", Box::new(subjects::insertion_sort_code(n))),
        "random" => ("random", Box::new(subjects::insertion_sort_code(n))),
        "quicksort" => ("random", Box::new(subjects::quicksort_code(n))),
        other => {
            eprintln!("unknown mode {other}");
            std::process::exit(2);
        }
    };
    let budget = Budget { paths: number(2), ..Budget::default() };
    let settings = Settings { cost: CostModel::User, budget, seed: 1, ..Settings::default() };
    let Some(mut strategy) = strategy::named(name) else { unreachable!("listed") };
    match strategy::run(Search::new(&*program, settings), &mut *strategy).sound() {
        Ok(result) => {
            let seconds = result.elapsed.as_secs_f64();
            println!(
                "{} {}: {} paths, {} decisions, {} queries in {seconds:.3} s: {:.0} paths/s, {:.0} decisions/s; best {:?}, complete {}",
                name,
                program.name(),
                result.paths,
                result.counters.decisions,
                result.counters.queries,
                result.paths as f64 / seconds,
                result.counters.decisions as f64 / seconds,
                result.best_cost(),
                result.complete,
            );
        }
        Err(defect) => {
            eprintln!("{defect}");
            std::process::exit(1);
        }
    }
}
