//! Inputs made simpler: what is kept is kept, ranges are respected, and a second time changes nothing.

use pessimum_input::shrink::{Keeper, Look, Part, Shrunk, shortened, simplicity, simplify};
use pessimum_term::random::Random;

/// Keeps what a function accepts, and counts runs.
struct Keep<F> {
    keeps: F,
    parts: Vec<Part>,
    runs: u64,
    most: u64,
}

impl<F: Fn(&[u64]) -> bool> Keeper for Keep<F> {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.runs += 1;
        for part in &self.parts {
            for &bits in &values[part.first..part.first + part.count] {
                assert!(allowed(part, bits), "{bits:#x} is outside {part:?}");
            }
        }
        (self.keeps)(values).then(|| self.parts.clone())
    }

    fn is_spent(&self) -> bool {
        self.runs >= self.most
    }
}

fn allowed(part: &Part, bits: u64) -> bool {
    match part.look {
        Look::Integer { signed: true, low, high } => (low..=high).contains(&i128::from(bits as u32 as i32)),
        Look::Integer { signed: false, low, high } => (low..=high).contains(&i128::from(bits)),
        Look::Float { range: None } => true,
        Look::Float { range: Some((low, high)) } => (low..=high).contains(&f64::from_bits(bits)),
        Look::Text { low, high } => (u64::from(low)..=u64::from(high)).contains(&bits),
    }
}

const ANY: Look = Look::Integer { signed: true, low: i32::MIN as i128, high: i32::MAX as i128 };

fn numbers(count: usize, look: Look) -> Vec<Part> {
    vec![Part { first: 0, count, width: 32, look, pieces: None }]
}

/// Shrinks twice; the second time must find nothing.
fn shrink(values: Vec<u64>, parts: &[Part], keeps: impl Fn(&[u64]) -> bool) -> Shrunk {
    assert!(keeps(&values), "the test's own input");
    let mut keeper = Keep { keeps: &keeps, parts: parts.to_vec(), runs: 0, most: 1_000_000 };
    let once = simplify(values.clone(), parts.to_vec(), &mut keeper);
    assert!(once.finished && keeps(&once.values));
    assert!(simplicity(&once.values, parts) <= simplicity(&values, parts));
    let mut keeper = Keep { keeps: &keeps, parts: parts.to_vec(), runs: 0, most: 1_000_000 };
    let twice = simplify(once.values.clone(), once.parts.clone(), &mut keeper);
    assert_eq!(once.values, twice.values, "a second time changes nothing");
    once
}

fn signed(values: &[u64]) -> Vec<i32> {
    values.iter().map(|&bits| bits as u32 as i32).collect()
}

/// Exchanges that insertion sort makes.
fn inversions(values: &[u64]) -> usize {
    let values = signed(values);
    (0..values.len()).map(|i| values[..i].iter().filter(|&&before| before > values[i]).count()).sum()
}

#[test]
fn a_descending_list_becomes_tidy() {
    let mut random = Random::new(11);
    let mut values: Vec<u64> = (0..20).map(|_| random.bits() & 0xffff_ffff).collect();
    values.sort_by_key(|&bits| std::cmp::Reverse(bits as u32 as i32));
    let shrunk = shrink(values, &numbers(20, ANY), |values| inversions(values) == 190);
    assert_eq!(signed(&shrunk.values), (0..20).rev().collect::<Vec<i32>>());
}

#[test]
fn ranges_are_respected() {
    let descending: Vec<u64> = (0..10).map(|i| 180 - 7 * i).collect();
    for (low, high, first) in [(100, 200, 109), (-5, 4, 4), (-200, 185, 9)] {
        let look = Look::Integer { signed: true, low, high };
        let start: Vec<u64> = match high {
            4 => (0..10u64).map(|i| 4u64.wrapping_sub(i) & 0xffff_ffff).collect(),
            _ => descending.clone(),
        };
        let shrunk = shrink(start, &numbers(10, look), |values| inversions(values) == 45);
        assert_eq!(signed(&shrunk.values), (0..10).map(|i| first - i).collect::<Vec<i32>>());
    }
}

#[test]
fn what_does_not_matter_becomes_zero_and_thresholds_are_found() {
    let mut random = Random::new(5);
    let values: Vec<u64> = (0..40).map(|_| random.bits() & 0xffff_ffff).collect();
    let mut values = values;
    (values[7], values[30]) = (123_456, (-98_765i32) as u32 as u64);
    let shrunk = shrink(values, &numbers(40, ANY), |values| {
        let values = signed(values);
        values[7] > 1000 && values[30] <= -77
    });
    let mut expected = vec![0; 40];
    (expected[7], expected[30]) = (1001, -77);
    assert_eq!(signed(&shrunk.values), expected);
}

#[test]
fn proportions_are_kept_where_order_is_not_enough() {
    let values = vec![40_002, 20_001, 9_000, 4_000];
    let shrunk = shrink(values, &numbers(4, ANY), |values| {
        values.windows(2).all(|pair| pair[0] as u32 as i32 / 2 >= pair[1] as u32 as i32 && pair[1] as u32 as i32 > 0)
    });
    assert_eq!(signed(&shrunk.values), [8, 4, 2, 1]);
}

#[test]
fn text_becomes_readable() {
    let part = Part { first: 0, count: 8, width: 8, look: Look::Text { low: 0, high: 255 }, pieces: None };
    let values = vec![0x5b, 0xff, 0x07, 0x5b, 0x80, 0x00, 0x1b, 0x5d];
    let shrunk = shrink(values, std::slice::from_ref(&part), |values| {
        values[0] == 0x5b && values[3] == 0x5b && values[7] == 0x5d
    });
    let bytes: Vec<u8> = shrunk.values.iter().map(|&bits| bits as u8).collect();
    assert_eq!(String::from_utf8(bytes).unwrap(), "[aa[aaa]");
    // Digits are simplest where letters are not allowed.
    let part = Part { look: Look::Text { low: b'!', high: b'9' }, ..part };
    let shrunk = shrink(vec![0x2f; 8], &[part], |values| values[2] < 0x30);
    let bytes: Vec<u8> = shrunk.values.iter().map(|&bits| bits as u8).collect();
    assert_eq!(String::from_utf8(bytes).unwrap(), "00!00000");
}

#[test]
fn floats_become_whole_numbers_in_the_same_order() {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
    let floats = |values: &[u64]| values.iter().map(|&bits| f64::from_bits(bits)).collect::<Vec<f64>>();
    let part = |range| Part { first: 0, count: 4, width: 64, look: Look::Float { range }, pieces: None };
    let descending = |values: &[u64]| floats(values).windows(2).all(|pair| pair[0] > pair[1]);
    let shrunk = shrink(bits(&[1e300, 2.5e-7, -3.75, -1e9]), &[part(None)], descending);
    assert_eq!(floats(&shrunk.values), [3.0, 2.0, 1.0, 0.0]);
    let shrunk = shrink(bits(&[0.9, 0.7, 0.3, -0.1]), &[part(Some((-0.5, 0.95)))], descending);
    assert!(descending(&shrunk.values), "no whole numbers fit: {:?}", floats(&shrunk.values));
    let shrunk = shrink(bits(&[f64::NAN, 2.5, f64::INFINITY, -0.0]), &[part(None)], |values| {
        let values = floats(values);
        values[1] == 2.5 && values[2] > 1e3
    });
    assert_eq!(floats(&shrunk.values), [0.0, 2.5, 1001.0, 0.0]);
}

/// A hash ties bytes together: none of them can be changed alone.
#[test]
fn bytes_of_a_hash_become_small_in_pairs() {
    let part =
        Part { first: 0, count: 6, width: 8, look: Look::Integer { signed: false, low: 0, high: 255 }, pieces: None };
    let hash = |values: &[u64]| values.iter().fold(0u64, |hash, &byte| 31 * hash + byte) % 64;
    let start = vec![22, 188, 226, 8, 211, 19];
    let wanted = hash(&start);
    let shrunk = shrink(start, &[part], |values| hash(values) == wanted);
    let chosen = shrunk.values.iter().filter(|&&byte| byte != 0).count();
    assert_eq!(chosen, 1, "one byte is enough for every value of the hash: {:?}", shrunk.values);
}

/// A program that reads as many values as the first one says: fewer are simpler, and the layout follows.
#[test]
fn a_program_that_asks_for_less_is_simpler() {
    struct Asking;
    fn parts(values: &[u64]) -> Vec<Part> {
        let asked = values.first().map_or(0, |&first| first.min(30) as usize);
        (0..=asked).map(|at| Part { first: at, count: 1, width: 32, look: ANY, pieces: None }).collect()
    }
    impl Keeper for Asking {
        fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
            let asked = parts(values);
            let sum: u64 = (1..asked.len()).map(|at| values.get(at).copied().unwrap_or(0)).sum();
            (sum >= 6).then_some(asked)
        }
        fn asks(&self) -> bool {
            true
        }
        fn is_spent(&self) -> bool {
            false
        }
    }
    let start: Vec<u64> = (0..31).map(|i| if i == 0 { 30 } else { 5 }).collect();
    let shrunk = simplify(start.clone(), parts(&start), &mut Asking);
    assert_eq!((shrunk.values.len(), shrunk.values[0]), (3, 2), "two of thirty do, one does not: {:?}", shrunk.values);
    assert_eq!(shrunk.values[1] + shrunk.values[2], 6);
    let again = simplify(shrunk.values.clone(), shrunk.parts.clone(), &mut Asking);
    assert_eq!(again.values, shrunk.values);
}

#[test]
fn a_spent_budget_keeps_the_best_so_far() {
    let start: Vec<u64> = (0..200).map(|i| 1_000_000 - 3 * i).collect();
    for most in [0, 1, 2, 5, 50] {
        let parts = numbers(200, ANY);
        let keeps = |values: &[u64]| inversions(values) == 19_900;
        let mut keeper = Keep { keeps, parts: parts.clone(), runs: 0, most };
        let shrunk = simplify(start.clone(), parts, &mut keeper);
        assert!(keeper.runs <= most && !shrunk.finished);
        assert!(keeps(&shrunk.values));
    }
    // Nothing is copied once it is spent: three hundred thousand copies of as many values would take minutes.
    let many: Vec<u64> = (1..=300_000).collect();
    let parts = numbers(many.len(), ANY);
    let mut keeper = Keep { keeps: |_: &[u64]| true, parts: parts.clone(), runs: 0, most: 0 };
    assert_eq!(simplify(many.clone(), parts, &mut keeper).values, many);
}

#[test]
fn shorter_inputs_lose_whole_elements() {
    let part = |first, count| Part { first, count, width: 32, look: ANY, pieces: None };
    // Five elements of two values each and five of one; elements 1 and 2 are removed.
    let values: Vec<u64> = (0..10).chain(100..105).collect();
    let shorter = shortened(&values, &[part(0, 10), part(10, 5)], &[6, 3], (5, 3, 1));
    assert_eq!(shorter, [0, 1, 6, 7, 8, 9, 100, 103, 104]);
    // A three-by-three matrix without its middle row and column.
    let shorter = shortened(&(0..9).collect::<Vec<u64>>(), &[part(0, 9)], &[4], (3, 2, 1));
    assert_eq!(shorter, [0, 2, 6, 8]);
    // A part of a fixed length stays, and one that grows is filled.
    let shorter = shortened(&[7, 8, 9], &[part(0, 2), part(2, 1)], &[2, 3], (4, 2, 0));
    assert_eq!(shorter, [7, 8, 9, 0, 0]);
}
