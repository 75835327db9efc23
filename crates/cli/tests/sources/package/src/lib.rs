//! A library crate as its author wrote it.

pub mod counts;
mod halves;

pub use counts::Counts as Tally;

/// Position of `wanted` in the sorted `values`.
pub fn position(values: &[i64], wanted: i64) -> Option<usize> {
    halves::search(values, wanted)
}

/// How many of the values are even; with the feature `counted`, each counts for ten.
pub fn even(values: &[u8]) -> u32 {
    let each = if cfg!(feature = "counted") { 10 } else { 1 };
    values.iter().filter(|value| **value % 2 == 0).count() as u32 * each
}
