//! Terms as sums of variables times constants, modulo a power of two.

use pessimum_term::ops::signed;
use pessimum_term::{Arena, BinaryOp, Node, Revision, TermId, UnaryOp};

use crate::order::Reading;

/// How a sum reads the bits of a variable as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taken {
    /// Signed or unsigned makes no difference. Used only where the variable is at least as wide as the sum, because
    /// the two numbers then differ by a multiple of the sum's modulus.
    Either,
    Signed,
    Unsigned,
}

/// A number that a variable stands for, times a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub variable: u32,
    /// The width of the variable, not of the sum.
    pub width: u8,
    pub taken: Taken,
    pub coefficient: i64,
}

impl Part {
    /// What the coefficient multiplies. Only parts with equal keys may be added up: a variable taken as signed in
    /// one place and as unsigned in another is two numbers until bounds show that they agree.
    fn key(&self) -> (u32, u8, Taken) {
        (self.variable, self.width, self.taken)
    }
}

/// The value of a term of width `w` is this sum modulo `2^w`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Sorted by [`Part::key`], each key once, no coefficient 0.
    pub parts: Vec<Part>,
    pub constant: i64,
}

/// Parts beyond which a term counts as not linear.
const MOST_PARTS: usize = 2_000;
/// Parts kept in all sums together before all are forgotten.
const MOST_KEPT: usize = 1 << 22;

/// The sums of terms, each worked out once.
#[derive(Default)]
pub struct Sums {
    /// By term: the index of its sum plus 2, 1 for a term that is not a sum, 0 for one not looked at yet.
    places: Vec<u32>,
    sums: Vec<Sum>,
    kept: usize,
    revision: Revision,
    pending: Vec<TermId>,
}

impl Sums {
    /// Makes room for the terms of the arena; sums of terms that are gone are forgotten.
    pub fn follow(&mut self, arena: &Arena) {
        if self.revision != arena.revision() {
            self.places.truncate(arena.kept_since(self.revision));
            self.revision = arena.revision();
        }
        if self.kept > MOST_KEPT {
            self.places.clear();
            self.sums.clear();
            self.kept = 0;
        }
        if self.places.len() < arena.len() {
            self.places.resize(arena.len(), 0);
        }
    }

    /// Works out the sum of a term; false if it is not one.
    pub fn build(&mut self, arena: &Arena, term: TermId) -> bool {
        self.pending.push(term);
        while let Some(&current) = self.pending.last() {
            if self.places[current.index()] != 0 {
                self.pending.pop();
                continue;
            }
            let before = self.pending.len();
            if is_linear(arena, current) {
                let open = arena.children(current).filter(|child| self.places[child.index()] == 0);
                self.pending.extend(open);
            }
            if self.pending.len() > before {
                continue;
            }
            self.pending.pop();
            self.places[current.index()] = match self.sum(arena, current) {
                Some(sum) if sum.parts.len() <= MOST_PARTS => {
                    self.kept += sum.parts.len() + 2;
                    self.sums.push(sum);
                    self.sums.len() as u32 + 1
                }
                _ => 1,
            };
        }
        self.get(term).is_some()
    }

    pub fn get(&self, term: TermId) -> Option<&Sum> {
        Some(&self.sums[self.places[term.index()].checked_sub(2)? as usize])
    }

    /// The sum of a term whose operands are worked out.
    fn sum(&self, arena: &Arena, term: TermId) -> Option<Sum> {
        let width = arena.width(term);
        match arena.node(term) {
            Node::Constant(value) => Some(Sum { parts: Vec::new(), constant: signed(width, value) }),
            Node::Variable(variable) => {
                let variable = variable.0;
                let part = Part { variable, width: width as u8, taken: Taken::Either, coefficient: 1 };
                Some(Sum { parts: vec![part], constant: 0 })
            }
            Node::Extract { of, low: 0 } => Some(truncated(self.get(of)?, width)),
            Node::Unary(UnaryOp::Neg, x) => Some(times(self.get(x)?, -1, 0, width)),
            Node::Unary(UnaryOp::Not, x) => Some(times(self.get(x)?, -1, -1, width)),
            Node::Unary(op @ (UnaryOp::ZeroExtend | UnaryOp::SignExtend), x) => {
                extended(self.get(x)?, arena.width(x), op == UnaryOp::SignExtend)
            }
            Node::Binary(BinaryOp::Add, x, y) => Some(plus(self.get(x)?, self.get(y)?, 1, width)),
            Node::Binary(BinaryOp::Sub, x, y) => Some(plus(self.get(x)?, self.get(y)?, -1, width)),
            Node::Binary(BinaryOp::Mul, x, y) => match (arena.as_constant(x), arena.as_constant(y)) {
                (None, Some(factor)) => Some(times(self.get(x)?, signed(width, factor), 0, width)),
                (Some(factor), None) => Some(times(self.get(y)?, signed(width, factor), 0, width)),
                _ => None,
            },
            Node::Binary(BinaryOp::Shl, x, y) => {
                let by = arena.as_constant(y)? % width as u64;
                Some(times(self.get(x)?, signed(width, 1 << by), 0, width))
            }
            _ => None,
        }
    }
}

/// Whether the operands of a term are worth looking at.
fn is_linear(arena: &Arena, term: TermId) -> bool {
    use BinaryOp::{Add, Mul, Shl, Sub};
    match arena.node(term) {
        Node::Extract { low, .. } => low == 0,
        Node::Unary(UnaryOp::Neg | UnaryOp::ZeroExtend | UnaryOp::SignExtend, _) => true,
        Node::Unary(UnaryOp::Not, _) => arena.width(term) > 1,
        Node::Binary(Add | Sub, ..) => true,
        Node::Binary(Mul | Shl, x, y) => arena.as_constant(x).is_some() || arena.as_constant(y).is_some(),
        _ => false,
    }
}

fn reduced(width: u32, number: i64) -> i64 {
    signed(width, number as u64)
}

/// `sum * factor + constant`.
fn times(sum: &Sum, factor: i64, constant: i64, width: u32) -> Sum {
    let scaled = |part: &Part| {
        let coefficient = reduced(width, part.coefficient.wrapping_mul(factor));
        (coefficient != 0).then_some(Part { coefficient, ..*part })
    };
    let parts = sum.parts.iter().filter_map(scaled).collect();
    Sum { parts, constant: reduced(width, sum.constant.wrapping_mul(factor).wrapping_add(constant)) }
}

/// The sum modulo a smaller power of two. A variable at least as wide as the result is one number from here on,
/// however it was taken before.
fn truncated(sum: &Sum, width: u32) -> Sum {
    let mut parts: Vec<Part> = Vec::with_capacity(sum.parts.len());
    for part in &sum.parts {
        let taken = if part.width as u32 >= width { Taken::Either } else { part.taken };
        let part = Part { taken, coefficient: reduced(width, part.coefficient), ..*part };
        match parts.last_mut().filter(|last| last.key() == part.key()) {
            Some(last) => last.coefficient = reduced(width, last.coefficient.wrapping_add(part.coefficient)),
            None => parts.push(part),
        }
    }
    parts.retain(|part| part.coefficient != 0);
    Sum { parts, constant: reduced(width, sum.constant) }
}

/// `one + sign * other`.
pub fn plus(one: &Sum, other: &Sum, sign: i64, width: u32) -> Sum {
    let mut parts: Vec<Part> = Vec::with_capacity(one.parts.len() + other.parts.len());
    let (mut mine, mut theirs) = (one.parts.iter().peekable(), other.parts.iter().peekable());
    loop {
        let take_mine = match (mine.peek(), theirs.peek()) {
            (None, None) => break,
            (Some(one), Some(other)) if one.key() == other.key() => {
                let coefficient = one.coefficient.wrapping_add(other.coefficient.wrapping_mul(sign));
                let coefficient = reduced(width, coefficient);
                if coefficient != 0 {
                    parts.push(Part { coefficient, ..**one });
                }
                mine.next();
                theirs.next();
                continue;
            }
            (Some(one), Some(other)) => one.key() < other.key(),
            (mine, _) => mine.is_some(),
        };
        if take_mine {
            parts.extend(mine.next());
        } else if let Some(&part) = theirs.next() {
            parts.push(Part { coefficient: reduced(width, part.coefficient.wrapping_mul(sign)), ..part });
        }
    }
    Sum { parts, constant: reduced(width, one.constant.wrapping_add(other.constant.wrapping_mul(sign))) }
}

/// The exact number that a sum of `width` bits stands for, if the widths of its variables alone keep it from wrapping.
fn extended(sum: &Sum, width: u32, signed: bool) -> Option<Sum> {
    let own = if signed { Taken::Signed } else { Taken::Unsigned };
    let (mut low, mut high) = (sum.constant as i128, sum.constant as i128);
    let mut parts = Vec::with_capacity(sum.parts.len());
    for &part in &sum.parts {
        // A part that is already taken one way is an exact number in this sum.
        let taken = if part.taken == Taken::Either { own } else { part.taken };
        parts.push(Part { taken, ..part });
        let (smallest, largest) = Reading { width: part.width as u32, signed: taken == Taken::Signed }.range();
        let ends = [smallest, largest].map(|end| end.checked_mul(part.coefficient as i128));
        let [Some(one), Some(other)] = ends else { return None };
        low = low.checked_add(one.min(other))?;
        high = high.checked_add(one.max(other))?;
    }
    let shift = fitting(low, high, Reading { width, signed })?;
    Some(Sum { parts, constant: i64::try_from(sum.constant as i128 + shift).ok()? })
}

/// The multiple of `2^width` that brings all of `low..=high` into the range of the reading.
pub fn fitting(low: i128, high: i128, reading: Reading) -> Option<i128> {
    let (smallest, largest) = reading.range();
    let size = 1i128 << reading.width;
    let times = smallest.checked_sub(low)?.checked_add(size - 1)?.div_euclid(size);
    let shift = times.checked_mul(size)?;
    (high.checked_add(shift)? <= largest).then_some(shift)
}
