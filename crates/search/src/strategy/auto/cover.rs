//! What `auto` does when it is after goals: a generational search whose next node is chosen in several ways, and cheap
//! concrete runs of changed inputs in between; whatever covers more for its effort is done more.
//!
//! A walk over every path comes first and settles small programs for certain. Then the ways take turns by a bandit:
//! arms that no run has taken yet (each of the nodes that lead there, in turn), every site in turn (Pex's fair choice),
//! the node that promises to come closest to an open goal (Fitnex), and changes of inputs that took some arm more often
//! than any before, by powers of two, as AFL counts. An input of those that takes a new arm is followed symbolically.

use super::bandit::Bandit;
use super::edits::{Mode, edit};
use super::inputs::Inputs;
use super::islands::spread;
use super::runner::Runner;
use super::settings::AutoSettings;
use super::{Auto, walk};
use crate::generation::Generation;
use crate::kernel::Outcome;
use crate::objective::Goals;
use crate::program::{Arm, SiteId};
use crate::search::{Finished, Search};
use crate::strategy::pex::{Expression, Fitness, Frontier, Looker, NodeId, Tree, View, frontier};
use crate::watch::Phase;
use pessimum_term::Witness;
use std::collections::BTreeMap;

/// The ways to choose what is run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A node whose arm no run has taken.
    Untaken,
    /// The sites in turn.
    Sites,
    /// The node of the best composite fitness.
    Fittest,
    /// Changed inputs.
    Vary,
}

impl Way {
    const ALL: [Way; 4] = [Way::Untaken, Way::Sites, Way::Fittest, Way::Vary];

    fn name(self) -> &'static str {
        match self {
            Way::Untaken => "untaken",
            Way::Sites => "sites",
            Way::Fittest => "fittest",
            Way::Vary => "vary",
        }
    }
}

/// Numbers of the walk over every path, which matters more here than where a cost is searched for: it proves what cannot be
/// reached.
const WALK: AutoSettings = AutoSettings {
    walk_paths: 20_000,
    walk_path_share: 0.1,
    walk_time_share: 0.1,
    walk_depth: 1000,
    ..AutoSettings::DEFAULT
};

/// Values of an address or length that become nodes.
const VALUES: usize = 16;

/// Changed inputs per use, and where paths are limited: a concrete run counts as a path, but is worth less than one.
const CHANGES: (u32, u32) = (64, 8);

/// Gain of an arm that no run had taken, beside 1 for each goal.
const NEW_ARM: f64 = 0.1;

/// Searches for inputs that reach the goals.
pub fn search(auto: &Auto, search: &mut Search<'_>, goals: &Goals) -> Finished {
    // Concrete runs need no solver, so there is a result whatever takes too long later.
    for input in auto.first_inputs(search) {
        if search.stop().is_none() && search.is_permitted(&input) {
            let (replay, limits) = search.replay(&input);
            search.count_replay(&input, &replay, limits);
        }
    }
    search.settings().watch.phase(Phase::EveryPath);
    if walk::every_path(search, &WALK) == Finished::Everything {
        return Finished::Everything;
    }
    search.settings().watch.phase(Phase::Searching);
    let workers = auto.threads.max(1);
    let work = |search: &mut Search<'_>| {
        let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
        let finished = Cover::new(&auto.settings, search, goals).work(search);
        search.kernel.kept = 0;
        search.kernel.keep_terms = keep_terms;
        finished
    };
    spread(search, workers, |search, _| _ = work(search), work)
}

/// One worker's search.
struct Cover<'g> {
    goals: &'g Goals,
    settings: AutoSettings,
    tree: Tree,
    fitness: Fitness,
    generation: Generation,
    untaken: Untaken,
    sites: Box<dyn Frontier>,
    fittest: Box<dyn Frontier>,
    corpus: Corpus,
    inputs: Inputs,
    bandit: Bandit,
    runner: Runner,
    /// Whether paths are limited.
    counts_paths: bool,
}

impl<'g> Cover<'g> {
    fn new(settings: &AutoSettings, search: &mut Search<'_>, goals: &'g Goals) -> Cover<'g> {
        search.kernel.set_conflicts(settings.conflicts);
        if search.settings().budget.is_time_alone() {
            search.kernel.set_fruitless_share(settings.fruitless_share);
        }
        let made = |text: &str| Expression::parse(text).map(|expression| frontier(&expression));
        let inputs = Inputs::new(search);
        let can_vary = !inputs.variables.is_empty();
        Cover {
            goals,
            settings: *settings,
            tree: Tree::default(),
            fitness: Fitness::default(),
            generation: Generation::new(VALUES),
            untaken: Untaken::default(),
            sites: made("ShortCircuit(CLP[Shortest], CLP[Random])").expect("this is an expression"),
            fittest: made("Fittest[CLP[IterativeDeepening]]").expect("this is an expression"),
            corpus: Corpus::default(),
            inputs,
            bandit: Bandit::new(settings, Way::ALL.map(|way| way != Way::Vary || can_vary)),
            runner: Runner::new(settings),
            counts_paths: search.settings().budget.paths.is_some(),
        }
    }

    /// Goes on until the budget is spent, or every node was followed and nothing can be varied.
    fn work(&mut self, search: &mut Search<'_>) -> Finished {
        for input in search.settings().starts.clone() {
            self.try_input(search, &input);
        }
        // The first path of all: it goes wherever the solver's first witness goes.
        self.run_node(search, None);
        while search.stop().is_none() {
            let is_complete = self.tree.open() == 0 && is_exact(search);
            if is_complete {
                return Finished::Everything;
            }
            let before = (self.goals.open(), self.spent(search));
            let Some(way) = self.step(search) else { break };
            let reached = before.0 - self.goals.open().min(before.0);
            let gain = reached as f64 + NEW_ARM * self.corpus.take_news() as f64;
            self.bandit.credit(way, gain, self.spent(search) - before.1 + 1);
            search.settings().watch.used(Way::ALL[way].name(), reached > 0);
        }
        Finished::Partly
    }

    /// What has been spent: paths where these are limited, because many cheap ones are not cheap then.
    fn spent(&self, search: &Search<'_>) -> u64 {
        if self.counts_paths { search.kernel.meter.paths } else { self.runner.effort(search) }
    }

    /// Draws a way and goes it once. None if there is nothing left to do.
    fn step(&mut self, search: &mut Search<'_>) -> Option<usize> {
        let mut declined = [false; Way::ALL.len()];
        loop {
            let way = self.bandit.draw(&mut search.random, |way| !declined[way])?;
            let mut view = View { tree: &self.tree, fitness: &self.fitness, random: &mut search.random };
            let node = match Way::ALL[way] {
                Way::Untaken => self.untaken.next(&mut view, self.goals),
                Way::Sites => self.sites.next(&mut view),
                Way::Fittest => self.fittest.next(&mut view),
                Way::Vary if self.corpus.inputs.is_empty() => None,
                Way::Vary => {
                    self.vary(search);
                    return Some(way);
                }
            };
            match node {
                Some(node) => {
                    self.tree.close(node);
                    self.run_node(search, Some(node));
                    return Some(way);
                }
                None => declined[way] = true,
            }
        }
    }

    /// Follows a node, or the first path of all.
    fn run_node(&mut self, search: &mut Search<'_>, node: Option<NodeId>) {
        let flip = node.map(|node| self.tree.flip(node));
        let looker = Looker::new(false, 0);
        let steps = search.kernel.meter.steps;
        let outcome = self.generation.run(search, flip.as_ref(), &mut |_| {});
        self.take_in(search, node, &outcome, &looker, steps);
    }

    /// Follows an input.
    fn follow(&mut self, search: &mut Search<'_>, input: &Witness) {
        let (looker, steps) = (Looker::new(false, 0), search.kernel.meter.steps);
        let outcome = self.generation.follow(search, input, &mut |_| {});
        self.take_in(search, None, &outcome, &looker, steps);
    }

    /// Takes in the run that was just made: its nodes, how close it came to goals, and its input.
    fn take_in(
        &mut self,
        search: &mut Search<'_>,
        node: Option<NodeId>,
        outcome: &Outcome,
        looker: &Looker,
        steps: u64,
    ) {
        self.runner.charge(self.settings.symbolic_effort(search.kernel.meter.steps - steps));
        if let Outcome::Stopped(_) = outcome {
            return;
        }
        if search.kernel.meter.is_full(self.tree.bytes(), 2) {
            search.kernel.counters.dropped += self.generation.passed().len() as u64;
            return;
        }
        let path = self.tree.grow(self.generation.trail(search), node, self.generation.passed(), looker);
        for node in self.tree.nodes_of(path) {
            self.untaken.add(node, &self.tree);
            self.sites.add(node, &self.tree);
        }
        search.kernel.kept = self.tree.bytes();
        let Outcome::Path(end) = outcome else { return };
        if !end.is_a_run() {
            return;
        }
        let decisions = search.kernel.decisions().to_vec();
        let mut random = search.random.split();
        self.inputs.gather_constants(search.kernel.arena(), &decisions, &self.settings, &mut random);
        self.inputs.gather_tokens(search.kernel.arena(), &decisions, &self.settings, &mut random);
        let input = search.kernel.context().witness().clone();
        let seen = search.kernel.program().observe(&input, search.kernel.limits());
        self.runner.charge(2 * self.settings.replay_effort(seen.costs.instructions));
        self.goals.see_run(&input, &seen);
        let goals = self.goals;
        self.fitness.see(&self.tree, (path, node), &seen, |site, arm| goals.wants(site, arm));
        // The corpus knows arms by the numbers of counting runs only.
        let (replay, _) = search.replay_counting(&input, &mut self.corpus.counts);
        self.runner.charge(self.settings.replay_effort(replay.costs.instructions));
        self.corpus.offer(&input);
    }

    /// Changes an input of the corpus several times, and runs what comes out.
    fn vary(&mut self, search: &mut Search<'_>) {
        let (parent, mate) = (self.corpus.draw(search), self.corpus.draw(search));
        let (values, mate) = (self.inputs.genome.values(&parent), self.inputs.genome.values(&mate));
        let until = self.runner.effort(search) + self.settings.archive_effort;
        for _ in 0..if self.counts_paths { CHANGES.1 } else { CHANGES.0 } {
            if search.stop().is_some() || self.runner.effort(search) >= until {
                break;
            }
            let mut child = values.clone();
            let mode = Mode::ALL[search.random.index(Mode::ALL.len())];
            edit(&self.inputs, mode, &mate, &mut child, &mut search.random);
            if child != values {
                self.try_input(search, &self.inputs.genome.witness(&child));
            }
        }
    }

    /// Runs an input concretely. One that takes an arm for the first time is observed, and followed symbolically.
    fn try_input(&mut self, search: &mut Search<'_>, input: &Witness) {
        if !self.inputs.are_legal(search, input) {
            self.runner.charge(1);
            return;
        }
        let (replay, limits) = search.replay_counting(input, &mut self.corpus.counts);
        self.runner.charge(self.settings.replay_effort(replay.costs.instructions));
        let before = self.corpus.news;
        let counted = !self.corpus.counts.is_empty();
        if replay.end.is_a_run() && counted {
            self.corpus.offer(input);
        }
        let is_new = self.corpus.news > before;
        // Front ends that do not count arms tell nothing but by being observed.
        if is_new || !counted {
            search.count_replay(input, &replay, limits);
        } else {
            search.count_unobserved(input, &replay, limits);
        }
        let affordable = self.settings.symbolic_effort(replay.costs.instructions) <= self.settings.first_effort;
        if is_new && affordable && search.stop().is_none() {
            self.follow(search, input);
        }
    }
}

/// Whether nothing was given up, cut or dropped so far, so that a tree without open nodes means that all paths were seen.
fn is_exact(search: &Search<'_>) -> bool {
    let counters = &search.kernel.counters;
    counters.unknown == 0 && counters.values_cut == 0 && counters.dropped == 0
}

/// Nodes whose arm no run has taken yet, by arm: each arm in turn, those first that were tried least, and goals more often
/// than others.
#[derive(Default)]
struct Untaken {
    /// Tries and nodes.
    arms: BTreeMap<(SiteId, Arm), (u32, Vec<NodeId>)>,
}

/// Nodes of one arm that are kept: on a long path it is passed very often.
const NODES_PER_ARM: usize = 4096;

impl Untaken {
    fn add(&mut self, node: NodeId, tree: &Tree) {
        let at = tree.node(node);
        let (_, nodes) = self.arms.entry((at.site, at.arm)).or_default();
        if nodes.len() < NODES_PER_ARM {
            nodes.push(node);
        }
    }

    fn next(&mut self, view: &mut View<'_>, goals: &Goals) -> Option<NodeId> {
        self.arms.retain(|&(site, arm), (_, nodes)| {
            while nodes.last().is_some_and(|&node| !view.tree.is_open(node)) {
                nodes.pop();
            }
            !nodes.is_empty() && !goals.was_taken(site, arm)
        });
        let wants_goal = view.random.below(4) > 0;
        let open = self.arms.iter().map(|(&(site, arm), (tries, _))| {
            let is_goal = goals.wants(site, arm);
            (is_goal != wants_goal, *tries, (site, arm))
        });
        let (_, _, key) = open.min()?;
        let (tries, nodes) = self.arms.get_mut(&key)?;
        *tries += 1;
        // One that is no longer open may be anywhere but at the end.
        let index = view.random.index(nodes.len());
        let node = nodes.swap_remove(index);
        if view.tree.is_open(node) { Some(node) } else { nodes.pop() }
    }
}

/// Inputs that took some arm more often than any before them, by powers of two.
#[derive(Default)]
struct Corpus {
    inputs: Vec<Witness>,
    /// By arm, in the order of [`crate::program::Program::replay_counting`]: which powers of two of its counts occurred.
    seen: Vec<u64>,
    /// Counts of the last run.
    counts: Vec<u64>,
    /// Arms that were taken for the first time so far, and how many of those were credited.
    news: u64,
    credited: u64,
}

impl Corpus {
    /// Takes in the input whose counts were just made, if they are new.
    fn offer(&mut self, input: &Witness) {
        if self.seen.len() < self.counts.len() {
            self.seen.resize(self.counts.len(), 0);
        }
        let mut is_new = false;
        for (&count, seen) in self.counts.iter().zip(&mut self.seen).filter(|(count, _)| **count > 0) {
            let bit = 1 << count.ilog2();
            if *seen & bit == 0 {
                is_new = true;
                self.news += u64::from(*seen == 0);
                *seen |= bit;
            }
        }
        if is_new {
            self.inputs.push(input.clone());
        }
    }

    /// Arms that are new since the last call.
    fn take_news(&mut self) -> u64 {
        let new = self.news - self.credited;
        self.credited = self.news;
        new
    }

    /// Any input; the latest ones as often as all others together.
    fn draw(&self, search: &mut Search<'_>) -> Witness {
        const LATEST: usize = 16;
        let count = self.inputs.len();
        let from = if search.random.coin() { count.saturating_sub(LATEST) } else { 0 };
        let drawn = self.inputs.get(from + search.random.index((count - from).max(1)));
        drawn.cloned().unwrap_or_default()
    }
}
