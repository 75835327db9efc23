//! The small-domain layer treats a part with few bits of input as a set of inputs and filters it by evaluation.
//!
//! A part with few conditions on one variable of at most 8 bits, which is typical of parsers, is answered from truth
//! tables that are remembered per condition. Other parts keep the set of inputs left after a prefix of the path. In both,
//! the values of terms are remembered, so that a condition costs as many operators as it has that no earlier one had;
//! small conditions are evaluated anew instead.
//!
//! Where at most half of the inputs are left on the path, tables go on with them alone; where the path is cut, the
//! wider ones are still there. Each list of inputs keeps at most 16 MB of values, all parts together 64 MB; the oldest
//! tables go first.

use pessimum_term::{Arena, Node, Revision, TermId, UnaryOp, VariableId, Witness};

use crate::lanes::Field;
use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Change, Path, Query};
use crate::remaining::Remaining;
use crate::tables::{Late, Tables, Workspace};
use crate::until::Until;
use crate::{LayerName, Why};

/// Bits of input up to which a part is enumerated.
const MOST_BITS: u32 = 16;
/// Values of a variable that has truth tables.
const BYTES: usize = 256;
/// Truth tables kept before all are forgotten.
const MOST_TRUTHS: usize = 1 << 16;
/// Operators and leaves of a condition on one variable up to which no values are kept.
const FEW_TERMS: usize = 16;
/// Conditions on one variable beyond which truth tables are no longer intersected one by one.
const MANY_CONDITIONS: usize = 64;
/// Other parts, whose inputs are kept; those not asked about for longest are dropped first.
const MOST_PARTS: usize = 256;
/// Memory for these parts.
const MOST_MEMORY: usize = 64 << 20;

/// For each value of a variable, whether the condition is true.
type Truth = [u64; BYTES / 64];

/// The small-domain layer.
pub struct SmallDomain {
    /// By term: the index of its truth table plus 1, or 0 if it has none.
    places: Vec<u32>,
    truths: Vec<Truth>,
    /// The arena's revision that `places` is valid for.
    revision: Revision,
    /// Values of terms with one variable, by the value of this variable.
    bytes: Tables,
    /// Parts that have no truth tables; the one asked about last comes last.
    parts: Vec<Remaining>,
    workspace: Workspace,
}

impl Default for SmallDomain {
    fn default() -> SmallDomain {
        SmallDomain {
            places: Vec::new(),
            truths: Vec::new(),
            revision: Revision::default(),
            bytes: Tables::new((0..BYTES as u16).collect()),
            parts: Vec::new(),
            workspace: Workspace::default(),
        }
    }
}

impl Layer for SmallDomain {
    fn name(&self) -> LayerName {
        LayerName::SmallDomain
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply {
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
            [field] if field.width <= 8 && part.positions.len() <= MANY_CONDITIONS => {
                self.one_byte(arena, path, query, field)
            }
            _ if low <= MOST_BITS => {
                let reply = self.several(arena, path, query, fields, limits.until);
                reply.unwrap_or(Reply::GaveUp(Why::Deadline))
            }
            _ => Reply::Pass,
        }
    }

    fn truncated(&mut self, length: usize) {
        self.parts.iter_mut().for_each(|part| part.truncate(length));
    }

    fn restarted(&mut self) {
        self.truncated(0);
    }
}

impl SmallDomain {
    fn one_byte(&mut self, arena: &Arena, path: &Path, query: &mut Query, field: Field) -> Reply {
        let condition = query.condition;
        let part = query.part(path);
        let mut left = self.truth(arena, condition, field);
        let mut core = Vec::new();
        // The latest come first, because what contradicts a condition is mostly close to it.
        for &position in part.positions.iter().rev() {
            let table = self.truth(arena, path.conditions[position as usize], field);
            let before = left;
            for (left, truth) in left.iter_mut().zip(table) {
                *left &= truth;
            }
            if left != before {
                core.push(position);
            }
            if left == [0; BYTES / 64] {
                break;
            }
        }
        if left == [0; BYTES / 64] {
            core.reverse();
            return Reply::Unsat(core);
        }
        let values = (0..1 << field.width).filter(|&value| left[value as usize / 64] >> (value % 64) & 1 == 1);
        let nearest = nearest_value(path.evaluator.witness(), field, values).expect("the set is not empty");
        Reply::Sat(vec![nearest])
    }

    /// The truth table of a condition on one variable.
    fn truth(&mut self, arena: &Arena, condition: TermId, field: Field) -> Truth {
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
            if self.truths.len() == MOST_TRUTHS {
                self.truths.clear();
                self.places.fill(0);
            }
            // Lanes beyond the values of a narrower variable repeat them, so that these values depend on no width.
            let Workspace { small, truth, .. } = &mut self.workspace;
            if small.prepare(arena, atom, FEW_TERMS) {
                small.ask(arena, &[field], self.bytes.inputs(), truth);
            } else {
                // At most 256 values of each term: quick enough to be always finished.
                let all = self.bytes.ask(arena, &[field], atom, &mut self.workspace, &Until::default(), |_, _| false);
                debug_assert!(all.is_ok(), "nothing limits it");
            }
            self.truths.push(std::array::from_fn(|word| self.workspace.truth[word]));
            self.places[atom.index()] = self.truths.len() as u32;
        }
        let mut table = self.truths[self.places[atom.index()] as usize - 1];
        let inputs = 1u32 << field.width;
        for (index, word) in table.iter_mut().enumerate() {
            let here = inputs.saturating_sub(index as u32 * 64);
            let real = if here >= 64 { u64::MAX } else { (1 << here) - 1 };
            *word = (*word ^ flip) & real;
        }
        table
    }

    fn several(
        &mut self,
        arena: &Arena,
        path: &Path,
        query: &mut Query,
        fields: Vec<Field>,
        until: &Until,
    ) -> Result<Reply, Late> {
        let condition = query.condition;
        let part = query.part(path);
        match self.parts.iter().rposition(|part| part.fields() == fields) {
            Some(index) => self.parts[index..].rotate_left(1),
            None => {
                if self.parts.len() == MOST_PARTS {
                    self.parts.remove(0);
                }
                self.parts.push(Remaining::new(fields));
            }
        }
        let remaining = self.parts.last_mut().expect("pushed or found above");
        // The witness satisfies the path but not the condition: if it is the only input left, there is none.
        if remaining.is_single() {
            return Ok(Reply::Unsat(remaining.decisive().to_vec()));
        }
        let before = remaining.bytes();
        remaining.advance(arena, &path.conditions, &part.positions, &mut self.workspace, until)?;
        remaining.restrict(arena, condition, &mut self.workspace, until)?;
        let reply = match nearest(path.evaluator.witness(), remaining.fields(), remaining.found(&self.workspace)) {
            Some(changes) => Reply::Sat(changes),
            None => Reply::Unsat(remaining.decisive().to_vec()),
        };
        if remaining.bytes() > before {
            self.drop_oldest();
        }
        Ok(reply)
    }

    /// Keeps within the memory for parts.
    fn drop_oldest(&mut self) {
        let mut bytes: usize = self.parts.iter().map(Remaining::bytes).sum();
        while bytes > MOST_MEMORY && self.parts.len() > 1 {
            bytes -= self.parts.remove(0).bytes();
        }
        if bytes > MOST_MEMORY {
            self.parts[0].drop_oldest();
        }
    }
}

/// The change to the value that is nearest to the one in the witness.
fn nearest_value(witness: &Witness, field: Field, values: impl Iterator<Item = u64>) -> Option<Change> {
    let old = witness.get(VariableId(field.variable));
    values.min_by_key(|value| value.abs_diff(old)).map(|value| (field.variable, value))
}

/// The changes that lead to one of these inputs. That of a byte is the nearest one; of others it is the first that
/// changes one variable only, or else as few as possible.
fn nearest(witness: &Witness, fields: &[Field], inputs: impl Iterator<Item = u64>) -> Option<Vec<Change>> {
    if let [field] = *fields
        && field.width <= 8
    {
        return nearest_value(witness, field, inputs).map(|change| vec![change]);
    }
    let mut best: Option<(usize, Vec<Change>)> = None;
    for input in inputs {
        let change = |field: &Field| {
            let value = input >> field.low & ((1 << field.width) - 1);
            (witness.get(VariableId(field.variable)) != value).then_some((field.variable, value))
        };
        let count = fields.iter().filter(|field| change(field).is_some()).count();
        if best.as_ref().is_none_or(|(least, _)| count < *least) {
            best = Some((count, fields.iter().filter_map(change).collect()));
        }
        if count == 1 {
            break;
        }
    }
    best.map(|(_, changes)| changes)
}
