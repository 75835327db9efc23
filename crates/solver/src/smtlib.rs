//! Conditions as SMT-LIB 2, so that a slow query can be studied with other solvers.

use std::fmt::Write;

use pessimum_term::{Arena, BinaryOp, Node, TermId, UnaryOp};
use rustc_hash::FxHashSet;

/// Writes terms, each once, as definitions named after their ids.
///
/// Shared terms stay shared. Float arithmetic uses `fp.to_ieee_bv`, an extension that Z3 and cvc5 have; everything else
/// is the standard's. A script is valid for one arena in which nothing is forgotten meanwhile.
#[derive(Default)]
pub struct Script {
    defined: FxHashSet<TermId>,
    /// What has been written.
    pub text: String,
}

impl Script {
    /// One query as a complete file.
    pub fn query(arena: &Arena, conditions: impl IntoIterator<Item = TermId>) -> String {
        let mut script = Script::default();
        script.text.push_str("(set-logic ALL)\n");
        for condition in conditions {
            script.define(arena, condition);
            script.assert(condition);
        }
        script.text.push_str("(check-sat)\n");
        script.text
    }

    /// Asserts a one-bit term that is defined.
    pub fn assert(&mut self, condition: TermId) {
        let _ = writeln!(self.text, "(assert (= {} #b1))", name(condition));
    }

    /// Defines the term and all below it, unless that has been done.
    pub fn define(&mut self, arena: &Arena, term: TermId) {
        let mut stack = vec![term];
        while let Some(&current) = stack.last() {
            if self.defined.contains(&current) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(arena.children(current).filter(|child| !self.defined.contains(child)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            self.defined.insert(current);
            let width = arena.width(current);
            let name = name(current);
            // Writing to a string does not fail.
            let _ = match arena.node(current) {
                Node::Variable(variable) => writeln!(
                    self.text,
                    "(declare-const v{0}_{width} (_ BitVec {width}))\n(define-fun {name} () (_ BitVec {width}) v{0}_{width})",
                    variable.0
                ),
                node => {
                    writeln!(self.text, "(define-fun {name} () (_ BitVec {width}) {})", expression(arena, node, width))
                }
            };
        }
    }
}

fn name(term: TermId) -> String {
    format!("t{}", term.index())
}

fn expression(arena: &Arena, node: Node, width: u32) -> String {
    match node {
        Node::Constant(value) => format!("(_ bv{value} {width})"),
        Node::Variable(_) => unreachable!("variables are declared"),
        Node::Extract { of, low } => format!("((_ extract {} {low}) {})", low + width - 1, name(of)),
        Node::Concat { high, low } => format!("(concat {} {})", name(high), name(low)),
        Node::IfThenElse { condition, then, otherwise } => {
            format!("(ite (= {} #b1) {} {})", name(condition), name(then), name(otherwise))
        }
        Node::Unary(op, x) => unary(op, arena.width(x), width, &name(x)),
        Node::Binary(op, x, y) => binary(op, arena.width(x), &name(x), &name(y)),
    }
}

/// The exponent and significand sizes of a float sort.
fn float_sort(width: u32) -> &'static str {
    if width == 32 { "8 24" } else { "11 53" }
}

fn as_float(width: u32, x: &str) -> String {
    format!("((_ to_fp {}) {x})", float_sort(width))
}

/// Back to bits, with the one NaN that our operators give.
fn to_bits(width: u32, float: &str) -> String {
    let nan: u64 = if width == 32 { 0x7fc0_0000 } else { 0x7ff8_0000_0000_0000 };
    format!("(let ((f {float})) (ite (fp.isNaN f) (_ bv{nan} {width}) (fp.to_ieee_bv f)))")
}

fn unary(op: UnaryOp, from: u32, to: u32, x: &str) -> String {
    let bit = |index: u32| format!("((_ extract {index} {index}) {x})");
    let rounded = |mode: &str| to_bits(from, &format!("(fp.roundToIntegral {mode} {})", as_float(from, x)));
    match op {
        UnaryOp::Not => format!("(bvnot {x})"),
        UnaryOp::Neg => format!("(bvneg {x})"),
        UnaryOp::Clz | UnaryOp::Ctz => {
            // Zeros before the first one, seen from the top or from the bottom.
            (0..from).rev().fold(format!("(_ bv{from} {to})"), |rest, index| {
                let bit = bit(if op == UnaryOp::Clz { from - 1 - index } else { index });
                format!("(ite (= {bit} #b1) (_ bv{index} {to}) {rest})")
            })
        }
        UnaryOp::Popcnt => (0..from).fold(format!("(_ bv0 {to})"), |sum, index| {
            format!("(bvadd {sum} ((_ zero_extend {}) {}))", to - 1, bit(index))
        }),
        UnaryOp::ZeroExtend => format!("((_ zero_extend {}) {x})", to - from),
        UnaryOp::SignExtend => format!("((_ sign_extend {}) {x})", to - from),
        UnaryOp::FAbs => format!("(bvand {x} (_ bv{} {from}))", (1u64 << (from - 1)) - 1),
        UnaryOp::FNeg => format!("(bvxor {x} (_ bv{} {from}))", 1u64 << (from - 1)),
        UnaryOp::FCeil => rounded("RTP"),
        UnaryOp::FFloor => rounded("RTN"),
        UnaryOp::FTrunc => rounded("RTZ"),
        UnaryOp::FNearest => rounded("RNE"),
        UnaryOp::FSqrt => to_bits(from, &format!("(fp.sqrt RNE {})", as_float(from, x))),
        UnaryOp::FConvert => to_bits(to, &format!("((_ to_fp {}) RNE {})", float_sort(to), as_float(from, x))),
        UnaryOp::FFromS => to_bits(to, &format!("((_ to_fp {}) RNE {x})", float_sort(to))),
        UnaryOp::FFromU => to_bits(to, &format!("((_ to_fp_unsigned {}) RNE {x})", float_sort(to))),
        UnaryOp::FToS | UnaryOp::FToU => saturating(op == UnaryOp::FToS, from, to, x),
    }
}

/// The standard leaves conversions out of range open: they are spelled out.
fn saturating(is_signed: bool, from: u32, to: u32, x: &str) -> String {
    let power = |exponent: u32| {
        if from == 32 { 2f32.powi(exponent as i32).to_bits() as u64 } else { 2f64.powi(exponent as i32).to_bits() }
    };
    let (limit, conversion) = if is_signed { (power(to - 1), "fp.to_sbv") } else { (power(to), "fp.to_ubv") };
    let (largest, smallest) =
        if is_signed { ((1u64 << (to - 1)) - 1, 1u64 << (to - 1)) } else { (u64::MAX >> (64 - to), 0) };
    let limit = as_float(from, &format!("(_ bv{limit} {from})"));
    let below = if is_signed {
        format!("(fp.leq f (fp.neg {limit}))")
    } else {
        format!("(fp.leq f {})", as_float(from, &format!("(_ bv0 {from})")))
    };
    format!(
        "(let ((f {})) (ite (fp.isNaN f) (_ bv0 {to}) (ite (fp.geq f {limit}) (_ bv{largest} {to}) \
         (ite {below} (_ bv{smallest} {to}) ((_ {conversion} {to}) RTZ f)))))",
        as_float(from, x)
    )
}

fn binary(op: BinaryOp, width: u32, x: &str, y: &str) -> String {
    use BinaryOp::*;
    let plain = |function: &str| format!("({function} {x} {y})");
    let truth = |test: String| format!("(ite {test} #b1 #b0)");
    let count = format!("(bvurem {y} (_ bv{width} {width}))");
    let rest = format!("(bvsub (_ bv{width} {width}) {count})");
    let float = |function: &str| format!("({function} {} {})", as_float(width, x), as_float(width, y));
    match op {
        Add => plain("bvadd"),
        Sub => plain("bvsub"),
        Mul => plain("bvmul"),
        DivU => plain("bvudiv"),
        DivS => plain("bvsdiv"),
        RemU => plain("bvurem"),
        RemS => plain("bvsrem"),
        And => plain("bvand"),
        Or => plain("bvor"),
        Xor => plain("bvxor"),
        Shl => format!("(bvshl {x} {count})"),
        ShrU => format!("(bvlshr {x} {count})"),
        ShrS => format!("(bvashr {x} {count})"),
        // A shift by the whole width, for a count of 0, gives 0.
        Rotl => format!("(bvor (bvshl {x} {count}) (bvlshr {x} {rest}))"),
        Rotr => format!("(bvor (bvlshr {x} {count}) (bvshl {x} {rest}))"),
        Eq => truth(plain("=")),
        LtU => truth(plain("bvult")),
        LtS => truth(plain("bvslt")),
        LeU => truth(plain("bvule")),
        LeS => truth(plain("bvsle")),
        FEq => truth(float("fp.eq")),
        FLt => truth(float("fp.lt")),
        FLe => truth(float("fp.leq")),
        FAdd => to_bits(width, &float("fp.add RNE")),
        FSub => to_bits(width, &float("fp.sub RNE")),
        FMul => to_bits(width, &float("fp.mul RNE")),
        FDiv => to_bits(width, &float("fp.div RNE")),
        FCopysign => {
            let low = width - 2;
            format!("(concat ((_ extract {0} {0}) {y}) ((_ extract {low} 0) {x}))", width - 1)
        }
        FMin | FMax => {
            let nan: u64 = if width == 32 { 0x7fc0_0000 } else { 0x7ff8_0000_0000_0000 };
            let (test, zeros) = if op == FMin { ("fp.lt", "bvor") } else { ("fp.gt", "bvand") };
            format!(
                "(let ((f {}) (g {})) (ite (or (fp.isNaN f) (fp.isNaN g)) (_ bv{nan} {width}) \
                 (ite (fp.eq f g) ({zeros} {x} {y}) (ite ({test} f g) {x} {y}))))",
                as_float(width, x),
                as_float(width, y)
            )
        }
    }
}
