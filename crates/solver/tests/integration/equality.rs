//! Equations between terms that no other layer knows: what the layers of form and equality refuse is compared with trying
//! every input, and so are the reasons that they give.

use crate::common::{Random, brute_force};
use pessimum_solver::{Answer, Assumed, Context, LayerName, Settings};
use pessimum_term::{Arena, BinaryOp, TermId, UnaryOp, VariableId, Witness};

const WIDTHS: [u32; 4] = [3; 4];

/// A few terms of eight bits with up to two of the variables each, remainders among them.
fn terms(random: &mut Random, arena: &mut Arena) -> Vec<TermId> {
    let wide = |random: &mut Random, arena: &mut Arena| {
        let variable = arena.variable(VariableId(random.below(WIDTHS.len() as u64) as u32), WIDTHS[0]);
        arena.unary(UnaryOp::ZeroExtend, 8, variable)
    };
    let constant = |arena: &mut Arena, value: u64| arena.constant(8, value);
    let term = |random: &mut Random, arena: &mut Arena| {
        let (x, y) = (wide(random, arena), wide(random, arena));
        let factor = constant(arena, 3 + 2 * random.below(20));
        let product = arena.binary(BinaryOp::Mul, x, factor);
        let mixed = arena.binary(BinaryOp::Xor, product, y);
        let mixed = arena.binary(BinaryOp::Mul, mixed, x);
        match random.below(3) {
            0 => {
                let divisor = constant(arena, 2 + random.below(9));
                arena.binary(BinaryOp::RemU, mixed, divisor)
            }
            _ => mixed,
        }
    };
    (0..5).map(|_| term(random, arena)).collect()
}

/// Two of them are equal, or different, or one of them has a value.
fn condition(random: &mut Random, arena: &mut Arena, terms: &[TermId]) -> TermId {
    let one = terms[random.below(terms.len() as u64) as usize];
    let other = match random.below(3) {
        0 => arena.constant(8, random.below(12)),
        _ => terms[random.below(terms.len() as u64) as usize],
    };
    let equal = arena.binary(BinaryOp::Eq, one, other);
    if random.below(3) == 0 { arena.not(equal) } else { equal }
}

#[test]
fn what_is_refused_has_no_input() {
    let mut refused = [0; 2];
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let mut arena = Arena::new();
        let terms = terms(&mut random, &mut arena);
        let layers = vec![LayerName::Syntactic, LayerName::Witness, LayerName::Equality];
        let mut context = Context::new(Settings { layers, ..Settings::default() });
        context.restart(Witness::new(WIDTHS.map(|width| random.below(1 << width)).to_vec()));
        for step in 0..24 {
            if random.below(8) == 0 {
                let length = random.below(context.conditions().len() as u64 + 1) as usize;
                context.truncate(length);
            }
            let asked = condition(&mut random, &mut arena, &terms);
            let before = context.counters().layer(LayerName::Equality).unsat;
            match context.feasible(&mut arena, asked) {
                Answer::Unsat(reasons) => {
                    let place = format!("seed {seed}, step {step}");
                    assert_eq!(brute_force(&arena, &WIDTHS, &reasons), None, "{place}: the reasons have an input");
                    let known = |reason: &TermId| *reason == asked || context.conditions().contains(reason);
                    assert!(reasons.iter().all(known), "{place}: a reason that is not on the path");
                    let by_equality = context.counters().layer(LayerName::Equality).unsat - before;
                    refused[by_equality as usize] += 1;
                }
                Answer::Sat(_) => {
                    let assumed = context.assume(&mut arena, asked);
                    assert!(matches!(assumed, Assumed::Held), "only the witness says yes here");
                }
                Answer::Unknown(_) => {}
            }
        }
    }
    // Layers that stopped answering would leave all of this green.
    assert!(refused[0] > 3_000 && refused[1] > 80, "{refused:?}");
}
