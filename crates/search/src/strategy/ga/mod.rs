//! Genetic search on concrete inputs: the rival "EvoSuite with the same fitness" of the ESE paper (Aquino, Denaro,
//! Salza, STVR, section 4.6), for programs whose input is a list of typed variables.
//!
//! No solver and no terms: an individual is an input, its fitness the cost of a concrete run. The outer loop is
//! EvoSuite's: rank selection, crossover, children that replace their parents unless both are worse than the better
//! one, an elite that survives (population, rates and elite of Fraser and Arcuri, "Whole test suite generation", TSE
//! 2013). EvoSuite's mutations edit method calls; ours edit typed values and rows of equal variables (arrays).
//!
//! - Each concrete run counts as one path.
//! - Cost `decisions` is not known to a concrete run. For it, and for it alone, each input is followed by a symbolic
//!   run without a solver, which is slower by the price of the terms.
//! - A program that asks for its input while it runs has variables that are not known beforehand. Those that
//!   decisions depend on are found by following the first input and each new best one symbolically.

pub(super) mod mutation;

use super::{Declaration, Strategy};
use crate::cost::CostModel;
use crate::decider::FollowWitness;
use crate::kernel::{Outcome, Start};
use crate::path::Path;
use crate::program::{End, Limit, PathLimits, Variable};
use crate::random::Random;
use crate::search::{Finished, Search};
use mutation::Genome;
use pessimum_term::{Evaluator, TermId, Witness};
use std::collections::BTreeMap;
use std::time::Duration;

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "ga",
    summary: "a genetic search on inputs, without a solver",
    citation: Some("Fraser, Arcuri, TSE 2013, with the fitness of Aquino, Denaro, Salza, STVR, section 4.6"),
    options: &[],
    learns: false,
    counts_paths: false,
    make: |_| Ok(Box::<Ga>::default()),
};

/// Sizes and rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaSettings {
    /// Individuals in each generation; at least 2.
    pub population: usize,
    /// Fittest individuals that survive unchanged; fewer than the population.
    pub elite: usize,
    /// Probability that two parents are crossed, from 0 to 1; otherwise their copies are only mutated.
    pub crossover: f64,
    /// Rank selection: how many times more likely the fittest is chosen than the average, from 1 to 2.
    pub rank_bias: f64,
    /// Generations without a better best before all but the elite are replaced by random inputs; 0 is never.
    pub patience: u64,
}

impl Default for GaSettings {
    fn default() -> GaSettings {
        GaSettings { population: 80, elite: 1, crossover: 0.75, rank_bias: 1.7, patience: 1000 }
    }
}

/// The genetic search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ga {
    /// Its parameters.
    pub settings: GaSettings,
}

#[derive(Clone)]
struct Individual {
    values: Vec<u64>,
    /// None where the input is not one of the program's (it violates an assumption) or could not be run.
    fitness: Option<u64>,
}

/// Inputs in a row that are none of the program's before the search gives up: a budget of paths alone would never end
/// then.
const FRUITLESS: u64 = 1_000_000;

/// The search is over: the budget is spent or nothing comes of it.
struct Over;

struct Evolution<'s, 'p> {
    settings: GaSettings,
    search: &'s mut Search<'p>,
    random: Random,
    genome: Genome,
    /// Conditions on the input beyond the ranges of the variables.
    preconditions: Vec<TermId>,
    /// Whether variables are found while the program runs.
    discovers: bool,
    path: Path,
    fruitless: u64,
    /// Instructions per second of concrete runs, as last measured.
    speed: f64,
}

impl Strategy for Ga {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        let random = search.random.split();
        let variables = search.kernel.program().variables();
        let preconditions = beyond_ranges(search, &variables);
        let mut evolution = Evolution {
            settings: self.settings,
            search,
            random,
            genome: Genome::new(variables),
            preconditions,
            discovers: false,
            path: Path::default(),
            fruitless: 0,
            speed: f64::INFINITY,
        };
        evolution.discovers = evolution.discover(&Witness::default());
        if evolution.genome.is_empty() {
            // Without input there is one run, and it has been made.
            return Finished::Partly;
        }
        let Over = evolution.evolve();
        Finished::Partly
    }
}

/// The program's preconditions that are not just the ranges of its variables.
fn beyond_ranges(search: &mut Search<'_>, variables: &[Variable]) -> Vec<TermId> {
    let all = search.kernel.preconditions().to_vec();
    let mut ranges = Vec::new();
    for variable in variables {
        variable.conditions(search.kernel.arena(), &mut ranges);
    }
    all.into_iter().filter(|condition| !ranges.contains(condition)).collect()
}

impl Evolution<'_, '_> {
    fn evolve(&mut self) -> Over {
        match self.generations() {
            Ok(never) => match never {},
            Err(over) => over,
        }
    }

    fn generations(&mut self) -> Result<std::convert::Infallible, Over> {
        let size = self.settings.population.max(2);
        let elite = self.settings.elite.min(size - 1);
        let mut population = Vec::new();
        for input in self.search.settings().starts.clone() {
            let values = self.genome.values(&input);
            population.push(self.evaluate(values)?);
        }
        sort(&mut population);
        population.truncate(size);
        self.fill(&mut population, size)?;
        let mut stuck = 0;
        loop {
            let best = population[0].fitness;
            let mut next: Vec<Individual> = population[..elite].to_vec();
            while next.len() < size {
                self.breed(&population, &mut next)?;
            }
            next.truncate(size);
            sort(&mut next);
            population = next;
            stuck = if population[0].fitness > best { 0 } else { stuck + 1 };
            if self.settings.patience > 0 && stuck >= self.settings.patience {
                stuck = 0;
                population.truncate(elite);
                self.fill(&mut population, size)?;
            }
        }
    }

    /// Adds random inputs.
    fn fill(&mut self, population: &mut Vec<Individual>, size: usize) -> Result<(), Over> {
        while population.len() < size {
            let values = self.genome.random(&mut self.random);
            population.push(self.evaluate(values)?);
        }
        sort(population);
        Ok(())
    }

    /// Two parents and what comes of them: their children, unless both are worse than the better parent.
    fn breed(&mut self, population: &[Individual], next: &mut Vec<Individual>) -> Result<(), Over> {
        let parents = [(); 2].map(|()| &population[self.rank(population.len())]);
        let mut children = parents.map(|parent| self.genome.adapt(&parent.values));
        if self.random.chance(self.settings.crossover) {
            let [first, second] = &mut children;
            self.genome.cross(&mut self.random, first, second);
        }
        let mut bred = Vec::with_capacity(2);
        for (mut values, parent) in children.into_iter().zip(parents) {
            self.genome.mutate(&mut self.random, &mut values);
            if values == parent.values {
                bred.push(parent.clone());
            } else {
                bred.push(self.evaluate(values)?);
            }
        }
        let better = parents[0].fitness.max(parents[1].fitness);
        if bred.iter().any(|child| child.fitness >= better) {
            next.extend(bred);
        } else {
            next.extend(parents.map(Individual::clone));
        }
        Ok(())
    }

    /// Rank selection (Whitley, ICGA 1989): an index into a population sorted from the fittest down.
    fn rank(&mut self, size: usize) -> usize {
        let bias = self.settings.rank_bias.clamp(1.000_001, 2.0);
        let root = (bias * bias - 4.0 * (bias - 1.0) * self.random.unit()).sqrt();
        let index = size as f64 * (bias - root) / (2.0 * (bias - 1.0));
        (index as usize).min(size - 1)
    }

    /// Runs an input and keeps account of it.
    fn evaluate(&mut self, values: Vec<u64>) -> Result<Individual, Over> {
        if self.search.stop().is_some() {
            return Err(Over);
        }
        let input = self.genome.witness(&values);
        let fitness = if !self.is_permitted(&input) {
            None
        } else if self.search.cost() == CostModel::Decisions {
            self.follow(&input)?
        } else {
            self.replay(&input)?
        };
        self.fruitless = if fitness.is_some() { 0 } else { self.fruitless + 1 };
        if self.fruitless >= FRUITLESS {
            return Err(Over);
        }
        Ok(Individual { values, fitness })
    }

    fn is_permitted(&mut self, input: &Witness) -> bool {
        if self.preconditions.is_empty() {
            return true;
        }
        let mut evaluator = Evaluator::new(input.clone());
        let arena = self.search.kernel.arena();
        self.preconditions.iter().all(|&condition| evaluator.value(arena, condition) == 1)
    }

    fn replay(&mut self, input: &Witness) -> Result<Option<u64>, Over> {
        let limits = *self.search.kernel.limits();
        let capped = self.within_the_time_left(limits);
        let before = self.search.kernel.meter.elapsed();
        let replay = self.search.kernel.program().replay(input, &capped);
        if replay.costs.instructions > 100_000 {
            let took = self.search.kernel.meter.elapsed().saturating_sub(before);
            self.speed = replay.costs.instructions as f64 / took.as_secs_f64().max(1e-9);
        }
        if capped != limits && replay.end == End::Limit(Limit::Instructions) {
            // The time is over, and this is not the run that the search's own limits would give.
            self.search.stop();
            return Err(Over);
        }
        let improved = self.search.record_replay(input, &replay);
        if improved && self.discovers {
            self.discover(input);
        }
        let counts = !matches!(replay.end, End::AssumptionViolated | End::Unsupported);
        Ok(counts.then(|| self.search.cost().of(&replay.costs)))
    }

    /// A run cannot be interrupted; so that a long one does not overrun the budget, it gets no more instructions than
    /// the time left is good for.
    fn within_the_time_left(&self, limits: PathLimits) -> PathLimits {
        /// Before anything was measured: slower than any engine of ours.
        const SLOW: f64 = 20e6;
        let Some(left) = self.search.kernel.meter.remaining().time else { return limits };
        let speed = if self.speed.is_finite() { self.speed } else { SLOW };
        // A little more than the time left, so that a run is cut off only when the budget is really spent.
        let instructions = speed * (left + Duration::from_millis(10)).as_secs_f64();
        PathLimits { instructions: limits.instructions.min(instructions as u64), ..limits }
    }

    /// Runs symbolically along the input.
    fn follow(&mut self, input: &Witness) -> Result<Option<u64>, Over> {
        self.search.kernel.release();
        let start = Start { witness: Some(input), ..Start::default() };
        match self.search.run(&start, &mut FollowWitness, &mut self.path) {
            Outcome::Path(End::AssumptionViolated | End::Unsupported) => Ok(None),
            Outcome::Path(_) => Ok(Some(self.search.cost().of(&self.path.costs))),
            Outcome::Stopped(_) => Err(Over),
            _ => Ok(None),
        }
    }

    /// Follows an input symbolically and adds the variables that its decisions depend on and that were not known.
    /// Returns whether there were any.
    fn discover(&mut self, input: &Witness) -> bool {
        if !matches!(self.follow(input), Ok(Some(_))) {
            return false;
        }
        let mut found: BTreeMap<u32, Variable> = BTreeMap::new();
        let arena = self.search.kernel.arena();
        let mut seen = vec![false; arena.len()];
        let mut pending: Vec<TermId> = self.path.conditions().collect();
        while let Some(term) = pending.pop() {
            if std::mem::replace(&mut seen[term.index()], true) {
                continue;
            }
            if let Some(id) = arena.as_variable(term) {
                found.insert(id.0, Variable::unlimited(id, arena.width(term)));
            }
            pending.extend(arena.children(term));
        }
        self.genome.add(found.into_values())
    }
}

/// The fittest first; of equals the order is kept.
fn sort(population: &mut [Individual]) {
    population.sort_by_key(|individual| std::cmp::Reverse(individual.fitness));
}
