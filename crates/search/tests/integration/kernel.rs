//! The kernel: witnesses, preconditions, deciders.

use pessimum_outcome::{CostModel, End};
use pessimum_search::budget::{Budget, Cancel, Meter, Stop};
use pessimum_search::decider::{Choice, FollowArms, FollowWitness, Point, RandomFeasible};
use pessimum_search::kernel::{Feasible, Kernel, Outcome, Start, Step};
use pessimum_search::path::Path;
use pessimum_search::program::{Arm, PathLimits, Program};
use pessimum_search::random::Random;
use pessimum_search::search::{Search, Settings, path_of};
use pessimum_term::{BinaryOp, TermId, VariableId, Witness};
use pessimum_testkit::oracle::Follower;
use pessimum_testkit::subjects;

fn kernel(program: &dyn Program) -> Kernel<'_> {
    let meter = Meter::new(Budget::default(), Cancel::default());
    Kernel::new(program, pessimum_solver::Settings::default(), PathLimits::default(), meter)
}

fn random_path(kernel: &mut Kernel<'_>, random: &mut Random) -> Path {
    let mut path = Path::default();
    let outcome = kernel.run(&Start::default(), &mut RandomFeasible::new(random, 16), &mut path);
    assert_eq!(outcome, Outcome::Path(path.end));
    path
}

/// The witness takes exactly the path, by evaluation alone.
fn assert_taken(program: &dyn Program, path: &Path) {
    let (arms, costs, end) =
        Follower::new(program, PathLimits::default()).trace(&path.witness).expect("an input of the program");
    let expected: Vec<_> = path.decisions.iter().map(|decision| (decision.site, decision.arm)).collect();
    assert_eq!((arms, costs, end), (expected, path.costs, path.end));
}

#[test]
fn following_the_witness_asks_nothing() {
    let program = subjects::quicksort_code(20);
    let mut kernel = kernel(&program);
    let mut random = Random::new(5);
    for _ in 0..20 {
        let input = random.witness(&program.variables());
        let start = Start { witness: Some(&input), ..Start::default() };
        let mut path = Path::default();
        assert_eq!(kernel.run(&start, &mut FollowWitness, &mut path), Outcome::Path(End::Returned));
        assert_eq!(path.witness, input);
        assert!(path.decisions.iter().all(|decision| decision.implied.is_none()));
        assert_taken(&program, &path);
        assert_eq!(path_of(&program, &Settings::default(), &input).map(|path| path.costs), Some(path.costs));
    }
    assert_eq!(kernel.counters.queries, 0);
}

/// Continues along the witness to the end of the path.
fn follow_to_the_end(kernel: &mut Kernel<'_>) -> Path {
    loop {
        match kernel.advance() {
            Step::Decision => {
                let arm = kernel.witness_arm();
                assert_eq!(kernel.take(arm), Feasible::Yes);
            }
            Step::End(_) => break,
            step => panic!("{step:?}"),
        }
    }
    let mut path = Path::default();
    kernel.path().expect("a path has just ended").copy_to(&mut path);
    path
}

/// Both arms of an open decision from one checkpoint: the same decisions before it, the same path when taken again, and
/// nothing executed twice.
#[test]
fn a_checkpoint_is_a_place_to_come_back_to() {
    let program = subjects::insertion_sort_code(5);
    for keep_terms in [false, true] {
        let mut kernel = kernel(&program);
        kernel.keep_terms = keep_terms;
        let sorted = Witness::new(vec![1, 2, 3, 4, 5]);
        kernel.begin(&Start { witness: Some(&sorted), ..Start::default() }).unwrap();
        for _ in 0..2 {
            assert_eq!(kernel.advance(), Step::Decision);
            assert_eq!(kernel.take(Arm::FALSE), Feasible::Yes);
        }
        assert_eq!(kernel.advance(), Step::Decision);
        let (checkpoint, before) = (kernel.checkpoint(), kernel.decisions().to_vec());
        let mut paths = Vec::new();
        let mut steps = kernel.meter.steps;
        for arm in [Arm::TRUE, Arm::FALSE, Arm::TRUE] {
            kernel.rewind(checkpoint.fork());
            assert_eq!(kernel.decisions(), before);
            assert_eq!(kernel.take(arm), Feasible::Yes);
            let path = follow_to_the_end(&mut kernel);
            assert_eq!(path.decisions[2].arm, arm);
            assert_taken(&program, &path);
            paths.push(path);
        }
        let arms = |path: &Path| path.arms().collect::<Vec<Arm>>();
        assert_eq!(arms(&paths[0])[..3], arms(&paths[2])[..3]);
        assert_eq!(paths[1].decisions.len(), 4, "the sorted input again");
        kernel.release();
        steps = kernel.meter.steps - steps;
        let all: u64 = paths.iter().map(|path| path.costs.instructions).sum();
        assert!(steps < all, "{steps} instructions were executed, three whole runs would be {all}");
    }
}

#[test]
fn a_path_costs_one_query_per_surprise() {
    let program = subjects::insertion_sort_code(30);
    let mut kernel = kernel(&program);
    let mut path = Path::default();
    let start = Start { witness: Some(&Witness::new(vec![7; 30])), ..Start::default() };
    // Starting from equal keys, the worst case is a surprise only at the first comparison of each key, if the witness
    // moves far enough.
    let mut worst = |_: &mut Point<'_, '_>| Choice::Prefer(Arm::TRUE);
    assert_eq!(kernel.run(&start, &mut worst, &mut path), Outcome::Path(End::Returned));
    assert_eq!(path.costs.user, 30 * 29 / 2);
    assert!(kernel.counters.queries <= path.costs.user);
    let moved = path.decisions.iter().filter(|decision| decision.implied == Some(false)).count() as u64;
    assert_eq!(moved, kernel.counters.queries - kernel.counters.infeasible);
    assert_taken(&program, &path);
}

#[test]
fn the_arms_of_a_path_lead_to_it_again() {
    for program in [&subjects::hash_table(4, 16) as &dyn Program, &subjects::switch(6, 8), &subjects::search_tree(6, 8)]
    {
        let mut kernel = kernel(program);
        let mut random = Random::new(11);
        for _ in 0..50 {
            let path = random_path(&mut kernel, &mut random);
            assert_taken(program, &path);
            let arms: Vec<Arm> = path.arms().collect();
            let mut again = Path::default();
            let zero = Witness::default();
            let start = Start { witness: Some(&zero), ..Start::default() };
            let abandon = |_: &mut Point<'_, '_>| Choice::Abandon;
            let outcome = kernel.run(&start, &mut FollowArms::new(&arms, abandon), &mut again);
            assert_eq!(outcome, Outcome::Path(path.end));
            assert_eq!((again.arms().collect::<Vec<_>>(), again.costs), (arms, path.costs));
        }
    }
}

#[test]
fn preconditions_hold_on_the_path_or_conflict() {
    let program = subjects::insertion_sort_code(10);
    let mut kernel = kernel(&program);
    let mut random = Random::new(1);
    let arena = kernel.arena();
    let keys: Vec<TermId> = (0..10).map(|number| arena.variable(VariableId(number), 32)).collect();
    let descending: Vec<TermId> = keys.windows(2).map(|pair| arena.binary(BinaryOp::LtS, pair[1], pair[0])).collect();
    let mut path = Path::default();
    let start = Start { precondition: &descending, ..Start::default() };
    let outcome = kernel.run(&start, &mut RandomFeasible::new(&mut random, 16), &mut path);
    assert_eq!((outcome, path.costs.user), (Outcome::Path(End::Returned), 45));
    // Whatever was drawn, every decision but those that follow the witness was found to be implied.
    assert!(path.decisions.iter().all(|decision| decision.implied != Some(false)));

    let mut cyclic = descending.clone();
    cyclic.push(kernel.arena().binary(BinaryOp::LtS, keys[0], keys[9]));
    let start = Start { precondition: &cyclic, ..Start::default() };
    match kernel.run(&start, &mut FollowWitness, &mut path) {
        Outcome::Conflict(core) => assert!(!core.is_empty() && core.iter().all(|condition| cyclic.contains(condition))),
        outcome => panic!("{outcome:?}"),
    }
    let start = Start { repair: true, ..start };
    assert_eq!(kernel.run(&start, &mut FollowWitness, &mut path), Outcome::Path(End::Returned));
    assert_eq!((path.costs.user, kernel.counters.repaired), (45, 1));
}

#[test]
fn an_infeasible_arm_leaves_the_decision_open() {
    let program = subjects::insertion_sort(3, 32);
    let mut kernel = kernel(&program);
    kernel.begin(&Start::default()).unwrap();
    assert_eq!(kernel.advance(), Step::Decision);
    assert_eq!(kernel.take(Arm::TRUE), Feasible::Yes);
    let mut arms = Vec::new();
    loop {
        match kernel.advance() {
            Step::Decision => {
                kernel.enumerate(16, &mut arms);
                if arms.len() == 1 {
                    let other = Arm(1 - arms[0].0);
                    assert_eq!((kernel.feasible(other), kernel.take(other)), (Feasible::No, Feasible::No));
                }
                assert_eq!(kernel.take(arms[0]), Feasible::Yes);
            }
            step => {
                assert_eq!(step, Step::End(End::Returned));
                break;
            }
        }
    }
}

#[test]
fn collected_conditions_still_mean_the_same() {
    let program = subjects::quicksort_code(12);
    let mut kernel = kernel(&program);
    let mut random = Random::new(9);
    let mut kept: Vec<Path> = Vec::new();
    for round in 0..60 {
        let path = random_path(&mut kernel, &mut random);
        if round % 5 == 0 {
            kept.push(path);
        }
        if round % 20 == 19 {
            let before = kernel.arena().len();
            kernel.collect(
                kept.iter_mut().flat_map(|path| path.decisions.iter_mut()).map(|decision| &mut decision.condition),
            );
            assert!(kernel.arena().len() < before);
        }
    }
    for path in &kept {
        let conditions: Vec<TermId> = path.conditions().collect();
        let mut again = Path::default();
        let start = Start { precondition: &conditions, ..Start::default() };
        assert_eq!(kernel.run(&start, &mut FollowWitness, &mut again), Outcome::Path(path.end));
        assert_eq!(again.arms().collect::<Vec<_>>(), path.arms().collect::<Vec<_>>());
    }
}

#[test]
fn half_a_million_decisions_are_one_path() {
    let program = subjects::insertion_sort_code(1000);
    let descending = Witness::new((0..1000).rev().collect());
    let path = path_of(&program, &Settings::default(), &descending).expect("no preconditions");
    assert_eq!((path.decisions.len(), path.costs.user, path.end), (499_500, 499_500, End::Returned));
}

#[test]
fn a_raised_flag_ends_a_search_and_keeps_the_best() {
    let program = subjects::insertion_sort_code(9);
    let cancel = Cancel::default();
    let settings = Settings { cost: CostModel::User, cancel: cancel.clone(), ..Settings::default() };
    let model = CostModel::User;
    let search = Search::new(&program, settings).with_visitor(move |path| {
        if model.of(path.costs) >= 36 {
            cancel.cancel();
        }
    });
    let mut strategy = pessimum_search::strategy::named("exhaustive").unwrap();
    let result = pessimum_search::strategy::run(search, &mut *strategy).sound().unwrap();
    assert_eq!((result.stop, result.complete, result.best_cost()), (Stop::Cancelled, false, Some(36)));
    assert!(result.paths < 362_880);
}
