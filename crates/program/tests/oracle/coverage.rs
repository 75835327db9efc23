//! What searches for coverage claim, against brute force: an arm that is covered can be taken, and one that is proved
//! unreachable is taken by no input.

use std::collections::BTreeSet;

use pessimum_program::WasmProgram;
use pessimum_search::budget::Budget;
use pessimum_search::objective::{Goal, Goals};
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::search::{Search, Settings};
use pessimum_search::strategy::{self, Purpose, strategies_for};
use pessimum_testkit::oracle;

use super::{extensions, generate, load};

/// Totals over the programs that were compared.
#[derive(Debug, Default)]
struct Compared {
    programs: u64,
    /// Searches that saw every path, and the arms that they proved unreachable.
    complete: u64,
    unreachable: u64,
    /// Arms that can be taken and that an incomplete search did not find, of all that can be taken.
    missed: u64,
    reachable: u64,
}

/// The arms that some input takes.
fn truth(program: &WasmProgram, limits: &PathLimits) -> BTreeSet<Goal> {
    let seen = oracle::inputs(program).map(|input| program.observe(&input, limits));
    let runs = seen.filter(|seen| seen.end.is_a_run());
    runs.flat_map(|seen| seen.arms).filter(|arm| arm.hits > 0).map(|arm| Goal::Arm(arm.site, arm.arm)).collect()
}

fn compare(program: &WasmProgram, seed: u64, instructions: u64, compared: &mut Compared) {
    let limits = PathLimits { instructions, depth: 50, memory: 1 << 20, ..PathLimits::default() };
    let places = program.places();
    let truth = truth(program, &limits);
    let strategies: Vec<&str> = strategies_for(Purpose::Goals).map(|strategy| strategy.name).collect();
    // Our own takes part in every comparison, the others take turns.
    for name in ["auto", strategies[seed as usize % strategies.len()]] {
        let goals = Goals::new(places.arm_goals().chain(places.function_goals()));
        let budget = Budget { paths: Some(3000), ..Budget::default() };
        let mut settings = Settings { goals: Some(goals.clone()), budget, limits, seed, ..Settings::default() };
        (settings.solver.conflicts, settings.solver.steps) = (200, 2000);
        let mut strategy = strategy::named(name).unwrap();
        let result = strategy::run(Search::new(program, settings), strategy.as_mut()).sound().unwrap();
        let arms = |goal: &Goal| matches!(goal, Goal::Arm(..));
        for (goal, input) in goals.reached() {
            let Some(input) = input else { continue };
            let again = Goals::new([goal]);
            again.see_run(&input, &program.observe(&input, &limits), u64::MAX);
            assert!(again.are_covered(), "{name}: {:?} does not reach {goal:?}", input.values());
        }
        let left: BTreeSet<Goal> = goals.left().into_iter().filter(arms).collect();
        let missed: Vec<&Goal> = left.intersection(&truth).collect();
        if result.complete {
            assert!(missed.is_empty(), "{name}: every path was seen, but inputs take {missed:?}");
            compared.complete += 1;
            compared.unreachable += left.len() as u64;
        }
        compared.missed += missed.len() as u64;
        compared.reachable += truth.len() as u64;
    }
    compared.programs += 1;
}

fn compare_all(seeds: std::ops::Range<u64>, make: impl Fn(u64) -> (Vec<u8>, String)) -> Compared {
    let only: Option<u64> = std::env::var("PESSIMUM_SEED").ok().map(|seed| seed.parse().unwrap());
    let mut compared = Compared::default();
    for seed in seeds.filter(|&seed| only.is_none_or(|only| only == seed)) {
        let (module, call) = make(seed);
        if let Some(program) = load(&module, &call) {
            println!("seed {seed}");
            compare(&program, seed, 300, &mut compared);
        }
    }
    println!("{compared:?}");
    compared
}

fn check(compared: &Compared) {
    if std::env::var("PESSIMUM_SEED").is_err() {
        let searches = 2 * compared.programs;
        assert!(compared.complete * 2 > searches, "few searches were complete: {compared:?}");
        assert!(compared.unreachable > 0, "nothing was proved: {compared:?}");
        assert!(compared.missed * 50 < compared.reachable, "much was missed: {compared:?}");
    }
}

#[test]
fn generated_programs_are_covered_as_brute_force_says() {
    let scale: u64 = std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().unwrap());
    for (bits, seeds) in [(4, 0..150), (8, 150..200), (12, 200..202)] {
        let seeds = seeds.start * scale..seeds.end * scale;
        let compared = compare_all(seeds, |seed| {
            let generated = generate::program(seed, bits);
            (generated.module.into_bytes(), generated.call)
        });
        if bits < 12 {
            check(&compared);
        }
    }
}

#[test]
fn programs_that_mix_extensions_are_covered_as_brute_force_says() {
    let scale: u64 = std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().unwrap());
    check(&compare_all(0..150 * scale, extensions::program));
}
