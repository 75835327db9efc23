//! Every number that `auto` works with, in one place.

use crate::sample::FRUITLESS_SHARE;

/// Sizes, shares, probabilities and patience of `auto`.
///
/// Effort is measured in decisions: one unit is about what the kernel spends on one decision that follows the witness.
/// It is counted and never timed, so that a search under a budget of paths can be repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoSettings {
    // What comes before the main loop.
    /// Random inputs that are run at the very beginning, after the input of zeros. Default 2.
    pub first_inputs: usize,
    /// Paths that the exhaustive walk at the beginning may visit; 0 turns it off. Default 2000.
    pub walk_paths: u64,
    /// Share of the remaining paths that the walk may visit, from 0 to 1. Default 0.05.
    pub walk_path_share: f64,
    /// Share of the remaining time that the walk may take, from 0 to 1. Default 0.03.
    pub walk_time_share: f64,
    /// Decisions of a path beyond which the walk is given up. Default 100.
    pub walk_depth: usize,
    /// Values that the walk follows at a value decision. Default 64.
    pub walk_values: usize,
    /// Up to this many inputs are few: the walk then ends neither at long paths nor at many values. Default 65,536.
    pub few_inputs: u64,
    /// Share of the remaining paths and time that the walk may take if there are few inputs, from 0 to 1. Default 0.3.
    pub few_inputs_share: f64,
    /// Share of the remaining budget that is spent on finding inputs that crash, where only these count, from 0 to 1.
    /// Default 0.5.
    pub aim_share: f64,
    /// Effort after which no further policy is begun, separately for the given policies and for the extreme ones.
    /// Default 1,000,000.
    pub first_effort: u64,
    /// Share of the remaining time after which none is begun either, if nothing but time is limited. Default 0.05.
    pub first_time_share: f64,
    /// Uses of the concrete operator before the main loop. Default 4.
    pub first_climbs: u32,

    // Training at a smaller size.
    /// The size at which the measurement of path lengths begins; it doubles from there. Default 4.
    pub training_first_size: u32,
    /// Share of the remaining budget that measuring one size may take. Default 0.01.
    pub training_probe_share: f64,
    /// Longest path at the training size, in decisions. Default 2000.
    pub training_decisions: u64,
    /// Expected length of a path at the target size, in decisions, above which paths count as long. Default 20,000.
    pub training_long_path: u64,
    /// Share of the remaining budget for training where paths at the target size are short. Default 0.04.
    pub training_share_short: f64,
    /// The same where they are long. Default 0.3.
    pub training_share_long: f64,
    /// Training ends when this many uses of operators, and as many again as there were up to the last improvement, have
    /// brought nothing better. Default 500.
    pub training_patience: u64,

    // What is kept.
    /// Paths in the population, at least 1. Default 8.
    pub population: usize,
    /// Decisions of all members together: with long paths the population is smaller. Default 2^22.
    pub population_decisions: usize,
    /// Policies that evolve side by side, at least 1. Default 10.
    pub lineages: usize,
    /// Attempts without a new record after which a member or a policy that is not the best one makes room. A member
    /// gets as many more as its path has decisions. Default 400.
    pub stale: u32,
    /// Attempts at one level after which a member that is not the best one accepts a cheaper child. Default 40.
    pub level_patience: u32,
    /// Terms beyond those in use after which unused ones are collected. Default 2^21.
    pub spare_terms: usize,
    /// Uses of operators in a row without a completed path after which the search gives up: a budget of paths alone
    /// would never be spent then. Default 100,000.
    pub fruitless: u32,

    // Operators.
    /// Probability that the operator Policy takes over rules of another policy. Default 0.2.
    pub policy_cross: f64,
    /// Probability that the operator Extract changes rules of what it wrote down. Default 0.5.
    pub extract_mutate: f64,
    /// Longest run of conditions that FlipBlock negates, as a power of two. Default 10.
    pub block_bits: usize,
    /// Greatest distance between two conditions that FlipBlock negates. Default 3.
    pub block_stride: usize,
    /// Probability that Cross assumes the tail before the head, which then gives way where the two conflict. Default
    /// 0.25.
    pub cross_tail_first: f64,
    /// Probability that Tail continues with a policy that is being evolved, rather than with a fresh one. Default 0.7.
    pub tail_known_policy: f64,
    /// Queries to the SAT solver that a policy may make on one path: two to the power of a number drawn from 1 to
    /// this, so that hard arithmetic does not hold up everything else. Default 7.
    pub policy_slow_bits: u64,
    /// Conflicts of the SAT solver per query; a path that needs more is abandoned for another one. Default 2000.
    pub conflicts: u64,
    /// Share of the time that slow queries may take in vain, if nothing but time is limited. Default 0.33.
    pub fruitless_share: f64,
    /// What slow queries may do in vain for each path, in about the effort of a propagation of the SAT solver, if paths
    /// are limited. Default 50,000: some milliseconds.
    pub fruitless_work: u64,

    // The concrete operator.
    /// Concrete runs per use. Default 64.
    pub climb_replays: u32,
    /// Effort of these runs after which no other one is begun. Default 200,000.
    pub climb_effort: u64,
    /// Inputs that are followed symbolically per use if a concrete run does not reveal the cost. Default 16.
    pub climb_follows: u32,
    /// Probability that a change begins with a block of another member's input. Default 0.15.
    pub climb_mix: f64,
    /// Conditions of the parent that are searched for constants per use. Default 8.
    pub climb_conditions: usize,
    /// Constants that are remembered. Default 64.
    pub climb_constants: usize,
    /// Tokens of several values that are remembered. Default 64.
    pub tokens: usize,
    /// Decisions of a path that are searched for tokens at a time. Default 4096.
    pub token_decisions: usize,

    // The operator Mend.
    /// Effort of one use after which no other run is begun; longer runs are not followed. Default 50,000.
    pub mend_effort: u64,
    /// Decisions that are turned, from the last one backwards, until one makes the run costlier. Default 6.
    pub mend_decisions: usize,

    // The archive.
    /// Costliest inputs that the archive keeps, one for each cost. Default 24.
    pub archive_elite: usize,
    /// Gain that these are credited with at first, besides what every source of the archive is. Default 1.5.
    pub elite_prior: f64,
    /// Inputs that the archive keeps of each level, which is a factor of two in cost. Default 8.
    pub archive_level: usize,
    /// Values of all inputs of a level together: it keeps fewer long ones. Default 2^16.
    pub archive_level_values: usize,
    /// Probability that an input takes the place of another one in its level. Default 0.1.
    pub archive_level_turnover: f64,
    /// Latest inputs that took some arm more often than any before, and are changed more often for it. Default 16.
    pub archive_recent: usize,
    /// Values of all inputs in niches together, one niche being an arm and an order of magnitude of its count; 0 for no
    /// niches. Default 2^22.
    pub archive_niche_values: usize,
    /// Random inputs that the archive begins with. Default 16.
    pub archive_first: usize,
    /// Inputs of the archive that are changed per use. Default 4.
    pub archive_parents: u32,
    /// Changes in a row to each of them. Default 16.
    pub archive_children: u32,
    /// Effort of one use after which no other run is begun. Default 20,000.
    pub archive_effort: u64,
    /// Least share of what is limited (time, paths, steps) that goes to the archive while all the latest new bests came
    /// from elsewhere. Default 0.05.
    pub archive_least_share: f64,
    /// The same while all of them came from the archive, as at the beginning. Default 0.8.
    pub archive_most_share: f64,
    /// The same where paths are limited: a concrete run counts as a path, but is worth less than one. Default 0.2.
    pub archive_most_path_share: f64,
    /// Share of what is left that the archive takes before anything symbolic. Default 0.02.
    pub archive_first_share: f64,

    /// Effort of following an input of the archive symbolically that is always allowed. Default 100,000.
    pub adopt_effort: u64,
    /// Share of the effort so far that it may take besides. Default 0.25.
    pub adopt_share: f64,

    // The ladder of sizes.
    /// The size at which it begins; it doubles from there. Default 8.
    pub ladder_first_size: u32,
    /// Share of the remaining budget that one size may take. Default 0.03.
    pub ladder_share: f64,
    /// Uses of the archive without anything costlier after which a size is left, besides as many as there were up to
    /// the last improvement. Default 50.
    pub ladder_patience: u64,
    /// Inputs that are carried from one size to the next. Default 4.
    pub ladder_inputs: usize,
    /// Inputs that took some arm most often, those with the highest counts, that are handed on besides. Default 8.
    pub ladder_records: usize,

    // The bandit and the prices of effort.
    /// Share of the draws that ignores what paid off and gives each operator about the same effort. Default 0.2.
    pub bandit_floor: f64,
    /// What remains of an operator's old scores after each of its uses. Default 0.99.
    pub bandit_fade: f64,
    /// Gain that each operator is credited with at first, so that none is written off untried. Default 0.5.
    pub bandit_prior: f64,
    /// Share of the average effort that is added to each operator's own, so that an operator that was hardly used is
    /// not mistaken for an effortless one. Default 0.1.
    pub bandit_blend: f64,
    /// Gain of a new best path. Default 1.
    pub gain_best: f64,
    /// Gain of a path that costs more than its parent. Default 0.1.
    pub gain_better: f64,
    /// Effort of a query. Default 8.
    pub effort_query: u64,
    /// Effort of a query that reaches the SAT solver, besides what it works. Default 500.
    pub effort_slow_query: u64,
    /// Propagations of the SAT solver, or as much work of another slow layer, that are one unit of effort. Default 1.
    pub slow_work: u64,
    /// Effort of beginning a run. Default 64.
    pub effort_run: u64,
    /// Effort of beginning a concrete run. Default 16.
    pub effort_replay: u64,
    /// Instructions of a concrete run that are one unit of effort. Default 64.
    pub concrete_instructions: u64,
    /// Instructions of a symbolic run that are one unit of effort. Default 8.
    pub symbolic_instructions: u64,

    // Restarts, workers, lessons.
    /// Least effort without a better path after which an epoch ends. Default 200,000.
    pub epoch_effort: u64,
    /// Effort added to that per decision of the epoch's best path. Default 1000.
    pub epoch_effort_per_decision: u64,
    /// Share of the effort up to the epoch's last improvement that is added as well. Default 0.5.
    pub epoch_share: f64,
    /// Every epoch whose number is a multiple of this begins with the best inputs of the earlier ones. Default 4.
    pub epoch_gather: u32,
    /// Best inputs of earlier epochs that are kept. Default 8.
    pub epoch_kept: usize,
    /// Uses of operators between two exchanges of inputs with other workers. Default 32.
    pub exchange_every: u32,
    /// Policies handed to a search at another size. Default 24.
    pub lessons_policies: usize,
}

impl Default for AutoSettings {
    fn default() -> AutoSettings {
        AutoSettings::DEFAULT
    }
}

impl AutoSettings {
    /// The numbers that `auto` works with unless it is told otherwise.
    pub const DEFAULT: AutoSettings = AutoSettings {
        first_inputs: 2,
        walk_paths: 2000,
        walk_path_share: 0.05,
        walk_time_share: 0.03,
        walk_depth: 100,
        walk_values: 64,
        few_inputs: 1 << 16,
        few_inputs_share: 0.3,
        aim_share: 0.5,
        first_effort: 1_000_000,
        first_time_share: 0.05,
        first_climbs: 4,
        training_first_size: 4,
        training_probe_share: 0.01,
        training_decisions: 2000,
        training_long_path: 20_000,
        training_share_short: 0.04,
        training_share_long: 0.3,
        training_patience: 500,
        population: 8,
        population_decisions: 1 << 22,
        lineages: 10,
        stale: 400,
        level_patience: 40,
        spare_terms: 1 << 21,
        fruitless: 100_000,
        policy_cross: 0.2,
        extract_mutate: 0.5,
        block_bits: 10,
        block_stride: 3,
        cross_tail_first: 0.25,
        tail_known_policy: 0.7,
        policy_slow_bits: 7,
        conflicts: 2000,
        fruitless_share: FRUITLESS_SHARE,
        fruitless_work: 50_000,
        climb_replays: 64,
        climb_effort: 200_000,
        climb_follows: 16,
        climb_mix: 0.15,
        climb_conditions: 8,
        climb_constants: 64,
        tokens: 64,
        token_decisions: 4096,
        mend_effort: 50_000,
        mend_decisions: 6,
        archive_elite: 24,
        elite_prior: 1.5,
        archive_level: 8,
        archive_level_values: 1 << 16,
        archive_level_turnover: 0.1,
        archive_recent: 16,
        archive_niche_values: 1 << 22,
        archive_first: 16,
        archive_parents: 4,
        archive_children: 16,
        archive_effort: 20_000,
        archive_least_share: 0.05,
        archive_most_share: 0.8,
        archive_most_path_share: 0.2,
        archive_first_share: 0.02,
        adopt_effort: 100_000,
        adopt_share: 0.25,
        ladder_first_size: 8,
        ladder_share: 0.03,
        ladder_patience: 50,
        ladder_inputs: 4,
        ladder_records: 8,
        bandit_floor: 0.2,
        bandit_fade: 0.99,
        bandit_prior: 0.5,
        bandit_blend: 0.1,
        gain_best: 1.0,
        gain_better: 0.1,
        effort_query: 8,
        effort_slow_query: 500,
        slow_work: 1,
        effort_run: 64,
        effort_replay: 16,
        concrete_instructions: 64,
        symbolic_instructions: 8,
        epoch_effort: 200_000,
        epoch_effort_per_decision: 1000,
        epoch_share: 0.5,
        epoch_gather: 4,
        epoch_kept: 8,
        exchange_every: 32,
        lessons_policies: 24,
    };

    /// Effort of this many instructions of a symbolic run.
    pub(super) fn symbolic_effort(&self, instructions: u64) -> u64 {
        instructions / self.symbolic_instructions.max(1)
    }

    /// Effort of a concrete run of this many instructions.
    pub(super) fn replay_effort(&self, instructions: u64) -> u64 {
        self.effort_replay + instructions / self.concrete_instructions.max(1)
    }
}
