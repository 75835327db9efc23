//! The symbolic engine against brute force: for small random programs every input is run concretely, and exhaustive
//! search must find exactly the paths, costs and ends that occur.

mod coverage;
mod extensions;
mod generate;
mod smith;

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_outcome::CostModel;
use pessimum_program::WasmProgram;
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::search::Settings;
use pessimum_search::strategy::{ArmOrder, Exhaustive, Order};
use pessimum_term::Witness;
use pessimum_testkit::oracle;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

/// Totals over the programs that were compared.
#[derive(Debug, Default)]
struct Compared {
    programs: u64,
    /// Those with two paths or more.
    with_decisions: u64,
    /// Those in which the search gave up on a question, so that paths may be missing.
    incomplete: u64,
    paths: u64,
}

fn load(module: &[u8], call: &str) -> Option<WasmProgram> {
    let module = Arc::new(Module::load(module, &LoadSettings::default()).unwrap_or_else(|error| panic!("{error}")));
    let mut plan = InputPlan::new(None);
    let signature = Signature::parse(call).unwrap_or_else(|error| panic!("{error}"));
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "oracle".into(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(signature), world, Limits::default())
        .unwrap_or_else(|error| panic!("{call}: {error}"));
    // A module may trap while it is instantiated.
    WasmProgram::new(call.into(), subject).ok()
}

const ORDERS: [Order; 4] =
    [Order::Depth(ArmOrder::TrueFirst), Order::Depth(ArmOrder::Random), Order::Breadth, Order::Deepening(2)];

/// Compares one program; `seed` picks the order of the search and says whether the solver validates its answers.
fn compare(program: &WasmProgram, seed: u64, instructions: u64, compared: &mut Compared) {
    let limits = PathLimits { instructions, depth: 50, memory: 1 << 20, ..PathLimits::default() };
    let mut settings = Settings { limits, ..Settings::default() };
    settings.solver.validate = seed.is_multiple_of(8);
    // Products and quotients of random numbers are hard. These limits make giving up cheap; it is counted below.
    (settings.solver.conflicts, settings.solver.steps) = (200, 2000);
    let order = ORDERS[seed as usize % ORDERS.len()];
    let expected = oracle::brute_force(program, &limits);
    let (found, result) = oracle::visited(program, settings, &mut Exhaustive::new(order));
    for (path, what) in &found {
        assert_eq!(expected.get(path), Some(what), "no input takes the path {path:?}, or its outcome differs");
    }
    compared.programs += 1;
    compared.paths += expected.len() as u64;
    compared.with_decisions += u64::from(expected.len() > 1);
    if result.counters.unknown > 0 || result.counters.values_cut > 0 {
        assert!(!result.complete, "a search that gave up on a question claims to be complete");
        compared.incomplete += 1;
        return;
    }
    for (path, what) in &expected {
        assert_eq!(found.get(path), Some(what), "the path {path:?} was missed");
    }
    for model in CostModel::ALL {
        let greatest = expected.values().map(|(costs, _)| model.of(costs)).max();
        assert_eq!(result.extremes.map(|extremes| model.of(&extremes.greatest)), greatest, "greatest {model}");
    }
}

/// Runs one program per seed; a failure names the seed and shows the program.
fn compare_all(
    seeds: std::ops::Range<u64>,
    instructions: u64,
    make: impl Fn(u64) -> Option<(Vec<u8>, String)>,
) -> Compared {
    let only: Option<u64> = std::env::var("PESSIMUM_SEED").ok().map(|seed| seed.parse().unwrap());
    let mut compared = Compared::default();
    let mut failures = Vec::new();
    for seed in seeds.filter(|&seed| only.is_none_or(|only| only == seed)) {
        let Some((module, call)) = make(seed) else { continue };
        if only.is_some() {
            println!("{call}\n{}", String::from_utf8_lossy(&module));
        }
        let one = std::panic::catch_unwind(|| {
            let mut one = Compared::default();
            if let Some(program) = load(&module, &call) {
                compare(&program, seed, instructions, &mut one);
            }
            one
        });
        match one {
            Ok(one) => {
                compared.programs += one.programs;
                compared.with_decisions += one.with_decisions;
                compared.incomplete += one.incomplete;
                compared.paths += one.paths;
            }
            Err(_) => failures.push((seed, call)),
        }
    }
    assert!(failures.is_empty(), "{} seeds failed (PESSIMUM_SEED runs one alone): {failures:?}", failures.len());
    println!("{compared:?}");
    compared
}

/// Bits of input, and the number of programs. Few programs have many inputs, since every input is run twice.
const SHARES: [(u32, u64); 4] = [(4, 500), (6, 150), (8, 30), (12, 2)];

#[test]
fn generated_programs_have_the_paths_that_brute_force_finds() {
    let scale: u64 = std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().unwrap());
    let (mut first, mut programs, mut with_decisions, mut incomplete) = (0, 0, 0, 0);
    for (bits, count) in SHARES {
        let seeds = first..first + count * scale;
        first = seeds.end;
        let compared = compare_all(seeds, 300, |seed| {
            let generated = generate::program(seed, bits);
            Some((generated.module.into_bytes(), generated.call))
        });
        programs += compared.programs;
        with_decisions += compared.with_decisions;
        incomplete += compared.incomplete;
    }
    if std::env::var("PESSIMUM_SEED").is_err() {
        assert!(with_decisions * 2 > programs, "most programs should depend on their input");
        assert!(incomplete * 10 < programs, "the search gave up on too many questions");
    }
}

#[test]
fn wasm_smith_programs_have_the_paths_that_brute_force_finds() {
    let scale: u64 = std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().unwrap());
    let compared = compare_all(0..500 * scale, 600, smith::program);
    if std::env::var("PESSIMUM_SEED").is_err() {
        assert!(compared.programs > 400 * scale, "too few modules have a suitable function");
    }
}

#[test]
fn programs_that_mix_extensions_have_the_paths_that_brute_force_finds() {
    let scale: u64 = std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().unwrap());
    let compared = compare_all(0..500 * scale, 300, |seed| Some(extensions::program(seed)));
    if std::env::var("PESSIMUM_SEED").is_err() {
        assert!(compared.with_decisions * 3 > compared.programs, "many programs should depend on their input");
        assert!(compared.incomplete * 10 < compared.programs, "the search gave up on too many questions");
    }
}

/// The smallest integer takes the most iterations, and both arms of the first branch are feasible because the two
/// extensions of a negative integer differ. Every integer is allowed, so no oracle can try them all.
#[test]
fn the_two_extensions_of_an_integer_are_different_numbers() {
    let loops = "(loop $more (br_if $more (i32.lt_s (local.tee 0 (i32.add (local.get 0) (i32.const 0x1000000)))
        (i32.const 0))))";
    let zeros = "(i64.extend_i32_u (local.get 0))";
    let sign = "(i64.extend_i32_s (local.get 0))";
    let as_compiled = format!(
        "(local.set 1 {zeros}) (local.set 2 {sign}) (if (i32.eqz (i64.eq (local.get 1) (local.get 2))) (then {loops}))"
    );
    let bodies = [
        format!("(if (i64.ne {zeros} {sign}) (then {loops}))"),
        format!("(if (i64.gt_s (i64.sub {zeros} {sign}) (i64.const 5)) (then {loops}))"),
        as_compiled,
    ];
    for body in bodies {
        let module = format!("(module (func (export \"f\") (param i32) (local i64 i64) {body}))");
        let program = load(module.as_bytes(), "f(i32)").unwrap();
        let order = Order::Depth(ArmOrder::TrueFirst);
        let (paths, result) = oracle::visited(&program, Settings::default(), &mut Exhaustive::new(order));
        assert!(result.complete);
        // No iterations for integers that are not negative, otherwise 1 to 128.
        assert_eq!(paths.len(), 129, "{body}");
        let smallest = program.replay(&Witness::new(vec![1 << 31]), &PathLimits::default());
        let greatest = result.extremes.unwrap().greatest;
        assert_eq!(greatest.instructions, smallest.costs.instructions, "{body}");
    }
}
