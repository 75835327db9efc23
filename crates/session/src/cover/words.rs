//! Conditions on the input in words that a user knows: bytes of standard input, arguments of the call.

use std::time::Instant;

use pessimum_input::{Argument, Content, Group, InputPlan, Kind};
use pessimum_search::budget::{Budget, Meter, Until};
use pessimum_search::decider::{Choice, Point};
use pessimum_search::kernel::{Kernel, Start};
use pessimum_search::path::Path;
use pessimum_search::program::{Arm, PathLimits, SiteId};
use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp, VariableId, Witness};

use crate::Target;

/// The longest condition that is shown, in characters: nobody reads a longer one.
const LONGEST: usize = 100;

/// Nested operators beyond which a term is not written out: it would be too long.
const DEEPEST: u32 = 8;

/// Instructions after which an input is not followed any further to find a condition on its path.
const FOLLOWED: u64 = 1_000_000;

/// What would have to hold for an arm to be taken where the path of this input passes its branch for the last time; none
/// if nothing there depends on the input directly, or it would be too long to read.
pub fn condition(
    program: &Target,
    input: &Witness,
    (site, arm): (SiteId, Arm),
    limits: PathLimits,
    until: &Until,
) -> Option<String> {
    let plan = program.plan();
    let time = until.moment.map(|moment| moment.saturating_duration_since(Instant::now()));
    let meter = Meter::new(Budget { paths: None, steps: Some(FOLLOWED), time }, until.cancel.clone());
    let mut kernel = Kernel::new(program, pessimum_solver::Settings::default(), limits, meter);
    let mut found = None;
    let mut decider = |point: &mut Point<'_, '_>| {
        if point.site() == site {
            let (kind, scrutinee) = (point.kind(), point.scrutinee());
            let arena = point.kernel().arena();
            let condition = kind.condition(arena, scrutinee, arm);
            found = Words { arena, plan }.text(condition);
        }
        Choice::Follow
    };
    kernel.run(&Start { witness: Some(input), ..Start::default() }, &mut decider, &mut Path::default());
    found
}

/// Terms of one program in words.
struct Words<'a> {
    arena: &'a Arena,
    plan: &'a InputPlan,
}

impl Words<'_> {
    fn text(&self, condition: TermId) -> Option<String> {
        self.condition(condition, false, DEEPEST).filter(|text| text.chars().count() <= LONGEST)
    }

    /// A one-bit term, or its opposite.
    fn condition(&self, term: TermId, negated: bool, levels: u32) -> Option<String> {
        let levels = levels.checked_sub(1)?;
        let compared = |operator: &str, x: TermId, y: TermId, signed: bool| {
            // Constants read better on the right.
            let mirrored = matches!(self.arena.node(x), Node::Constant(_));
            let (x, y) = if mirrored { (y, x) } else { (x, y) };
            let operator = match (operator, mirrored) {
                ("<", true) => ">",
                ("<=", true) => ">=",
                (operator, _) => operator,
            };
            Some(format!("{} {operator} {}", self.value(x, levels, signed)?, self.operand(y, x, levels, signed)?))
        };
        match self.arena.node(term) {
            Node::Unary(UnaryOp::Not, of) => self.condition(of, !negated, levels),
            Node::Binary(BinaryOp::Eq, x, y) => compared(if negated { "!=" } else { "=" }, x, y, true),
            Node::Binary(BinaryOp::LtS, x, y) if negated => compared("<=", y, x, true),
            Node::Binary(BinaryOp::LtU, x, y) if negated => compared("<=", y, x, false),
            Node::Binary(BinaryOp::LeS, x, y) if negated => compared("<", y, x, true),
            Node::Binary(BinaryOp::LeU, x, y) if negated => compared("<", y, x, false),
            Node::Binary(BinaryOp::LtS | BinaryOp::FLt, x, y) if !negated => compared("<", x, y, true),
            Node::Binary(BinaryOp::LtU, x, y) => compared("<", x, y, false),
            Node::Binary(BinaryOp::LeS | BinaryOp::FLe, x, y) if !negated => compared("<=", x, y, true),
            Node::Binary(BinaryOp::LeU, x, y) => compared("<=", x, y, false),
            Node::Binary(BinaryOp::FEq, x, y) => compared(if negated { "!=" } else { "=" }, x, y, true),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, y) if self.arena.width(term) == 1 => {
                let word = if (op == BinaryOp::And) != negated { "and" } else { "or" };
                let both = (self.condition(x, negated, levels)?, self.condition(y, negated, levels)?);
                Some(format!("({} {word} {})", both.0, both.1))
            }
            _ => {
                let value = self.value(term, levels, false)?;
                Some(if negated { format!("not {value}") } else { value })
            }
        }
    }

    /// The right side of a comparison with `beside`: a character where bytes are compared.
    fn operand(&self, term: TermId, beside: TermId, levels: u32, signed: bool) -> Option<String> {
        match (self.arena.node(term), self.is_byte(beside)) {
            (Node::Constant(value @ 0x20..=0x7e), true) => Some(format!("{:?}", char::from(value as u8))),
            _ => self.value(term, levels, signed),
        }
    }

    /// Whether a term is one byte of text, however wide it was made.
    fn is_byte(&self, term: TermId) -> bool {
        match self.arena.node(term) {
            Node::Variable(variable) => self.group(variable).is_some_and(|(_, group)| group.kind == Kind::U8),
            Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, of) => self.is_byte(of),
            _ => false,
        }
    }

    fn value(&self, term: TermId, levels: u32, signed: bool) -> Option<String> {
        let levels = levels.checked_sub(1)?;
        let of = |term| self.value(term, levels, signed);
        let width = self.arena.width(term);
        Some(match self.arena.node(term) {
            Node::Constant(value) if signed && width > 1 && value >> (width - 1) == 1 => {
                format!("{}", value as i64 | (-1i64).checked_shl(width).unwrap_or(0))
            }
            Node::Constant(value) => value.to_string(),
            Node::Variable(variable) => self.variable(variable),
            Node::Unary(UnaryOp::ZeroExtend | UnaryOp::SignExtend, x) => of(x)?,
            Node::Unary(UnaryOp::Neg | UnaryOp::FNeg, x) => format!("-{}", of(x)?),
            Node::Unary(UnaryOp::Not, x) => format!("~{}", of(x)?),
            Node::Extract { of: x, low: 0 } => format!("(low {width} bits of {})", of(x)?),
            Node::Binary(op, x, y) => format!("({} {} {})", of(x)?, operator(op)?, of(y)?),
            Node::IfThenElse { condition, then, otherwise } => {
                format!("({} ? {} : {})", self.condition(condition, false, levels)?, of(then)?, of(otherwise)?)
            }
            Node::Unary(..) | Node::Extract { .. } | Node::Concat { .. } => return None,
        })
    }

    fn variable(&self, variable: VariableId) -> String {
        let places = (1..).zip(&self.plan.arguments).filter_map(|(number, argument)| match argument {
            Argument::Structure(structure) => Some((number, structure)),
            _ => None,
        });
        for (number, structure) in places {
            if let Some(place) = structure.place_of(variable) {
                return format!("argument {number}{place}");
            }
        }
        match self.group(variable) {
            Some((name, group)) if group.count == 1 && !name.starts_with("std") => name,
            Some((name, group)) => format!("{name}[{}]", variable.0 - group.first),
            None => format!("asked value {}", variable.0 - self.plan.variables + 1),
        }
    }

    /// The part of the input that a variable belongs to, and its name.
    fn group(&self, variable: VariableId) -> Option<(String, Group)> {
        let arguments = (1..).zip(&self.plan.arguments).flat_map(|(number, argument)| {
            argument.groups().map(move |group| (format!("argument {number}"), group.clone()))
        });
        let stdin = self.plan.stdin.iter().map(|group| ("stdin".to_string(), group.clone()));
        let words = (1..).zip(&self.plan.command_line).map(|(number, content)| (format!("word {number}"), content));
        let files = self.plan.files.iter().map(|(name, content)| (format!("file {name}"), content));
        let contents = words.chain(files).filter_map(|(name, content)| match content {
            Content::Input(group) => Some((name, group.clone())),
            Content::Fixed(_) => None,
        });
        let mut groups = arguments.chain(stdin).chain(contents);
        groups.find(|(_, group)| (group.first..group.first + group.count).contains(&variable.0))
    }
}

/// How an operator on numbers is written; none where it has no usual sign.
fn operator(op: BinaryOp) -> Option<&'static str> {
    use BinaryOp::*;
    Some(match op {
        Add | FAdd => "+",
        Sub | FSub => "-",
        Mul | FMul => "*",
        DivU | DivS | FDiv => "/",
        RemU | RemS => "%",
        And => "&",
        Or => "|",
        Xor => "^",
        Shl => "<<",
        ShrU | ShrS => ">>",
        Eq | FEq => "=",
        LtU | LtS | FLt => "<",
        LeU | LeS | FLe => "<=",
        Rotl | Rotr | FMin | FMax | FCopysign => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_input::{Length, Signature};

    #[test]
    fn conditions_read_like_the_program() {
        let mut plan = InputPlan::new(None);
        Signature::parse("f(i32, u8[4])").unwrap().lay_out(&mut plan).unwrap();
        Length::parse("3").unwrap().lay_out_stdin(&mut plan).unwrap();
        let mut arena = Arena::new();
        let (x, byte, typed) =
            (arena.variable(VariableId(0), 32), arena.variable(VariableId(2), 8), arena.variable(VariableId(7), 8));
        let (wide, typed) = (arena.unary(UnaryOp::ZeroExtend, 32, byte), arena.unary(UnaryOp::ZeroExtend, 32, typed));
        let minus = arena.constant(32, 0xffff_fffd);
        let brace = arena.constant(32, u64::from(b'{'));
        let sum = arena.binary(BinaryOp::Add, x, typed);
        let conditions = [
            (arena.binary(BinaryOp::Eq, wide, brace), "argument 2[1] = '{'"),
            (arena.binary(BinaryOp::LtS, minus, x), "argument 1 > -3"),
            (arena.binary(BinaryOp::LtU, sum, brace), "(argument 1 + stdin[2]) < 123"),
        ];
        for (term, expected) in conditions {
            assert_eq!(Words { arena: &arena, plan: &plan }.text(term).as_deref(), Some(expected));
        }
        let not = arena.not(conditions[0].0);
        assert_eq!(Words { arena: &arena, plan: &plan }.text(not).as_deref(), Some("argument 2[1] != '{'"));
    }
}
