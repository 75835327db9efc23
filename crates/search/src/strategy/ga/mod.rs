//! Genetic search on concrete inputs: the rival "EvoSuite with the same fitness" of the ESE paper (Aquino, Denaro,
//! Salza, STVR, section 4.6), for programs whose input is a list of typed variables.
//!
//! It uses no solver and no terms: an individual is an input, and its fitness is the cost of a concrete run. The
//! outer loop is EvoSuite's: rank selection, crossover, children that replace their parents unless both are worse
//! than the better parent, and an elite that survives (population, rates and elite of Fraser and Arcuri, "Whole test
//! suite generation", TSE 2013). EvoSuite's mutations edit method calls; ours edit typed values and rows of equal
//! variables (arrays), and the search begins with the input of zeros.
//!
//! That is a stronger rival than the paper's. With [`Changes::Values`] it is a plain one: the values of a test are
//! drawn and changed one by one, "independently sampling the values" (section 4.6), from EvoSuite's default ranges, a
//! test sets at most [`GaSettings::statements`] of them, and it begins with random inputs alone. What the paper's tool
//! does besides (method calls, constants from the bytecode) is not described there and not imitated.
//!
//! - Each concrete run counts as one path.
//! - A concrete run cannot know the cost `decisions`. For that cost alone, each input is followed by a symbolic run
//!   without a solver, which is slower because it builds terms.
//! - A program that asks for its input while it runs has variables that are not known beforehand. Those that
//!   decisions depend on are found by following the first input and each new best one symbolically.

pub(crate) mod mutation;

use super::variables::undeclared;
use super::{Declaration, OptionDeclaration, OptionKind, Purpose, Strategy};
use crate::random::Random;
use crate::sample::{Over, Sampler, Sampling};
use crate::search::{Finished, Search};
use mutation::Genome;
use pessimum_term::Witness;

/// What the command line knows of it.
pub const DECLARATION: Declaration = Declaration {
    name: "ga",
    summary: "a genetic search on inputs, without a solver",
    citation: Some("Fraser, Arcuri, TSE 2013, with the fitness of Aquino, Denaro, Salza, STVR, section 4.6"),
    options: &[CHANGES, STATEMENTS, POPULATION, ELITE, CROSSOVER, RANK_BIAS, PATIENCE],
    learns: false,
    purpose: Purpose::Cost,
    counts_paths: false,
    make: |options| {
        let settings = GaSettings {
            population: options.count(&POPULATION)?,
            elite: options.count(&ELITE)?,
            crossover: options.probability(&CROSSOVER)?,
            rank_bias: 1.0 + options.probability(&RANK_BIAS)?,
            patience: options.count(&PATIENCE)? as u64,
            changes: if options.word(&CHANGES)? == "values" { Changes::Values } else { Changes::Rows },
            statements: options.count(&STATEMENTS)?,
        };
        if settings.elite >= settings.population {
            return Err(format!("--elite {}: must be below --population {}", settings.elite, settings.population));
        }
        Ok(Box::new(Ga { settings }))
    },
};

const CHANGES: OptionDeclaration = OptionDeclaration {
    name: "changes",
    value: "WHICH",
    kind: OptionKind::Word(&["rows", "values"]),
    default: Some("rows"),
    neutral: None,
    help: "what changes an input: `rows` also sorts, copies and repeats parts of arrays, `values` draws single values",
};
const STATEMENTS: OptionDeclaration =
    OptionDeclaration::count("statements", 0, "0", "values that an input may set, the others being 0; 0 for all");
const POPULATION: OptionDeclaration = OptionDeclaration::count("population", 2, "80", "inputs in each generation");
const ELITE: OptionDeclaration = OptionDeclaration::count("elite", 0, "1", "fittest inputs that survive unchanged");
const CROSSOVER: OptionDeclaration =
    OptionDeclaration::probability("crossover", "0.75", "probability of crossing two parents, from 0 to 1");
const RANK_BIAS: OptionDeclaration =
    OptionDeclaration::probability("rank-bias", "0.7", "how much the fittest is preferred to the average, from 0 to 1");
const PATIENCE: OptionDeclaration = OptionDeclaration::count(
    "patience",
    0,
    "1000",
    "generations without a better input before a new start, 0 for never",
);

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
    /// Generations without a new best before all but the elite are replaced by random inputs; 0 is never.
    pub patience: u64,
    /// What changes an input.
    pub changes: Changes,
    /// How many values an input may set; the others are zero, or as near to it as their ranges permit. 0 is all. The ESE
    /// paper's EvoSuite had tests of at most 120 statements, "sufficient room to set all values".
    pub statements: usize,
}

/// What changes an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Changes {
    /// Single values, and rows of alike variables: sorting, copying, repeating. The first input is zero.
    #[default]
    Rows,
    /// Single values alone, each drawn for itself. The first inputs are random.
    Values,
}

impl Default for GaSettings {
    fn default() -> GaSettings {
        GaSettings {
            population: 80,
            elite: 1,
            crossover: 0.75,
            rank_bias: 1.7,
            patience: 1000,
            changes: Changes::Rows,
            statements: 0,
        }
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
    /// None if the program does not accept the input (it violates an assumption) or it could not be run.
    fitness: Option<u64>,
}

/// Inputs in a row that the program does not accept before the search gives up.
const FRUITLESS: u64 = 1_000_000;

struct Evolution<'s, 't, 'p> {
    settings: GaSettings,
    sampler: &'s mut Sampler<'t, 'p>,
    random: Random,
    genome: Genome,
    /// Whether variables are found while the program runs.
    discovers: bool,
}

impl Strategy for Ga {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        search.sample(Sampling { keep_terms: false, fruitless: FRUITLESS }, |sampler| {
            let random = sampler.search.random.split();
            let variables = sampler.search.kernel.program().variables();
            let genome = Genome::new(variables);
            let settings = self.settings;
            let mut evolution = Evolution { settings, sampler, random, genome, discovers: false };
            let first = match settings.changes {
                Changes::Rows => Witness::default(),
                Changes::Values => {
                    let values = evolution.random_values();
                    evolution.genome.witness(&values)
                }
            };
            evolution.discovers = evolution.discover(&first);
            if evolution.genome.is_empty() {
                // Without input there is one run, and it has been made.
                return Ok(Finished::Partly);
            }
            evolution.generations().map(|never| match never {})
        })
    }
}

impl Evolution<'_, '_, '_> {
    fn generations(&mut self) -> Result<std::convert::Infallible, Over> {
        let size = self.settings.population.max(2);
        let elite = self.settings.elite.min(size - 1);
        let mut population = Vec::new();
        for input in self.sampler.starts() {
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
            let values = self.random_values();
            population.push(self.evaluate(values)?);
        }
        sort(population);
        Ok(())
    }

    fn random_values(&mut self) -> Vec<u64> {
        let mut values = match self.settings.changes {
            Changes::Rows => self.genome.random(&mut self.random),
            Changes::Values => self.genome.draw(&mut self.random),
        };
        self.limit(&mut values);
        values
    }

    /// Takes back what a test with so many statements cannot set.
    fn limit(&self, values: &mut Vec<u64>) {
        if self.settings.statements > 0 {
            values.truncate(self.settings.statements);
            *values = self.genome.adapt(values);
        }
    }

    /// Draws two parents and adds their children, or the parents themselves if both children are worse than the
    /// better parent.
    fn breed(&mut self, population: &[Individual], next: &mut Vec<Individual>) -> Result<(), Over> {
        let parents = [(); 2].map(|()| &population[self.rank(population.len())]);
        let mut children = parents.map(|parent| self.genome.adapt(&parent.values));
        if self.random.chance(self.settings.crossover) {
            let [first, second] = &mut children;
            self.genome.cross(&mut self.random, first, second);
        }
        let mut bred = Vec::with_capacity(2);
        for (mut values, parent) in children.into_iter().zip(parents) {
            match self.settings.changes {
                Changes::Rows => self.genome.mutate(&mut self.random, &mut values),
                Changes::Values => self.genome.redraw(&mut self.random, &mut values),
            }
            self.limit(&mut values);
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

    /// Runs an input and accounts for it.
    fn evaluate(&mut self, values: Vec<u64>) -> Result<Individual, Over> {
        if self.sampler.search.stop().is_some() {
            return Err(Over);
        }
        let mut input = self.genome.witness(&values);
        self.sampler.search.kernel.program().repair(&mut input);
        if !self.sampler.search.kernel.permits(&input) {
            self.sampler.fruitless()?;
            return Ok(Individual { values, fitness: None });
        }
        let before = self.sampler.search.best_cost();
        let fitness = self.sampler.try_input(&input)?;
        if self.discovers && self.sampler.search.best_cost() > before {
            self.discover(&input);
        }
        Ok(Individual { values, fitness })
    }

    /// Follows an input symbolically and adds the variables that its decisions depend on and that were not known yet.
    /// Returns whether there were any.
    fn discover(&mut self, input: &Witness) -> bool {
        if !matches!(self.sampler.follow(input), Ok(Some(_))) {
            return false;
        }
        let conditions = self.sampler.path.conditions();
        let found = undeclared(self.sampler.search.kernel.arena(), conditions, self.genome.variables());
        self.genome.add(found)
    }
}

/// Sorts the fittest first; equals keep their order.
fn sort(population: &mut [Individual]) {
    population.sort_by_key(|individual| std::cmp::Reverse(individual.fitness));
}
