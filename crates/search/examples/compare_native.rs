//! Compares strategies on the test kit's programs:
//! `cargo run --release -p pessimum-search --example compare_native -- SUBJECTS STRATEGIES SECONDS [SEEDS] [PATHS]`,
//! where SUBJECTS are like `quicksort:100,kmp:50` and STRATEGIES like `auto,random` (`auto-flip`: without operator Flip;
//! `auto-only-flip`: with that operator only; `auto-training`: without training; `auto@2`: two workers).

use pessimum_search::budget::Budget;
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{self, Auto, Operator, Strategy};
use pessimum_testkit::benchmarks::SUBJECTS;
use pessimum_testkit::native::NativeFamily;
use std::time::Duration;

fn named(name: &str) -> Box<dyn Strategy> {
    if let Some(threads) = name.strip_prefix("auto@") {
        let threads = threads.parse().expect("a number of threads");
        return Box::new(Auto { threads, ..Auto::default() });
    }
    if name == "auto-training" {
        return Box::new(Auto { training: false, ..Auto::default() });
    }
    if let Some(closed) = name.strip_prefix("auto-") {
        let is_closed = |operator: &&Operator| format!("{operator:?}").eq_ignore_ascii_case(closed);
        let without: Vec<Operator> = match closed.strip_prefix("only-") {
            Some(only) => Operator::ALL
                .into_iter()
                .filter(|operator| !format!("{operator:?}").eq_ignore_ascii_case(only))
                .collect(),
            None => Operator::ALL.iter().filter(is_closed).copied().collect(),
        };
        assert!(!without.is_empty(), "no operator {closed}");
        return Box::new(Auto { without, ..Auto::default() });
    }
    strategy::named(name).unwrap_or_else(|| panic!("no strategy {name}"))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [subjects, strategies, seconds, rest @ ..] = arguments.as_slice() else {
        eprintln!("compare SUBJECT:SIZE,... STRATEGY,... SECONDS [SEEDS] [PATHS]");
        std::process::exit(2);
    };
    let seeds: u64 = rest.first().map_or(1, |seeds| seeds.parse().expect("a number of seeds"));
    let paths: Option<u64> = rest.get(1).map(|paths| paths.parse().expect("a number of paths"));
    for subject in subjects.split(',') {
        let (name, size) = subject.split_once(':').expect("SUBJECT:SIZE");
        let size: u32 = size.parse().expect("a size");
        let subject = SUBJECTS.iter().find(|subject| subject.name == name).expect("a subject");
        let family = NativeFamily(subject.at);
        let program = (subject.at)(size);
        let known = (subject.known)(size).map_or("?".to_owned(), |cost| cost.to_string());
        for strategy in strategies.split(',') {
            for seed in 1..=seeds {
                let seconds: f64 = seconds.parse().expect("seconds");
                let budget = Budget { time: Some(Duration::from_secs_f64(seconds)), paths, ..Budget::default() };
                let settings = Settings { cost: subject.cost, budget, seed, ..Settings::default() };
                let search = Search::new(&program, settings).with_family(&family, size);
                let result =
                    strategy::run(search, named(strategy).as_mut()).sound().unwrap_or_else(|error| panic!("{error}"));
                let last = result.progress.last();
                println!(
                    "{name}:{size} {strategy} seed {seed}: {} (known {known}) at {:.1} s, path {}; {} paths in {:.1} s, \
                     {} decisions, {} queries, {} unknown{}",
                    result.best_cost().unwrap_or(0),
                    last.map_or(0.0, |last| last.seconds),
                    last.map_or(0, |last| last.paths),
                    result.paths,
                    result.elapsed.as_secs_f64(),
                    result.counters.decisions,
                    result.counters.queries,
                    result.counters.unknown,
                    if result.complete { ", complete" } else { "" },
                );
            }
        }
    }
}
