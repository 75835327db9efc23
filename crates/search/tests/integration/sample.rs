//! What sampling strategies rely on: outcomes, fruitless runs, the end of the budget, and whether terms are kept.

use pessimum_outcome::CostModel;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::decider::{Choice, FollowWitness, Point};
use pessimum_search::kernel::Start;
use pessimum_search::program::Program;
use pessimum_search::sample::{Over, Sampled, Sampler, Sampling};
use pessimum_search::search::{Finished, Search, Settings};
use pessimum_term::Witness;
use pessimum_testkit::script::Script;
use pessimum_testkit::subjects;
use pessimum_testkit::value::Value;

const SAMPLING: Sampling = Sampling { keep_terms: true, fruitless: 3 };

/// Samples a program for at most so many paths.
fn sample(
    program: &dyn Program,
    cost: CostModel,
    paths: u64,
    body: impl FnOnce(&mut Sampler<'_, '_>) -> Result<Finished, Over>,
) -> (Finished, u64, Option<Stop>) {
    let budget = Budget { paths: Some(paths), ..Budget::default() };
    let mut search = Search::new(program, Settings { cost, budget, ..Settings::default() });
    let finished = search.sample(SAMPLING, body);
    (finished, search.kernel.meter.paths, search.stop())
}

/// A program that does not accept numbers below ten.
fn picky() -> Script {
    Script::new("picky", subjects::variables(1, 8), |c| {
        let (x, ten) = (c.input(0), Value::concrete(8, 10));
        let small = c.binary(pessimum_term::BinaryOp::LeU, ten, x);
        c.assume(small)?;
        c.cost(5);
        c.equal(0, x, ten).map(|_| ())
    })
}

#[test]
fn a_run_gives_a_path_nothing_or_a_conflict() {
    let program = subjects::insertion_sort(3, 8);
    sample(&program, CostModel::User, 100, |sampler| {
        let sorted = Witness::new(vec![1, 2, 3]);
        assert_eq!(sampler.follow(&sorted)?, Some(2));
        assert_eq!((sampler.path.decisions.len(), &sampler.path.witness), (2, &sorted));
        let taken: Vec<_> = sampler.path.conditions().collect();
        // Another arm at the second decision, after the first decision of the previous path, whose terms were kept.
        let start = Start { precondition: &taken[..1], ..Start::default() };
        let mut turn = |point: &mut Point<'_, '_>| match point.depth() {
            1 => Choice::Require(pessimum_search::program::Arm::TRUE),
            _ => Choice::Follow,
        };
        assert_eq!(sampler.run(&start, &mut turn)?, Sampled::Path(3));
        assert_eq!(sampler.path.decisions[0].condition, taken[0]);
        let negated = sampler.search.kernel.arena().not(taken[0]);
        let contradiction = [taken[0], negated];
        let start = Start { precondition: &contradiction, ..Start::default() };
        assert!(matches!(sampler.run(&start, &mut FollowWitness)?, Sampled::Conflict(core) if !core.is_empty()));
        let mut abandon = |_: &mut Point<'_, '_>| Choice::Abandon;
        assert_eq!(sampler.run(&Start::default(), &mut abandon)?, Sampled::Nothing);
        assert_eq!(sampler.search.kernel.meter.paths, 2, "only paths are counted");
        Ok(Finished::Partly)
    });
}

#[test]
fn an_input_costs_the_same_either_way() {
    let program = subjects::insertion_sort(4, 8);
    for cost in [CostModel::User, CostModel::Decisions, CostModel::Branches] {
        sample(&program, cost, 100, |sampler| {
            for input in [[4, 3, 2, 1], [1, 2, 3, 4], [2, 1, 4, 3]] {
                let input = Witness::new(input.to_vec());
                assert_eq!(sampler.try_input(&input)?, sampler.follow(&input)?, "{cost} of {:?}", input.values());
            }
            assert_eq!(sampler.search.kernel.meter.paths, 6, "each is a path");
            Ok(Finished::Partly)
        });
    }
}

#[test]
fn fruitless_runs_in_a_row_end_it() {
    let program = picky();
    let (bad, good) = (Witness::new(vec![3]), Witness::new(vec![30]));
    let mut tried = 0;
    let ended = sample(&program, CostModel::User, 100, |sampler| {
        for input in [&bad, &bad, &good, &bad, &bad, &bad, &bad] {
            tried += 1;
            assert_eq!(sampler.try_input(input)?, (input == &good).then_some(5));
        }
        Ok(Finished::Everything)
    });
    // A path in between restarts the count; the third fruitless run in a row is the last.
    assert_eq!((tried, ended), (6, (Finished::Partly, 1, None)));
    let attempts = sample(&program, CostModel::User, 100, |sampler| {
        assert_eq!((sampler.fruitless(), sampler.fruitless()), (Ok(()), Ok(())));
        assert_eq!(sampler.fruitless(), Err(Over));
        Ok(Finished::Everything)
    });
    assert_eq!(attempts.0, Finished::Everything, "what the body says holds");
}

#[test]
fn a_spent_budget_ends_it() {
    let program = subjects::insertion_sort(3, 8);
    let input = Witness::new(vec![3, 2, 1]);
    let ended = sample(&program, CostModel::User, 4, |sampler| {
        loop {
            sampler.follow(&input)?;
        }
    });
    assert_eq!(ended, (Finished::Partly, 4, Some(Stop::Paths)));
}

#[test]
fn the_kernel_gets_its_setting_back() {
    let program = subjects::insertion_sort(3, 8);
    let mut search = Search::new(&program, Settings::default());
    search.kernel.keep_terms = true;
    search.sample(Sampling { keep_terms: false, fruitless: 1 }, |sampler| {
        assert!(!sampler.search.kernel.keep_terms);
        Err(Over)
    });
    assert!(search.kernel.keep_terms);
}
