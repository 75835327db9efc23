//! What `auto` does when it is after goals: a generational search whose next node is chosen in several ways, and cheap
//! concrete runs of changed inputs in between; whatever covers more for its effort is done more.
//!
//! A short walk over every path comes first and settles the smallest programs for certain; a longer one follows when the
//! search has come to a stand. The ways take turns by a bandit: arms that no run has taken yet (each of the nodes that
//! lead there, in turn), every site in turn (Pex's fair choice), the node that promises to come closest to an open goal
//! (Fitnex), and changes of inputs that took some arm more often than any before, by powers of two, as AFL counts. An
//! input of those that takes a new arm is followed symbolically. What the solver gives up on is asked again with most of
//! the input fixed ([`narrow`]).
//!
//! A search for the costliest input that crashes begins in the same way ([`crashes`]): its goals are the arms on the way to
//! places that trap, and a fifth way changes the inputs that came closest to one of those ([`aim`]).

mod aim;
mod corpus;
mod crashes;
mod lengths;
mod narrow;
mod untaken;

use super::bandit::Bandit;
use super::edits::{Mode, edit};
use super::inputs::Inputs;
use super::islands::spread;
use super::runner::Runner;
use super::settings::AutoSettings;
use super::{Auto, walk};
use crate::decider::Choice;
use crate::frontier::Flip;
use crate::generation::Generation;
use crate::kernel::{Outcome, Point, Start};
use crate::objective::Goals;
use crate::observation::Observation;
use crate::path::Path;
use crate::program::Counted;
use crate::search::{Finished, Search};
use crate::strategy::pex::{Expression, Fitness, Frontier, Looker, NodeId, PathId, Tree, View, frontier};
use crate::watch::Phase;
pub use crashes::crashes;

use aim::Aim;
use corpus::Corpus;
use lengths::Lengths;
use pessimum_term::{BinaryOp, TermId, Witness};
use untaken::Untaken;

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
    /// Changes of the input that came closest to an arm on the way to a trap.
    Nearest,
}

impl Way {
    const ALL: [Way; 4] = [Way::Untaken, Way::Sites, Way::Fittest, Way::Vary];

    /// Those of a search for traps.
    const TO_TRAPS: [Way; 5] = [Way::Untaken, Way::Sites, Way::Fittest, Way::Vary, Way::Nearest];

    fn name(self) -> &'static str {
        match self {
            Way::Untaken => "untaken",
            Way::Sites => "sites",
            Way::Fittest => "fittest",
            Way::Vary => "vary",
            Way::Nearest => "nearest",
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

/// Those of the walk that comes first: whoever has few paths to spend would rather spend them on goals.
const FIRST_WALK: AutoSettings = AutoSettings { walk_paths: 500, walk_path_share: 0.01, walk_time_share: 0.02, ..WALK };

/// Uses of ways without a new goal after which the search has come to a stand, besides as many as there were up to the
/// last one.
const STAND: u64 = 200;

/// Values of an address or length that become nodes.
const VALUES: usize = 16;

/// Changed inputs per use, and where paths are limited: a concrete run counts as a path, but is worth less than one.
const CHANGES: (u32, u32) = (64, 2);

/// Of so many changed inputs, one keeps changes beyond what is in use.
const UNUSED: u64 = 8;

/// Gain of an arm that no run had taken, beside 1 for each goal.
const NEW_ARM: f64 = 0.1;

/// Gain of a path that came closer to something than any before it.
const CLOSER: f64 = 0.1;

/// Searches for inputs that reach the goals.
pub fn search(auto: &Auto, search: &mut Search<'_>, goals: &Goals) -> Finished {
    // Concrete runs need no solver, so there is a result whatever takes too long later.
    for input in auto.first_inputs(search) {
        if search.stop().is_none() && search.is_permitted(&input) {
            let (replay, limits) = search.replay(&input);
            search.count_replay(&input, &replay, limits);
        }
    }
    if every_path(search, &FIRST_WALK) == Finished::Everything {
        return Finished::Everything;
    }
    let mut cover = Cover::new(&auto.settings, search, goals, None);
    match cover.work(search, Patience::Limited) {
        Worked::Everything => return Finished::Everything,
        Worked::Stood if every_path(search, &WALK) == Finished::Everything => return Finished::Everything,
        Worked::Stood | Worked::Ended => {}
    }
    let others = |search: &mut Search<'_>, _| {
        Cover::new(&auto.settings, search, goals, None).work(search, Patience::Unlimited);
    };
    match spread(search, auto.threads.max(1), others, |search| cover.work(search, Patience::Unlimited)) {
        Worked::Everything => Finished::Everything,
        Worked::Stood | Worked::Ended => Finished::Partly,
    }
}

/// Walks over every path within these limits, with the solver's own settings. If it sees all of them, whatever was given up
/// or cut before does not matter any more.
fn every_path(search: &mut Search<'_>, settings: &AutoSettings) -> Finished {
    search.settings().watch.phase(Phase::EveryPath);
    let conflicts = search.settings().solver.conflicts;
    search.kernel.set_conflicts(conflicts);
    let before = std::mem::take(&mut search.kernel.counters);
    let finished = walk::every_path(search, settings);
    match finished {
        Finished::Everything => search.count_apart(&before),
        Finished::Partly => search.kernel.counters.add(&before),
    }
    search.settings().watch.phase(Phase::Searching);
    finished
}

/// Whether a search ends when it has come to a stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Limited,
    Unlimited,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worked {
    /// Every path was seen.
    Everything,
    /// It has come to a stand.
    Stood,
    /// The budget is spent, or there is nothing left to do.
    Ended,
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
    lengths: Lengths,
    /// What else it aims at, in a search for traps.
    aim: Option<Aim>,
    /// The path that was taken in last and what was observed of it, in a search for traps.
    last: Option<(PathId, Observation)>,
    ways: &'static [Way],
    bandit: Bandit,
    runner: Runner,
    /// Whether paths are limited.
    counts_paths: bool,
    /// Uses of ways, and how many there were up to the last new goal.
    uses: u64,
    uses_to_gain: u64,
}

impl<'g> Cover<'g> {
    fn new(settings: &AutoSettings, search: &mut Search<'_>, goals: &'g Goals, aim: Option<Aim>) -> Cover<'g> {
        let made = |text: &str| Expression::parse(text).map(|expression| frontier(&expression));
        let mut inputs = Inputs::new(search);
        inputs.gather_texts(search.kernel.program().texts());
        let can_vary = !inputs.variables.is_empty();
        let ways: &[Way] = if aim.is_some() { &Way::TO_TRAPS } else { &Way::ALL };
        let open = |way: &Way| can_vary || !matches!(way, Way::Vary | Way::Nearest);
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
            lengths: Lengths::of(&inputs.genome),
            inputs,
            aim,
            last: None,
            ways,
            bandit: Bandit::new(settings, ways.iter().map(open)),
            runner: Runner::new(settings),
            counts_paths: search.settings().budget.paths.is_some(),
            uses: 0,
            uses_to_gain: 0,
        }
    }

    /// Goes on until the budget is spent, or every node was followed and nothing can be varied, or until it comes to a
    /// stand. May be called again then.
    fn work(&mut self, search: &mut Search<'_>, patience: Patience) -> Worked {
        search.kernel.set_conflicts(self.settings.conflicts);
        // Without an account of them, 353 slow questions took 191 of 240 s of a search by paths behind `strtod`.
        if search.settings().budget.is_time_alone() {
            search.kernel.set_fruitless_share(self.settings.fruitless_share);
        } else if self.counts_paths {
            search.kernel.set_fruitless_work(self.settings.fruitless_work);
        }
        let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
        search.kernel.kept = self.tree.bytes();
        let worked = self.work_without_terms(search, patience);
        search.kernel.kept = 0;
        search.kernel.keep_terms = keep_terms;
        worked
    }

    fn work_without_terms(&mut self, search: &mut Search<'_>, patience: Patience) -> Worked {
        if self.uses == 0 {
            for input in search.settings().starts.clone() {
                self.try_input(search, &input);
            }
            // The first path of all: it goes wherever the solver's first witness goes.
            self.run_node(search, None);
        }
        while search.stop().is_none() {
            let is_complete = self.tree.open() == 0 && search.kernel.counters.are_exact();
            if is_complete {
                return Worked::Everything;
            }
            if patience == Patience::Limited && self.uses > 2 * self.uses_to_gain + STAND {
                return Worked::Stood;
            }
            let before = (self.goals.open(), self.spent(search));
            let closer = self.came_closer();
            let Some(way) = self.step(search) else { break };
            let reached = before.0 - self.goals.open().min(before.0);
            let closer = self.came_closer() - closer;
            let gain = reached as f64 + NEW_ARM * self.corpus.take_news() as f64 + CLOSER * closer.min(1) as f64;
            self.bandit.credit(way, gain, self.spent(search) - before.1 + 1);
            search.settings().watch.used(self.ways[way].name(), reached > 0);
            self.uses += 1;
            if reached > 0 {
                self.uses_to_gain = self.uses;
            }
        }
        Worked::Ended
    }

    /// How often a run came closer to something than any before it.
    fn came_closer(&self) -> u64 {
        self.fitness.improvements() + self.aim.as_ref().map_or(0, |aim| aim.improvements)
    }

    /// What has been spent: paths where these are limited, because many cheap ones are not cheap then.
    fn spent(&self, search: &Search<'_>) -> u64 {
        if self.counts_paths { search.kernel.meter.paths } else { self.runner.effort(search) }
    }

    /// Draws a way and goes it once. None if there is nothing left to do.
    fn step(&mut self, search: &mut Search<'_>) -> Option<usize> {
        let mut declined = [false; Way::TO_TRAPS.len()];
        // Getting closer step by step pays only in the end, which no bandit foresees: every other time is for that.
        let mut due = self.ways.iter().position(|way| *way == Way::Nearest).filter(|_| search.random.coin());
        loop {
            let way = due.take().or_else(|| self.bandit.draw(&mut search.random, |way| !declined[way]))?;
            let mut view = View { tree: &self.tree, fitness: &self.fitness, random: &mut search.random };
            let aim = self.aim.as_ref();
            let branches = |arm| aim.and_then(|aim| aim.branches(arm)).unwrap_or(0);
            let node = match self.ways[way] {
                Way::Untaken => self.untaken.next(&mut view, self.goals, branches),
                Way::Sites => self.sites.next(&mut view),
                Way::Fittest => self.fittest.next(&mut view),
                Way::Vary if self.corpus.inputs.is_empty() => None,
                Way::Vary => {
                    self.vary(search);
                    return Some(way);
                }
                Way::Nearest => match self.aim.as_mut().and_then(Aim::draw) {
                    Some((target, input, distance)) => {
                        match search.random.coin() {
                            true => self.approach(search, target, &input, distance),
                            false => self.turn(search, target, &input),
                        }
                        return Some(way);
                    }
                    None => None,
                },
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

    /// Follows a node, or the first path of all. Where the solver gives up, most of the input is fixed; where it gave up
    /// on this arm before, that comes first.
    fn run_node(&mut self, search: &mut Search<'_>, node: Option<NodeId>) {
        let flip = node.map(|node| self.tree.flip(node));
        let is_hard = |flip: &Flip| search.kernel.given_up().contains(&(flip.site, flip.arm));
        let was_hard = flip.as_ref().is_some_and(is_hard);
        if was_hard && self.run_narrowed(search, node, flip.as_ref()) {
            return;
        }
        let (looker, steps) = (Looker::new(false, 0), search.kernel.meter.steps);
        let outcome = self.generation.run(search, flip.as_ref(), &mut |_| {});
        self.take_in(search, node, &outcome, &looker, steps);
        if !was_hard && matches!(outcome, Outcome::GivenUp(_)) {
            self.run_narrowed(search, node, flip.as_ref());
        }
    }

    /// Follows a node with most of the input as it is. Returns whether that gave a path.
    fn run_narrowed(&mut self, search: &mut Search<'_>, node: Option<NodeId>, flip: Option<&Flip>) -> bool {
        let Some(flip) = flip else { return false };
        let steps = search.kernel.meter.steps;
        let conditions = self.narrowing(search, flip);
        if conditions.is_empty() || search.stop().is_some() {
            self.runner.charge(self.settings.symbolic_effort(search.kernel.meter.steps - steps));
            return false;
        }
        let looker = Looker::new(false, 0);
        let outcome = self.generation.run_within(search, Some(flip), &conditions, &mut |_| {});
        self.take_in(search, node, &outcome, &looker, steps);
        matches!(outcome, Outcome::Path(_))
    }

    /// Conditions that keep as it is what need not change to follow a flip. Their terms are valid until the next run that
    /// has no precondition.
    fn narrowing(&mut self, search: &mut Search<'_>, flip: &Flip) -> Vec<TermId> {
        let mut wanted = None;
        let mut decider = |point: &mut Point<'_, '_>| {
            if point.depth() < flip.depth {
                return Choice::Follow;
            }
            let (kind, scrutinee) = (point.kind(), point.scrutinee());
            wanted = Some(kind.condition(point.kernel().arena(), scrutinee, flip.arm));
            Choice::Abandon
        };
        let start = Start { witness: Some(&flip.trail.witness), ..Start::default() };
        search.run(&start, &mut decider, &mut Path::default());
        let Some(wanted) = wanted else { return Vec::new() };
        let decisions = search.kernel.decisions().to_vec();
        let arena = search.kernel.arena();
        let fixed = narrow::fixed(arena, &decisions, wanted);
        let variables = self.inputs.variables.iter().filter(|variable| fixed.contains(&variable.id));
        let equation = |variable: &crate::program::Variable| {
            let (term, value) = (arena.variable(variable.id, variable.width), flip.trail.witness.get(variable.id));
            let value = arena.constant(variable.width, value);
            arena.binary(BinaryOp::Eq, term, value)
        };
        variables.map(equation).collect()
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
        let seen = search.observe_into(self.goals, &input, search.kernel.limits());
        self.runner.charge(2 * self.settings.replay_effort(seen.costs.steps()));
        let goals = self.goals;
        self.fitness.see(&self.tree, (path, node), &seen, |site, arm| goals.wants(site, arm));
        // The corpus knows arms by the numbers of counting runs only.
        let (replay, _) = search.replay_counting(&input, Counted::Arms, &mut self.corpus.counts);
        self.runner.charge(self.settings.replay_effort(replay.costs.steps()));
        self.corpus.offer(&input);
        if let Some(aim) = &mut self.aim {
            aim.see(&input, &seen);
            self.last = Some((path, seen));
        }
    }

    /// Changes an input of the corpus several times, and runs what comes out.
    fn vary(&mut self, search: &mut Search<'_>) {
        let (parent, mate) = (self.corpus.draw(search), self.corpus.draw(search));
        let (mut values, mate) = (self.inputs.genome.values(&parent), self.inputs.genome.values(&mate));
        self.lengths.clear_unused(&self.inputs, &mut values);
        let until = self.runner.effort(search) + self.settings.archive_effort;
        for _ in 0..if self.counts_paths { CHANGES.1 } else { CHANGES.0 } {
            if search.stop().is_some() || self.runner.effort(search) >= until {
                break;
            }
            let child = self.changed(search, &values, &mate);
            if child != values {
                let input = self.inputs.witness(search, &child);
                self.try_input(search, &input);
            }
        }
    }

    /// These values after some changes; `mate` are those of another input.
    fn changed(&self, search: &mut Search<'_>, values: &[u64], mate: &[u64]) -> Vec<u64> {
        let mut child = values.to_vec();
        let changes_lengths = !self.lengths.is_empty() && search.random.coin();
        if changes_lengths {
            self.lengths.change(&self.inputs, mate, &mut child, &mut search.random);
        }
        if !changes_lengths || search.random.coin() {
            let mode = Mode::ALL[search.random.index(Mode::ALL.len())];
            edit(&self.inputs, mode, mate, &mut child, &mut search.random);
        }
        // Now and then what seems to be unused is changed as well: it may not be.
        if search.random.below(UNUSED) > 0 {
            self.lengths.clear_unused(&self.inputs, &mut child);
        }
        child
    }

    /// Runs an input concretely. One that takes an arm for the first time is observed, and followed symbolically.
    fn try_input(&mut self, search: &mut Search<'_>, input: &Witness) {
        if !self.inputs.are_legal(search, input) {
            self.runner.charge(1);
            return;
        }
        let (replay, limits) = search.replay_counting(input, Counted::Arms, &mut self.corpus.counts);
        self.runner.charge(self.settings.replay_effort(replay.costs.steps()));
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
        let affordable = self.settings.symbolic_effort(replay.costs.steps()) <= self.settings.first_effort;
        if is_new && affordable && search.stop().is_none() {
            self.follow(search, input);
        }
    }
}
