//! The path conditions that are replayed, each made by running a small program on terms.

use pessimum_term::random::Random;
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, VariableId, Witness};

/// The decisions of one path: the condition that the start witness satisfies at each.
pub struct Case {
    pub name: String,
    pub arena: Arena,
    pub start: Witness,
    pub decisions: Vec<Decision>,
}

/// One step of the replay.
pub enum Decision {
    /// Ask whether the other arm is feasible, then take this one.
    Flip { taken: TermId, other: TermId },
    /// Demand this condition.
    Demand(TermId),
}

struct Recorder {
    arena: Arena,
    evaluator: Evaluator,
    decisions: Vec<Decision>,
}

impl Recorder {
    fn new(start: &Witness) -> Recorder {
        Recorder { arena: Arena::new(), evaluator: Evaluator::new(start.clone()), decisions: Vec::new() }
    }

    /// Records a branch; returns which way the witness goes.
    fn branch(&mut self, condition: TermId) -> bool {
        let holds = self.evaluator.value(&self.arena, condition) == 1;
        if self.arena.as_constant(condition).is_none() {
            let negation = self.arena.not(condition);
            let (taken, other) = if holds { (condition, negation) } else { (negation, condition) };
            self.decisions.push(Decision::Flip { taken, other });
        }
        holds
    }

    fn compare(&mut self, op: BinaryOp, x: TermId, y: TermId) -> bool {
        let condition = self.arena.binary(op, x, y);
        self.branch(condition)
    }

    fn finish(self, name: String, start: Witness) -> Case {
        Case { name, arena: self.arena, start, decisions: self.decisions }
    }
}

/// (a) Quicksort with the middle element as pivot, on `size` random 32-bit numbers.
pub fn quicksort(size: u32) -> Case {
    let mut random = Random::new(1);
    let start = Witness::new((0..size).map(|_| random.bits() & 0xffff_ffff).collect());
    let mut recorder = Recorder::new(&start);
    let mut array: Vec<TermId> = (0..size).map(|number| recorder.arena.variable(VariableId(number), 32)).collect();
    let mut ranges = vec![(0isize, size as isize - 1)];
    while let Some((low, high)) = ranges.pop() {
        if low >= high {
            continue;
        }
        let pivot = array[(low + high) as usize / 2];
        let (mut i, mut j) = (low, high);
        while i <= j {
            while array[i as usize] != pivot && recorder.compare(BinaryOp::LtS, array[i as usize], pivot) {
                i += 1;
            }
            while array[j as usize] != pivot && recorder.compare(BinaryOp::LtS, pivot, array[j as usize]) {
                j -= 1;
            }
            if i <= j {
                array.swap(i as usize, j as usize);
                i += 1;
                j -= 1;
            }
        }
        ranges.push((low, j));
        ranges.push((i, high));
    }
    recorder.finish(format!("(a) quicksort, n = {size}"), start)
}

/// (a) The longest path of insertion sort: no questions, only conditions that hold.
pub fn insertion_sort(size: u32) -> Case {
    let start = Witness::new((0..size).map(|number| (size - number) as u64).collect());
    let mut recorder = Recorder::new(&start);
    let elements: Vec<TermId> = (0..size).map(|number| recorder.arena.variable(VariableId(number), 32)).collect();
    for i in 1..size as usize {
        for j in (0..i).rev() {
            let condition = recorder.arena.binary(BinaryOp::LtS, elements[i], elements[j]);
            recorder.decisions.push(Decision::Demand(condition));
        }
    }
    recorder.finish(format!("(a) insertion sort, n = {size}, conditions that hold"), start)
}

/// (b) A scanner for JSON tokens over 64 bytes, each zero-extended as a load gives it.
pub fn scanner() -> Case {
    let text = br#"{"name": "x\ty", "list": [1, -2.5e3, true, null], "n": {"k": 0}}"#;
    let start = Witness::new(text.iter().map(|&byte| byte as u64).collect());
    let mut recorder = Recorder::new(&start);
    let bytes: Vec<TermId> = (0..text.len() as u32)
        .map(|number| {
            let byte = recorder.arena.variable(VariableId(number), 8);
            recorder.arena.unary(UnaryOp::ZeroExtend, 32, byte)
        })
        .collect();
    let mut position = 0;
    let is = |recorder: &mut Recorder, byte: TermId, value: u8| {
        let value = recorder.arena.constant(32, value as u64);
        recorder.compare(BinaryOp::Eq, byte, value)
    };
    let is_digit = |recorder: &mut Recorder, byte: TermId| {
        // As compilers emit it: (unsigned)(byte - '0') < 10.
        let (zero, ten) = (recorder.arena.constant(32, b'0' as u64), recorder.arena.constant(32, 10));
        let offset = recorder.arena.binary(BinaryOp::Sub, byte, zero);
        recorder.compare(BinaryOp::LtU, offset, ten)
    };
    let is_letter = |recorder: &mut Recorder, byte: TermId| {
        // Either case at once: (unsigned)((byte | 32) - 'a') < 26.
        let (bit, a, count) = (
            recorder.arena.constant(32, 32),
            recorder.arena.constant(32, b'a' as u64),
            recorder.arena.constant(32, 26),
        );
        let lower = recorder.arena.binary(BinaryOp::Or, byte, bit);
        let offset = recorder.arena.binary(BinaryOp::Sub, lower, a);
        recorder.compare(BinaryOp::LtU, offset, count)
    };
    while position < bytes.len() {
        let byte = bytes[position];
        position += 1;
        if b" \t\n\r".iter().any(|&space| is(&mut recorder, byte, space))
            || b"{}[],:".iter().any(|&mark| is(&mut recorder, byte, mark))
        {
            continue;
        }
        if is(&mut recorder, byte, b'"') {
            while position < bytes.len() {
                let byte = bytes[position];
                position += 1;
                if is(&mut recorder, byte, b'"') {
                    break;
                }
                if is(&mut recorder, byte, b'\\') {
                    position += 1;
                } else {
                    let space = recorder.arena.constant(32, 32);
                    if recorder.compare(BinaryOp::LtU, byte, space) {
                        break;
                    }
                }
            }
        } else if is(&mut recorder, byte, b'-') || is_digit(&mut recorder, byte) {
            while position < bytes.len()
                && (is_digit(&mut recorder, bytes[position])
                    || b".eE+-".iter().any(|&mark| is(&mut recorder, bytes[position], mark)))
            {
                position += 1;
            }
        } else if is_letter(&mut recorder, byte) {
            while position < bytes.len() && is_letter(&mut recorder, bytes[position]) {
                position += 1;
            }
        }
    }
    recorder.finish("(b) JSON scanner, 64 bytes".into(), start)
}

/// (c) 16 keys of 8 printable bytes that djb2 sends to one of `buckets` buckets.
pub fn hash(buckets: u64) -> Case {
    let mut random = Random::new(3);
    let start = Witness::new((0..128).map(|_| b'a' as u64 + random.bits() % 26).collect());
    let mut recorder = Recorder::new(&start);
    let arena = &mut recorder.arena;
    let (low, high) = (arena.constant(8, b' ' as u64), arena.constant(8, b'~' as u64));
    let (factor, buckets_term) = (arena.constant(32, 33), arena.constant(32, buckets));
    let mut first = None;
    for key in 0..16 {
        let mut hash = recorder.arena.constant(32, 5381);
        for index in 0..8 {
            let arena = &mut recorder.arena;
            let byte = arena.variable(VariableId(key * 8 + index), 8);
            let (above, below) = (arena.binary(BinaryOp::LeU, low, byte), arena.binary(BinaryOp::LeU, byte, high));
            recorder.decisions.push(Decision::Demand(above));
            recorder.decisions.push(Decision::Demand(below));
            let arena = &mut recorder.arena;
            let wide = arena.unary(UnaryOp::ZeroExtend, 32, byte);
            let product = arena.binary(BinaryOp::Mul, hash, factor);
            hash = arena.binary(BinaryOp::Add, product, wide);
        }
        let bucket = recorder.arena.binary(BinaryOp::RemU, hash, buckets_term);
        let first = *first.get_or_insert(bucket);
        if first != bucket {
            let same = recorder.arena.binary(BinaryOp::Eq, bucket, first);
            recorder.decisions.push(Decision::Demand(same));
        }
    }
    recorder.finish(format!("(c) djb2 modulo {buckets}, 16 keys"), start)
}

/// (d) Branches on random arithmetic with division, remainder and shifts over eight 32-bit numbers.
pub fn arithmetic(branches: u32) -> Case {
    let mut random = Random::new(4);
    let start = Witness::new((0..8).map(|_| random.bits() & 0xffff).collect());
    let mut recorder = Recorder::new(&start);
    let pick = |random: &mut Random, arena: &mut Arena| {
        let number = (random.bits() % 8) as u32;
        arena.variable(VariableId(number), 32)
    };
    for _ in 0..branches {
        let arena = &mut recorder.arena;
        let (x, y, z) = (pick(&mut random, arena), pick(&mut random, arena), pick(&mut random, arena));
        let constant = arena.constant(32, 3 + random.bits() % 1000);
        let divided = match random.bits() % 4 {
            0 => arena.binary(BinaryOp::DivU, x, constant),
            1 => arena.binary(BinaryOp::RemU, x, constant),
            2 => arena.binary(BinaryOp::DivS, x, constant),
            _ => {
                let five = arena.constant(32, 5);
                let count = arena.binary(BinaryOp::RemU, y, five);
                arena.binary(BinaryOp::ShrU, x, count)
            }
        };
        let three = arena.constant(32, 3);
        let shifted = arena.binary(BinaryOp::Shl, y, three);
        let sum = arena.binary(BinaryOp::Add, divided, shifted);
        let mixed = arena.binary(BinaryOp::Xor, sum, z);
        let bound = arena.constant(32, random.bits() & 0xf_ffff);
        let op = [BinaryOp::LtU, BinaryOp::LtS, BinaryOp::LeU][(random.bits() % 3) as usize];
        recorder.compare(op, mixed, bound);
    }
    recorder.finish(format!("(d) arithmetic, {branches} branches"), start)
}
