//! What goes over the pipes: frames, the table of operators, and the terms that the worker's nodes stand for.
//!
//! `worker/main.py` has the other side of the frames and `worker/nodes.py` that of the operators.
//!
//! In a symbolic process arguments are proxies: values with a node of an expression. They are no subclasses of `int`
//! and `str`, because C code would then read their value without asking. Where C code has to be asked instead, sources
//! are rewritten when they are imported, keeping every line event. What cannot be followed becomes concrete through a
//! value decision, which is on the path condition, and is counted with its place. Sites are keyed by file, function,
//! line and the place of the condition on it, never by offsets in byte code, which differ between rewritten and plain
//! code.

use pessimum_outcome::{Costs, End, Limit, Trap};
use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp, VariableId};
use serde::Deserialize;

/// Requests to a worker.
pub mod request {
    #![allow(missing_docs)]
    pub const OPEN: u8 = b'O';
    pub const PROGRAM: u8 = b'P';
    pub const RUN: u8 = b'R';
    pub const GO: u8 = b'G';
    pub const ANSWER: u8 = b'A';
    pub const STOP: u8 = b'X';
    pub const FIELDS: u8 = b'F';
    pub const LITERAL: u8 = b'L';
    pub const PING: u8 = b'N';
}

/// Answers of a worker to a run; others are the request in lower case, or an error.
pub mod answer {
    #![allow(missing_docs)]
    pub const DECISION: u8 = b'd';
    pub const ASSUMPTION: u8 = b'a';
    pub const ALIVE: u8 = b's';
    pub const RESULT: u8 = b'r';
    pub const ERROR: u8 = b'e';
    pub const PONG: u8 = b'n';
    pub const OLD: u8 = b'v';
}

/// What is wanted of a run.
pub mod flag {
    #![allow(missing_docs)]
    pub const SYMBOLIC: i64 = 1;
    pub const OPCODES: i64 = 2;
    pub const ARMS: i64 = 4;
    pub const SHOW: i64 = 8;
    pub const PROFILE: i64 = 16;
    pub const LINES: i64 = 32;
    pub const HITS: i64 = 64;
    pub const WORK: i64 = 128;
    pub const APART: i64 = 256;
}

/// One frame.
pub struct Frame {
    pub kind: u8,
    pub body: Vec<u8>,
}

/// Numbers as the worker reads them.
pub fn words(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A decision or an assumption as the worker sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// One of the constants below.
    pub kind: u8,
    /// The worker's own number of the site.
    pub site: u32,
    /// The node.
    pub node: u32,
    /// The value that the witness gives it; later, the arm that was answered.
    pub arm: i64,
    /// The call that decides.
    pub frame: u32,
    /// Costs when it was met.
    pub lines: u64,
    pub calls: u64,
    pub depth: u64,
    pub hits: u64,
    pub user: u64,
}

impl Record {
    pub const BRANCH: u8 = 0;
    pub const CHECK: u8 = 1;
    pub const VALUE: u8 = 2;
    pub const ASSUME: u8 = 3;

    /// Numbers of a record on the wire.
    const WORDS: usize = 10;

    fn read(words: &[i64]) -> Record {
        let natural = |at: usize| u64::try_from(words[at]).unwrap_or(0);
        let short = |at: usize| u32::try_from(words[at]).unwrap_or(u32::MAX);
        Record {
            kind: u8::try_from(words[0]).unwrap_or(u8::MAX),
            site: short(1),
            node: short(2),
            arm: words[3],
            frame: short(4),
            lines: natural(5),
            calls: natural(6),
            depth: natural(7),
            hits: natural(8),
            user: natural(9),
        }
    }

    /// What the run has cost where it was met; `decisions` is counted by those who know the terms.
    pub fn costs(&self) -> Costs {
        Costs {
            lines: self.lines,
            calls: self.calls,
            depth: self.depth,
            hits: self.hits,
            user: self.user,
            ..Costs::default()
        }
    }
}

/// A node as the worker sends it: operator and operands.
pub type NodeRow = [i64; 4];

/// Something in a run that became concrete: why, where, how often.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Note(pub String, pub String, pub u32, pub u64);

/// A site as it is defined: file, function, line, key within the line.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteKey(pub String, pub String, pub u32, pub String);

/// What an answer says besides numbers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Rest {
    pub why: Option<String>,
    pub at: Option<String>,
    pub printed: String,
    pub returned: Option<String>,
    pub sites: Vec<SiteKey>,
    pub notes: Vec<Note>,
    pub lines: Option<Reached>,
    pub profile: Option<serde_json::Value>,
    pub work: Option<serde_json::Value>,
    /// Not 0 if the run did something else in a process of its own: the runs that its process has made.
    pub apart: u64,
}

/// Lines and functions that a run has executed.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Reached {
    pub lines: std::collections::BTreeMap<String, Vec<u32>>,
    pub functions: Vec<(String, String, u32)>,
}

/// An answer to a run.
pub struct Answer {
    /// How it ended; none if it goes on.
    pub end: Option<End>,
    pub costs: Costs,
    pub nodes: Vec<NodeRow>,
    pub records: Vec<Record>,
    /// (site, arm, times), sites by the worker's own numbers.
    pub counted: Vec<(u32, u32, u64)>,
    pub rest: Rest,
}

/// Numbers before the lists of an answer.
const HEAD: usize = 13;

impl Answer {
    /// Reads an answer; none if it is not one.
    pub fn read(body: &[u8]) -> Option<Answer> {
        let head: Vec<i64> = numbers(body.get(..HEAD * 8)?).collect();
        let count = |at: usize| usize::try_from(head[at]).ok();
        let natural = |at: usize| u64::try_from(head[at]).unwrap_or(0);
        let mut at = HEAD * 8;
        let mut part = |bytes: usize| {
            let part = body.get(at..at.checked_add(bytes)?)?;
            at += bytes;
            Some(part)
        };
        let nodes: Vec<i64> = numbers(part(count(9)?.checked_mul(8)?)?).collect();
        let records: Vec<i64> = numbers(part(count(10)?.checked_mul(8)?)?).collect();
        let counted: Vec<i64> = numbers(part(count(11)?.checked_mul(8)?)?).collect();
        let rest = part(count(12)?)?;
        let rest = if rest.is_empty() { Rest::default() } else { serde_json::from_slice(rest).ok()? };
        let arm = |arm: &[i64]| (arm[0] as u32, arm[1] as u32, arm[2] as u64);
        Some(Answer {
            end: end(head[0], head[1])?,
            costs: Costs {
                lines: natural(2),
                calls: natural(3),
                depth: natural(4),
                user: natural(5),
                hits: natural(6),
                instructions: natural(7),
                branches: natural(8),
                ..Costs::default()
            },
            nodes: nodes.chunks_exact(4).map(|row| [row[0], row[1], row[2], row[3]]).collect(),
            records: records.chunks_exact(Record::WORDS).map(Record::read).collect(),
            counted: counted.chunks_exact(3).map(arm).collect(),
            rest,
        })
    }
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().unwrap_or_default()))
}

/// The end with this number and code; the outer none is a number that no end has.
fn end(number: i64, code: i64) -> Option<Option<End>> {
    Some(Some(match number {
        0 => return Some(None),
        1 => End::Returned,
        2 => End::Exited(code as u32),
        3 => End::Trapped(Trap::Exception),
        4 => End::Limit(Limit::Instructions),
        5 => End::Limit(Limit::Depth),
        6 => End::Limit(Limit::Memory),
        7 => End::AssumptionViolated,
        8 => End::Unsupported,
        _ => return None,
    }))
}

macro_rules! operators {
    ($($variant:ident = $name:literal,)*) => {
        /// The worker's operators, in the order of their numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Op { $($variant,)* }

        impl Op {
            pub const ALL: &[Op] = &[$(Op::$variant,)*];

            #[cfg(test)]
            pub fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }
        }
    };
}

operators! {
    Var = "var",
    Const = "const",
    Add = "add",
    Sub = "sub",
    Mul = "mul",
    FloorDiv = "floordiv",
    Mod = "mod",
    DivU = "divu",
    RemU = "remu",
    And = "and",
    Or = "or",
    Xor = "xor",
    Shl = "shl",
    Shr = "shr",
    Neg = "neg",
    Ite = "ite",
    BToI = "btoi",
    FToI = "ftoi",
    FBits = "fbits",
    BVar = "bvar",
    Eq = "eq",
    Lt = "lt",
    Le = "le",
    Not = "not",
    BAnd = "band",
    BOr = "bor",
    FEq = "feq",
    FLt = "flt",
    FLe = "fle",
    FVar = "fvar",
    FConst = "fconst",
    FAdd = "fadd",
    FSub = "fsub",
    FMul = "fmul",
    FDiv = "fdiv",
    FNeg = "fneg",
    FAbs = "fabs",
    FSqrt = "fsqrt",
    FFloor = "ffloor",
    FCeil = "fceil",
    FTrunc = "ftrunc",
    FNearest = "fnearest",
    IToF = "itof",
    FIte = "fite",
}

/// How a variable's bits are read: width, and whether it is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableForm {
    pub width: u32,
    pub signed: bool,
}

/// Terms of nodes, made when they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// By node.
    made: Vec<Option<TermId>>,
    todo: Vec<u32>,
}

impl Terms {
    /// The term of a node; none if a row makes no sense, which is a defect of ours.
    pub fn of(
        &mut self,
        arena: &mut Arena,
        rows: &[NodeRow],
        forms: &dyn Fn(u32) -> Option<VariableForm>,
        node: u32,
    ) -> Option<TermId> {
        if self.made.len() < rows.len() {
            self.made.resize(rows.len(), None);
        }
        self.todo.push(node);
        // A loop rather than recursion: a sum over a long list is a long chain.
        while let Some(&next) = self.todo.last() {
            let row = rows.get(next as usize)?;
            if self.made[next as usize].is_some() {
                self.todo.pop();
                continue;
            }
            let op = *Op::ALL.get(usize::try_from(row[0]).ok()?)?;
            let arity = arity(op);
            let mut operands = [None; 3];
            let mut complete = true;
            for (at, operand) in operands.iter_mut().enumerate().take(arity) {
                let child = u32::try_from(row[at + 1]).ok().filter(|&child| child < next)?;
                *operand = self.made[child as usize];
                if operand.is_none() {
                    self.todo.push(child);
                    complete = false;
                }
            }
            if complete {
                self.made[next as usize] = Some(make(arena, op, row, operands, forms)?);
                self.todo.pop();
            }
        }
        self.made.get(node as usize).copied().flatten()
    }
}

fn arity(op: Op) -> usize {
    match op {
        Op::Var | Op::Const | Op::BVar | Op::FVar | Op::FConst => 0,
        Op::Neg
        | Op::BToI
        | Op::FToI
        | Op::FBits
        | Op::Not
        | Op::FNeg
        | Op::FAbs
        | Op::FSqrt
        | Op::FFloor
        | Op::FCeil
        | Op::FTrunc
        | Op::FNearest
        | Op::IToF => 1,
        Op::Ite | Op::FIte => 3,
        _ => 2,
    }
}

/// One term. Integers are 64 bits wide, which they do not leave on the path at hand; conditions are one bit.
fn make(
    arena: &mut Arena,
    op: Op,
    row: &NodeRow,
    operands: [Option<TermId>; 3],
    forms: &dyn Fn(u32) -> Option<VariableForm>,
) -> Option<TermId> {
    let number = || u32::try_from(row[1]).ok();
    let (a, b, c) = (operands[0], operands[1], operands[2]);
    let mut binary = |op: BinaryOp| Some(arena.binary(op, a?, b?));
    Some(match op {
        Op::Var => {
            let (id, form) = (VariableId(number()?), forms(number()?)?);
            let variable = arena.variable(id, form.width);
            match form.width {
                64 => variable,
                _ if form.signed => arena.unary(UnaryOp::SignExtend, 64, variable),
                _ => arena.unary(UnaryOp::ZeroExtend, 64, variable),
            }
        }
        Op::BVar => {
            let variable = arena.variable(VariableId(number()?), forms(number()?)?.width);
            arena.truth(variable)
        }
        Op::FVar => arena.variable(VariableId(number()?), 64),
        Op::Const | Op::FConst => arena.constant(64, row[1] as u64),
        Op::Add => binary(BinaryOp::Add)?,
        Op::Sub => binary(BinaryOp::Sub)?,
        Op::Mul => binary(BinaryOp::Mul)?,
        Op::DivU => binary(BinaryOp::DivU)?,
        Op::RemU => binary(BinaryOp::RemU)?,
        Op::And => binary(BinaryOp::And)?,
        Op::Or => binary(BinaryOp::Or)?,
        Op::Xor => binary(BinaryOp::Xor)?,
        Op::Shl => binary(BinaryOp::Shl)?,
        Op::Shr => binary(BinaryOp::ShrS)?,
        Op::FloorDiv => {
            let (a, b) = (a?, b?);
            let quotient = arena.binary(BinaryOp::DivS, a, b);
            let correct = rounds_up(arena, a, b);
            let one = arena.unary(UnaryOp::ZeroExtend, 64, correct);
            arena.binary(BinaryOp::Sub, quotient, one)
        }
        Op::Mod => {
            let (a, b) = (a?, b?);
            let remainder = arena.binary(BinaryOp::RemS, a, b);
            let correct = rounds_up(arena, a, b);
            let moved = arena.binary(BinaryOp::Add, remainder, b);
            arena.if_then_else(correct, moved, remainder)
        }
        Op::Neg => arena.unary(UnaryOp::Neg, 64, a?),
        Op::Ite | Op::FIte => arena.if_then_else(a?, b?, c?),
        Op::BToI => arena.unary(UnaryOp::ZeroExtend, 64, a?),
        Op::FToI => arena.unary(UnaryOp::FToS, 64, a?),
        Op::FBits => a?,
        Op::Eq => binary(BinaryOp::Eq)?,
        Op::Lt => binary(BinaryOp::LtS)?,
        Op::Le => binary(BinaryOp::LeS)?,
        Op::Not => arena.not(a?),
        Op::BAnd => binary(BinaryOp::And)?,
        Op::BOr => binary(BinaryOp::Or)?,
        Op::FEq => binary(BinaryOp::FEq)?,
        Op::FLt => binary(BinaryOp::FLt)?,
        Op::FLe => binary(BinaryOp::FLe)?,
        Op::FAdd => binary(BinaryOp::FAdd)?,
        Op::FSub => binary(BinaryOp::FSub)?,
        Op::FMul => binary(BinaryOp::FMul)?,
        Op::FDiv => binary(BinaryOp::FDiv)?,
        Op::FNeg => arena.unary(UnaryOp::FNeg, 64, a?),
        Op::FAbs => arena.unary(UnaryOp::FAbs, 64, a?),
        Op::FSqrt => arena.unary(UnaryOp::FSqrt, 64, a?),
        Op::FFloor => arena.unary(UnaryOp::FFloor, 64, a?),
        Op::FCeil => arena.unary(UnaryOp::FCeil, 64, a?),
        Op::FTrunc => arena.unary(UnaryOp::FTrunc, 64, a?),
        Op::FNearest => arena.unary(UnaryOp::FNearest, 64, a?),
        Op::IToF => arena.unary(UnaryOp::FFromS, 64, a?),
    })
}

/// Whether division towards zero gives one more than Python's: the remainder is not 0 and has the other sign than the
/// divisor.
fn rounds_up(arena: &mut Arena, a: TermId, b: TermId) -> TermId {
    let remainder = arena.binary(BinaryOp::RemS, a, b);
    let zero = arena.constant(64, 0);
    let exact = arena.binary(BinaryOp::Eq, remainder, zero);
    let inexact = arena.not(exact);
    let (below, divisor_below) = (arena.binary(BinaryOp::LtS, remainder, zero), arena.binary(BinaryOp::LtS, b, zero));
    let differ = arena.binary(BinaryOp::Xor, below, divisor_below);
    arena.binary(BinaryOp::And, inexact, differ)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::Evaluator;
    use pessimum_term::Witness;

    #[test]
    fn the_worker_numbers_its_operators_alike() {
        let source = include_str!("../worker/nodes.py");
        let table = source.split_once("OPERATORS = (").unwrap().1.split_once("\n)").unwrap().0;
        let names: Vec<&str> = table
            .lines()
            .filter_map(|line| line.trim().strip_prefix('"')?.split_once('"').map(|(name, _)| name))
            .collect();
        let ours: Vec<&str> = Op::ALL.iter().map(|op| op.name()).collect();
        assert_eq!(names, ours);
    }

    #[test]
    fn division_rounds_down() {
        let (forms, mut arena) = (|_| Some(VariableForm { width: 8, signed: true }), Arena::new());
        let rows = [
            [Op::Var as i64, 0, 0, 0],
            [Op::Var as i64, 1, 0, 0],
            [Op::FloorDiv as i64, 0, 1, 0],
            [Op::Mod as i64, 0, 1, 0],
        ];
        let mut terms = Terms::default();
        let quotient = terms.of(&mut arena, &rows, &forms, 2).unwrap();
        let remainder = terms.of(&mut arena, &rows, &forms, 3).unwrap();
        for a in -128..=127i64 {
            for b in (-128..=127i64).filter(|&b| b != 0) {
                let mut evaluator = Evaluator::new(Witness::new(vec![a as u64 & 0xff, b as u64 & 0xff]));
                let (q, r) = (a.div_euclid(b), a.rem_euclid(b));
                // Python's remainder has the sign of the divisor.
                let (q, r) = if r != 0 && b < 0 { (q - 1, r + b) } else { (q, r) };
                assert_eq!(evaluator.value(&arena, quotient) as i64, q, "{a} // {b}");
                assert_eq!(evaluator.value(&arena, remainder) as i64, r, "{a} % {b}");
            }
        }
    }

    #[test]
    fn rows_that_make_no_sense_are_refused() {
        let forms = |_| None;
        let mut arena = Arena::new();
        for row in [[99, 0, 0, 0], [Op::Add as i64, 0, 0, 0], [Op::Neg as i64, -1, 0, 0], [Op::Var as i64, 0, 0, 0]] {
            assert_eq!(Terms::default().of(&mut arena, &[row], &forms, 0), None);
        }
        assert_eq!(Terms::default().of(&mut arena, &[], &forms, 0), None);
        assert!(Answer::read(&[0; 7]).is_none());
        assert!(Answer::read(&words(&[0, 0, 0, 0, 0, 0, 0, 0, 0, i64::MAX, 0, 0, 0])).is_none());
    }
}
