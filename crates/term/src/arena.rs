//! The arena: the only place where terms are made.
//!
//! Memory stays bounded in two ways: a walk that backtracks releases the terms made since its mark; a population that
//! keeps the conditions of many paths collects, which compacts the arena and renames the kept terms. Caches keyed by
//! term ask the arena what was forgotten since they last looked. A node takes 16 bytes, and children have smaller ids
//! than their parents, so evaluation and collection are loops.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ops::{self, BinaryOp, UnaryOp, mask};
use crate::recent::{Operation, Recent};
use crate::rewrite;
use crate::table::Table;

/// A term in its [`Arena`]. Equal terms have equal ids. The operands of a term have smaller ids than the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// A number below [`Arena::len`], for tables beside the arena. See [`Arena::revision`] for when they go stale.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An input variable, numbered from 0 in the order in which the program asks for its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// A term taken apart, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant.
    Constant(u64),
    /// An input variable.
    Variable(VariableId),
    /// An operator with one operand (extensions and conversions: to the term's own width).
    Unary(UnaryOp, TermId),
    /// An operator with two operands of one width.
    Binary(BinaryOp, TermId, TermId),
    /// Bits `low .. low + width` of the operand.
    Extract {
        /// The operand.
        of: TermId,
        /// The first bit taken.
        low: u32,
    },
    /// `high` above `low`.
    Concat {
        /// The upper bits.
        high: TermId,
        /// The lower bits.
        low: TermId,
    },
    /// If-then-else; the condition is one bit wide.
    IfThenElse {
        /// The one-bit condition.
        condition: TermId,
        /// The value where the condition is 1.
        then: TermId,
        /// The value where the condition is 0.
        otherwise: TermId,
    },
}

impl Node {
    /// The operands, in order.
    #[inline(always)]
    pub fn children(self) -> impl Iterator<Item = TermId> {
        let (count, all) = match self {
            Node::Constant(_) | Node::Variable(_) => (0, [TermId(0); 3]),
            Node::Unary(_, x) | Node::Extract { of: x, .. } => (1, [x; 3]),
            Node::Binary(_, x, y) => (2, [x, y, y]),
            Node::Concat { high, low } => (2, [high, low, low]),
            Node::IfThenElse { condition, then, otherwise } => (3, [condition, then, otherwise]),
        };
        all.into_iter().take(count)
    }
}

/// What kind of term a slot holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Constant,
    Variable,
    Extract,
    Concat,
    IfThenElse,
    Unary(UnaryOp),
    Binary(BinaryOp),
}

/// A term as it is stored, in 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) kind: Kind,
    pub(crate) width: u8,
    /// The first bit of an `Extract`; otherwise 0.
    pub(crate) low: u8,
    /// Operands; unused ones are 0. A constant has its value in the first two (low half first), a variable its number
    /// in the first.
    pub(crate) operands: [u32; 3],
}

impl Slot {
    #[inline(always)]
    pub(crate) fn constant_value(&self) -> u64 {
        self.operands[0] as u64 | (self.operands[1] as u64) << 32
    }

    /// How many of `operands` are terms.
    #[inline(always)]
    pub(crate) fn arity(&self) -> usize {
        match self.kind {
            Kind::Constant | Kind::Variable => 0,
            Kind::Extract | Kind::Unary(_) => 1,
            Kind::Concat | Kind::Binary(_) => 2,
            Kind::IfThenElse => 3,
        }
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        let kind = match self.kind {
            Kind::Constant => 0,
            Kind::Variable => 1,
            Kind::Extract => 2,
            Kind::Concat => 3,
            Kind::IfThenElse => 4,
            Kind::Unary(op) => 0x40 + op as u64,
            Kind::Binary(op) => 0x80 + op as u64,
        };
        let [a, b, c] = self.operands.map(u64::from);
        // One folded multiplication, as in wyhash: each half of the product depends on all input bits.
        let head = kind | (self.width as u64) << 8 | (self.low as u64) << 16 | a << 32;
        let tail = b | c << 32;
        let product = ((head ^ 0x9e37_79b9_7f4a_7c15) as u128) * ((tail ^ 0xd1b5_4a32_d192_ed03) as u128);
        (product as u64) ^ (product >> 64) as u64
    }
}

/// A point in the arena's growth; see [`Arena::release`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: u32,
    collections: u32,
}

/// Which terms an arena held at some moment, for tables beside it; see [`Arena::kept_since`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// Number of the arena among all arenas of the process; 0 is none.
    arena: u64,
    /// How often terms were forgotten.
    forgotten: u64,
}

/// All terms of one worker, each once, in canonical form.
///
/// # Canonical form
///
/// A term is brought into this form when it is made, by the rules in `rewrite/`. Code that matches on terms may rely
/// on it:
///
/// - No operator has only constants as operands. A commutative operator has a constant as its right operand; of two
///   other operands, the one with the smaller id is on the left.
/// - Booleans are one-bit terms made of `And`, `Or`, `Xor`, `Not`, comparisons, extracted bits and choices; no other
///   operator has one-bit operands. A comparison used as a number is a `ZeroExtend` of its bit, and [`Arena::truth`]
///   takes that off again.
/// - Comparisons are `Eq`, `LtU`, `LtS`, `LeU`, `LeS`. "Greater" is "less" with the operands exchanged; `Not` is
///   applied to `Eq`, never to an order. With a constant, orders are strict (`x < 5`, `4 < x`; never `x <= 4`), and
///   at the ends of the range they are `Eq` or `Not(Eq)` (`x <u 1` is `x == 0`, `0 <u x` is `x != 0`).
/// - Comparisons are as narrow as they can be: instead of two extensions, or an extension and a constant, the
///   narrower operands are compared, those of zero extensions in the unsigned order. A sum with a constant is never
///   compared with a constant for equality, and for order only where it may wrap around.
/// - `x - c` is a sum; `x + -y` is a difference; `0 - x` is `Neg`; `x ^ ones` is `Not`; `x ^ 0x80..0` is a sum.
/// - Shifts and rotations by constants, multiplication and division by powers of two, and masks of few runs of ones are
///   `Extract`, `Concat` and extensions.
/// - `Concat` nests to the right: its upper operand is neither a `Concat`, nor an extension, nor the constant 0 (which
///   makes it a `ZeroExtend`). Neighbouring parts of one term are one `Extract`, and all parts of a term together are
///   the term: this is what makes a value that is stored and loaded bytewise the same value again.
/// - `Extract` is not applied to `Extract`, `Concat` or extensions; the top bit is `x <s 0`. An extension is not applied
///   to an extension, except `ZeroExtend` to `SignExtend`.
/// - The condition of a choice is not a `Not`; a choice between 0 and 1 (or -1) is an extension of its condition.
///
/// # Adding an operator
///
/// Its meaning goes into [`crate::ops`]; then the compiler names the places to complete: text in `display.rs` and
/// `smtlib.rs`, and in the solver its circuit in `blast.rs` and its loop in `lanes.rs`. Add it to the lists in
/// `tests/random_terms.rs` and `tests/smtlib.rs`, and give it rules if it needs any.
pub struct Arena {
    slots: Vec<Slot>,
    table: Table,
    recent: Recent,
    rewriting: bool,
    /// Names of the rules that were applied, while they are recorded.
    rules: Option<Vec<&'static str>>,
    collections: u32,
    revision: Revision,
    /// For each time that terms were forgotten: which time it was, and how many terms were kept. Entries that a later,
    /// deeper cut covers are left out, so that both numbers only increase.
    cuts: Vec<(u64, u32)>,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena::new()
    }
}

// Making terms.
impl Arena {
    /// An empty arena.
    pub fn new() -> Arena {
        // The numbers are only compared for equality, never ordered or printed, so that no run depends on them.
        static ARENAS: AtomicU64 = AtomicU64::new(1);
        let arena = ARENAS.fetch_add(1, Ordering::Relaxed);
        Arena {
            slots: Vec::new(),
            table: Table::new(),
            recent: Recent::new(),
            rewriting: true,
            rules: None,
            collections: 0,
            revision: Revision { arena, forgotten: 0 },
            cuts: Vec::new(),
        }
    }

    /// An arena that keeps terms as they are asked for; equal terms still share an id. Used to prove rewrite rules.
    pub fn without_rewriting() -> Arena {
        Arena { rewriting: false, ..Arena::new() }
    }

    /// Switches rewriting (constant folding included) for the terms made from now on. Returns the previous setting.
    pub fn set_rewriting(&mut self, on: bool) -> bool {
        std::mem::replace(&mut self.rewriting, on)
    }

    /// The variable with this number; always the same term for the same number and width.
    pub fn variable(&mut self, id: VariableId, width: u32) -> TermId {
        self.intern(Kind::Variable, width, 0, [id.0, 0, 0])
    }

    /// The constant; bits above the width are dropped.
    pub fn constant(&mut self, width: u32, value: u64) -> TermId {
        let value = value & mask(width);
        self.intern(Kind::Constant, width, 0, [value as u32, (value >> 32) as u32, 0])
    }

    /// An operator with one operand. `to_width` matters to extensions and conversions; otherwise it is the operand's.
    pub fn unary(&mut self, op: UnaryOp, to_width: u32, x: TermId) -> TermId {
        if self.rewriting {
            if let Some(value) = self.as_constant(x) {
                let value = fold_unary(op, self.width(x), to_width, value);
                return self.constant(to_width, value);
            }
            let asked = Operation { kind: Kind::Unary(op), width: to_width as u8, operands: [x, x] };
            return self.once(asked, |arena| {
                let term = rewrite::unary(arena, op, to_width, x);
                term.unwrap_or_else(|| arena.intern(Kind::Unary(op), to_width, 0, [x.0, 0, 0]))
            });
        }
        self.intern(Kind::Unary(op), to_width, 0, [x.0, 0, 0])
    }

    /// The result of an operation that the rules apply to: the recent one, if there is one.
    #[inline(always)]
    fn once(&mut self, asked: Operation, make: impl FnOnce(&mut Arena) -> TermId) -> TermId {
        let forgotten = self.revision.forgotten;
        // A list of rules has those that gave the recent result, too.
        if self.rules.is_none()
            && let Some(result) = self.recent.get(asked, forgotten)
        {
            return result;
        }
        let result = make(self);
        self.recent.put(asked, result, forgotten);
        result
    }

    /// An operator with two operands of one width.
    pub fn binary(&mut self, op: BinaryOp, x: TermId, y: TermId) -> TermId {
        let (left, right) = (self.slot(x), self.slot(y));
        let width = left.width as u32;
        debug_assert_eq!(left.width, right.width, "operands of {op:?} differ in width");
        let (left, right) = (left.kind, right.kind);
        let to_width = if op.is_comparison() { 1 } else { width };
        let (mut x, mut y) = (x, y);
        if self.rewriting {
            if let (Some(a), Some(b)) = (self.as_constant(x), self.as_constant(y)) {
                return self.constant(to_width, fold_binary(op, width, a, b));
            }
            if op.is_commutative() && (left == Kind::Constant || right != Kind::Constant && y < x) {
                (x, y) = (y, x);
            }
            // Two different variables of more than one bit match no rule.
            let plain = left == Kind::Variable && right == Kind::Variable && x != y && width > 1;
            if !plain {
                let asked = Operation { kind: Kind::Binary(op), width: to_width as u8, operands: [x, y] };
                return self.once(asked, |arena| {
                    let term = rewrite::binary(arena, op, x, y);
                    term.unwrap_or_else(|| arena.intern(Kind::Binary(op), to_width, 0, [x.0, y.0, 0]))
                });
            }
        }
        self.intern(Kind::Binary(op), to_width, 0, [x.0, y.0, 0])
    }

    /// A comparison (or, negated, its opposite) as a number of this width, 0 or 1. A program compares the same terms again and
    /// again, so that the whole of it is remembered, not only each of its steps.
    pub fn comparison(&mut self, op: BinaryOp, negate: bool, width: u32, x: TermId, y: TermId) -> TermId {
        debug_assert!(op.is_comparison() && 1 < width && width <= 64);
        let make = |arena: &mut Arena| {
            let mut bit = arena.binary(op, x, y);
            if negate {
                bit = arena.not(bit);
            }
            arena.unary(UnaryOp::ZeroExtend, width, bit)
        };
        if !self.rewriting {
            return make(self);
        }
        // No operation has these widths: a comparison gives one bit.
        let width = width as u8 | (negate as u8) << 7;
        self.once(Operation { kind: Kind::Binary(op), width, operands: [x, y] }, make)
    }

    /// Whether the term is a comparison as a number, wider than its one bit.
    #[inline(always)]
    pub fn is_truth(&self, term: TermId) -> bool {
        let slot = self.slot(term);
        slot.kind == Kind::Unary(UnaryOp::ZeroExtend) && self.slots[slot.operands[0] as usize].width == 1
    }

    /// Bits `low .. low + width` of the operand.
    pub fn extract(&mut self, of: TermId, low: u32, width: u32) -> TermId {
        debug_assert!(low + width <= self.width(of), "extract beyond the operand");
        if self.rewriting {
            if let Some(value) = self.as_constant(of) {
                return self.constant(width, value >> low);
            }
            if let Some(term) = rewrite::extract(self, of, low, width) {
                return term;
            }
        }
        self.intern(Kind::Extract, width, low as u8, [of.0, 0, 0])
    }

    /// `high` above `low`; together at most 64 bits.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let low_width = self.width(low);
        let width = self.width(high) + low_width;
        debug_assert!(width <= 64, "concat wider than 64 bits");
        if self.rewriting {
            if let (Some(a), Some(b)) = (self.as_constant(high), self.as_constant(low)) {
                return self.constant(width, a << low_width | b);
            }
            if let Some(term) = rewrite::concat(self, high, low) {
                return term;
            }
        }
        self.intern(Kind::Concat, width, 0, [high.0, low.0, 0])
    }

    /// If-then-else; the condition is one bit wide, the others are of one width.
    pub fn if_then_else(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        let width = self.width(then);
        debug_assert_eq!(self.width(condition), 1, "condition is not one bit");
        debug_assert_eq!(width, self.width(otherwise), "arms differ in width");
        if self.rewriting {
            if let Some(value) = self.as_constant(condition) {
                return if value == 1 { then } else { otherwise };
            }
            if let Some(term) = rewrite::if_then_else(self, condition, then, otherwise) {
                return term;
            }
        }
        self.intern(Kind::IfThenElse, width, 0, [condition.0, then.0, otherwise.0])
    }

    /// Boolean negation of a one-bit term.
    pub fn not(&mut self, condition: TermId) -> TermId {
        self.unary(UnaryOp::Not, 1, condition)
    }

    /// One bit: whether the term differs from zero (what a Wasm branch tests).
    pub fn truth(&mut self, x: TermId) -> TermId {
        let width = self.width(x);
        if self.rewriting {
            if width == 1 {
                return x;
            }
            // A comparison used as a number is by far the most frequent case, so it does not go through the rules.
            if let Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, bit) = self.node(x)
                && self.width(bit) == 1
            {
                return bit;
            }
        }
        let zero = self.constant(width, 0);
        let equal = self.binary(BinaryOp::Eq, x, zero);
        self.not(equal)
    }

    /// Starts a list of the rewrite rules that are applied from now on, in order of completion, and returns the old
    /// one. For the tests of the rules.
    #[doc(hidden)]
    pub fn record_rules(&mut self) -> Vec<&'static str> {
        self.rules.replace(Vec::new()).unwrap_or_default()
    }

    pub(crate) fn note_rule(&mut self, name: &'static str) {
        if let Some(rules) = &mut self.rules {
            rules.push(name);
        }
    }

    #[inline(always)]
    fn intern(&mut self, kind: Kind, width: u32, low: u8, operands: [u32; 3]) -> TermId {
        debug_assert!((1..=64).contains(&width), "width {width}");
        let slot = Slot { kind, width: width as u8, low, operands };
        let Arena { slots, table, .. } = self;
        match table.find(slot.hash(), |number| slots[number as usize] == slot) {
            Ok(number) => TermId(number),
            Err(place) => {
                let number = u32::try_from(slots.len()).ok().filter(|&n| n < u32::MAX).expect("fewer than 2^32 terms");
                slots.push(slot);
                table.insert(place, number, |number| slots[number as usize].hash());
                TermId(number)
            }
        }
    }
}

// Reading terms.
impl Arena {
    #[inline(always)]
    pub(crate) fn slot(&self, term: TermId) -> &Slot {
        &self.slots[term.index()]
    }

    /// The term taken apart.
    #[inline(always)]
    pub fn node(&self, term: TermId) -> Node {
        let slot = self.slot(term);
        let [a, b, c] = slot.operands.map(TermId);
        match slot.kind {
            Kind::Constant => Node::Constant(slot.constant_value()),
            Kind::Variable => Node::Variable(VariableId(a.0)),
            Kind::Unary(op) => Node::Unary(op, a),
            Kind::Binary(op) => Node::Binary(op, a, b),
            Kind::Extract => Node::Extract { of: a, low: slot.low as u32 },
            Kind::Concat => Node::Concat { high: a, low: b },
            Kind::IfThenElse => Node::IfThenElse { condition: a, then: b, otherwise: c },
        }
    }

    /// The width of the term in bits, from 1 to 64.
    #[inline(always)]
    pub fn width(&self, term: TermId) -> u32 {
        self.slot(term).width as u32
    }

    /// The value, if the term is a constant.
    #[inline(always)]
    pub fn as_constant(&self, term: TermId) -> Option<u64> {
        let slot = self.slot(term);
        (slot.kind == Kind::Constant).then(|| slot.constant_value())
    }

    /// The variable, if the term is one.
    #[inline(always)]
    pub fn as_variable(&self, term: TermId) -> Option<VariableId> {
        let slot = self.slot(term);
        (slot.kind == Kind::Variable).then_some(VariableId(slot.operands[0]))
    }

    /// The operands, in order.
    #[inline(always)]
    pub fn children(&self, term: TermId) -> impl Iterator<Item = TermId> + use<> {
        let slot = self.slot(term);
        slot.operands.map(TermId).into_iter().take(slot.arity())
    }

    /// Number of live terms.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// How many terms can be added before the index of all terms grows, which takes time in proportion to their number.
    pub fn room(&self) -> usize {
        self.table.capacity() - self.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

// Forgetting terms.
impl Arena {
    /// Remembers how many terms there are.
    pub fn mark(&self) -> Mark {
        Mark { length: self.slots.len() as u32, collections: self.collections }
    }

    /// Forgets every term made since the mark; ids of older terms stay valid. Takes time only for forgotten terms.
    ///
    /// # Panics
    /// If there has been an [`Arena::collect`] or a release of an older mark since: the mark means nothing then.
    pub fn release(&mut self, mark: Mark) {
        assert_eq!(mark.collections, self.collections, "a mark does not outlive a collection");
        assert!(mark.length as usize <= self.slots.len(), "an older mark was released before");
        if mark.length as usize == self.slots.len() {
            return;
        }
        while self.slots.len() > mark.length as usize {
            if let Some(slot) = self.slots.pop() {
                self.table.remove_last(slot.hash(), self.slots.len() as u32);
            }
        }
        self.cut(mark.length);
    }

    /// Keeps only what the roots need, rewriting each root in place; all other ids become invalid.
    pub fn collect<'a>(&mut self, roots: impl IntoIterator<Item = &'a mut TermId>) {
        let roots: Vec<&mut TermId> = roots.into_iter().collect();
        const UNUSED: u32 = u32::MAX;
        // `UNUSED` for terms that no root needs, otherwise first 0 and then the new number.
        let mut numbers = vec![UNUSED; self.slots.len()];
        for root in &roots {
            numbers[root.index()] = 0;
        }
        for old in (0..self.slots.len()).rev() {
            if numbers[old] != UNUSED {
                let slot = self.slots[old];
                for &child in &slot.operands[..slot.arity()] {
                    numbers[child as usize] = 0;
                }
            }
        }
        let mut kept = 0;
        for old in 0..self.slots.len() {
            if numbers[old] != UNUSED {
                let mut slot = self.slots[old];
                let arity = slot.arity();
                for child in &mut slot.operands[..arity] {
                    *child = numbers[*child as usize];
                }
                self.slots[kept as usize] = slot;
                numbers[old] = kept;
                kept += 1;
            }
        }
        for root in roots {
            *root = TermId(numbers[root.index()]);
        }
        self.slots.truncate(kept as usize);
        self.slots.shrink_to(kept as usize * 2);
        self.table.rebuild(kept, |number| self.slots[number as usize].hash());
        self.collections += 1;
        self.cut(0);
    }

    fn cut(&mut self, length: u32) {
        self.revision.forgotten += 1;
        while self.cuts.last().is_some_and(|&(_, kept)| kept >= length) {
            self.cuts.pop();
        }
        self.cuts.push((self.revision.forgotten, length));
    }

    /// Changes whenever an id may have come to mean another term. A table beside the arena (values, bounds, literals
    /// by term) keeps the revision it was filled at and compares before use.
    #[inline(always)]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// How many terms, counted from id 0, have kept their meaning since the revision: what a table filled then may
    /// keep.
    pub fn kept_since(&self, revision: Revision) -> usize {
        if revision.arena != self.revision.arena {
            return 0;
        }
        let later = self.cuts.partition_point(|&(when, _)| when <= revision.forgotten);
        self.cuts.get(later).map_or(self.slots.len(), |&(_, length)| length as usize)
    }
}

// The operator functions are always inlined, which suits the machine; here one copy of each is enough.
#[inline(never)]
pub(crate) fn fold_unary(op: UnaryOp, from: u32, to: u32, x: u64) -> u64 {
    ops::unary(op, from, to, x)
}

#[inline(never)]
pub(crate) fn fold_binary(op: BinaryOp, width: u32, x: u64, y: u64) -> u64 {
    ops::binary(op, width, x, y)
}
