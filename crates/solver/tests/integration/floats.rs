//! Float arithmetic by circuits alone: questions with known answers, and random ones against Z3.
//!
//! Where `z3` is not installed the comparison is skipped with a notice; with PESSIMUM_REQUIRE_TOOLS=1 that is a failure.
//! `PESSIMUM_Z3_FLOAT_SETS` is the number of sets (default 25).

use crate::common::{Generator, Random, satisfies, z3};
use pessimum_solver::{Answer, Context, LayerName, Settings, check_with};
use pessimum_term::BinaryOp::*;
use pessimum_term::UnaryOp::*;
use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp, VariableId};

/// Makes terms of one float width.
struct Terms {
    arena: Arena,
    width: u32,
}

impl Terms {
    fn new(width: u32) -> Terms {
        Terms { arena: Arena::new(), width }
    }
    fn variable(&mut self, number: u32) -> TermId {
        self.arena.variable(VariableId(number), self.width)
    }
    fn number(&mut self, value: f64) -> TermId {
        let bits = if self.width == 32 { (value as f32).to_bits() as u64 } else { value.to_bits() };
        self.arena.constant(self.width, bits)
    }
    fn binary(&mut self, op: BinaryOp, x: TermId, y: TermId) -> TermId {
        self.arena.binary(op, x, y)
    }
    fn unary(&mut self, op: UnaryOp, x: TermId) -> TermId {
        self.arena.unary(op, self.width, x)
    }
    fn not(&mut self, x: TermId) -> TermId {
        self.arena.not(x)
    }

    /// Asks the circuits alone; the model, if there is one, is evaluated. Panics where they give up.
    fn is_satisfiable(&mut self, name: &str, conditions: &[TermId]) -> bool {
        let settings = Settings { layers: vec![LayerName::FloatCircuits], conflicts: 200_000, ..Settings::default() };
        let start = std::time::Instant::now();
        // All at once: one by one, a first model could be lucky.
        let all = conditions.iter().copied().reduce(|all, next| self.arena.binary(And, all, next)).expect("conditions");
        let mut context = Context::new(settings);
        let answer = context.feasible(&mut self.arena, all);
        println!("{name}, {} bits: {:?}", self.width, start.elapsed());
        match answer {
            Answer::Sat(witness) => {
                assert!(satisfies(&self.arena, &witness, conditions), "{name}: {witness:x?} is wrong");
                true
            }
            Answer::Unsat(_) => false,
            Answer::Unknown(why) => panic!("{name} of {} bits: gave up ({why:?})", self.width),
        }
    }
}

/// Whether a monotone function takes the value at one of the numbers around the place where it should be.
fn is_reached(width: u32, function: impl Fn(f64) -> f64, near: f64, value: f64) -> bool {
    (-8i64..=8).any(|step| {
        if width == 32 {
            let x = f32::from_bits(((near as f32).to_bits() as i64 + step) as u32);
            function(x as f64) == value as f32 as f64
        } else {
            function(f64::from_bits((near.to_bits() as i64 + step) as u64)) == value
        }
    })
}

#[test]
fn what_has_a_solution_is_solved() {
    for width in [32, 64] {
        let mut t = Terms::new(width);
        let (x, y, z) = (t.variable(0), t.variable(1), t.variable(2));
        let [tenth, half, three, huge] = [0.1, 0.5, 3.0, 1e30].map(|value| t.number(value));

        let sum = t.binary(FAdd, x, y);
        let is_three = t.binary(FEq, sum, three);
        let large = t.binary(FLt, huge, x);
        let not_large = t.not(large);
        let more = t.binary(FLt, three, y);
        assert!(t.is_satisfiable("x + y == 3 and y > 3", &[is_three, more, not_large]));

        let swallowed = t.binary(FEq, sum, x);
        let some = t.binary(FLt, half, y);
        assert!(t.is_satisfiable("x + y == x and y > 0.5", &[swallowed, some]));

        // Addition is not associative.
        let (left, right) = (t.binary(FAdd, sum, z), t.binary(FAdd, y, z));
        let right = t.binary(FAdd, x, right);
        let (less, more) = (t.binary(FLt, left, right), t.binary(FLt, huge, z));
        assert!(t.is_satisfiable("(x + y) + z < x + (y + z) and z > 1e30", &[less, more]));

        let product = t.binary(FMul, x, three);
        let equal = t.binary(FEq, product, tenth);
        let triple = |x: f64| if width == 32 { (x as f32 * 3.0) as f64 } else { x * 3.0 };
        assert_eq!(t.is_satisfiable("3 * x == 0.1", &[equal]), is_reached(width, triple, 0.1 / 3.0, 0.1));

        let quotient = t.binary(FDiv, x, three);
        let equal = t.binary(FEq, quotient, tenth);
        let third = |x: f64| if width == 32 { (x as f32 / 3.0) as f64 } else { x / 3.0 };
        assert_eq!(t.is_satisfiable("x / 3 == 0.1", &[equal]), is_reached(width, third, 0.1 * 3.0, 0.1));

        let root = t.unary(FSqrt, x);
        let equal = t.binary(FEq, root, three);
        assert!(t.is_satisfiable("sqrt(x) == 3", &[equal]));

        let floor = t.unary(FFloor, x);
        let ceil = t.unary(FCeil, x);
        let gap = t.binary(FSub, ceil, floor);
        let one = t.number(1.0);
        let apart = t.binary(FEq, gap, one);
        let above = t.binary(FLt, three, x);
        assert!(t.is_satisfiable("ceil(x) - floor(x) == 1 and x > 3", &[apart, above]));

        // The middle between two even numbers, and between odd and even.
        let nearest = t.unary(FNearest, x);
        let down = t.binary(FSub, x, nearest);
        let tie = t.binary(FEq, down, half);
        assert!(t.is_satisfiable("x - nearest(x) == 0.5 and x > 3", &[tie, above]));
    }
}

#[test]
fn squares_are_found_or_refuted_as_brute_force_does() {
    // Numbers in [1, 2) and [2, 4) have every significand that there is.
    let squares: std::collections::HashSet<u32> =
        (1f32.to_bits()..4f32.to_bits()).map(f32::from_bits).map(|x| (x * x).to_bits()).collect();
    let mut random = Random::new(5);
    let mut outcomes = [0, 0];
    let chosen = [2.0f32, 2.25, 3.0, 9.0].map(f32::to_bits);
    let others: Vec<u32> = (0..4).map(|_| 1f32.to_bits() + random.below(2 << 23) as u32).collect();
    for square in chosen.into_iter().chain(others) {
        let mut t = Terms::new(32);
        let x = t.variable(0);
        let product = t.binary(FMul, x, x);
        let wanted = t.arena.constant(32, square as u64);
        let equal = t.binary(FEq, product, wanted);
        let found = t.is_satisfiable(&format!("x * x == {}", f32::from_bits(square)), &[equal]);
        assert_eq!(found, squares.contains(&square), "{}", f32::from_bits(square));
        outcomes[found as usize] += 1;
    }
    assert!(outcomes.iter().all(|&count| count > 0), "no variety: {outcomes:?}");
}

#[test]
fn what_has_no_solution_is_refuted() {
    for width in [32, 64] {
        let mut t = Terms::new(width);
        let (x, y) = (t.variable(0), t.variable(1));
        let [zero, one, three, five, seven] = [0.0, 1.0, 3.0, 5.0, 7.0].map(|value| t.number(value));

        let square = t.binary(FMul, x, x);
        let negative = t.binary(FLt, square, zero);
        assert!(!t.is_satisfiable("x * x < 0", &[negative]));

        // Numbers above 3 are multiples of a unit of which 0.1 is none.
        let (tenth, plus) = (t.number(0.1), t.binary(FAdd, x, y));
        let (equal, large) = (t.binary(FEq, plus, tenth), t.binary(FLt, three, x));
        assert!(!t.is_satisfiable("x + y == 0.1 and x > 3", &[equal, large]));

        let next = t.binary(FAdd, x, one);
        let below = t.binary(FLt, next, x);
        assert!(!t.is_satisfiable("x + 1 < x", &[below]));

        let (more, sum) = (t.binary(FLt, five, x), t.binary(FAdd, x, three));
        let less = t.binary(FLt, sum, seven);
        assert!(!t.is_satisfiable("x > 5 and x + 3 < 7", &[more, less]));

        let (after, difference) = (t.binary(FLt, x, y), t.binary(FSub, y, x));
        let not_positive = t.binary(FLe, difference, zero);
        assert!(!t.is_satisfiable("x < y and y - x <= 0", &[after, not_positive]));

        let floor = t.unary(FFloor, x);
        let above = t.binary(FLt, x, floor);
        assert!(!t.is_satisfiable("floor(x) > x", &[above]));

        let truncated = t.unary(FTrunc, x);
        let (a, b) = (t.unary(FAbs, x), t.unary(FAbs, truncated));
        let larger = t.binary(FLt, a, b);
        assert!(!t.is_satisfiable("abs(trunc(x)) > abs(x)", &[larger]));

        let root = t.unary(FSqrt, x);
        let negative = t.binary(FLt, root, zero);
        assert!(!t.is_satisfiable("sqrt(x) < 0", &[negative]));
    }
}

#[test]
fn conversions_round_trip_where_they_can() {
    // From, through, and whether some integer changes on its way there and back.
    for (from, float, changes) in [(16, 32, false), (32, 32, true), (32, 64, false), (64, 64, true)] {
        for (into, back) in [(FFromS, FToS), (FFromU, FToU)] {
            let mut t = Terms::new(float);
            let x = t.arena.variable(VariableId(0), from);
            let x = if from == 16 {
                let extension = if into == FFromS { SignExtend } else { ZeroExtend };
                t.arena.unary(extension, 32, x)
            } else {
                x
            };
            let integer = t.arena.width(x);
            let through = t.arena.unary(into, float, x);
            let again = t.arena.unary(back, integer, through);
            let same = t.arena.binary(Eq, x, again);
            let differ = t.not(same);
            assert_eq!(t.is_satisfiable(&format!("{into:?} of {from} bits and {back:?}"), &[differ]), changes);
        }
    }
    // f32 to f64 and back changes nothing; f64 to f32 and back does.
    for (width, changes) in [(32, false), (64, true)] {
        let mut t = Terms::new(width);
        let x = t.variable(0);
        let through = t.arena.unary(FConvert, 96 - width, x);
        let again = t.arena.unary(FConvert, width, through);
        let (same, number) = (t.binary(Eq, x, again), t.binary(FEq, x, x));
        let differ = t.not(same);
        assert_eq!(t.is_satisfiable("conversion there and back", &[differ, number]), changes);
    }
}

/// Stacks without circuits for floats leave these open; the default one must not.
#[test]
fn the_default_stack_refutes_float_arithmetic() {
    let mut t = Terms::new(64);
    let (x, y) = (t.variable(0), t.variable(1));
    let zero = t.number(0.0);
    let sum = t.binary(FAdd, x, y);
    let conditions = [t.binary(FLt, zero, x), t.binary(FLt, zero, y), t.binary(FLt, sum, x)];
    let without: Vec<LayerName> =
        LayerName::ALL.into_iter().filter(|&layer| layer != LayerName::FloatCircuits).collect();
    let old = check_with(&mut t.arena, &conditions, Settings { layers: without, ..Settings::default() });
    assert!(matches!(old, Answer::Unknown(_)), "{old:?}");
    let new = check_with(&mut t.arena, &conditions, Settings::default());
    assert!(matches!(new, Answer::Unsat(_)), "{new:?}");
}

fn random_conditions(seed: u64) -> (Arena, Vec<TermId>) {
    let mut random = Random::new(seed ^ 0xf10a7);
    let widths = (0..1 + random.below(3)).map(|_| random.pick(&[8, 16, 32, 32, 64])).collect();
    let mut generator = Generator { random, widths, floats: true, other_widths: vec![32] };
    let mut arena = Arena::new();
    let count = 1 + generator.random.below(3);
    let depth = 1 + generator.random.below(2) as u32;
    let conditions = (0..count).map(|_| generator.float_condition(&mut arena, depth)).collect();
    (arena, conditions)
}

#[test]
fn no_disagreement_with_z3() {
    if z3::is_missing() {
        return;
    }
    let sets: u64 = std::env::var("PESSIMUM_Z3_FLOAT_SETS").ok().and_then(|sets| sets.parse().ok()).unwrap_or(25);
    let theirs = z3::answers((0..sets).map(random_conditions), 3_000_000);
    let (mut sat, mut unsat, mut ours_open, mut theirs_open) = (0, 0, 0, 0);
    for (seed, theirs) in (0..sets).zip(theirs) {
        let (mut arena, conditions) = random_conditions(seed);
        let settings = Settings { layers: vec![LayerName::FloatCircuits], conflicts: 5_000, ..Settings::default() };
        match (check_with(&mut arena, &conditions, settings), theirs.as_str()) {
            (Answer::Sat(witness), _) if !satisfies(&arena, &witness, &conditions) => {
                panic!("seed {seed}: the witness is wrong")
            }
            (Answer::Sat(_), "unsat") => panic!("seed {seed}: we say sat, Z3 unsat"),
            (Answer::Unsat(_), "sat") => panic!("seed {seed}: we say unsat, Z3 sat"),
            (Answer::Sat(_), "sat") => sat += 1,
            (Answer::Unsat(_), "unsat") => unsat += 1,
            (Answer::Unknown(_), _) => ours_open += 1,
            _ => theirs_open += 1,
        }
    }
    println!("{sets} sets: both sat {sat}, both unsat {unsat}; we gave up {ours_open}, only Z3 gave up {theirs_open}");
    assert!(sat * 10 >= sets && unsat * 20 >= sets, "too few comparisons to mean anything: {sat} and {unsat}");
}
