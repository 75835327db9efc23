//! How values are read, what is allowed, and what is simple.

use std::sync::Arc;

use pessimum_term::ops::{mask, signed};
use rustc_hash::FxHashSet;

/// What a value is read as, which decides what is simple, together with the allowed values, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// Numbers near 0 are simple, negative ones less so.
    Integer {
        /// How the bits are read.
        signed: bool,
        /// The least value.
        low: i128,
        /// The greatest value.
        high: i128,
    },
    /// Whole numbers near 0 are simple. Without a range every bit pattern is allowed, NaN too.
    Float {
        /// Least and greatest value.
        range: Option<(f64, f64)>,
    },
    /// Letters are simplest, then digits, then other printable characters.
    Text {
        /// The least byte.
        low: u8,
        /// The greatest byte.
        high: u8,
    },
}

/// Consecutive input variables of one look.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Number of the first variable.
    pub first: usize,
    /// How many.
    pub count: usize,
    /// Bits of each: 8 for text, 32 or 64 for floats.
    pub width: u32,
    /// How they are read.
    pub look: Look,
    /// The least and the greatest value of each range that is allowed, as bit patterns, where there are gaps between
    /// them; none if all that the look allows is allowed.
    pub pieces: Option<Arc<[(u64, u64)]>>,
}

/// How simple an input is; less is simpler. Compared field by field, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Simplicity {
    /// Input variables that the program read.
    pub variables: usize,
    /// Values that are not numbers, or infinite.
    pub odd: usize,
    /// Numbers with a fraction.
    pub fractions: usize,
    /// Numbers below 0.
    pub negative: usize,
    /// Values that are not the simplest allowed one; all others evidently do not matter.
    pub chosen: usize,
    /// Different values, counted for each type.
    pub distinct: usize,
    /// Sum of the distances from the simplest value: 0 for numbers, `a` for text.
    pub distance: u128,
}

/// How simple an input is that a program reads in these parts.
pub fn simplicity(values: &[u64], parts: &[Part]) -> Simplicity {
    let mut sum = Simplicity { variables: 0, odd: 0, fractions: 0, negative: 0, chosen: 0, distinct: 0, distance: 0 };
    let mut seen: FxHashSet<(u8, u32, u64)> = FxHashSet::default();
    for part in parts {
        sum.variables += part.count;
        let simplest = part.simplest();
        for &bits in &values[part.first..part.first + part.count] {
            seen.insert((part.look.number(), part.width, bits));
            sum.chosen += usize::from(bits != simplest);
            match part.look {
                Look::Integer { signed, .. } => {
                    let value = integer(part.width, signed, bits);
                    sum.negative += usize::from(value < 0);
                    sum.distance += value.unsigned_abs();
                }
                Look::Text { .. } => sum.distance += u128::from(text_rank(bits as u8)),
                Look::Float { .. } => {
                    let value = float(part.width, bits);
                    sum.odd += usize::from(!value.is_finite());
                    sum.fractions += usize::from(value.is_finite() && value.fract() != 0.0);
                    sum.negative += usize::from(value.is_sign_negative());
                    // The bits of a magnitude sort like the magnitude; a fraction is worse the longer its text is.
                    let digits = if value.is_finite() && value.fract() != 0.0 { written(part.width, value) } else { 0 };
                    sum.distance += (digits as u128) << 64 | u128::from(value.abs().to_bits());
                }
            }
        }
    }
    sum.distinct = seen.len();
    sum
}

impl Look {
    /// A number that tells looks apart.
    pub(super) fn number(&self) -> u8 {
        match self {
            Look::Integer { signed: false, .. } => 0,
            Look::Integer { signed: true, .. } => 1,
            Look::Float { .. } => 2,
            Look::Text { .. } => 3,
        }
    }
}

impl Part {
    pub(super) fn is_like(&self, other: &Part) -> bool {
        self.look.number() == other.look.number() && self.width == other.width
    }

    pub(super) fn allows(&self, bits: u64) -> bool {
        self.is_in_look(bits)
            && self.pieces.as_ref().is_none_or(|pieces| pieces.iter().any(|&piece| self.is_in(piece, bits)))
    }

    fn is_in(&self, (low, high): (u64, u64), bits: u64) -> bool {
        match self.look {
            Look::Integer { signed, .. } => {
                let number = |bits: u64| integer(self.width, signed, bits);
                (number(low)..=number(high)).contains(&number(bits))
            }
            Look::Float { .. } => (float(self.width, low)..=float(self.width, high)).contains(&float(self.width, bits)),
            Look::Text { .. } => (low..=high).contains(&bits),
        }
    }

    fn is_in_look(&self, bits: u64) -> bool {
        match self.look {
            Look::Integer { signed, low, high } => (low..=high).contains(&integer(self.width, signed, bits)),
            Look::Float { range: None } => true,
            Look::Float { range: Some((low, high)) } => (low..=high).contains(&float(self.width, bits)),
            Look::Text { low, high } => (u64::from(low)..=u64::from(high)).contains(&bits),
        }
    }

    pub(super) fn allows_integer(&self, value: i128) -> bool {
        let fits = matches!(self.look, Look::Integer { low, high, .. } if (low..=high).contains(&value));
        fits && self.allows(value as u64 & mask(self.width))
    }

    /// Bits of the simplest allowed value.
    pub(super) fn simplest(&self) -> u64 {
        if let Some(pieces) = &self.pieces {
            // Every byte for a text; for numbers 0 or the nearest end of a piece, and of two that are as far away the
            // positive one.
            let ends = pieces.iter().rev().flat_map(|&(low, high)| [high, low]);
            let candidates: Vec<u64> = match self.look {
                Look::Text { .. } => TEXT_ORDER.iter().map(|&byte| u64::from(byte)).collect(),
                _ => [0].into_iter().chain(ends).collect(),
            };
            let allowed = candidates.into_iter().filter(|&bits| self.allows(bits));
            return allowed.min_by_key(|&bits| self.distance(bits)).unwrap_or(pieces[0].0);
        }
        match self.look {
            Look::Integer { low, high, .. } => 0.clamp(low, high) as u64 & mask(self.width),
            Look::Float { range } => float_bits(self.width, range.map_or(0.0, |(low, high)| 0f64.clamp(low, high))),
            Look::Text { low, high } => {
                let allowed = TEXT_ORDER.iter().find(|byte| (low..=high).contains(byte));
                u64::from(*allowed.unwrap_or(&low))
            }
        }
    }

    /// How far a value is from the simplest one, to sort by.
    pub(super) fn distance(&self, bits: u64) -> u128 {
        match self.look {
            Look::Integer { signed, .. } => integer(self.width, signed, bits).unsigned_abs(),
            Look::Float { .. } => u128::from(float(self.width, bits).abs().to_bits()),
            Look::Text { .. } => u128::from(text_rank(bits as u8)),
        }
    }
}

pub(super) fn integer(width: u32, is_signed: bool, bits: u64) -> i128 {
    if is_signed { i128::from(signed(width, bits)) } else { i128::from(bits & mask(width)) }
}

pub(super) fn float(width: u32, bits: u64) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

pub(super) fn float_bits(width: u32, value: f64) -> u64 {
    if width == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
}

/// Length of the shortest text of a float.
fn written(width: u32, value: f64) -> usize {
    if width == 32 { (value as f32).to_string().len() } else { value.to_string().len() }
}

/// All bytes, simplest first: letters, digits, capitals, the space, punctuation, line ends, the rest.
pub(super) static TEXT_ORDER: [u8; 256] = text_order();

/// Position of each byte in [`TEXT_ORDER`].
static TEXT_RANKS: [u8; 256] = {
    let mut ranks = [0; 256];
    let mut i = 0;
    while i < 256 {
        ranks[TEXT_ORDER[i] as usize] = i as u8;
        i += 1;
    }
    ranks
};

pub(super) fn text_rank(byte: u8) -> u8 {
    TEXT_RANKS[usize::from(byte)]
}

const fn text_order() -> [u8; 256] {
    const RANGES: [(u8, u8); 13] = [
        (b'a', b'z'),
        (b'0', b'9'),
        (b'A', b'Z'),
        (b' ', b'/'),
        (b':', b'@'),
        (b'[', b'`'),
        (b'{', b'~'),
        (b'\n', b'\n'),
        (b'\t', b'\t'),
        (b'\r', b'\r'),
        (0, 8),
        (11, 12),
        (14, 31),
    ];
    let mut order = [0; 256];
    let mut at = 0;
    let mut range = 0;
    while range < RANGES.len() {
        let mut byte = RANGES[range].0;
        while byte <= RANGES[range].1 {
            order[at] = byte;
            at += 1;
            byte += 1;
        }
        range += 1;
    }
    while at < 256 {
        // 127 and the bytes beyond ASCII: exactly those that are in no range.
        order[at] = at as u8;
        at += 1;
    }
    order
}
