//! Meeting in the middle: collisions of the usual hashes, and small equations whose inputs can all be tried.

use crate::common::{Random, brute_force, satisfies};
use pessimum_solver::{Assumed, Context, LayerName, Settings};
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, VariableId, Witness};

use BinaryOp::{Add, Eq, LeU, Mul, RemU, Rotl, Shl, ShrU, Sub, Xor};

/// The layer alone, with the one that knows the bounds of variables.
fn settings() -> Settings {
    let layers = vec![LayerName::Syntactic, LayerName::Witness, LayerName::Order, LayerName::Middle];
    Settings { layers, ..Settings::default() }
}

/// Says what follows with terms instead of numbers.
struct Words {
    arena: Arena,
}

impl Words {
    fn new() -> Words {
        Words { arena: Arena::new() }
    }
    fn number(&mut self, value: u64) -> TermId {
        self.arena.constant(32, value & 0xffff_ffff)
    }
    fn with(&mut self, op: BinaryOp, x: TermId, constant: u64) -> TermId {
        let constant = self.number(constant);
        self.arena.binary(op, x, constant)
    }
    /// The bytes of a key, zero-extended as a load gives them.
    fn key(&mut self, key: u32, length: u32) -> Vec<TermId> {
        let byte = |place| {
            let byte = self.arena.variable(VariableId(key * length + place), 8);
            self.arena.unary(UnaryOp::ZeroExtend, 32, byte)
        };
        (0..length).map(byte).collect()
    }
    /// Assumes that these variables are printable.
    fn print(&mut self, context: &mut Context, variables: u32) {
        for number in 0..variables {
            let byte = self.arena.variable(VariableId(number), 8);
            let (low, high) = (self.arena.constant(8, b'!' as u64), self.arena.constant(8, b'~' as u64));
            for (less, more) in [(low, byte), (byte, high)] {
                let condition = self.arena.binary(LeU, less, more);
                assert!(matches!(context.assume(&mut self.arena, condition), Assumed::Held | Assumed::Moved));
            }
        }
    }
}

type Hash = fn(&mut Words, &[TermId]) -> TermId;

fn djb2(words: &mut Words, key: &[TermId]) -> TermId {
    let start = words.number(5381);
    key.iter().fold(start, |hash, &byte| {
        let product = words.with(Mul, hash, 33);
        words.arena.binary(Add, product, byte)
    })
}

fn times_31(words: &mut Words, key: &[TermId]) -> TermId {
    let start = words.number(0);
    key.iter().fold(start, |hash, &byte| {
        let product = words.with(Mul, hash, 31);
        words.arena.binary(Add, product, byte)
    })
}

fn sdbm(words: &mut Words, key: &[TermId]) -> TermId {
    let start = words.number(0);
    key.iter().fold(start, |hash, &byte| {
        let (six, sixteen) = (words.with(Shl, hash, 6), words.with(Shl, hash, 16));
        let sum = words.arena.binary(Add, six, sixteen);
        let sum = words.arena.binary(Add, byte, sum);
        words.arena.binary(Sub, sum, hash)
    })
}

fn fnv_1a(words: &mut Words, key: &[TermId]) -> TermId {
    let start = words.number(2_166_136_261);
    key.iter().fold(start, |hash, &byte| {
        let mixed = words.arena.binary(Xor, hash, byte);
        words.with(Mul, mixed, 16_777_619)
    })
}

fn one_at_a_time(words: &mut Words, key: &[TermId]) -> TermId {
    let xor_shift = |words: &mut Words, hash: TermId, count: u64| {
        let shifted = words.with(ShrU, hash, count);
        words.arena.binary(Xor, hash, shifted)
    };
    let add_shift = |words: &mut Words, hash: TermId, count: u64| {
        let shifted = words.with(Shl, hash, count);
        words.arena.binary(Add, hash, shifted)
    };
    let mut hash = words.number(0);
    for &byte in key {
        hash = words.arena.binary(Add, hash, byte);
        hash = add_shift(words, hash, 10);
        hash = xor_shift(words, hash, 6);
    }
    hash = add_shift(words, hash, 3);
    hash = xor_shift(words, hash, 11);
    add_shift(words, hash, 15)
}

/// None of the well-known ones: rotations, subtraction and a final mix.
fn rotating(words: &mut Words, key: &[TermId]) -> TermId {
    let start = words.number(0x1234_5678);
    let hash = key.iter().fold(start, |hash, &byte| {
        let turned = words.with(Rotl, hash, 7);
        let mixed = words.arena.binary(Xor, turned, byte);
        let product = words.with(Mul, mixed, 0x85eb_ca6b);
        words.with(Sub, product, 99)
    });
    let shifted = words.with(ShrU, hash, 13);
    words.arena.binary(Xor, hash, shifted)
}

const HASHES: [(&str, Hash); 6] = [
    ("djb2", djb2),
    ("31", times_31),
    ("sdbm", sdbm),
    ("FNV-1a", fnv_1a),
    ("one-at-a-time", one_at_a_time),
    ("rotating", rotating),
];

/// Demands that a number of keys of 8 printable bytes are different and agree in `what` of their hashes. Returns the
/// witness.
fn collide(name: &str, hash: Hash, keys: u32, what: impl Fn(&mut Words, TermId) -> TermId) -> Witness {
    let mut words = Words::new();
    let mut context = Context::new(settings());
    let mut random = Random::new(7);
    context.restart(Witness::new((0..8 * keys).map(|_| b'!' as u64 + random.below(94)).collect()));
    words.print(&mut context, 8 * keys);
    let mut hashes: Vec<TermId> = Vec::new();
    for number in 0..keys {
        let key = words.key(number, 8);
        let hash = hash(&mut words, &key);
        hashes.push(what(&mut words, hash));
        for &earlier in &hashes[..number as usize] {
            let same = words.arena.binary(Eq, earlier, hashes[number as usize]);
            let reply = context.assume(&mut words.arena, same);
            assert!(matches!(reply, Assumed::Held | Assumed::Moved), "{name}: key {number}: {reply:?}");
        }
    }
    let witness = context.witness().clone();
    let mut evaluator = Evaluator::new(witness.clone());
    let values: Vec<u64> = hashes.iter().map(|&hash| evaluator.value(&words.arena, hash)).collect();
    assert!(values.iter().all(|&value| value == values[0]), "{name}");
    let mut different: Vec<&[u64]> = witness.values().chunks(8).collect();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), keys as usize, "{name}");
    assert!(witness.values().iter().all(|byte| (33..127).contains(byte)), "{name}");
    witness
}

#[test]
fn whole_hashes_collide() {
    for (name, hash) in HASHES {
        collide(name, hash, 6, |_, hash| hash);
    }
}

#[test]
fn large_tables_collide() {
    for (name, hash) in HASHES {
        collide(name, hash, 4, |words, hash| words.arena.extract(hash, 0, 20));
        collide(name, hash, 4, |words, hash| words.arena.extract(hash, 11, 21));
        collide(name, hash, 4, |words, hash| words.with(RemU, hash, 1_000_003));
    }
}

#[test]
fn multiples_of_integers_collide() {
    let mut words = Words::new();
    let mut context = Context::new(settings());
    let mut random = Random::new(3);
    context.restart(Witness::new((0..16).map(|_| random.below(1 << 32)).collect()));
    let mut places = Vec::new();
    for number in 0..16 {
        let key = words.arena.variable(VariableId(number), 32);
        let product = words.with(Mul, key, 2_654_435_769);
        places.push(words.with(ShrU, product, 10));
        let same = words.arena.binary(Eq, places[0], places[number as usize]);
        assert!(matches!(context.assume(&mut words.arena, same), Assumed::Held | Assumed::Moved), "{number}");
    }
    let mut evaluator = Evaluator::new(context.witness().clone());
    assert!(
        places.iter().all(|&place| evaluator.value(&words.arena, place) == evaluator.value(&words.arena, places[0]))
    );
}

#[test]
fn a_collision_survives_other_conditions() {
    for (name, hash) in HASHES {
        let mut words = Words::new();
        let mut context = Context::new(settings());
        context.restart(Witness::new(vec![b'a' as u64; 16]));
        words.print(&mut context, 16);
        let (one, other) = (words.key(0, 8), words.key(1, 8));
        let (first, second) = (hash(&mut words, &one), hash(&mut words, &other));
        let same = words.arena.binary(Eq, first, second);
        assert_eq!(context.assume(&mut words.arena, same), Assumed::Held, "{name}: the keys are the same");
        // The query does not mention the hashes, but cannot be answered without them.
        let same = words.arena.binary(Eq, one[7], other[7]);
        let different = words.arena.not(same);
        assert_eq!(context.assume(&mut words.arena, different), Assumed::Moved, "{name}");
        let same = words.arena.binary(Eq, one[0], other[0]);
        let reply = context.assume(&mut words.arena, same);
        assert!(matches!(reply, Assumed::Held | Assumed::Moved), "{name}: {reply:?}");
        assert!(satisfies(&words.arena, context.witness(), context.conditions()), "{name}");
    }
}

#[test]
fn the_same_questions_have_the_same_answers() {
    for (name, hash) in HASHES {
        assert_eq!(collide(name, hash, 3, |_, hash| hash), collide(name, hash, 3, |_, hash| hash), "{name}");
    }
}

/// A random chain of operators over all variables, most of which can be undone.
fn chain(words: &mut Words, random: &mut Random, bytes: &[TermId]) -> TermId {
    let mut hash = words.number(random.next());
    for &byte in bytes {
        hash = words.arena.binary(random.pick(&[Add, Xor, Sub, Mul]), hash, byte);
        for _ in 0..1 + random.below(2) {
            let constant = random.next() | 1;
            hash = match random.below(6) {
                0 => words.with(Mul, hash, constant),
                1 => words.with(Mul, hash, 12),
                2 => words.with(random.pick(&[Add, Xor, Sub]), hash, constant),
                3 => words.with(random.pick(&[Rotl, BinaryOp::Rotr]), hash, random.below(32)),
                op => {
                    let shifted = words.with(random.pick(&[Shl, ShrU]), hash, 1 + random.below(31));
                    words.arena.binary(if op == 4 { Xor } else { Add }, hash, shifted)
                }
            };
        }
    }
    match random.below(5) {
        0 => words.with(RemU, hash, 2 + random.below(1 << 12)),
        1 => words.with(BinaryOp::And, hash, random.next()),
        2 => words.with(ShrU, hash, random.below(24)),
        _ => hash,
    }
}

#[test]
fn what_all_inputs_show_is_found() {
    let (mut solvable, mut found) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let widths = [5, 5, 5];
        let mut words = Words::new();
        let bytes: Vec<TermId> = (0..3)
            .map(|number| {
                let variable = words.arena.variable(VariableId(number), widths[number as usize]);
                words.arena.unary(UnaryOp::ZeroExtend, 32, variable)
            })
            .collect();
        let hash = chain(&mut words, &mut random, &bytes);
        // The value of some input, or of none.
        let input = Witness::new(widths.iter().map(|&width| random.below(1 << width)).collect());
        let value = if random.chance(80) { Evaluator::new(input).value(&words.arena, hash) } else { random.next() };
        let goal = words.with(Eq, hash, value);
        let bound = words.number(random.below(64));
        let conditions = [words.arena.binary(LeU, bytes[0], bound), goal];
        let expected = brute_force(&words.arena, &widths, &conditions).is_some();
        let mut context = Context::new(settings());
        let replies = conditions.map(|condition| context.assume(&mut words.arena, condition));
        let held = replies.iter().all(|reply| matches!(reply, Assumed::Held | Assumed::Moved));
        let refused = replies.iter().any(|reply| matches!(reply, Assumed::Conflict(_)));
        assert!(if expected { !refused } else { !held }, "seed {seed}: {replies:?}, expected {expected}");
        assert!(!held || satisfies(&words.arena, context.witness(), &conditions), "seed {seed}");
        assert_eq!(context.counters().layer(LayerName::Middle).unsat, 0, "it never says no");
        solvable += expected as u32;
        found += (held && expected) as u32;
    }
    assert!(solvable > 150 && found * 20 >= solvable * 19, "{found} of {solvable}");
}

#[test]
fn what_is_no_equation_is_passed_on() {
    let mut words = Words::new();
    let mut context = Context::new(settings());
    let (x, y) = (words.arena.variable(VariableId(0), 32), words.arena.variable(VariableId(1), 32));
    let product = words.arena.binary(Mul, x, y);
    let condition = words.with(BinaryOp::LtU, product, 5);
    let condition = words.arena.not(condition);
    assert!(matches!(context.assume(&mut words.arena, condition), Assumed::Unknown(_)));
    let counters = context.counters().layer(LayerName::Middle);
    assert_eq!((counters.queries, counters.sat, counters.gave_up), (1, 0, 0));
}
