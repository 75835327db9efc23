//! What the basic steps cost, for counting instructions:
//!
//!     cargo build --release -p pessimum-term --example costs
//!     valgrind --tool=callgrind --callgrind-out-file=costs.out target/release/examples/costs
//!     callgrind_annotate --inclusive=yes costs.out | grep costs::
//!
//! Divide the count of each function below by `STEPS`. (Their names go through `black_box` because the compiler would
//! otherwise merge identical functions.)

use std::hint::black_box;

use pessimum_term::{Arena, BinaryOp, Evaluator, TermId, VariableId, Variables, Witness};

const VARIABLES: u32 = 1000;
const STEPS: usize = 100_000;

/// Pairs of different variables, none twice.
fn pairs(variables: &[TermId]) -> impl Iterator<Item = (TermId, TermId)> {
    (1..variables.len())
        .flat_map(move |step| (0..variables.len() - step).map(move |i| (variables[i], variables[i + step])))
}

#[inline(never)]
fn make_new_comparisons(arena: &mut Arena, pairs: &[(TermId, TermId)]) {
    black_box("make_new_comparisons");
    for &(x, y) in pairs {
        black_box(arena.binary(BinaryOp::LtS, x, y));
    }
}

#[inline(never)]
fn make_known_comparisons(arena: &mut Arena, pairs: &[(TermId, TermId)]) {
    black_box("make_known_comparisons");
    for &(x, y) in pairs {
        black_box(arena.binary(BinaryOp::LtS, x, y));
    }
}

#[inline(never)]
fn evaluate_new_comparisons(arena: &Arena, evaluator: &mut Evaluator, terms: &[TermId]) {
    black_box("evaluate_new_comparisons");
    for &term in terms {
        black_box(evaluator.value(arena, term));
    }
}

#[inline(never)]
fn evaluate_new_sums_of_known_sums(arena: &Arena, evaluator: &mut Evaluator, terms: &[TermId]) {
    black_box("evaluate_new_sums_of_known_sums");
    for &term in terms {
        black_box(evaluator.value(arena, term));
    }
}

#[inline(never)]
fn evaluate_known_comparisons(arena: &Arena, evaluator: &mut Evaluator, terms: &[TermId]) {
    black_box("evaluate_known_comparisons");
    for &term in terms {
        black_box(evaluator.value(arena, term));
    }
}

#[inline(never)]
fn variables_of_comparisons(arena: &Arena, variables: &mut Variables, terms: &[TermId]) {
    for &term in terms {
        black_box(variables.of(arena, term));
    }
}

#[inline(never)]
fn release_comparisons(arena: &mut Arena, mark: pessimum_term::Mark) {
    arena.release(mark);
}

fn main() {
    let mut arena = Arena::new();
    let inputs: Vec<TermId> = (0..VARIABLES).map(|number| arena.variable(VariableId(number), 32)).collect();
    let mut evaluator = Evaluator::new(Witness::new((0..VARIABLES as u64).rev().collect()));
    let pairs: Vec<_> = pairs(&inputs).take(STEPS).collect();
    let mark = arena.mark();
    make_new_comparisons(&mut arena, &pairs);
    make_known_comparisons(&mut arena, &pairs);
    let terms: Vec<TermId> = pairs.iter().map(|&(x, y)| arena.binary(BinaryOp::LtS, x, y)).collect();
    evaluate_new_comparisons(&arena, &mut evaluator, &terms);
    evaluate_known_comparisons(&arena, &mut evaluator, &terms);
    variables_of_comparisons(&arena, &mut Variables::new(), &terms);
    release_comparisons(&mut arena, mark);

    let mut sum = inputs[0];
    let sums: Vec<TermId> = (0..STEPS)
        .map(|step| {
            sum = arena.binary(BinaryOp::Add, sum, inputs[step * 7 % inputs.len()]);
            sum
        })
        .collect();
    evaluate_new_sums_of_known_sums(&arena, &mut evaluator, &sums);
}
