//! The index of all terms by what they are made of.

/// A hash table of term numbers with linear probing. It holds numbers only; the caller keeps the terms and compares.
///
/// Terms are inserted in the order of their numbers and removed in the opposite order. So taking one out leaves the
/// table exactly as it was before it went in, and neither tombstones nor shifting are needed. Growing keeps this true
/// because it inserts again in the order of the numbers.
pub(crate) struct Table {
    /// Number plus one; 0 is free. The length is a power of two and at least twice the number of terms.
    entries: Vec<u32>,
    /// The hash's top bits choose the place: `hash >> shift`.
    shift: u32,
}

const SMALLEST: usize = 64;

impl Table {
    pub(crate) fn new() -> Table {
        Table { entries: vec![0; SMALLEST], shift: 64 - SMALLEST.trailing_zeros() }
    }

    /// The term with this hash for which `is_it` holds, or the free place where it belongs.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let last = self.entries.len() - 1;
        let mut place = (hash >> self.shift) as usize;
        loop {
            match self.entries[place & last] {
                0 => return Err(place & last),
                entry if is_it(entry - 1) => return Ok(entry - 1),
                _ => place += 1,
            }
        }
    }

    /// Puts a new term at the place that [`Table::find`] gave. `hash_of` is called when the table grows.
    #[inline(always)]
    pub(crate) fn insert(&mut self, place: usize, number: u32, hash_of: impl FnMut(u32) -> u64) {
        self.entries[place] = number + 1;
        if (number as usize + 1) * 2 > self.entries.len() {
            self.rebuild(number + 1, hash_of);
        }
    }

    /// How many terms there can be before the table grows.
    pub(crate) fn capacity(&self) -> usize {
        self.entries.len() / 2
    }

    /// Takes out the term with the highest number.
    pub(crate) fn remove_last(&mut self, hash: u64, number: u32) {
        let last = self.entries.len() - 1;
        let mut place = (hash >> self.shift) as usize;
        while self.entries[place & last] != number + 1 {
            place += 1;
        }
        self.entries[place & last] = 0;
    }

    /// Rebuilds the table for the terms `0 .. count`, with room to double.
    #[cold]
    pub(crate) fn rebuild(&mut self, count: u32, mut hash_of: impl FnMut(u32) -> u64) {
        let size = (count as usize * 4).next_power_of_two().max(SMALLEST);
        self.entries.clear();
        self.entries.resize(size, 0);
        self.entries.shrink_to(size * 4);
        self.shift = 64 - size.trailing_zeros();
        for number in 0..count {
            if let Err(place) = self.find(hash_of(number), |_| false) {
                self.entries[place] = number + 1;
            }
        }
    }
}
