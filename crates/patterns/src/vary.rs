//! Generators made from others: one thing changed, or two of them crossed.

use crate::induce::{Palette, letters_like};
use crate::language::{Atom, Filling, List, Number, Pattern, Segment, Sequence, Slack, Slot, Times};
use pessimum_term::random::Random;

/// Longer ones explain nothing.
const MOST_SEGMENTS: usize = 7;
const MOST_VALUES: usize = 24;

/// A changed copy; now and then several things are changed at once.
pub(crate) fn mutated(pattern: &Pattern, slots: &[Slot], palettes: &[Palette], random: &mut Random) -> Pattern {
    let mut child = pattern.clone();
    let changes = 1 + usize::from(random.below(3) == 0) + usize::from(random.below(6) == 0);
    for _ in 0..changes {
        let at = random.index(child.slots.len());
        let (Some(slot), Some(palette)) = (slots.get(at), palettes.get(at)) else { continue };
        match &mut child.slots[at] {
            Filling::Scalar { per_size, base } => match random.below(4) {
                0 => *per_size = random.below(3) as i64,
                1 => *base += 1 - 2 * random.below(2) as i64,
                2 => *base = chosen(&palette.letters, random).copied().unwrap_or(0),
                _ => *base /= 2,
            },
            Filling::List(list) => change(list, slot, palette, random),
        }
    }
    child
}

/// Some slots of one and the others of the other; within a slot, the beginning of one and the end of the other.
pub(crate) fn crossed(one: &Pattern, other: &Pattern, random: &mut Random) -> Pattern {
    let mut child = one.clone();
    let cut = random.index(child.slots.len());
    for (at, (mine, theirs)) in child.slots.iter_mut().zip(&other.slots).enumerate() {
        match (at.cmp(&cut), &mut *mine, theirs) {
            (std::cmp::Ordering::Less, ..) => {}
            (std::cmp::Ordering::Equal, Filling::List(mine), Filling::List(theirs)) => {
                let kept = random.index(mine.segments.len() + 1);
                let taken = random.index(theirs.segments.len() + 1);
                let mut segments = mine.segments[..kept].to_vec();
                segments.extend_from_slice(&theirs.segments[theirs.segments.len() - taken..]);
                *mine = List { segments, slack: if random.below(2) == 0 { mine.slack } else { theirs.slack } };
                mend(mine);
            }
            (_, mine, theirs) => *mine = theirs.clone(),
        }
    }
    child
}

fn chosen<'l, T>(list: &'l [T], random: &mut Random) -> Option<&'l T> {
    // The first ones are the most frequent: they are chosen more often.
    let (one, other) = (random.index(list.len().max(1)), random.index(list.len().max(1)));
    list.get(one.min(other))
}

/// A new part of a block.
fn fresh(slot: &Slot, palette: &Palette, random: &mut Random) -> Atom {
    if slot.text {
        let letter = chosen(&palette.letters, random).copied().unwrap_or(97);
        return match random.below(6) {
            0 => Atom::Decimal,
            1 => letters_like(letter).unwrap_or(Atom::Name { first: b'a'.into(), letters: 26, width: 1 }),
            2 => Atom::Values(chosen(&palette.words, random).cloned().unwrap_or(vec![letter])),
            _ => Atom::Values(vec![letter]),
        };
    }
    match random.below(8) {
        0 | 1 => Atom::Values(vec![chosen(&palette.letters, random).copied().unwrap_or(0)]),
        2 => Atom::Number(Sequence::Modular {
            base: random.below(3),
            step: 1 << random.below(12),
            modulus: [0, 2, 3, 8, 64][random.index(5)],
        }),
        3 => Atom::Number(Sequence::Middle),
        _ => {
            let step = [1, 1, -1, -1, 2, -2][random.index(6)];
            let times = random.below(3) as i64;
            // A falling sequence starts high enough not to go below 0.
            let (times, base) = if step < 0 { (times.max(-step), -1) } else { (times, random.below(2) as i64) };
            Atom::Number(Sequence::Straight { times, base, step })
        }
    }
}

/// One change of a list.
fn change(list: &mut List, slot: &Slot, palette: &Palette, random: &mut Random) {
    let at = random.index(list.segments.len().max(1));
    match random.below(16) {
        // A value becomes another one.
        0..=3 => {
            if let Some(segment) = list.segments.get_mut(at) {
                replace_value(segment, slot, palette, random);
            }
        }
        // A value or a text is inserted.
        4 | 5 => {
            let atom = fresh(slot, palette, random);
            if let Some(segment) = list.segments.get_mut(at) {
                insert(segment, atom, random);
            }
        }
        // One is removed.
        6 | 7 => {
            if let Some(segment) = list.segments.get_mut(at) {
                remove(segment, random);
            }
        }
        // A segment is added.
        8 | 9 if list.segments.len() < MOST_SEGMENTS => {
            let times = match random.below(2) {
                0 => Times::Fixed(1),
                _ => Times::Share(1),
            };
            let place = random.index(list.segments.len() + 1);
            list.segments.insert(place, Segment { block: vec![fresh(slot, palette, random)], times });
        }
        10 => {
            if list.segments.len() > 1 {
                list.segments.remove(at);
            }
        }
        // How often a segment is repeated.
        11 | 12 => {
            if let Some(segment) = list.segments.get_mut(at) {
                segment.times = match (segment.times, random.below(3)) {
                    (Times::Fixed(_), 0) => Times::Share(1),
                    (Times::Fixed(times), 1) => Times::Fixed(times + 1),
                    (Times::Fixed(times), _) => Times::Fixed(times.saturating_sub(1).max(1)),
                    (Times::Share(share), 0) => Times::Share(share % 4 + 1),
                    (Times::Share(_), 1) => Times::Share(1),
                    (Times::Share(_), _) => Times::Fixed(1),
                };
            }
        }
        13 => {
            let other = random.index(list.segments.len().max(1));
            if !list.segments.is_empty() {
                list.segments.swap(at, other);
            }
        }
        // A copy of a segment at the end, as the closing part of what is nested.
        14 if list.segments.len() < MOST_SEGMENTS => {
            if let Some(segment) = list.segments.get(at).cloned() {
                let place = random.index(list.segments.len() + 1);
                list.segments.insert(place, segment);
            }
        }
        _ => {
            let place = random.index(list.segments.len().max(1)) as u32;
            list.slack = match random.below(2) {
                0 => Slack::More(place),
                _ => Slack::Pad(place, chosen(&palette.letters, random).copied().unwrap_or(0)),
            };
        }
    }
    mend(list);
}

/// Brings a list back to what lists are: something is shared, slack goes where a segment is, nothing is empty.
pub(crate) fn mend(list: &mut List) {
    for segment in &mut list.segments {
        segment.block.retain(|atom| !matches!(atom, Atom::Values(values) if values.is_empty()));
    }
    list.segments.retain(|segment| !segment.block.is_empty());
    // Neighbouring fixed segments are one.
    let mut merged: Vec<Segment> = Vec::new();
    for segment in std::mem::take(&mut list.segments) {
        match merged.last_mut() {
            Some(last) if last.times == Times::Fixed(1) && segment.times == Times::Fixed(1) => {
                last.block.extend(segment.block);
            }
            _ => merged.push(segment),
        }
    }
    for segment in &mut merged {
        join_values(&mut segment.block);
    }
    if merged.is_empty() {
        merged.push(Segment::shared(vec![Atom::Values(vec![0])]));
    }
    if !merged.iter().any(|segment| matches!(segment.times, Times::Share(_))) {
        let last = merged.len() - 1;
        merged[last / 2].times = Times::Share(1);
    }
    list.segments = merged;
    let most = list.segments.len() as u32 - 1;
    list.slack = match list.slack {
        Slack::More(at) if at <= most && matches!(list.segments[at as usize].times, Times::Share(_)) => Slack::More(at),
        Slack::Pad(at, value) => Slack::Pad(at.min(most), value),
        Slack::More(_) => {
            let shared = list.segments.iter().position(|segment| matches!(segment.times, Times::Share(_)));
            Slack::More(shared.unwrap_or(0) as u32)
        }
    };
}

fn join_values(block: &mut Vec<Atom>) {
    let mut joined: Vec<Atom> = Vec::new();
    for atom in std::mem::take(block) {
        match (joined.last_mut(), atom) {
            (Some(Atom::Values(before)), Atom::Values(values)) => before.extend(values),
            (_, atom) => joined.push(atom),
        }
    }
    *block = joined;
}

fn replace_value(segment: &mut Segment, slot: &Slot, palette: &Palette, random: &mut Random) {
    let at = random.index(segment.block.len().max(1));
    match segment.block.get_mut(at) {
        Some(Atom::Values(values)) if random.below(5) > 0 => {
            let place = random.index(values.len().max(1));
            if let (Some(value), Some(&letter)) = (values.get_mut(place), chosen(&palette.letters, random)) {
                *value = letter;
            }
        }
        // One value of several becomes a name or a sequence.
        Some(Atom::Values(values)) if values.len() > 1 => {
            let place = random.index(values.len());
            let (before, after) = (values[..place].to_vec(), values[place + 1..].to_vec());
            let atom = match letters_like(values[place]).filter(|_| slot.text && random.below(2) == 0) {
                Some(name) => name,
                None => fresh(slot, palette, random),
            };
            segment.block.splice(at..=at, [Atom::Values(before), atom, Atom::Values(after)]);
        }
        Some(atom) => *atom = fresh(slot, palette, random),
        None => {}
    }
}

fn insert(segment: &mut Segment, atom: Atom, random: &mut Random) {
    let values: usize =
        segment.block.iter().map(|atom| if let Atom::Values(values) = atom { values.len() } else { 1 }).sum();
    if values >= MOST_VALUES {
        return;
    }
    let at = random.index(segment.block.len().max(1));
    match (segment.block.get_mut(at), atom) {
        (Some(Atom::Values(values)), Atom::Values(new)) => {
            let place = random.index(values.len() + 1);
            values.splice(place..place, new);
        }
        (Some(Atom::Values(values)), atom) => {
            let place = random.index(values.len() + 1);
            let after = values.split_off(place);
            segment.block.splice(at + 1..at + 1, [atom, Atom::Values(after)]);
        }
        (_, atom) => {
            let place = random.index(segment.block.len() + 1);
            segment.block.insert(place, atom);
        }
    }
}

fn remove(segment: &mut Segment, random: &mut Random) {
    let atoms = segment.block.len();
    let at = random.index(atoms.max(1));
    match segment.block.get_mut(at) {
        Some(Atom::Values(values)) if values.len() > 1 => {
            let place = random.index(values.len());
            values.remove(place);
        }
        Some(_) if atoms > 1 => {
            segment.block.remove(at);
        }
        _ => {}
    }
}

/// Simpler ones that may be as good, each with one thing less.
pub(crate) fn simpler(pattern: &Pattern) -> Vec<Pattern> {
    let mut all = Vec::new();
    for (slot, filling) in pattern.slots.iter().enumerate() {
        let mut add = |filling: Filling| {
            let mut simpler = pattern.clone();
            simpler.slots[slot] = filling;
            if simpler.length() < pattern.length() {
                all.push(simpler);
            }
        };
        match filling {
            Filling::Scalar { per_size, base } => {
                add(Filling::Scalar { per_size: *per_size, base: 0 });
                add(Filling::Scalar { per_size: 0, base: *base });
            }
            Filling::List(list) => lists(list).into_iter().for_each(|list| add(Filling::List(list))),
        }
    }
    all
}

fn lists(list: &List) -> Vec<List> {
    let mut all = Vec::new();
    let mut add = |mut simpler: List| {
        mend(&mut simpler);
        all.push(simpler);
    };
    for (place, segment) in list.segments.iter().enumerate() {
        if list.segments.len() > 1 {
            let mut without = list.clone();
            without.segments.remove(place);
            // What is left over stays with the segment that had it.
            let moved = |at: u32| if at as usize > place { at - 1 } else { at };
            without.slack = match list.slack {
                Slack::More(at) => Slack::More(moved(at)),
                Slack::Pad(at, value) => Slack::Pad(moved(at), value),
            };
            add(without);
        }
        for (at, atom) in segment.block.iter().enumerate() {
            let mut with = |atoms: Vec<Atom>| {
                let mut simpler = list.clone();
                simpler.segments[place].block.splice(at..=at, atoms);
                add(simpler);
            };
            with(Vec::new());
            if let Atom::Values(values) = atom
                && values.len() > 1
            {
                with(vec![Atom::Values(values[..values.len() / 2].to_vec())]);
                with(vec![Atom::Values(values[values.len() / 2..].to_vec())]);
                for left_out in 0..values.len() {
                    let mut fewer = values.clone();
                    fewer.remove(left_out);
                    with(vec![Atom::Values(fewer)]);
                }
            }
            // A sequence that is like any other.
            if matches!(atom, Atom::Number(_)) {
                with(vec![Atom::Number(Sequence::RISING)]);
                with(vec![Atom::Number(Sequence::FALLING)]);
            }
        }
        if !matches!(segment.times, Times::Fixed(1) | Times::Share(1)) {
            let mut simpler = list.clone();
            simpler.segments[place].times = match segment.times {
                Times::Fixed(_) => Times::Fixed(1),
                Times::Share(_) => Times::Share(1),
            };
            add(simpler);
        }
        if matches!(segment.times, Times::Share(_)) && list.segments.len() > 1 {
            let mut simpler = list.clone();
            simpler.segments[place].times = Times::Fixed(1);
            add(simpler);
        }
    }
    if let Slack::Pad(at, _) = list.slack {
        add(List { slack: Slack::More(at), ..list.clone() });
    }
    all
}

/// Plain characters, for values that cannot be printed.
const PLAIN: &[u8] = b"ab0 x1.-";

/// The same with plainer values: characters that can be printed, the same ones in all texts, since texts are compared with
/// each other; and numbers no greater than their order needs.
pub(crate) fn plainer(pattern: &Pattern, slots: &[Slot]) -> Vec<Pattern> {
    let mut all = Vec::new();
    let lists = || {
        pattern.slots.iter().zip(slots).enumerate().filter_map(|(at, (filling, slot))| match filling {
            Filling::List(list) => Some((at, list, slot)),
            Filling::Scalar { .. } => None,
        })
    };
    let with = |changes: &dyn Fn(&Slot) -> bool, change: &dyn Fn(i64) -> i64| {
        let mut plainer = pattern.clone();
        for (filling, _) in plainer.slots.iter_mut().zip(slots).filter(|(_, slot)| changes(slot)) {
            if let Filling::List(list) = filling {
                replace_literals(list, change);
            }
        }
        plainer
    };
    let mut letters: Vec<i64> =
        lists().filter(|(.., slot)| slot.text).flat_map(|(_, list, _)| literals(list)).collect();
    letters.sort_unstable();
    letters.dedup();
    for &odd in letters.iter().filter(|letter| !matches!(**letter, 32..=126 | 9 | 10)) {
        let unused = PLAIN.iter().map(|&plain| i64::from(plain)).filter(|plain| !letters.contains(plain));
        all.extend(unused.map(|plain| with(&|slot| slot.text, &|old| if old == odd { plain } else { old })));
    }
    for (at, list, slot) in lists().filter(|(.., slot)| !slot.text && slot.number != Number::Float) {
        let mut values = literals(list);
        values.sort_by_key(|&value| slot.variable.order(slot.literal(value)));
        values.dedup();
        let ranks: Vec<i64> = (0..values.len() as i64).map(|rank| slot.value(slot.literal(rank))).collect();
        if ranks != values {
            let rank = |old: i64| values.iter().position(|&value| value == old).map_or(old, |rank| ranks[rank]);
            let mut list = list.clone();
            replace_literals(&mut list, &rank);
            let mut plainer = pattern.clone();
            plainer.slots[at] = Filling::List(list);
            all.push(plainer);
        }
    }
    all
}

fn literals(list: &List) -> Vec<i64> {
    let of = |atom: &Atom| if let Atom::Values(values) = atom { values.clone() } else { Vec::new() };
    let mut values: Vec<i64> = list.segments.iter().flat_map(|segment| &segment.block).flat_map(of).collect();
    if let Slack::Pad(_, value) = list.slack {
        values.push(value);
    }
    values
}

fn replace_literals(list: &mut List, change: &dyn Fn(i64) -> i64) {
    for atom in list.segments.iter_mut().flat_map(|segment| &mut segment.block) {
        if let Atom::Values(values) = atom {
            values.iter_mut().for_each(|value| *value = change(*value));
        }
    }
    if let Slack::Pad(_, value) = &mut list.slack {
        *value = change(*value);
    }
}
