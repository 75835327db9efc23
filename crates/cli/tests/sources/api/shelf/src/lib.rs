//! What a small library of a shop may look like: structs with private fields, an enum, generics, a trait, a module.

use std::fmt;

pub mod ring;

pub use ring::RingBuffer;

/// What may go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    Empty,
    Unknown(u16),
    TooMany { wanted: u32, there: u32 },
}

/// How goods are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unit {
    Piece,
    Weight(f32),
}

/// Goods by their number.
#[derive(Debug, Default, Clone)]
pub struct Shelf {
    goods: Vec<(u16, u32)>,
    label: String,
}

impl Shelf {
    pub fn labelled(label: &str) -> Result<Shelf, Error> {
        if label.is_empty() {
            return Err(Error::Empty);
        }
        Ok(Shelf { goods: Vec::new(), label: label.to_string() })
    }

    pub fn put(&mut self, number: u16, count: u32) -> u32 {
        match self.goods.iter_mut().find(|(known, _)| *known == number) {
            Some((_, there)) => {
                *there = there.saturating_add(count);
                *there
            }
            None => {
                self.goods.push((number, count));
                count
            }
        }
    }

    pub fn take(&mut self, number: u16, wanted: u32) -> Result<u32, Error> {
        let (_, there) = self.goods.iter_mut().find(|(known, _)| *known == number).ok_or(Error::Unknown(number))?;
        if *there < wanted {
            return Err(Error::TooMany { wanted, there: *there });
        }
        *there -= wanted;
        Ok(*there)
    }

    pub fn label(&self) -> &str {
        &self.label
    }

    pub fn most(&self) -> Option<&(u16, u32)> {
        self.goods.iter().max_by_key(|(_, count)| *count)
    }

    pub fn numbers(&self) -> impl Iterator<Item = u16> + '_ {
        self.goods.iter().map(|(number, _)| *number)
    }

    pub fn merge(&mut self, other: &Shelf) {
        for (number, count) in &other.goods {
            self.put(*number, *count);
        }
    }

    pub fn into_total(self) -> u64 {
        self.goods.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    pub fn price(&self, unit: Unit, cents: u8) -> f64 {
        match unit {
            Unit::Piece => self.goods.len() as f64 * f64::from(cents),
            Unit::Weight(grams) => f64::from(grams) * f64::from(cents) / 1000.0,
        }
    }

    fn forget(&mut self) {
        self.goods.clear();
    }
}

/// What can be counted.
pub trait Countable {
    fn count(&self) -> usize;
}

impl Countable for Shelf {
    fn count(&self) -> usize {
        self.goods.len()
    }
}

impl fmt::Display for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.label, self.goods.len())
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Sorts, and counts the exchanges.
pub fn sort(values: &mut [i16]) -> usize {
    let mut count = 0;
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
            count += 1;
        }
    }
    count
}

/// The longest common beginning.
pub fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let end = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map_or(one.len().min(other.len()), |((at, _), _)| at);
    &one[..end]
}

/// Nothing can be made for a pointer.
pub fn peek(address: *const u8) -> bool {
    address.is_null()
}
