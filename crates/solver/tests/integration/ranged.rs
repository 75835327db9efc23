//! Wide inputs with few allowed values, in sums that mix extensions: each layer alone and all together, compared with
//! trying every input.

use pessimum_solver::LayerName::{
    self, Blast, Boolean, Equality, FloatCircuits, Linear, LocalSearch, Middle, Order, Recent, Sample, SmallDomain,
};
use pessimum_testkit::ranged::{self, Conditions};

/// How often each layer must at least say yes and no in each stack of [`ranged::stacks`]: a layer that stopped
/// answering would leave every comparison green. The seeds fix the counts.
const LEAST: [&[(LayerName, u64, u64)]; 13] = [
    &[(Order, 230, 130)],
    &[(SmallDomain, 200, 400)],
    &[(Linear, 220, 300)],
    &[(Boolean, 1, 1)],
    &[(Equality, 0, 0)], // These sets have no equations between terms: `equality.rs` has.
    &[(Sample, 930, 0)],
    &[(Middle, 40, 0)],
    &[(Blast, 1_130, 2_000)],
    &[(LocalSearch, 1_060, 0)],
    &[(FloatCircuits, 1_130, 2_000)],
    &[(Order, 230, 130), (Linear, 130, 240)],
    &[(Recent, 10, 0), (Blast, 1_130, 2_000)],
    &[(Order, 200, 130), (SmallDomain, 150, 330), (Linear, 110, 200), (Sample, 460, 0), (Blast, 160, 1_330)],
];

#[test]
fn every_stack_agrees_with_brute_force() {
    let scale: u64 = std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().unwrap());
    let totals = ranged::compare(0..2_000 * scale).unwrap_or_else(|wrong| panic!("{wrong}"));
    let stacks = ranged::stacks();
    assert_eq!(stacks.len(), LEAST.len());
    for ((stack, least), total) in stacks.iter().zip(LEAST).zip(totals) {
        for &(name, sat, unsat) in least {
            let layer = total.layer(name);
            assert!(layer.sat >= sat && layer.unsat >= unsat, "{name:?} of {stack:?} answers too rarely: {layer:?}");
        }
        // The circuits of these sets are small enough for bit-blasting to answer every time.
        assert!(!stack.contains(&FloatCircuits) || total.unknown == 0, "{stack:?}: {} unknown", total.unknown);
        // Without exact float arithmetic it may pass, but not because of a limit.
        assert_eq!(total.layer(Blast).gave_up, 0, "{stack:?}");
    }
}

/// Boolean structure over comparisons, and choices between numbers: the layer made for them, alone, with the layer
/// whose constraints are its theory, and among all.
#[test]
fn boolean_combinations_agree_with_brute_force() {
    let scale: u64 = std::env::var("PESSIMUM_SCALE").map_or(1, |scale| scale.parse().unwrap());
    let stacks = [vec![Boolean], vec![Order, Boolean], LayerName::ALL.to_vec()];
    // How often the layer must at least say yes and no: a layer that stopped answering would leave every comparison
    // green. The seeds fix the counts.
    let least = [(630, 1_200), (500, 1_100), (400, 950)];
    let totals = ranged::compare_sets(0..1_000 * scale, Conditions::boolean, &stacks);
    let totals = totals.unwrap_or_else(|wrong| panic!("{wrong}"));
    for ((stack, total), (sat, unsat)) in stacks.iter().zip(totals).zip(least) {
        let layer = total.layer(Boolean);
        println!("{stack:?}: {layer:?}, {} unknown of {}", total.unknown, total.queries);
        assert!(layer.sat >= sat && layer.unsat >= unsat, "{stack:?} answers too rarely: {layer:?}");
    }
}
