//! Recognises conditions that the order layer can represent exactly.

use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp};

use crate::order::{Constraint, Order, Reading, WIDTH};

/// A condition as a constraint on the integers that its variables stand for.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub constraint: Constraint,
    /// How each of the constraint's nodes reads its variable.
    pub readings: [Reading; 2],
    /// Positions of conditions that the translation relies on (bounds that keep `x + c` from wrapping), or [`WIDTH`].
    pub relies_on: [u32; 4],
}

/// `node + offset`, or a number where there is no node.
pub type Side = (Option<(u32, Reading)>, i128);

/// `variable + offset`, or a number where there is no variable.
#[derive(Clone, Copy)]
struct Linear {
    variable: Option<(u32, Reading)>,
    offset: i128,
    relies_on: [u32; 2],
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Less,
    AtMost,
    Equal,
    Different,
}

/// The condition as a constraint, given what is recorded so far; `None` if it is not one, or if recorded conditions
/// read a variable with the other signedness.
#[inline]
pub fn recognise(arena: &Arena, order: &Order, condition: TermId) -> Option<Form> {
    match arena.node(condition) {
        Node::Unary(UnaryOp::Not, inner) => recognise_atom(arena, order, inner, false),
        _ => recognise_atom(arena, order, condition, true),
    }
}

/// Like [`recognise`], for a condition that is not a negation, or for its negation.
#[inline]
pub fn recognise_atom(arena: &Arena, order: &Order, atom: TermId, positive: bool) -> Option<Form> {
    use BinaryOp::{Eq, LeS, LeU, LtS, LtU};
    let (op, x, y) = match arena.node(atom) {
        Node::Binary(op @ (Eq | LtU | LtS | LeU | LeS), x, y) => (op, x, y),
        Node::Variable(variable) if arena.width(atom) == 1 => {
            let reading = Reading { width: 1, signed: false };
            let value = positive as i128;
            let constraint = Constraint::Within { node: variable.0, low: value, high: value };
            return Some(Form { constraint, readings: [reading; 2], relies_on: [WIDTH; 4] });
        }
        _ => return None,
    };
    let signed = match op {
        LtS | LeS => true,
        LtU | LeU => false,
        _ => natural_sign(arena, order, x)
            .or_else(|| natural_sign(arena, order, y))
            .unwrap_or_else(|| order.prefers_signed(arena.width(x))),
    };
    let checked =
        range_check(arena, order, op, positive, x, y).or_else(|| sign_check(arena, order, op, positive, x, y));
    if checked.is_some() {
        return checked;
    }
    let (x, y) = (linear(arena, order, x, signed)?, linear(arena, order, y, signed)?);
    let (relation, turned) = relation(op, positive);
    let (x, y) = if turned { (y, x) } else { (x, y) };
    let (constraint, readings) = relate(relation, (x.variable, x.offset), (y.variable, y.offset))?;
    let relies_on = [x.relies_on[0], x.relies_on[1], y.relies_on[0], y.relies_on[1]];
    Some(Form { constraint, readings, relies_on })
}

/// What a comparison or its negation says of its operands, and whether they change places.
pub fn relation(op: BinaryOp, positive: bool) -> (Relation, bool) {
    use BinaryOp::{LeS, LeU, LtS, LtU};
    match (op, positive) {
        (LtU | LtS, true) => (Relation::Less, false),
        (LtU | LtS, false) => (Relation::AtMost, true),
        (LeU | LeS, true) => (Relation::AtMost, false),
        (LeU | LeS, false) => (Relation::Less, true),
        (_, true) => (Relation::Equal, false),
        (_, false) => (Relation::Different, false),
    }
}

/// `(unsigned)x < c` for a variable that is read as signed: `0 <= x < c`, if `c` is at most half of the range.
#[inline]
fn range_check(arena: &Arena, order: &Order, op: BinaryOp, positive: bool, x: TermId, y: TermId) -> Option<Form> {
    // The negation of a comparison is a comparison the other way round.
    let (variable, constant, or_equal) = match (op, positive) {
        (BinaryOp::LtU, true) => (x, y, false),
        (BinaryOp::LeU, true) => (x, y, true),
        (BinaryOp::LtU, false) => (y, x, true),
        (BinaryOp::LeU, false) => (y, x, false),
        _ => return None,
    };
    let (variable, limit) = (arena.as_variable(variable)?, arena.as_constant(constant)?);
    let reading = order.reading(variable.0).filter(|reading| reading.signed)?;
    let high = limit as i128 - !or_equal as i128;
    let constraint = Constraint::Within { node: variable.0, low: 0, high };
    (high <= reading.range().1).then_some(Form { constraint, readings: [reading; 2], relies_on: [WIDTH; 4] })
}

/// `(signed)x < 0` for a variable that is read as unsigned: `x` is in the upper half. Tests whether text is ASCII look
/// like this.
#[inline]
fn sign_check(arena: &Arena, order: &Order, op: BinaryOp, positive: bool, x: TermId, y: TermId) -> Option<Form> {
    if op != BinaryOp::LtS && op != BinaryOp::LeS {
        return None;
    }
    // `x < 0`, or `0 <= x`, which is `-1 < x` in canonical form; either may be negated.
    let (variable, negative) = match (op, arena.as_constant(x), arena.as_constant(y)) {
        (BinaryOp::LtS, None, Some(0)) => (x, positive),
        (BinaryOp::LtS, Some(value), None) if value == pessimum_term::ops::mask(arena.width(x)) => (y, !positive),
        (BinaryOp::LeS, Some(0), None) => (y, !positive),
        _ => return None,
    };
    let variable = arena.as_variable(variable)?;
    let reading = order.reading(variable.0).filter(|reading| !reading.signed && reading.width == arena.width(x))?;
    let (half, largest) = (1 << (reading.width - 1), reading.range().1);
    let (low, high) = if negative { (half, largest) } else { (0, half - 1) };
    let constraint = Constraint::Within { node: variable.0, low, high };
    Some(Form { constraint, readings: [reading; 2], relies_on: [WIDTH; 4] })
}

/// The signedness with which recorded conditions already read the variable of this term. Looks only where [`linear`]
/// can follow, through a term plus a constant: following both sides of every sum would take exponential time on
/// shared sums.
pub fn natural_sign(arena: &Arena, order: &Order, term: TermId) -> Option<bool> {
    let mut term = term;
    loop {
        match arena.node(term) {
            Node::Variable(variable) => return order.reading(variable.0).map(|reading| reading.signed),
            Node::Unary(UnaryOp::SignExtend, _) => return Some(true),
            Node::Binary(BinaryOp::Add, x, y) => term = plus_constant(arena, x, y)?.0,
            _ => return None,
        }
    }
}

/// The operands of a sum as a term and a constant, if exactly one of them is a constant.
#[inline]
fn plus_constant(arena: &Arena, x: TermId, y: TermId) -> Option<(TermId, u64)> {
    match (arena.as_constant(x), arena.as_constant(y)) {
        (None, Some(constant)) => Some((x, constant)),
        (Some(constant), None) => Some((y, constant)),
        _ => None,
    }
}

/// The term, read as a signed or unsigned number, as a variable plus a constant without wrapping.
#[inline]
fn linear(arena: &Arena, order: &Order, term: TermId, signed: bool) -> Option<Linear> {
    let width = arena.width(term);
    let reading = Reading { width, signed };
    match arena.node(term) {
        Node::Constant(value) => Some(Linear { variable: None, offset: reading.decode(value), relies_on: [WIDTH; 2] }),
        Node::Variable(variable) => {
            let recorded = order.reading(variable.0).unwrap_or(reading);
            let mut relies_on = [WIDTH; 2];
            if recorded != reading {
                // Both readings agree where bounds keep the value out of the upper half.
                let [(low, low_reason), (high, high_reason)] = order.bounds(variable.0)?;
                if recorded.width != width || low < 0 || high >= 1 << (width - 1) {
                    return None;
                }
                relies_on = [low_reason, high_reason];
            }
            Some(Linear { variable: Some((variable.0, recorded)), offset: 0, relies_on })
        }
        Node::Unary(UnaryOp::ZeroExtend, inner) if arena.width(inner) < width => linear(arena, order, inner, false),
        Node::Unary(UnaryOp::SignExtend, inner) if signed => linear(arena, order, inner, true),
        Node::Binary(BinaryOp::Add, x, y) => {
            let (inner, constant) = plus_constant(arena, x, y)?;
            let inner = linear(arena, order, inner, signed)?;
            let (variable, own) = inner.variable?;
            let (low, high) = own.range();
            let [(low, low_reason), (high, high_reason)] =
                order.bounds(variable).unwrap_or([(low, WIDTH), (high, WIDTH)]);
            let (smallest, largest) = reading.range();
            // The constant may stand for a step up or a step down; only one of the two can stay in range.
            [Reading { width, signed: true }, Reading { width, signed: false }].into_iter().find_map(|step| {
                let offset = inner.offset + step.decode(constant);
                let fits = low + offset >= smallest && high + offset <= largest;
                fits.then_some({
                    // Whatever the inner term relies on is a bound of the same variable too.
                    Linear { variable: inner.variable, offset, relies_on: [low_reason, high_reason] }
                })
            })
        }
        _ => None,
    }
}

/// The constraint that two sides compare like this; `None` where both are numbers or have one node in common, which
/// needs no constraint, or where they are too far apart.
// Every condition of a sort comes through here: a call costs 3 % of its queries.
#[inline(always)]
pub fn relate(relation: Relation, x: Side, y: Side) -> Option<(Constraint, [Reading; 2])> {
    let far = (i128::MIN / 4, i128::MAX / 4);
    match (x.0, y.0) {
        (None, None) => None,
        (Some((one, reading)), None) | (None, Some((one, reading))) => {
            let on_left = x.0.is_some();
            let value = if on_left { y.1 - x.1 } else { x.1 - y.1 };
            let constraint = match (relation, on_left) {
                (Relation::Less, true) => Constraint::Within { node: one, low: far.0, high: value - 1 },
                (Relation::Less, false) => Constraint::Within { node: one, low: value + 1, high: far.1 },
                (Relation::AtMost, true) => Constraint::Within { node: one, low: far.0, high: value },
                (Relation::AtMost, false) => Constraint::Within { node: one, low: value, high: far.1 },
                (Relation::Equal, _) => Constraint::Within { node: one, low: value, high: value },
                (Relation::Different, _) => Constraint::Not { node: one, value },
            };
            Some((constraint, [reading; 2]))
        }
        (Some((one, _)), Some((other, _))) if one == other => None,
        (Some((one, a)), Some((other, b))) => {
            // value(one) + x.1 REL value(other) + y.1
            let by = i64::try_from(x.1 - y.1).ok().filter(|by| by.abs_diff(0) < 1 << 62)?;
            let constraint = match relation {
                Relation::Less => Constraint::AtLeast { below: one, above: other, by: by + 1 },
                Relation::AtMost => Constraint::AtLeast { below: one, above: other, by },
                Relation::Equal => Constraint::Equal { one, other, by },
                Relation::Different => Constraint::Different { one, other, by },
            };
            Some((constraint, [a, b]))
        }
    }
}
