//! Hand-made paths and views for the tests of the parts.

use super::history::{History, Schema};
use super::lineages::Lineages;
use super::operators::View;
use super::policy::{Policy, Style};
use super::population::{Member, Population};
use super::settings::AutoSettings;
use crate::path::{Decision, Path};
use crate::program::{Arm, Kind, SiteId};
use pessimum_term::{Arena, TermId, VariableId};

/// A decision at a branch, with site 0 and frame 0.
pub fn decision(condition: TermId, arm: u64) -> Decision {
    Decision { site: SiteId(0), condition, arm: Arm(arm), kind: Kind::Branch, frame: 0, implied: None }
}

/// A path of one site with these arms, with conditions that say nothing.
pub fn path(arms: &[u64]) -> Path {
    let nothing = Arena::new().constant(1, 1);
    Path { decisions: arms.iter().map(|&arm| decision(nothing, arm)).collect(), ..Path::default() }
}

/// What an engine knows, without an engine.
pub struct Scene {
    pub arena: Arena,
    pub population: Population,
    pub lineages: Lineages,
    pub settings: AutoSettings,
}

impl Scene {
    /// One member per list of arms, all of equal cost; each decision has its own condition.
    pub fn new(paths: &[&[u64]]) -> Scene {
        let mut arena = Arena::new();
        let mut population = Population::new(paths.len());
        let mut variables = 0;
        for arms in paths {
            let mut path = Path::default();
            for &arm in *arms {
                path.decisions.push(decision(arena.variable(VariableId(variables), 1), arm));
                variables += 1;
            }
            population.members.push(Member::of(&path, 10));
        }
        Scene { arena, population, lineages: Lineages::new(10), settings: AutoSettings::default() }
    }

    /// Adds the policy that a member's path followed.
    pub fn add_lineage(&mut self, member: usize) {
        let decisions = &self.population.members[member].decisions;
        let policy =
            Policy::of_path(Schema::SameSite(1), Style::Corners, decisions, &self.arena, &mut History::default());
        self.lineages.offer(policy, 10);
    }

    /// As operators see it.
    pub fn view(&self) -> View<'_> {
        View { population: &self.population, lineages: &self.lineages, settings: &self.settings, can_count: true }
    }
}
