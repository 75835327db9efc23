//! Conditions as gates over atoms: what is left of them when comparisons are not looked into.

use pessimum_term::ops::{self, mask};
use pessimum_term::{Arena, BinaryOp, Node, Revision, TermId, UnaryOp};
use rustc_hash::FxHashMap;

use crate::gates::Gates;
use crate::order::Reading;
use crate::sat::{self, Literal};

/// Choices between numbers nested more deeply than this are left closed: reading a table of 256 entries at an unknown
/// index is one, and the truth of all its conditions explains nothing in short.
const DEEPEST: u8 = 64;

/// What is known about a term.
#[derive(Clone, Copy, Default)]
struct Info {
    /// The literal of a term of one bit, plus 1; 0 if it has none.
    literal: u32,
    seen: bool,
    /// For a wider term: whether some condition below it chooses between numbers.
    chosen: bool,
    /// How many such choices are nested.
    depth: u8,
    /// For a wider term that was looked at: it is never larger than this, read as unsigned.
    most: u64,
}

/// The right side of a comparison: a number where it is one, so that `x < 5` and `4 < x` are found to be opposites.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Right {
    Term(TermId),
    Number(u64),
}

/// `left < right`, signed or not.
type Less = (bool, TermId, Right);

/// Translates conditions into gates of one SAT solver, each term once. The literals of comparisons are free.
pub struct Skeleton {
    pub gates: Gates,
    /// By term.
    infos: Vec<Info>,
    less: FxHashMap<Less, Literal>,
    revision: Revision,
    pending: Vec<TermId>,
}

impl Skeleton {
    pub fn new() -> Skeleton {
        Skeleton {
            gates: Gates::new(sat::solver()),
            infos: Vec::new(),
            less: FxHashMap::default(),
            revision: Revision::default(),
            pending: Vec::new(),
        }
    }

    /// Forgets terms that are gone and makes room for new ones.
    pub fn follow(&mut self, arena: &Arena) {
        if self.revision != arena.revision() {
            let kept = arena.kept_since(self.revision);
            self.infos.truncate(kept);
            self.less.retain(|&(_, left, right), _| {
                left.index() < kept && !matches!(right, Right::Term(right) if right.index() >= kept)
            });
            self.revision = arena.revision();
        }
        if self.infos.len() < arena.len() {
            self.infos.resize(arena.len(), Info::default());
        }
    }

    /// The literal of a condition that was translated before.
    pub fn known(&self, arena: &Arena, condition: TermId) -> Option<Literal> {
        let (atom, positive) = match arena.node(condition) {
            Node::Unary(UnaryOp::Not, inner) => (inner, false),
            _ => (condition, true),
        };
        let literal = self.infos.get(atom.index())?.literal.checked_sub(1)?;
        Some(Literal(literal).flip_if(!positive))
    }

    /// The value of a translated condition in the model found last.
    pub fn value(&mut self, arena: &Arena, condition: TermId) -> bool {
        let literal = self.known(arena, condition).expect("conditions below a translated one are translated");
        // Solvers may leave a variable without a value: a condition and its negation must differ all the same.
        let positive = self.gates.sat.value(Literal(literal.0 & !1));
        positive ^ (literal.0 & 1 == 1)
    }

    /// Whether a condition chooses between the numbers that a term of more than one bit may be.
    pub fn is_chosen(&self, term: TermId) -> bool {
        self.infos[term.index()].chosen
    }

    /// A number that a term, read as unsigned, never exceeds, whatever the input.
    pub fn most(&self, arena: &Arena, term: TermId) -> u64 {
        match self.infos.get(term.index()) {
            Some(info) if info.seen && arena.width(term) > 1 => info.most,
            _ => mask(arena.width(term)),
        }
    }

    /// The literal of a condition; everything below it is translated as well.
    pub fn literal(&mut self, arena: &Arena, condition: TermId) -> Literal {
        self.pending.push(condition);
        while let Some(&current) = self.pending.last() {
            if self.infos[current.index()].seen {
                self.pending.pop();
                continue;
            }
            let before = self.pending.len();
            if is_open(arena, current) {
                let open = arena.children(current).filter(|child| !self.infos[child.index()].seen);
                self.pending.extend(open);
            }
            if self.pending.len() > before {
                continue;
            }
            self.pending.pop();
            self.infos[current.index()] = if arena.width(current) == 1 {
                Info { literal: self.gate(arena, current).0 + 1, seen: true, ..Info::default() }
            } else {
                self.number(arena, current)
            };
        }
        self.known(arena, condition).expect("translated above")
    }

    fn of(&self, condition: TermId) -> Literal {
        Literal(self.infos[condition.index()].literal - 1)
    }

    /// A term of one bit whose operands are translated.
    fn gate(&mut self, arena: &Arena, term: TermId) -> Literal {
        use BinaryOp::{And, Eq, LeS, LeU, LtS, LtU, Or, Xor};
        match arena.node(term) {
            Node::Constant(value) => Literal::constant(value == 1),
            Node::Unary(UnaryOp::Not, x) => !self.of(x),
            Node::IfThenElse { condition, then, otherwise } => {
                let (condition, then, otherwise) = (self.of(condition), self.of(then), self.of(otherwise));
                self.gates.choose(condition, then, otherwise)
            }
            Node::Binary(op @ (And | Or | Xor | Eq | LtU | LtS | LeU | LeS), x, y) if arena.width(x) == 1 => {
                let (x, y) = (self.of(x), self.of(y));
                match op {
                    And => self.gates.and(x, y),
                    Or => self.gates.or(x, y),
                    Xor => self.gates.xor(x, y),
                    Eq => self.gates.equal(x, y),
                    LtU => self.gates.and(!x, y),
                    LeU => self.gates.or(!x, y),
                    // Read as signed, 1 is -1.
                    LtS => self.gates.and(x, !y),
                    _ => self.gates.or(x, !y),
                }
            }
            Node::Binary(op @ (Eq | LtU | LtS | LeU | LeS), x, y) if self.decided(arena, op, x, y).is_some() => {
                Literal::constant(self.decided(arena, op, x, y) == Some(true))
            }
            Node::Binary(op @ (LtU | LtS | LeU | LeS), x, y) => {
                let (less, positive) = as_less(arena, op, x, y);
                let Skeleton { less: known, gates, .. } = self;
                known.entry(less).or_insert_with(|| gates.fresh()).flip_if(!positive)
            }
            _ => self.gates.fresh(),
        }
    }

    /// The truth value of a comparison with a constant, where it is the same for every input.
    fn decided(&self, arena: &Arena, op: BinaryOp, x: TermId, y: TermId) -> Option<bool> {
        let (most, constant, on_left) = match (arena.as_constant(x), arena.as_constant(y)) {
            (None, Some(constant)) => (self.most(arena, x), constant, true),
            (Some(constant), None) => (self.most(arena, y), constant, false),
            _ => return None,
        };
        let width = arena.width(x);
        if matches!(op, BinaryOp::LtS | BinaryOp::LeS) && most > mask(width) >> 1 {
            return None;
        }
        // Both ends give the same answer, and an order has no other answer between them; an equality has.
        let holds = |value| {
            let (x, y) = if on_left { (value, constant) } else { (constant, value) };
            ops::binary(op, width, x, y) == 1
        };
        match op {
            BinaryOp::Eq => (constant > most).then_some(false),
            _ => (holds(0) == holds(most)).then(|| holds(0)),
        }
    }

    fn most_of(&self, arena: &Arena, term: TermId) -> u64 {
        let of = |child: TermId| self.most(arena, child);
        let width = mask(arena.width(term));
        match arena.node(term) {
            Node::Constant(value) => value,
            Node::Unary(UnaryOp::ZeroExtend, x) => of(x),
            Node::IfThenElse { then, otherwise, .. } => of(then).max(of(otherwise)),
            Node::Binary(BinaryOp::Add, x, y) => of(x).checked_add(of(y)).map_or(width, |sum| sum.min(width)),
            Node::Binary(BinaryOp::Mul, x, y) => of(x).checked_mul(of(y)).map_or(width, |product| product.min(width)),
            Node::Binary(BinaryOp::And, x, y) => of(x).min(of(y)),
            Node::Extract { of: x, low } => (of(x) >> low).min(width),
            Node::Concat { high, low } => of(high) << arena.width(low) | of(low),
            _ => width,
        }
    }

    /// A wider term whose operands are translated.
    fn number(&self, arena: &Arena, term: TermId) -> Info {
        let mut info = Info { seen: true, most: self.most_of(arena, term), ..Info::default() };
        if !is_open(arena, term) {
            return info;
        }
        for child in arena.children(term).filter(|&child| arena.width(child) > 1) {
            let of = self.infos[child.index()];
            info.chosen |= of.chosen;
            info.depth = info.depth.max(of.depth);
        }
        // A truth value may be extended, be a digit of a larger number, or choose.
        info.chosen |= arena.children(term).any(|child| arena.width(child) == 1);
        info.depth += matches!(arena.node(term), Node::IfThenElse { .. }) as u8;
        if info.depth > DEEPEST { Info { seen: true, most: info.most, ..Info::default() } } else { info }
    }
}

/// Whether what is below a term matters: not for floats, nor for single bits of numbers.
pub fn is_open(arena: &Arena, term: TermId) -> bool {
    match arena.node(term) {
        Node::Constant(_) | Node::Variable(_) => false,
        Node::Unary(op, _) => !op.is_float(),
        Node::Binary(op, ..) => !op.is_float(),
        Node::Extract { .. } | Node::Concat { .. } => arena.width(term) > 1,
        Node::IfThenElse { .. } => true,
    }
}

/// The comparison as `left < right`, or as its negation.
fn as_less(arena: &Arena, op: BinaryOp, x: TermId, y: TermId) -> (Less, bool) {
    let signed = matches!(op, BinaryOp::LtS | BinaryOp::LeS);
    let (left, right, positive) = match op {
        BinaryOp::LtU | BinaryOp::LtS => (x, y, true),
        _ => (y, x, false),
    };
    // Numbers go to the right: `c < x` is the negation of `x < c + 1`, unless `c` is the largest number.
    let reading = Reading { width: arena.width(x), signed };
    match (arena.as_constant(left), arena.as_constant(right)) {
        (Some(number), None) if reading.decode(number) < reading.range().1 => {
            ((signed, right, Right::Number(reading.encode(reading.decode(number) + 1))), !positive)
        }
        (None, Some(number)) => ((signed, left, Right::Number(number)), positive),
        _ => ((signed, left, Right::Term(right)), positive),
    }
}
