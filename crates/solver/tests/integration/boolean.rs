//! What compilers make of comparisons, decided without circuits: these stacks have no bit-blasting.

use pessimum_solver::{Assumed, Context, LayerName, Settings};
use pessimum_term::BinaryOp::{Add, And, Eq, LeS, LtS, LtU, Or, Shl, Sub, Xor};
use pessimum_term::{Arena, TermId, UnaryOp, VariableId};

fn context() -> Context {
    let layers = vec![LayerName::Syntactic, LayerName::Witness, LayerName::Order, LayerName::Boolean];
    Context::new(Settings { layers, ..Settings::default() })
}

fn variables(arena: &mut Arena, count: u32, width: u32) -> Vec<TermId> {
    (0..count).map(|number| arena.variable(VariableId(number), width)).collect()
}

fn assume(context: &mut Context, arena: &mut Arena, condition: TermId) {
    let outcome = context.assume(arena, condition);
    assert!(matches!(outcome, Assumed::Held | Assumed::Moved), "{outcome:?}: {}", arena.display(condition));
}

fn refuted(context: &mut Context, arena: &mut Arena, condition: TermId) -> Vec<TermId> {
    match context.assume(arena, condition) {
        Assumed::Conflict(core) => core,
        other => panic!("{other:?}: {}", arena.display(condition)),
    }
}

/// `(a > b) - (a < b)`, as comparators return it.
fn three_way(arena: &mut Arena, a: TermId, b: TermId) -> TermId {
    let (above, below) = (arena.binary(LtS, b, a), arena.binary(LtS, a, b));
    let [above, below] = [above, below].map(|bit| arena.unary(UnaryOp::ZeroExtend, 32, bit));
    arena.binary(Sub, above, below)
}

/// The address of the median of three values, by selects: clang -O2 makes this of the median in a quicksort.
#[test]
fn an_address_chosen_by_selects_is_decided_by_its_conditions() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let values = variables(arena, 3, 32);
    let places = [0x1000, 0x1010, 0x1020].map(|place| arena.constant(32, place));
    let zero = arena.constant(32, 0);
    let mut less = |x: usize, y: usize| {
        let order = three_way(arena, values[x], values[y]);
        arena.binary(LtS, order, zero)
    };
    let (ab, bc, ac) = (less(0, 1), less(1, 2), less(0, 2));
    let (cb, ca) = (less(2, 1), less(2, 0));
    let inner = arena.if_then_else(ac, places[2], places[0]);
    let rising = arena.if_then_else(bc, places[1], inner);
    let inner = arena.if_then_else(ca, places[2], places[0]);
    let falling = arena.if_then_else(cb, places[1], inner);
    let address = arena.if_then_else(ab, rising, falling);
    // The last value is the median, the first is not below the second: then the second is below the third.
    let mut context = context();
    let third = arena.binary(Eq, address, places[2]);
    assume(&mut context, arena, third);
    let not_below = arena.binary(LeS, values[1], values[0]);
    assume(&mut context, arena, not_below);
    let above = arena.binary(LtS, values[0], values[2]);
    let core = refuted(&mut context, arena, above);
    assert_eq!(core.len(), 3, "all three conditions are needed");
    let below = arena.binary(LeS, values[1], values[2]);
    assume(&mut context, arena, below);
    // The place as an index: the bits above the size of an element, of the distance from the first.
    context.truncate(0);
    let distance = arena.binary(Sub, address, places[0]);
    let index = arena.extract(distance, 2, 30);
    for (number, place) in [4, 8, 0].into_iter().zip([1, 2, 0]) {
        let wanted = arena.constant(30, number);
        let here = arena.binary(Eq, index, wanted);
        assume(&mut context, arena, here);
        let there = arena.binary(Eq, address, places[place]);
        assert_eq!(context.value(arena, there), 1);
        context.truncate(0);
    }
}

/// The outputs of a sorting network are in order, whatever the input: five comparators on four values.
#[test]
fn the_outputs_of_a_sorting_network_are_in_order() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let mut lanes = variables(arena, 4, 32);
    for (low, high) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        let swap = arena.binary(LtS, lanes[high], lanes[low]);
        let least = arena.if_then_else(swap, lanes[high], lanes[low]);
        let greatest = arena.if_then_else(swap, lanes[low], lanes[high]);
        (lanes[low], lanes[high]) = (least, greatest);
    }
    let mut context = context();
    for (x, y) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let wrong = arena.binary(LtS, lanes[y], lanes[x]);
        refuted(&mut context, arena, wrong);
        let right = arena.binary(LtS, lanes[x], lanes[y]);
        assume(&mut context, arena, right);
    }
}

/// A branchless partition: `less += value < pivot`, and then `less` is an index.
#[test]
fn a_count_of_truth_values_is_an_index() {
    const COUNT: u32 = 40;
    let mut arena = Arena::new();
    let arena = &mut arena;
    let values = variables(arena, COUNT + 1, 32);
    let (base, two, end) = (arena.constant(32, 0x2000), arena.constant(32, 2), arena.constant(32, 0x2000 + 4 * 41));
    let mut context = context();
    let mut less = arena.constant(32, 0);
    for (number, &value) in values[1..].iter().enumerate() {
        let below = arena.binary(LtS, value, values[0]);
        let bit = arena.unary(UnaryOp::ZeroExtend, 32, below);
        less = arena.binary(Add, less, bit);
        let offset = arena.binary(Shl, less, two);
        let address = arena.binary(Add, base, offset);
        // Never out of bounds, and this index for every second value.
        let inside = arena.binary(LtU, address, end);
        let outside = arena.not(inside);
        refuted(&mut context, arena, outside);
        let place = arena.constant(32, 0x2000 + 4 * (number as u64).div_ceil(2));
        let here = arena.binary(Eq, address, place);
        assume(&mut context, arena, here);
        // The index tells the comparison.
        let expected = !number.is_multiple_of(2);
        let other = if expected { arena.not(below) } else { below };
        refuted(&mut context, arena, other);
    }
}

/// `memchr` by words: no byte of the first word is a comma, and all are ASCII.
#[test]
fn tests_of_whole_words_are_tests_of_bytes() {
    let mut arena = Arena::new();
    let arena = &mut arena;
    let bytes = variables(arena, 8, 8);
    let word = bytes[1..].iter().fold(bytes[0], |word, &byte| arena.concat(byte, word));
    let [commas, ones, tops, zero] =
        [0x2c2c_2c2c_2c2c_2c2c, 0x0101_0101_0101_0101, 0x8080_8080_8080_8080, 0].map(|c| arena.constant(64, c));
    let flipped = arena.binary(Xor, word, commas);
    let (less, inverse) = (arena.binary(Sub, flipped, ones), arena.unary(UnaryOp::Not, 64, flipped));
    let both = arena.binary(And, less, inverse);
    let marked = arena.binary(And, both, tops);
    let none = arena.binary(Eq, marked, zero);
    let high = arena.binary(And, word, tops);
    let ascii = arena.binary(Eq, high, zero);
    let mut context = context();
    assume(&mut context, arena, none);
    assume(&mut context, arena, ascii);
    let (comma, letter, beyond) = (arena.constant(8, 0x2c), arena.constant(8, 0x61), arena.constant(8, 0x7f));
    for &byte in &bytes {
        let is_comma = arena.binary(Eq, byte, comma);
        refuted(&mut context, arena, is_comma);
        let is_beyond = arena.binary(LtU, beyond, byte);
        refuted(&mut context, arena, is_beyond);
        let is_letter = arena.binary(Eq, byte, letter);
        let either = arena.binary(Or, is_letter, is_beyond);
        assume(&mut context, arena, either);
    }
}
