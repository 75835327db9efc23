//! Compares strategies on the subjects of the manifest:
//! `cargo run --release -p pessimum-program --example compare -- SUBJECTS STRATEGIES SECONDS [SEEDS] [PATHS]`,
//! where SUBJECTS are like `ese/kmp:10,own/json:64` (the size after the last colon; `ese/kmp` alone: every size of the
//! manifest), STRATEGIES like `auto,ese` (`auto-flip`: without operator Flip; `auto-training`: at the target size
//! only; `auto@2`: two workers; `pyse+passes=10+mode=basic`: with these options), and SEEDS like `5` (1 to 5) or `11..15`.
//! Prints one row of a Markdown table per run, and one with the median of all seeds; a `<` marks results below the best
//! known. With PATHS, one worker and more SECONDS than needed, a table is
//! reproducible, so two versions of a strategy can be compared.

use std::ops::RangeInclusive;
use std::time::Duration;

use pessimum_outcome::CostModel;
use pessimum_program::WasmFamily;
use pessimum_search::budget::Budget;
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{Auto, Declaration, Operator, Options, Strategy, StrategyReport, run};

fn named(name: &str) -> Box<dyn Strategy> {
    if let Some(threads) = name.strip_prefix("auto@") {
        let threads = threads.parse().expect("a number of threads");
        return Box::new(Auto { threads, ..Auto::default() });
    }
    if name == "auto-training" {
        return Box::new(Auto { training: false, ..Auto::default() });
    }
    if let Some(closed) = name.strip_prefix("auto-") {
        let is_closed = |operator: &Operator| format!("{operator:?}").eq_ignore_ascii_case(closed);
        let without: Vec<Operator> = Operator::ALL.into_iter().filter(is_closed).collect();
        assert!(!without.is_empty(), "no operator {closed}");
        return Box::new(Auto { without, ..Auto::default() });
    }
    let mut words = name.split('+');
    let declared = words.next().and_then(Declaration::of).unwrap_or_else(|| panic!("no strategy {name}"));
    let options = Options::of(declared, words.map(|word| word.split_once('=').unwrap_or((word, "true"))));
    options.and_then(|options| declared.make(&options)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// For a learnt policy, the greatest size it was learnt at and how many paths it generated; for PySE, its executions.
fn remark(report: &StrategyReport) -> String {
    if let Some(pyse) = &report.pyse {
        let before: u64 = pyse.pretraining.iter().map(|size| size.course.executions).sum();
        let course = &pyse.course;
        return format!(
            "best after {} executions ({} infeasible of {}), pre-trained with {before}",
            course.until_best, course.infeasible, course.executions
        );
    }
    report.guided.as_ref().map_or(String::new(), |report| {
        let trained = report.training.finished_sizes().max().unwrap_or(0);
        let generated = &report.generated;
        format!(
            "learnt up to {trained}, {} guided{}{}",
            generated.paths,
            if generated.finished { "" } else { " (not all)" },
            if generated.opened { ", opened" } else { "" },
        )
    })
}

fn number(value: Option<u64>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

/// `5` are seeds 1 to 5, `11..15` those (ends included).
fn seeds_of(text: &str) -> RangeInclusive<u64> {
    let number = |text: &str| text.parse().expect("a number of seeds");
    text.split_once("..").map_or_else(|| 1..=number(text), |(first, last)| number(first)..=number(last))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [subjects, strategies, seconds, rest @ ..] = arguments.as_slice() else {
        eprintln!("compare SUBJECT[:SIZE],... STRATEGY,... SECONDS [SEEDS] [PATHS]");
        std::process::exit(2);
    };
    let seconds: f64 = seconds.parse().expect("seconds");
    let seeds = rest.first().map_or(1..=1, |seeds| seeds_of(seeds));
    let paths: Option<u64> = rest.get(1).map(|paths| paths.parse().expect("a number of paths"));
    let entries = pessimum_subjects::all();
    println!(
        "| subject | n | cost | strategy | seed | best | known | published | at s | at path | paths | s | paths/s | \
         queries | given up | remark |"
    );
    println!("|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for subject in subjects.split(',') {
        let all_of = entries.iter().find(|entry| entry.name == subject);
        let (entry, sizes) = all_of.map(|entry| (entry, entry.sizes.clone())).unwrap_or_else(|| {
            let (name, size) = subject.rsplit_once(':').unwrap_or((subject, ""));
            let entry = entries.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("no subject {name}"));
            (entry, vec![size.parse().expect("a size")])
        });
        let module = entry.load().expect("a built module");
        let cost = CostModel::parse(&entry.cost).expect("a cost");
        for size in sizes {
            let target = entry.program_of(&module, size).expect("a program of this size");
            let family = WasmFamily(|size: u32| entry.program_of(&module, u64::from(size)));
            for name in strategies.split(',') {
                let mut bests = Vec::new();
                for seed in seeds.clone() {
                    let budget = Budget { time: Some(Duration::from_secs_f64(seconds)), paths, ..Budget::default() };
                    // There is nothing to be found beyond the optimum.
                    let optimum = entry.optimum_at(size);
                    let settings = Settings { cost, budget, seed, target: optimum, ..Settings::default() };
                    let size_in_family = u32::try_from(size).expect("a size of 32 bits");
                    let search = Search::new(&target, settings).with_family(&family, size_in_family);
                    let mut chosen = named(name);
                    let result = run(search, chosen.as_mut()).sound().unwrap_or_else(|error| panic!("{error}"));
                    let last = result.progress.last();
                    let (best, known) = (result.best_cost(), entry.reached_at(size));
                    bests.push(best);
                    let published = entry.published.iter().find(|pair| pair.0 == size).map(|pair| pair.1);
                    let elapsed = result.elapsed.as_secs_f64();
                    println!(
                        "| {} | {size} | {} | {name} | {seed} | {}{} | {}{} | {} | {:.2} | {} | {} | {elapsed:.2} | \
                         {:.0} | {} | {} | {}{} |",
                        entry.name,
                        entry.cost,
                        number(best),
                        if best < known { " <" } else { "" },
                        if known.is_some() && entry.optimum_at(size).is_none() { ">= " } else { "" },
                        number(known),
                        number(published),
                        last.map_or(0.0, |last| last.seconds),
                        last.map_or(0, |last| last.paths),
                        result.paths,
                        result.paths as f64 / elapsed,
                        result.counters.queries,
                        result.counters.unknown,
                        remark(&chosen.report()),
                        if result.complete { "complete" } else { "" },
                    );
                }
                if bests.len() > 1 {
                    bests.sort_unstable();
                    let median = number(bests[bests.len() / 2]);
                    println!(
                        "| {} | {size} | {} | {name} | median | {median} |{}",
                        entry.name,
                        entry.cost,
                        " |".repeat(10)
                    );
                }
            }
        }
    }
}
