//! Terms as circuits, each built once.

use pessimum_term::{Arena, BinaryOp, Node, Revision, TermId, UnaryOp, VariableId};
use rustc_hash::FxHashMap;

use crate::circuits::{Bits, as_constant, constant, not};
use crate::gates::Gates;
use crate::sat::{Literal, Sat};

/// Where the bits of a term are.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Index into `bits`, plus 1; 0 for a term not built.
    start: u32,
    /// Whether free bits stand for the result of some operator without a circuit in this term.
    loose: bool,
}

/// The key of a result without a circuit: terms that are equal bit by bit share it even after ids are reused.
type LooseKey = (u8, u8, u32, Bits);

/// Translates terms into gates of one SAT solver.
///
/// Float arithmetic has no circuit: its results are free bits (equal operands give equal bits). So if there is
/// no model, the conditions contradict each other, but a model must be checked by evaluation.
pub struct Blaster {
    pub gates: Gates,
    variables: FxHashMap<u32, Bits>,
    loose: FxHashMap<LooseKey, Bits>,
    /// By term.
    places: Vec<Place>,
    bits: Vec<Literal>,
    revision: Revision,
    pending: Vec<TermId>,
}

impl Blaster {
    pub fn new(sat: Box<dyn Sat>) -> Blaster {
        Blaster {
            gates: Gates::new(sat),
            variables: FxHashMap::default(),
            loose: FxHashMap::default(),
            places: Vec::new(),
            bits: Vec::new(),
            revision: Revision::default(),
            pending: Vec::new(),
        }
    }

    /// The literal of a one-bit term, and whether it depends on free bits. `None` if the solver would have more than
    /// `most` variables; what was built by then is kept.
    pub fn literal(&mut self, arena: &Arena, condition: TermId, most: u32) -> Option<(Literal, bool)> {
        if !self.build(arena, condition, most) {
            self.pending.clear();
            return None;
        }
        let place = self.places[condition.index()];
        Some((self.bits[place.start as usize - 1], place.loose))
    }

    /// The variable's value in the model found last; `None` if no term with this variable was built.
    pub fn value(&mut self, variable: u32) -> Option<u64> {
        let Blaster { gates, variables, .. } = self;
        let bits = variables.get(&variable)?;
        Some(bits.iter().enumerate().fold(0, |value, (index, &bit)| value | (gates.sat.value(bit) as u64) << index))
    }

    /// False if it gave up because of the number of variables.
    fn build(&mut self, arena: &Arena, term: TermId, most: u32) -> bool {
        if self.revision != arena.revision() {
            // Equal structure leads to equal gates, so building terms again adds no clauses.
            self.places.truncate(arena.kept_since(self.revision));
            self.revision = arena.revision();
        }
        if self.places.len() < arena.len() {
            self.places.resize(arena.len(), Place::default());
        }
        self.pending.push(term);
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
            if self.gates.sat.variables() > most {
                return false;
            }
            self.pending.pop();
            let (bits, own_loose) = self.circuit(arena, current);
            let loose = own_loose || arena.children(current).any(|child| self.places[child.index()].loose);
            self.places[current.index()] = Place { start: self.bits.len() as u32 + 1, loose };
            self.bits.extend(bits);
        }
        true
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
                match unary(&mut self.gates, op, width, &x) {
                    Some(bits) => bits,
                    None => return (self.free((0, op as u8, width, x)), true),
                }
            }
            Node::Binary(op, x, y) => {
                let (mut x, y) = (self.of(arena, x), self.of(arena, y));
                match binary(&mut self.gates, op, &x, &y) {
                    Some(bits) => bits,
                    None => {
                        x.extend(y);
                        return (self.free((1, op as u8, width, x)), true);
                    }
                }
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

    fn free(&mut self, key: LooseKey) -> Bits {
        let Blaster { gates, loose, .. } = self;
        loose.entry(key).or_insert_with_key(|key| (0..key.2).map(|_| gates.fresh()).collect()).clone()
    }
}

fn unary(gates: &mut Gates, op: UnaryOp, to: u32, x: &[Literal]) -> Option<Bits> {
    let from = x.len() as u32;
    Some(match op {
        UnaryOp::Not => not(x),
        UnaryOp::Neg => gates.negate(x),
        UnaryOp::Clz => gates.zeros_before_one(x.iter().copied().rev(), to),
        UnaryOp::Ctz => gates.zeros_before_one(x.iter().copied(), to),
        UnaryOp::Popcnt => gates.count_ones(x),
        UnaryOp::ZeroExtend => extended(x, to, Literal::FALSE),
        UnaryOp::SignExtend => extended(x, to, x[from as usize - 1]),
        UnaryOp::FAbs => with_sign(x, Literal::FALSE),
        UnaryOp::FNeg => with_sign(x, !x[from as usize - 1]),
        UnaryOp::FCeil
        | UnaryOp::FFloor
        | UnaryOp::FTrunc
        | UnaryOp::FNearest
        | UnaryOp::FSqrt
        | UnaryOp::FConvert
        | UnaryOp::FFromS
        | UnaryOp::FFromU
        | UnaryOp::FToS
        | UnaryOp::FToU => {
            let value = as_constant(x)?;
            constant(to, pessimum_term::ops::unary(op, from, to, value))
        }
    })
}

fn extended(x: &[Literal], to: u32, fill: Literal) -> Bits {
    let mut bits = x.to_vec();
    bits.resize(to as usize, fill);
    bits
}

fn with_sign(x: &[Literal], sign: Literal) -> Bits {
    let mut bits = x.to_vec();
    if let Some(last) = bits.last_mut() {
        *last = sign;
    }
    bits
}

fn binary(gates: &mut Gates, op: BinaryOp, x: &[Literal], y: &[Literal]) -> Option<Bits> {
    use BinaryOp::*;
    let each = |gates: &mut Gates, gate: fn(&mut Gates, Literal, Literal) -> Literal| {
        x.iter().zip(y).map(|(&a, &b)| gate(gates, a, b)).collect()
    };
    Some(match op {
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
        FEq => vec![float_equal(gates, x, y)],
        FLt => vec![float_less(gates, x, y)],
        FLe => {
            let (less, equal) = (float_less(gates, x, y), float_equal(gates, x, y));
            vec![gates.or(less, equal)]
        }
        FMin | FMax => float_extreme(gates, op == FMax, x, y),
        FAdd | FSub | FMul | FDiv => {
            let width = x.len() as u32;
            constant(width, pessimum_term::ops::binary(op, width, as_constant(x)?, as_constant(y)?))
        }
    })
}

/// Bits of the fraction of an IEEE 754 number of this width.
fn fraction_bits(width: usize) -> usize {
    if width == 32 { 23 } else { 52 }
}

fn is_nan(gates: &mut Gates, x: &[Literal]) -> Literal {
    let (fraction, rest) = x.split_at(fraction_bits(x.len()));
    let exponent = gates.all(rest[..rest.len() - 1].iter().copied());
    let some = gates.any(fraction.iter().copied());
    gates.and(exponent, some)
}

fn is_zero(gates: &mut Gates, x: &[Literal]) -> Literal {
    !gates.any(x[..x.len() - 1].iter().copied())
}

fn ordered(gates: &mut Gates, x: &[Literal], y: &[Literal]) -> Literal {
    let (a, b) = (is_nan(gates, x), is_nan(gates, y));
    gates.and(!a, !b)
}

fn float_equal(gates: &mut Gates, x: &[Literal], y: &[Literal]) -> Literal {
    let (zero_x, zero_y) = (is_zero(gates, x), is_zero(gates, y));
    let zeros = gates.and(zero_x, zero_y);
    let same = gates.equal_bits(x, y);
    let equal = gates.or(zeros, same);
    let ordered = ordered(gates, x, y);
    gates.and(ordered, equal)
}

/// Sign and magnitude: negative numbers compare the other way round, and the two zeros are equal.
fn float_less(gates: &mut Gates, x: &[Literal], y: &[Literal]) -> Literal {
    let last = x.len() - 1;
    let (sign_x, sign_y) = (x[last], y[last]);
    let (smaller, larger) = (gates.less(&x[..last], &y[..last], false), gates.less(&y[..last], &x[..last], false));
    let both_negative = larger;
    let both_positive = smaller;
    let (zero_x, zero_y) = (is_zero(gates, x), is_zero(gates, y));
    let zeros = gates.and(zero_x, zero_y);
    // Where the signs differ, x is smaller if it is the negative one and they are not both zero.
    let mixed = gates.and(sign_x, !zeros);
    let same_sign = gates.choose(sign_x, both_negative, both_positive);
    let differ = gates.xor(sign_x, sign_y);
    let less = gates.choose(differ, mixed, same_sign);
    let ordered = ordered(gates, x, y);
    gates.and(ordered, less)
}

fn float_extreme(gates: &mut Gates, largest: bool, x: &[Literal], y: &[Literal]) -> Bits {
    let width = x.len() as u32;
    let less = if largest { float_less(gates, y, x) } else { float_less(gates, x, y) };
    let chosen = gates.choose_bits(less, x, y);
    // Equal numbers have equal bits or are zeros; the minimum of two zeros is negative if either of them is.
    let equal = float_equal(gates, x, y);
    let last = x.len() - 1;
    let sign = if largest { gates.and(x[last], y[last]) } else { gates.or(x[last], y[last]) };
    let same = with_sign(x, sign);
    let number = gates.choose_bits(equal, &same, &chosen);
    let ordered = ordered(gates, x, y);
    let nan = if width == 32 { 0x7fc0_0000 } else { 0x7ff8_0000_0000_0000 };
    gates.choose_bits(ordered, &number, &constant(width, nan))
}
