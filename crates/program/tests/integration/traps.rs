//! Searches for the costliest input that crashes aim at traps, and find them where the cost leads elsewhere.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_outcome::{End, Ends};
use pessimum_program::WasmProgram;
use pessimum_search::budget::Budget;
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Auto, AutoSettings};
use pessimum_term::Witness;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

fn program(module: &[u8], call: &str, size: u64) -> WasmProgram {
    let module = Arc::new(Module::load(module, &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(Some(size));
    let signature = Signature::parse(call).unwrap();
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: call.into(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(signature), world, Limits::default()).unwrap();
    WasmProgram::new(call.into(), subject).unwrap()
}

fn search(program: &WasmProgram, paths: u64, seed: u64, settings: AutoSettings) -> SearchResult {
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let given = Settings { ends: Ends::Trapped, budget, seed, ..Settings::default() };
    strategy::run(Search::new(program, given), &mut Auto { settings, ..Auto::default() }).sound().unwrap()
}

/// Checks that searches find a trap, and that they would not have done so by chance.
fn assert_more_than_without(program: &WasmProgram, paths: u64) {
    let found = |settings| (1..=4).filter(|&seed| search(program, paths, seed, settings).best.is_some()).count();
    let without = AutoSettings { aim_share: 0.0, ..AutoSettings::default() };
    let (with, without) = (found(AutoSettings::default()), found(without));
    println!("found by aiming in {with} of 4 searches, without in {without}");
    assert!(with >= 3 && without <= 1, "found by aiming in {with} of 4 searches, without in {without}");
}

/// The number of pairs that are out of order is 31 and a number in the middle 99, or else nothing is divided by zero. The
/// costliest inputs are others, and so are most of all.
const INVERSIONS: &str = r#"(module (memory (export "memory") 1)
  (func (export "inversions") (param $a i32) (param $n i32) (result i32)
    (local $i i32) (local $j i32) (local $count i32) (local $middle i32)
    (loop $outer
      (local.set $j (local.get $i))
      (loop $inner
        (if (i32.gt_u (i32.load8_u (i32.add (local.get $a) (local.get $i)))
                      (i32.load8_u (i32.add (local.get $a) (local.get $j))))
          (then (local.set $count (i32.add (local.get $count) (i32.const 1)))))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $inner (i32.lt_u (local.get $j) (local.get $n))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $outer (i32.lt_u (local.get $i) (local.get $n))))
    (local.set $count (i32.sub (local.get $count) (i32.const 31)))
    (local.set $middle (i32.sub (i32.load8_u offset=8 (local.get $a)) (i32.const 99)))
    (i32.div_s (i32.const 1000) (i32.add (i32.mul (local.get $count) (local.get $count))
                                         (i32.mul (local.get $middle) (local.get $middle))))))"#;

#[test]
fn divisors_are_driven_to_zero() {
    let program = program(INVERSIONS.as_bytes(), "inversions(u8[n], n)", 16);
    assert_more_than_without(&program, 2000);
}

/// Commands of two bytes on four slots: only one that was opened (10), written three times (77) and closed (130) fails where
/// it is used (202). Each of these makes no difference by itself.
const SLOTS: &str = r#"(module (memory (export "memory") 1)
  (func (export "slots") (param $p i32) (param $n i32) (result i32)
    (local $i i32) (local $slot i32) (local $command i32) (local $work i32)
    (loop $next
      (local.set $command (i32.load8_u (i32.add (local.get $p) (local.get $i))))
      (local.set $slot (i32.shl (i32.and (i32.load8_u offset=1 (i32.add (local.get $p) (local.get $i))) (i32.const 3))
                                (i32.const 3)))
      (block $done
        (if (i32.eq (local.get $command) (i32.const 10))
          (then (if (i32.eqz (i32.load offset=1024 (local.get $slot)))
                  (then (i32.store offset=1024 (local.get $slot) (i32.const 1))))
                (br $done)))
        (if (i32.eq (local.get $command) (i32.const 77))
          (then (if (i32.eq (i32.load offset=1024 (local.get $slot)) (i32.const 1))
                  (then (i32.store offset=1028 (local.get $slot)
                          (i32.add (i32.load offset=1028 (local.get $slot)) (i32.const 1)))))
                (br $done)))
        (if (i32.eq (local.get $command) (i32.const 130))
          (then (if (i32.eq (i32.load offset=1024 (local.get $slot)) (i32.const 1))
                  (then (i32.store offset=1024 (local.get $slot) (i32.const 2))))
                (br $done)))
        (if (i32.eq (local.get $command) (i32.const 202))
          (then (if (i32.eq (i32.load offset=1024 (local.get $slot)) (i32.const 2))
                  (then (if (i32.eq (i32.load offset=1028 (local.get $slot)) (i32.const 3)) (then unreachable))))
                (br $done)))
        (local.set $work (i32.add (local.get $work) (i32.mul (local.get $command) (local.get $slot)))))
      (local.set $i (i32.add (local.get $i) (i32.const 2)))
      (br_if $next (i32.lt_u (local.get $i) (local.get $n))))
    (local.get $work)))"#;

#[test]
fn what_makes_no_difference_by_itself_is_put_together() {
    let program = program(SLOTS.as_bytes(), "slots(u8[n], n)", 20);
    assert_more_than_without(&program, 20_000);
}

/// Most inputs go on for ever; few begin with the four bytes that trap.
const ENDLESS: &str = r#"(module (memory (export "memory") 1)
  (func (export "endless") (param $p i32) (param $n i32) (result i32)
    (local $i i32)
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 61))
      (then (if (i32.eq (i32.load8_u offset=1 (local.get $p)) (i32.const 91))
        (then (if (i32.eq (i32.load8_u offset=2 (local.get $p)) (i32.const 93))
          (then (if (i32.eq (i32.load8_u offset=3 (local.get $p)) (i32.const 7)) (then unreachable))))))))
    (loop $next
      (if (i32.gt_u (i32.load8_u (i32.add (local.get $p) (local.get $i))) (i32.const 99)) (then (loop $ever (br $ever))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (local.get $n))))
    (local.get $i)))"#;

#[test]
fn runs_without_end_do_not_spend_what_is_for_traps() {
    let program = program(ENDLESS.as_bytes(), "endless(u8[n], n)", 8);
    let limits = PathLimits { instructions: 10_000_000, ..PathLimits::default() };
    let budget = Budget { paths: Some(200), ..Budget::default() };
    // Nothing but aiming, after the first three inputs.
    let settings = AutoSettings { aim_share: 1.0, walk_paths: 0, ..AutoSettings::default() };
    let given = Settings { ends: Ends::Trapped, budget, limits, ..Settings::default() };
    let mut auto = Auto { settings, ..Auto::default() };
    let result = strategy::run(Search::new(&program, given), &mut auto).sound().unwrap();
    let cut_off: u64 = result.ends.iter().filter(|(end, _)| matches!(end, End::Limit(_))).map(|(_, count)| count).sum();
    assert!(result.best.is_some() && cut_off > 30, "{:?}", result.ends);
    // As many paths that all took their limit would have spent twice that.
    let half = 5_000_000 * result.paths;
    assert!(result.steps < half, "{} instructions for {} paths, {cut_off} cut off", result.steps, result.paths);
}

/// Two places that trap, an early one and a late one behind a sum: the costliest of all inputs that trap, as running all of
/// them says.
#[test]
fn the_costliest_trap_is_the_one_that_all_inputs_have() {
    const SUMS: &str = r#"(module (memory (export "memory") 1)
      (func (export "sums") (param $a i32) (param $n i32) (result i32)
        (local $i i32) (local $k i32) (local $sum i32)
        (if (i32.eq (i32.load8_u (local.get $a)) (i32.const 7)) (then unreachable))
        (loop $next
          (local.set $k (i32.load8_u (i32.add (local.get $a) (local.get $i))))
          (loop $count
            (local.set $sum (i32.add (local.get $sum) (i32.const 1)))
            (local.set $k (i32.sub (local.get $k) (i32.const 1)))
            (br_if $count (i32.gt_s (local.get $k) (i32.const 0))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $next (i32.lt_u (local.get $i) (local.get $n))))
        (i32.div_u (i32.const 1) (i32.sub (i32.rem_u (local.get $sum) (i32.const 11)) (i32.const 5)))))"#;
    let program = program(SUMS.as_bytes(), "sums(u8[n] in 0..=15, n)", 5);
    let variables = program.variables();
    let costs = (0..16u64.pow(5)).filter_map(|number| {
        let values = (0..5).map(|digit| number / 16u64.pow(digit) % 16).collect();
        let replay = program.replay(&Witness::new(values), &PathLimits::default());
        replay.end.is_crash().then_some(replay.costs.instructions)
    });
    let (worst, crashes) = costs.fold((0, 0u64), |(worst, count), cost| (cost.max(worst), count + 1));
    assert!(variables.len() == 5 && crashes > 1000 && worst > 400, "{worst} {crashes}");
    for seed in 1..=3 {
        let best = search(&program, 3000, seed, AutoSettings::default()).best.expect("it traps");
        assert_eq!((best.costs.instructions, best.end.is_crash()), (worst, true), "seed {seed}");
    }
}
