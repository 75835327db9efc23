//! Suites of sequences of calls.

use pessimum_search::budget::Budget;
use pessimum_search::objective::Goal;
use pessimum_search::suite::*;
use pessimum_testkit::calls::{Calls, counter, foo_bar, stack, tree};

fn settings(library: &Calls, paths: u64, seed: u64) -> SuiteSettings {
    SuiteSettings {
        goals: library.places().arm_goals().collect(),
        budget: Budget { paths: Some(paths), ..Budget::default() },
        seed,
        ..SuiteSettings::default()
    }
}

fn genetic(dse: Option<DseSettings>) -> SuiteStrategy {
    SuiteStrategy::WholeSuite(WholeSuiteSettings { dse, ..WholeSuiteSettings::default() })
}

#[test]
#[ignore]
fn figures() {
    for library in [foo_bar(), counter(), stack(), tree()] {
        for (name, strategy) in [
            ("ga", genetic(None)),
            ("ga+dse", genetic(Some(DseSettings::default()))),
            ("auto", SuiteStrategy::default()),
        ] {
            for seed in 0..3 {
                let began = std::time::Instant::now();
                let result = search(&library, &strategy, &settings(&library, 20_000, seed));
                println!(
                    "{} {name} seed {seed}: {}/{} runs {} last {:?} tests {} {:?} {:?} {:?} {:?}",
                    library.name(),
                    result.covered(),
                    result.goals.len(),
                    result.runs,
                    result.progress.last().map(|p| p.runs),
                    result.tests.len(),
                    result.stop,
                    began.elapsed(),
                    result.counters,
                    result.refusal
                );
                if seed == 0 && name == "auto" {
                    for test in &result.tests {
                        println!(
                            "   {:?} {:?} {:?}",
                            test.test
                                .calls
                                .iter()
                                .map(|c| (library.functions()[c.function].name.as_str(), &c.handles[..]))
                                .collect::<Vec<_>>(),
                            test.test.input.values(),
                            test.goals
                        );
                    }
                    for c in &result.crashes {
                        println!("crash {:?} {:?}", c.crash, c.test.test.calls.len());
                    }
                    println!("open {:?}", result.open);
                }
            }
        }
    }
}
