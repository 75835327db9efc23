//! What a path remembers of its own decisions, reduced to the keys that policies are written over.

use crate::path::Decision;
use crate::program::{Arm, Kind, SiteId};
use pessimum_term::{Arena, Node, TermId, UnaryOp, Variables};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Which part of the history belongs to a policy's key, besides the site. SPF-WCA (Luckow, Kersten, Pasareanu, ICST
/// 2017) uses the last decisions of the path; the others are ours. None depends on the size of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schema {
    /// Nothing: a branch policy as in WISE.
    Site,
    /// This many of the last arms taken at the same site.
    SameSite(u32),
    /// This many of the last decisions of the path (site and arm).
    Path(u32),
    /// The last arm taken at the same site in the same call.
    Frame,
    /// The last decision of the path, and the last arm at the same site.
    PathAndSite,
    /// Which of the two compared operands were part of earlier decisions, and of the last one.
    Data,
    /// As `Data`, and the last decision of the path.
    DataAndPath,
}

impl Schema {
    /// All that are tried, the most promising ones first.
    pub const ALL: [Schema; 10] = [
        Schema::Site,
        Schema::Path(1),
        Schema::SameSite(1),
        Schema::Data,
        Schema::Path(2),
        Schema::SameSite(2),
        Schema::Frame,
        Schema::DataAndPath,
        Schema::PathAndSite,
        Schema::SameSite(3),
    ];

    fn needs_data(self) -> bool {
        matches!(self, Schema::Data | Schema::DataAndPath)
    }
}

/// The key of a site with what is known of the path there.
fn key_of(site: SiteId, history: u64) -> u64 {
    mix(u64::from(site.0) + 1, history)
}

/// The key of a site without any history: that of [`Schema::Site`].
pub fn site_key(site: SiteId) -> u64 {
    key_of(site, 0)
}

/// What is known about one site on the current path.
#[derive(Clone, Debug, Default)]
pub struct SiteHistory {
    /// The last arms, the latest in the lowest bits; 0 if there was none.
    arms: u64,
    frame: Option<u32>,
    /// The last arm.
    pub last: Option<Arm>,
    /// The values taken and how often, for decisions with many arms.
    pub values: Vec<(Arm, u32)>,
}

impl SiteHistory {
    /// The value taken most often; the earliest among equals.
    pub fn most_frequent(&self) -> Option<Arm> {
        let most = self.values.iter().map(|(_, count)| *count).max()?;
        self.values.iter().find(|(_, count)| *count == most).map(|(arm, _)| *arm)
    }
}

/// Distinct values remembered per site.
const VALUES: usize = 64;

/// The history of one path. Site numbers stay between paths.
#[derive(Default)]
pub struct History {
    numbers: FxHashMap<SiteId, u32>,
    sites: Vec<SiteHistory>,
    /// The last decisions, the latest first.
    recent: [u64; 2],
    variables: Variables,
    /// By variable: the number of the last decision that it was part of.
    met: Vec<u32>,
    count: u32,
}

/// A mix of two words (multiply and fold, as Fx and wyhash do).
fn mix(x: u64, y: u64) -> u64 {
    let product = u128::from(x ^ 0x9e37_79b9_7f4a_7c15) * u128::from(y ^ 0xd6e8_feb8_6659_fd93);
    (product >> 64) as u64 ^ product as u64
}

fn code(kind: Kind, arm: Arm) -> u64 {
    match kind {
        Kind::Branch | Kind::Check => arm.0,
        // Values depend on the size, whereas the arms of tables mean the same at every size.
        Kind::Table { .. } => arm.0,
        Kind::Value => 0,
    }
}

impl History {
    /// Forgets the path.
    pub fn clear(&mut self) {
        for site in &mut self.sites {
            site.arms = 0;
            site.frame = None;
            site.last = None;
            site.values.clear();
        }
        self.recent = [0; 2];
        self.met.clear();
        self.count = 0;
    }

    fn number(&mut self, site: SiteId) -> usize {
        let next = self.sites.len() as u32;
        let number = *self.numbers.entry(site).or_insert(next);
        if number == next {
            self.sites.push(SiteHistory::default());
        }
        number as usize
    }

    /// What is known about a site.
    pub fn site(&mut self, site: SiteId) -> &SiteHistory {
        let number = self.number(site);
        &self.sites[number]
    }

    /// The key of a decision that is about to be taken.
    pub fn key(&mut self, schema: Schema, arena: &Arena, site: SiteId, frame: u32, term: TermId) -> u64 {
        let number = self.number(site);
        let here = &self.sites[number];
        let last = |count: u32| here.arms & ((1 << (8 * count)) - 1);
        let history = match schema {
            Schema::Site => 0,
            Schema::SameSite(count) => last(count),
            Schema::Path(1) => self.recent[0],
            Schema::Path(_) => mix(self.recent[0], self.recent[1]),
            Schema::Frame if here.frame == Some(frame) => last(1),
            Schema::Frame => 0,
            Schema::PathAndSite => mix(self.recent[0], last(1)),
            Schema::Data => self.data(arena, term),
            Schema::DataAndPath => mix(self.data(arena, term), self.recent[0]),
        };
        key_of(site, history)
    }

    /// Two bits per operand: whether one of its variables was met before, and in the last decision.
    fn data(&mut self, arena: &Arena, term: TermId) -> u64 {
        let (first, second) = operands(arena, term);
        let mut bits = 0;
        for operand in [Some(first), second].into_iter().flatten() {
            let mut latest = 0;
            for variable in self.variables.of(arena, operand) {
                latest = latest.max(self.met.get(variable.0 as usize).copied().unwrap_or(0));
            }
            bits = bits << 2 | u64::from(latest > 0) << 1 | u64::from(latest > 0 && latest == self.count);
        }
        bits
    }

    /// Adds a decision taken.
    pub fn push(&mut self, schema: Schema, arena: &Arena, decision: &Decision) {
        let code = code(decision.kind, decision.arm);
        let number = self.number(decision.site);
        let here = &mut self.sites[number];
        here.arms = here.arms << 8 | (code.min(253) + 1);
        here.frame = Some(decision.frame);
        here.last = Some(decision.arm);
        if !matches!(decision.kind, Kind::Branch | Kind::Check) {
            if let Some((_, count)) = here.values.iter_mut().find(|(arm, _)| *arm == decision.arm) {
                *count += 1;
            } else if here.values.len() < VALUES {
                here.values.push((decision.arm, 1));
            }
        }
        self.recent = [mix(u64::from(decision.site.0) + 1, code), self.recent[0]];
        self.count += 1;
        if schema.needs_data() {
            for &variable in self.variables.of(arena, decision.condition) {
                let index = variable.0 as usize;
                if self.met.len() <= index {
                    self.met.resize(index + 1, 0);
                }
                self.met[index] = self.count;
            }
        }
    }
}

/// The operands of a comparison, with negations stripped; otherwise the term itself.
fn operands(arena: &Arena, mut term: TermId) -> (TermId, Option<TermId>) {
    while let Node::Unary(UnaryOp::Not, inner) = arena.node(term) {
        term = inner;
    }
    match arena.node(term) {
        Node::Binary(_, x, y) => (x, Some(y)),
        _ => (term, None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision;
    use super::*;
    use pessimum_term::{BinaryOp, VariableId};

    fn at(site: u32, arm: u64, frame: u32) -> Decision {
        Decision { site: SiteId(site), frame, ..decision(Arena::new().constant(1, 1), arm) }
    }

    /// The key of the next decision at site 0 in frame 1, after these decisions.
    fn key(schema: Schema, before: &[Decision]) -> u64 {
        let arena = Arena::new();
        let mut history = History::default();
        before.iter().for_each(|decision| history.push(schema, &arena, decision));
        history.key(schema, &arena, SiteId(0), 1, decision(Arena::new().constant(1, 1), 0).condition)
    }

    /// Whether a schema tells two histories apart.
    fn tells_apart(schema: Schema, one: &[Decision], other: &[Decision]) -> bool {
        key(schema, one) != key(schema, other)
    }

    #[test]
    fn each_schema_tells_apart_what_it_says() {
        let [zero, one] = [0, 1].map(|arm| at(0, arm, 1));
        let [elsewhere_zero, elsewhere_one] = [0, 1].map(|arm| at(7, arm, 1));
        assert!(!tells_apart(Schema::Site, &[zero], &[one]));
        assert!(tells_apart(Schema::SameSite(1), &[zero], &[one]));
        assert!(!tells_apart(Schema::SameSite(1), &[zero, one], &[one, one]));
        assert!(tells_apart(Schema::SameSite(2), &[zero, one], &[one, one]));
        assert!(!tells_apart(Schema::SameSite(1), &[zero, elsewhere_one], &[zero, elsewhere_zero]));
        assert!(tells_apart(Schema::Path(1), &[elsewhere_one], &[elsewhere_zero]));
        assert!(!tells_apart(Schema::Path(1), &[zero, elsewhere_one], &[one, elsewhere_one]));
        assert!(tells_apart(Schema::Path(2), &[zero, elsewhere_one], &[one, elsewhere_one]));
        assert!(tells_apart(Schema::PathAndSite, &[zero, elsewhere_one], &[one, elsewhere_one]));
        assert!(tells_apart(Schema::Frame, &[zero], &[one]));
        assert!(!tells_apart(Schema::Frame, &[at(0, 0, 2)], &[at(0, 1, 2)]), "another call");
    }

    #[test]
    fn data_is_whether_an_operand_was_met_before() {
        let mut arena = Arena::new();
        let [x, y, z] = [0, 1, 2].map(|id| arena.variable(VariableId(id), 8));
        let (x_y, z_y) = (arena.binary(BinaryOp::LtU, x, y), arena.binary(BinaryOp::LtU, z, y));
        let mut history = History::default();
        let key = |history: &mut History, term| history.key(Schema::Data, &arena, SiteId(0), 0, term);
        let nothing_met = key(&mut history, x_y);
        assert_eq!(key(&mut history, z_y), nothing_met, "which variables they are makes no difference");
        history.push(Schema::Data, &arena, &decision(x_y, 1));
        let both_met = key(&mut history, x_y);
        let one_met = key(&mut history, z_y);
        assert!(both_met != nothing_met && one_met != nothing_met && one_met != both_met);
        history.clear();
        assert_eq!(key(&mut history, x_y), nothing_met);
    }

    #[test]
    fn values_are_counted_per_site() {
        let arena = Arena::new();
        let mut history = History::default();
        for arm in [4, 9, 9, 4, 9] {
            history.push(Schema::Site, &arena, &Decision { kind: Kind::Value, ..at(3, arm, 0) });
        }
        let site = history.site(SiteId(3));
        assert_eq!((site.last, site.most_frequent(), site.values.len()), (Some(Arm(9)), Some(Arm(9)), 2));
        assert_eq!(history.site(SiteId(4)).most_frequent(), None);
    }
}
