//! Goals of WebAssembly programs: arms, functions and source lines, reached by symbolic and by concrete runs.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_program::WasmProgram;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::objective::{Goal, Goals, Objective};
use pessimum_search::program::{Arm, PathLimits, Program, SiteId};
use pessimum_search::search::{Search, SearchResult, Settings};
use pessimum_search::strategy::{self, Auto, Strategy};
use pessimum_term::Witness;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, World};

/// `far` is called for only one of the 2^32 first numbers, and its branch depends on the second number.
const VAULT: &str = r#"(module
  (func $near (result i32) (i32.const 1))
  (func $far (param $y i32) (result i32)
    (if (result i32) (i32.gt_u (local.get $y) (i32.const 100)) (then (i32.const 3)) (else (i32.const 2))))
  (func $never (result i32) (unreachable))
  (func $vault (export "vault") (param $x i32) (param $y i32) (result i32)
    (if (result i32) (i32.eq (local.get $x) (i32.const 123456))
      (then (call $far (local.get $y)))
      (else (call $near)))))"#;

fn program(module: &str, call: &str) -> WasmProgram {
    let module = Arc::new(Module::load(module.as_bytes(), &LoadSettings::default()).unwrap());
    let mut plan = InputPlan::new(None);
    let signature = Signature::parse(call).unwrap();
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: call.into(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(signature), world, Limits::default()).unwrap();
    WasmProgram::new(call.into(), subject).unwrap()
}

fn vault() -> WasmProgram {
    program(VAULT, "vault(i32, i32)")
}

fn search(program: &WasmProgram, goals: &Goals, strategy: &mut dyn Strategy) -> SearchResult {
    let budget = Budget { paths: Some(2000), ..Budget::default() };
    let settings = Settings { goals: Some(goals.clone()), budget, ..Settings::default() };
    strategy::run(Search::new(program, settings), strategy).sound().unwrap()
}

/// Checks that every input of the archive reaches its goal when it is run again.
fn check_archive(program: &WasmProgram, goals: &Goals, name: &str) {
    for (goal, input) in goals.reached() {
        let Some(input) = input else { continue };
        let again = Goals::new([goal]);
        again.see_run(&input, &program.observe(&input, &PathLimits::default()), u64::MAX);
        assert!(again.are_covered(), "{name}: {:?} does not reach {goal:?}", input.values());
    }
}

#[test]
fn arms_and_functions_are_covered() {
    let program = vault();
    let places = program.places();
    let never = places.named("never").unwrap();
    let all = || places.arm_goals().chain(places.function_goals());
    assert_eq!(all().count(), 4 + 4);
    for name in ["random", "exhaustive", "bfs", "auto"] {
        let goals = Goals::new(all().filter(|goal| !never.contains(goal)));
        let result = search(&program, &goals, strategy::named(name).unwrap().as_mut());
        assert_eq!(goals.left(), [], "{name}");
        assert!(result.paths < 2000, "{name}");
        check_archive(&program, &goals, name);
    }
    let goals = Goals::new(all());
    let result = search(&program, &goals, strategy::named("exhaustive").unwrap().as_mut());
    assert_eq!((result.stop, result.complete, goals.left()), (Stop::Finished, true, never));
}

/// One function as a goal ends the search as soon as it is entered.
#[test]
fn one_function_is_a_goal() {
    let program = vault();
    for name in ["random", "exhaustive"] {
        let goals = Goals::new(program.places().named("far").unwrap());
        let result = search(&program, &goals, strategy::named(name).unwrap().as_mut());
        assert_eq!(result.stop, Stop::Covered, "{name}");
        assert_eq!(goals.reached()[0].1.as_ref().unwrap().values()[0], 123_456, "{name}");
    }
    let message = program.places().named("fra").unwrap_err().to_string();
    assert_eq!(message, "no function `fra`; the most similar: far, near, never, vault");
    let message = program.places().named("vault.wat:3").unwrap_err().to_string();
    assert!(message.starts_with("the program has no debug information"), "{message}");
}

/// TestLoop of the Fitnex paper needs 20 elements of 15 in an array whose length is free: fitness leads there, and neither
/// chance nor breadth-first search gets there within the paper's 1,000 runs.
#[test]
fn fitness_leads_through_a_loop() {
    let entry = pessimum_subjects::all().into_iter().find(|entry| entry.name == "fitnex/test_loop").unwrap();
    let program = entry.program(25).unwrap();
    let runs = |name: &str| {
        let goals = Goals::any_of(program.places().named("must_reach").unwrap());
        let budget = Budget { paths: Some(1000), ..Budget::default() };
        let settings = Settings { goals: Some(goals.clone()), budget, ..Settings::default() };
        let mut strategy = strategy::named(name).unwrap();
        let result = strategy::run(Search::new(&program, settings), strategy.as_mut()).sound().unwrap();
        check_archive(&program, &goals, name);
        goals.are_covered().then_some(result.paths)
    };
    for name in ["fitnex", "pex", "auto"] {
        assert!(runs(name).is_some(), "{name} does not get there");
    }
    for name in ["random", "iterative-deepening"] {
        assert_eq!(runs(name), None, "{name} gets there");
    }
}

/// Section 2 of the Fitnex paper: the fitness of TestLoop's Tests 1 to 4, from observed runs of the module. Test 0 does not
/// get to the target's branch.
#[test]
fn the_fitness_of_test_loops_paths() {
    let entry = pessimum_subjects::named("fitnex/test_loop");
    let program = entry.program(2).unwrap();
    let distances = |x: u64, y: [u64; 2], length: u64| {
        let seen = program.observe(&Witness::new(vec![x, y[0], y[1], length]), &PathLimits::default());
        let missed = seen.arms.into_iter().filter(|arm| arm.hits == 0);
        missed.map(|arm| (arm.site, arm.arm, arm.distance)).collect::<Vec<_>>()
    };
    let first = distances(90, [0, 0], 1);
    // The branch on `x == 110`: the only one that is 20 away.
    let &(site, arm, _) = first.iter().find(|(.., distance)| *distance == 20).unwrap();
    let fitness = |x: u64, y: [u64; 2], length: u64| {
        let missed = distances(x, y, length);
        missed.into_iter().find(|missed| (missed.0, missed.1) == (site, arm)).map(|missed| missed.2)
    };
    let tests = [(0, [0, 0], 1), (90, [0, 0], 1), (90, [15, 0], 1), (90, [15, 0], 2), (90, [15, 15], 2)];
    let values = tests.map(|(x, y, length)| fitness(x, y, length));
    assert_eq!(values, [None, Some(20), Some(19), Some(19), Some(18)]);
}

/// The last path takes no arm that is new, but calls a function that no other path does.
const HIDDEN: &str = r#"(module
  (type $f (func (result i32)))
  (table funcref (elem $x $y $z))
  (func $x (result i32) (i32.const 1))
  (func $y (result i32) (i32.const 2))
  (func $z (result i32) (i32.const 3))
  (func (export "f") (param $a i32) (param $b i32) (result i32) (local $index i32)
    (if (local.get $a) (then (local.set $index (i32.const 0))) (else (local.set $index (i32.const 1))))
    (if (local.get $b) (then (local.set $index (i32.const 2))))
    (call_indirect (type $f) (local.get $index))))"#;

/// A search for a function that saw every path has not overlooked it.
#[test]
fn every_path_is_observed_where_a_function_is_the_goal() {
    let program = program(HIDDEN, "f(i32, i32)");
    for name in ["exhaustive", "bfs", "pex", "auto"] {
        for function in ["x", "y", "z"] {
            let goals = Goals::any_of(program.places().named(function).unwrap());
            search(&program, &goals, strategy::named(name).unwrap().as_mut());
            assert!(goals.are_covered(), "{name}: {function}");
        }
    }
}

/// Runs that are offered to the search record the distance to the arms that they did not take.
#[test]
fn the_least_distance_to_an_open_arm_is_kept() {
    let program = vault();
    let sites = program.subject().module().sites();
    let names = pessimum_wasm::names::Names::of(program.subject().module());
    let guard = sites.iter().position(|site| names.function(site.function) == "vault").unwrap();
    let opens = Goal::Arm(SiteId(guard as u32), Arm::TRUE);
    let goals = Goals::new(program.places().arm_goals());
    let settings = Settings { goals: Some(goals), ..Settings::default() };
    let mut search = Search::new(&program, settings);
    let limits = PathLimits::default();
    for x in [0, 123_000, 124_000, 7] {
        let input = Witness::new(vec![x, 0]);
        search.offer(&input, &program.replay(&input, &limits), &limits);
    }
    let Objective::Goals(goals) = search.objective() else { panic!("goals were set") };
    let nearest = goals.nearest(opens).unwrap();
    assert_eq!((nearest.distance, nearest.input.values()), (456, &[123_000, 0][..]));
    let inside = goals.left().into_iter().filter(|&goal| goal != opens);
    assert!(inside.clone().count() == 2 && inside.clone().all(|goal| goals.nearest(goal).is_none()), "never executed");
}

/// Every strategy reaches the same lines of a subject with debug information.
#[test]
fn source_lines_are_covered() {
    let entry = pessimum_subjects::all().into_iter().find(|entry| entry.name == "ese/is_palindrome").unwrap();
    let program = entry.program(4).unwrap();
    let places = program.places();
    assert!(places.lines.len() > 3, "{:?}", places.lines);
    let everything = Goals::new(places.line_goals());
    let result = search(&program, &everything, strategy::named("exhaustive").unwrap().as_mut());
    assert!(result.complete || result.stop == Stop::Covered);
    check_archive(&program, &everything, "exhaustive");
    let left = everything.left();
    let reachable = || places.line_goals().filter(|goal| !left.contains(goal));
    assert!(reachable().count() > 3);
    for name in ["random", "bfs"] {
        let goals = Goals::new(reachable());
        search(&program, &goals, strategy::named(name).unwrap().as_mut());
        assert_eq!(goals.left(), [], "{name}");
        check_archive(&program, &goals, name);
    }
    let goals = Goals::new(reachable());
    let result = search(&program, &goals, &mut Auto { threads: 3, ..Auto::default() });
    assert_eq!((result.stop, goals.left()), (Stop::Covered, Vec::new()), "three workers");
    let line = &places.lines[0];
    let file = line.file.rsplit('/').next().unwrap();
    assert_eq!(places.named(&format!("{file}:{}", line.line)), Ok(vec![Goal::Line(0)]));
    let message = places.named(&format!("{file}:99999")).unwrap_err().to_string();
    assert!(message.contains("99999 has no code; the nearest"), "{message}");
}
