//! Every rewrite rule at 32 and 64 bits: the rewritten and the plain term are equal, by bit-blasting.

use pessimum_solver::{Answer, Context, LayerName, Settings};
use pessimum_term::{Arena, BinaryOp};
use pessimum_testkit::rules::{self, Operands};

#[test]
fn every_rule_holds_at_32_and_64_bits() {
    let settings = Settings { layers: vec![LayerName::Blast], conflicts: 300_000, ..Settings::default() };
    let (mut proved, mut open) = (0, Vec::new());
    for case in rules::all() {
        for width in [32, 64] {
            for (c, d) in [(5, 3), (1 << (width - 1), 7), (16, 8)] {
                for expression in (case.applies)(&Operands { width, c, d }) {
                    let mut arena = Arena::without_rewriting();
                    let plain = expression.build(&mut arena);
                    arena.set_rewriting(true);
                    let rewritten = expression.build(&mut arena);
                    arena.set_rewriting(false);
                    if plain == rewritten {
                        continue;
                    }
                    let equal = arena.binary(BinaryOp::Eq, plain, rewritten);
                    let differ = arena.not(equal);
                    // The witness may make the terms equal by chance: asking whether they can differ takes a proof.
                    let mut context = Context::new(settings.clone());
                    match context.feasible(&mut arena, differ) {
                        Answer::Unsat(_) => proved += 1,
                        Answer::Sat(witness) => {
                            panic!("{}, width {width}: {expression:?} differs at {witness:?}", case.name)
                        }
                        Answer::Unknown(why) => open.push((case.name, width, why)),
                    }
                }
            }
        }
    }
    println!("{proved} proved; open: {open:?}");
    assert!(proved > 100, "only {proved} instances were different terms");
    assert!(open.is_empty(), "not proved: {open:?}");
}
