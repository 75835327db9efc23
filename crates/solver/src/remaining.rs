//! The inputs of a few variables that are left along a path, and the values of terms for them.
//!
//! The set only shrinks along a path. Where no more than half of it is left, the values of terms from there on are kept
//! for the rest only: a level of its own, which is dropped when the path is cut to before it.

use pessimum_term::{Arena, TermId};

use crate::lanes::Field;
use crate::tables::{Late, Tables, Workspace};
use crate::until::Until;

/// Sets kept per level; the oldest are dropped first.
const MOST_SETS: usize = 64;
/// Levels of fewer inputs than this are not divided: another level would cost more than the lanes it saves.
const FEW_INPUTS: usize = 16;

/// Inputs beyond which the values of small terms are computed again each time: one table has 32 KB or more, and memory
/// that is written once and not read again costs more than a few operators.
const MANY_INPUTS: usize = 1 << 12;
/// Operators and leaves of such a term.
const FEW_TERMS: usize = 64;

/// The inputs that are left on the current path.
pub struct Remaining {
    fields: Vec<Field>,
    /// The first has all inputs, and depends on no path.
    levels: Vec<Level>,
    /// Positions of the conditions that made the set smaller, in ascending order. The others follow from them.
    decisive: Vec<u32>,
}

struct Level {
    /// Number of conditions that its inputs satisfy.
    length: u32,
    tables: Tables,
    /// By lane: the lane of the same input in the level below; empty in the first level.
    below: Vec<u16>,
    /// The first, all lanes, is never dropped.
    sets: Vec<Set>,
}

/// The lanes whose inputs satisfy the first `from` conditions of the path, and also the first `to`.
struct Set {
    from: u32,
    to: u32,
    /// One bit per lane.
    lanes: Vec<u64>,
}

impl Level {
    fn new(length: u32, inputs: Vec<u16>, below: Vec<u16>) -> Level {
        let set = Set { from: length, to: length, lanes: all(inputs.len()) };
        Level { length, tables: Tables::new(inputs), below, sets: vec![set] }
    }

    fn last_set(&mut self) -> &mut Set {
        self.sets.last_mut().expect("the first set is never dropped")
    }
}

impl Remaining {
    /// All inputs of these variables, of at most 16 bits together.
    pub fn new(fields: Vec<Field>) -> Remaining {
        let bits: u32 = fields.iter().map(|field| field.width).sum();
        let inputs = (0..1u32 << bits).map(|input| input as u16).collect();
        Remaining { fields, levels: vec![Level::new(0, inputs, Vec::new())], decisive: Vec::new() }
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Memory in bytes, without what is small beside it.
    pub fn bytes(&self) -> usize {
        let of_sets = |level: &Level| level.sets.len() * size_of_val(&level.sets[0].lanes[..]);
        self.levels.iter().map(|level| level.tables.bytes() + size_of_val(&level.below[..]) + of_sets(level)).sum()
    }

    /// Drops the values of terms in all levels but the last.
    pub fn drop_oldest(&mut self) {
        let last = self.levels.len() - 1;
        self.levels[..last].iter_mut().for_each(|level| level.tables.clear());
    }

    /// The path was cut to this many conditions.
    pub fn truncate(&mut self, length: usize) {
        while self.top().length as usize > length {
            self.levels.pop();
        }
        let level = self.top();
        while level.last_set().from as usize > length {
            level.sets.pop();
        }
        let set = level.last_set();
        set.to = set.to.min(length as u32);
        // Sets may have been dropped, so that the last one stands for less than the path.
        let to = set.to;
        while self.decisive.last().is_some_and(|&position| position >= to) {
            self.decisive.pop();
        }
    }

    /// Whether a single input is left. It stays the only one however the path goes on.
    pub fn is_single(&mut self) -> bool {
        // A level of many inputs gives way to another one long before a single input is left.
        matches!(self.top().last_set().lanes[..], [lanes] if lanes.is_power_of_two())
    }

    /// Positions of conditions that only the inputs left satisfy. Only after [`Remaining::advance`], unless a single input
    /// is left.
    pub fn decisive(&self) -> &[u32] {
        &self.decisive
    }

    /// Drops the inputs that do not satisfy the path. `positions` are those of all conditions that mention the variables,
    /// in ascending order. Where there is no time for all of them, the first ones are done.
    pub fn advance(
        &mut self,
        arena: &Arena,
        conditions: &[TermId],
        positions: &[u32],
        workspace: &mut Workspace,
        until: &Until,
    ) -> Result<(), Late> {
        for level in &mut self.levels {
            level.tables.follow(arena);
        }
        let done = self.top().last_set().to;
        for &position in &positions[positions.partition_point(|&position| position < done)..] {
            self.ask(arena, conditions[position as usize], workspace, until)?;
            let set = self.top().last_set();
            set.to = position;
            if set.lanes.iter().zip(&workspace.truth).all(|(lanes, truth)| lanes & !truth == 0) {
                continue;
            }
            let left: Vec<u64> = set.lanes.iter().zip(&workspace.truth).map(|(lanes, truth)| lanes & truth).collect();
            self.decisive.push(position);
            let level = self.top();
            let (from, lanes) = (position + 1, level.tables.inputs().len());
            if lanes >= FEW_INPUTS && left.iter().map(|word| word.count_ones() as usize).sum::<usize>() <= lanes / 2 {
                let below: Vec<u16> = members(&left).map(|lane| lane as u16).collect();
                let inputs = below.iter().map(|&lane| level.tables.inputs()[lane as usize]).collect();
                self.levels.push(Level::new(from, inputs, below));
            } else {
                if level.sets.len() == MOST_SETS {
                    level.sets.remove(1);
                }
                level.sets.push(Set { from, to: from, lanes: left });
            }
            if self.is_single() {
                break;
            }
        }
        self.top().last_set().to = conditions.len() as u32;
        Ok(())
    }

    /// Leaves in the workspace which of the inputs left satisfy this condition. Only after [`Remaining::advance`].
    pub fn restrict(
        &mut self,
        arena: &Arena,
        condition: TermId,
        workspace: &mut Workspace,
        until: &Until,
    ) -> Result<(), Late> {
        self.ask(arena, condition, workspace, until)?;
        for (truth, lanes) in workspace.truth.iter_mut().zip(&self.top().last_set().lanes) {
            *truth &= lanes;
        }
        Ok(())
    }

    /// The inputs that [`Remaining::restrict`] found, in ascending order.
    pub fn found(&self, workspace: &Workspace) -> impl Iterator<Item = u64> {
        let inputs = self.levels.last().expect("the first level is never dropped").tables.inputs();
        members(&workspace.truth).map(|lane| inputs[lane] as u64)
    }

    fn top(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the first level is never dropped")
    }

    /// For which lanes of the last level the condition is true.
    fn ask(&mut self, arena: &Arena, condition: TermId, workspace: &mut Workspace, until: &Until) -> Result<(), Late> {
        let (top, older) = self.levels.split_last_mut().expect("the first level is never dropped");
        let Level { tables, below, .. } = top;
        let Workspace { small, truth, .. } = workspace;
        if tables.inputs().len() > MANY_INPUTS && small.prepare(arena, condition, FEW_TERMS) {
            small.ask(arena, &self.fields, tables.inputs(), truth);
            return Ok(());
        }
        tables.ask(arena, &self.fields, condition, workspace, until, |term, values| {
            let Some((number, known)) =
                older.iter().enumerate().rev().find_map(|(number, level)| Some((number, level.tables.values(term)?)))
            else {
                return false;
            };
            for (value, &lane) in values.iter_mut().zip(&*below) {
                let down = |lane: u16, level: &Level| level.below[lane as usize];
                *value = known[older[number + 1..].iter().rev().fold(lane, down) as usize];
            }
            true
        })
    }
}

/// A set of this many lanes.
fn all(lanes: usize) -> Vec<u64> {
    (0..lanes.div_ceil(64)).map(|word| u64::MAX >> (64 - (lanes - word * 64).min(64))).collect()
}

/// The lanes in a set, in ascending order.
fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(index, &word)| {
        let later = |&word: &u64| Some(word & (word - 1)).filter(|&word| word != 0);
        std::iter::successors(Some(word).filter(|&word| word != 0), later)
            .map(move |word| index * 64 + word.trailing_zeros() as usize)
    })
}
