//! Changes of a test: its calls, their order and number, and the values that they are passed.

use pessimum_term::VariableId;

use crate::draw::{Drawer, Pool, Values, moved, resized};
use crate::sequence::{Loose, Step, available, loosen, mend, variables_of};
use crate::shapes::Shape;
use crate::trials::Trials;
use pessimum_search::program::Variable;
use pessimum_search::random::Random;
use pessimum_search::strategy::shared::Inputs;
use pessimum_search::strategy::shared::{Mode, edit};

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Values, as `auto` changes those of an input.
    Values,
    /// A value becomes that of another call, or nearly.
    Share,
    /// The values of a parameter over several calls become equal, ascending, descending or distinct.
    Series,
    /// A call is inserted, mostly on a handle that a later call uses.
    Insert,
    /// A few calls are repeated.
    Repeat,
    /// The beginning of this test and the end of another.
    Splice,
    /// Calls are removed.
    Remove,
    /// An array becomes longer or shorter.
    Resize,
    /// A call is passed another handle of the same type.
    Handle,
    /// A call of two handles is passed one and another that was treated alike.
    Twin,
}

impl Change {
    /// All of them.
    pub const ALL: [Change; 10] = [
        Change::Values,
        Change::Share,
        Change::Series,
        Change::Insert,
        Change::Repeat,
        Change::Splice,
        Change::Remove,
        Change::Resize,
        Change::Handle,
        Change::Twin,
    ];

    /// Whether it changes which calls there are, or what they are called on.
    pub fn is_of_calls(self) -> bool {
        match self {
            Change::Values | Change::Share | Change::Series | Change::Resize => false,
            Change::Insert | Change::Repeat | Change::Splice | Change::Remove | Change::Handle | Change::Twin => true,
        }
    }
}

/// The changes that the library's functions leave something to do for.
pub fn possible(trials: &Trials<'_>) -> Vec<Change> {
    let functions = || trials.shapes.callable().iter().map(|&function| (function, trials.shapes.function(function)));
    let is_possible = |change: &Change| match change {
        Change::Resize => functions().any(|(_, function)| !function.sizes.is_empty()),
        Change::Handle => functions().any(|(_, function)| function.handles().next().is_some()),
        Change::Twin => functions().any(|(function, _)| pair(trials, function).is_some()),
        _ => true,
    };
    Change::ALL.into_iter().filter(is_possible).collect()
}

/// A random test of up to this many calls beside those that make handles.
pub fn fresh(trials: &mut Trials<'_>, calls: usize) -> Vec<Step> {
    let drawer = drawer(trials);
    let drawer = Drawer { values: Values::Pooled(&trials.pool), ..drawer };
    drawer.test(&mut trials.shapes, &mut trials.random, calls)
}

fn drawer(trials: &Trials<'_>) -> Drawer<'static> {
    let (most_size, most_calls) = (trials.settings.most_size, trials.settings.most_calls);
    Drawer { values: Values::Published, most_size, most_calls, reuse: 0.9 }
}

/// The steps after a change. They may be the same where it has nothing to work on.
pub fn changed(trials: &mut Trials<'_>, change: Change, steps: &[Step], mate: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    match change {
        Change::Values => edit_values(trials, &mut steps),
        Change::Share => share(trials, &mut steps),
        Change::Series if trials.random.coin() => edit_columns(trials, &mut steps),
        Change::Series => series(trials, &mut steps),
        Change::Insert => steps = inserted(trials, &steps),
        Change::Repeat => steps = repeated(trials, &steps),
        Change::Splice => steps = spliced(trials, &steps, mate),
        Change::Remove => steps = removed(trials, &steps),
        Change::Resize => resize(trials, &mut steps),
        Change::Handle => steps = other_handle(trials, steps),
        Change::Twin => steps = twinned(trials, &steps),
    }
    steps.truncate(trials.settings.most_calls);
    steps
}

/// All values of the steps, one after the other.
fn values_of(steps: &[Step]) -> Vec<u64> {
    steps.iter().flat_map(|step| step.values.iter().copied()).collect()
}

fn set_values(steps: &mut [Step], values: &[u64]) {
    let mut values = values.iter();
    for step in steps {
        for (value, new) in step.values.iter_mut().zip(values.by_ref()) {
            *value = *new;
        }
    }
}

/// Edits all values, or those of one call.
fn edit_values(trials: &mut Trials<'_>, steps: &mut [Step]) {
    if steps.is_empty() {
        return;
    }
    let one = trials.random.index(steps.len());
    let part = if trials.random.coin() { &mut steps[one..=one] } else { steps };
    let Some(variables) = variables_of(&mut trials.shapes, part) else { return };
    let mut values = values_of(part);
    let mut inputs = Inputs::of(variables);
    exchange(&mut inputs, &mut trials.pool);
    let mode = Mode::ALL[trials.random.index(Mode::ALL.len())];
    if trials.random.below(4) == 0 && !values.is_empty() {
        // A simple value, or one that the program compares with.
        let index = trials.random.index(values.len());
        let variable = &inputs.variables[index];
        let constants = &inputs.constants;
        values[index] = match trials.random.below(3) {
            0 if !constants.is_empty() => variable.nearest(constants[trials.random.index(constants.len())]),
            1 => variable.end(&mut trials.random),
            _ => variable.nearest(trials.random.below(16)),
        };
    } else {
        edit(&inputs, mode, &[], &mut values, &mut trials.random);
    }
    exchange(&mut inputs, &mut trials.pool);
    set_values(part, &values);
}

/// Lends the values worth trying to an edit, or takes them back.
fn exchange(inputs: &mut Inputs, pool: &mut Pool) {
    std::mem::swap(&mut inputs.constants, &mut pool.constants);
    std::mem::swap(&mut inputs.tokens, &mut pool.tokens);
    std::mem::swap(&mut inputs.texts, &mut pool.texts);
}

/// Edits the values as `auto` edits an array, with those of each parameter of a function next to each other.
fn edit_columns(trials: &mut Trials<'_>, steps: &mut [Step]) {
    let Some(variables) = variables_of(&mut trials.shapes, steps) else { return };
    let owner =
        |step: &Step| (0..step.values.len()).map(|parameter| (step.call.function, parameter)).collect::<Vec<_>>();
    let owners: Vec<(usize, usize)> = steps.iter().flat_map(owner).collect();
    let mut order: Vec<usize> = (0..owners.len()).collect();
    order.sort_by_key(|&place| (owners[place], place));
    let old = values_of(steps);
    let mut values: Vec<u64> = order.iter().map(|&place| old[place]).collect();
    let numbered =
        order.iter().zip(0..).map(|(&place, id)| Variable { id: VariableId(id), ..variables[place].clone() });
    let mut inputs = Inputs::of(numbered.collect());
    exchange(&mut inputs, &mut trials.pool);
    edit(&inputs, Mode::ALL[trials.random.index(Mode::ALL.len())], &[], &mut values, &mut trials.random);
    exchange(&mut inputs, &mut trials.pool);
    let mut new = old;
    for (&place, &value) in order.iter().zip(&values) {
        new[place] = variables[place].nearest(value);
    }
    set_values(steps, &new);
}

/// Gives a value the value of another variable of the same type, exactly or nearly.
fn share(trials: &mut Trials<'_>, steps: &mut [Step]) {
    let Some(variables) = variables_of(&mut trials.shapes, steps) else { return };
    let mut values = values_of(steps);
    if values.len() < 2 {
        return;
    }
    let to = trials.random.index(values.len());
    let alike = |&from: &usize| from != to && variables[from].width == variables[to].width;
    let others: Vec<usize> = (0..values.len()).filter(alike).collect();
    if others.is_empty() {
        return;
    }
    let from = others[trials.random.index(others.len())];
    values[to] = match trials.random.below(4) {
        0 => moved(&variables[to], values[from], 1, trials.random.coin()),
        _ => variables[to].nearest(values[from]),
    };
    set_values(steps, &values);
}

/// Where the values of one parameter of a function are, over all its calls: an array of its own.
fn column(steps: &[Step], function: usize, parameter: usize) -> Vec<usize> {
    let mut offset = 0;
    let mut places = Vec::new();
    for step in steps {
        if step.call.function == function && parameter < step.values.len() {
            places.push(offset + parameter);
        }
        offset += step.values.len();
    }
    places
}

/// Changes the values of one parameter over all calls of its function together.
fn series(trials: &mut Trials<'_>, steps: &mut [Step]) {
    let able: Vec<usize> = (0..steps.len()).filter(|&index| !steps[index].values.is_empty()).collect();
    if able.is_empty() {
        return;
    }
    let step = &steps[able[trials.random.index(able.len())]];
    let parameter = trials.random.index(step.values.len());
    let places = column(steps, step.call.function, parameter);
    let Some(variables) = variables_of(&mut trials.shapes, steps) else { return };
    let mut values = values_of(steps);
    let random = &mut trials.random;
    let mut row: Vec<u64> = places.iter().map(|&place| values[place]).collect();
    let variable = &variables[places[0]];
    match random.below(6) {
        0 => row.sort_by_key(|&value| variable.order(value)),
        1 => row.sort_by_key(|&value| std::cmp::Reverse(variable.order(value))),
        2 => {
            let value = row[random.index(row.len())];
            row.fill(value);
        }
        3 | 4 => {
            let (first, up) = (row[0], random.coin());
            let step = if random.coin() { 1 } else { 1 << random.below(8) };
            for (index, value) in row.iter_mut().enumerate() {
                *value = moved(variable, first, step * index as u64, up);
            }
        }
        _ => random.shuffle(&mut row),
    }
    for (&place, &value) in places.iter().zip(&row) {
        values[place] = variables[place].nearest(value);
    }
    set_values(steps, &values);
}

/// Inserts a call. Mostly of a function that takes a handle which a later call uses, and on that handle: this changes the
/// state that the later call finds.
fn inserted(trials: &mut Trials<'_>, steps: &[Step]) -> Vec<Step> {
    if steps.len() >= trials.settings.most_calls || trials.shapes.callable().is_empty() {
        return steps.to_vec();
    }
    let library = trials.library();
    let users: Vec<usize> = (0..steps.len()).filter(|&index| !steps[index].call.handles.is_empty()).collect();
    let drawer = Drawer { values: Values::Pooled(&trials.pool), ..drawer(trials) };
    let (at, handle) = match users.is_empty() || trials.random.below(4) == 0 {
        true => (trials.random.index(steps.len() + 1), None),
        false => {
            let at = users[trials.random.index(users.len())];
            let handles = &steps[at].call.handles;
            (at, Some(handles[trials.random.index(handles.len())]))
        }
    };
    let wanted = handle.and_then(|handle| crate::sequence::returned(library, &steps[handle].call));
    let takes = |&&function: &&usize| match wanted {
        Some(wanted) => trials.shapes.function(function).handles().any(|(ty, moved)| ty == wanted && !moved),
        None => true,
    };
    let candidates: Vec<usize> = trials.shapes.callable().iter().filter(takes).copied().collect();
    if candidates.is_empty() {
        return steps.to_vec();
    }
    let function = candidates[trials.random.index(candidates.len())];
    let mut new: Vec<Step> = steps[..at].to_vec();
    let kept: Vec<usize> = steps[at..].iter().flat_map(|step| step.call.handles.iter().copied()).collect();
    if !drawer.append(&mut trials.shapes, &mut trials.random, &mut new, function, &kept) {
        return steps.to_vec();
    }
    if let Some(handle) = handle
        && available(library, &new[..new.len() - 1], wanted.unwrap_or(0)).contains(&handle)
        && let Some(last) = new.last_mut()
    {
        let own = trials.shapes.function(function).handles().position(|(ty, moved)| Some(ty) == wanted && !moved);
        let twice = last.call.handles.contains(&handle) && !library.permits_same_handle(function);
        if let Some(position) = own.filter(|_| !twice) {
            last.call.handles[position] = handle;
        }
    }
    let count = steps.len();
    let key = |index: usize| if index < at { index } else { count + index };
    let head = new.into_iter().enumerate().map(|(index, mut step)| {
        step.call.handles.iter_mut().for_each(|handle| *handle = key(*handle));
        Loose { key: key(index), step }
    });
    let all: Vec<Loose> = head.chain(loosen(steps, 0).skip(at)).collect();
    mended(trials, all)
}

fn mended(trials: &mut Trials<'_>, all: Vec<Loose>) -> Vec<Step> {
    let library = trials.library();
    let random = &mut trials.random;
    mend(library, all, &mut |fitting| random.index(fitting.len()))
}

/// A small number, now and then a large one: each next one with even odds.
fn geometric(random: &mut Random, most: usize) -> usize {
    if random.below(4) == 0 {
        return 1 + random.index(most.max(1));
    }
    let mut count = 1;
    while count < most && random.coin() {
        count += 1;
    }
    count
}

/// Inserts a call, and then the same one again up to [`COUNTED`] times in all: what counts calls and compares the number.
pub fn counted(trials: &mut Trials<'_>, steps: &[Step]) -> Vec<Step> {
    let with = inserted(trials, steps);
    let is_new = |index: &usize| steps.get(*index).is_none_or(|step| step.call.function != with[*index].call.function);
    // What it needs stands before it, so that the last new one in a row is the call itself.
    let Some(first) = (0..with.len()).find(is_new) else { return with };
    let at = first + with.len().saturating_sub(steps.len() + 1).min(with.len() - 1 - first);
    let copies = trials.random.index(COUNTED);
    let mut all: Vec<Loose> = loosen(&with[..=at], 0).collect();
    all.extend((1..=copies).map(|copy| Loose { key: at + copy * with.len(), step: with[at].clone() }));
    all.extend(loosen(&with, 0).skip(at + 1));
    let mut steps = mended(trials, all);
    steps.truncate(trials.settings.most_calls);
    steps
}

/// The most calls that [`counted`] makes of one.
const COUNTED: usize = 8;

/// Repeats a few neighbouring calls: counters need to be counted up, tables to be filled. The copies are passed the same
/// values, values that count on, or new ones.
fn repeated(trials: &mut Trials<'_>, steps: &[Step]) -> Vec<Step> {
    let room = trials.settings.most_calls.saturating_sub(steps.len());
    if steps.is_empty() || room == 0 {
        return steps.to_vec();
    }
    let from = trials.random.index(steps.len());
    let length = match trials.random.below(3) {
        0 => geometric(&mut trials.random, (steps.len() - from).min(room)),
        _ => 1,
    };
    let most = room / length;
    if most == 0 {
        return steps.to_vec();
    }
    // Twice as often one that doubles or more, so that thresholds in the tens are not far.
    let copies = match trials.random.below(3) {
        0 => geometric(&mut trials.random, most),
        1 => (1usize << trials.random.below(6)).min(most),
        _ => 1,
    };
    let block = &steps[from..from + length];
    let kind = trials.random.below(4);
    let mut all: Vec<Loose> = loosen(&steps[..from + length], 0).collect();
    for copy in 1..=copies {
        let offset = copy * steps.len();
        for (index, step) in block.iter().enumerate() {
            let mut step = step.clone();
            for handle in &mut step.call.handles {
                if *handle >= from {
                    *handle += offset;
                }
            }
            let shape = trials.shapes.of(step.call.function, &step.call.sizes);
            if let Some(shape) = shape {
                match kind {
                    0 => {
                        let values = Values::Pooled(&trials.pool);
                        step.values = values.fill(&mut trials.random, &shape);
                    }
                    1 => {
                        for (value, variable) in step.values.iter_mut().zip(shape.variables.iter()) {
                            *value = moved(variable, *value, copy as u64, true);
                        }
                    }
                    _ => {}
                }
            }
            all.push(Loose { key: from + index + offset, step });
        }
    }
    all.extend(loosen(steps, 0).skip(from + length));
    mended(trials, all)
}

/// The beginning of one test and the end of another, whose handles are those of the first where they fit.
fn spliced(trials: &mut Trials<'_>, steps: &[Step], mate: &[Step]) -> Vec<Step> {
    let head = trials.random.index(steps.len() + 1);
    let tail = trials.random.index(mate.len() + 1);
    let mut all: Vec<Loose> = loosen(&steps[..head], 0).collect();
    // With even odds all of the mate, which then has its own handles.
    let tail = if trials.random.coin() { 0 } else { tail };
    all.extend(loosen(mate, steps.len()).skip(tail));
    mended(trials, all)
}

/// Removes each call with a probability such that one is removed on average.
fn removed(trials: &mut Trials<'_>, steps: &[Step]) -> Vec<Step> {
    let chance = 1.0 / steps.len().max(1) as f64;
    let random = &mut trials.random;
    let left: Vec<Loose> = loosen(steps, 0).filter(|_| !random.chance(chance)).collect();
    mended(trials, left)
}

/// Gives a call other sizes, and keeps its values as far as there is room for them. Sizes that are drawn are small; larger ones
/// come from growing, step by step, in tests that led somewhere.
fn resize(trials: &mut Trials<'_>, steps: &mut [Step]) {
    let able: Vec<usize> = (0..steps.len()).filter(|&index| !steps[index].call.sizes.is_empty()).collect();
    if able.is_empty() {
        return;
    }
    let step = &mut steps[able[trials.random.index(able.len())]];
    let Some(old) = trials.shapes.of(step.call.function, &step.call.sizes) else { return };
    let mut sizes = step.call.sizes.clone();
    let at = trials.random.index(sizes.len());
    let (drawn, grown) = (trials.settings.most_size, trials.settings.most_grown_size.max(trials.settings.most_size));
    let word = if trials.random.below(4) == 0 { trials.pool.phrase(&mut trials.random) } else { None };
    sizes[at] = match (&word, trials.random.below(4)) {
        (Some(word), _) => sizes[at].saturating_add(word.len() as u32).min(grown),
        (None, 0) => sizes[at].saturating_sub(1),
        (None, 1) => sizes[at].saturating_add(1).min(grown),
        (None, 2) => sizes[at].saturating_mul(2).min(grown),
        (None, _) => trials.random.below(u64::from(drawn) + 1) as u32,
    };
    let Some(new) = trials.shapes.of(step.call.function, &sizes) else { return };
    let grows = new.variables.len() > old.variables.len();
    let mut values = resized(&old, &step.values, &new);
    match trials.random.below(4) {
        _ if !grows => {}
        _ if word.is_some() => stretch(&mut trials.random, (&old, &step.values), (&new, &mut values), word.as_deref()),
        0 => {
            // What is new is drawn.
            let drawn = Values::Pooled(&trials.pool).fill(&mut trials.random, &new);
            for (index, value) in drawn.into_iter().enumerate() {
                if values[index] == new.variables[index].nearest(0) {
                    values[index] = value;
                }
            }
        }
        1 | 2 => stretch(&mut trials.random, (&old, &step.values), (&new, &mut values), None),
        _ => {}
    }
    (step.call.sizes, step.values) = (sizes, values);
}

/// Fills up arrays that have become longer from the inside, so that what stands around stays as it was: with this word, as often at
/// the end as anywhere else, or with a part of the array once more behind itself, by which a name or a number in a text becomes
/// longer, and the text is one of the same kind.
fn stretch(random: &mut Random, (old, from): (&Shape, &[u64]), (new, to): (&Shape, &mut [u64]), word: Option<&[u64]>) {
    for (short, long) in old.slots.iter().zip(&new.slots) {
        let (before, after) = (&from[short.variables.clone()], long.variables.clone());
        if after.len() <= before.len() {
            continue;
        }
        let (at, part) = match word {
            Some(word) if random.coin() => (before.len(), word),
            Some(word) => (random.index(before.len() + 1), word),
            None if before.is_empty() => continue,
            None => {
                // Mostly one value, otherwise a few.
                let first = random.index(before.len());
                let length = if random.coin() { 1 } else { 1 + random.index(before.len() - first) };
                (first + length, &before[first..first + length])
            }
        };
        let inserted = part.iter().cycle().take(after.len() - before.len());
        let all = before[..at].iter().chain(inserted).chain(&before[at..]);
        for (index, &value) in after.zip(all) {
            to[index] = new.variables[index].nearest(value);
        }
    }
}

/// Passes another handle of the same type to a call.
fn other_handle(trials: &mut Trials<'_>, mut steps: Vec<Step>) -> Vec<Step> {
    let library = trials.library();
    let users: Vec<usize> = (0..steps.len()).filter(|&index| !steps[index].call.handles.is_empty()).collect();
    if users.is_empty() {
        return steps;
    }
    let at = users[trials.random.index(users.len())];
    let position = trials.random.index(steps[at].call.handles.len());
    let ty = trials.shapes.function(steps[at].call.function).handles().nth(position).map(|(ty, _)| ty);
    let Some(ty) = ty else { return steps };
    let fitting = available(library, &steps[..at], ty);
    if fitting.is_empty() {
        return steps;
    }
    steps[at].call.handles[position] = fitting[trials.random.index(fitting.len())];
    let all: Vec<Loose> = loosen(&steps, 0).collect();
    mended(trials, all)
}

/// Two parameters of a function that take handles of one type.
fn pair(trials: &Trials<'_>, function: usize) -> Option<(usize, usize)> {
    let types: Vec<usize> = trials.shapes.function(function).handles().map(|(ty, _)| ty).collect();
    let later = |first: usize| types.iter().skip(first + 1).position(|&ty| ty == types[first]).map(|at| first + 1 + at);
    (0..types.len()).find_map(|first| Some((first, later(first)?)))
}

/// Gives a call of two handles of one type a second one on which the same calls were made as on the first: what compares or
/// merges two objects often asks for two that are alike. If no call takes two, one is appended.
fn twinned(trials: &mut Trials<'_>, steps: &[Step]) -> Vec<Step> {
    let library = trials.library();
    let able: Vec<usize> = (0..steps.len()).filter(|&at| pair(trials, steps[at].call.function).is_some()).collect();
    let (at, call) = match able.is_empty() {
        false => {
            let at = able[trials.random.index(able.len())];
            (at, steps[at].clone())
        }
        true => {
            let callable = trials.shapes.callable();
            let functions: Vec<usize> = callable.iter().copied().filter(|&one| pair(trials, one).is_some()).collect();
            if functions.is_empty() {
                return steps.to_vec();
            }
            let function = functions[trials.random.index(functions.len())];
            let mut new = steps.to_vec();
            let drawer = Drawer { values: Values::Pooled(&trials.pool), ..drawer(trials) };
            if !drawer.append(&mut trials.shapes, &mut trials.random, &mut new, function, &[]) {
                return steps.to_vec();
            }
            return new;
        }
    };
    let Some((first, second)) = pair(trials, call.call.function) else { return steps.to_vec() };
    let (kept, given) = if trials.random.coin() { (first, second) } else { (second, first) };
    let model = call.call.handles[kept];
    if crate::sequence::returned(library, &steps[model].call).is_none() {
        return steps.to_vec();
    }
    let count = steps.len();
    let concerns = |index: usize| index == model || steps[index].call.handles.contains(&model);
    let mut all: Vec<Loose> = loosen(&steps[..at], 0).collect();
    for index in (0..at).filter(|&index| concerns(index)) {
        let mut step = steps[index].clone();
        for handle in step.call.handles.iter_mut().filter(|handle| **handle == model) {
            *handle += count;
        }
        all.push(Loose { key: index + count, step });
    }
    let mut call = call;
    call.call.handles[given] = model + count;
    all.push(Loose { key: at, step: call });
    all.extend(loosen(steps, 0).skip(at + 1));
    mended(trials, all)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::shapes::Slot;

    fn shape(length: u32) -> Shape {
        let variables: Vec<Variable> = (0..length).map(|id| Variable::unlimited(VariableId(id), 8)).collect();
        let slots = vec![Slot { variables: 0..length as usize, is_array: true }];
        Shape { variables: Arc::from(variables), slots }
    }

    #[test]
    fn an_array_that_grows_keeps_what_stands_around() {
        let (old, new) = (shape(4), shape(7));
        let before = [1, 2, 3, 4];
        let mut random = Random::new(5);
        for word in [None, Some(&[8, 9][..])] {
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..200 {
                let mut after = vec![0; 7];
                stretch(&mut random, (&old, &before), (&new, &mut after), word);
                // Three values are new, next to each other; without them it is what it was.
                let at =
                    (0..=4).find(|&at| [&after[..at], &after[at + 3..]].concat() == before).expect("the rest is kept");
                if let Some(word) = word {
                    assert_eq!(after[at..at + 3], [word[0], word[1], word[0]]);
                }
                seen.insert(after);
            }
            assert!(seen.len() > 4, "{seen:?}");
        }
    }
}
