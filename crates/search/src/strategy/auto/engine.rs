//! The search at one size: draw an operator, run what it proposes, settle the outcome, credit the operator.

use super::archive::{Archive, Source};
use super::balance::{Balance, Unit};
use super::bandit::Bandit;
use super::edits::Mode;
use super::inputs::Inputs;
use super::lineages::Lineages;
use super::operators::{Operator, Proposal, Then, View};
use super::policy::Policy;
use super::population::{Gain, Population};
use super::runner::Runner;
use super::settings::AutoSettings;
use crate::search::Search;
use pessimum_outcome::CostModel;
use pessimum_term::Witness;

/// What is known, and the parts that work on it.
pub struct Engine {
    /// The numbers that everything works with.
    pub settings: AutoSettings,
    /// The paths.
    pub population: Population,
    /// The policies.
    pub lineages: Lineages,
    pub(super) inputs: Inputs,
    pub(super) runner: Runner,
    /// Inputs that were run concretely.
    pub(super) archive: Archive,
    /// The cost of the last input of the archive that was followed symbolically.
    pub(super) adopted: u64,
    /// Whether the archive was given its first inputs.
    pub(super) seeded: bool,
    /// Which changes to inputs of the archive pay.
    pub(super) modes: Bandit,
    /// Which inputs of the archive it pays to change.
    pub(super) sources: Bandit,
    bandit: Bandit,
    balance: Balance,
    /// Terms in the arena at which unused ones are collected.
    collect_at: usize,
    /// Uses of operators since the last completed path.
    fruitless: u32,
}

impl Engine {
    /// An engine for the search's program. Closed operators are never used.
    pub fn new(search: &mut Search<'_>, settings: &AutoSettings, open: impl Fn(Operator) -> bool) -> Engine {
        search.kernel.keep_terms = true;
        search.kernel.set_conflicts(settings.conflicts);
        let mut sources = Bandit::new(settings, Source::ALL.map(|_| true));
        // Where there are few runs, the bandit learns nothing before they are over.
        sources.credit(Source::Elite as usize, settings.elite_prior, 0);
        Engine {
            settings: *settings,
            population: Population::new(settings.population),
            lineages: Lineages::new(settings.lineages),
            inputs: Inputs::new(search),
            runner: Runner::new(settings),
            archive: Archive::new(settings),
            adopted: 0,
            seeded: false,
            modes: Bandit::new(settings, Mode::ALL.map(|_| true)),
            sources,
            bandit: Bandit::new(settings, Operator::ALL.map(&open)),
            balance: Balance::new(search.settings(), open(Operator::Archive)),
            collect_at: settings.spare_terms,
            fruitless: 0,
        }
    }

    /// From now on, slow queries have a share of the time only, where nothing else is limited, or of what paths may cost
    /// where those are. Not before the walk through every path: that needs each answer "no".
    pub(super) fn limit_fruitless_queries(&self, search: &mut Search<'_>) {
        match self.balance.unit {
            Unit::Seconds => search.kernel.set_fruitless_share(self.settings.fruitless_share),
            Unit::Paths => search.kernel.set_fruitless_work(self.settings.fruitless_work),
            _ => {}
        }
    }

    /// What has been done so far, in decisions.
    pub fn effort(&self, search: &Search<'_>) -> u64 {
        self.runner.effort(search)
    }

    /// Draws an operator, uses it once and credits it. Returns false if no operator is open, or if none has completed
    /// a path for very long.
    pub fn step(&mut self, search: &mut Search<'_>) -> bool {
        let (paths, best, spent) = (search.kernel.meter.paths, search.best_cost(), self.spent(search));
        match self.propose(search) {
            Some((drawn, proposal)) => {
                let effort = self.effort(search);
                let gain = self.run(search, proposal);
                let improved = search.best_cost() > best;
                let credit = match gain {
                    _ if improved => self.settings.gain_best,
                    Gain::Better => self.settings.gain_better,
                    Gain::Equal | Gain::None => 0.0,
                };
                // Where paths are limited, many cheap ones are not cheap.
                let price = match self.balance.unit {
                    Unit::Paths => search.kernel.meter.paths - paths,
                    Unit::Seconds | Unit::Steps | Unit::Effort => self.effort(search) - effort,
                };
                self.bandit.credit(drawn, credit, price + 1);
                search.settings().watch.used(Operator::ALL[drawn].name(), improved);
                self.balance.add(
                    Operator::ALL[drawn] == Operator::Archive,
                    self.spent(search) - spent,
                    rise(best, search.best_cost()),
                    &self.settings,
                );
            }
            None if self.bandit.is_closed() => return false,
            // No operator has anything to work on before there is a path.
            None => self.offer_fresh_policy(search),
        }
        self.renew(search);
        self.tidy(search);
        self.fruitless = if search.kernel.meter.paths > paths { 0 } else { self.fruitless + 1 };
        self.fruitless < self.settings.fruitless
    }

    /// The proposal of the archive if it is due, else of an operator that the bandit draws, or of another one if it
    /// declines. The bandit draws the archive only if there is nothing else, or it would get more than its share.
    fn propose(&mut self, search: &mut Search<'_>) -> Option<(usize, Proposal)> {
        let archive = Operator::ALL.iter().position(|&operator| operator == Operator::Archive);
        let due = archive.filter(|_| self.balance.is_due(&self.settings));
        let mut declined = [false; Operator::ALL.len()];
        loop {
            let open = |operator: usize| !declined[operator];
            let (bandit, random) = (&self.bandit, &mut search.random);
            let drawn = due
                .filter(|&archive| open(archive))
                .or_else(|| bandit.draw(random, |operator| open(operator) && Some(operator) != archive))
                .or_else(|| bandit.draw(random, open))?;
            if Operator::ALL[drawn] != Operator::Archive {
                self.adopt(search);
            }
            match Operator::ALL[drawn].propose(&self.view(search.cost()), &mut search.random) {
                Some(proposal) => return Some((drawn, proposal)),
                None => declined[drawn] = true,
            }
        }
    }

    /// What operators see.
    pub(super) fn view(&self, cost: CostModel) -> View<'_> {
        // A concrete run cannot count decisions.
        let can_count = cost != CostModel::Decisions && !self.inputs.variables.is_empty();
        View { population: &self.population, lineages: &self.lineages, settings: &self.settings, can_count }
    }

    /// What has been spent, in the unit of the balance.
    fn spent(&self, search: &Search<'_>) -> f64 {
        self.balance.unit.spent(&search.kernel.meter, self.effort(search))
    }

    /// Whether nothing but time is limited.
    pub(super) fn counts_time(&self) -> bool {
        self.balance.unit == Unit::Seconds
    }

    /// Notes that symbolic work was done outside of [`Engine::step`], since this much was spent and this was the best.
    pub(super) fn note_symbolic(&mut self, search: &Search<'_>, (spent, best): (f64, Option<u64>)) {
        self.balance.add(false, self.spent(search) - spent, rise(best, search.best_cost()), &self.settings);
    }

    /// What has been spent and reached, for [`Engine::note_symbolic`].
    pub(super) fn mark(&self, search: &Search<'_>) -> (f64, Option<u64>) {
        (self.spent(search), search.best_cost())
    }

    /// Uses the archive before anything symbolic, for a share of what is left. A few paths are too few to share.
    pub(super) fn vary_first(&mut self, search: &mut Search<'_>) {
        let left = self.balance.unit.left(&search.kernel.meter.remaining(), self.settings.first_effort);
        let one_use = match self.balance.unit {
            Unit::Paths => f64::from(self.settings.archive_parents * self.settings.archive_children),
            Unit::Seconds | Unit::Steps | Unit::Effort => 0.0,
        };
        let most = self.spent(search) + left * self.settings.archive_first_share;
        let mut paths = None;
        while self.balance.open
            && self.view(search.cost()).can_count
            && search.stop().is_none()
            && self.spent(search) + one_use < most
            // Where hardly any input is legal, this is not the way to find one.
            && paths.replace(search.kernel.meter.paths) < Some(search.kernel.meter.paths)
        {
            self.vary(search);
        }
    }

    /// Runs a proposal and settles what came of it.
    fn run(&mut self, search: &mut Search<'_>, proposal: Proposal) -> Gain {
        match proposal {
            Proposal::Fresh(policy) => {
                self.offer_policy(search, policy);
                Gain::None
            }
            Proposal::Evolve { parent, mut policy } => {
                let cost = self.runner.policy(search, &mut policy, None);
                let gain = self.lineages.settle(parent, policy, cost);
                if let Some(cost) = cost.filter(|_| gain != Gain::None) {
                    self.population.offer(&self.runner.child, cost);
                }
                gain
            }
            Proposal::Extract { parent, schema, mutate } => {
                let member = &self.population.members[parent];
                let mut policy = self.runner.policy_of(search.kernel.arena(), schema, &member.decisions);
                if mutate {
                    policy.mutate(&mut search.random);
                }
                let old = member.cost;
                self.offer_policy(search, policy).map_or(Gain::None, |cost| Gain::of(cost, old))
            }
            Proposal::Assume { parent, assumptions } => {
                let cost = self.runner.assume(search, &self.population.members[parent].witness, &assumptions);
                self.settle(parent, cost)
            }
            Proposal::Branch { parent, keep, then } => {
                let member = &self.population.members[parent];
                let cost = match then {
                    Then::Policy(mut policy) => {
                        self.runner.policy_after(search, &mut policy, Some(&member.witness), keep)
                    }
                    Then::Turn(arm, shift) => self.runner.turn(search, member, keep, arm, shift),
                };
                self.settle(parent, cost)
            }
            Proposal::Vary => self.vary(search),
            Proposal::Mend => self.mend(search),
            Proposal::Climb { parent } => self.climb(search, parent),
        }
    }

    /// Settles the child of a member.
    pub(super) fn settle(&mut self, parent: usize, cost: Option<u64>) -> Gain {
        self.population.settle(parent, &self.runner.child, cost, self.settings.level_patience)
    }

    /// Uses an operator once, whatever it is worth. The bandit does not learn of it.
    pub fn use_operator(&mut self, search: &mut Search<'_>, operator: Operator) {
        if let Some(proposal) = operator.propose(&self.view(search.cost()), &mut search.random) {
            self.run(search, proposal);
        }
    }

    /// Follows an input and offers its path.
    pub fn offer_input(&mut self, search: &mut Search<'_>, input: &Witness) {
        if search.stop().is_none()
            && let Some(cost) = self.runner.follow(search, input)
        {
            self.population.offer(&self.runner.child, cost);
        }
    }

    /// Runs a policy, offers it to the lineages, and offers its path to the population. Returns the cost.
    pub fn offer_policy(&mut self, search: &mut Search<'_>, mut policy: Policy) -> Option<u64> {
        let witness = (policy.len() == 0 && search.random.coin()).then(|| search.random_witness());
        let cost = self.runner.policy(search, &mut policy, witness.as_ref())?;
        self.population.offer(&self.runner.child, cost);
        self.lineages.offer(policy, cost);
        Some(cost)
    }

    /// Offers a policy that knows nothing yet.
    fn offer_fresh_policy(&mut self, search: &mut Search<'_>) {
        let policy = Policy::drawn(&mut search.random);
        self.offer_policy(search, policy);
    }

    /// Offers as many fresh policies as there is room for.
    pub fn offer_fresh_policies(&mut self, search: &mut Search<'_>) {
        for _ in 0..self.lineages.room() {
            if search.stop().is_some() {
                break;
            }
            self.offer_fresh_policy(search);
        }
    }

    /// Forgets all paths and policies, but not what operators are worth. The best policies are put aside.
    pub fn forget(&mut self) {
        self.population.members.clear();
        self.lineages.put_aside();
        self.archive.forget_elite();
        self.adopted = 0;
    }

    /// Replaces a member or lineage that has been stale for long: a member makes room for a copy of the best one or
    /// for a fresh policy's path, a lineage for a fresh policy or for the next one that is extracted.
    fn renew(&mut self, search: &mut Search<'_>) {
        if let Some(stale) = self.population.stale(&self.settings) {
            if search.random.coin() {
                self.population.copy_best_over(stale);
            } else {
                self.population.members.swap_remove(stale);
                self.offer_fresh_policy(search);
            }
        }
        if self.lineages.drop_stale(self.settings.stale) && search.random.coin() {
            self.offer_fresh_policy(search);
        }
    }

    /// Adapts to long paths and collects unused terms.
    fn tidy(&mut self, search: &mut Search<'_>) {
        let longest = self.runner.child.decisions.len().max(1);
        self.population.shrink((self.settings.population_decisions / longest).max(2));
        search.kernel.kept = self.bytes();
        if search.kernel.arena().len() > self.collect_at {
            self.collect(search);
        }
        while search.kernel.is_crowded() {
            self.collect(search);
            let members = self.population.members.len();
            if !search.kernel.is_crowded() || members <= 1 {
                break;
            }
            // The members of least cost go first.
            search.kernel.counters.dropped += (members - members / 2) as u64;
            self.population.shrink(members / 2);
            search.kernel.kept = self.bytes();
        }
    }

    /// Bytes that the paths take which are kept, besides the terms of their conditions: those of the population, the last
    /// one and the best one.
    fn bytes(&self) -> u64 {
        self.population.bytes() + 2 * size_of_val(self.runner.child.decisions.as_slice()) as u64
    }

    /// Collects unused terms.
    fn collect(&mut self, search: &mut Search<'_>) {
        let members = self.population.members.iter_mut();
        let conditions = members.flat_map(|member| &mut member.decisions).map(|decision| &mut decision.condition);
        search.kernel.collect(conditions);
        self.collect_at = search.kernel.arena().len() + self.settings.spare_terms;
    }
}

/// By how much a cost rose: the logarithm of the ratio.
fn rise(before: Option<u64>, after: Option<u64>) -> f64 {
    let logarithm = |cost: Option<u64>| (cost.unwrap_or(0).max(1) as f64).ln();
    (logarithm(after) - logarithm(before)).max(0.0)
}
