//! Sessions on small modules: everything that was run counts, and what is saved is data.

use std::path::PathBuf;
use std::time::Duration;

use pessimum_outcome::{CostModel, End, Limit, Trap};
use pessimum_search::budget::{Budget, Cancel, Stop, Until};
use pessimum_search::search::{Defect, Finished, Search};
use pessimum_search::strategy::{Strategy, named};
use pessimum_session::curve::reached_at;
use pessimum_session::files::fingerprint;
use pessimum_session::journal::Past;
use pessimum_session::plan::{LimitsPlan, ModulePlan, SearchPlan, StartPlan, SubjectPlan};
use pessimum_session::replay::{look, profiled_steps};
use pessimum_session::result::{Account, Origin};
use pessimum_session::saved::{MODULE, PlannedResult, RESULT, Saved, result_files, save_program, write_files};
use pessimum_session::{Listeners, Outcome, RunPython, Session, Source, Task};
use pessimum_term::Witness;

/// Runs as long as its argument says, for 2^32 - 1 rounds at most.
const COUNTDOWN: &str = r#"(module (func (export "f") (param i32) (local i32)
    (block $out (loop $again
        (br_if $out (i32.ge_u (local.get 1) (local.get 0)))
        (local.set 1 (i32.add (local.get 1) (i32.const 1)))
        (br $again)))))"#;

/// Asks for numbers and never stops.
const ASKS: &str = r#"(module
    (import "pessimum" "i32" (func $number (result i32)))
    (func (export "f") (loop $again (drop (call $number)) (br $again))))"#;

fn source(call: &str, instructions: u64) -> Source {
    source_of(COUNTDOWN, StartPlan::Call(call.to_string()), instructions)
}

fn source_of(module: &str, start: StartPlan, instructions: u64) -> Source {
    let module = wat::parse_str(module).unwrap();
    let plan = SubjectPlan {
        module: ModulePlan {
            name: "f.wat".to_string(),
            fingerprint: fingerprint(&module),
            named_file: None,
            python: None,
        },
        start,
        stdin: None,
        arguments: Vec::new(),
        files: Vec::new(),
        environment: Vec::new(),
        size: None,
        sizes: Default::default(),
        counted: Vec::new(),
        weights: None,
        limits: LimitsPlan { instructions, memory: 1 << 20, depth: 100 },
    };
    Source::new(plan, module, Vec::new()).unwrap()
}

fn task(source: &Source) -> Task<'_> {
    Task {
        source,
        size: None,
        cost: CostModel::Instructions,
        ends: Default::default(),
        seed: 1,
        baseline_seed: Some(1),
        budget: Budget { paths: Some(1), ..Budget::default() },
        starts: Vec::new(),
        carries_over: false,
        target: None,
        cancel: Cancel::default(),
        solver: Default::default(),
    }
}

fn searched(task: Task<'_>, strategy: &str) -> Outcome {
    let session = Session::new(task).unwrap();
    session.run(named(strategy).unwrap().as_mut(), Listeners::default())
}

#[test]
fn a_run_without_end_is_a_result() {
    let source = source("f(u32)", 100_000);
    let outcome = searched(task(&source), "dfs");
    let best = outcome.found.best.unwrap();
    assert_eq!(best.end, End::Limit(Limit::Instructions));
    // The machine checks its limit once per stretch of straight-line code.
    assert!((100_000..100_100).contains(&best.costs.instructions), "{}", best.costs.instructions);
    assert!(outcome.baseline.cut > 0);
    assert_eq!(outcome.limits.instructions, 100_000);
    assert!(!outcome.found.complete && outcome.found.defects.is_empty());
}

#[test]
fn no_result_is_below_a_random_input() {
    let source = source("f(u32 in 0..=1000)", 1_000_000);
    let outcome = searched(task(&source), "dfs");
    let highest = outcome.baseline.summary.as_ref().unwrap().highest;
    assert_eq!(outcome.found.best_cost(), Some(highest));
    assert_eq!(outcome.found.paths, 1, "random inputs are not paths");
    let last = outcome.found.progress.last().unwrap();
    assert_eq!((last.paths, last.cost), (0, highest));
}

/// If the limits allow more than the time does, runs are cut off earlier, and the result says where.
#[test]
fn a_long_run_does_not_take_the_whole_budget() {
    let source = source("f(u32 in 4000000000..=4294967295)", 1 << 40);
    let budget = Budget { time: Some(Duration::from_secs(1)), ..Budget::default() };
    let outcome = searched(Task { budget, ..task(&source) }, "random");
    // A slow machine does not get that far in the time.
    let most = outcome.limits.instructions;
    assert!((1_000_000..=200_000_000).contains(&most), "{most}");
    assert!((most..most + 100).contains(&outcome.found.best.unwrap().costs.instructions));
}

/// Without a time limit, only the flag can end a run that would take hours, and what it has cost so far is not lost.
#[test]
fn a_single_run_can_be_cancelled() {
    let source = source("f(u32 in 4000000000..=4294967295)", 1 << 40);
    let task = Task { budget: Budget::default(), ..task(&source) };
    let cancel = task.cancel.clone();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
        });
        searched(task, "random")
    });
    assert_eq!(outcome.found.stop, Stop::Cancelled);
    let best = outcome.found.best.unwrap();
    assert_eq!(best.end, End::Limit(Limit::Budget));
    assert!(best.costs.instructions > 1000, "{}", best.costs.instructions);
    let again = source.program(None).unwrap().replay(&best.witness, &outcome.limits);
    let cut = End::Limit(Limit::Instructions);
    assert_eq!((again.costs, again.end), (best.costs, cut), "the limits say where it was cut");
}

/// A run that is profiled in part says so, and how it ended is known all the same.
#[test]
fn a_long_run_is_profiled_in_part() {
    let source = source("f(u32 in 100000..=200000)", 10_000_000);
    let program = source.program(None).unwrap();
    let witness = program.plan().default_witness();
    let (limits, until) = (source.limits(), Until::default());
    let (all, part) =
        (look(&*program, &witness, &limits, u64::MAX, &until), look(&*program, &witness, &limits, 1000, &until));
    let covered = part.profiled.unwrap();
    assert!((1000..1100).contains(&covered) && part.profile.instructions == covered, "{covered}");
    assert!(all.profiled.is_none() && all.profile.instructions > 100_000);
    assert_eq!(profiled_steps(&*program, None), u64::MAX);
    assert!(profiled_steps(&*program, Some(Duration::from_secs(60))) >= 200_000_000);
}

/// With several workers, the path of an improvement is counted among the paths of all of them.
/// Random inputs keep to the ranges of floats as well: beyond 1 this program takes far longer.
#[test]
fn random_floats_are_in_their_range() {
    let text = r#"(module (func (export "f") (param f64) (local i32)
        (if (i32.eqz (f64.le (local.get 0) (f64.const 1))) (then
            (loop $again
                (local.set 1 (i32.add (local.get 1) (i32.const 1)))
                (br_if $again (i32.lt_u (local.get 1) (i32.const 1000))))))))"#;
    for strategy in ["auto", "ga", "random"] {
        let source = source_of(text, StartPlan::Call("f(f64 in -1.0..=1.0)".to_string()), 1 << 20);
        let budget = Budget { paths: Some(200), ..Budget::default() };
        let outcome = searched(Task { budget, ..task(&source) }, strategy);
        let random = outcome.baseline.summary.unwrap();
        assert!(random.inputs == 1000 && random.highest < 100, "{strategy}: {random:?}");
        assert!(outcome.found.best.unwrap().costs.instructions < 100, "{strategy}");
    }
}

/// What is asked for late in a run must be written down, too, or the saved input is another one.
#[test]
fn every_value_that_a_program_asked_for_is_known() {
    let source = source_of(ASKS, StartPlan::Entry("f".to_string()), 1 << 40);
    let program = source.program(None).unwrap();
    let witness = Witness::new((0..30_000).collect());
    let no_time = Until::moment(Some(std::time::Instant::now()));
    let asked = look(&*program, &witness, &source.limits(), u64::MAX, &no_time).asked;
    assert!(asked.len() >= 30_000, "{} of 30,000 values", asked.len());
    let (replay, _) = program.run_concrete(&witness, &source.limits(), &mut || true);
    assert_eq!(replay.end, End::Trapped(Trap::Host), "it may not ask for ever");
}

#[test]
fn workers_agree_on_the_path_of_the_best() {
    let source = source("f(u32 in 0..=1000)", 1_000_000);
    let search = SearchPlan {
        cost: CostModel::Instructions,
        ends: Default::default(),
        seed: 1,
        strategy: "auto".to_string(),
        options: [("threads".to_string(), "4".to_string())].into(),
        policy: None,
    };
    let budget = Budget { paths: Some(300), ..Budget::default() };
    let session = Session::new(Task { budget, baseline_seed: None, ..task(&source) }).unwrap();
    let mut strategy = search.strategy(session.program()).unwrap();
    let outcome = session.run(strategy.as_mut(), Listeners::default());
    let found = &outcome.found;
    let steps: Vec<(u64, u64)> = found.progress.iter().map(|step| (step.paths, step.cost)).collect();
    assert!(steps.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1), "{steps:?}");
    let reached = found.progress.last().map_or(0, |last| last.paths);
    assert!(!steps.is_empty() && reached <= found.paths && found.paths <= 300, "{steps:?}");
    let (past, origin) = (Past::default(), Origin::default());
    let account = Account {
        program: session.program(),
        subject: source.plan(),
        search: &search,
        past: &past,
        origin: &origin,
        time: None,
    };
    let result = account.finding(&outcome, None).unwrap().result;
    assert_eq!(reached_at(&result), reached, "a curve says what `worst` says");
}

/// Claims to have seen everything, but has seen nothing.
struct Liar;

impl Strategy for Liar {
    fn search(&mut self, _: &mut Search<'_>) -> Finished {
        Finished::Everything
    }
}

#[test]
fn a_costlier_random_input_revokes_certainty() {
    let source = source("f(u32 in 0..=1000)", 1_000_000);
    let session = Session::new(task(&source)).unwrap();
    let outcome = session.run(&mut Liar, Listeners::default());
    assert!(!outcome.found.complete && matches!(outcome.found.defects[..], [Defect::PathMissed { .. }]));
    let complete = searched(Task { budget: Budget::default(), ..task(&source) }, "dfs");
    assert!(complete.found.complete && complete.found.defects.is_empty());
}

#[test]
fn a_session_stops_at_its_target() {
    let source = source("f(u32 in 0..=1000)", 1_000_000);
    let budget = Budget::default();
    let task = Task { budget, baseline_seed: None, target: Some(50), ..task(&source) };
    let outcome = searched(task, "random");
    assert_eq!(outcome.found.stop, Stop::Reached);
    assert!(outcome.found.best_cost() >= Some(50) && outcome.baseline.summary.is_none());
}

fn directory(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("pessimum-session-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

fn saved(name: &str) -> PathBuf {
    let (source, directory) = (source("f(u32 in 0..=1000)", 1_000_000), directory(name));
    let session = Session::new(task(&source)).unwrap();
    let outcome = session.run(named("dfs").unwrap().as_mut(), Listeners::default());
    let search = SearchPlan {
        cost: CostModel::Instructions,
        ends: Default::default(),
        seed: 1,
        strategy: "dfs".to_string(),
        options: Default::default(),
        policy: None,
    };
    let (past, origin) = (Past::default(), Origin::default());
    let account = Account {
        program: session.program(),
        subject: source.plan(),
        search: &search,
        past: &past,
        origin: &origin,
        time: None,
    };
    let finding = account.finding(&outcome, None).unwrap();
    std::fs::create_dir_all(&directory).unwrap();
    save_program(&directory, &source).unwrap();
    let witness = &outcome.found.best.as_ref().unwrap().witness;
    let planned = PlannedResult { result: finding.result, plan: source.plan().clone() };
    write_files(&directory, &result_files(session.program(), &planned, witness).unwrap()).unwrap();
    directory
}

#[test]
fn a_saved_result_can_be_run_again() {
    let directory = saved("again");
    let saved = Saved::read(&directory).unwrap();
    let source = saved.source(&RunPython::default()).unwrap();
    let program = source.program(saved.plan.size).unwrap();
    let (witness, _) = program.plan().decode(&saved.result.input).unwrap();
    assert_eq!(program.replay(&witness, &source.limits()).costs.instructions, saved.result.cost.value);
    std::fs::remove_dir_all(directory).unwrap();
}

/// What is changed in a saved directory is refused, or is data.
#[test]
fn a_saved_result_is_data() {
    let directory = saved("data");
    let file = directory.join(RESULT);
    let text = std::fs::read_to_string(&file).unwrap();
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
        Saved::read(&directory)
            .and_then(|saved| saved.source(&RunPython::default()))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(with("\"arguments\": []", "\"arguments\": [\"--cflags=-fplugin=x.so\", \"--junit=x\"]"), Ok(()));
    assert!(with("\"start\":", "\"cflags\": [\"-fplugin=x.so\"], \"start\":").unwrap_err().contains("cflags"));
    assert!(with("f(u32 in 0..=1000)\"\n", "f(u32 in\"\n").unwrap_err().contains("--call"));
    assert!(with("\"plan\":", "\"other\":").unwrap_err().contains("earlier version"));
    assert!(with("\"depth\": 100", "\"depth\": 4294967295").unwrap_err().contains("--max-depth"));
    let deep = format!("\"end\": {}1{}, \"other\":", "[".repeat(100_000), "]".repeat(100_000));
    assert!(with("\"end\":", &deep).unwrap_err().contains("recursion limit"));
    std::fs::write(&file, &text).unwrap();
    let mut module = std::fs::read(directory.join(MODULE)).unwrap();
    *module.last_mut().unwrap() ^= 1;
    std::fs::write(directory.join(MODULE), module).unwrap();
    let error = Saved::read(&directory).unwrap().source(&RunPython::default()).unwrap_err().to_string();
    assert!(error.contains("not the one that was recorded"), "{error}");
    std::fs::remove_dir_all(directory).unwrap();
}
