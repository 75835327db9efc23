//! A map from ranges of keys to values, in which neighbours with equal values are one.
//!
//! ```
//! use interval_map::IntervalMap;
//!
//! let mut tariff = IntervalMap::new();
//! tariff.insert(0, 24, "day")?;
//! tariff.insert(20, 24, "night")?;
//! assert_eq!(tariff.get(19), Some(&"day"));
//! assert_eq!(tariff.get(20), Some(&"night"));
//! assert_eq!(tariff.get(24), None);
//! # Ok::<(), interval_map::IntervalError>(())
//! ```

use std::cmp::Ordering;
use std::error::Error;
use std::fmt;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalError {
    /// The end of a range is not above its start.
    Empty,
    /// The range has a value already, where that is not allowed.
    Occupied,
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IntervalError::Empty => "the end of a range must be above its start",
            IntervalError::Occupied => "a part of the range has a value already",
        })
    }
}

impl Error for IntervalError {}

/// The keys from `start` to just below `end`, and their value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span<K, V> {
    /// The first key.
    pub start: K,
    /// The first key that does not belong to it; above `start`.
    pub end: K,
    /// The value of all these keys.
    pub value: V,
}

/// A map from keys to values that are the same for whole ranges of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntervalMap<K, V> {
    /// Ascending; no two overlap, and no two that touch have equal values.
    spans: Vec<Span<K, V>>,
}

impl<K: Ord + Copy, V: Clone + PartialEq> IntervalMap<K, V> {
    /// A map without values.
    pub fn new() -> Self {
        Self { spans: Vec::new() }
    }

    /// How many ranges there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether no key has a value.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The index of the first span that ends above the key: the one that contains it, if there is one.
    fn first_above(&self, key: K) -> usize {
        self.spans.partition_point(|span| span.end <= key)
    }

    /// The value of a key.
    pub fn get(&self, key: K) -> Option<&V> {
        let span = self.spans.get(self.first_above(key))?;
        if span.start <= key { Some(&span.value) } else { None }
    }

    /// Whether any key of the range has a value.
    pub fn overlaps(&self, start: K, end: K) -> bool {
        match self.spans.get(self.first_above(start)) {
            Some(span) => start < end && span.start < end,
            None => false,
        }
    }

    /// Takes the values of a range away, and cuts the spans at its ends. Returns the index where its span would be.
    fn cut(&mut self, start: K, end: K) -> usize {
        let mut first = self.first_above(start);
        if let Some(span) = self.spans.get_mut(first)
            && span.start < start
        {
            if span.end > end {
                let rest = Span { start: end, end: span.end, value: span.value.clone() };
                span.end = start;
                self.spans.insert(first + 1, rest);
                return first + 1;
            }
            span.end = start;
            first += 1;
        }
        let mut last = first;
        while let Some(span) = self.spans.get_mut(last) {
            if span.start >= end {
                break;
            }
            if span.end > end {
                span.start = end;
                break;
            }
            last += 1;
        }
        self.spans.drain(first..last);
        first
    }

    /// Gives all keys of the range this value, whatever they had before.
    pub fn insert(&mut self, start: K, end: K, value: V) -> Result<(), IntervalError> {
        if start >= end {
            return Err(IntervalError::Empty);
        }
        let at = self.cut(start, end);
        let mut span = Span { start, end, value };
        if let Some(next) = self.spans.get(at)
            && next.start == span.end
            && next.value == span.value
        {
            span.end = next.end;
            self.spans.remove(at);
        }
        if let Some(before) = at.checked_sub(1).and_then(|before| self.spans.get_mut(before))
            && before.end == span.start
            && before.value == span.value
        {
            before.end = span.end;
            return Ok(());
        }
        self.spans.insert(at, span);
        Ok(())
    }

    /// Gives all keys of the range this value, unless one of them has one.
    pub fn insert_new(&mut self, start: K, end: K, value: V) -> Result<(), IntervalError> {
        if self.overlaps(start, end) {
            return Err(IntervalError::Occupied);
        }
        self.insert(start, end, value)
    }

    /// Takes the values of a range away. Returns whether there were any.
    ///
    /// ```
    /// # use interval_map::IntervalMap;
    /// let mut map = IntervalMap::new();
    /// map.insert(0, 10, 'x')?;
    /// assert_eq!(map.remove(4, 6), Ok(true));
    /// assert_eq!(map.len(), 2);
    /// # Ok::<(), interval_map::IntervalError>(())
    /// ```
    pub fn remove(&mut self, start: K, end: K) -> Result<bool, IntervalError> {
        if start >= end {
            return Err(IntervalError::Empty);
        }
        let there = self.overlaps(start, end);
        if there {
            self.cut(start, end);
        }
        Ok(there)
    }

    /// The first key from `start` on that has no value, if it is below `end`.
    pub fn first_gap(&self, start: K, end: K) -> Option<K> {
        let mut free = start;
        for span in &self.spans[self.first_above(start)..] {
            if span.start > free {
                break;
            }
            free = span.end;
        }
        if free < end { Some(free) } else { None }
    }

    /// Gives the keys of the range that have no value this one. Returns how many gaps were filled.
    pub fn fill(&mut self, start: K, end: K, value: V) -> usize {
        let mut filled = 0;
        while let Some(gap) = self.first_gap(start, end) {
            let until = match self.spans.get(self.first_above(gap)) {
                Some(span) if span.start < end => span.start,
                _ => end,
            };
            if self.insert(gap, until, value.clone()).is_err() {
                break;
            }
            filled += 1;
        }
        filled
    }

    /// How the spans of two maps compare, one after the other by their starts and ends; values do not matter.
    pub fn compare_shape(&self, other: &Self) -> Ordering {
        for (a, b) in self.spans.iter().zip(&other.spans) {
            let order = a.start.cmp(&b.start).then(a.end.cmp(&b.end));
            if order != Ordering::Equal {
                return order;
            }
        }
        self.len().cmp(&other.len())
    }

    /// The spans, ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Span<K, V>> {
        self.spans.iter()
    }
}
