//! Wide inputs of which few values are allowed, under sums that mix extensions: each layer alone and all together
//! against trying every input.

use pessimum_solver::LayerName;
use pessimum_testkit::ranged;

#[test]
fn every_stack_agrees_with_brute_force() {
    let totals = ranged::compare(0..3_000).unwrap_or_else(|wrong| panic!("{wrong}"));
    for (layers, total) in ranged::stacks().iter().zip(totals) {
        let answers: Vec<(LayerName, u64, u64)> =
            LayerName::ALL.iter().map(|&name| (name, total.layer(name).sat, total.layer(name).unsat)).collect();
        println!("{layers:?}: {} queries, {} unknown, sat and unsat: {answers:?}", total.queries, total.unknown);
    }
}
