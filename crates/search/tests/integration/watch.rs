//! Inputs to start from, and what other threads see of a search.

use pessimum_outcome::CostModel;
use pessimum_search::budget::Budget;
use pessimum_search::search::{Improvement, Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Auto, Options, STRATEGIES, Strategy};
use pessimum_search::watch::{News, Watch};
use pessimum_term::Witness;
use pessimum_testkit::benchmarks::SUBJECTS;
use pessimum_testkit::native::NativeFamily;
use pessimum_testkit::subjects;
use std::time::Duration;

fn run(search: Search<'_>, strategy: &mut dyn Strategy) -> SearchResult {
    strategy::run(search, strategy).sound().unwrap_or_else(|mismatch| panic!("{mismatch}"))
}

/// Every strategy runs the given inputs first, within a budget of paths that stays exact.
#[test]
fn no_strategy_ends_below_its_starts() {
    let program = subjects::insertion_sort_code(12);
    let descending = Witness::new((0..12).rev().collect());
    let half = Witness::new(vec![0, 1, 2, 3, 4, 5, 11, 10, 9, 8, 7, 6]);
    for strategy in STRATEGIES {
        let name = strategy.name;
        for paths in [1, 2, 3, 40] {
            let result = |seed| {
                let settings = Settings {
                    cost: CostModel::User,
                    budget: Budget { paths: Some(paths), ..Budget::default() },
                    seed,
                    starts: vec![descending.clone(), half.clone()],
                    ..Settings::default()
                };
                run(Search::new(&program, settings), strategy.make(&Options::default()).unwrap().as_mut())
            };
            let first = result(1);
            assert_eq!(first.best_cost(), Some(66), "{name}");
            assert_eq!(first.best.as_ref().map(|path| &path.witness), Some(&descending), "{name}");
            assert_eq!(first.paths, paths.max(2), "{name}: those to start from, and no more than the budget");
            let again = result(1);
            assert_eq!((first.counters, first.ends), (again.counters, again.ends), "{name}");
        }
    }
}

/// A population that begins with a good input continues from there.
#[test]
fn auto_continues_from_its_starts() {
    let program = subjects::insertion_sort_code(60);
    let nearly = Witness::new((0..60).rev().map(|value| if value < 3 { 2 - value } else { value }).collect());
    let settings = Settings {
        cost: CostModel::User,
        budget: Budget { paths: Some(150), ..Budget::default() },
        starts: vec![nearly],
        ..Settings::default()
    };
    let result = run(Search::new(&program, settings), &mut Auto { training: false, ..Auto::default() });
    assert_eq!(result.progress[0].cost, 1769);
    assert_eq!(result.best_cost(), Some(1770));
}

/// Three numbers can be in six orders, and each is one path.
#[test]
fn auto_counts_no_path_twice() {
    for (size, paths) in [(1, 1), (3, 6), (4, 24)] {
        let program = subjects::insertion_sort_code(size);
        let result = run(Search::new(&program, Settings::default()), &mut Auto::default());
        assert_eq!((result.complete, result.paths), (true, paths), "{size}");
    }
}

fn watched(auto: &mut Auto, paths: u64) -> (SearchResult, News) {
    let subject = SUBJECTS.iter().find(|subject| subject.name == "quicksort").expect("a subject");
    let (family, program) = (NativeFamily(subject.at), (subject.at)(24));
    let watch = Watch::new();
    let settings = Settings {
        cost: subject.cost,
        budget: Budget { paths: Some(paths), ..Budget::default() },
        watch: watch.clone(),
        ..Settings::default()
    };
    let result = run(Search::new(&program, settings).with_family(&family, 24), auto);
    watch.end();
    (result, watch.wait(0, Duration::ZERO))
}

#[test]
fn a_watch_sees_what_the_result_says() {
    let (result, news) = watched(&mut Auto::default(), 2000);
    let steps = |improvements: &[Improvement]| -> Vec<(u64, u64)> {
        improvements.iter().map(|step| (step.paths, step.cost)).collect()
    };
    assert_eq!(steps(&news.improvements), steps(&result.progress));
    assert_eq!(news.paths, result.paths, "those of training too");
    let best = result.best.unwrap();
    let found = news.found.unwrap();
    assert_eq!((found.input, found.costs.user), (best.witness, best.costs.user));
    assert!(news.over && news.operators.iter().map(|operator| operator.uses).sum::<u64>() > 100);
    assert!(news.solver > Duration::ZERO);
}

#[test]
fn a_watch_sees_all_workers() {
    let (result, news) = watched(&mut Auto { threads: 3, ..Auto::default() }, 3000);
    assert_eq!(news.paths, result.paths);
    assert_eq!(news.found.map(|found| found.cost), result.best_cost());
    assert_eq!(news.improvements.last().map(|step| step.cost), result.best_cost());
    assert!(news.improvements.is_sorted_by(|x, y| x.cost < y.cost && x.paths <= y.paths));
}

/// Each improvement of several workers is stamped when it happens, with the number of paths that all of them had
/// completed by then, and the result has what a watcher sees.
#[test]
fn progress_of_several_workers_is_that_of_the_whole_search() {
    let subject = SUBJECTS.iter().find(|subject| subject.name == "quicksort").expect("a subject");
    let program = (subject.at)(60);
    let watch = Watch::new();
    let settings = Settings {
        cost: subject.cost,
        budget: Budget { paths: Some(8000), ..Budget::default() },
        watch: watch.clone(),
        ..Settings::default()
    };
    // Reads along while the workers write.
    let reader = watch.clone();
    let seen = std::thread::spawn(move || {
        let mut seen: Vec<Improvement> = Vec::new();
        loop {
            let news = reader.wait(seen.len(), Duration::from_secs(600));
            assert!(news.improvements.iter().all(|step| step.paths <= news.paths), "none is ahead of the paths");
            seen.extend(&news.improvements);
            if news.over {
                return seen;
            }
        }
    });
    let search = Search::new(&program, settings);
    let result = run(search, &mut Auto { threads: 4, training: false, ..Auto::default() });
    watch.end();
    let seen = seen.join().unwrap();
    assert_eq!(seen, result.progress);
    assert_eq!(result.paths, 8000);
    assert!(result.progress.is_sorted_by(|x, y| x.cost < y.cost && x.paths <= y.paths && x.seconds <= y.seconds));
    assert!(result.progress.iter().all(|step| step.paths <= result.paths));
    // Reserved paths are not counted: a search that finds much early has improvements among its first paths.
    assert!(result.progress[0].paths <= 4, "{:?}", result.progress[0]);
    assert_eq!(result.progress.last().map(|step| step.cost), result.best_cost());
}
