//! The language of generators, and what a generator gives at a size.
//!
//! An input consists of slots: an array, a text, a number. Their lengths are fixed by the layout of the input, so a
//! generator *fills* a slot exactly: segments are repeated a fixed number of times or as often as fits, in given
//! proportions, and what does not fit evenly is slack.

use pessimum_term::ops::mask;
use serde::{Deserialize, Serialize};

use pessimum_search::program::Variable;

/// A part of the input that is filled on its own, at one size.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its number of values.
    pub count: usize,
    /// Whether it is a single number rather than an array of which this happens to be the length.
    pub scalar: bool,
    /// Whether its values are characters of a text or other bytes.
    pub text: bool,
    /// What its values are.
    pub number: Number,
    /// The width of each value and its range.
    pub variable: Variable,
}

/// What a value of a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A whole number without a sign.
    Unsigned,
    /// A whole number with a sign.
    Signed,
    /// A number of IEEE 754.
    Float,
}

impl Slot {
    /// Whether every bit pattern is allowed.
    pub fn is_full(&self) -> bool {
        self.variable.pieces.is_none() && !self.variable.float && self.variable.span() == mask(self.variable.width)
    }

    /// How many numbers above the first one there are for sequences: counted from 0 where every value is allowed, and
    /// otherwise from the least value.
    pub fn room(&self) -> u64 {
        match (self.is_full(), self.number) {
            (true, Number::Unsigned) => mask(self.variable.width),
            (true, Number::Signed) => mask(self.variable.width) >> 1,
            // Whole numbers that a float holds exactly.
            (true, Number::Float) => (1 << if self.variable.width == 32 { 24 } else { 53 }) - 1,
            (false, Number::Float) => 1 << 20,
            (false, _) => self.variable.span(),
        }
    }

    /// The value of a sequence with this rank, as bits; ranks are at most [`Slot::room`].
    pub fn ranked(&self, rank: u64) -> u64 {
        match (self.is_full(), self.number) {
            (true, Number::Float) => self.float_bits(rank as f64),
            (true, _) => rank,
            (false, Number::Float) => {
                let (low, high) = (self.float_value(self.variable.low), self.float_value(self.variable.high));
                let share = rank as f64 / self.room() as f64;
                self.variable.nearest(self.float_bits(low + (high - low) * share))
            }
            (false, _) => self.variable.at(rank.min(self.variable.span())),
        }
    }

    /// A literal as bits: the number itself if it is allowed, otherwise the nearest allowed one.
    pub fn literal(&self, value: i64) -> u64 {
        let bits = match self.number {
            // Literals of floats are their bits: any float can be one.
            Number::Float => value as u64 & mask(self.variable.width),
            Number::Signed | Number::Unsigned => value as u64 & mask(self.variable.width),
        };
        self.variable.nearest(bits)
    }

    /// The literal that stands for these bits.
    pub fn value(&self, bits: u64) -> i64 {
        match self.number {
            Number::Signed => pessimum_term::ops::signed(self.variable.width, bits),
            Number::Unsigned | Number::Float => bits as i64,
        }
    }

    fn float_bits(&self, value: f64) -> u64 {
        if self.variable.width == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
    }

    fn float_value(&self, bits: u64) -> f64 {
        if self.variable.width == 32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
    }
}

/// A generator for a whole input: one filling for each slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pattern {
    /// In the order of the slots.
    pub slots: Vec<Filling>,
}

/// What one slot is filled with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filling {
    /// A single number: `per_size * n + base`, or the nearest allowed one.
    Scalar {
        /// How much it grows with the size.
        per_size: i64,
        /// Its value at size 0.
        base: i64,
    },
    /// An array or a text.
    List(List),
}

/// Segments one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct List {
    /// In order; at least one of them is shared.
    pub segments: Vec<Segment>,
    /// What becomes of the values that do not make up one more repetition of everything.
    pub slack: Slack,
}

/// Something that is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Segment {
    /// What one repetition consists of.
    pub block: Vec<Atom>,
    /// How often.
    pub times: Times,
}

/// How often a segment is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    /// So often, at every size.
    Fixed(u32),
    /// This many times `k`, where `k` is the greatest number that fits.
    Share(u32),
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Atom {
    /// These values.
    Values(Vec<i64>),
    /// One value of a sequence, by the number of the repetition.
    Number(Sequence),
    /// The number of the repetition in decimal digits.
    Decimal,
    /// The number of the repetition in letters.
    Name {
        /// The first letter.
        first: i64,
        /// How many letters there are, from 2.
        letters: u32,
        /// The fewest letters of a name; more are used where they are needed to tell all repetitions apart.
        width: u32,
    },
}

/// Numbers by the number `i` of the repetition, of which there are `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sequence {
    /// `times * t + base + step * i`: in this order even where there are fewer values than repetitions.
    Straight {
        /// Multiples of the number of repetitions.
        times: i64,
        /// The first number besides.
        base: i64,
        /// From one number to the next.
        step: i64,
    },
    /// The numbers from 0 on such that the greatest of every beginning is in its middle, which takes a quicksort that
    /// chooses its pivot there the longest.
    Middle,
    /// `(base + step * i) mod modulus`; the modulus 0 stands for all values that there are.
    Modular {
        /// The first number.
        base: u64,
        /// From one number to the next.
        step: u64,
        /// What is divided by.
        modulus: u64,
    },
}

impl Sequence {
    /// 0, 1, 2, ...
    pub const RISING: Sequence = Sequence::Straight { times: 0, base: 0, step: 1 };
    /// ..., 2, 1, 0
    pub const FALLING: Sequence = Sequence::Straight { times: 1, base: -1, step: -1 };
}

/// Where values that do not make up one more repetition go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slack {
    /// The segment with this number goes on, and is cut.
    More(u32),
    /// They all have this value, after the segment with this number.
    Pad(u32, i64),
}

/// Names of this many letters tell a million repetitions apart.
fn roomy(letters: u32) -> u32 {
    name_width(1 << 20, letters, 1) as u32
}

impl Pattern {
    /// The same with names and numbers of the same length at every size; none where there are none. Names that grow
    /// longer take a part of the growth away that has nothing to do with the program.
    pub fn with_even_names(&self) -> Option<Pattern> {
        let mut even = self.clone();
        let mut atoms = even.slots.iter_mut().flat_map(|filling| match filling {
            Filling::List(list) => list.segments.iter_mut().flat_map(|segment| segment.block.iter_mut()).collect(),
            Filling::Scalar { .. } => Vec::new(),
        });
        for atom in &mut atoms {
            match atom {
                Atom::Name { letters, width, .. } => *width = roomy(*letters),
                Atom::Decimal => *atom = Atom::Name { first: b'0'.into(), letters: 10, width: roomy(10) },
                Atom::Values(_) | Atom::Number(_) => {}
            }
        }
        (even != *self).then_some(even)
    }

    /// The values of all slots at a size, as bits. Slots beyond the pattern have their default.
    pub fn at(&self, size: u64, slots: &[Slot]) -> Vec<u64> {
        let mut values = Vec::with_capacity(slots.iter().map(|slot| slot.count).sum());
        for (slot, filling) in slots.iter().zip(&self.slots) {
            match filling {
                Filling::Scalar { per_size, base } => {
                    let wanted = i128::from(*per_size) * i128::from(size) + i128::from(*base);
                    let one = slot.literal_within(wanted);
                    values.extend(std::iter::repeat_n(one, slot.count));
                }
                Filling::List(list) => list.fill(slot, &mut values),
            }
        }
        values
    }

    /// How long the description is: short ones are easier to understand.
    pub fn length(&self) -> usize {
        self.slots.iter().map(Filling::length).sum()
    }
}

impl Slot {
    /// The allowed value nearest to this number.
    fn literal_within(&self, wanted: i128) -> u64 {
        let width = self.variable.width;
        let (least, most) = match self.number {
            Number::Signed => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            Number::Unsigned => (0, (1i128 << width) - 1),
            Number::Float => return self.variable.nearest(self.float_bits(wanted as f64)),
        };
        self.variable.nearest(wanted.clamp(least, most) as u64 & mask(width))
    }
}

impl Filling {
    fn length(&self) -> usize {
        match self {
            Filling::Scalar { per_size, base } => 1 + usize::from(*per_size != 0) + usize::from(*base != 0),
            Filling::List(list) => list.segments.iter().map(Segment::length).sum::<usize>() + list.slack.length(),
        }
    }
}

impl Slack {
    fn length(self) -> usize {
        usize::from(matches!(self, Slack::Pad(..)))
    }
}

impl Segment {
    /// One that is repeated as often as fits.
    pub fn shared(block: Vec<Atom>) -> Segment {
        Segment { block, times: Times::Share(1) }
    }

    /// These values once.
    pub fn once(values: &[i64]) -> Segment {
        Segment { block: vec![Atom::Values(values.to_vec())], times: Times::Fixed(1) }
    }

    fn length(&self) -> usize {
        let block: usize = self.block.iter().map(Atom::length).sum();
        block + if matches!(self.times, Times::Fixed(1)) { 0 } else { 2 }
    }

    /// Repetitions for this `k`.
    pub fn repetitions(&self, k: u64) -> u64 {
        match self.times {
            Times::Fixed(times) => times.into(),
            Times::Share(share) => k.saturating_mul(share.into()),
        }
    }

    /// How many values all repetitions have.
    fn values(&self, k: u64) -> u64 {
        let t = self.repetitions(k);
        self.block.iter().map(|atom| atom.values(t)).fold(0, u64::saturating_add)
    }
}

impl Atom {
    fn length(&self) -> usize {
        match self {
            Atom::Values(values) => values.len(),
            Atom::Number(Sequence::Straight { times, base, .. }) if *times <= 1 && *base <= 0 => 2,
            Atom::Number(_) => 4,
            Atom::Decimal | Atom::Name { .. } => 3,
        }
    }

    /// How many values `t` repetitions have.
    fn values(&self, t: u64) -> u64 {
        match self {
            Atom::Values(values) => t.saturating_mul(values.len() as u64),
            Atom::Number(_) => t,
            Atom::Decimal => decimal_digits(t),
            Atom::Name { letters, width, .. } => t.saturating_mul(name_width(t, *letters, *width)),
        }
    }
}

/// How many digits the numbers below `t` have together.
fn decimal_digits(t: u64) -> u64 {
    let (mut sum, mut from, mut digits) = (0u64, 0u64, 1u64);
    while from < t {
        let to = t.min(10u64.saturating_pow(digits as u32));
        sum = sum.saturating_add((to - from).saturating_mul(digits));
        (from, digits) = (to, digits + 1);
    }
    sum
}

/// How many letters tell `t` names apart, and no fewer than these.
fn name_width(t: u64, letters: u32, least: u32) -> u64 {
    let (mut width, mut names) = (1, u64::from(letters.max(2)));
    while names < t {
        names = names.saturating_mul(letters.max(2).into());
        width += 1;
    }
    width.max(least.into())
}

/// The greatest rank of all straight sequences, to which those of small ranges are scaled.
struct Scale {
    most: u64,
    room: u64,
}

impl Scale {
    fn rank(&self, number: i128) -> u64 {
        let number = number.max(0) as u128;
        let rank = match self.most > self.room {
            true => number * u128::from(self.room) / u128::from(self.most),
            false => number,
        };
        // Repetitions beyond the last whole one may go on above the greatest number.
        rank.min(self.room.into()) as u64
    }
}

/// The numbers from 0 to t - 1 with the greatest of every beginning in its middle.
fn middle(t: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..t).collect();
    for i in 0..numbers.len() {
        numbers.swap(i, i / 2);
    }
    numbers
}

impl List {
    /// One segment over and over.
    pub fn repeated(block: Vec<Atom>) -> List {
        List { segments: vec![Segment::shared(block)], slack: Slack::More(0) }
    }

    /// The greatest `k` for which everything fits, and how many values are left then.
    pub fn proportions(&self, count: u64) -> (u64, u64) {
        let total = |k: u64| self.segments.iter().map(|segment| segment.values(k)).fold(0, u64::saturating_add);
        let grows =
            self.segments.iter().any(|segment| matches!(segment.times, Times::Share(_)) && segment.values(1) > 0);
        if !grows || total(0) > count {
            return (0, count.saturating_sub(total(0)));
        }
        let (mut fits, mut not) = (0, count + 1);
        while not - fits > 1 {
            let middle = fits + (not - fits) / 2;
            if total(middle) <= count { fits = middle } else { not = middle }
        }
        (fits, count - total(fits))
    }

    /// Appends exactly as many values as the slot has. Where even the fixed segments do not fit, their beginning.
    fn fill(&self, slot: &Slot, values: &mut Vec<u64>) {
        let end = values.len() + slot.count;
        let (k, slack) = self.proportions(slot.count as u64);
        let scale = Scale { most: self.greatest(k), room: slot.room() };
        for (number, segment) in self.segments.iter().enumerate() {
            let t = segment.repetitions(k);
            let mut writer = Writer { slot, scale: &scale, t, values, middle: Vec::new() };
            for i in 0..t {
                writer.block(&segment.block, i);
            }
            match self.slack {
                Slack::More(at) if at as usize == number => {
                    let stop = writer.values.len() + slack as usize;
                    let mut i = t;
                    while writer.values.len() < stop && writer.block(&segment.block, i) {
                        i += 1;
                    }
                    writer.values.truncate(stop);
                }
                Slack::Pad(at, value) if at as usize == number => {
                    let pad = slot.literal(value);
                    writer.values.extend(std::iter::repeat_n(pad, slack as usize));
                }
                _ => {}
            }
        }
        // Only fixed segments, or none that the slack names.
        let rest = values.last().copied().unwrap_or_else(|| slot.literal(0));
        values.resize(end, rest);
    }

    fn greatest(&self, k: u64) -> u64 {
        let greatest = |segment: &Segment| {
            let t = segment.repetitions(k);
            let last = i128::from(t.saturating_sub(1));
            let of = move |atom: &Atom| match *atom {
                Atom::Number(Sequence::Straight { times, base, step }) => {
                    let first = i128::from(times) * i128::from(t) + i128::from(base);
                    first.max(first + i128::from(step) * last)
                }
                Atom::Number(Sequence::Middle) => last,
                _ => 0,
            };
            segment.block.iter().map(of).max().unwrap_or(0)
        };
        let most = self.segments.iter().map(greatest).max().unwrap_or(0);
        u64::try_from(most.max(0)).unwrap_or(u64::MAX)
    }
}

/// Writes the repetitions of one segment.
struct Writer<'a> {
    slot: &'a Slot,
    scale: &'a Scale,
    t: u64,
    values: &'a mut Vec<u64>,
    /// The numbers of [`Sequence::Middle`], once they are needed.
    middle: Vec<u64>,
}

impl Writer<'_> {
    /// One repetition. Returns whether it has any values.
    fn block(&mut self, block: &[Atom], i: u64) -> bool {
        let before = self.values.len();
        for atom in block {
            match *atom {
                Atom::Values(ref list) => {
                    for &value in list {
                        self.values.push(self.slot.literal(value));
                    }
                }
                Atom::Number(sequence) => {
                    let rank = self.rank(sequence, i);
                    self.values.push(self.slot.ranked(rank));
                }
                Atom::Decimal => {
                    for digit in i.to_string().bytes() {
                        self.values.push(self.slot.literal(digit.into()));
                    }
                }
                Atom::Name { first, letters, width } => {
                    let width = name_width(self.t, letters, width);
                    let letters = u64::from(letters.max(2));
                    let mut divisor = letters.saturating_pow(width as u32 - 1);
                    for _ in 0..width {
                        let letter = i / divisor % letters;
                        self.values.push(self.slot.literal(first + letter as i64));
                        divisor = (divisor / letters).max(1);
                    }
                }
            }
        }
        self.values.len() > before
    }

    fn rank(&mut self, sequence: Sequence, i: u64) -> u64 {
        match sequence {
            Sequence::Straight { times, base, step } => {
                let number =
                    i128::from(times) * i128::from(self.t) + i128::from(base) + i128::from(step) * i128::from(i);
                self.scale.rank(number)
            }
            Sequence::Middle => {
                if self.middle.is_empty() {
                    self.middle = middle(self.t);
                }
                let number = self.middle.get(i as usize).copied().unwrap_or(i);
                self.scale.rank(number.into())
            }
            Sequence::Modular { base, step, modulus } => {
                let all = u128::from(self.slot.room()) + 1;
                let modulus = if modulus == 0 { all } else { u128::from(modulus).min(all) };
                ((u128::from(base) + u128::from(step) * u128::from(i)) % modulus) as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::VariableId;

    fn bytes(count: usize) -> Slot {
        let variable = Variable::unlimited(VariableId(0), 8);
        Slot { count, scalar: false, text: true, number: Number::Unsigned, variable }
    }

    fn numbers(count: usize) -> Slot {
        let full = Variable::unlimited(VariableId(0), 32);
        let variable = Variable { signed: true, low: 1 << 31, high: (1 << 31) - 1, ..full };
        Slot { count, scalar: false, text: false, number: Number::Signed, variable }
    }

    fn text(list: &List, count: usize) -> String {
        let mut values = Vec::new();
        list.fill(&bytes(count), &mut values);
        assert_eq!(values.len(), count);
        String::from_utf8(values.iter().map(|&value| value as u8).collect()).unwrap()
    }

    fn list(list: &List, count: usize) -> Vec<u64> {
        let mut values = Vec::new();
        list.fill(&numbers(count), &mut values);
        assert_eq!(values.len(), count);
        values
    }

    fn literal(text: &str) -> Vec<Atom> {
        vec![Atom::Values(text.bytes().map(i64::from).collect())]
    }

    fn once(text: &str) -> Segment {
        Segment { block: literal(text), times: Times::Fixed(1) }
    }

    #[test]
    fn segments_share_what_the_fixed_ones_leave() {
        let nested = List {
            segments: vec![
                once("<"),
                Segment::shared(literal("(a+")),
                once("x"),
                Segment::shared(literal(")")),
                once(">"),
            ],
            slack: Slack::Pad(4, b' '.into()),
        };
        assert_eq!(text(&nested, 11), "<(a+(a+x))>");
        assert_eq!(text(&nested, 13), "<(a+(a+x))>  ");
        assert_eq!(text(&nested, 15), "<(a+(a+(a+x)))>");
        assert_eq!(text(&nested, 2), "<x", "only the fixed segments, cut");
        assert_eq!(text(&nested, 0), "");
        let weighted = List {
            segments: vec![
                Segment { block: literal("ab"), times: Times::Share(2) },
                Segment { block: literal("c"), times: Times::Share(1) },
            ],
            slack: Slack::More(1),
        };
        assert_eq!(text(&weighted, 10), "ababababcc");
        assert_eq!(text(&weighted, 13), "ababababccccc");
    }

    #[test]
    fn names_and_decimal_numbers_are_distinct() {
        let decimal = List::repeated(vec![Atom::Decimal, Atom::Values(vec![b','.into()])]);
        assert_eq!(text(&decimal, 25), "0,1,2,3,4,5,6,7,8,9,10,11");
        let name = Atom::Name { first: b'a'.into(), letters: 26, width: 1 };
        let names = List::repeated(vec![name, Atom::Values(vec![b';'.into()])]);
        assert_eq!(text(&names, 8), "a;b;c;d;");
        let many = text(&names, 90);
        assert!(many.starts_with("aa;ab;ac;") && many.ends_with("bc;bd;"), "{many}");
    }

    #[test]
    fn sequences_keep_their_order_in_small_ranges() {
        let organ = List {
            segments: vec![
                Segment::shared(vec![Atom::Number(Sequence::RISING)]),
                Segment::shared(vec![Atom::Number(Sequence::FALLING)]),
            ],
            slack: Slack::More(0),
        };
        assert_eq!(list(&organ, 6), [0, 1, 2, 2, 1, 0]);
        let mut values = Vec::new();
        let narrow = Slot { variable: Variable { low: 5, high: 7, ..numbers(6).variable }, ..numbers(6) };
        List::repeated(vec![Atom::Number(Sequence::FALLING)]).fill(&narrow, &mut values);
        assert_eq!(values, [7, 6, 6, 5, 5, 5]);
        let modular = Sequence::Modular { base: 1, step: 4, modulus: 10 };
        assert_eq!(list(&List::repeated(vec![Atom::Number(modular)]), 6), [1, 5, 9, 3, 7, 1]);
    }

    /// The pivot of every step is the greatest number of what is left.
    #[test]
    fn the_middle_is_the_greatest_of_every_beginning() {
        let mut numbers = middle(9);
        assert_eq!(numbers.iter().copied().collect::<std::collections::BTreeSet<u64>>().len(), 9);
        for length in (1..=9).rev() {
            let at = (length - 1) / 2;
            assert_eq!(numbers[at], length as u64 - 1);
            numbers.swap(at, length - 1);
        }
    }

    #[test]
    fn every_filling_stays_within_the_range() {
        let variable = Variable::unlimited(VariableId(0), 8).limited_to(&[(9, 10), (32, 126)]);
        let slot = Slot { variable: variable.clone(), ..bytes(300) };
        for block in [
            vec![Atom::Number(Sequence::RISING), Atom::Values(vec![0, 200])],
            vec![Atom::Number(Sequence::Modular { base: 3, step: 77, modulus: 0 })],
            vec![Atom::Decimal, Atom::Name { first: b'y'.into(), letters: 26, width: 1 }],
        ] {
            let mut values = Vec::new();
            List::repeated(block).fill(&slot, &mut values);
            assert!(values.iter().all(|&value| variable.permits(value)), "{values:?}");
        }
        let scalar = Pattern { slots: vec![Filling::Scalar { per_size: 3, base: -2 }] };
        assert_eq!(scalar.at(5, &[numbers(1)]), [13]);
        assert_eq!(scalar.at(1 << 40, &[numbers(1)]), [(1 << 31) - 1]);
        assert_eq!(scalar.at(60, &[Slot { count: 1, ..slot }]), [126]);
    }
}
