//! Which variables a term depends on.

use crate::arena::{Arena, Kind, Revision, Slot, TermId, VariableId};

/// Answers "which variables occur in this term?" and remembers the answers.
///
/// Small sets are remembered for every term on the way, so that a term on top of known ones costs one merge. Sets of
/// more than [`Variables::LARGEST_REMEMBERED`] variables are only known to be large and are put together again from
/// the small sets below them each time: remembering them would take quadratic memory for a long sum.
///
/// May be used across [`Arena::release`] and [`Arena::collect`].
#[derive(Default)]
pub struct Variables {
    /// By term.
    sets: Vec<Set>,
    /// The members of all small sets, each set sorted.
    members: Vec<VariableId>,
    /// The arena's revision that `sets` is valid for.
    revision: Revision,
    /// The set last asked for, where it is not in `members`.
    answer: Vec<VariableId>,
    pending: Vec<TermId>,
    /// By term and by variable: the question in which it was last met, for large sets.
    met_terms: Vec<u32>,
    met_variables: Vec<u32>,
    question: u32,
}

#[derive(Clone, Copy)]
enum Set {
    Unknown,
    Small { start: u32, length: u8 },
    Large,
}

impl Variables {
    /// Sets larger than this are not stored per term.
    pub const LARGEST_REMEMBERED: usize = 32;

    /// Above this many stored members, a release drops everything instead of leaving unused members behind.
    const MANY_MEMBERS: usize = 1 << 20;

    /// Starts with nothing remembered.
    pub fn new() -> Variables {
        Variables::default()
    }

    /// The variables of the term, sorted by number, each once.
    #[inline]
    pub fn of(&mut self, arena: &Arena, term: TermId) -> &[VariableId] {
        let slot = arena.slot(term);
        // Most questions are about comparisons of variables and constants; they are answered without the tables.
        let mut found = [VariableId(0); 2];
        let mut count = 0;
        let mut leaf = |slot: &Slot| match slot.kind {
            Kind::Constant => true,
            Kind::Variable => {
                found[count] = VariableId(slot.operands[0]);
                count += 1;
                true
            }
            _ => false,
        };
        let quick = match slot.kind {
            Kind::Constant | Kind::Variable => leaf(slot),
            Kind::Binary(_) | Kind::Concat => {
                leaf(arena.slot(TermId(slot.operands[0]))) && leaf(arena.slot(TermId(slot.operands[1])))
            }
            Kind::Unary(_) | Kind::Extract => leaf(arena.slot(TermId(slot.operands[0]))),
            Kind::IfThenElse => false,
        };
        if !quick {
            return self.look_up(arena, term);
        }
        if count == 2 {
            if found[0] > found[1] {
                found.swap(0, 1);
            } else if found[0] == found[1] {
                count = 1;
            }
        }
        self.answer.clear();
        self.answer.extend_from_slice(&found[..count]);
        &self.answer
    }

    fn look_up(&mut self, arena: &Arena, term: TermId) -> &[VariableId] {
        if self.revision != arena.revision() {
            let kept = if self.members.len() > Self::MANY_MEMBERS { 0 } else { arena.kept_since(self.revision) };
            self.sets.truncate(kept);
            if self.sets.is_empty() {
                self.members.clear();
            }
            self.revision = arena.revision();
        }
        if self.sets.len() < arena.len() {
            self.sets.resize(arena.len(), Set::Unknown);
        }
        self.fill_in(arena, term);
        match self.sets[term.index()] {
            Set::Small { start, length } => &self.members[start as usize..][..length as usize],
            _ => self.gather(arena, term),
        }
    }

    /// Makes the term's entry known, and those of all terms below it.
    fn fill_in(&mut self, arena: &Arena, term: TermId) {
        self.pending.push(term);
        while let Some(&current) = self.pending.last() {
            if !matches!(self.sets[current.index()], Set::Unknown) {
                self.pending.pop();
                continue;
            }
            let unknown = arena.children(current).find(|child| matches!(self.sets[child.index()], Set::Unknown));
            match unknown {
                Some(child) => self.pending.push(child),
                None => {
                    self.sets[current.index()] = self.merged(arena, current);
                    self.pending.pop();
                }
            }
        }
    }

    /// The set of a term whose operands are known. A set equal to that of an operand shares its memory.
    fn merged(&mut self, arena: &Arena, term: TermId) -> Set {
        let mut all = Set::Small { start: 0, length: 0 };
        if let Some(variable) = arena.as_variable(term) {
            self.members.push(variable);
            return Set::Small { start: self.members.len() as u32 - 1, length: 1 };
        }
        for child in arena.children(term) {
            all = match (all, self.sets[child.index()]) {
                (Set::Small { start: a, length: n }, Set::Small { start: b, length: m }) => {
                    self.union(a as usize..a as usize + n as usize, b as usize..b as usize + m as usize)
                }
                _ => return Set::Large,
            };
        }
        all
    }

    fn union(&mut self, a: std::ops::Range<usize>, b: std::ops::Range<usize>) -> Set {
        let small = |range: std::ops::Range<usize>| Set::Small { start: range.start as u32, length: range.len() as u8 };
        let start = self.members.len();
        let (mut i, mut j) = (a.start, b.start);
        while i < a.end || j < b.end {
            let from_a = j == b.end || i < a.end && self.members[i] <= self.members[j];
            let next = self.members[if from_a { i } else { j }];
            i += (i < a.end && self.members[i] == next) as usize;
            j += (j < b.end && self.members[j] == next) as usize;
            self.members.push(next);
        }
        let count = self.members.len() - start;
        let shared = if count == a.len() {
            small(a)
        } else if count == b.len() {
            small(b)
        } else if count > Self::LARGEST_REMEMBERED {
            Set::Large
        } else {
            return small(start..start + count);
        };
        self.members.truncate(start);
        shared
    }

    /// Puts a large set together from the small ones below it.
    fn gather(&mut self, arena: &Arena, term: TermId) -> &[VariableId] {
        self.question = self.question.wrapping_add(1);
        if self.question == 0 {
            self.met_terms.fill(0);
            self.met_variables.fill(0);
            self.question = 1;
        }
        if self.met_terms.len() < arena.len() {
            self.met_terms.resize(arena.len(), 0);
        }
        self.answer.clear();
        self.pending.push(term);
        while let Some(current) = self.pending.pop() {
            if std::mem::replace(&mut self.met_terms[current.index()], self.question) == self.question {
                continue;
            }
            let Set::Small { start, length } = self.sets[current.index()] else {
                self.pending.extend(arena.children(current));
                continue;
            };
            for &variable in &self.members[start as usize..][..length as usize] {
                let number = variable.0 as usize;
                if number >= self.met_variables.len() {
                    self.met_variables.resize(number + 1, 0);
                }
                if std::mem::replace(&mut self.met_variables[number], self.question) != self.question {
                    self.answer.push(variable);
                }
            }
        }
        self.answer.sort_unstable();
        &self.answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinaryOp;
    use std::collections::BTreeSet;

    /// The variables of a term by definition, without tables.
    fn reference(arena: &Arena, term: TermId) -> Vec<VariableId> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if seen.insert(term) {
                found.extend(arena.as_variable(term));
                pending.extend(arena.children(term));
            }
        }
        found.into_iter().collect()
    }

    #[test]
    fn agrees_with_the_definition_across_releases() {
        let mut random = crate::random::Random::new(7);
        let mut variables = Variables::new();
        let mut arena = Arena::without_rewriting();
        for _ in 0..200 {
            let mark = arena.mark();
            let count = [3, 20, 90][random.index(3)];
            let mut terms: Vec<_> = (0..count).map(|v| arena.variable(VariableId(v as u32), 8)).collect();
            for _ in 0..150 {
                let (x, y) = (terms[random.index(terms.len())], terms[random.index(terms.len())]);
                let (z, t) = (terms[random.index(terms.len())], terms[random.index(terms.len())]);
                let less = arena.binary(BinaryOp::LtU, z, t);
                terms.push(match random.index(3) {
                    0 => arena.constant(8, random.bits()),
                    1 => arena.binary(BinaryOp::Add, x, y),
                    _ => arena.if_then_else(less, x, y),
                });
                let asked = terms[random.index(terms.len())];
                assert_eq!(variables.of(&arena, asked), reference(&arena, asked));
            }
            match random.index(4) {
                0 => arena.release(mark),
                1 => arena.collect(&mut terms[..random.index(2)]),
                _ => {}
            }
        }
    }

    #[test]
    fn long_sums_do_not_take_quadratic_memory() {
        let mut arena = Arena::new();
        let mut sum = arena.variable(VariableId(0), 32);
        for number in 1..20_000 {
            let next = arena.variable(VariableId(number), 32);
            sum = arena.binary(BinaryOp::Add, sum, next);
        }
        let mut variables = Variables::new();
        assert_eq!(variables.of(&arena, sum).len(), 20_000);
        assert!(variables.members.len() < 3 * 20_000);
    }
}
