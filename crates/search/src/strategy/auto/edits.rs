//! Changes to a text or an array that keep what it is made of and change where and how often: insert, delete, repeat,
//! change proportions, take from elsewhere. The size is fixed, so what is inserted in one place pushes something out in
//! another.

use super::inputs::Inputs;
use crate::random::Random;
use crate::strategy::ga::mutation::within;
use std::ops::Range;

/// What is changed. Which of these pays depends on the program: keys of a hash table want other values, texts want other
/// patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Values and orders, as the genetic search changes them or, as often, one record drawn anew and nothing else: where
    /// each of many has to fall into place by chance, a second change mostly undoes what was reached.
    Values,
    /// Where things are and how often.
    Rows,
    /// Either, more than once.
    Both,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 3] = [Mode::Values, Mode::Rows, Mode::Both];
}

/// Most neighbours that are drawn anew together: as many bytes as a key or a number has.
const RECORD: usize = 8;

/// Most copies that are made of a few values at once.
const COPIES: usize = 8;

/// Most places that are compared with each other.
const PLACES: usize = 1024;

/// Changes the values of an input at least once, with even odds again, and so on. `mate` are the values of another
/// input. Values stay in the ranges of their variables.
pub fn edit(inputs: &Inputs, mode: Mode, mate: &[u64], values: &mut [u64], random: &mut Random) {
    if values.is_empty() {
        return;
    }
    loop {
        let index = random.index(values.len());
        let row = inputs.genome.row_of(index);
        let values_only = match mode {
            Mode::Values if random.coin() => return draw_anew(inputs, values, index..row.end, random),
            Mode::Values => true,
            Mode::Rows => false,
            Mode::Both => random.coin(),
        };
        if row.len() < 2 || values_only {
            inputs.genome.mutate(random, values);
        } else {
            edit_row(inputs, mate, values, row, random);
        }
        // The genetic search stacks changes itself.
        if mode == Mode::Values || random.coin() {
            return;
        }
    }
}

/// Draws the first values of a part anew: one of them or, as often, a few.
fn draw_anew(inputs: &Inputs, values: &mut [u64], part: Range<usize>, random: &mut Random) {
    let count = if random.coin() { 1 } else { 1 + random.index(part.len().min(RECORD)) };
    let variables = &inputs.genome.variables()[part.start..];
    for (value, variable) in values[part.start..].iter_mut().zip(variables).take(count) {
        *value = random.value(variable);
    }
}

/// A part of a row that is edited: all of it or, as often, only up to or only from somewhere. A text may consist of
/// parts with lives of their own.
fn window(row: Range<usize>, random: &mut Random) -> Range<usize> {
    let cut = row.start + random.index(row.len());
    match random.below(4) {
        0 if cut - row.start >= 2 => row.start..cut,
        1 if row.end - cut >= 2 => cut..row.end,
        _ => row,
    }
}

/// A length from 1 to `most`: short ones are by far the most frequent, long ones occur.
fn short(random: &mut Random, most: usize) -> usize {
    if random.below(4) == 0 {
        return 1 + random.index(most);
    }
    let mut length = 1;
    while length < most && random.coin() {
        length += 1;
    }
    length
}

/// Makes one change to a row of at least two values.
fn edit_row(inputs: &Inputs, mate: &[u64], values: &mut [u64], row: Range<usize>, random: &mut Random) {
    let part = window(row.clone(), random);
    match random.below(12) {
        0 => insert(mate, values, part, row, random),
        1 => delete(values, part, random),
        2 | 3 => tile(values, part, row, random),
        4 => proportion(values, part, random),
        5 => splice(inputs, mate, values, row, random),
        6 => write_token(inputs, values, row, random),
        7 => {
            let constant = inputs.constants.get(random.index(inputs.constants.len().max(1))).copied().unwrap_or(0);
            fill(inputs, values, part, constant, random);
        }
        8 => transplant(mate, values, row, random),
        9 | 10 => duplicate(inputs, values, part, random),
        _ => make_distinct(inputs, values, part, random),
    }
}

/// Inserts a copy of a few values of the row, or of this row of the mate, into the part.
fn insert(mate: &[u64], values: &mut [u64], part: Range<usize>, row: Range<usize>, random: &mut Random) {
    let length = short(random, part.len() / 2);
    let from = row.start + random.index(row.len() - length + 1);
    let source = if random.coin() && mate.len() == values.len() { mate } else { &*values };
    let copy = source[from..from + length].to_vec();
    let at = place(values, &(part.start..part.end - length + 1), random);
    let at = make_room(values, &part, at, length, random);
    values[at..at + length].copy_from_slice(&copy);
}

/// A place in a part: each pair of a value and the one before as often as any other. In a text that is mostly one
/// repetition, what is not part of it has as good a chance as what is.
fn place(values: &[u64], part: &Range<usize>, random: &mut Random) -> usize {
    let first = part.start + random.index(part.len().saturating_sub(PLACES) + 1);
    let pair = |at: usize| (at.checked_sub(1).map(|before| values[before]), values[at]);
    let mut places: Vec<usize> = (first..part.end.min(first + PLACES)).collect();
    places.sort_by_key(|&at| pair(at));
    let alike: Vec<&[usize]> = places.chunk_by(|&one, &next| pair(one) == pair(next)).collect();
    let alike = alike[random.index(alike.len())];
    alike[random.index(alike.len())]
}

/// Makes room for `length` values before the one at `at`: as many are lost at the end of the part or, as often, in a
/// place drawn by [`place`], and what is between moves. Returns where the room is.
fn make_room(values: &mut [u64], part: &Range<usize>, at: usize, length: usize, random: &mut Random) -> usize {
    let last = part.end - length;
    let lost = if random.coin() { last } else { place(values, &(part.start..last + 1), random) };
    if lost >= at {
        values.copy_within(at..lost, at + length);
        return at;
    }
    let to = at.saturating_sub(length).max(lost);
    values.copy_within(lost + length..to + length, lost);
    to
}

/// Repeats a few values where they are, once or more, and with even odds changes one of them: lists grow by an entry that
/// differs from the one before.
fn duplicate(inputs: &Inputs, values: &mut [u64], part: Range<usize>, random: &mut Random) {
    let mut at = place(values, &part, random);
    let length = short(random, (part.len() / 2).min(part.end - at));
    let unit = values[at..at + length].to_vec();
    for _ in 0..short(random, COPIES.min(part.len() / length)) {
        at = make_room(values, &part, at, length, random);
        values[at..at + length].copy_from_slice(&unit);
        if random.coin() {
            let index = at + random.index(length);
            values[index] = random.value(&inputs.genome.variables()[index]);
        }
    }
}

/// Deletes a few values; the rest of the part moves up, and its end repeats what is there or receives what was deleted.
fn delete(values: &mut [u64], part: Range<usize>, random: &mut Random) {
    let length = short(random, part.len() / 2);
    let at = part.start + random.index(part.len() - length + 1);
    let moves = random.coin();
    values[at..part.end].rotate_left(length);
    if !moves {
        // The end repeats the values before it.
        for index in part.end - length..part.end {
            values[index] = values[index - length];
        }
    }
}

/// Repeats a short unit of the row through the part: a prefix, the unit again and again, a suffix.
fn tile(values: &mut [u64], part: Range<usize>, row: Range<usize>, random: &mut Random) {
    let length = short(random, part.len());
    let from = row.start + random.index(row.len() - length + 1);
    let unit = values[from..from + length].to_vec();
    for (place, index) in part.enumerate() {
        values[index] = unit[place % length];
    }
}

/// Deletes a few values in one place of the part and duplicates as many in another: in `A^i B^j`, `i` grows by what `j`
/// loses.
fn proportion(values: &mut [u64], part: Range<usize>, random: &mut Random) {
    let length = short(random, part.len() / 2);
    let last = part.len() - length;
    let (lost, doubled) = (part.start + random.index(last + 1), part.start + random.index(last + 1));
    let copy = values[doubled..doubled + length].to_vec();
    if lost >= doubled {
        values.copy_within(doubled..lost, doubled + length);
        values[doubled..doubled + length].copy_from_slice(&copy);
    } else {
        values.copy_within(lost + length..doubled + length, lost);
        values[doubled..doubled + length].copy_from_slice(&copy);
    }
}

/// Takes values of another input, or of a like row of the same one, here or elsewhere in the row.
fn splice(inputs: &Inputs, mate: &[u64], values: &mut [u64], row: Range<usize>, random: &mut Random) {
    let own = values.to_vec();
    let other = if random.coin() && mate.len() == values.len() { mate } else { own.as_slice() };
    let alike = |one: &Range<usize>| {
        let variables = inputs.genome.variables();
        variables[one.start].is_like(&variables[row.start])
    };
    let sources: Vec<&Range<usize>> = inputs.genome.rows().iter().filter(|one| alike(one)).collect();
    let source = if random.coin() { row.clone() } else { sources[random.index(sources.len())].clone() };
    let length = if random.coin() { short(random, source.len().min(row.len())) } else { source.len().min(row.len()) };
    let offset = random.index(source.len() - length + 1);
    let same_place = random.coin() && offset + length <= row.len();
    let to = row.start + if same_place { offset } else { random.index(row.len() - length + 1) };
    values[to..to + length].copy_from_slice(&other[source.start + offset..source.start + offset + length]);
}

/// Copies a piece of this row or of the mate's to another place, where it is inserted or takes the place of others: all
/// these pieces end in the same value. Texts are made of pieces that end alike, in a new line, a comma, a bracket. What
/// does not fit is lost at the end; what is missing there repeats what is before it.
fn transplant(mate: &[u64], values: &mut [u64], row: Range<usize>, random: &mut Random) {
    let own = values[row.clone()].to_vec();
    let donor = if random.coin() && mate.len() == values.len() { &mate[row.clone()] } else { own.as_slice() };
    // Each value as often as any other: what ends the longest pieces is rare.
    let mut endings = donor.to_vec();
    endings.sort_unstable();
    endings.dedup();
    let ending = endings[random.index(endings.len())];
    let joints =
        |text: &[u64]| (0..=text.len()).filter(|&at| at == 0 || text[at - 1] == ending).collect::<Vec<usize>>();
    let (from, to) = (joints(donor), joints(&own));
    let first = random.index(from.len() - 1);
    let piece = from[first]..from[first + short(random, from.len() - 1 - first)];
    let first = random.index(to.len());
    let replaced = if random.coin() { 0 } else { short(random, to.len()).min(to.len() - 1 - first) };
    let gap = to[first]..to[first + replaced];
    let mut child: Vec<u64> = [&own[..gap.start], &donor[piece], &own[gap.end..]].concat();
    let period = short(random, child.len());
    while child.len() < row.len() {
        child.push(child[child.len() - period]);
    }
    values[row.clone()].copy_from_slice(&child[..row.len()]);
}

/// Writes a token that the program compared its input with, or a text of the program, in place or by insertion.
fn write_token(inputs: &Inputs, values: &mut [u64], row: Range<usize>, random: &mut Random) {
    let Some(token) = inputs.word(random) else { return };
    let length = token.len().min(row.len());
    let at = row.start + random.index(row.len() - length + 1);
    if random.coin() {
        values.copy_within(at..row.end - length, at + length);
    }
    for (index, &value) in (at..at + length).zip(token) {
        values[index] = within(&inputs.genome.variables()[index], value);
    }
}

/// Sets a few neighbours to a constant that the program compares with.
fn fill(inputs: &Inputs, values: &mut [u64], part: Range<usize>, constant: u64, random: &mut Random) {
    let length = short(random, part.len());
    let at = part.start + random.index(part.len() - length + 1);
    for (value, variable) in values[at..at + length].iter_mut().zip(&inputs.genome.variables()[at..]) {
        *value = within(variable, constant);
    }
}

/// Takes the part as records of a few values, copies the first record over the others, and counts in one column or two,
/// so that all are distinct and alike otherwise.
fn make_distinct(inputs: &Inputs, values: &mut [u64], part: Range<usize>, random: &mut Random) {
    let width = short(random, part.len());
    let copies = random.coin();
    let column = random.index(width);
    let next = (column + 1) % width;
    let span = inputs.genome.variables()[part.start].span().saturating_add(1).max(2);
    for index in part.start + width..part.end {
        let (record, at) = ((index - part.start) / width, (index - part.start) % width);
        let variable = &inputs.genome.variables()[index];
        let first = values[part.start + at];
        let digit = |place: u64| within(variable, variable.at(variable.number(first).wrapping_add(place) % span));
        if at == column {
            values[index] = digit(record as u64 % span);
        } else if at == next && width > 1 && record as u64 >= span {
            values[index] = digit(record as u64 / span);
        } else if copies {
            values[index] = first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Variable;
    use pessimum_term::VariableId;

    fn text(length: u32, low: u64, high: u64) -> Inputs {
        let variable = |id| Variable { low, high, ..Variable::unlimited(VariableId(id), 8) };
        Inputs::of((0..length).map(variable).collect())
    }

    fn ascending(length: u64) -> Vec<u64> {
        (0..length).collect()
    }

    #[test]
    fn values_stay_in_their_ranges_and_change() {
        let mut inputs = text(12, 32, 126);
        inputs.constants = vec![10, 42, 200];
        inputs.tokens = vec![vec![1, 50, 250]];
        let mut random = Random::new(1);
        let mut values = vec![40; 12];
        let mate: Vec<u64> = (50..62).collect();
        let mut changed = 0;
        for round in 0..20_000 {
            let before = values.clone();
            edit(&inputs, Mode::ALL[round % Mode::ALL.len()], &mate, &mut values, &mut random);
            changed += u32::from(before != values);
            assert!(values.len() == 12 && values.iter().all(|value| (32..=126).contains(value)), "{values:?}");
        }
        assert!(changed > 12_000, "{changed}");
        edit(&text(0, 0, 1), Mode::Both, &[], &mut [], &mut random);
    }

    #[test]
    fn a_few_values_are_drawn_anew_and_the_others_stay() {
        let inputs = text(40, 32, 126);
        let (mut places, mut single) = ([false; 40], 0);
        for seed in 0..2000 {
            let mut values = vec![200; 40];
            draw_anew(&inputs, &mut values, (seed % 40) as usize..40, &mut Random::new(seed));
            let changed: Vec<usize> = (0..40).filter(|&index| values[index] != 200).collect();
            assert!(changed.len() <= RECORD && changed.windows(2).all(|pair| pair[1] == pair[0] + 1), "{values:?}");
            changed.iter().for_each(|&index| places[index] = true);
            single += u32::from(changed.len() == 1);
        }
        assert_eq!(places, [true; 40]);
        assert!((1000..1500).contains(&single), "{single}");
    }

    #[test]
    fn what_is_inserted_pushes_out_the_end_or_something_else() {
        let mut lost_at = [false; 8];
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let mut values = ascending(10);
            let (at, length) = (random.index(8), 1 + random.index(4));
            let room = make_room(&mut values, &(0..8), at, length, &mut random);
            assert!(room + length <= 8 && values[8..] == [8, 9], "outside the part");
            let rest: Vec<u64> = [&values[..room], &values[room + length..8]].concat();
            let lost = (0..rest.len()).take_while(|&index| rest[index] == index as u64).count();
            assert!(rest[lost..].iter().eq(&ascending(8)[lost + length..]), "{values:?}: {length} are lost together");
            assert!(room == at || room + length == at || room == lost, "{values:?}: the room is at {room}, not {at}");
            lost_at[lost] = true;
            let mut values = ascending(10);
            insert(&[], &mut values, 0..8, 0..10, &mut random);
            assert_eq!(values[8..], [8, 9], "outside the part");
        }
        assert_eq!(lost_at, [true; 8]);
    }

    #[test]
    fn what_is_rare_is_repeated_as_often_as_what_is_frequent() {
        // Between a name and a repetition of three values there are two others.
        let values: Vec<u64> = [&[50, 51, 52, 53, 10, 61][..], &[1, 2, 3].repeat(20)].concat();
        let wanted: Vec<u64> = [&[50, 51, 52, 53, 10, 61, 10, 61][..], &[1, 2, 3].repeat(20)[..58]].concat();
        let inputs = text(66, 0, 255);
        let (mut entries, mut different, mut rare) = (0, 0, 0);
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            rare += u32::from(place(&values, &(0..66), &mut random) < 6);
            let mut child = values.clone();
            duplicate(&inputs, &mut child, 0..66, &mut random);
            entries += u32::from(child == wanted);
            let changed = child.iter().zip(&wanted).filter(|(x, y)| x != y).count();
            different += u32::from(changed == 1 && (child[4] != 10 || child[5] != 61));
        }
        assert!(rare > 10_000, "six pairs of ten: {rare}");
        assert!(entries > 40, "a second entry: {entries}");
        assert!(different > 40, "one that differs from the first: {different}");
        let mut same = vec![4; 2];
        duplicate(&text(2, 4, 4), &mut same, 0..2, &mut Random::new(1));
        assert_eq!(same, [4, 4]);
    }

    #[test]
    fn deleting_moves_the_rest_up() {
        let mut moved = [false; 2];
        for seed in 0..200 {
            let mut values = ascending(10);
            delete(&mut values, 0..10, &mut Random::new(seed));
            let mut sorted = values.clone();
            sorted.sort_unstable();
            moved[usize::from(sorted == ascending(10))] = true;
            let kept = (0..10).take_while(|&index| values[index] == index as u64).count();
            // What is deleted at the very end leaves nothing to move.
            if kept < 10 && values[kept] > kept as u64 {
                let gone = values[kept] as usize - kept;
                assert_eq!(values[kept..10 - gone], ascending(10)[kept + gone..], "{values:?}");
            }
        }
        assert_eq!(moved, [true; 2], "what is deleted goes to the end or is lost");
    }

    #[test]
    fn a_unit_is_repeated_through_the_part_and_short_ones_are_common() {
        let mut of_one_or_two = 0;
        for seed in 0..400 {
            let mut values = ascending(20);
            tile(&mut values, 4..20, 0..20, &mut Random::new(seed));
            assert_eq!(values[..4], [0, 1, 2, 3]);
            let period = (1..=16).find(|&period| (4 + period..20).all(|index| values[index] == values[index - period]));
            of_one_or_two += u32::from(period.is_some_and(|period| period <= 2));
        }
        assert!(of_one_or_two > 150, "{of_one_or_two}");
    }

    #[test]
    fn proportions_change_and_little_else() {
        let mut moved = 0;
        for seed in 0..300 {
            let mut values = [vec![1; 6], vec![2; 6]].concat();
            proportion(&mut values, 0..12, &mut Random::new(seed));
            let boundaries = values.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(boundaries <= 3, "at most the boundary itself is doubled: {values:?}");
            moved += u32::from(values.is_sorted() && values[5..7] != [1, 2]);
        }
        assert!(moved > 50, "{moved}");
    }

    #[test]
    fn tokens_and_other_inputs_are_taken_over() {
        let mut inputs = text(8, 0, 255);
        inputs.tokens = vec![vec![7, 8, 9]];
        let (mut tokens, mut spliced) = (0, 0);
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let mut values = vec![0; 8];
            write_token(&inputs, &mut values, 0..8, &mut random);
            tokens += u32::from(values.windows(3).any(|part| part == [7, 8, 9]));
            let mut values = vec![0; 8];
            splice(&inputs, &[5; 8], &mut values, 0..8, &mut random);
            spliced += u32::from(values.contains(&5));
        }
        assert_eq!(tokens, 100);
        assert!(spliced > 30, "{spliced}");
        inputs.tokens.clear();
        let mut values = vec![1; 8];
        write_token(&inputs, &mut values, 0..8, &mut Random::new(1));
        assert_eq!(values, [1; 8], "nothing to write");
    }

    #[test]
    fn pieces_that_end_alike_are_inserted_and_replaced() {
        // The row is the middle; pieces end in 9.
        let values: Vec<u64> = vec![0, 1, 2, 9, 3, 4, 9, 5, 9, 6, 0];
        let mate: Vec<u64> = vec![7, 11, 9, 12, 13, 9, 14, 9, 15, 16, 7];
        let mut seen: Vec<Vec<u64>> = Vec::new();
        for seed in 0..20_000 {
            let mut child = values.clone();
            transplant(&mate, &mut child, 1..10, &mut Random::new(seed));
            assert_eq!((child[0], child[10]), (0, 0), "outside the row");
            seen.push(child[1..10].to_vec());
        }
        let times = |child: &[u64]| seen.iter().filter(|seen| *seen == child).count();
        assert!(times(&[11, 9, 1, 2, 9, 3, 4, 9, 5]) > 10, "the mate's first piece comes first");
        assert!(times(&[1, 2, 9, 12, 13, 9, 3, 4, 9]) > 4, "a piece of the mate between two");
        assert!(times(&[1, 2, 9, 3, 4, 9, 1, 2, 9]) > 4, "a piece of its own once more");
        assert!(times(&[1, 2, 9, 12, 13, 9, 5, 9, 6]) > 4, "a piece of the mate for one of its own");
        assert!(times(&[11, 9, 3, 4, 9, 5, 9, 6, 6]) > 0, "a shorter one: the end repeats itself");
        // A row of equal values, and no mate.
        let mut same = vec![4; 6];
        transplant(&[], &mut same, 0..6, &mut Random::new(1));
        assert_eq!(same, [4; 6]);
    }

    #[test]
    fn records_become_distinct() {
        let inputs = text(24, 97, 100);
        for seed in 0..100 {
            let mut values = vec![98; 24];
            let mut random = Random::new(seed);
            make_distinct(&inputs, &mut values, 0..24, &mut random);
            assert!(values.iter().all(|value| (97..=100).contains(value)), "{values:?}");
        }
        // Four letters, records of two: sixteen records are possible, twelve are made.
        let distinct = (0..200).any(|seed| {
            let mut values = vec![98; 24];
            make_distinct(&inputs, &mut values, 0..24, &mut Random::new(seed));
            let mut records: Vec<&[u64]> = values.chunks(2).collect();
            records.sort_unstable();
            records.windows(2).all(|pair| pair[0] != pair[1])
        });
        assert!(distinct);
    }
}
