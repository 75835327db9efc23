//! Random condition sets over at most 16 input bits, with all operators, compared with trying every input.

use crate::common::{Generator, Random, brute_force, satisfies};
use pessimum_solver::{Answer, Assumed, Context, Counters, LayerName, Settings, check};
use pessimum_term::Arena;

fn widths(random: &mut Random, most: u32) -> Vec<u32> {
    let mut left = most;
    let mut widths = Vec::new();
    while left > 0 && widths.len() < 5 {
        let width = (1 + random.below(8) as u32).min(left);
        widths.push(width);
        left -= width;
    }
    widths
}

fn compare(seeds: std::ops::Range<u64>, floats: bool, exact: bool, settings: &Settings) -> Counters {
    let mut total = Counters::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let most = if random.chance(1) { 16 } else { 2 + random.below(8) as u32 };
        let widths = widths(&mut random, most);
        let mut generator = Generator { random, widths, floats, other_widths: vec![8, 16, 32] };
        let mut arena = Arena::new();
        let count = 1 + generator.random.below(6);
        let depth = generator.random.below(4) as u32;
        let conditions: Vec<_> = (0..count).map(|_| generator.condition(&mut arena, depth)).collect();
        let expected = brute_force(&arena, &generator.widths, &conditions);
        let mut context = Context::new(settings.clone());
        let mut answer = None;
        for &condition in &conditions {
            match context.assume(&mut arena, condition) {
                Assumed::Held | Assumed::Moved => {}
                Assumed::Conflict(core) => {
                    answer = Some(Answer::Unsat(core));
                    break;
                }
                Assumed::Unknown(why) => {
                    answer = Some(Answer::Unknown(why));
                    break;
                }
            }
        }
        match answer.unwrap_or_else(|| Answer::Sat(context.witness().clone())) {
            Answer::Sat(witness) => {
                assert!(satisfies(&arena, &witness, &conditions), "seed {seed}: the witness is wrong");
            }
            Answer::Unsat(core) => {
                assert!(expected.is_none(), "seed {seed}: {expected:?} satisfies all");
                assert!(core.iter().all(|condition| conditions.contains(condition)), "seed {seed}: core not a subset");
                let found = brute_force(&arena, &generator.widths, &core);
                assert!(found.is_none(), "seed {seed}: {found:?} satisfies the core");
            }
            Answer::Unknown(why) => {
                assert!(!exact, "seed {seed}: gave up ({why:?})");
            }
        }
        total.add(context.counters());
    }
    total
}

/// A layer that stopped answering would leave every comparison green, so each of these must say yes and no at least
/// this often. The seeds fix the counts.
fn assert_answers(counters: &Counters, least: &[(LayerName, u64, u64)]) {
    for &(name, sat, unsat) in least {
        let layer = counters.layer(name);
        println!("{name:?}: sat {}, unsat {}", layer.sat, layer.unsat);
        assert!(layer.sat >= sat && layer.unsat >= unsat, "{name:?} answers fewer queries than it did: {layer:?}");
    }
}

// Five tests, so that they run side by side: together 33,200 sets; `pessimum-fuzz conditions` has more.
#[test]
fn all_layers_agree_with_brute_force() {
    let counters = compare(0..12_000, false, true, &Settings::default());
    assert_answers(
        &counters,
        &[
            (LayerName::Syntactic, 0, 2_200),
            (LayerName::Witness, 8_800, 0),
            (LayerName::Order, 1_320, 110),
            (LayerName::SmallDomain, 2_860, 2_420),
        ],
    );
}

#[test]
fn all_layers_agree_with_brute_force_on_floats() {
    let counters = compare(1_000_000..1_007_000, true, true, &Settings::default());
    assert_answers(&counters, &[(LayerName::Order, 660, 55), (LayerName::SmallDomain, 1_320, 1_760)]);
}

#[test]
fn all_layers_agree_with_brute_force_and_bit_blasting() {
    let settings = Settings { validate: true, ..Settings::default() };
    let counters = compare(4_000_000..4_004_000, false, true, &settings);
    assert_answers(&counters, &[(LayerName::Order, 374, 26), (LayerName::SmallDomain, 880, 792)]);
    let counters = compare(5_000_000..5_001_200, true, true, &settings);
    assert_answers(&counters, &[(LayerName::Order, 105, 7), (LayerName::SmallDomain, 220, 281)]);
}

#[test]
fn bit_blasting_alone_agrees_with_brute_force() {
    let settings = Settings { layers: vec![LayerName::Blast], ..Settings::default() };
    let counters = compare(2_000_000..2_005_000, false, true, &settings);
    assert_answers(&counters, &[(LayerName::Blast, 1_760, 1_012)]);
    let counters = compare(3_000_000..3_002_500, true, false, &settings);
    assert_answers(&counters, &[(LayerName::Blast, 616, 352)]);
}

#[test]
fn float_circuits_alone_agree_with_brute_force() {
    let settings = Settings { layers: vec![LayerName::FloatCircuits], ..Settings::default() };
    let counters = compare(6_000_000..6_001_500, true, true, &settings);
    assert_answers(&counters, &[(LayerName::FloatCircuits, 440, 220)]);
}

#[test]
fn check_starts_from_nothing() {
    let mut arena = Arena::new();
    let x = arena.variable(pessimum_term::VariableId(0), 32);
    let five = arena.constant(32, 5);
    let condition = arena.binary(pessimum_term::BinaryOp::Eq, x, five);
    let Answer::Sat(witness) = check(&mut arena, &[condition]) else { panic!("x = 5 has a solution") };
    assert_eq!(witness.values(), [5]);
    let other = arena.not(condition);
    assert_eq!(check(&mut arena, &[condition, other]), Answer::Unsat(vec![condition, other]));
}
