//! Forgetting terms: ids that stay valid, ids used again, and memory that does not grow with the number of paths.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

use pessimum_term::random::Random;
use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, UnaryOp, VariableId, Variables, Witness};

/// Counts the bytes in use.
struct Counting;

static IN_USE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call is handed on unchanged to the system allocator, which keeps the contract.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The terms of one path: values computed from the input, and comparisons of them.
fn path(arena: &mut Arena, random: &mut Random, length: usize) -> Vec<TermId> {
    let mut values: Vec<TermId> = (0..8).map(|number| arena.variable(VariableId(number), 32)).collect();
    let mut conditions = Vec::new();
    for _ in 0..length {
        let (x, y) = (values[random.index(values.len())], values[random.index(values.len())]);
        let constant = arena.constant(32, random.bits());
        let mixed = arena.binary(BinaryOp::Xor, x, constant);
        values.push(arena.binary(BinaryOp::Mul, mixed, y));
        conditions.push(arena.binary(BinaryOp::LtS, mixed, y));
    }
    conditions
}

/// All tests in one, because they share the count of bytes.
#[test]
fn a_million_paths_take_the_memory_of_a_few() {
    let mut random = Random::new(1);
    let mut arena = Arena::new();
    let mut evaluator = Evaluator::new(Witness::new((0..8).map(|v| v * 1_000_003).collect()));
    let mut variables = Variables::new();
    // The search keeps the best path: an occasional collection keeps its conditions and drops everything else.
    let mut best = path(&mut arena, &mut random, 10);
    let mut early = None;
    let mut made = 0;
    for number in 0..1_000_000 {
        let mark = arena.mark();
        let before = arena.len();
        let conditions = path(&mut arena, &mut random, 10);
        let holding = conditions.iter().filter(|&&condition| evaluator.value(&arena, condition) == 1).count();
        let asked = conditions[random.index(conditions.len())];
        assert!(variables.of(&arena, asked).len() <= 8);
        made += arena.len() - before;
        if holding == 10 {
            best = conditions;
        } else if random.index(100) > 0 {
            arena.release(mark);
        }
        if number % 1000 == 999 {
            let kept: Vec<u64> = best.iter().map(|&condition| evaluator.value(&arena, condition)).collect();
            arena.collect(&mut best);
            assert!(arena.len() < 10 * 4 + 8);
            let same: Vec<u64> = best.iter().map(|&condition| evaluator.value(&arena, condition)).collect();
            assert_eq!(kept, same);
        }
        if number == 20_000 {
            early = Some(IN_USE.load(Ordering::Relaxed));
        }
    }
    let (early, late) = (early.expect("reached"), IN_USE.load(Ordering::Relaxed));
    assert!(made > 20_000_000, "{made} terms were made");
    // Buffers double: one may have grown a step further.
    assert!(late < 2 * early + (1 << 20), "{early} bytes early, {late} late");
    assert!(late < 8 << 20, "{late} bytes");

    releases_and_collections_agree_with_a_fresh_arena();
}

/// Random making, releasing and collecting, with one evaluator throughout: every kept term keeps its value, and making
/// it again finds it.
fn releases_and_collections_agree_with_a_fresh_arena() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut arena = Arena::new();
        let mut evaluator = Evaluator::new(Witness::new((0..8).map(|v| v * 77_777).collect()));
        let mut stack = Vec::new();
        let mut kept: Vec<(TermId, u64)> = Vec::new();
        for _ in 0..200 {
            match random.index(8) {
                0 => stack.push((arena.mark(), kept.len())),
                1 => {
                    if let Some((mark, length)) = stack.pop() {
                        arena.release(mark);
                        kept.truncate(length);
                    }
                }
                2 if random.index(8) == 0 => {
                    stack.clear();
                    kept.retain(|_| random.index(3) > 0);
                    arena.collect(kept.iter_mut().map(|(term, _)| term));
                }
                _ => {
                    for term in path(&mut arena, &mut random, 3) {
                        // A fresh evaluator cannot remember anything wrong.
                        let value = Evaluator::new(evaluator.witness().clone()).value(&arena, term);
                        kept.push((term, value));
                    }
                }
            }
            for _ in 0..5.min(kept.len()) {
                let (term, value) = kept[random.index(kept.len())];
                assert_eq!(evaluator.value(&arena, term), value, "seed {seed}");
            }
        }
        let length = arena.len();
        for &(term, _) in &kept {
            if let pessimum_term::Node::Binary(op, x, y) = arena.node(term) {
                assert_eq!(arena.binary(op, x, y), term);
            }
        }
        let x = arena.variable(VariableId(0), 32);
        let _ = arena.unary(UnaryOp::Popcnt, 32, x);
        assert!(arena.len() <= length + 2, "a kept term was made a second time");
    }
}
