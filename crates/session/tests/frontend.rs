//! A front end that nobody knows: programs made of a closure. Every workflow of a session works on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_outcome::{CostModel, End};
use pessimum_report::class::Class;
use pessimum_report::profile::{Profile, Unit};
use pessimum_search::budget::{Budget, Cancel, Until};
use pessimum_search::layout;
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::{Arm, Observer, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_search::strategy::named;
use pessimum_session::cover::{CoverTask, Nobody, Wanted};
use pessimum_session::language::{Language, Pace};
use pessimum_session::pattern::{PatternTask, extend};
use pessimum_session::plan::{LimitsPlan, ModulePlan, SearchPlan, StartPlan, SubjectPlan};
use pessimum_session::replay::look;
use pessimum_session::result::{Account, Origin};
use pessimum_session::shrink::{ShrinkTask, Shrinking};
use pessimum_session::{Code, Crash, Error, FrontEnd, Listeners, Outcome, Profiled, Ran, Session, Source, Task};
use pessimum_term::{Arena, BinaryOp, Witness};
use pessimum_testkit::script::Script;

static CLOSURES: Language = Language {
    crashes: "panics",
    crash: "panic",
    crashed: "panicked",
    changed: "the closure is another",
    permission: "",
    ended: |end, _, _| vec![end.to_string()],
    has_images: false,
    leaves_out: false,
    pace: Pace::Instructions,
};

/// The code: each byte costs 10 that is an `x`, any other 1.
#[derive(Debug)]
struct Closures;

impl Code for Closures {
    fn language(&self) -> &'static Language {
        &CLOSURES
    }

    fn program(&self, name: String, of: &SubjectPlan, size: Option<u64>) -> Result<Box<dyn FrontEnd>, Error> {
        let mut plan = InputPlan::new(size);
        let call = Signature::parse(of.start.text().unwrap()).unwrap();
        call.lay_out(&mut plan).map_err(|error| Error::new(error.to_string()))?;
        let site = SiteId(0);
        let places = Places { arms: vec![(site, Arm::FALSE), (site, Arm::TRUE)], ..Places::default() };
        let script = Script::new(&name, layout::variables(&plan), |c| {
            for byte in c.inputs() {
                let x = c.binary_const(BinaryOp::Eq, byte, u64::from(b'x'));
                let cost = if c.test(0, x)? { 9 } else { 0 };
                c.tick(cost)?;
            }
            Ok(())
        });
        Ok(Box::new(Closure { script: script.with_places(places), plan }))
    }
}

/// A program of it.
struct Closure {
    script: Script,
    plan: InputPlan,
}

impl Program for Closure {
    fn name(&self) -> &str {
        self.script.name()
    }

    fn variables(&self) -> Vec<Variable> {
        self.script.variables()
    }

    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        self.script.start(arena, limits)
    }

    fn run_concrete(&self, input: &Witness, limits: &PathLimits, observer: &mut dyn Observer) -> (Replay, PathLimits) {
        self.script.run_concrete(input, limits, observer)
    }

    fn observe_while(
        &self,
        input: &Witness,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Observation, PathLimits) {
        self.script.observe_while(input, limits, go_on)
    }

    fn places(&self) -> Arc<Places> {
        self.script.places()
    }

    fn site_name(&self, site: SiteId) -> String {
        self.script.site_name(site)
    }
}

impl FrontEnd for Closure {
    fn language(&self) -> &'static Language {
        &CLOSURES
    }

    fn plan(&self) -> &InputPlan {
        &self.plan
    }

    fn profile_while(&self, input: &Witness, limits: &PathLimits, _: &mut dyn FnMut() -> bool) -> Profiled {
        let Replay { costs, end, .. } = self.replay(input, limits);
        let profile = Profile { unit: Unit::Instructions, instructions: costs.instructions, ..Profile::default() };
        Profiled { end, costs, profile, failure: None, asked: vec![], hottest: vec![], unsupported: vec![] }
    }

    fn crash(&self, _: &Witness, _: &Until) -> Option<Crash> {
        None
    }

    fn run_while(&self, input: &Witness, _: &mut dyn FnMut() -> bool) -> Result<Ran, Error> {
        let end = self.replay(input, &PathLimits::default()).end;
        Ok(Ran { end, returned: vec![], asked: vec![], why: None, backtrace: vec![], crashed_at: None })
    }
}

fn source() -> Source {
    let module = ModulePlan { name: "closure".to_string(), fingerprint: String::new(), named_file: None, python: None };
    let limits = LimitsPlan { instructions: 1 << 30, memory: 1 << 20, depth: 100 };
    let plan = SubjectPlan {
        module,
        start: StartPlan::Call("f(u8[n] in 97..=122)".to_string()),
        stdin: None,
        arguments: Vec::new(),
        files: Vec::new(),
        environment: Vec::new(),
        size: None,
        sizes: BTreeMap::new(),
        counted: Vec::new(),
        weights: None,
        limits,
    };
    Source::of(plan, Closures)
}

fn search() -> SearchPlan {
    let (ends, options) = (Default::default(), Default::default());
    let strategy = "auto".to_string();
    SearchPlan { cost: CostModel::Instructions, ends, seed: 1, strategy, options, policy: None }
}

/// `worst` at a size, with its result.
fn worst(source: &Source, size: u64) -> (Outcome, pessimum_report::result::WorstResult) {
    let (size, budget) = (Some(size), Budget { paths: Some(200), ..Budget::default() });
    let source = source.at_size(size);
    let task = Task {
        source: &source,
        size,
        cost: CostModel::Instructions,
        ends: Default::default(),
        seed: 1,
        baseline_seed: Some(1),
        budget,
        starts: Vec::new(),
        carries_over: false,
        target: None,
        cancel: Cancel::default(),
        solver: Default::default(),
    };
    let session = Session::new(task).unwrap();
    let outcome = session.run(named("auto").unwrap().as_mut(), Listeners::default());
    let (past, origin) = (Default::default(), Origin::default());
    let account = Account {
        program: session.program(),
        subject: source.plan(),
        search: &search(),
        past: &past,
        origin: &origin,
        time: None,
    };
    let finding = account.finding(&outcome, None).unwrap();
    (outcome, finding.result)
}

#[test]
fn worst_and_replay() {
    let source = source();
    let (outcome, result) = worst(&source, 5);
    assert_eq!((result.cost.value, result.end.as_str()), (50, "returned"));
    assert!(outcome.found.defects.is_empty());
    assert_eq!(result.input, serde_json::json!([[120, 120, 120, 120, 120]]));
    let program = source.program(Some(5)).unwrap();
    let (witness, _) = program.plan().decode(&result.input).unwrap();
    let replayed = look(&*program, &witness, &source.limits(), u64::MAX, &Until::default());
    assert_eq!((replayed.costs.instructions, replayed.end), (50, End::Returned.to_string()));
}

#[test]
fn a_curve_and_its_pattern() {
    let source = source();
    let mut points = Vec::new();
    for size in [4, 8, 12, 16] {
        let (_, result) = worst(&source, size);
        assert_eq!(result.cost.value, 10 * size);
        let point = serde_json::json!({
            "size": size, "cost": result.cost.value, "random": null, "complete": result.complete, "late_gain": 0.0,
            "paths": 200, "reached_at": 1, "stopped": "paths", "elapsed_s": 0.5, "end": "returned",
            "input": result.input, "directory": format!("n-{size}"),
        });
        points.push(serde_json::from_value(point).unwrap());
    }
    let task = PatternTask {
        source: &source,
        cost: CostModel::Instructions,
        ends: Default::default(),
        seed: 1,
        points: &points,
        largest: None,
        given: Vec::new(),
        paths: 100,
        end: None,
        cancel: Cancel::default(),
        solver: Default::default(),
    };
    let extended = extend(&task).unwrap();
    let first = &extended.patterns[0];
    assert_eq!(first.growth.class, Some(Class::Power(1.0)), "{}", first.words);
    let last = first.points.last().unwrap();
    assert!(last.size >= 1024 && last.cost == 10 * last.size, "{last:?}");
}

#[test]
fn cover() {
    let source = source();
    let goals = source.program(Some(3)).unwrap().places().arm_goals().collect();
    let task = CoverTask {
        source: &source,
        sizes: vec![Some(3)],
        search: &search(),
        wanted: Wanted::All(goals),
        budget: Budget { paths: Some(100), ..Budget::default() },
        starts: Vec::new(),
        known: Vec::new(),
        earlier: Default::default(),
        memory: None,
        cancel: Cancel::default(),
        solver: Default::default(),
    };
    let covered = pessimum_session::cover::cover(&task, &mut Nobody).unwrap();
    let goals: std::collections::BTreeSet<_> = covered.suite.iter().flat_map(|input| input.goals.numbers()).collect();
    assert_eq!(goals.len(), 2, "both arms");
}

#[test]
fn shrink() {
    let source = source().at_size(Some(4));
    let task = ShrinkTask {
        source: &source,
        witness: Witness::new(vec![120, 113, 120, 122]),
        cost: CostModel::Instructions,
        seed: 1,
        shorter: None,
        random: None,
        time: None,
        runs: None,
        cancel: Cancel::default(),
    };
    let shrunk = Shrinking::start(task).unwrap().run().unwrap();
    assert!(shrunk.finished);
    assert_eq!(shrunk.costs.instructions, 22);
    assert_eq!(shrunk.witness.values(), [120, 97, 120, 97]);
}
