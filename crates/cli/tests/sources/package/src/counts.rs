//! A module in a file of its own, with a type that others cannot look into.

use std::collections::BTreeMap;

/// How often each value came.
pub struct Counts<T> {
    counts: BTreeMap<T, usize>,
}

impl<T: Ord + Copy> Counts<T> {
    /// Nothing came yet.
    pub fn new() -> Self {
        Counts { counts: BTreeMap::new() }
    }

    /// One more value.
    pub fn add(&mut self, value: T) {
        *self.counts.entry(value).or_default() += 1;
    }

    /// The number of different values that came at least so often.
    pub fn frequent(&self, least: usize) -> usize {
        self.counts.values().filter(|count| **count >= least).count()
    }
}

/// How many values are in the range.
pub fn within(values: impl IntoIterator<Item = i64>, range: std::ops::Range<i64>) -> usize {
    values.into_iter().filter(|value| range.contains(value)).count()
}
