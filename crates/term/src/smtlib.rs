//! Conditions as SMT-LIB 2 text, to study them with other solvers.
//!
//! Every term that is not a leaf gets one definition, so the text grows linearly with the number of terms. One-bit
//! terms stay bit-vectors of width 1. Floats are bit-vectors too and go through the theory of floating-point numbers
//! operator by operator; that theory has only one NaN and no way back to bits, so the result of an operator is a new
//! constant whose reading as a float is the result, with the canonical bits for NaN.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::arena::{Arena, Node, TermId, VariableId};
use crate::ops::{BinaryOp, UnaryOp};

/// A script that asks whether all conditions (one-bit terms) can hold, and for the values of their variables: `v3` is
/// variable 3.
pub fn script(arena: &Arena, conditions: &[TermId]) -> String {
    let definitions = Definitions::new(arena, conditions);
    let mut text = definitions.text();
    for &condition in conditions {
        text.push_str(&definitions.assertion(condition));
    }
    text.push_str("(check-sat)\n");
    if !definitions.variables.is_empty() {
        let names: Vec<String> = definitions.variables.keys().map(|variable| format!("v{}", variable.0)).collect();
        let _ = writeln!(text, "(get-value ({}))", names.join(" "));
    }
    text
}

/// What a script says before its assertions: logic, variables and one definition per term, for scripts that ask more
/// than one question.
pub struct Definitions<'a> {
    arena: &'a Arena,
    terms: Vec<TermId>,
    /// Width of each variable; if a number occurs in several widths, the narrower are the low bits of the widest.
    variables: BTreeMap<VariableId, u32>,
}

/// All terms below the roots, each after its operands.
fn needed(arena: &Arena, roots: &[TermId]) -> Vec<TermId> {
    let mut marked = vec![false; roots.iter().map(|root| root.index() + 1).max().unwrap_or(0)];
    for root in roots {
        marked[root.index()] = true;
    }
    for number in (0..marked.len()).rev() {
        if marked[number] {
            for child in arena.children(TermId(number as u32)) {
                marked[child.index()] = true;
            }
        }
    }
    (0..marked.len()).filter(|&number| marked[number]).map(|number| TermId(number as u32)).collect()
}

impl<'a> Definitions<'a> {
    /// Makes the definitions of these terms and of everything below them.
    pub fn new(arena: &'a Arena, roots: &[TermId]) -> Definitions<'a> {
        let terms = needed(arena, roots);
        let mut variables = BTreeMap::new();
        for &term in &terms {
            if let Node::Variable(variable) = arena.node(term) {
                let width = variables.entry(variable).or_insert(0);
                *width = arena.width(term).max(*width);
            }
        }
        Definitions { arena, terms, variables }
    }

    /// The definitions as text.
    pub fn text(&self) -> String {
        let floats = self.terms.iter().any(|&term| match self.arena.node(term) {
            Node::Unary(op, _) => op.is_float(),
            Node::Binary(op, ..) => op.is_float(),
            _ => false,
        });
        let logic = if floats { "QF_BVFP" } else { "QF_BV" };
        let mut text = format!("(set-logic {logic})\n(set-option :produce-models true)\n");
        for (variable, width) in &self.variables {
            let _ = writeln!(text, "(declare-const v{} (_ BitVec {width}))", variable.0);
        }
        for &term in &self.terms {
            self.define(term, &mut text);
        }
        text
    }

    /// The line that asserts one of the terms.
    pub fn assertion(&self, condition: TermId) -> String {
        format!("(assert (= {} #b1))\n", self.name(condition))
    }

    fn name(&self, term: TermId) -> String {
        let width = self.arena.width(term);
        match self.arena.node(term) {
            Node::Constant(value) => constant(width, value),
            Node::Variable(variable) if self.variables[&variable] == width => format!("v{}", variable.0),
            Node::Variable(variable) => format!("((_ extract {} 0) v{})", width - 1, variable.0),
            _ => format!("t{}", term.index()),
        }
    }

    fn define(&self, term: TermId, text: &mut String) {
        let width = self.arena.width(term);
        let body = match self.arena.node(term) {
            Node::Constant(_) | Node::Variable(_) => return,
            Node::Unary(op, x) => self.unary(op, width, x),
            Node::Binary(op, x, y) => self.binary(op, x, y),
            Node::Extract { of, low } => {
                Body::Bits(format!("((_ extract {} {low}) {})", low + width - 1, self.name(of)))
            }
            Node::Concat { high, low } => Body::Bits(format!("(concat {} {})", self.name(high), self.name(low))),
            Node::IfThenElse { condition, then, otherwise } => Body::Bits(format!(
                "(ite (= {} #b1) {} {})",
                self.name(condition),
                self.name(then),
                self.name(otherwise)
            )),
        };
        let name = self.name(term);
        let _ = match body {
            Body::Bits(body) => writeln!(text, "(define-fun {name} () (_ BitVec {width}) {body})"),
            Body::Truth(body) => writeln!(text, "(define-fun {name} () (_ BitVec 1) (ite {body} #b1 #b0))"),
            Body::Float(body) => writeln!(
                text,
                "(declare-const {name} (_ BitVec {width}))\n\
                 (define-fun {name}f () {sort} {body})\n\
                 (assert (ite (fp.isNaN {name}f) (= {name} {nan}) (= {read} {name}f)))",
                sort = if width == 32 { "Float32" } else { "Float64" },
                nan = canonical_nan(width),
                read = read_float(width, &name),
            ),
        };
    }

    fn unary(&self, op: UnaryOp, width: u32, x: TermId) -> Body {
        use UnaryOp::*;
        let (from, x) = (self.arena.width(x), self.name(x));
        let float = || read_float(from, &x);
        // How many of the conditions hold, one for each bit; flat, because solvers are slow on nested choices.
        let count = |condition: &dyn Fn(u32) -> String| {
            let (one, zero) = (constant(width, 1), constant(width, 0));
            let each: Vec<String> =
                (0..width).map(|index| format!("(ite {} {one} {zero})", condition(index))).collect();
            Body::Bits(if width == 1 { each.concat() } else { format!("(bvadd {})", each.join(" ")) })
        };
        match op {
            Not => Body::Bits(format!("(bvnot {x})")),
            Neg => Body::Bits(format!("(bvneg {x})")),
            Clz => count(&|index| format!("(bvult {x} {})", constant(width, 1 << index))),
            Ctz => count(&|index| format!("(= ((_ extract {index} 0) {x}) {})", constant(index + 1, 0))),
            Popcnt => count(&|index| format!("(= ((_ extract {index} {index}) {x}) #b1)")),
            ZeroExtend => Body::Bits(format!("((_ zero_extend {}) {x})", width - from)),
            SignExtend => Body::Bits(format!("((_ sign_extend {}) {x})", width - from)),
            FAbs => Body::Bits(format!("(bvand {x} {})", constant(width, (1 << (width - 1)) - 1))),
            FNeg => Body::Bits(format!("(bvxor {x} {})", constant(width, 1 << (width - 1)))),
            FCeil => Body::Float(format!("(fp.roundToIntegral RTP {})", float())),
            FFloor => Body::Float(format!("(fp.roundToIntegral RTN {})", float())),
            FTrunc => Body::Float(format!("(fp.roundToIntegral RTZ {})", float())),
            FNearest => Body::Float(format!("(fp.roundToIntegral RNE {})", float())),
            FSqrt => Body::Float(format!("(fp.sqrt RNE {})", float())),
            FConvert => Body::Float(format!("((_ to_fp {}) RNE {})", format_of(width), float())),
            FFromS => Body::Float(format!("((_ to_fp {}) RNE {x})", format_of(width))),
            FFromU => Body::Float(format!("((_ to_fp_unsigned {}) RNE {x})", format_of(width))),
            FToS | FToU => {
                let is_signed = op == FToS;
                let bits_of = |value: f64| {
                    let bits = if from == 32 { (value as f32).to_bits() as u64 } else { value.to_bits() };
                    read_float(from, &constant(from, bits))
                };
                // Powers of two: exact in both formats.
                let above = 2f64.powi(if is_signed { width as i32 - 1 } else { width as i32 });
                let (smallest, largest) =
                    if is_signed { (1 << (width - 1), (1 << (width - 1)) - 1) } else { (0, u64::MAX) };
                Body::Bits(format!(
                    "(ite (fp.isNaN {f}) {zero} (ite (fp.leq {f} {below}) {smallest} (ite (fp.geq {f} {above}) {largest} \
                     ((_ {convert} {width}) RTZ {f}))))",
                    f = float(),
                    zero = constant(width, 0),
                    below = bits_of(if is_signed { -above } else { 0.0 }),
                    smallest = constant(width, smallest),
                    above = bits_of(above),
                    largest = constant(width, largest),
                    convert = if is_signed { "fp.to_sbv" } else { "fp.to_ubv" },
                ))
            }
        }
    }

    fn binary(&self, op: BinaryOp, x: TermId, y: TermId) -> Body {
        use BinaryOp::*;
        let width = self.arena.width(x);
        let (x, y) = (self.name(x), self.name(y));
        let count = if width.is_power_of_two() {
            format!("(bvand {y} {})", constant(width, width as u64 - 1))
        } else {
            format!("(bvurem {y} {})", constant(width, width as u64))
        };
        let rotated = |first: &str, second: &str| {
            let rest = format!("(bvsub {} {count})", constant(width, width as u64));
            Body::Bits(format!("(bvor ({first} {x} {count}) ({second} {x} {rest}))"))
        };
        let bits = |operator: &str| Body::Bits(format!("({operator} {x} {y})"));
        let shifted = |operator: &str| Body::Bits(format!("({operator} {x} {count})"));
        let truth = |operator: &str| Body::Truth(format!("({operator} {x} {y})"));
        let (float_x, float_y) = (read_float(width, &x), read_float(width, &y));
        let float = |operator: &str| Body::Float(format!("({operator} RNE {float_x} {float_y})"));
        let float_truth = |operator: &str| Body::Truth(format!("({operator} {float_x} {float_y})"));
        // SMT-LIB leaves the smaller of +0 and -0 open, so these work on the bits.
        let extreme = |less: &str, of_equals: &str| {
            Body::Bits(format!(
                "(ite (or (fp.isNaN {float_x}) (fp.isNaN {float_y})) {nan} (ite (fp.eq {float_x} {float_y}) \
                 ({of_equals} {x} {y}) (ite ({less} {float_x} {float_y}) {x} {y})))",
                nan = canonical_nan(width)
            ))
        };
        match op {
            Add => bits("bvadd"),
            Sub => bits("bvsub"),
            Mul => bits("bvmul"),
            DivU => bits("bvudiv"),
            DivS => bits("bvsdiv"),
            RemU => bits("bvurem"),
            RemS => bits("bvsrem"),
            And => bits("bvand"),
            Or => bits("bvor"),
            Xor => bits("bvxor"),
            Shl => shifted("bvshl"),
            ShrU => shifted("bvlshr"),
            ShrS => shifted("bvashr"),
            Rotl => rotated("bvshl", "bvlshr"),
            Rotr => rotated("bvlshr", "bvshl"),
            Eq => truth("="),
            LtU => truth("bvult"),
            LtS => truth("bvslt"),
            LeU => truth("bvule"),
            LeS => truth("bvsle"),
            FAdd => float("fp.add"),
            FSub => float("fp.sub"),
            FMul => float("fp.mul"),
            FDiv => float("fp.div"),
            FMin => extreme("fp.lt", "bvor"),
            FMax => extreme("fp.gt", "bvand"),
            FCopysign => {
                let (sign, rest) = (constant(width, 1 << (width - 1)), constant(width, (1 << (width - 1)) - 1));
                Body::Bits(format!("(bvor (bvand {x} {rest}) (bvand {y} {sign}))"))
            }
            FEq => float_truth("fp.eq"),
            FLt => float_truth("fp.lt"),
            FLe => float_truth("fp.leq"),
        }
    }
}

/// A definition's right-hand side, by its sort.
enum Body {
    Bits(String),
    Truth(String),
    Float(String),
}

fn constant(width: u32, value: u64) -> String {
    let value = value & crate::ops::mask(width);
    if width.is_multiple_of(4) {
        format!("#x{value:0digits$x}", digits = width as usize / 4)
    } else {
        format!("#b{value:0digits$b}", digits = width as usize)
    }
}

fn format_of(width: u32) -> &'static str {
    if width == 32 { "8 24" } else { "11 53" }
}

fn read_float(width: u32, bits: &str) -> String {
    format!("((_ to_fp {}) {bits})", format_of(width))
}

fn canonical_nan(width: u32) -> &'static str {
    if width == 32 { "#x7fc00000" } else { "#x7ff8000000000000" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script() {
        let mut arena = Arena::new();
        let (x, y) = (arena.variable(VariableId(0), 32), arena.variable(VariableId(1), 32));
        let sum = arena.binary(BinaryOp::Add, x, y);
        let less = arena.binary(BinaryOp::LtS, sum, x);
        let five = arena.constant(32, 5);
        let shifted = arena.binary(BinaryOp::Shl, five, y);
        let equal = arena.binary(BinaryOp::Eq, shifted, sum);
        let expected = "\
(set-logic QF_BV)
(set-option :produce-models true)
(declare-const v0 (_ BitVec 32))
(declare-const v1 (_ BitVec 32))
(define-fun t2 () (_ BitVec 32) (bvadd v0 v1))
(define-fun t3 () (_ BitVec 1) (ite (bvslt t2 v0) #b1 #b0))
(define-fun t5 () (_ BitVec 32) (bvshl #x00000005 (bvand v1 #x0000001f)))
(define-fun t6 () (_ BitVec 1) (ite (= t2 t5) #b1 #b0))
(assert (= t3 #b1))
(assert (= t6 #b1))
(check-sat)
(get-value (v0 v1))
";
        assert_eq!(script(&arena, &[less, equal]), expected);
    }

    #[test]
    fn shared_terms_are_printed_once() {
        let mut arena = Arena::new();
        let mut term = arena.variable(VariableId(0), 32);
        for _ in 0..1000 {
            term = arena.binary(BinaryOp::Mul, term, term);
        }
        let odd = arena.extract(term, 0, 1);
        assert_eq!(script(&arena, &[odd]).lines().count(), 1000 + 7);
    }
}
