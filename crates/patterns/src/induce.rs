//! Generators read off inputs that were found, and small ones enumerated.
//!
//! What is read off a list: its period, its monotone runs, also of every second value, and what can be pumped: a part of
//! it that is repeated at larger sizes while the rest stays, or two parts at the same time, as nesting needs them.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::{Atom, Filling, List, Pattern, Segment, Sequence, Slack, Slot, Times};

/// A costly input of a small size.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Its size.
    pub size: u64,
    /// The values of all slots, one after the other, as bits.
    pub values: Vec<u64>,
    /// What it costs.
    pub cost: u64,
}

/// What generators are made of.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// The most promising first.
    pub examples: Vec<Example>,
    /// Texts in the program.
    pub texts: Vec<Vec<u8>>,
}

/// The longest part that is pumped, alone and with another one.
const PUMPED: (usize, usize) = (6, 3);

/// Longer lists are not pumped everywhere.
const LONGEST: usize = 40;

/// As many examples are pumped in two places at once.
const DOUBLY: usize = 4;

/// The most values and texts of a slot that are combined with each other.
const LETTERS: usize = 20;
const WORDS: usize = 24;

/// Words of an example that are pumped in two places at once.
const TOKENS: usize = 12;

/// What a slot is varied with: values and texts that mean something to the program.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// Values, the most frequent first.
    pub letters: Vec<i64>,
    /// Texts.
    pub words: Vec<Vec<i64>>,
}

/// An example, cut into its slots.
pub struct Cut {
    /// The literals of each slot.
    pub lists: Vec<Vec<i64>>,
}

/// Cuts an example; none where it does not have as many values as the slots.
pub fn cut(example: &Example, slots: &[Slot]) -> Option<Cut> {
    let mut rest = &example.values[..];
    let mut lists = Vec::new();
    for slot in slots {
        let (own, others) = rest.split_at_checked(slot.count)?;
        lists.push(own.iter().map(|&bits| slot.value(bits)).collect());
        rest = others;
    }
    Some(Cut { lists })
}

/// The palette of a slot, from what the examples have there.
pub fn palette(slot: &Slot, lists: &[&[i64]], texts: &[Vec<u8>]) -> Palette {
    let mut frequency: BTreeMap<i64, usize> = BTreeMap::new();
    for (place, list) in lists.iter().enumerate() {
        for &value in *list {
            // What the costliest examples have counts most.
            *frequency.entry(value).or_default() += 1 + 20 / (1 + place);
        }
    }
    let mut words = Vec::new();
    if slot.text {
        let allowed = |text: &&Vec<u8>| text.iter().all(|&byte| slot.variable.permits(byte.into()));
        let text = |text: &Vec<u8>| text.iter().map(|&byte| i64::from(byte)).collect::<Vec<i64>>();
        words = texts.iter().filter(allowed).take(WORDS).map(text).collect();
        // Words of the examples, those that occur most first.
        let mut seen: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
        for list in lists {
            for (at, length) in tokens(list).into_iter().filter(|&(_, length)| (2..=12).contains(&length)) {
                *seen.entry(list[at..at + length].to_vec()).or_default() += 1;
            }
        }
        let mut often: Vec<(usize, Vec<i64>)> = seen.into_iter().map(|(word, times)| (times, word)).collect();
        often.sort_by_key(|(times, word)| (std::cmp::Reverse(*times), word.clone()));
        let found = often.into_iter().map(|(_, word)| word).take(WORDS / 2);
        words = found.chain(words).take(WORDS + WORDS / 2).collect();
        for byte in words.iter().flatten() {
            *frequency.entry(*byte).or_default() += 1;
        }
        for byte in [b'a', b' ', b'0', b'1', b'\n', b'(', b')', b'*'] {
            if slot.variable.permits(byte.into()) {
                frequency.entry(byte.into()).or_insert(0);
            }
        }
    } else {
        for value in [0, 1, -1, 2] {
            frequency.entry(slot.value(slot.literal(value))).or_insert(0);
        }
    }
    let mut letters: Vec<(usize, i64)> = frequency.into_iter().map(|(value, often)| (often, value)).collect();
    letters.sort_by_key(|&(often, value)| (std::cmp::Reverse(often), value));
    Palette { letters: letters.into_iter().map(|(_, value)| value).take(2 * LETTERS).collect(), words }
}

/// All generators that the material suggests, each once, in the order in which they are worth trying.
pub fn induced(material: &Material, slots_at: &dyn Fn(u64) -> Option<Vec<Slot>>, palettes: &[Palette]) -> Vec<Pattern> {
    let mut all = Collected::default();
    let cuts: Vec<(Vec<Slot>, Cut)> = material
        .examples
        .iter()
        .filter_map(|example| {
            let slots = slots_at(example.size)?;
            let cut = cut(example, &slots)?;
            Some((slots, cut))
        })
        .collect();
    for (place, (slots, cut)) in cuts.iter().enumerate() {
        from_example(slots, cut, palettes, place < DOUBLY, &mut all);
    }
    let Some((slots, first)) = cuts.first() else {
        return all.patterns;
    };
    // Enumeration: one slot has each small generator, the others what the costliest example suggests.
    let natural: Vec<Filling> = slots.iter().zip(&first.lists).map(|(slot, list)| natural(slot, list)).collect();
    let small: Vec<Vec<Filling>> =
        slots.iter().zip(palettes).map(|(slot, palette)| enumerated(slot, palette)).collect();
    for (slot, fillings) in small.iter().enumerate() {
        for filling in fillings {
            let mut pattern = Pattern { slots: natural.clone() };
            pattern.slots[slot] = filling.clone();
            all.add(pattern);
        }
    }
    if slots.len() > 1 {
        // The first few of each with the first few of the others: the same letters in all slots, say.
        let most = [0, 0, 40, 12, 6][slots.len().min(4)];
        let mut product: Vec<Vec<Filling>> = vec![Vec::new()];
        for fillings in &small {
            let with = |done: &Vec<Filling>| {
                let done = done.clone();
                fillings.iter().take(most).map(move |filling| [&done[..], std::slice::from_ref(filling)].concat())
            };
            product = product.iter().take(2000).flat_map(with).collect();
        }
        product.into_iter().for_each(|slots| all.add(Pattern { slots }));
    }
    all.patterns
}

/// Patterns in the order in which they came, each once.
#[derive(Default)]
struct Collected {
    patterns: Vec<Pattern>,
    known: BTreeSet<Pattern>,
}

impl Collected {
    fn add(&mut self, pattern: Pattern) {
        if self.known.insert(pattern.clone()) {
            self.patterns.push(pattern);
        }
    }
}

/// What an example suggests: each slot extended in every way, the others as seems natural.
fn from_example(slots: &[Slot], cut: &Cut, palettes: &[Palette], doubly: bool, all: &mut Collected) {
    let natural: Vec<Filling> = slots.iter().zip(&cut.lists).map(|(slot, list)| natural(slot, list)).collect();
    all.add(Pattern { slots: natural.clone() });
    for (place, (slot, list)) in slots.iter().zip(&cut.lists).enumerate() {
        let fillings = match slot.scalar {
            true => scalars(list.first().copied().unwrap_or(0)),
            false => extended(slot, list, palettes.get(place), doubly),
        };
        for filling in fillings {
            let mut pattern = Pattern { slots: natural.clone() };
            pattern.slots[place] = filling;
            all.add(pattern);
        }
    }
}

/// Numbers that may grow with the size.
fn scalars(found: i64) -> Vec<Filling> {
    let number = |per_size, base| Filling::Scalar { per_size, base };
    vec![number(0, found), number(1, 0), number(1, -1), number(1, 1), number(2, 0), number(0, 0), number(0, 1)]
}

/// The most obvious extension of a slot.
fn natural(slot: &Slot, list: &[i64]) -> Filling {
    if slot.scalar {
        return Filling::Scalar { per_size: 0, base: list.first().copied().unwrap_or(0) };
    }
    if let Some(runs) = monotone(slot, list) {
        return Filling::List(runs);
    }
    if let Some(period) = period(list) {
        return Filling::List(List::repeated(vec![Atom::Values(list[..period].to_vec())]));
    }
    // The part that is repeated most is repeated more.
    let best = (1..=PUMPED.0.min(list.len() / 2))
        .flat_map(|length| (0..=list.len() - length).map(move |at| (at, length)))
        .max_by_key(|&(at, length)| (repeats(list, at, length) * length, std::cmp::Reverse((length, at))));
    match best {
        Some((at, length)) => Filling::List(pumped(list, at, length)),
        None => Filling::List(List::repeated(vec![Atom::Values(list.to_vec())])),
    }
}

/// How often the part is repeated from its place on; 0 if only once.
fn repeats(list: &[i64], at: usize, length: usize) -> usize {
    let part = &list[at..at + length];
    list[at + length..].chunks_exact(length).take_while(|chunk| *chunk == part).count()
}

/// The length of the shortest part that makes up the whole list, at least twice.
fn period(list: &[i64]) -> Option<usize> {
    (1..=list.len() / 2).find(|&period| (period..list.len()).all(|i| list[i] == list[i - period]))
}

/// Every way to extend a list.
fn extended(slot: &Slot, list: &[i64], palette: Option<&Palette>, doubly: bool) -> Vec<Filling> {
    let mut lists: Vec<List> = Vec::new();
    if list.is_empty() {
        return Vec::new();
    }
    lists.push(List::repeated(vec![Atom::Values(list[..list.len().min(LONGEST)].to_vec())]));
    lists.extend(period(list).map(|period| List::repeated(vec![Atom::Values(list[..period].to_vec())])));
    if !slot.text {
        lists.extend(monotone(slot, list));
        lists.extend(differences(list));
    }
    let list = &list[..list.len().min(LONGEST)];
    let parts = |longest: usize| {
        (1..=longest).flat_map(move |length| (0..(list.len() + 1).saturating_sub(length)).map(move |at| (at, length)))
    };
    for (at, length) in parts(PUMPED.0) {
        let plain = pumped(list, at, length);
        let place = plain.segments.iter().position(|segment| matches!(segment.times, Times::Share(_)));
        if let Some(place) = place.filter(|_| length <= 4) {
            lists.extend(distinct(slot, &plain, place));
        }
        lists.push(plain);
    }
    if doubly && list.len() <= 24 {
        for one in parts(PUMPED.1) {
            for other in parts(PUMPED.1).filter(|other| other.0 >= one.0 + one.1) {
                lists.push(doubly_pumped(list, one, other));
            }
        }
    }
    if slot.text {
        let tokens = tokens(list);
        for (number, &one) in tokens.iter().enumerate().take(TOKENS) {
            if one.1 > PUMPED.1 {
                lists.push(pumped(list, one.0, one.1));
            }
            for &other in tokens[number + 1..].iter().take(TOKENS) {
                lists.push(doubly_pumped(list, one, other));
                // One after the other, without anything else.
                let word = |token: (usize, usize)| Atom::Values(list[token.0..token.0 + token.1].to_vec());
                let both = vec![Segment::shared(vec![word(one)]), Segment::shared(vec![word(other)])];
                lists.push(List { segments: both, slack: Slack::More(1) });
            }
        }
    }
    // What is left over may also be anything plain after everything else.
    if let Some(&pad) = palette.and_then(|palette| palette.letters.first()) {
        let padded = |list: &List| List { slack: Slack::Pad(list.segments.len() as u32 - 1, pad), ..list.clone() };
        let more: Vec<List> = lists.iter().take(8).map(padded).collect();
        lists.extend(more);
    }
    lists.into_iter().map(Filling::List).collect()
}

/// The part is repeated as often as fits; what comes before and after it stays, without repetitions of the part.
fn pumped(list: &[i64], at: usize, length: usize) -> List {
    let part = &list[at..at + length];
    let (before, after) = around(list, at, length);
    let mut segments = Vec::new();
    if !before.is_empty() {
        segments.push(Segment::once(before));
    }
    segments.push(Segment::shared(vec![Atom::Values(part.to_vec())]));
    let slack = Slack::More(segments.len() as u32 - 1);
    if !after.is_empty() {
        segments.push(Segment::once(after));
    }
    List { segments, slack }
}

/// What is before and after all repetitions of the part around this place.
fn around(list: &[i64], at: usize, length: usize) -> (&[i64], &[i64]) {
    let part = &list[at..at + length];
    let (mut from, mut to) = (at, at + length);
    while from >= length && &list[from - length..from] == part {
        from -= length;
    }
    while list.len() - to >= length && &list[to..to + length] == part {
        to += length;
    }
    (&list[..from], &list[to..])
}

/// Two parts are repeated equally often.
fn doubly_pumped(list: &[i64], one: (usize, usize), other: (usize, usize)) -> List {
    let (before, _) = around(list, one.0, one.1);
    let (_, after) = around(list, other.0, other.1);
    let (first, second) = (&list[one.0..one.0 + one.1], &list[other.0..other.0 + other.1]);
    let mut between = &list[one.0 + one.1..other.0];
    while between.len() >= first.len() && &between[..first.len()] == first {
        between = &between[first.len()..];
    }
    while between.len() >= second.len() && &between[between.len() - second.len()..] == second {
        between = &between[..between.len() - second.len()];
    }
    let mut segments = Vec::new();
    let fixed = |values: &[i64], segments: &mut Vec<Segment>| {
        if !values.is_empty() {
            segments.push(Segment::once(values));
        }
    };
    fixed(before, &mut segments);
    let slack = Slack::More(segments.len() as u32);
    segments.push(Segment::shared(vec![Atom::Values(first.to_vec())]));
    fixed(between, &mut segments);
    segments.push(Segment::shared(vec![Atom::Values(second.to_vec())]));
    fixed(after, &mut segments);
    List { segments, slack }
}

/// The words of a text: letters and digits together with the other characters that follow them, and what is longer than a
/// word only if it ends with a separator. Each is a place and a length.
fn tokens(list: &[i64]) -> Vec<(usize, usize)> {
    let is_letter = |value: i64| u8::try_from(value).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut tokens = Vec::new();
    let mut from = 0;
    for at in 0..list.len() {
        let ends = !is_letter(list[at]) || at + 1 == list.len();
        if ends {
            tokens.push((from, at + 1 - from));
            from = at + 1;
        }
    }
    tokens
}

/// The letters that one of them stands for: those of its kind.
pub fn letters_like(value: i64) -> Option<Atom> {
    match u8::try_from(value).ok()? {
        b'a'..=b'z' => Some(Atom::Name { first: b'a'.into(), letters: 26, width: 1 }),
        b'A'..=b'Z' => Some(Atom::Name { first: b'A'.into(), letters: 26, width: 1 }),
        b'0'..=b'9' => Some(Atom::Name { first: b'0'.into(), letters: 10, width: 1 }),
        _ => None,
    }
}

/// The segment with one value replaced by names, numbers or sequences that differ from one repetition to the next.
fn distinct(slot: &Slot, plain: &List, place: usize) -> Vec<List> {
    let [Atom::Values(block)] = &plain.segments[place].block[..] else { return Vec::new() };
    let mut lists = Vec::new();
    for at in 0..block.len() {
        let atoms: Vec<Atom> = match slot.text {
            true => match letters_like(block[at]) {
                Some(name) => vec![name, Atom::Decimal],
                None => continue,
            },
            false => vec![Atom::Number(Sequence::RISING), Atom::Number(Sequence::FALLING)],
        };
        for atom in atoms {
            let mut list = plain.clone();
            let parts = [Atom::Values(block[..at].to_vec()), atom, Atom::Values(block[at + 1..].to_vec())];
            list.segments[place].block =
                parts.into_iter().filter(|atom| !matches!(atom, Atom::Values(values) if values.is_empty())).collect();
            lists.push(list);
        }
    }
    lists
}

/// How a slot sorts its values.
fn key(slot: &Slot, value: i64) -> u64 {
    slot.variable.order(slot.literal(value))
}

/// The list as a few monotone runs in the same proportions, or as two sequences that take turns; none where it is
/// neither.
fn monotone(slot: &Slot, list: &[i64]) -> Option<List> {
    if slot.text || list.len() < 4 {
        return None;
    }
    let ordered: Vec<u64> = list.iter().map(|&value| key(slot, value)).collect();
    let runs = runs(&ordered);
    if runs.len() <= 3 {
        let segments = runs.iter().map(|&(length, rising)| {
            let sequence = if rising { Sequence::RISING } else { Sequence::FALLING };
            let share = (length * 4).div_ceil(list.len()).max(1) as u32;
            Segment { block: vec![Atom::Number(sequence)], times: Times::Share(share) }
        });
        return Some(List { segments: segments.collect(), slack: Slack::More(0) });
    }
    let every_second = |from: usize| ordered[from..].iter().copied().step_by(2).collect::<Vec<u64>>();
    let halves = [every_second(0), every_second(1)];
    let directions: Vec<bool> = halves.iter().filter_map(|half| direction(half)).collect();
    let [one, other] = directions[..] else { return None };
    let sequence = |rising: bool, above: bool| match (rising, above) {
        (true, false) => Sequence::RISING,
        (false, false) => Sequence::FALLING,
        (true, true) => Sequence::Straight { times: 1, base: 0, step: 1 },
        (false, true) => Sequence::Straight { times: 2, base: -1, step: -1 },
    };
    let above = halves[0].iter().min() > halves[1].iter().max();
    let below = halves[0].iter().max() < halves[1].iter().min();
    Some(List::repeated(vec![Atom::Number(sequence(one, above)), Atom::Number(sequence(other, below))]))
}

fn direction(keys: &[u64]) -> Option<bool> {
    if keys.len() < 2 {
        return None;
    }
    match keys.is_sorted() {
        true => Some(true),
        false => keys.is_sorted_by(|one, other| one >= other).then_some(false),
    }
}

/// The lengths of the maximal monotone runs, and whether they rise.
fn runs(keys: &[u64]) -> Vec<(usize, bool)> {
    let mut runs: Vec<(usize, bool)> = Vec::new();
    let mut from = 0;
    while from < keys.len() {
        let rest = &keys[from..];
        let rising = rest.windows(2).take_while(|pair| pair[0] <= pair[1]).count() + 1;
        let falling = rest.windows(2).take_while(|pair| pair[0] >= pair[1]).count() + 1;
        runs.push((rising.max(falling), rising >= falling));
        from += rising.max(falling);
    }
    runs
}

/// Arithmetic sequences: all differences are multiples of one number, such as the size of a table.
fn differences(list: &[i64]) -> Vec<List> {
    let steps = list.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]).unsigned_abs());
    let divisor = steps.filter(|&step| step > 0).fold(0, gcd);
    if divisor < 2 {
        return Vec::new();
    }
    let base = list.iter().copied().min().unwrap_or(0).rem_euclid(i64::try_from(divisor).unwrap_or(i64::MAX)) as u64;
    let sequence = |modulus| Sequence::Modular { base, step: divisor, modulus };
    [0, divisor.saturating_mul(8)].map(|modulus| List::repeated(vec![Atom::Number(sequence(modulus))])).to_vec()
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// Small generators over the palette, the plainest first.
pub fn enumerated(slot: &Slot, palette: &Palette) -> Vec<Filling> {
    if slot.scalar {
        return scalars(palette.letters.first().copied().unwrap_or(0));
    }
    let mut lists = if slot.text { texts(palette) } else { Vec::new() };
    // Bytes may be numbers, too.
    lists.extend(numbers(palette));
    lists.into_iter().map(Filling::List).collect()
}

fn texts(palette: &Palette) -> Vec<List> {
    let letters: Vec<Vec<i64>> = palette.letters.iter().take(LETTERS).map(|&letter| vec![letter]).collect();
    let units: Vec<&Vec<i64>> = letters.iter().chain(&palette.words).collect();
    let values = |unit: &[i64]| Atom::Values(unit.to_vec());
    let mut lists: Vec<List> = units.iter().map(|unit| List::repeated(vec![values(unit)])).collect();
    let pairs = |units: &[Vec<i64>], lists: &mut Vec<List>| {
        for one in units {
            for other in units.iter().filter(|other| *other != one) {
                let segments = vec![Segment::shared(vec![values(one)]), Segment::shared(vec![values(other)])];
                lists.push(List { segments, slack: Slack::More(1) });
            }
        }
    };
    pairs(&letters, &mut lists);
    pairs(&palette.words[..palette.words.len().min(WORDS / 2)], &mut lists);
    let names = [
        Atom::Name { first: b'a'.into(), letters: 26, width: 1 },
        Atom::Decimal,
        Atom::Name { first: b'0'.into(), letters: 10, width: 1 },
        Atom::Name { first: b'A'.into(), letters: 26, width: 1 },
    ];
    for name in &names {
        for unit in &units {
            lists.push(List::repeated(vec![name.clone(), values(unit)]));
        }
    }
    for unit in &palette.words {
        for letter in &letters {
            lists.push(List::repeated(vec![values(unit), values(letter)]));
            lists.push(List::repeated(vec![values(unit), names[0].clone(), values(letter)]));
        }
    }
    for one in &letters {
        for other in letters.iter().filter(|other| *other != one) {
            lists.push(List::repeated(vec![Atom::Values([&one[..], other].concat())]));
        }
    }
    for name in &names[..2] {
        for one in &letters {
            for other in &letters {
                lists.push(List::repeated(vec![values(one), name.clone(), values(other)]));
            }
        }
    }
    lists
}

/// Multiples of these fall into the same place of tables of common sizes.
const STRIDES: [u64; 9] = [8, 16, 64, 100, 256, 1000, 1024, 4096, 65536];

fn numbers(palette: &Palette) -> Vec<List> {
    let number = |times, base, step| Atom::Number(Sequence::Straight { times, base, step });
    let (rising, falling) = (Atom::Number(Sequence::RISING), Atom::Number(Sequence::FALLING));
    let (above, down) = (number(1, 0, 1), number(2, -1, -1));
    let repeated = |atoms: &[&Atom]| List::repeated(atoms.iter().map(|&atom| atom.clone()).collect());
    let both = |one: &Atom, other: &Atom| List {
        segments: vec![Segment::shared(vec![one.clone()]), Segment::shared(vec![other.clone()])],
        slack: Slack::More(0),
    };
    let mut lists = vec![
        repeated(&[&rising]),
        repeated(&[&falling]),
        both(&rising, &falling),
        both(&falling, &rising),
        repeated(&[&rising, &falling]),
        repeated(&[&falling, &rising]),
        repeated(&[&rising, &down]),
        repeated(&[&down, &rising]),
        repeated(&[&rising, &above]),
        repeated(&[&above, &rising]),
        repeated(&[&falling, &above]),
        both(&rising, &rising),
        both(&falling, &falling),
        both(&above, &rising),
        both(&rising, &above),
        both(&down, &falling),
        both(&rising, &down),
        both(&above, &falling),
        List::repeated(vec![Atom::Number(Sequence::Middle)]),
    ];
    // The killer of the median of three (Musser, "Introspective sorting and selection algorithms", section 3).
    lists.push(List {
        segments: vec![
            Segment::shared(vec![number(0, 1, 2), number(2, 1, 2)]),
            Segment { block: vec![number(0, 2, 2)], times: Times::Share(2) },
        ],
        slack: Slack::More(1),
    });
    for &letter in palette.letters.iter().take(LETTERS) {
        lists.push(List::repeated(vec![Atom::Values(vec![letter])]));
    }
    let modular = |base, step, modulus| List::repeated(vec![Atom::Number(Sequence::Modular { base, step, modulus })]);
    // Distinct numbers in no order: multiples of the golden ratio's share of 2^32.
    lists.push(modular(0, 2_654_435_761, 1 << 32));
    lists.extend(STRIDES.map(|step| modular(0, step, 0)));
    lists.extend([2, 3, 4, 8, 16].map(|modulus| modular(0, 1, modulus)));
    for &one in palette.letters.iter().take(LETTERS / 2) {
        for &other in palette.letters.iter().take(LETTERS / 2).filter(|&&other| other != one) {
            lists.push(List::repeated(vec![Atom::Values(vec![one, other])]));
            lists.push(both(&Atom::Values(vec![one]), &Atom::Values(vec![other])));
        }
        lists.push(repeated(&[&rising, &Atom::Values(vec![one])]));
        for order in [&rising, &falling] {
            let mut list = repeated(&[order]);
            list.segments.insert(0, Segment::once(&[one]));
            list.slack = Slack::More(1);
            lists.push(list);
            let mut list = repeated(&[order]);
            list.segments.push(Segment::once(&[one]));
            lists.push(list);
        }
    }
    lists
}
