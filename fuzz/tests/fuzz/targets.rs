//! A fixed sample of what the targets with seeds do for as long as asked. Each must also have met what it is after: a
//! target whose cases are all refused at once proves nothing.

use pessimum_fuzz::harness::Target;
use pessimum_fuzz::{calls, layers, names, records};
use pessimum_solver::LayerName;

fn tried<T: Target + Default>(seeds: std::ops::Range<u64>) -> T {
    let mut target = T::default();
    for seed in seeds {
        target.case(seed).unwrap_or_else(|wrong| panic!("{} seed {seed}: {wrong}", T::NAME));
    }
    println!("{}: {}", T::NAME, target.summary());
    target
}

#[test]
fn texts_of_calls_and_inputs() {
    tried::<calls::Calls>(0..1500);
}

#[test]
fn integer_layers_on_rich_sets() {
    let target = tried::<layers::Layers>(0..400);
    for (stack, total) in target.totals() {
        // Only every fourth set is made for the Boolean layer.
        let least = [(LayerName::Order, 50), (LayerName::Linear, 30), (LayerName::Boolean, 15)];
        for (layer, least) in least.into_iter().filter(|(layer, _)| stack.contains(layer)) {
            let counters = total.layer(layer);
            assert!(counters.sat > least && counters.unsat > least, "{layer:?} of {stack:?}: {counters:?}");
        }
    }
}

#[test]
fn damaged_names_and_debug_information() {
    tried::<names::DebugInfo>(0..400);
}

#[test]
fn damaged_results_and_journals() {
    tried::<records::Records>(0..600);
}
