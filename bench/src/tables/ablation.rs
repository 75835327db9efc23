//! `auto` without one of its parts, to measure what each part is worth.

use anyhow::{Result, bail};
use pessimum_search::strategy::{Auto, AutoSettings, Operator};

/// The variant of this name: `auto`, or `without` and an operator, `training`, `walk` or `bandit`.
pub fn auto_without(name: &str) -> Result<Auto> {
    let mut auto = Auto::default();
    match name.strip_prefix("without ") {
        None if name == "auto" => {}
        Some("training") => auto.training = false,
        // Without the walk over every path, and without the larger share that it has where there are few inputs.
        Some("walk") => auto.settings = AutoSettings { walk_paths: 0, few_inputs: 0, ..auto.settings },
        // Every operator gets about the same effort, whatever it found.
        Some("bandit") => auto.settings = AutoSettings { bandit_floor: 1.0, ..auto.settings },
        part => match Operator::ALL.into_iter().find(|operator| Some(operator.name()) == part) {
            Some(operator) => auto.without = vec![operator],
            None => bail!("auto has no part for `{name}`"),
        },
    }
    Ok(auto)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::published::{Measure, table};

    /// The table of the ablation has a variant for every operator and for the three other parts.
    #[test]
    fn every_part_can_be_left_out() {
        let table = table("ablation").unwrap();
        let made: Vec<Auto> = table.variants.iter().map(|variant| auto_without(&variant.name).unwrap()).collect();
        assert!(table.variants.iter().all(|variant| variant.measure == Measure::Ablation));
        for operator in Operator::ALL {
            assert_eq!(made.iter().filter(|auto| auto.without == [operator]).count(), 1, "{}", operator.name());
        }
        assert_eq!(made.iter().filter(|auto| !auto.training).count(), 1);
        assert_eq!(made.len(), 1 + Operator::ALL.len() + 3);
        assert!(auto_without("without everything").is_err() && auto_without("ese").is_err());
    }
}
