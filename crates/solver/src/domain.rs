//! The small-domain layer treats a part with few bits of input as a set of inputs and filters it by evaluation.
//!
//! A part with one variable of at most 8 bits, which is typical of parsers, is answered from truth tables that are
//! remembered per condition. Larger parts keep the set of inputs left after a prefix of the path.

use pessimum_term::{Arena, Node, Revision, TermId, UnaryOp, VariableId};

use crate::LayerName;
use crate::lanes::{Field, LANES, Lanes};
use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};

/// Bits of input up to which a part is enumerated.
const MOST_BITS: u32 = 16;
/// Sets kept for parts of more than one variable; the oldest are dropped first.
const MOST_SETS: usize = 256;
/// Truth tables kept before all are forgotten.
const MOST_TABLES: usize = 1 << 16;

type Table = [u64; LANES / 64];

/// The inputs of some variables that satisfy a prefix of the path.
struct Set {
    variables: Vec<u32>,
    /// Number of conditions in the prefix.
    length: u32,
    inputs: Vec<u64>,
}

/// The small-domain layer.
#[derive(Default)]
pub struct SmallDomain {
    lanes: Lanes,
    /// By term: the index of its truth table plus 1, or 0 if it has none.
    places: Vec<u32>,
    tables: Vec<Table>,
    revision: Revision,
    sets: Vec<Set>,
}

impl Layer for SmallDomain {
    fn name(&self) -> LayerName {
        LayerName::SmallDomain
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, _: &QueryLimits) -> Reply {
        if query.sizes.bits > MOST_BITS {
            return Reply::Pass;
        }
        let part = query.part(path);
        let mut low = 0;
        let fields: Vec<Field> = part
            .variables
            .iter()
            .map(|&variable| {
                let width = path.parts.width(variable);
                low += width;
                Field { variable, width, low: low - width }
            })
            .collect();
        match fields[..] {
            [field] if field.width <= 8 => self.one_byte(arena, path, query, field),
            _ if low <= MOST_BITS => self.several(arena, path, query, &fields),
            _ => Reply::Pass,
        }
    }

    fn truncated(&mut self, length: usize) {
        while self.sets.last().is_some_and(|set| set.length as usize > length) {
            self.sets.pop();
        }
    }

    fn restarted(&mut self) {
        self.sets.clear();
    }
}

impl SmallDomain {
    fn one_byte(&mut self, arena: &Arena, path: &Path, query: &mut Query, field: Field) -> Reply {
        let condition = query.condition;
        let part = query.part(path);
        let mut left = self.table(arena, condition, field);
        let mut core = Vec::new();
        // The latest come first, because what contradicts a condition is mostly close to it.
        for &position in part.positions.iter().rev() {
            let table = self.table(arena, path.conditions[position as usize], field);
            let before = left;
            for (left, truth) in left.iter_mut().zip(table) {
                *left &= truth;
            }
            if left != before {
                core.push(position);
            }
            if left == [0; LANES / 64] {
                break;
            }
        }
        if left == [0; LANES / 64] {
            core.reverse();
            return Reply::Unsat(core);
        }
        let old = path.evaluator.witness().get(VariableId(field.variable)) as i64;
        let nearest = (0..1 << field.width).filter(|&value| left[value / 64] >> (value % 64) & 1 == 1);
        let nearest = nearest.min_by_key(|&value| (value as i64 - old).abs()).expect("the set is not empty");
        Reply::Sat(vec![(field.variable, nearest as u64)])
    }

    /// The truth table of a condition on one variable.
    fn table(&mut self, arena: &Arena, condition: TermId, field: Field) -> Table {
        if self.revision != arena.revision() {
            self.places.truncate(arena.kept_since(self.revision));
            self.revision = arena.revision();
        }
        if self.places.len() < arena.len() {
            self.places.resize(arena.len(), 0);
        }
        let (atom, flip) = match arena.node(condition) {
            Node::Unary(UnaryOp::Not, inner) => (inner, u64::MAX),
            _ => (condition, 0),
        };
        if self.places[atom.index()] == 0 {
            if self.tables.len() == MOST_TABLES {
                self.tables.clear();
                self.places.fill(0);
            }
            self.lanes.prepare(arena, atom);
            let table = self.lanes.truth(arena, &[field], 0);
            self.tables.push(table);
            self.places[atom.index()] = self.tables.len() as u32;
        }
        let mut table = self.tables[self.places[atom.index()] as usize - 1];
        let inputs = 1u32 << field.width;
        for (index, word) in table.iter_mut().enumerate() {
            let here = inputs.saturating_sub(index as u32 * 64);
            let real = if here >= 64 { u64::MAX } else { (1 << here) - 1 };
            *word = (*word ^ flip) & real;
        }
        table
    }

    fn several(&mut self, arena: &Arena, path: &Path, query: &mut Query, fields: &[Field]) -> Reply {
        let bits: u32 = fields.iter().map(|field| field.width).sum();
        let condition = query.condition;
        let part = query.part(path);
        let known = self.sets.iter().rposition(|set| set.variables == part.variables);
        let length = path.conditions.len() as u32;
        let (from, mut inputs) = match known {
            Some(index) => (self.sets[index].length, self.sets[index].inputs.clone()),
            None => (0, full(bits)),
        };
        let first_new = part.positions.partition_point(|&position| position < from);
        for &position in &part.positions[first_new..] {
            self.filter(arena, path.conditions[position as usize], fields, &mut inputs);
        }
        if known.is_none() || first_new < part.positions.len() {
            if self.sets.len() == MOST_SETS {
                self.sets.remove(0);
            }
            self.sets.push(Set { variables: part.variables.clone(), length, inputs: inputs.clone() });
        }
        self.filter(arena, condition, fields, &mut inputs);
        let witness = path.evaluator.witness();
        let mut best: Option<(usize, Vec<Change>)> = None;
        'search: for (index, &word) in inputs.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let input = (index * 64) as u64 + word.trailing_zeros() as u64;
                word &= word - 1;
                let change = |field: &Field| {
                    let value = input >> field.low & ((1 << field.width) - 1);
                    (witness.get(VariableId(field.variable)) != value).then_some((field.variable, value))
                };
                let count = fields.iter().filter(|field| change(field).is_some()).count();
                if best.as_ref().is_none_or(|(least, _)| count < *least) {
                    best = Some((count, fields.iter().filter_map(change).collect()));
                }
                if count == 1 {
                    break 'search;
                }
            }
        }
        match best {
            Some((_, changes)) => Reply::Sat(changes),
            None => Reply::Unsat(part.positions.clone()),
        }
    }

    /// Keeps the inputs that satisfy the condition.
    fn filter(&mut self, arena: &Arena, condition: TermId, fields: &[Field], inputs: &mut [u64]) {
        self.lanes.prepare(arena, condition);
        for (number, words) in inputs.chunks_mut(LANES / 64).enumerate() {
            if words.iter().all(|&word| word == 0) {
                continue;
            }
            let truth = self.lanes.truth(arena, fields, number);
            for (word, truth) in words.iter_mut().zip(truth) {
                *word &= truth;
            }
        }
    }
}

/// All inputs of this many bits.
fn full(bits: u32) -> Vec<u64> {
    if bits >= 6 { vec![u64::MAX; 1 << (bits - 6)] } else { vec![(1 << (1 << bits)) - 1] }
}
