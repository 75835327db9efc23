//! Terms as text for people.

use std::fmt;

use crate::arena::{Arena, Node, TermId};
use crate::ops::{BinaryOp, UnaryOp};

/// See [`Arena::display`].
pub struct Displayed<'a> {
    arena: &'a Arena,
    term: TermId,
}

/// Terms are cut off below this level with `...`, because a term with shared parts can be exponentially large when it is
/// printed as a tree.
const DEEPEST: u32 = 12;

impl Arena {
    /// The term in the notation of a programming language: `v3` is variable 3, `x[7:0]` are bits 7 to 0, `a:b` is `a`
    /// above `b`, operators that differ by signedness end in `s` or `u`, those on floats begin with `f`. Levels below
    /// the twelfth are left out.
    pub fn display(&self, term: TermId) -> Displayed<'_> {
        Displayed { arena: self, term }
    }
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_term(self.arena, self.term, DEEPEST, f)
    }
}

impl fmt::Debug for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn write_term(arena: &Arena, term: TermId, levels: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let width = arena.width(term);
    let Some(levels) = levels.checked_sub(1) else { return f.write_str("...") };
    match arena.node(term) {
        Node::Constant(value) if value < 10 => write!(f, "{value}"),
        Node::Constant(value) => write!(f, "{value:#x}"),
        Node::Variable(variable) => write!(f, "v{}", variable.0),
        Node::Unary(op, x) => {
            match op {
                UnaryOp::ZeroExtend | UnaryOp::SignExtend => write!(f, "{}{width}(", unary_name(op))?,
                _ => write!(f, "{}(", unary_name(op))?,
            }
            write_term(arena, x, levels, f)?;
            f.write_str(")")
        }
        Node::Binary(op, x, y) => {
            f.write_str("(")?;
            write_term(arena, x, levels, f)?;
            write!(f, " {} ", binary_name(op))?;
            write_term(arena, y, levels, f)?;
            f.write_str(")")
        }
        Node::Extract { of, low } => {
            write_term(arena, of, levels, f)?;
            write!(f, "[{}:{low}]", low + width - 1)
        }
        Node::Concat { high, low } => {
            f.write_str("(")?;
            write_term(arena, high, levels, f)?;
            f.write_str(":")?;
            write_term(arena, low, levels, f)?;
            f.write_str(")")
        }
        Node::IfThenElse { condition, then, otherwise } => {
            f.write_str("(")?;
            write_term(arena, condition, levels, f)?;
            f.write_str(" ? ")?;
            write_term(arena, then, levels, f)?;
            f.write_str(" : ")?;
            write_term(arena, otherwise, levels, f)?;
            f.write_str(")")
        }
    }
}

fn unary_name(op: UnaryOp) -> &'static str {
    use UnaryOp::*;
    match op {
        Not => "not",
        Neg => "neg",
        Clz => "clz",
        Ctz => "ctz",
        Popcnt => "popcnt",
        ZeroExtend => "zext",
        SignExtend => "sext",
        FAbs => "fabs",
        FNeg => "fneg",
        FCeil => "fceil",
        FFloor => "ffloor",
        FTrunc => "ftrunc",
        FNearest => "fnearest",
        FSqrt => "fsqrt",
        FConvert => "fconvert",
        FFromS => "f_from_s",
        FFromU => "f_from_u",
        FToS => "f_to_s",
        FToU => "f_to_u",
    }
}

fn binary_name(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        DivU => "/u",
        DivS => "/s",
        RemU => "%u",
        RemS => "%s",
        And => "&",
        Or => "|",
        Xor => "^",
        Shl => "<<",
        ShrU => ">>u",
        ShrS => ">>s",
        Rotl => "rotl",
        Rotr => "rotr",
        Eq => "==",
        LtU => "<u",
        LtS => "<s",
        LeU => "<=u",
        LeS => "<=s",
        FAdd => "f+",
        FSub => "f-",
        FMul => "f*",
        FDiv => "f/",
        FMin => "fmin",
        FMax => "fmax",
        FCopysign => "fcopysign",
        FEq => "f==",
        FLt => "f<",
        FLe => "f<=",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VariableId;

    #[test]
    fn reads_like_a_program() {
        let mut arena = Arena::new();
        let (x, y) = (arena.variable(VariableId(0), 32), arena.variable(VariableId(1), 8));
        let wide = arena.unary(UnaryOp::SignExtend, 32, y);
        let sum = arena.binary(BinaryOp::Add, x, wide);
        let less = arena.binary(BinaryOp::LtS, sum, x);
        let byte = arena.extract(x, 8, 8);
        let chosen = arena.if_then_else(less, byte, y);
        assert_eq!(arena.display(chosen).to_string(), "(((v0 + sext32(v1)) <s v0) ? v0[15:8] : v1)");
    }

    #[test]
    fn shared_terms_do_not_explode() {
        let mut arena = Arena::without_rewriting();
        let mut term = arena.variable(VariableId(0), 32);
        for _ in 0..100 {
            term = arena.binary(BinaryOp::Mul, term, term);
        }
        assert!(arena.display(term).to_string().len() < 100_000);
    }
}
