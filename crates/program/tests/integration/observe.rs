//! Observed runs count what plain runs count on every subject, and their distances are those of the operands.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_program::WasmProgram;
use pessimum_search::observation::Observation;
use pessimum_search::program::{Arm, Counted, Counting, PathLimits, Program, SiteId};
use pessimum_search::random::Random;
use pessimum_term::Witness;
use pessimum_wasm::names::SourceLines;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

#[test]
fn observed_runs_count_what_plain_runs_count() {
    let mut reached = 0;
    for entry in &pessimum_subjects::all() {
        let size = entry.sizes.iter().copied().min().unwrap_or(4).clamp(1, 30);
        let program = entry.program(size).unwrap();
        let places = program.places();
        let mut random = Random::new(size);
        for instructions in [1_000_000, 1000] {
            let limits = PathLimits { instructions, ..PathLimits::default() };
            let input = random.witness(&program.variables());
            let (seen, replay) = (program.observe(&input, &limits), program.replay(&input, &limits));
            assert_eq!((seen.costs, seen.end), (replay.costs, replay.end), "{}", entry.name);
            let profile = program.profile(&input, &limits);
            let mut arms = vec![7];
            let (counted, _) = program.run_concrete(
                &input,
                &limits,
                &mut Counting { go_on: || true, counted: Counted::Arms, into: &mut arms },
            );
            assert_eq!((counted.costs, counted.end), (replay.costs, replay.end), "{}", entry.name);
            assert_eq!(arms, profile.arms, "{}", entry.name);
            let sites = program.subject().module().sites();
            let hits =
                |site: SiteId, arm: Arm| profile.arms[(sites[site.0 as usize].first_arm + arm.0 as u32) as usize];
            for arm in &seen.arms {
                assert_eq!((arm.hits, arm.evaluations), (hits(arm.site, arm.arm), profile.sites[arm.site.0 as usize]));
                assert_eq!(arm.distance == 0, arm.hits > 0, "{}: {arm:?}", entry.name);
            }
            let all: u64 = seen.arms.iter().map(|arm| arm.hits).sum();
            assert_eq!(all, replay.costs.branches, "{}", entry.name);
            assert!(seen.arms.iter().all(|arm| places.arms.contains(&(arm.site, arm.arm))));
            let imported = program.subject().module().imported_function_count();
            let called = profile.functions.iter().filter(|function| function.own.calls > 0).map(|f| f.function);
            let called: Vec<u32> = called.filter_map(|function| function.checked_sub(imported)).collect();
            assert_eq!(seen.functions, called, "{}", entry.name);
            let source = SourceLines::of(program.subject().module());
            let (lines, _) = profile.lines(&source);
            let mut lines: Vec<_> = lines.into_iter().map(|line| (line.place.file, line.place.line)).collect();
            // A call was reached where inlined code ran that has no line; its cost is charged to the inlined text.
            let executed = profile.instructions.iter().map(|&(offset, _)| source.at(u64::from(offset)));
            let calls = executed.filter(|place| !place.has_own_line).filter_map(|place| place.innermost);
            lines.extend(calls.map(|line| (line.file, line.line)));
            lines.sort();
            lines.dedup();
            let observed = seen.lines.iter().map(|&line| &places.lines[line as usize]);
            let observed: Vec<_> = observed.map(|line| (line.file.clone(), line.line)).collect();
            assert_eq!(observed, lines, "{}", entry.name);
            reached += observed.len();
        }
    }
    assert!(reached > 500, "{reached}");
}

fn program(module: &str, call: &str) -> WasmProgram {
    let module = Arc::new(Module::load(module.as_bytes(), &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(None);
    let signature = Signature::parse(call).unwrap();
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "observed".into(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(signature), world, Limits::default()).unwrap();
    WasmProgram::new(call.into(), subject).unwrap()
}

/// Whether a condition holds, and its distance to the opposite outcome.
type Truth = (bool, u128);

fn less(x: i128, y: i128) -> Truth {
    if x < y { (true, (y - x) as u128) } else { (false, (x - y + 1) as u128) }
}

fn equal(x: i128, y: i128, width: u32) -> Truth {
    let gap = (x - y).unsigned_abs();
    if gap == 0 { (true, 1) } else { (false, gap.min((1 << width) - gap)) }
}

fn not((holds, away): Truth) -> Truth {
    (!holds, away)
}

fn both(x: Truth, y: Truth) -> Truth {
    match (x.0, y.0) {
        (true, true) => (true, x.1.min(y.1)),
        (true, false) => (false, y.1),
        (false, true) => (false, x.1),
        (false, false) => (false, x.1 + y.1),
    }
}

fn either(x: Truth, y: Truth) -> Truth {
    not(both(not(x), not(y)))
}

const BRANCHES: &str = r#"(module
  (func (export "f") (param $a i32) (param $b i32) (param $x f64) (local $t i32)
    (if (i32.lt_s (local.get $a) (local.get $b)) (then (local.set $t (i32.const 1))))
    (if (i32.le_u (local.get $a) (local.get $b)) (then (local.set $t (i32.const 2))))
    (if (i32.eq (local.get $a) (local.get $b)) (then (local.set $t (i32.const 3))))
    (if (i32.eqz (i32.ne (local.get $a) (local.get $b))) (then (local.set $t (i32.const 4))))
    (local.set $t (i32.ge_s (local.get $a) (local.get $b)))
    (if (i32.eqz (i32.xor (local.get $t) (i32.const 1))) (then (local.set $t (i32.const 5))))
    (if (i32.and (i32.lt_s (local.get $a) (local.get $b)) (i32.gt_s (local.get $b) (i32.const 10)))
      (then (local.set $t (i32.const 6))))
    (if (i32.or (i32.eq (local.get $a) (i32.const 5)) (i32.eq (local.get $b) (i32.const 7)))
      (then (local.set $t (i32.const 7))))
    (if (local.get $a) (then (local.set $t (i32.const 8))))
    (if (f64.lt (local.get $x) (f64.const 1.5)) (then (local.set $t (i32.const 9))))
    (if (i64.gt_u (i64.extend_i32_s (local.get $a)) (i64.const 12)) (then (local.set $t (i32.const 10))))
    (block $c (block $b (block $a (br_table $a $b $c (local.get $a)))))))"#;

/// The arms of a two-armed site: hits and distances of false and of true.
fn arms(seen: &Observation, site: u32) -> Vec<(u64, u128)> {
    let of_site = seen.arms.iter().filter(|arm| arm.site == SiteId(site));
    of_site.map(|arm| (arm.hits, arm.distance)).collect()
}

#[test]
fn distances_are_those_of_the_operands() {
    let program = program(BRANCHES, "f(i32, i32, f64)");
    let numbers = [0, 1, 2, 3, 5, 7, 11, -1, -9, i32::MAX, i32::MIN];
    for a in numbers {
        for b in numbers {
            for x in [0.0, 1.5, f64::from_bits(1.5f64.to_bits() - 1), 2.0, f64::NAN] {
                let input = Witness::new(vec![u64::from(a as u32), u64::from(b as u32), x.to_bits()]);
                let seen = program.observe(&input, &PathLimits::default());
                let (s, t) = (i128::from(a), i128::from(b));
                let (u, v) = (i128::from(a as u32), i128::from(b as u32));
                let ulps = |x: f64| i128::from(x.to_bits());
                let below = if x.is_nan() { (false, 1 << 64) } else { less(ulps(x), ulps(1.5)) };
                let expected = [
                    less(s, t),
                    not(less(v, u)),
                    equal(s, t, 32),
                    equal(s, t, 32),
                    not(less(s, t)),
                    both(less(s, t), less(10, t)),
                    either(equal(s, 5, 32), equal(t, 7, 32)),
                    not(equal(s, 0, 32)),
                    below,
                    less(12, i128::from(i64::from(a) as u64)),
                ];
                for (site, (holds, away)) in expected.into_iter().enumerate() {
                    let wanted = if holds { [(0, away), (1, 0)] } else { [(1, 0), (0, away)] };
                    assert_eq!(arms(&seen, site as u32), wanted, "site {site} for {a}, {b}, {x}");
                }
                let index = u.min(2);
                let wanted: Vec<(u64, u128)> = (0..3)
                    .map(|arm| match arm == index {
                        true => (1, 0),
                        false => (0, (u - arm).unsigned_abs()),
                    })
                    .collect();
                assert_eq!(arms(&seen, 10), wanted, "br_table for {a}");
                // The comparison kept in a local, and the operands of `and` and `or`.
                let kept: Vec<(u128, u128)> =
                    seen.comparisons.iter().map(|seen| (seen.to_true, seen.to_false)).collect();
                let both_ways = |(holds, away): Truth| if holds { (0, away) } else { (away, 0) };
                let values =
                    [not(less(s, t)), less(s, t), less(10, t), equal(s, 5, 32), equal(t, 7, 32)].map(both_ways);
                assert_eq!(kept, values, "comparisons kept for {a}, {b}");
            }
        }
    }
}

const SCAN: &str = r#"(module (memory (export "memory") 1)
  (func (export "scan") (param $p i32) (param $n i32) (result i32)
    (block $out
      (loop $next
        (br_if $out (i32.eqz (local.get $n)))
        (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 42)) (then (return (i32.const 1))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $next)))
    (i32.const 0)))"#;

#[test]
fn the_least_distance_of_many_evaluations_is_kept() {
    let program = program(SCAN, "scan(u8[5], 5)");
    let mut random = Random::new(4);
    for round in 0..300 {
        let mut bytes: Vec<u64> = (0..5).map(|_| random.below(256)).collect();
        if round % 3 == 0 {
            bytes[random.index(5)] = 42;
        }
        let seen = program.observe(&Witness::new(bytes.clone()), &PathLimits::default());
        let found = bytes.iter().position(|&byte| byte == 42);
        let looked = found.map_or(5, |at| at + 1) as u64;
        let gaps = bytes[..found.unwrap_or(5)].iter().map(|&byte| u128::from(byte.abs_diff(42)));
        let different = looked - u64::from(found.is_some());
        let to_false = if different > 0 { 0 } else { 1 };
        let to_true = if found.is_some() { 0 } else { gaps.min().unwrap() };
        let expected = [(different, to_false), (u64::from(found.is_some()), to_true)];
        assert_eq!(arms(&seen, 1), expected, "{bytes:?}");
        // The loop counter is a concrete value, but its distance from the end is recorded too.
        let at_end = if found.is_some() { (0, 6 - u128::from(looked)) } else { (1, 0) };
        assert_eq!(arms(&seen, 0), [(looked, 0), at_end], "{bytes:?}");
    }
}
