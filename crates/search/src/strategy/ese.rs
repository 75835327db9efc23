//! ESE: Aquino, Denaro, Salza, "Facilitating program performance profiling via evolutionary symbolic execution",
//! Software Testing, Verification and Reliability (extends ISSRE 2018), section 3.
//!
//! A memetic search. An individual is a path; its chromosome is the path condition, a list of clauses. Crossover joins
//! the head of one path condition with the tail of another, mutation drops clauses, and a run under the resulting
//! precondition gives the child. Periodically a local search negates single clauses of the best individual.
//!
//! Corners that the paper leaves open, and what is done here:
//! - A gene is a clause whose negation was feasible where it was decided, as in the paper's examples (a palindrome of
//!   100 items has 50 clauses). Clauses implied by those before them are not genes. A clause that the precondition of
//!   the run implied, but the path alone does not, is one.
//! - The printed loop test (Algorithm 1, line 3) is inverted, and `offspring` is emptied each generation.
//! - The second parent is drawn from the others, by their fitness. If all fitness is 0, draws are uniform.
//! - Survivors are drawn without replacement ("a set"); of equally fit individuals, the older one counts as fitter.
//! - A side that the solver gives up on is pruned. An unsatisfiable precondition gives no child at once; it still uses
//!   up an attempt of the local search.
//! - Up to a tenth of the clauses are removed by mutation, rounded down, but at least one.
//! - The same path may occur in the population more than once; [`EseSettings::distinct`] is an extension.
//! - The sixth parameter of Table IV, the timeout, is the search's budget.

use super::{Declaration, OptionDeclaration, Purpose, Strategy, StrategyReport};
use crate::decider::RandomFeasible;
use crate::kernel::Start;
use crate::program::Arm;
use crate::random::Random;
use crate::sample::{Over, Sampler, Sampling};
use crate::search::{Finished, Search};
use pessimum_solver::Context;
use pessimum_term::{TermId, Witness};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "ese",
    summary: "an evolutionary search on path conditions",
    citation: Some("Aquino, Denaro, Salza, STVR (extends ISSRE 2018)"),
    options: &[POPSIZE, ELITESIZE, MPROB, LSPERIOD, LSATTEMPTS, GENERATIONS],
    learns: false,
    purpose: Purpose::Cost,
    counts_paths: false,
    make: |options| {
        let settings = EseSettings {
            popsize: options.count(&POPSIZE)?,
            elitesize: options.count(&ELITESIZE)?,
            mprob: options.probability(&MPROB)?,
            lsperiod: options.count(&LSPERIOD)?,
            lsattempts: options.count(&LSATTEMPTS)?,
            generations: options.count(&GENERATIONS)? as u64,
            ..EseSettings::default()
        };
        Ok(Box::new(Ese { settings, ..Ese::default() }))
    },
};

const POPSIZE: OptionDeclaration = OptionDeclaration::count("popsize", 1, "50", "individuals in each generation");
const ELITESIZE: OptionDeclaration =
    OptionDeclaration::count("elitesize", 0, "5", "fittest individuals that always survive");
const MPROB: OptionDeclaration =
    OptionDeclaration::probability("mprob", "0.2", "probability of mutating a child, from 0 to 1");
const LSPERIOD: OptionDeclaration =
    OptionDeclaration::count("lsperiod", 0, "10", "generations between local searches, 0 for never");
const LSATTEMPTS: OptionDeclaration = OptionDeclaration::count(
    "lsattempts",
    0,
    "25",
    "attempts of each local search (the sixth parameter, the timeout, is --budget)",
);

const GENERATIONS: OptionDeclaration =
    OptionDeclaration::count("generations", 0, "0", "generations after which the search ends, 0 for no limit");

/// The parameters of Table IV under their published names, and three of our own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EseSettings {
    /// Individuals in each generation. Published: 50. At least 1.
    pub popsize: usize,
    /// Fittest individuals that always survive. Published: 5.
    pub elitesize: usize,
    /// Probability of mutating a child's precondition, from 0 to 1. Published: 0.2.
    pub mprob: f64,
    /// Generations between local searches; 0 is never. Published: 10.
    pub lsperiod: usize,
    /// Attempts of each local search. Published: 25.
    pub lsattempts: usize,
    /// Generations after which the search ends; 0 is no limit. The paper's budget is "either a timeout or a maximum amount
    /// of iterations" (section 3.2); its experiments had a timeout.
    pub generations: u64,
    /// Whether a path that is already in the population is turned away. The paper does not do this; default off.
    pub distinct: bool,
    /// How many values of a value decision are enumerated before one of them is drawn. Not in the paper, whose
    /// programs have none.
    pub values: usize,
    /// Terms in the arena before those of dead individuals are swept out; more if the living need more. This bounds
    /// memory and does not change the paths.
    pub most_terms: usize,
}

impl Default for EseSettings {
    fn default() -> EseSettings {
        EseSettings {
            popsize: 50,
            elitesize: 5,
            mprob: 0.2,
            lsperiod: 10,
            lsattempts: 25,
            generations: 0,
            distinct: false,
            values: 16,
            most_terms: 1 << 20,
        }
    }
}

/// The search as published.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ese {
    /// Its parameters.
    pub settings: EseSettings,
    /// What the last search did.
    pub report: EseReport,
}

/// What a search did beyond its paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EseReport {
    /// Generations begun.
    pub generations: u64,
    /// Preconditions under which there was no path.
    pub unsatisfiable: u64,
    /// Attempts of local search.
    pub attempts: u64,
    /// Those that gave a fitter individual.
    pub successes: u64,
    /// Genes of the individual that local search worked on last.
    pub genes: usize,
}

/// One path of the population.
struct Individual {
    clauses: Vec<Clause>,
    /// Whether `clauses` holds the genes only.
    only_genes: bool,
    cost: u64,
    witness: Witness,
    /// A hash of the arms, to recognise equal paths.
    fingerprint: u64,
}

struct Clause {
    condition: TermId,
    /// Whether its negation is known to be feasible (true) or infeasible (false) after the clauses before it.
    gene: Option<bool>,
}

/// Runs in a row without a path after which the search gives up.
const FRUITLESS: u64 = 10_000;

struct Evolution<'s, 't, 'p> {
    settings: EseSettings,
    sampler: &'s mut Sampler<'t, 'p>,
    random: Random,
    /// Decides which clauses are genes; separate from the kernel's context, whose runs continue.
    context: Context,
    sweep_at: usize,
    report: EseReport,
}

impl Strategy for Ese {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        search.sample(Sampling { keep_terms: true, fruitless: FRUITLESS }, |sampler| {
            let random = sampler.search.random.split();
            let mut context = Context::new(sampler.search.settings().solver.clone());
            context.set_until(sampler.search.kernel.meter.until());
            let mut evolution = Evolution {
                settings: self.settings,
                sampler,
                random,
                context,
                sweep_at: self.settings.most_terms,
                report: EseReport::default(),
            };
            let finished = evolution.run();
            self.report = evolution.report;
            let asked = evolution.context.counters().clone();
            sampler.search.charge_solver(&asked);
            finished
        })
    }

    fn report(&self) -> StrategyReport {
        let EseReport { generations, unsatisfiable, attempts, successes, genes } = self.report;
        let counts = vec![
            ("generations", generations),
            ("unsatisfiable preconditions", unsatisfiable),
            ("attempts of local search", attempts),
            ("successes of local search", successes),
            ("genes of the last individual searched around", genes as u64),
        ];
        StrategyReport { counts, ..StrategyReport::default() }
    }
}

impl Evolution<'_, '_, '_> {
    fn run(&mut self) -> Result<Finished, Over> {
        match self.sample()? {
            Some(population) => Err(self.evolve(population)),
            None => Ok(Finished::Everything),
        }
    }

    /// Algorithm 2: the first population. None if the program has only one path.
    fn sample(&mut self) -> Result<Option<Vec<Individual>>, Over> {
        let mut population = Vec::new();
        for input in self.sampler.starts() {
            if self.sampler.follow(&input)?.is_some() {
                population.push(self.individual(true));
            }
        }
        while population.len() < self.settings.popsize.max(1) {
            if let Some(individual) = self.execute(&[], None)? {
                if self.sampler.path.decisions.is_empty() {
                    return Ok(None);
                }
                population.push(individual);
            }
        }
        Ok(Some(population))
    }

    /// Algorithm 1, starting with its loop.
    fn evolve(&mut self, mut population: Vec<Individual>) -> Over {
        let period = self.settings.lsperiod;
        for generation in 1.. {
            if self.settings.generations > 0 && generation as u64 > self.settings.generations {
                break;
            }
            self.report.generations += 1;
            let tried = self.sampler.search.kernel.counters.runs;
            if let Err(over) = self.breed(&mut population) {
                return over;
            }
            self.survive(&mut population);
            if period > 0
                && generation % period == 0
                && let Err(over) = self.local_search(&mut population)
            {
                return over;
            }
            // A population of one breeds nothing; without genes there is nothing to negate either.
            let idle = self.sampler.search.kernel.counters.runs == tried;
            if idle && (period == 0 || generation % period == 0) {
                break;
            }
            self.sweep(&mut population);
        }
        Over
    }

    /// Selection and crossover (Algorithm 4): appends the offspring to the population.
    fn breed(&mut self, population: &mut Vec<Individual>) -> Result<(), Over> {
        let parents = population.len();
        if parents < 2 {
            return Ok(());
        }
        let fitness: Vec<u64> = population.iter().map(|individual| individual.cost).collect();
        for _ in 0..parents / 2 {
            let first = draw(&mut self.random, &fitness, None);
            let second = draw(&mut self.random, &fitness, Some(first));
            for index in [first, second] {
                self.find_genes(&mut population[index])?;
            }
            let cuts = [first, second].map(|index| match population[index].clauses.len() {
                0 => 0,
                length => 1 + self.random.index(length),
            });
            for (head, tail, cut) in [(first, second, cuts), (second, first, [cuts[1], cuts[0]])] {
                let (head, tail) = (&population[head], &population[tail]);
                let kept = head.clauses[..cut[0]].iter().chain(&tail.clauses[cut[1]..]);
                let mut precondition: Vec<TermId> = kept.map(|clause| clause.condition).collect();
                if self.random.chance(self.settings.mprob) {
                    mutate(&mut self.random, &mut precondition);
                }
                let witness = head.witness.clone();
                if let Some(child) = self.execute(&precondition, Some(&witness))?
                    && !(self.settings.distinct && is_known(population, &child))
                {
                    population.push(child);
                }
            }
        }
        Ok(())
    }

    /// Elitism and survival selection. Survivors keep their order: older before younger.
    fn survive(&mut self, population: &mut Vec<Individual>) {
        let mut by_fitness: Vec<usize> = (0..population.len()).collect();
        by_fitness.sort_by_key(|&index| std::cmp::Reverse(population[index].cost));
        let elite = self.settings.elitesize.min(self.settings.popsize);
        let mut survives = vec![false; population.len()];
        for &index in by_fitness.iter().take(elite) {
            survives[index] = true;
        }
        let mut rest: Vec<usize> = (0..population.len()).filter(|&index| !survives[index]).collect();
        let mut fitness: Vec<u64> = rest.iter().map(|&index| population[index].cost).collect();
        for _ in 0..(self.settings.popsize.max(1) - elite).min(rest.len()) {
            let drawn = draw(&mut self.random, &fitness, None);
            survives[rest.remove(drawn)] = true;
            fitness.remove(drawn);
        }
        let mut index = 0;
        population.retain(|_| {
            index += 1;
            survives[index - 1]
        });
    }

    /// Algorithm 6 on the fittest individual, which is replaced by the result.
    fn local_search(&mut self, population: &mut Vec<Individual>) -> Result<(), Over> {
        // Among equals the first, which is the oldest.
        let fittest = (0..population.len()).rev().max_by_key(|&index| population[index].cost);
        let Some(fittest) = fittest else { return Ok(()) };
        let mut current = population.remove(fittest);
        let mut improved = false;
        for _ in 0..self.settings.lsattempts {
            self.find_genes(&mut current)?;
            self.report.genes = current.clauses.len();
            if current.clauses.is_empty() {
                break;
            }
            self.report.attempts += 1;
            let negated = self.random.index(current.clauses.len());
            let mut precondition: Vec<TermId> = current.clauses.iter().map(|clause| clause.condition).collect();
            precondition[negated] = self.sampler.search.kernel.arena().not(precondition[negated]);
            let witness = current.witness.clone();
            if let Some(child) = self.execute(&precondition, Some(&witness))?
                && child.cost > current.cost
            {
                current = child;
                improved = true;
                self.report.successes += 1;
            }
        }
        // A new individual is the youngest.
        let place = if improved { population.len() } else { fittest };
        population.insert(place, current);
        Ok(())
    }

    /// Algorithms 3 and 5: a random path under the precondition; none if there is no such path.
    fn execute(&mut self, precondition: &[TermId], witness: Option<&Witness>) -> Result<Option<Individual>, Over> {
        let start = Start { precondition, witness, repair: false };
        let mut decider = RandomFeasible::new(&mut self.random, self.settings.values);
        if self.sampler.run(&start, &mut decider)?.cost().is_none() {
            self.report.unsatisfiable += 1;
            return Ok(None);
        }
        Ok(Some(self.individual(precondition.is_empty())))
    }

    fn individual(&self, unconstrained: bool) -> Individual {
        let clause = |decision: &crate::path::Decision| Clause {
            condition: decision.condition,
            gene: match decision.implied {
                Some(false) => Some(true),
                // It may be the precondition that implies the clause.
                Some(true) if unconstrained => Some(false),
                _ => None,
            },
        };
        let path = &self.sampler.path;
        Individual {
            clauses: path.decisions.iter().map(clause).collect(),
            only_genes: false,
            cost: self.sampler.search.worth(&path.costs, path.end),
            witness: path.witness.clone(),
            fingerprint: fingerprint(path.arms()),
        }
    }

    /// Drops the clauses that those before them imply. This is done when an individual is first used, since many
    /// never are.
    fn find_genes(&mut self, individual: &mut Individual) -> Result<(), Over> {
        if individual.only_genes {
            return Ok(());
        }
        let kernel = &mut self.sampler.search.kernel;
        let base = kernel.preconditions().to_vec();
        self.context.restart(individual.witness.clone());
        for condition in base {
            self.context.assume(kernel.arena(), condition);
        }
        for (index, clause) in individual.clauses.iter_mut().enumerate() {
            if index % 64 == 63 && kernel.meter.look(0).is_some() {
                return Err(Over);
            }
            let gene = match clause.gene {
                Some(gene) => gene,
                None => {
                    kernel.counters.queries += 1;
                    let negation = kernel.arena().not(clause.condition);
                    match self.context.is_feasible(kernel.arena(), negation) {
                        Ok(feasible) => feasible,
                        Err(_) => {
                            kernel.counters.unknown += 1;
                            self.context.assume(kernel.arena(), clause.condition);
                            false
                        }
                    }
                }
            };
            clause.gene = Some(gene);
            if gene {
                self.context.assume(kernel.arena(), clause.condition);
            }
        }
        individual.clauses.retain(|clause| clause.gene == Some(true));
        individual.clauses.shrink_to_fit();
        individual.only_genes = true;
        Ok(())
    }

    /// Drops the terms of dead individuals once they may be most of the arena.
    fn sweep(&mut self, population: &mut [Individual]) {
        let kernel = &mut self.sampler.search.kernel;
        if kernel.arena().len() < self.sweep_at && !kernel.is_crowded() {
            return;
        }
        self.context.restart(Witness::default());
        let clauses = population.iter_mut().flat_map(|individual| &mut individual.clauses);
        self.sampler.search.kernel.collect(clauses.map(|clause| &mut clause.condition));
        self.sweep_at = self.settings.most_terms.max(4 * self.sampler.search.kernel.arena().len());
    }
}

fn is_known(population: &[Individual], child: &Individual) -> bool {
    population.iter().any(|known| known.fingerprint == child.fingerprint && known.cost == child.cost)
}

fn fingerprint(arms: impl Iterator<Item = Arm>) -> u64 {
    let mut hasher = FxHasher::default();
    arms.for_each(|arm| arm.hash(&mut hasher));
    hasher.finish()
}

/// An index with probability proportional to its weight; uniform if all weights are 0. At least one index must not be
/// excluded.
fn draw(random: &mut Random, weights: &[u64], excluded: Option<usize>) -> usize {
    let open = || (0..weights.len()).filter(|&index| Some(index) != excluded);
    let total: u64 = open().fold(0, |sum, index| sum.saturating_add(weights[index]));
    if total == 0 {
        let chosen = random.index(open().count());
        return open().nth(chosen).unwrap_or(0);
    }
    let mut left = random.below(total);
    let mut last = 0;
    for index in open() {
        last = index;
        if left < weights[index] {
            break;
        }
        left -= weights[index];
    }
    last
}

/// `MUTATERANDOM`: removes one clause, then with even odds another, up to a tenth of them.
fn mutate(random: &mut Random, clauses: &mut Vec<TermId>) {
    let most = (clauses.len() / 10).max(1);
    for removed in 1..=most {
        if clauses.is_empty() {
            return;
        }
        clauses.remove(random.index(clauses.len()));
        if removed < most && random.coin() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::{Arena, VariableId};

    #[test]
    fn draws_follow_the_weights() {
        let mut random = Random::new(1);
        let mut counts = [0u32; 4];
        for _ in 0..60_000 {
            counts[draw(&mut random, &[10, 0, 20, 30], None)] += 1;
        }
        assert_eq!(counts[1], 0);
        // Six standard deviations of a binomial.
        for (index, expected) in [(0, 10_000u32), (2, 20_000), (3, 30_000)] {
            assert!(counts[index].abs_diff(expected) < 750, "{counts:?}");
        }
        for _ in 0..1000 {
            assert_ne!(draw(&mut random, &[10, 0, 20, 30], Some(3)), 3);
            assert_eq!(draw(&mut random, &[0, 0], Some(0)), 1);
        }
    }

    #[test]
    fn mutation_removes_between_one_clause_and_a_tenth() {
        let mut arena = Arena::new();
        let all: Vec<TermId> = (0..40).map(|number| arena.variable(VariableId(number), 1)).collect();
        let mut random = Random::new(2);
        let mut removed = [0u32; 5];
        for _ in 0..16_000 {
            let mut clauses = all.clone();
            mutate(&mut random, &mut clauses);
            removed[all.len() - clauses.len()] += 1;
            assert!(clauses.is_sorted(), "the order of clauses is kept");
        }
        // One with probability 1/2, two with 1/4, three and four with 1/8 each; six standard deviations.
        assert_eq!(removed[0], 0);
        for (count, expected) in removed[1..].iter().zip([8000u32, 4000, 2000, 2000]) {
            assert!(count.abs_diff(expected) < 390, "{removed:?}");
        }
        for length in 1..10 {
            let mut clauses = all[..length].to_vec();
            mutate(&mut random, &mut clauses);
            assert_eq!(clauses.len(), length - 1);
        }
        mutate(&mut random, &mut Vec::new());
    }
}
