//! The order, linear and Boolean layers of the solver, each alone and together, on the rich sets of [`pessimum_testkit::ranged`],
//! against brute force.

use pessimum_solver::{Counters, LayerName, Settings};
use pessimum_testkit::ranged::Conditions;

use crate::harness::Target;

/// How many stacks there are.
const STACKS: usize = 5;

/// The layers that decide by calculating with integers: each alone, all of them, and with the layers between and after
/// them that are exact as well.
fn stacks() -> [Vec<LayerName>; STACKS] {
    use LayerName::{Boolean, Linear, Order, Recent, Sample, SmallDomain};
    [
        vec![Order],
        vec![Linear],
        vec![Boolean],
        vec![Order, Linear, Boolean],
        vec![Order, SmallDomain, Linear, Boolean, Recent, Sample],
    ]
}

/// Compares each stack with brute force.
pub struct Layers {
    stacks: [Vec<LayerName>; STACKS],
    totals: [Counters; STACKS],
}

impl Default for Layers {
    fn default() -> Layers {
        Layers { stacks: stacks(), totals: Default::default() }
    }
}

impl Layers {
    /// What the layers did in each stack, in its order.
    pub fn totals(&self) -> impl Iterator<Item = (&[LayerName], &Counters)> {
        self.stacks.iter().map(Vec::as_slice).zip(&self.totals)
    }
}

impl Target for Layers {
    const NAME: &'static str = "layers";

    fn case(&mut self, seed: u64) -> Result<(), String> {
        let mut set = Conditions::rich(seed);
        for (layers, total) in self.stacks.iter().zip(&mut self.totals) {
            let settings = Settings { layers: layers.clone(), steps: 300, ..Settings::default() };
            total.add(&set.compare(&settings).map_err(|wrong| format!("{layers:?}: {wrong}"))?);
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let of = |(layers, total): (&[LayerName], &Counters)| {
            let each = layers.iter().map(|&layer| {
                let counters = total.layer(layer);
                format!("{} {} sat {} unsat", layer.name(), counters.sat, counters.unsat)
            });
            format!("[{}]", each.collect::<Vec<_>>().join(", "))
        };
        self.totals().map(of).collect::<Vec<_>>().join(" ")
    }
}
