//! Probabilistic policies, which map a key (site and short history) to how the arm is chosen.

use super::history::{History, Schema, site_key};
use crate::decider::{Choice, Decider};
use crate::kernel::{Kernel, Point};
use crate::path::Decision;
use crate::program::{Arm, Kind, Program, SiteId};
use crate::random::Random;
use pessimum_solver::LayerName;
use pessimum_term::Arena;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// How the arm is chosen at a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// As the witness has it: costs nothing.
    Follow,
    /// True with this probability; 0 and 1 are the corners where most worst cases are found.
    Chance(f64),
    /// This arm of a table.
    Take(Arm),
    /// The value last taken at this site.
    Last,
    /// The value taken most often at this site.
    Most,
    /// A value not yet taken at this site.
    New,
}

/// What a policy does at keys that it meets for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// True, or the value taken before.
    True,
    /// False, or a new value.
    False,
    /// A fair coin at each decision.
    Coin,
    /// As the witness has it.
    Follow,
    /// One of the above or a corner, drawn for each key.
    Corners,
}

/// Probability that a new rule for a possible trap does not avoid it.
const NEW_TRAP: f64 = 0.02;

impl Style {
    /// All of them, the extreme ones first.
    pub const ALL: [Style; 5] = [Style::True, Style::False, Style::Corners, Style::Follow, Style::Coin];

    fn rule(self, kind: Kind, random: &mut Random) -> Rule {
        // A trap ends the path, which is seldom what costs most; where it is, mutation finds it.
        if kind == Kind::Check && !random.chance(NEW_TRAP) {
            return Rule::Chance(0.0);
        }
        match (self, kind) {
            (Style::Follow, _) => Rule::Follow,
            (Style::True, Kind::Branch | Kind::Check) => Rule::Chance(1.0),
            (Style::False, Kind::Branch | Kind::Check) => Rule::Chance(0.0),
            (Style::Coin, Kind::Branch | Kind::Check) => Rule::Chance(0.5),
            (Style::Corners, Kind::Branch | Kind::Check) => match random.below(10) {
                0..=3 => Rule::Chance(1.0),
                4..=7 => Rule::Chance(0.0),
                8 => Rule::Chance(0.5),
                _ => Rule::Follow,
            },
            (Style::True, Kind::Value) => Rule::Most,
            (Style::False, Kind::Value) => Rule::New,
            (Style::Coin | Style::Corners, Kind::Value) => {
                [Rule::Follow, Rule::Last, Rule::Most, Rule::New][random.index(4)]
            }
            (_, Kind::Table { targets, .. }) => match random.below(8) {
                0 => Rule::Follow,
                1 => Rule::Last,
                2 => Rule::New,
                _ => Rule::Take(Arm(random.below(u64::from(targets) + 1))),
            },
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    key: u64,
    kind: Kind,
    rule: Rule,
    /// How many decisions of the last path it made.
    used: u32,
}

/// A policy. It does not depend on the size of the input.
#[derive(Clone, Debug)]
pub struct Policy {
    /// What its keys are made of.
    pub schema: Schema,
    style: Style,
    /// In the order of first use.
    entries: Vec<Entry>,
    index: FxHashMap<u64, u32>,
}

impl Rule {
    /// The rule as an instruction; none where it leaves the decision to the input.
    fn in_words(self) -> Option<String> {
        Some(match self {
            Rule::Follow => return None,
            Rule::Chance(chance) if chance >= 1.0 => "take true".to_string(),
            Rule::Chance(chance) if chance <= 0.0 => "take false".to_string(),
            Rule::Chance(chance) => format!("take true in {:.0} % of the cases", 100.0 * chance),
            Rule::Take(Arm(case)) => format!("take case {case}"),
            Rule::Last => "take the same value as the last time".to_string(),
            Rule::Most => "take the value taken most often".to_string(),
            Rule::New => "take a value not taken before".to_string(),
        })
    }
}

impl Policy {
    /// One that has met no key yet.
    pub fn new(schema: Schema, style: Style) -> Policy {
        Policy { schema, style, entries: Vec::new(), index: FxHashMap::default() }
    }

    /// One that has met no key yet, of any schema and style.
    pub fn drawn(random: &mut Random) -> Policy {
        let schema = Schema::ALL[random.index(Schema::ALL.len())];
        Policy::new(schema, Style::ALL[random.index(Style::ALL.len())])
    }

    /// The policy that a path followed, by how often each arm was taken at each key. Keys with one outcome become
    /// corners.
    pub fn of_path(
        schema: Schema,
        style: Style,
        decisions: &[Decision],
        arena: &Arena,
        history: &mut History,
    ) -> Policy {
        let mut policy = Policy::new(schema, style);
        /// Counts per entry: all decisions, those that took true (or repeated the last value), and those that took
        /// the first arm.
        struct Seen {
            total: u32,
            positive: u32,
            first: Arm,
            same: u32,
        }
        let mut seen: Vec<Seen> = Vec::new();
        history.clear();
        for decision in decisions {
            let key = history.key(schema, arena, decision.site, decision.frame, decision.condition);
            let last = history.site(decision.site).last;
            let entry = policy.entry(key, decision.kind, || Rule::Follow);
            if entry == seen.len() {
                seen.push(Seen { total: 0, positive: 0, first: decision.arm, same: 0 });
            }
            let seen = &mut seen[entry];
            seen.total += 1;
            seen.same += u32::from(decision.arm == seen.first);
            seen.positive += u32::from(match decision.kind {
                Kind::Branch | Kind::Check => decision.arm == Arm::TRUE,
                Kind::Table { .. } | Kind::Value => last == Some(decision.arm),
            });
            policy.entries[entry].used += 1;
            history.push(schema, arena, decision);
        }
        for (entry, seen) in policy.entries.iter_mut().zip(&seen) {
            entry.rule = match entry.kind {
                Kind::Branch | Kind::Check => Rule::Chance(f64::from(seen.positive) / f64::from(seen.total)),
                Kind::Table { .. } if seen.same == seen.total => Rule::Take(seen.first),
                Kind::Table { .. } | Kind::Value if 2 * seen.positive >= seen.total => Rule::Last,
                Kind::Value if seen.total > 1 && seen.positive == 0 => Rule::New,
                Kind::Table { .. } | Kind::Value => Rule::Follow,
            };
        }
        policy
    }

    /// Number of keys met.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&mut self, key: u64, kind: Kind, rule: impl FnOnce() -> Rule) -> usize {
        let next = self.entries.len() as u32;
        let index = *self.index.entry(key).or_insert(next);
        if index == next {
            self.entries.push(Entry { key, kind, rule: rule(), used: 0 });
        }
        index as usize
    }

    /// Changes a few rules among those that made decisions of the last path.
    pub fn mutate(&mut self, random: &mut Random) {
        let live: Vec<usize> = (0..self.entries.len()).filter(|&index| self.entries[index].used > 0).collect();
        if live.is_empty() {
            return;
        }
        if random.chance(0.1) {
            for &index in &live {
                if random.chance(0.2) {
                    self.entries[index].mutate(random);
                }
            }
        }
        loop {
            self.entries[live[random.index(live.len())]].mutate(random);
            if random.coin() {
                break;
            }
        }
    }

    /// Takes about half of the rules that the other policy has for the same keys.
    pub fn cross(&mut self, other: &Policy, random: &mut Random) {
        for entry in &mut self.entries {
            if let Some(&index) = other.index.get(&entry.key)
                && random.coin()
            {
                entry.rule = other.entries[index as usize].rule;
            }
        }
    }

    /// The policy as data.
    pub fn save(&self) -> SavedRules {
        let entry =
            |entry: &Entry| SavedEntry { key: entry.key, kind: entry.kind, rule: entry.rule.into(), used: entry.used };
        SavedRules { schema: self.schema, style: self.style, entries: self.entries.iter().map(entry).collect() }
    }

    /// The policy that data stands for. The data may come from a file that anybody wrote.
    pub fn load(saved: &SavedRules) -> Result<Policy, String> {
        // Keys of other schemas were never made, and a long history would not fit into one.
        if !Schema::ALL.contains(&saved.schema) {
            return Err(format!("there is no schema {:?}", saved.schema));
        }
        let mut policy = Policy::new(saved.schema, saved.style);
        for entry in &saved.entries {
            let rule = entry.rule.load()?;
            if policy.index.contains_key(&entry.key) {
                return Err(format!("there are two rules for the key {}", entry.key));
            }
            let index = policy.entry(entry.key, entry.kind, || rule);
            policy.entries[index].used = entry.used;
        }
        Ok(policy)
    }

    /// What it says about each site, in words, the most used rules first. Only rules without a history can be told: the
    /// keys of others do not say which history they stand for.
    pub fn in_words(&self, program: &dyn Program) -> Vec<String> {
        /// Sites that are looked at: more than any program of a reasonable size has.
        const SITES: u32 = 1 << 16;
        if self.schema != Schema::Site {
            return Vec::new();
        }
        let mut rules: Vec<(u32, SiteId, &Entry)> = (0..SITES)
            .map(SiteId)
            .filter_map(|site| self.index.get(&site_key(site)).map(|&entry| (site, &self.entries[entry as usize])))
            .map(|(site, entry)| (entry.used, site, entry))
            .collect();
        rules.sort_by_key(|&(used, site, _)| (std::cmp::Reverse(used), site));
        let words = |(_, site, entry): (u32, SiteId, &Entry)| {
            let rule = entry.rule.in_words()?;
            Some(format!("{rule} at {}", program.site_name(site)))
        };
        rules.into_iter().filter_map(words).collect()
    }

    #[cfg(test)]
    pub fn rules(&self) -> Vec<Rule> {
        self.entries.iter().map(|entry| entry.rule).collect()
    }

    fn forget_use(&mut self) {
        for entry in &mut self.entries {
            entry.used = 0;
        }
    }
}

impl Entry {
    fn mutate(&mut self, random: &mut Random) {
        self.rule = match self.kind {
            Kind::Branch | Kind::Check => {
                let chance = match self.rule {
                    Rule::Chance(chance) => chance,
                    _ => 0.5,
                };
                match random.below(20) {
                    0..=6 => Rule::Chance(if chance < 0.5 { 1.0 } else { 0.0 }),
                    7..=10 => Rule::Chance(random.below(2) as f64),
                    11..=13 => Rule::Chance((chance + 0.4 * (random.unit() - 0.5)).clamp(0.0, 1.0)),
                    14..=15 => Rule::Chance(random.unit()),
                    16..=18 => {
                        // Rarely, but not never: once in 2, 4, ... 256 decisions.
                        let rare = 0.5f64.powi(1 + random.below(8) as i32);
                        Rule::Chance(if random.coin() { rare } else { 1.0 - rare })
                    }
                    _ => Rule::Follow,
                }
            }
            Kind::Value => [Rule::Follow, Rule::Last, Rule::Most, Rule::New][random.index(4)],
            Kind::Table { targets, .. } => match random.below(10) {
                0 => Rule::Follow,
                1 => Rule::Last,
                2 => Rule::Most,
                3 => Rule::New,
                _ => Rule::Take(Arm(random.below(u64::from(targets) + 1))),
            },
        };
    }
}

/// A [`Policy`] as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRules {
    schema: Schema,
    style: Style,
    entries: Vec<SavedEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedEntry {
    key: u64,
    kind: Kind,
    rule: SavedRule,
    used: u32,
}

/// A [`Rule`] as data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedRule {
    Follow,
    /// The bits of the probability: a decimal number may not read back as the one that was written.
    Chance(u64),
    Take(u64),
    Last,
    Most,
    New,
}

impl From<Rule> for SavedRule {
    fn from(rule: Rule) -> SavedRule {
        match rule {
            Rule::Follow => SavedRule::Follow,
            Rule::Chance(chance) => SavedRule::Chance(chance.to_bits()),
            Rule::Take(arm) => SavedRule::Take(arm.0),
            Rule::Last => SavedRule::Last,
            Rule::Most => SavedRule::Most,
            Rule::New => SavedRule::New,
        }
    }
}

impl SavedRule {
    fn load(self) -> Result<Rule, String> {
        Ok(match self {
            SavedRule::Follow => Rule::Follow,
            SavedRule::Chance(bits) => match f64::from_bits(bits) {
                chance if (0.0..=1.0).contains(&chance) => Rule::Chance(chance),
                other => return Err(format!("{other} is not a probability")),
            },
            SavedRule::Take(arm) => Rule::Take(Arm(arm)),
            SavedRule::Last => Rule::Last,
            SavedRule::Most => Rule::Most,
            SavedRule::New => Rule::New,
        })
    }
}

/// Follows the witness for some decisions, then a policy.
pub struct PolicyDecider<'a> {
    policy: &'a mut Policy,
    history: &'a mut History,
    random: &'a mut Random,
    /// Decisions that follow the witness first.
    follow: usize,
    /// How many decisions are in the history already.
    known: usize,
    values: Vec<Arm>,
    /// Slow queries that this run may still ask, and how many the solver had answered before.
    allowance: u64,
    slow_before: Option<u64>,
}

impl<'a> PolicyDecider<'a> {
    /// For one run from its start: follows the witness for `follow` decisions, then the policy, then the witness again
    /// once `allowance` queries have reached the SAT solver. The policy counts the uses of its keys in this run.
    pub fn new(
        policy: &'a mut Policy,
        history: &'a mut History,
        random: &'a mut Random,
        follow: usize,
        allowance: u64,
    ) -> Self {
        policy.forget_use();
        history.clear();
        let (known, values) = (0, Vec::new());
        PolicyDecider { policy, history, random, follow, known, values, allowance, slow_before: None }
    }

    fn new_value(&mut self, point: &mut Point<'_, '_>) -> Choice {
        let taken = self.history.site(point.site());
        let fresh = |arm: &Arm| taken.values.iter().all(|(known, _)| known != arm);
        let witness = point.witness_arm();
        if fresh(&witness) {
            return Choice::Prefer(witness);
        }
        if let Some(arms) = point.kind().arms() {
            let unknown: Vec<Arm> = (0..arms.min(MOST_ARMS)).map(Arm).filter(fresh).collect();
            if unknown.is_empty() {
                return Choice::Follow;
            }
            return Choice::Prefer(unknown[self.random.index(unknown.len())]);
        }
        // One more than are known, so that at least one is new if there is a new one.
        let limit = (taken.values.len() + 1).min(MOST_VALUES);
        point.enumerate(limit, &mut self.values);
        self.values.iter().find(|arm| fresh(arm)).map_or(Choice::Follow, |&arm| Choice::Prefer(arm))
    }
}

/// Queries so far that no cheap layer answered.
pub fn slow_queries(kernel: &Kernel<'_>) -> u64 {
    let counters = kernel.context().counters();
    SLOW.map(|name| counters.layer(name).queries).iter().sum()
}

/// What the slow layers did for them.
pub fn slow_work(kernel: &Kernel<'_>) -> u64 {
    let counters = kernel.context().counters();
    SLOW.map(|name| counters.layer(name).work).iter().sum()
}

/// The layers that take milliseconds.
const SLOW: [LayerName; 3] = [LayerName::Blast, LayerName::LocalSearch, LayerName::FloatCircuits];

/// Values enumerated in the hope of a new one.
const MOST_VALUES: usize = 8;

/// Arms of a table that are considered in the hope of a new one.
const MOST_ARMS: u64 = 256;

impl Decider for PolicyDecider<'_> {
    fn decide(&mut self, point: &mut Point<'_, '_>) -> Choice {
        let depth = point.depth();
        let schema = self.policy.schema;
        let (site, kind, frame, term) = (point.site(), point.kind(), point.frame(), point.scrutinee());
        while self.known < depth {
            let decision = point.decisions()[self.known];
            self.history.push(schema, point.kernel().arena(), &decision);
            self.known += 1;
        }
        if depth < self.follow {
            return Choice::Follow;
        }
        let key = self.history.key(schema, point.kernel().arena(), site, frame, term);
        let (style, random) = (self.policy.style, &mut *self.random);
        let index = self.policy.entry(key, kind, || style.rule(kind, random));
        let entry = &mut self.policy.entries[index];
        entry.used += 1;
        let slow = slow_queries(point.kernel());
        if slow - *self.slow_before.get_or_insert(slow) >= self.allowance {
            return Choice::Follow;
        }
        match entry.rule {
            Rule::Follow => Choice::Follow,
            Rule::Chance(chance) if chance >= 1.0 => Choice::Prefer(Arm::TRUE),
            Rule::Chance(chance) if chance <= 0.0 => Choice::Prefer(Arm::FALSE),
            Rule::Chance(chance) => Choice::Prefer(Arm(u64::from(self.random.chance(chance)))),
            Rule::Take(arm) => Choice::Prefer(kind.arm_of(arm.0)),
            Rule::Last => self.history.site(site).last.map_or(Choice::Follow, Choice::Prefer),
            Rule::Most => self.history.site(site).most_frequent().map_or(Choice::Follow, Choice::Prefer),
            Rule::New => self.new_value(point),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision;
    use super::*;
    use crate::program::SiteId;

    /// Branches of alternating sites 0 and 1 with these arms.
    fn decisions(arms: &[u64]) -> Vec<Decision> {
        let nothing = Arena::new().constant(1, 1);
        let at = |(index, &arm): (usize, &u64)| Decision { site: SiteId(index as u32 % 2), ..decision(nothing, arm) };
        arms.iter().enumerate().map(at).collect()
    }

    fn of_path(decisions: &[Decision]) -> Policy {
        Policy::of_path(Schema::Site, Style::Corners, decisions, &Arena::new(), &mut History::default())
    }

    #[test]
    fn a_path_becomes_the_share_of_each_arm() {
        let policy = of_path(&decisions(&[1, 0, 1, 1, 1, 0, 1, 0]));
        assert_eq!(policy.rules(), [Rule::Chance(1.0), Rule::Chance(0.25)]);
        let alternating = Policy::of_path(
            Schema::SameSite(1),
            Style::Corners,
            &decisions(&[1, 1, 0, 1, 1, 1]),
            &Arena::new(),
            &mut { History::default() },
        );
        assert!(alternating.rules().iter().all(|rule| matches!(rule, Rule::Chance(chance) if chance.fract() == 0.0)));
    }

    #[test]
    fn values_become_rules_that_mean_the_same_at_every_size() {
        let with_kind = |arms: &[u64], kind| {
            let mut decisions = decisions(arms);
            decisions.iter_mut().for_each(|decision| (decision.site, decision.kind) = (SiteId(0), kind));
            of_path(&decisions).rules()[0]
        };
        let table = Kind::Table { targets: 3, branch: true };
        assert_eq!(with_kind(&[5, 5, 5, 5], Kind::Value), Rule::Last);
        assert_eq!(with_kind(&[1, 2, 3, 4], Kind::Value), Rule::New);
        assert_eq!(with_kind(&[1, 1, 2, 3, 4, 5], Kind::Value), Rule::Follow);
        assert_eq!(with_kind(&[2, 2, 2], table), Rule::Take(Arm(2)));
        assert_eq!(with_kind(&[2, 1, 2], table), Rule::Follow);
    }

    #[test]
    fn a_saved_policy_is_the_same_again() {
        let policy = of_path(&decisions(&[1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0]));
        let text = serde_json::to_string(&policy.save()).unwrap();
        let read = Policy::load(&serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!((read.rules(), read.save()), (policy.rules(), policy.save()));
        let refused = |saved: &str| Policy::load(&serde_json::from_str(saved).unwrap()).unwrap_err();
        let of = |entries: &str| format!("{{\"schema\":\"site\",\"style\":\"coin\",\"entries\":[{entries}]}}");
        let entry =
            |rule: &str, used: u32| format!("{{\"key\":7,\"kind\":\"branch\",\"rule\":{rule},\"used\":{used}}}");
        let nan = format!("{{\"chance\":{}}}", f64::NAN.to_bits());
        assert!(refused(&of(&entry(&nan, 0))).contains("not a probability"));
        let twice = [entry("\"follow\"", 0), entry("\"follow\"", 0)].join(",");
        assert!(refused(&of(&twice)).contains("two rules"));
        assert!(refused(&of("").replace("\"site\"", "{\"same-site\":9}")).contains("no schema"));
    }

    #[test]
    fn only_rules_of_the_last_path_are_changed() {
        let mut policy = of_path(&decisions(&[1, 0, 1, 0]));
        policy.entries[1].used = 0;
        let mut random = Random::new(1);
        let mut changed = 0;
        for _ in 0..100 {
            let before = policy.rules();
            policy.mutate(&mut random);
            changed += u32::from(before[0] != policy.rules()[0]);
            assert_eq!(policy.rules()[1], before[1]);
        }
        assert!(changed > 50, "{changed}");
        policy.forget_use();
        let before = policy.rules();
        policy.mutate(&mut random);
        assert_eq!(policy.rules(), before, "nothing was used");
    }

    #[test]
    fn crossing_takes_rules_for_shared_keys_only() {
        let mine = of_path(&decisions(&[1, 1]));
        let theirs = of_path(&decisions(&[0]));
        let mut random = Random::new(1);
        let taken = (0..100).filter(|_| {
            let mut child = mine.clone();
            child.cross(&theirs, &mut random);
            assert_eq!(child.rules()[1], Rule::Chance(1.0), "the other policy does not know this key");
            child.rules()[0] == Rule::Chance(0.0)
        });
        assert!((30..70).contains(&taken.count()));
    }

    #[test]
    fn new_rules_avoid_traps() {
        let mut random = Random::new(1);
        let avoided = (0..1000).filter(|_| Style::True.rule(Kind::Check, &mut random) == Rule::Chance(0.0)).count();
        assert!((950..1000).contains(&avoided), "{avoided}");
        assert_eq!(Style::True.rule(Kind::Branch, &mut random), Rule::Chance(1.0));
        assert_eq!(Style::False.rule(Kind::Value, &mut random), Rule::New);
    }
}
