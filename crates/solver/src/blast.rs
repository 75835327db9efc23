//! Terms as circuits, each built once.

use pessimum_term::{Arena, BinaryOp, Node, Revision, TermId, UnaryOp, VariableId};
use rustc_hash::FxHashMap;

use crate::circuits::{Bits, as_constant, constant, extended, not};
use crate::floats::{Floats, Format};
use crate::gates::Gates;
use crate::sat::{Literal, Sat};
use crate::{Until, Why};

/// Gates between two looks at the clock: well below a millisecond.
const GATES_PER_LOOK: u32 = 500;

/// Where the bits of a term are.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Index into `bits`, plus 1; 0 for a term not built.
    start: u32,
    /// Whether free bits stand for the result of some operator in this term.
    loose: bool,
}

/// The key of a result that is left open: terms that are equal bit by bit share it even after ids are reused.
type LooseKey = (u8, u8, u32, Bits);

/// What becomes of float arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatArithmetic {
    /// Circuits: models are exact.
    Exact,
    /// Results are free bits (equal operands give equal bits). This costs next to nothing. If there is no model, the
    /// conditions contradict each other; a model must be checked by evaluation.
    Free,
}

/// Translates terms into gates of one SAT solver.
pub struct Blaster {
    pub gates: Gates,
    floats: FloatArithmetic,
    variables: FxHashMap<u32, Bits>,
    loose: FxHashMap<LooseKey, Bits>,
    /// By term.
    places: Vec<Place>,
    bits: Vec<Literal>,
    revision: Revision,
    pending: Vec<TermId>,
}

impl Blaster {
    /// With exact float arithmetic.
    pub fn new(sat: Box<dyn Sat>) -> Blaster {
        Blaster::with(FloatArithmetic::Exact, sat)
    }

    pub fn with(floats: FloatArithmetic, sat: Box<dyn Sat>) -> Blaster {
        Blaster {
            gates: Gates::new(sat),
            floats,
            variables: FxHashMap::default(),
            loose: FxHashMap::default(),
            places: Vec::new(),
            bits: Vec::new(),
            revision: Revision::default(),
            pending: Vec::new(),
        }
    }

    /// The literal of a one-bit term, and whether it depends on free bits. An error if the solver would have more than
    /// `most` variables, or if it is late; what was built by then is kept.
    pub fn literal(
        &mut self,
        arena: &Arena,
        condition: TermId,
        most: u32,
        until: &Until,
    ) -> Result<(Literal, bool), Why> {
        if let Err(why) = self.build(arena, condition, most, until) {
            self.pending.clear();
            return Err(why);
        }
        let place = self.places[condition.index()];
        Ok((self.bits[place.start as usize - 1], place.loose))
    }

    /// The variable's value in the model found last; `None` if no term with this variable was built.
    pub fn value(&mut self, variable: u32) -> Option<u64> {
        let Blaster { gates, variables, .. } = self;
        let bits = variables.get(&variable)?;
        Some(bits.iter().enumerate().fold(0, |value, (index, &bit)| value | (gates.sat.value(bit) as u64) << index))
    }

    fn build(&mut self, arena: &Arena, term: TermId, most: u32, until: &Until) -> Result<(), Why> {
        if self.revision != arena.revision() {
            // Equal structure leads to equal gates, so building terms again adds no clauses.
            self.places.truncate(arena.kept_since(self.revision));
            self.revision = arena.revision();
        }
        if self.places.len() < arena.len() {
            self.places.resize(arena.len(), Place::default());
        }
        self.pending.push(term);
        let mut looked = self.gates.sat.variables();
        while let Some(&current) = self.pending.last() {
            if self.places[current.index()].start != 0 {
                self.pending.pop();
                continue;
            }
            let before = self.pending.len();
            for child in arena.children(current) {
                if self.places[child.index()].start == 0 {
                    self.pending.push(child);
                }
            }
            if self.pending.len() > before {
                continue;
            }
            let count = self.gates.sat.variables();
            if count > most {
                return Err(Why::Circuits);
            }
            // The circuits of one condition may take a tenth of a second.
            if count - looked >= GATES_PER_LOOK {
                looked = count;
                if !until.go_on() {
                    return Err(Why::Deadline);
                }
            }
            self.pending.pop();
            let (bits, own_loose) = self.circuit(arena, current);
            let loose = own_loose || arena.children(current).any(|child| self.places[child.index()].loose);
            self.places[current.index()] = Place { start: self.bits.len() as u32 + 1, loose };
            self.bits.extend(bits);
        }
        Ok(())
    }

    fn of(&self, arena: &Arena, term: TermId) -> Bits {
        let start = self.places[term.index()].start as usize - 1;
        self.bits[start..start + arena.width(term) as usize].to_vec()
    }

    /// The bits of a term whose operands are built.
    fn circuit(&mut self, arena: &Arena, term: TermId) -> (Bits, bool) {
        let width = arena.width(term);
        let bits = match arena.node(term) {
            Node::Constant(value) => constant(width, value),
            Node::Variable(variable) => self.variable(variable, width),
            Node::Extract { of, low } => self.of(arena, of)[low as usize..][..width as usize].to_vec(),
            Node::Concat { high, low } => {
                let mut bits = self.of(arena, low);
                bits.extend(self.of(arena, high));
                bits
            }
            Node::IfThenElse { condition, then, otherwise } => {
                let condition = self.of(arena, condition)[0];
                let (then, otherwise) = (self.of(arena, then), self.of(arena, otherwise));
                self.gates.choose_bits(condition, &then, &otherwise)
            }
            Node::Unary(op, x) => {
                let x = self.of(arena, x);
                if self.leaves_open(arena.node(term), &[&x]) {
                    return (self.free((0, op as u8, width, x)), true);
                }
                unary(&mut self.gates, op, width, &x)
            }
            Node::Binary(op, x, y) => {
                let (mut x, y) = (self.of(arena, x), self.of(arena, y));
                if self.leaves_open(arena.node(term), &[&x, &y]) {
                    x.extend(y);
                    return (self.free((1, op as u8, width, x)), true);
                }
                binary(&mut self.gates, op, &x, &y)
            }
        };
        debug_assert_eq!(bits.len(), width as usize, "{:?}", arena.node(term));
        (bits, false)
    }

    fn variable(&mut self, variable: VariableId, width: u32) -> Bits {
        let Blaster { gates, variables, .. } = self;
        let bits = variables.entry(variable.0).or_default();
        while bits.len() < width as usize {
            bits.push(gates.fresh());
        }
        bits[..width as usize].to_vec()
    }

    fn leaves_open(&self, node: Node, operands: &[&Bits]) -> bool {
        self.floats == FloatArithmetic::Free
            && is_float_arithmetic(node)
            && operands.iter().any(|operand| as_constant(operand).is_none())
    }

    fn free(&mut self, key: LooseKey) -> Bits {
        let Blaster { gates, loose, .. } = self;
        loose.entry(key).or_insert_with_key(|key| (0..key.2).map(|_| gates.fresh()).collect()).clone()
    }
}

pub fn unary(gates: &mut Gates, op: UnaryOp, to: u32, x: &[Literal]) -> Bits {
    match op {
        UnaryOp::Not => not(x),
        UnaryOp::Neg => gates.negate(x),
        UnaryOp::Clz => gates.zeros_before_one(x.iter().copied().rev(), to),
        UnaryOp::Ctz => gates.zeros_before_one(x.iter().copied(), to),
        UnaryOp::Popcnt => gates.count_ones(x),
        UnaryOp::ZeroExtend => extended(x, to, Literal::FALSE),
        UnaryOp::SignExtend => extended(x, to, x[x.len() - 1]),
        UnaryOp::FAbs => with_sign(x, Literal::FALSE),
        UnaryOp::FNeg => with_sign(x, !x[x.len() - 1]),
        UnaryOp::FCeil | UnaryOp::FFloor | UnaryOp::FTrunc | UnaryOp::FNearest => {
            floats(gates, x.len()).round_to_integer(op, x)
        }
        UnaryOp::FSqrt => floats(gates, x.len()).square_root(x),
        UnaryOp::FConvert => floats(gates, x.len()).convert(Format::of_width(to as usize), x),
        UnaryOp::FFromS | UnaryOp::FFromU => floats(gates, to as usize).of_integer(op == UnaryOp::FFromS, x),
        UnaryOp::FToS | UnaryOp::FToU => floats(gates, x.len()).integer_of(op == UnaryOp::FToS, to as usize, x),
    }
}

fn floats(gates: &mut Gates, width: usize) -> Floats<'_> {
    Floats::new(gates, Format::of_width(width))
}

fn with_sign(x: &[Literal], sign: Literal) -> Bits {
    let mut bits = x.to_vec();
    if let Some(last) = bits.last_mut() {
        *last = sign;
    }
    bits
}

pub fn binary(gates: &mut Gates, op: BinaryOp, x: &[Literal], y: &[Literal]) -> Bits {
    use BinaryOp::*;
    let each = |gates: &mut Gates, gate: fn(&mut Gates, Literal, Literal) -> Literal| {
        x.iter().zip(y).map(|(&a, &b)| gate(gates, a, b)).collect()
    };
    match op {
        Add => gates.add(x, y, Literal::FALSE),
        Sub => gates.subtract(x, y),
        Mul => gates.multiply(x, y),
        DivU => gates.divide(x, y).0,
        RemU => gates.divide(x, y).1,
        DivS => gates.divide_signed(x, y).0,
        RemS => gates.divide_signed(x, y).1,
        And => each(gates, Gates::and),
        Or => each(gates, Gates::or),
        Xor => each(gates, Gates::xor),
        Shl | ShrU | ShrS | Rotl | Rotr => {
            let count = gates.count(y);
            match op {
                Shl => gates.shift_left(x, &count),
                ShrU => gates.shift_right(x, &count, Literal::FALSE),
                ShrS => gates.shift_right(x, &count, x[x.len() - 1]),
                Rotl => gates.rotate_left(x, &count),
                _ => gates.rotate_right(x, &count),
            }
        }
        Eq => vec![gates.equal_bits(x, y)],
        LtU => vec![gates.less(x, y, false)],
        LeU => vec![gates.less(x, y, true)],
        LtS => vec![gates.less_signed(x, y, false)],
        LeS => vec![gates.less_signed(x, y, true)],
        FCopysign => with_sign(x, y[y.len() - 1]),
        FEq => vec![floats(gates, x.len()).equal(x, y)],
        FLt => vec![floats(gates, x.len()).less(x, y)],
        FLe => {
            let mut floats = floats(gates, x.len());
            let (less, equal) = (floats.less(x, y), floats.equal(x, y));
            vec![gates.or(less, equal)]
        }
        FMin | FMax => floats(gates, x.len()).extreme(op == FMax, x, y),
        FAdd => floats(gates, x.len()).add(x, y),
        FSub => floats(gates, x.len()).subtract(x, y),
        FMul => floats(gates, x.len()).multiply(x, y),
        FDiv => floats(gates, x.len()).divide(x, y),
    }
}

/// Whether the operator is one of those that [`FloatArithmetic::Free`] leaves open: its circuit has an adder, a shifter
/// or more.
fn is_float_arithmetic(node: Node) -> bool {
    match node {
        Node::Unary(op, _) => op >= UnaryOp::FCeil,
        Node::Binary(op, ..) => matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv),
        _ => false,
    }
}
