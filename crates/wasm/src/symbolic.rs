//! The symbolic domain: a value is a bit pattern or a term over the input.
//!
//! Whatever does not depend on the input stays a bit pattern and costs what it costs in [`crate::Concrete`] plus one
//! test. A term that folds to a constant becomes a bit pattern again at once, so `known` misses a constant only where
//! the arena's rewriting does.

use std::rc::Rc;

use pessimum_term::{Arena, BinaryOp, Evaluator, Node, TermId, UnaryOp, VariableId, ops};

use crate::domain::Domain;
use crate::machine::{Event, Machine};
use crate::memory::{Memory, PAGE, Pages};

/// A value of the symbolic domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolicValue {
    /// The value if there is no term; 0 if there is one.
    bits: u64,
    term: Option<TermId>,
}

impl SymbolicValue {
    /// The term, for a value that depends on the input.
    pub fn term(self) -> Option<TermId> {
        self.term
    }
}

/// A byte of memory: a bit pattern, or one byte of a term.
///
/// Storing a value keeps the whole value's term for each of its bytes, so that a load of the same bytes gives the value
/// back without making a term.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymbolicByte {
    bits: u8,
    /// Which byte of the term (0 is the lowest).
    index: u8,
    term: Option<TermId>,
}

impl SymbolicByte {
    /// The term that the byte is a part of, and which byte of it, for a byte that depends on the input.
    pub(crate) fn part(self) -> Option<(TermId, u8)> {
        self.term.map(|term| (term, self.index))
    }
}

/// A piece of shadow covers this many bytes.
const PIECE: usize = 64;

/// The terms of a page's bytes, in pieces that are shared until written: a machine that is cloned at a decision and
/// writes one value copies one piece.
#[derive(Clone, Default)]
pub struct Shadow {
    pieces: Option<Box<[Option<Rc<Piece>>; PAGE / PIECE]>>,
}

type Piece = [Option<(TermId, u8)>; PIECE];

impl Shadow {
    /// Whether every byte of the page is known. The other direction may fail: a byte that was overwritten leaves its piece.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_none()
    }

    /// The byte at an offset in a page, whose bits are these if it is known.
    #[inline]
    pub(crate) fn byte(&self, bits: u8, offset: usize) -> SymbolicByte {
        let piece = self.pieces.as_ref().and_then(|pieces| pieces[offset / PIECE].as_ref());
        match piece.and_then(|piece| piece[offset % PIECE]) {
            Some((term, index)) => SymbolicByte { bits: 0, index, term: Some(term) },
            None => SymbolicByte { bits, index: 0, term: None },
        }
    }

    /// Puts a byte at an offset in a page; returns the bits to keep there.
    #[inline]
    pub(crate) fn set_byte(&mut self, offset: usize, byte: SymbolicByte) -> u8 {
        let entry = byte.term.map(|term| (term, byte.index));
        match (&mut self.pieces, entry) {
            (None, None) => {}
            (Some(pieces), None) => {
                if let Some(piece) = &mut pieces[offset / PIECE]
                    && piece[offset % PIECE].is_some()
                {
                    Rc::make_mut(piece)[offset % PIECE] = None;
                }
            }
            (pieces, entry) => {
                let pieces = pieces.get_or_insert_with(|| Box::new([const { None }; PAGE / PIECE]));
                let piece = pieces[offset / PIECE].get_or_insert_with(|| Rc::new([None; PIECE]));
                Rc::make_mut(piece)[offset % PIECE] = entry;
            }
        }
        byte.bits
    }
}

/// Execution over terms of one arena.
#[derive(Default)]
pub struct Symbolic {
    /// Where terms are made. Whoever drives the machine moves the arena in before a run and out after it, so that the
    /// machine itself has no lifetime and can be kept across runs.
    pub arena: Arena,
    /// For reading tables: the value of an address for each value of the one variable it depends on.
    evaluator: Evaluator,
}

impl Symbolic {
    /// The term of a value of this width.
    pub fn term(&mut self, width: u32, value: SymbolicValue) -> TermId {
        match value.term {
            Some(term) => {
                debug_assert_eq!(self.arena.width(term), width, "a value is used in the width it was made in");
                term
            }
            None => self.arena.constant(width, value.bits),
        }
    }

    /// The value of a term.
    pub fn value(&self, term: TermId) -> SymbolicValue {
        match self.arena.as_constant(term) {
            Some(bits) => SymbolicValue { bits, term: None },
            None => SymbolicValue { bits: 0, term: Some(term) },
        }
    }

    #[cold]
    #[inline(never)]
    fn unary_term(&mut self, op: UnaryOp, from: u32, to: u32, x: SymbolicValue) -> SymbolicValue {
        let x = self.term(from, x);
        let result = self.arena.unary(op, to, x);
        self.value(result)
    }

    #[cold]
    #[inline(never)]
    fn binary_term(&mut self, op: BinaryOp, width: u32, x: SymbolicValue, y: SymbolicValue) -> SymbolicValue {
        let (x, y) = (self.term(width, x), self.term(width, y));
        let result = self.arena.binary(op, x, y);
        self.value(result)
    }

    #[cold]
    #[inline(never)]
    fn compare_term(
        &mut self,
        op: BinaryOp,
        negate: bool,
        width: u32,
        x: SymbolicValue,
        y: SymbolicValue,
    ) -> SymbolicValue {
        let (x, y) = (self.term(width, x), self.term(width, y));
        let result = self.arena.comparison(op, negate, 32, x, y);
        self.value(result)
    }

    /// The byte as a term of width 8.
    fn byte_term(&mut self, byte: SymbolicByte) -> TermId {
        match byte.term {
            Some(term) => self.arena.extract(term, 8 * u32::from(byte.index), 8),
            None => self.arena.constant(8, u64::from(byte.bits)),
        }
    }

    /// The one variable that a term depends on, if it is at most a byte wide.
    fn small_variable(&self, term: TermId) -> Option<(TermId, VariableId)> {
        // Addresses are sums, shifts and extensions: a few nodes. Larger terms are not worth walking.
        const NODES: usize = 64;
        let mut found: Option<TermId> = None;
        let mut open = vec![term];
        for _ in 0..NODES {
            let Some(next) = open.pop() else { break };
            match self.arena.node(next) {
                Node::Variable(_) if found.is_none_or(|found| found == next) => found = Some(next),
                Node::Variable(_) => return None,
                _ => open.extend(self.arena.children(next)),
            }
        }
        let variable = found.filter(|&found| open.is_empty() && self.arena.width(found) <= 8)?;
        Some((variable, self.arena.as_variable(variable)?))
    }

    /// A table as a balanced tree of comparisons of the variable. A leaf holds the first value of the variable to which
    /// it applies; it applies up to the next leaf.
    fn table_term(&mut self, variable: TermId, first: u64, leaves: &[(u64, TermId)]) -> TermId {
        debug_assert!(leaves[0].0 <= first);
        if let [(_, leaf)] = leaves {
            return *leaf;
        }
        let (low, high) = leaves.split_at(leaves.len() / 2);
        let (boundary, width) = (high[0].0, self.arena.width(variable));
        let below = self.table_term(variable, first, low);
        let above = self.table_term(variable, boundary, high);
        let boundary = self.arena.constant(width, boundary);
        let is_below = self.arena.binary(BinaryOp::LtU, variable, boundary);
        self.arena.if_then_else(is_below, below, above)
    }
}

impl Domain for Symbolic {
    type Value = SymbolicValue;
    type Byte = SymbolicByte;
    type Bytes = Pages;
    const SYMBOLIC: bool = true;

    #[inline(never)]
    fn drive(&mut self, machine: &mut Machine<Self>) -> Event<Self::Value> {
        machine.interpret(self)
    }

    #[inline(always)]
    fn constant(bits: u64) -> SymbolicValue {
        SymbolicValue { bits, term: None }
    }

    #[inline(always)]
    fn known(value: SymbolicValue) -> Option<u64> {
        match value.term {
            None => Some(value.bits),
            Some(_) => None,
        }
    }

    fn as_term(value: SymbolicValue) -> Option<TermId> {
        value.term
    }

    fn of_term(&mut self, term: TermId) -> SymbolicValue {
        self.value(term)
    }

    #[inline(always)]
    fn unary(&mut self, op: UnaryOp, from: u32, to: u32, x: SymbolicValue) -> SymbolicValue {
        match x.term {
            None => Self::constant(ops::unary(op, from, to, x.bits)),
            Some(_) => self.unary_term(op, from, to, x),
        }
    }

    #[inline(always)]
    fn binary(&mut self, op: BinaryOp, width: u32, x: SymbolicValue, y: SymbolicValue) -> SymbolicValue {
        match (x.term, y.term) {
            (None, None) => Self::constant(ops::binary(op, width, x.bits, y.bits)),
            _ => self.binary_term(op, width, x, y),
        }
    }

    #[inline(always)]
    fn compare(&mut self, op: BinaryOp, negate: bool, width: u32, x: SymbolicValue, y: SymbolicValue) -> SymbolicValue {
        match (x.term, y.term) {
            (None, None) => Self::constant(ops::binary(op, width, x.bits, y.bits) ^ u64::from(negate)),
            _ => self.compare_term(op, negate, width, x, y),
        }
    }

    #[inline(always)]
    fn truth(&mut self, negate: bool, x: SymbolicValue) -> SymbolicValue {
        match x.term {
            // What a comparison gave is one itself.
            Some(term) if !negate && self.arena.is_truth(term) => x,
            _ => self.compare(BinaryOp::Eq, !negate, 32, x, SymbolicValue::default()),
        }
    }

    #[inline(always)]
    fn extend_low(&mut self, from: u32, to: u32, x: SymbolicValue) -> SymbolicValue {
        match x.term {
            None => Self::constant(ops::signed(from, x.bits) as u64 & ops::mask(to)),
            Some(term) => {
                let low = self.arena.extract(term, 0, from);
                let result = self.arena.unary(UnaryOp::SignExtend, to, low);
                self.value(result)
            }
        }
    }

    #[inline(always)]
    fn wrap(&mut self, x: SymbolicValue) -> SymbolicValue {
        match x.term {
            None => Self::constant(x.bits as u32 as u64),
            Some(term) => {
                let low = self.arena.extract(term, 0, 32);
                self.value(low)
            }
        }
    }

    fn select(
        &mut self,
        width: u32,
        condition: SymbolicValue,
        then: SymbolicValue,
        otherwise: SymbolicValue,
    ) -> SymbolicValue {
        match condition.term {
            None if condition.bits != 0 => then,
            None => otherwise,
            Some(term) => {
                let condition = self.arena.truth(term);
                let (then, otherwise) = (self.term(width, then), self.term(width, otherwise));
                let result = self.arena.if_then_else(condition, then, otherwise);
                self.value(result)
            }
        }
    }

    fn input(&mut self, variable: VariableId, width: u32) -> SymbolicValue {
        let term = self.arena.variable(variable, width);
        self.value(term)
    }

    fn constant_byte(bits: u8) -> SymbolicByte {
        SymbolicByte { bits, index: 0, term: None }
    }

    fn join(&mut self, bytes: &[SymbolicByte]) -> SymbolicValue {
        let first = bytes[0];
        if let Some(term) = first.term {
            let in_order = |(i, byte): (usize, &SymbolicByte)| {
                byte.term == Some(term) && usize::from(byte.index) == usize::from(first.index) + i
            };
            if bytes.iter().enumerate().all(in_order) {
                let width = 8 * bytes.len() as u32;
                if first.index == 0 && self.arena.width(term) == width {
                    return self.value(term);
                }
                let part = self.arena.extract(term, 8 * u32::from(first.index), width);
                return self.value(part);
            }
        }
        if bytes.iter().all(|byte| byte.term.is_none()) {
            return Self::constant(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(byte.bits)));
        }
        let mut joined = self.byte_term(first);
        for &byte in &bytes[1..] {
            let high = self.byte_term(byte);
            joined = self.arena.concat(high, joined);
        }
        self.value(joined)
    }

    fn split(&mut self, value: SymbolicValue, count: usize) -> [SymbolicByte; 8] {
        let bits = value.bits.to_le_bytes();
        let byte = |i: usize| match value.term {
            Some(term) if i < count => SymbolicByte { bits: 0, index: i as u8, term: Some(term) },
            _ => SymbolicByte { bits: bits[i], index: 0, term: None },
        };
        std::array::from_fn(byte)
    }

    /// A table read at an index of one input byte becomes a term: for each value of the byte the address is computed,
    /// and the load gives what is stored there now. Declines if an address is out of bounds or a byte that is read
    /// depends on the input itself.
    fn look_up(
        &mut self,
        memory: &Memory<Symbolic>,
        base: SymbolicValue,
        offset: u64,
        count: usize,
    ) -> Option<SymbolicValue> {
        let address = base.term?;
        let (variable, id) = self.small_variable(address)?;
        let mut leaves: Vec<(u64, TermId)> = Vec::new();
        for value in 0..=ops::mask(self.arena.width(variable)) {
            // The address depends on this variable alone, so it does not matter what the others are.
            self.evaluator.set(id, value);
            let at = self.evaluator.value(&self.arena, address) + offset;
            if !memory.contains(at, count as u64) {
                return None;
            }
            let mut bits = 0;
            for i in (0..count as u64).rev() {
                let byte = memory.byte(at + i);
                if byte.term.is_some() {
                    return None;
                }
                bits = bits << 8 | u64::from(byte.bits);
            }
            let leaf = self.arena.constant(8 * count as u32, bits);
            if leaves.last().is_none_or(|&(_, last)| last != leaf) {
                leaves.push((value, leaf));
            }
        }
        let table = self.table_term(variable, 0, &leaves);
        Some(self.value(table))
    }
}
