//! An equation `term == value` taken apart from the outside: which values its inner terms must have.
//!
//! Each [`Step`] undoes one operator, given the value of what else stands beside it. Where several operands of the inner
//! value are possible (bits that were cut off, the quotient of a remainder), one is drawn.

use pessimum_term::ops::{mask, signed};
use pessimum_term::random::Random;
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::lanes::LANES;

/// A set of free variables, by their places.
pub type Set = u64;

/// How the value of a term determines that of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A constant was added.
    Added(u64),
    /// So many times the value of this peeled term was added.
    AddedPeeled(u64, usize),
    /// It was multiplied by the number of which this is the inverse.
    Multiplied(u64),
    Xored(u64),
    XoredPeeled(usize),
    /// `x ^ x >> k`.
    XoredWithRightShift(u32),
    /// `x ^ x << k`.
    XoredWithLeftShift(u32),
    RotatedLeft(u32),
    ShiftedLeft(u32),
    ShiftedRight(u32),
    /// The bits from this one on were taken.
    Extracted {
        low: u32,
        width: u32,
    },
    Masked(u64),
    /// The remainder of a division by this.
    Remainder(u64),
    ZeroExtended,
    SignExtended {
        to: u32,
    },
    /// These upper bits were put in front.
    Prefixed(u64),
    /// So many of these lower bits were put behind.
    Suffixed {
        bits: u64,
        width: u32,
    },
}

impl Step {
    /// Whether it has a choice, so that another try may end elsewhere.
    fn draws(self) -> bool {
        matches!(
            self,
            Step::ShiftedLeft(_)
                | Step::ShiftedRight(_)
                | Step::Extracted { .. }
                | Step::Masked(_)
                | Step::Remainder(_)
        )
    }
}

/// A sum of multiples of terms, modulo 2^width.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    pub parts: Vec<(u64, TermId)>,
    pub width: u32,
}

/// The equation after the steps: the sum must have the value at which they arrive.
#[derive(Debug, Default)]
pub struct Chain {
    /// Each with the width of the operand.
    steps: Vec<(Step, u32)>,
    /// Terms whose values the steps need.
    pub peeled: Vec<TermId>,
    /// The variables of the peeled terms.
    pub back: Set,
    /// What is left.
    pub front: Sum,
    /// Whether a step has a choice.
    pub draws: bool,
}

/// The terms of an equation's side and what they depend on.
#[derive(Default)]
pub struct Terms {
    sets: FxHashMap<TermId, Set>,
    order: Vec<TermId>,
}

impl Terms {
    /// Looks at a term; false if it consists of more than so many, or has float operators.
    pub fn prepare(&mut self, arena: &Arena, root: TermId, most: usize, place: impl Fn(u32) -> Option<usize>) -> bool {
        self.sets.clear();
        self.order.clear();
        self.order.push(root);
        self.sets.insert(root, 0);
        let mut next = 0;
        while let Some(&term) = self.order.get(next) {
            next += 1;
            let is_float = match arena.node(term) {
                Node::Unary(op, _) => op.is_float(),
                Node::Binary(op, ..) => op.is_float(),
                _ => false,
            };
            if is_float || self.order.len() > most {
                return false;
            }
            for child in arena.children(term) {
                if self.sets.insert(child, 0).is_none() {
                    self.order.push(child);
                }
            }
        }
        // Operands have smaller ids than the term.
        self.order.sort_unstable();
        for &term in &self.order {
            let set = match arena.node(term) {
                Node::Variable(variable) => place(variable.0).map_or(0, |place| 1 << place),
                _ => arena.children(term).fold(0, |set, child| set | self.sets[&child]),
            };
            self.sets.insert(term, set);
        }
        true
    }

    /// The free variables of a term.
    pub fn set(&self, term: TermId) -> Set {
        self.sets.get(&term).copied().unwrap_or(0)
    }
}

/// Takes equations apart.
pub struct Builder<'a, V: FnMut(TermId) -> u64> {
    pub arena: &'a Arena,
    pub terms: &'a Terms,
    /// The value of a term without free variables.
    pub value: V,
}

impl<V: FnMut(TermId) -> u64> Builder<'_, V> {
    /// Takes the term apart until `is_enough` of the variables are peeled off, or as far as possible.
    pub fn chain(&mut self, root: TermId, is_enough: impl Fn(Set) -> bool) -> Chain {
        let mut chain = Chain::default();
        let mut current = root;
        loop {
            let (mut sum, constant) = self.flatten(current);
            chain.push(Step::Added(constant), sum.width);
            let main = (0..sum.parts.len()).max_by_key(|&index| self.terms.set(sum.parts[index].1).count_ones());
            if let Some(main) = main {
                sum.parts.swap(0, main);
            }
            while sum.parts.len() > 1 && !is_enough(chain.back) {
                let rest = sum.parts.iter().map(|&(_, part)| self.terms.set(part));
                let Some(last) = independent(rest) else { break };
                let (factor, part) = sum.parts.remove(last);
                let place = chain.peel(part, self.terms.set(part));
                chain.push(Step::AddedPeeled(factor, place), sum.width);
            }
            chain.front = sum;
            let &[(factor, part)] = &chain.front.parts[..] else { return chain };
            // Nothing is gained by undoing the operators of a term that is tabulated anyway.
            if is_enough(chain.back) {
                return chain;
            }
            let width = chain.front.width;
            let twos = factor.trailing_zeros();
            if factor != 1 {
                chain.push(Step::Multiplied(inverse(factor >> twos)), width);
                if twos > 0 {
                    chain.push(Step::ShiftedLeft(twos), width);
                }
                chain.front.parts[0].0 = 1;
            }
            match self.inside(&mut chain, part) {
                Some(inner) => current = inner,
                None => return chain,
            }
        }
    }

    /// The term as a sum of others that are no sums, and the constant that is left.
    fn flatten(&mut self, term: TermId) -> (Sum, u64) {
        let width = self.arena.width(term);
        let (mut constant, mut parts) = (0u64, Vec::new());
        // The largest id first: all uses of a term come before its operands.
        let mut open = BTreeMap::from([(term, 1u64)]);
        while let Some((term, factor)) = open.pop_last() {
            if self.terms.set(term) == 0 {
                constant = constant.wrapping_add(factor.wrapping_mul((self.value)(term)));
                continue;
            }
            let mut add = |term: TermId, times: u64| {
                let entry = open.entry(term).or_insert(0);
                *entry = entry.wrapping_add(factor.wrapping_mul(times));
            };
            match self.arena.node(term) {
                Node::Binary(BinaryOp::Add, x, y) => {
                    add(x, 1);
                    add(y, 1);
                }
                Node::Binary(BinaryOp::Sub, x, y) => {
                    add(x, 1);
                    add(y, u64::MAX);
                }
                Node::Unary(UnaryOp::Neg, x) => add(x, u64::MAX),
                Node::Binary(BinaryOp::Mul, x, y) if self.terms.set(y) == 0 => add(x, (self.value)(y)),
                Node::Binary(BinaryOp::Mul, x, y) if self.terms.set(x) == 0 => add(y, (self.value)(x)),
                _ if factor & mask(width) == 0 => {}
                _ => match shift_of(self.arena, term) {
                    Some((BinaryOp::Shl, x, count)) => add(x, 1 << count),
                    _ => parts.push((factor & mask(width), term)),
                },
            }
        }
        (Sum { parts, width }, constant & mask(width))
    }

    /// Adds the steps that lead to an operand of the term, and returns it; none if the operator cannot be undone.
    fn inside(&mut self, chain: &mut Chain, term: TermId) -> Option<TermId> {
        let arena = self.arena;
        let width = arena.width(term);
        let is_free = |term: TermId| self.terms.set(term) != 0;
        let inner = match arena.node(term) {
            Node::Binary(BinaryOp::Xor, x, y) => return self.inside_xor(chain, x, y),
            Node::Binary(op, x, y) if is_free(x) && !is_free(y) => {
                let constant = (self.value)(y);
                let count = (constant % u64::from(width)) as u32;
                let step = match op {
                    BinaryOp::And => Step::Masked(constant),
                    BinaryOp::RemU if constant > 1 => Step::Remainder(constant),
                    BinaryOp::ShrU => Step::ShiftedRight(count),
                    BinaryOp::Rotl => Step::RotatedLeft(count),
                    BinaryOp::Rotr => Step::RotatedLeft((width - count) % width),
                    _ => return None,
                };
                chain.push(step, width);
                x
            }
            Node::Binary(BinaryOp::And, x, y) if is_free(y) && !is_free(x) => {
                chain.push(Step::Masked((self.value)(x)), width);
                y
            }
            Node::Unary(UnaryOp::Not, x) => {
                chain.push(Step::Xored(mask(width)), width);
                x
            }
            Node::Unary(UnaryOp::ZeroExtend, x) => {
                chain.push(Step::ZeroExtended, arena.width(x));
                x
            }
            Node::Unary(UnaryOp::SignExtend, x) => {
                chain.push(Step::SignExtended { to: width }, arena.width(x));
                x
            }
            Node::Extract { of, low } => {
                chain.push(Step::Extracted { low, width }, arena.width(of));
                of
            }
            Node::Concat { high, low } if rotation_of(arena, high, low).is_some() => {
                let (x, count) = rotation_of(arena, high, low)?;
                chain.push(Step::RotatedLeft(count), width);
                x
            }
            Node::Concat { high, low } if !is_free(high) => {
                chain.push(Step::Prefixed((self.value)(high)), arena.width(low));
                low
            }
            Node::Concat { high, low } if !is_free(low) => {
                let (bits, width) = ((self.value)(low), arena.width(low));
                chain.push(Step::Suffixed { bits, width }, arena.width(high));
                high
            }
            _ => return None,
        };
        Some(inner)
    }

    fn inside_xor(&mut self, chain: &mut Chain, x: TermId, y: TermId) -> Option<TermId> {
        let width = self.arena.width(x);
        for (x, y) in [(x, y), (y, x)] {
            if self.terms.set(y) == 0 {
                chain.push(Step::Xored((self.value)(y)), width);
                return Some(x);
            }
        }
        for (x, y) in [(x, y), (y, x)] {
            let step = match shift_of(self.arena, y) {
                Some((BinaryOp::ShrU, of, count)) if of == x && count > 0 => Step::XoredWithRightShift(count),
                Some((BinaryOp::Shl, of, count)) if of == x && count > 0 => Step::XoredWithLeftShift(count),
                _ => continue,
            };
            chain.push(step, width);
            return Some(x);
        }
        if self.terms.set(x) & self.terms.set(y) != 0 {
            return None;
        }
        let is_first_larger = self.terms.set(x).count_ones() >= self.terms.set(y).count_ones();
        let (main, beside) = if is_first_larger { (x, y) } else { (y, x) };
        let place = chain.peel(beside, self.terms.set(beside));
        chain.push(Step::XoredPeeled(place), width);
        Some(main)
    }
}

/// The last of these sets, the first excepted, that shares nothing with the others.
fn independent(sets: impl ExactSizeIterator<Item = Set> + Clone) -> Option<usize> {
    (1..sets.len()).rev().find(|&index| {
        let own = sets.clone().nth(index).unwrap_or(0);
        sets.clone().enumerate().all(|(other, set)| other == index || set & own == 0)
    })
}

/// A shift by a constant, also where rewriting has made an extraction of a shift to the right or a concatenation of one
/// to the left.
fn shift_of(arena: &Arena, term: TermId) -> Option<(BinaryOp, TermId, u32)> {
    let width = arena.width(term);
    let upper = |cut: TermId| match arena.node(cut) {
        Node::Extract { of, low } if arena.width(of) == width && arena.width(cut) == width - low => {
            Some((BinaryOp::ShrU, of, low))
        }
        _ => None,
    };
    match arena.node(term) {
        Node::Binary(op @ (BinaryOp::ShrU | BinaryOp::Shl), of, count) => {
            Some((op, of, (arena.as_constant(count)? % u64::from(width)) as u32))
        }
        Node::Unary(UnaryOp::ZeroExtend, cut) => upper(cut),
        Node::Concat { high, low } if arena.as_constant(high) == Some(0) => upper(low),
        Node::Concat { high, low } if arena.as_constant(low) == Some(0) => match arena.node(high) {
            Node::Extract { of, low: 0 } if arena.width(of) == width => Some((BinaryOp::Shl, of, arena.width(low))),
            _ => None,
        },
        _ => None,
    }
}

/// What is rotated to the left, and by how much, where the lower bits of a term stand above its upper ones.
fn rotation_of(arena: &Arena, high: TermId, low: TermId) -> Option<(TermId, u32)> {
    match (arena.node(high), arena.node(low)) {
        (Node::Extract { of, low: 0 }, Node::Extract { of: same, low: from })
            if of == same && from == arena.width(high) && from + arena.width(low) == arena.width(of) =>
        {
            Some((of, arena.width(low)))
        }
        _ => None,
    }
}

/// The number by which an odd one is multiplied to give 1 modulo 2^64. Each step of Newton's method doubles the bits that
/// are right, of which an odd number itself has three.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |guess, _| guess.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(guess))))
}

/// Tries that go on side by side.
pub struct Lanes {
    pub values: [u64; LANES],
    /// Whether the steps so far could be undone.
    pub alive: [bool; LANES],
}

impl Chain {
    fn push(&mut self, step: Step, width: u32) {
        self.draws |= step.draws();
        if step != Step::Added(0) {
            self.steps.push((step, width));
        }
    }

    fn peel(&mut self, term: TermId, variables: Set) -> usize {
        self.back |= variables;
        self.peeled.push(term);
        self.peeled.len() - 1
    }

    /// From the value of the whole term to that of [`Chain::front`], in every lane.
    pub fn undo(&self, value: u64, lanes: &mut Lanes, peeled: &[&[u64; LANES]], random: &mut Random) {
        lanes.values.fill(value);
        lanes.alive.fill(true);
        for &(step, width) in &self.steps {
            undo(step, width, lanes, peeled, random);
            lanes.values.iter_mut().for_each(|value| *value &= mask(width));
        }
    }
}

/// Undoes one operator in every lane; `width` is that of the operand. Bits above it may be set afterwards.
fn undo(step: Step, width: u32, lanes: &mut Lanes, peeled: &[&[u64; LANES]], random: &mut Random) {
    let Lanes { values, alive } = lanes;
    let each =
        |values: &mut [u64; LANES], f: &dyn Fn(u64) -> u64| values.iter_mut().for_each(|value| *value = f(*value));
    // Lanes whose value the operator cannot have are out.
    let mut demand = |values: &[u64; LANES], f: &dyn Fn(u64) -> bool| {
        alive.iter_mut().zip(values).for_each(|(alive, &value)| *alive &= f(value));
    };
    match step {
        Step::Added(constant) => values.iter_mut().for_each(|value| *value = value.wrapping_sub(constant)),
        Step::AddedPeeled(factor, place) => {
            for (value, beside) in values.iter_mut().zip(peeled[place]) {
                *value = value.wrapping_sub(factor.wrapping_mul(*beside));
            }
        }
        Step::Multiplied(inverse) => values.iter_mut().for_each(|value| *value = value.wrapping_mul(inverse)),
        Step::Xored(constant) => values.iter_mut().for_each(|value| *value ^= constant),
        Step::XoredPeeled(place) => {
            for (value, beside) in values.iter_mut().zip(peeled[place]) {
                *value ^= beside;
            }
        }
        // Doubling the distance each time, x ^ x >> k is undone as a product of (1 + s^k) is: by (1 + s^k)(1 + s^2k)...
        Step::XoredWithRightShift(count) => {
            for shift in doublings(count, width) {
                values.iter_mut().for_each(|value| *value ^= *value >> shift);
            }
        }
        Step::XoredWithLeftShift(count) => {
            for shift in doublings(count, width) {
                values.iter_mut().for_each(|value| *value ^= *value << shift);
            }
        }
        Step::RotatedLeft(count) => {
            each(values, &|value| value >> count | value.checked_shl(width - count).unwrap_or(0));
        }
        Step::ShiftedLeft(count) => {
            demand(values, &|value| value & !(u64::MAX << count) == 0);
            values.iter_mut().for_each(|value| *value = *value >> count | random.bits() << (width - count));
        }
        Step::ShiftedRight(count) => {
            demand(values, &|value| value <= mask(width) >> count);
            values.iter_mut().for_each(|value| *value = *value << count | random.bits() & !(u64::MAX << count));
        }
        Step::Extracted { low, width: taken } => {
            let kept = mask(taken) << low;
            values.iter_mut().for_each(|value| *value = *value << low & kept | random.bits() & !kept);
        }
        Step::Masked(bits) => {
            demand(values, &|value| value & !bits == 0);
            values.iter_mut().for_each(|value| *value |= random.bits() & !bits);
        }
        Step::Remainder(divisor) => {
            demand(values, &|value| value < divisor);
            for value in values.iter_mut() {
                // The quotients that keep the sum within the width.
                let most = mask(width).saturating_sub(*value) / divisor;
                *value = value.wrapping_add(divisor.wrapping_mul(scaled(random.bits(), most)));
            }
        }
        Step::ZeroExtended => demand(values, &|value| value <= mask(width)),
        Step::SignExtended { to } => {
            demand(values, &|value| signed(width, value & mask(width)) as u64 & mask(to) == value)
        }
        Step::Prefixed(bits) => demand(values, &|value| value.checked_shr(width).unwrap_or(0) == bits),
        Step::Suffixed { bits, width } => {
            demand(values, &|value| value & mask(width) == bits);
            each(values, &|value| value >> width);
        }
    }
}

/// `count`, twice that, and so on, below the width.
fn doublings(count: u32, width: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(count), |&shift| shift.checked_mul(2)).take_while(move |&shift| shift < width)
}

/// Random bits as a number of at most `most`.
pub fn scaled(bits: u64, most: u64) -> u64 {
    ((u128::from(bits) * (u128::from(most) + 1)) >> 64) as u64
}
