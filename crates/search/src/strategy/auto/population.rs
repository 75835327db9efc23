//! A small population of paths, each the latest of a lineage.

use super::policy::Policy;
use crate::path::{Decision, Path};
use crate::random::Random;
use pessimum_term::Witness;

/// One member: a path with what an operator needs of it.
#[derive(Clone, Debug)]
pub struct Member {
    /// In the order of execution; the conditions live in the kernel's arena.
    pub decisions: Vec<Decision>,
    /// An input that takes it.
    pub witness: Witness,
    /// What is maximised.
    pub cost: u64,
    /// Of sites and arms: equal paths have equal ones.
    pub signature: u64,
    /// Attempts since it last became dearer than ever.
    pub stale: u32,
    /// The dearest cost that it had.
    pub record: u64,
    /// What a child must cost at least to replace it.
    pub level: u64,
    /// Attempts since the level was set.
    pub at_level: u32,
    /// The greatest cost of a child below the level since then; 0 if there was none.
    pub runner_up: u64,
}

impl Member {
    /// Copies a path.
    pub fn of(path: &Path, cost: u64) -> Member {
        let mut member = Member {
            decisions: Vec::new(),
            witness: Witness::default(),
            cost,
            signature: 0,
            stale: 0,
            record: 0,
            level: 0,
            at_level: 0,
            runner_up: 0,
        };
        member.become_path(path, cost);
        member.reset();
        member
    }

    /// Copies a path, reusing the memory.
    pub fn become_path(&mut self, path: &Path, cost: u64) {
        self.decisions.clone_from(&path.decisions);
        self.witness.clone_from(&path.witness);
        self.cost = cost;
        self.signature = signature(&path.decisions);
    }

    /// Accepts children like the dearest of those that were too cheap.
    pub fn lower_level(&mut self) {
        self.level = std::mem::take(&mut self.runner_up);
        self.at_level = 0;
    }

    /// Begins a lineage with what it is now.
    pub fn reset(&mut self) {
        self.stale = 0;
        self.record = self.cost;
        self.level = self.cost;
        self.at_level = 0;
        self.runner_up = 0;
    }
}

/// Of sites and arms (FNV-1a over words).
pub fn signature(decisions: &[Decision]) -> u64 {
    decisions.iter().fold(0xcbf2_9ce4_8422_2325, |hash, decision| {
        let hash = (hash ^ u64::from(decision.site.0)).wrapping_mul(0x0000_0100_0000_01b3);
        (hash ^ decision.arm.0).wrapping_mul(0x0000_0100_0000_01b3) ^ hash >> 29
    })
}

/// A lineage of policies: what the last accepted one is and what its path cost.
#[derive(Clone, Debug)]
pub struct Lineage {
    /// The policy.
    pub policy: Policy,
    /// The cost of the path it made.
    pub cost: u64,
    /// Attempts since it last became better.
    pub stale: u32,
}

/// Members, in no order.
#[derive(Default)]
pub struct Population {
    /// The members.
    pub members: Vec<Member>,
    /// At most so many.
    pub capacity: usize,
}

impl Population {
    /// The index of the dearest member, the earliest among equals.
    pub fn best(&self) -> Option<usize> {
        let cost = self.members.iter().map(|member| member.cost).max()?;
        self.members.iter().position(|member| member.cost == cost)
    }

    /// The index of the cheapest member, the latest among equals.
    pub fn worst(&self) -> Option<usize> {
        let cost = self.members.iter().map(|member| member.cost).min()?;
        self.members.iter().rposition(|member| member.cost == cost)
    }

    /// Whether a member takes the same path.
    pub fn knows(&self, signature: u64) -> bool {
        self.members.iter().any(|member| member.signature == signature)
    }

    /// Draws a member: the better of two, or any one.
    pub fn draw(&self, random: &mut Random) -> Option<usize> {
        if self.members.is_empty() {
            return None;
        }
        let one = random.index(self.members.len());
        let other = random.index(self.members.len());
        Some(if self.members[other].cost > self.members[one].cost { other } else { one })
    }

    /// Offers a path that has no parent here. Returns whether it was taken in: there is room, or it is dearer than the
    /// cheapest member, which it replaces.
    pub fn offer(&mut self, path: &Path, cost: u64) -> bool {
        if self.knows(signature(&path.decisions)) {
            return false;
        }
        if self.members.len() < self.capacity {
            self.members.push(Member::of(path, cost));
            return true;
        }
        match self.worst() {
            Some(worst) if self.members[worst].cost <= cost => {
                self.members[worst].become_path(path, cost);
                self.members[worst].reset();
                true
            }
            _ => false,
        }
    }
}
