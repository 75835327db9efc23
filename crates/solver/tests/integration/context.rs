//! Random sequences of assume, feasible, truncate and restart, compared with solving from scratch.

use crate::common::{Generator, Random, brute_force, satisfies};
use std::sync::Arc;

use pessimum_solver::{
    Answer, Assumed, Auditor, Cancel, Context, Disagreement, LayerName, LoggedQuery, QueryLog, Recheck, Settings,
    Status, Until, Why,
};
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, VariableId, Witness};

/// What a context must say, found by trying every input.
fn can_hold(arena: &Arena, widths: &[u32], conditions: &[TermId], more: TermId) -> bool {
    let all: Vec<TermId> = conditions.iter().copied().chain([more]).collect();
    brute_force(arena, widths, &all).is_some()
}

fn random_witness(random: &mut Random, widths: &[u32]) -> Witness {
    Witness::new(widths.iter().map(|&width| random.below(1 << width)).collect())
}

#[test]
fn random_sequences_agree_with_solving_from_scratch() {
    for seed in 0..700 {
        let mut random = Random::new(seed);
        let mut widths = Vec::new();
        while widths.iter().sum::<u32>() < 9 {
            widths.push(1 + random.below(5) as u32);
        }
        let settings = Settings { validate: seed % 4 == 0, ..Settings::default() };
        let mut generator = Generator { random, widths: widths.clone(), floats: seed % 3 == 0, other_widths: vec![8] };
        let mut arena = Arena::new();
        let mut context = Context::new(settings);
        let mut expected: Vec<TermId> = Vec::new();
        // Where terms were marked, and how many conditions there were then.
        let mut mark = None;
        for step in 0..40 {
            let seed = format!("seed {seed}, step {step}");
            match generator.random.below(16) {
                0 => {
                    context.restart(random_witness(&mut generator.random, &widths));
                    expected.clear();
                    if let Some((mark, _)) = mark.take() {
                        arena.release(mark);
                    }
                }
                1 | 2 => {
                    let length = generator.random.below(expected.len() as u64 + 1) as usize;
                    context.truncate(length);
                    expected.truncate(length);
                    // Terms made since the mark may be forgotten where no condition is left that could use them.
                    if let Some((old, conditions)) = mark
                        && length <= conditions
                    {
                        arena.release(old);
                        mark = None;
                    }
                }
                3 => mark = mark.or(Some((arena.mark(), expected.len()))),
                4..=7 => {
                    let depth = generator.random.below(3) as u32;
                    let condition = generator.condition(&mut arena, depth);
                    let before = context.witness().clone();
                    let possible = can_hold(&arena, &widths, &expected, condition);
                    match context.feasible(&mut arena, condition) {
                        Answer::Sat(witness) => {
                            assert!(possible, "{seed}");
                            assert!(satisfies(&arena, &witness, &expected), "{seed}");
                            assert!(satisfies(&arena, &witness, &[condition]), "{seed}");
                        }
                        Answer::Unsat(core) => {
                            assert!(!possible, "{seed}");
                            assert!(brute_force(&arena, &widths, &core).is_none(), "{seed}");
                        }
                        Answer::Unknown(why) => panic!("{seed}: {why:?}"),
                    }
                    assert_eq!(*context.witness(), before, "{seed}: a question changed the witness");
                    if generator.random.chance(40) {
                        let assumed = context.assume(&mut arena, condition);
                        assert_eq!(matches!(assumed, Assumed::Held | Assumed::Moved), possible, "{seed}");
                        if possible {
                            expected.push(condition);
                        }
                    }
                }
                _ => {
                    let depth = generator.random.below(3) as u32;
                    let condition = generator.condition(&mut arena, depth);
                    let possible = can_hold(&arena, &widths, &expected, condition);
                    let held = context.value(&arena, condition) == 1;
                    match context.assume(&mut arena, condition) {
                        Assumed::Held => assert!(held, "{seed}"),
                        Assumed::Moved => assert!(!held && possible, "{seed}"),
                        Assumed::Conflict(core) => {
                            assert!(!possible, "{seed}");
                            assert!(core.contains(&condition), "{seed}");
                            assert!(core.iter().all(|c| *c == condition || expected.contains(c)), "{seed}");
                            assert!(brute_force(&arena, &widths, &core).is_none(), "{seed}");
                        }
                        Assumed::Unknown(why) => panic!("{seed}: {why:?}"),
                    }
                    if possible {
                        expected.push(condition);
                    }
                }
            }
            assert_eq!(context.conditions(), expected, "{seed}");
            assert!(satisfies(&arena, context.witness(), &expected), "{seed}: the witness is wrong");
        }
    }
}

/// Comparisons only, with many variables and tight bounds: what the order layer must get right by itself.
#[test]
fn order_conditions_agree_with_solving_from_scratch() {
    use pessimum_term::BinaryOp;
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let width = 2 + random.below(2) as u32;
        let widths = vec![width; 4];
        let signed = random.chance(50);
        let mut arena = Arena::new();
        let mut context = Context::new(Settings { validate: seed % 4 == 0, ..Settings::default() });
        context.restart(random_witness(&mut random, &widths));
        let mut expected = Vec::new();
        for step in 0..30 {
            if random.chance(10) {
                let length = random.below(expected.len() as u64 + 1) as usize;
                context.truncate(length);
                expected.truncate(length);
            }
            let variable =
                |random: &mut Random, arena: &mut Arena| arena.variable(VariableId(random.below(4) as u32), width);
            let x = variable(&mut random, &mut arena);
            let y = if random.chance(25) {
                let value = random.next();
                arena.constant(width, value)
            } else {
                variable(&mut random, &mut arena)
            };
            let op = match random.below(3) {
                0 => BinaryOp::Eq,
                1 if signed => BinaryOp::LtS,
                1 => BinaryOp::LtU,
                _ if signed => BinaryOp::LeS,
                _ => BinaryOp::LeU,
            };
            let mut condition = arena.binary(op, x, y);
            if op == BinaryOp::Eq && random.chance(70) {
                condition = arena.not(condition);
            }
            let possible = can_hold(&arena, &widths, &expected, condition);
            match context.assume(&mut arena, condition) {
                Assumed::Held | Assumed::Moved => expected.push(condition),
                Assumed::Conflict(core) => {
                    assert!(brute_force(&arena, &widths, &core).is_none(), "seed {seed}, step {step}");
                    assert!(!possible, "seed {seed}, step {step}");
                }
                Assumed::Unknown(why) => panic!("seed {seed}, step {step}: {why:?}"),
            }
            assert!(satisfies(&arena, context.witness(), &expected), "seed {seed}, step {step}");
        }
    }
}

/// Insertion sort's worst path on equal numbers: every comparison moves the witness.
#[test]
fn long_chains_of_moves_stay_in_order() {
    use pessimum_term::BinaryOp;
    let mut arena = Arena::new();
    let mut context = Context::new(Settings::default());
    let size = 100;
    let elements: Vec<TermId> = (0..size).map(|number| arena.variable(VariableId(number), 32)).collect();
    for i in 1..size as usize {
        for j in (0..i).rev() {
            let condition = arena.binary(BinaryOp::LtU, elements[i], elements[j]);
            assert!(matches!(context.assume(&mut arena, condition), Assumed::Held | Assumed::Moved));
        }
    }
    let mut evaluator = Evaluator::new(context.witness().clone());
    let values: Vec<u64> = elements.iter().map(|&element| evaluator.value(&arena, element)).collect();
    assert!(values.windows(2).all(|pair| pair[0] > pair[1]), "{values:?}");
    let back = arena.binary(BinaryOp::LtU, elements[0], elements[size as usize - 1]);
    let Assumed::Conflict(core) = context.assume(&mut arena, back) else { panic!("a cycle was accepted") };
    assert!(core.len() <= size as usize);
}

/// Limits on conflicts, circuits and time each end a query that no layer can answer, and the answer names the limit.
#[test]
fn limits_are_kept_and_named() {
    use pessimum_solver::{LayerName, Why};
    use pessimum_term::BinaryOp;
    let mut arena = Arena::new();
    // Factoring the product of two primes of 31 bits.
    let (x, y) = (arena.variable(VariableId(0), 64), arena.variable(VariableId(1), 64));
    let product = arena.binary(BinaryOp::Mul, x, y);
    let target = arena.constant(64, 2_147_483_647 * 2_147_483_629);
    let bound = arena.constant(64, 1 << 32);
    let one = arena.constant(64, 1);
    let conditions = [
        arena.binary(BinaryOp::LtU, x, bound),
        arena.binary(BinaryOp::LtU, y, bound),
        arena.binary(BinaryOp::LtU, one, x),
        arena.binary(BinaryOp::LtU, one, y),
        arena.binary(BinaryOp::Eq, product, target),
    ];
    let give_up = |settings: Settings, arena: &mut Arena| {
        let mut context = Context::new(settings);
        let last = conditions.map(|condition| context.assume(arena, condition)).into_iter().next_back();
        assert_eq!(context.counters().unknown, 1);
        assert_eq!(context.counters().layer(LayerName::Blast).gave_up, 1);
        last
    };
    let few = Settings { conflicts: 50, steps: 100, ..Settings::default() };
    assert_eq!(give_up(few, &mut arena), Some(Assumed::Unknown(Why::Conflicts)));
    let small = Settings { variables: 1000, steps: 100, ..Settings::default() };
    assert_eq!(give_up(small, &mut arena), Some(Assumed::Unknown(Why::Circuits)));
    let short = Settings {
        conflicts: u64::MAX,
        steps: u64::MAX,
        time_per_query: Some(std::time::Duration::from_millis(50)),
        ..Settings::default()
    };
    assert_eq!(give_up(short, &mut arena), Some(Assumed::Unknown(Why::Deadline)));
    // A flag that is raised while the query is worked on ends it as well; without it this query takes minutes.
    let cancel = Cancel::default();
    let until = Until { moment: None, cancel: cancel.clone() };
    let endless = Settings { conflicts: u64::MAX, steps: u64::MAX, until, ..Settings::default() };
    let raise = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancel.cancel();
    });
    assert_eq!(give_up(endless, &mut arena), Some(Assumed::Unknown(Why::Deadline)));
    raise.join().expect("it only raises a flag");
}

#[test]
fn a_search_whose_slow_queries_were_in_vain_goes_on_without_them() {
    use pessimum_term::BinaryOp;
    let mut arena = Arena::new();
    let (x, y) = (arena.variable(VariableId(0), 64), arena.variable(VariableId(1), 64));
    let product = arena.binary(BinaryOp::Mul, x, y);
    let bound = arena.constant(64, 1 << 32);
    let mut context = Context::new(Settings { conflicts: 1000, steps: 100, ..Settings::default() });
    context.set_fruitless_share(0.0);
    for factor in [x, y] {
        let small = arena.binary(BinaryOp::LtU, factor, bound);
        assert!(matches!(context.assume(&mut arena, small), Assumed::Held));
    }
    // Factoring takes longer than this many conflicts, and each attempt milliseconds.
    let mut answers = (0..10_000u64).map(|number| {
        let target = arena.constant(64, 2_147_483_647 * 2_147_483_629 + 2 * number);
        let condition = arena.binary(BinaryOp::Eq, product, target);
        context.is_feasible(&mut arena, condition)
    });
    assert_eq!(answers.next(), Some(Err(Why::Conflicts)));
    assert!(answers.any(|answer| answer == Err(Why::Patience)));
    assert_eq!(answers.next(), Some(Err(Why::Patience)));
    drop(answers);
    let before = context.counters().layer(LayerName::Blast).queries;
    let thousand = arena.constant(64, 1000);
    let condition = arena.binary(BinaryOp::LtU, thousand, x);
    assert_eq!(context.is_feasible(&mut arena, condition), Ok(true), "other layers still answer");
    assert_eq!(context.counters().layer(LayerName::Blast).queries, before);
}

/// What a program's tests would need is found without circuits; what cannot be found is refuted by them.
#[test]
fn float_conditions_are_searched_and_refuted() {
    use pessimum_solver::LayerName;
    use pessimum_term::{BinaryOp, UnaryOp};
    let mut arena = Arena::new();
    let (x, y) = (arena.variable(VariableId(0), 64), arena.variable(VariableId(1), 64));
    let float = |arena: &mut Arena, value: f64| arena.constant(64, value.to_bits());
    let (ten, half) = (float(&mut arena, 10.0), float(&mut arena, 0.5));
    let sum = arena.binary(BinaryOp::FAdd, x, y);
    let product = arena.binary(BinaryOp::FMul, x, half);
    let root = arena.unary(UnaryOp::FSqrt, 64, sum);
    let conditions = [
        arena.binary(BinaryOp::FLt, ten, sum),
        arena.binary(BinaryOp::FLt, y, product),
        arena.binary(BinaryOp::FLt, ten, root),
        arena.binary(BinaryOp::FEq, product, ten),
    ];
    for circuits in [false, true] {
        let layers = LayerName::ALL.into_iter().filter(|&layer| circuits || layer != LayerName::FloatCircuits);
        let settings = Settings { validate: true, layers: layers.collect(), ..Settings::default() };
        let mut context = Context::new(settings);
        for condition in &conditions[..3] {
            let assumed = context.assume(&mut arena, *condition);
            assert!(matches!(assumed, Assumed::Held | Assumed::Moved), "{assumed:?}");
        }
        // x = 20 and y < 10 leave sqrt(x + y) below 10: only the circuits can prove it, so no other layer may say no.
        match context.assume(&mut arena, conditions[3]) {
            Assumed::Conflict(_) => assert!(circuits),
            Assumed::Unknown(_) => assert!(!circuits),
            other => panic!("{other:?}"),
        }
        assert!(satisfies(&arena, context.witness(), &conditions[..3]));
    }
}

/// Keeps the queries; wants no more than this many.
#[derive(Debug)]
struct Kept(std::sync::Mutex<Vec<LoggedQuery>>, usize);

impl QueryLog for Kept {
    fn is_open(&self) -> bool {
        self.0.lock().unwrap().len() < self.1
    }
    fn take(&self, query: &LoggedQuery) {
        self.0.lock().unwrap().push(query.clone());
    }
}

#[test]
fn queries_are_logged_with_their_answers() {
    let mut arena = Arena::new();
    let (x, y) = (arena.variable(VariableId(0), 32), arena.variable(VariableId(1), 32));
    let root = arena.unary(pessimum_term::UnaryOp::FSqrt, 32, x);
    let minus_two = arena.constant(32, u64::from((-2f32).to_bits()));
    let less = arena.binary(pessimum_term::BinaryOp::LtU, y, x);
    let more = arena.binary(pessimum_term::BinaryOp::LtU, x, y);
    let hopeless = arena.binary(pessimum_term::BinaryOp::FEq, root, minus_two);
    let log = Arc::new(Kept(Default::default(), 3));
    // Without the circuits of float arithmetic, nobody can refute that a root is negative.
    let layers = LayerName::ALL.into_iter().filter(|&layer| layer != LayerName::FloatCircuits).collect();
    let mut context = Context::new(Settings { log: Some(log.clone()), steps: 100, layers, ..Settings::default() });
    context.set_site(Some(7));
    assert_eq!(context.assume(&mut arena, less), Assumed::Moved);
    assert_eq!(context.is_feasible(&mut arena, more), Ok(false));
    context.set_site(None);
    assert!(context.is_feasible(&mut arena, hopeless).is_err());
    // The log has had enough, and a condition that the witness satisfies is no query.
    context.truncate(0);
    assert_eq!(context.is_feasible(&mut arena, more), Ok(true));
    assert_eq!(context.assume(&mut arena, less), Assumed::Held);
    let queries = log.0.lock().unwrap();
    let answers: Vec<_> = queries.iter().map(|query| (query.status, query.layer, query.site)).collect();
    let order = Some(LayerName::Order);
    assert_eq!(
        answers,
        [(Status::Sat, order, Some(7)), (Status::Unsat, order, Some(7)), (Status::Unknown, None, None)]
    );
    let text = &queries[1].script;
    for part in ["(set-info :status unsat)", "; asked at site 7", "(declare-const v0 (_ BitVec 32))", "(bvult v0 v1)"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.matches("(assert").count() == 2 && text.ends_with("(check-sat)\n"), "{text}");
}

/// Trusts nobody.
#[derive(Debug, Default)]
struct Contrary(std::sync::Mutex<Vec<Disagreement>>);

impl Auditor for Contrary {
    fn has_solver(&self) -> bool {
        true
    }
    fn ask(&self, _: &str, _: &Until) -> Option<bool> {
        Some(true)
    }
    fn disagreement(&self, disagreement: &Disagreement) {
        self.0.lock().unwrap().push(disagreement.clone());
    }
}

/// Bit-blasting refutes a square that is 3 modulo 4; somebody contradicts every third time.
#[test]
fn a_disputed_no_is_no_answer() {
    let mut arena = Arena::new();
    let auditor = Arc::new(Contrary::default());
    let recheck = Recheck { every: std::num::NonZeroU64::new(3).unwrap(), auditor: auditor.clone() };
    let mut context = Context::new(Settings { recheck: Some(recheck), ..Settings::default() });
    let mut answers = Vec::new();
    for number in 0..5 {
        let x = arena.variable(VariableId(number), 32);
        let square = arena.binary(pessimum_term::BinaryOp::Mul, x, x);
        let low = arena.extract(square, 0, 2);
        let three = arena.constant(2, 3);
        let condition = arena.binary(pessimum_term::BinaryOp::Eq, low, three);
        answers.push(context.is_feasible(&mut arena, condition));
    }
    assert_eq!(answers, [Err(Why::Disputed), Ok(false), Ok(false), Err(Why::Disputed), Ok(false)]);
    let blast = context.counters().layer(LayerName::Blast);
    assert_eq!((blast.unsat, blast.checked, blast.disagreed, blast.undecided), (5, 2, 2, 0));
    assert_eq!(context.counters().unknown, 2);
    let told = auditor.0.lock().unwrap();
    assert!(told.iter().all(|told| told.layer == LayerName::Blast && told.script.contains("bvmul")), "{told:?}");
}

/// Each sum shares both of its operands with its neighbours: following every way down to the variables would take
/// 2^40 steps.
#[test]
fn shared_sums_are_looked_at_once() {
    use pessimum_term::BinaryOp;
    let mut arena = Arena::new();
    let (mut one, mut other) = (arena.variable(VariableId(0), 64), arena.variable(VariableId(1), 64));
    for _ in 0..60 {
        (one, other) = (other, arena.binary(BinaryOp::Add, one, other));
    }
    let seven = arena.constant(64, 7);
    let condition = arena.binary(BinaryOp::Eq, other, seven);
    let layers = vec![LayerName::Order, LayerName::Linear];
    let mut context = Context::new(Settings { layers, ..Settings::default() });
    assert!(matches!(context.assume(&mut arena, condition), Assumed::Unknown(_)));
}

#[test]
fn a_term_has_one_value() {
    let mut arena = Arena::new();
    let (x, y) = (arena.variable(VariableId(0), 32), arena.variable(VariableId(1), 32));
    let product = arena.binary(BinaryOp::Mul, x, y);
    let is = |arena: &mut Arena, value: u64| {
        let value = arena.constant(32, value);
        arena.binary(BinaryOp::Eq, product, value)
    };
    let (five, six) = (is(&mut arena, 5), is(&mut arena, 6));
    let mut context = Context::new(Settings::default());
    assert_eq!(context.assume(&mut arena, five), Assumed::Moved);
    let asked = context.counters().layer(LayerName::Order).queries;
    assert_eq!(context.feasible(&mut arena, six), Answer::Unsat(vec![five, six]));
    assert_eq!(context.counters().layer(LayerName::Order).queries, asked, "no layer was needed");
    context.truncate(0);
    assert!(matches!(context.feasible(&mut arena, six), Answer::Sat(_)), "the first value is forgotten");
    let divisor = arena.constant(32, 131);
    let remainder = arena.binary(BinaryOp::RemU, product, divisor);
    let low = arena.extract(remainder, 0, 30);
    for (value, is_possible) in [(130, true), (131, false), (0x3fff_ce38, false)] {
        let value = arena.constant(30, value);
        let condition = arena.binary(BinaryOp::Eq, low, value);
        assert_eq!(context.is_feasible(&mut arena, condition), Ok(is_possible));
    }
}

#[test]
fn equations_between_terms_are_followed() {
    let mut arena = Arena::new();
    let hashes: Vec<TermId> = (0..4)
        .map(|number| {
            let x = arena.variable(VariableId(number), 32);
            let square = arena.binary(BinaryOp::Mul, x, x);
            arena.binary(BinaryOp::Xor, square, x)
        })
        .collect();
    let same = |arena: &mut Arena, x: usize, y: usize| arena.binary(BinaryOp::Eq, hashes[x], hashes[y]);
    let (one, two, three) = (same(&mut arena, 0, 1), same(&mut arena, 1, 2), same(&mut arena, 2, 3));
    let (apart, close) = (arena.not(three), same(&mut arena, 0, 3));
    let layers = vec![LayerName::Syntactic, LayerName::Witness, LayerName::Equality];
    let mut context = Context::new(Settings { layers, ..Settings::default() });
    context.restart(Witness::new(vec![3, 3, 3, 4]));
    for condition in [one, two, apart] {
        assert_eq!(context.assume(&mut arena, condition), Assumed::Held);
    }
    assert_eq!(context.feasible(&mut arena, close), Answer::Unsat(vec![one, two, apart, close]));
    let ends = same(&mut arena, 0, 2);
    let ends = arena.not(ends);
    assert_eq!(context.feasible(&mut arena, ends), Answer::Unsat(vec![one, two, ends]));
    context.truncate(2);
    assert!(matches!(context.feasible(&mut arena, close), Answer::Unknown(_)), "it never says yes");
}
