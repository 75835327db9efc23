//! Tests as published: sequences of statements, whose arguments refer to earlier ones.
//!
//! Source: Fraser and Arcuri, "Whole Test Suite Generation" (TSE 2013), section 3.1, and Galeotti, Fraser and Arcuri (ISSRE
//! 2013), section III-A: primitive and array definitions, and calls, each with parameters that are satisfied by values defined
//! earlier in the sequence. A primitive may be used by several calls; running a test gives each use its value.

use std::sync::Arc;

use crate::draw::{Drawer, Values, moved, numberless};
use crate::library::{Call, Library, Returned};
use crate::sequence::Step;
use crate::shapes::{Shape, Shapes};
use pessimum_search::program::Variable;
use pessimum_search::random::Random;
use pessimum_search::strategy::shared::MOST_STEP;

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A number that calls can be passed.
    Number {
        /// Its type and range.
        of: Variable,
        /// Its value.
        value: u64,
    },
    /// An array that calls can be passed.
    Array {
        /// Type and range of its elements.
        of: Variable,
        /// Its elements.
        values: Vec<u64>,
    },
    /// A call.
    Call {
        /// The function, by its index in the library.
        function: usize,
        /// Values for its sizes.
        sizes: Vec<u32>,
        /// The earlier statements that it is passed, by index: its numbers and arrays in order, then its handles.
        arguments: Vec<usize>,
    },
}

/// What an argument of a call must be.
#[derive(Clone, Debug)]
enum Wanted {
    Number(Variable),
    Array(Variable, usize),
    Handle { ty: usize, moved: bool },
}

impl Wanted {
    /// Whether a statement can be passed, as far as types go.
    fn fits(&self, library: &dyn Library, statement: &Statement) -> bool {
        match (self, statement) {
            (Wanted::Number(wanted), Statement::Number { of, .. }) => wanted.is_like(of),
            (Wanted::Array(wanted, length), Statement::Array { of, values }) => {
                wanted.is_like(of) && values.len() == *length
            }
            (Wanted::Handle { ty, .. }, Statement::Call { function, .. }) => {
                library.functions()[*function].returned == Returned::Handle(*ty)
            }
            _ => false,
        }
    }

    fn is_moved(&self) -> bool {
        matches!(self, Wanted::Handle { moved: true, .. })
    }
}

/// What the arguments of a call must be, in order.
fn wanted(shapes: &Shapes<'_>, function: usize, shape: &Shape) -> Vec<Wanted> {
    let data = shape.slots.iter().map(|slot| {
        let first = numberless(&shape.variables[slot.variables.start]);
        if slot.is_array { Wanted::Array(first, slot.variables.len()) } else { Wanted::Number(first) }
    });
    let handles = shapes.function(function).handles().map(|(ty, moved)| Wanted::Handle { ty, moved });
    data.chain(handles).collect()
}

/// A test as a sequence of statements.
pub type Statements = Vec<Statement>;

/// The test's calls with the numbers that they are passed. Every use of a definition becomes values of its own, which is the
/// expansion of section III-B.
pub fn expanded(shapes: &mut Shapes<'_>, statements: &[Statement]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    // The index of the call that each statement became.
    let mut calls: Vec<usize> = Vec::with_capacity(statements.len());
    for statement in statements {
        calls.push(steps.len());
        let Statement::Call { function, sizes, arguments } = statement else { continue };
        let Some(shape) = shapes.of(*function, sizes) else { continue };
        let (mut values, mut handles) = (Vec::with_capacity(shape.variables.len()), Vec::new());
        for &argument in arguments {
            match &statements[argument] {
                Statement::Number { value, .. } => values.push(*value),
                Statement::Array { values: elements, .. } => values.extend(elements),
                Statement::Call { .. } => handles.push(calls[argument]),
            }
        }
        steps.push(Step { call: Call { function: *function, sizes: sizes.clone(), handles }, values });
    }
    steps
}

/// The other way round, with a definition of its own for every number.
pub fn contracted(shapes: &mut Shapes<'_>, steps: &[Step]) -> Statements {
    let mut statements: Statements = Vec::new();
    let mut calls: Vec<usize> = Vec::new();
    for step in steps {
        let Some(shape) = shapes.of(step.call.function, &step.call.sizes) else { continue };
        let mut arguments = Vec::new();
        for slot in &shape.slots {
            let of = numberless(&shape.variables[slot.variables.start]);
            let values = &step.values[slot.variables.clone()];
            arguments.push(statements.len());
            statements.push(match slot.is_array {
                true => Statement::Array { of, values: values.to_vec() },
                false => Statement::Number { of, value: values.first().copied().unwrap_or(0) },
            });
        }
        arguments.extend(step.call.handles.iter().map(|&handle| calls[handle]));
        calls.push(statements.len());
        let (function, sizes) = (step.call.function, step.call.sizes.clone());
        statements.push(Statement::Call { function, sizes, arguments });
    }
    statements
}

/// Draws and changes tests.
#[derive(Clone, Copy)]
pub struct Breeder {
    /// The most statements of a test.
    pub most_statements: usize,
    /// The greatest size.
    pub most_size: u32,
    /// The most calls.
    pub most_calls: usize,
    /// See [`crate::settings::WholeSuiteSettings::reuse`].
    pub reuse: f64,
    /// See [`crate::settings::WholeSuiteSettings::statement_insertion`].
    pub insertion: f64,
}

/// A statement whose arguments are keys of other statements, which need not be there.
struct Loose {
    key: usize,
    statement: Statement,
}

impl Breeder {
    fn drawer(&self) -> Drawer<'static> {
        Drawer { values: Values::Published, most_size: self.most_size, most_calls: self.most_calls, reuse: self.reuse }
    }

    /// A random test, made by inserting calls until it has a random length.
    pub fn draw(&self, shapes: &mut Shapes<'_>, random: &mut Random) -> Statements {
        let length = 1 + random.index(self.most_statements.max(1));
        let mut statements = Vec::new();
        // A call that does not fit any more is no reason to stop before a shorter one was tried.
        for _ in 0..2 * length {
            if statements.len() >= length {
                break;
            }
            let end = statements.len();
            self.insert(shapes, random, &mut statements, end);
        }
        statements
    }

    /// Mutates a test (TSE 2013, section 3.4): removes, changes and inserts, each with probability 1/3. Returns whether a
    /// primitive value was changed.
    pub fn mutate(&self, shapes: &mut Shapes<'_>, random: &mut Random, statements: &mut Statements) -> bool {
        if random.below(3) == 0 {
            self.remove(shapes, random, statements);
        }
        let changed = random.below(3) == 0 && self.change(shapes, random, statements);
        if random.below(3) == 0 {
            let mut probability = self.insertion;
            while random.chance(probability) {
                let at = random.index(statements.len() + 1);
                self.insert(shapes, random, statements, at);
                probability *= self.insertion;
            }
        }
        changed
    }

    /// Removes each statement with probability 1/l. What refers to a removed one refers to another that fits, or is
    /// removed, too.
    fn remove(&self, shapes: &mut Shapes<'_>, random: &mut Random, statements: &mut Statements) {
        let chance = 1.0 / statements.len().max(1) as f64;
        let gone: Vec<bool> = statements.iter().map(|_| random.chance(chance)).collect();
        let old = std::mem::take(statements).into_iter().enumerate();
        let left = old.filter(|(key, _)| !gone[*key]).map(|(key, statement)| Loose { key, statement }).collect();
        *statements = mend(shapes, random, left);
    }

    /// Changes each statement with probability 1/l. Returns whether a primitive value was changed.
    fn change(&self, shapes: &mut Shapes<'_>, random: &mut Random, statements: &mut Statements) -> bool {
        let chance = 1.0 / statements.len().max(1) as f64;
        let mut primitive = false;
        let mut index = 0;
        while index < statements.len() {
            if random.chance(chance) {
                match &mut statements[index] {
                    Statement::Number { of, value } => {
                        *value = changed(random, of, *value);
                        primitive = true;
                    }
                    Statement::Array { .. } => primitive |= self.change_array(shapes, random, statements, index),
                    Statement::Call { .. } => {
                        let before = statements.len();
                        self.change_call(shapes, random, statements, index);
                        // What was inserted or removed has had its turn.
                        index = (index + statements.len()).saturating_sub(before);
                    }
                }
            }
            index += 1;
        }
        primitive
    }

    /// Changes an array as EvoSuite changes strings (`StringPrimitiveStatement::delta`): removes elements, changes elements and
    /// inserts some at one place, each with probability 1/3. An array whose length is not free has its elements changed.
    /// Returns whether it is another now.
    fn change_array(
        &self,
        shapes: &mut Shapes<'_>,
        random: &mut Random,
        statements: &mut Statements,
        index: usize,
    ) -> bool {
        let Statement::Array { of, values } = &statements[index] else { return false };
        let (of, old) = (of.clone(), values.clone());
        let mut new = old.clone();
        if random.below(3) == 0 {
            let chance = 1.0 / new.len().max(1) as f64;
            new.retain(|_| !random.chance(chance));
        }
        if random.below(3) == 0 {
            change_elements(random, &of, &mut new);
        }
        if random.below(3) == 0 {
            let at = random.index(new.len().max(1));
            let mut probability = 0.5;
            while random.chance(probability) {
                new.insert(at, Values::Published.draw(random, &of));
                probability *= 0.5;
            }
        }
        if new.len() != old.len() && !self.resize(shapes, statements, index, new.len()) {
            new = old.clone();
            change_elements(random, &of, &mut new);
        }
        let is_other = new != old;
        statements[index] = Statement::Array { of, values: new };
        is_other
    }

    /// Gives the calls that are passed an array the sizes for another length of it. False, with nothing changed, if some call has
    /// no size that this array alone depends on.
    fn resize(&self, shapes: &mut Shapes<'_>, statements: &mut Statements, index: usize, length: usize) -> bool {
        let Statement::Array { values, .. } = &statements[index] else { return false };
        let by = length as i64 - values.len() as i64;
        let mut resized: Vec<(usize, Vec<u32>)> = Vec::new();
        for (at, statement) in statements.iter().enumerate().skip(index + 1) {
            let Statement::Call { function, sizes, arguments } = statement else { continue };
            if !arguments.contains(&index) {
                continue;
            }
            let Some(old) = shapes.of(*function, sizes) else { return false };
            let found = (0..sizes.len()).find_map(|place| {
                let mut new = sizes.clone();
                let size = i64::from(new[place]) + by;
                new[place] = u32::try_from(size).ok().filter(|size| *size <= self.most_size)?;
                let shape = shapes.of(*function, &new)?;
                let slots = old.slots.iter().zip(&shape.slots).zip(arguments);
                let fits = shape.slots.len() == old.slots.len()
                    && slots.into_iter().all(|((old, new), argument)| {
                        let wanted = if *argument == index { length } else { old.variables.len() };
                        new.variables.len() == wanted && new.is_array == old.is_array
                    });
                fits.then_some(new)
            });
            let Some(sizes) = found else { return false };
            resized.push((at, sizes));
        }
        for (at, new) in resized {
            if let Statement::Call { sizes, .. } = &mut statements[at] {
                *sizes = new;
            }
        }
        true
    }

    /// Changes an argument of a call, its sizes, or the function.
    fn change_call(&self, shapes: &mut Shapes<'_>, random: &mut Random, statements: &mut Statements, index: usize) {
        let Statement::Call { function, sizes, arguments } = &statements[index] else { return };
        let (function, sizes, mut arguments) = (*function, sizes.clone(), arguments.clone());
        let library = shapes.library();
        let Some(shape) = shapes.of(function, &sizes) else { return };
        match random.below(3) {
            0 if !arguments.is_empty() => {
                let position = random.index(arguments.len());
                let wanted = wanted(shapes, function, &shape);
                let fits = |&other: &usize| wanted[position].fits(library, &statements[other]);
                let fitting: Vec<usize> = (0..index).filter(fits).collect();
                if !fitting.is_empty() {
                    arguments[position] = fitting[random.index(fitting.len())];
                    statements[index] = Statement::Call { function, sizes, arguments };
                    let loose = std::mem::take(statements).into_iter().enumerate();
                    let loose = loose.map(|(key, statement)| Loose { key, statement }).collect();
                    *statements = mend(shapes, random, loose);
                }
            }
            choice => {
                // The same function with other sizes and arguments, or another that returns the same.
                let returned = library.functions()[function].returned;
                let alike = |&&other: &&usize| library.functions()[other].returned == returned;
                let others: Vec<usize> = shapes.callable().iter().filter(alike).copied().collect();
                let function =
                    if choice == 1 || others.is_empty() { function } else { others[random.index(others.len())] };
                self.replace(shapes, random, statements, index, function);
            }
        }
    }

    /// Inserts a call with what it needs at this place.
    fn insert(&self, shapes: &mut Shapes<'_>, random: &mut Random, statements: &mut Statements, at: usize) {
        let callable = shapes.callable();
        if callable.is_empty() {
            return;
        }
        let function = callable[random.index(callable.len())];
        self.put(shapes, random, statements, at, at, function);
    }

    fn replace(
        &self,
        shapes: &mut Shapes<'_>,
        random: &mut Random,
        statements: &mut Statements,
        index: usize,
        function: usize,
    ) {
        self.put(shapes, random, statements, index, index + 1, function);
    }

    /// Puts a new call, and before it what it needs, between the statements before `at` and those from `rest` on. What
    /// referred to a statement in between refers to the new call if that fits.
    fn put(
        &self,
        shapes: &mut Shapes<'_>,
        random: &mut Random,
        statements: &mut Statements,
        at: usize,
        rest: usize,
        function: usize,
    ) {
        let mut new: Statements = statements[..at].to_vec();
        if !self.append(shapes, random, &mut new, function, 0) {
            return;
        }
        let count = statements.len();
        let inserted = new.len() - 1;
        let key = |index: usize| if index < at { index } else { count + index };
        let mut loose: Vec<Loose> = Vec::with_capacity(count + new.len() - at);
        for (index, mut statement) in new.into_iter().enumerate() {
            if let Statement::Call { arguments, .. } = &mut statement {
                arguments.iter_mut().for_each(|argument| *argument = key(*argument));
            }
            loose.push(Loose { key: key(index), statement });
        }
        let replaced = at..rest;
        for (index, mut statement) in std::mem::take(statements).into_iter().enumerate().skip(rest) {
            if let Statement::Call { arguments, .. } = &mut statement {
                for argument in arguments.iter_mut().filter(|argument| replaced.contains(argument)) {
                    *argument = key(inserted);
                }
            }
            loose.push(Loose { key: index, statement });
        }
        *statements = mend(shapes, random, loose);
    }

    /// Appends a call with what it needs; false if there is no room or no way.
    fn append(
        &self,
        shapes: &mut Shapes<'_>,
        random: &mut Random,
        statements: &mut Statements,
        function: usize,
        depth: u32,
    ) -> bool {
        const DEPTH: u32 = 3;
        if statements.len() >= self.most_statements || depth > 64 {
            return false;
        }
        let Some((sizes, shape)) = self.drawer().sizes(shapes, random, function) else { return false };
        let library = shapes.library();
        let wanted = wanted(shapes, function, &shape);
        let mut arguments: Vec<usize> = Vec::with_capacity(wanted.len());
        for (position, want) in wanted.iter().enumerate() {
            let gone = taken_away(library, statements);
            let fits = |&other: &usize| {
                want.fits(library, &statements[other])
                    && !gone.contains(&other)
                    && can_pass(library, function, &wanted, &arguments, position, other)
            };
            let fitting: Vec<usize> = (0..statements.len()).filter(fits).collect();
            let reuse = if matches!(want, Wanted::Handle { .. }) { self.reuse } else { self.reuse / 2.0 };
            if !fitting.is_empty() && random.chance(reuse) {
                arguments.push(fitting[random.index(fitting.len())]);
                continue;
            }
            let made = match want {
                Wanted::Number(of) => {
                    let value = Values::Published.draw(random, of);
                    statements.push(Statement::Number { of: of.clone(), value });
                    true
                }
                Wanted::Array(of, length) => {
                    let values = (0..*length).map(|_| Values::Published.draw(random, of)).collect();
                    statements.push(Statement::Array { of: of.clone(), values });
                    true
                }
                Wanted::Handle { ty, .. } => {
                    let producers = shapes.producers(*ty);
                    let producer = match producers {
                        [] => return false,
                        [first, ..] if depth >= DEPTH => *first,
                        _ => producers[random.index(producers.len())],
                    };
                    self.append(shapes, random, statements, producer, depth + 1)
                }
            };
            match fitting.last() {
                _ if made => arguments.push(statements.len() - 1),
                Some(&other) => arguments.push(other),
                None => return false,
            }
        }
        // A nested call may have taken away what was chosen before it.
        let gone = taken_away(library, statements);
        let calls = statements.iter().filter(|statement| matches!(statement, Statement::Call { .. })).count();
        if arguments.iter().any(|argument| gone.contains(argument))
            || statements.len() >= self.most_statements
            || calls >= self.most_calls
        {
            return false;
        }
        statements.push(Statement::Call { function, sizes, arguments });
        true
    }
}

/// Whether a call that already has these arguments may be passed this statement, too.
fn can_pass(
    library: &dyn Library,
    function: usize,
    wanted: &[Wanted],
    arguments: &[usize],
    position: usize,
    other: usize,
) -> bool {
    let Wanted::Handle { .. } = wanted[position] else { return true };
    let again = arguments.iter().zip(wanted).filter(|(argument, _)| **argument == other);
    let mut again = again.peekable();
    if again.peek().is_none() {
        return true;
    }
    library.permits_same_handle(function) && !wanted[position].is_moved() && !again.any(|(_, want)| want.is_moved())
}

/// The statements whose handles some call has taken away.
fn taken_away(library: &dyn Library, statements: &[Statement]) -> Vec<usize> {
    let mut gone = Vec::new();
    for statement in statements {
        if let Statement::Call { function, arguments, .. } = statement {
            let handles = library.functions()[*function].handles();
            let first = arguments.len() - handles.count();
            let handles = library.functions()[*function].handles().zip(&arguments[first..]);
            gone.extend(handles.filter(|((_, moved), _)| *moved).map(|(_, argument)| *argument));
        }
    }
    gone
}

/// Puts statements together: arguments that are not there or do not fit are replaced by random ones that do; calls for which
/// there is none are left out.
fn mend(shapes: &mut Shapes<'_>, random: &mut Random, loose: Vec<Loose>) -> Statements {
    let library = shapes.library();
    let mut statements: Statements = Vec::with_capacity(loose.len());
    let mut keys: Vec<(usize, usize)> = Vec::with_capacity(loose.len());
    let mut gone: Vec<bool> = Vec::with_capacity(loose.len());
    'all: for Loose { key, mut statement } in loose {
        if let Statement::Call { function, sizes, arguments } = &mut statement {
            let Some(shape): Option<Arc<Shape>> = shapes.of(*function, sizes) else { continue };
            let wanted = wanted(shapes, *function, &shape);
            let mut found: Vec<usize> = Vec::with_capacity(arguments.len());
            for (position, &argument) in arguments.iter().enumerate() {
                let fits = |&index: &usize| {
                    wanted[position].fits(library, &statements[index])
                        && !gone[index]
                        && can_pass(library, *function, &wanted, &found, position, index)
                };
                let known = keys.iter().find(|(key, _)| *key == argument).map(|(_, index)| *index);
                let index = match known.filter(|index| fits(index)) {
                    Some(index) => index,
                    None => {
                        let fitting: Vec<usize> = (0..statements.len()).filter(fits).collect();
                        if fitting.is_empty() {
                            continue 'all;
                        }
                        fitting[random.index(fitting.len())]
                    }
                };
                found.push(index);
            }
            for (want, &index) in wanted.iter().zip(&found) {
                gone[index] |= want.is_moved();
            }
            *arguments = found;
        }
        keys.push((key, statements.len()));
        statements.push(statement);
        gone.push(false);
    }
    statements
}

/// Changes each of n elements with probability 1/n.
fn change_elements(random: &mut Random, of: &Variable, values: &mut [u64]) {
    let chance = 1.0 / values.len().max(1) as f64;
    for value in values {
        if random.chance(chance) {
            *value = changed(random, of, *value);
        }
    }
}

/// Another value: by EvoSuite's greatest step at most or, as often, a new one.
fn changed(random: &mut Random, of: &Variable, value: u64) -> u64 {
    if random.coin() {
        return Values::Published.draw(random, of);
    }
    let by = 1 + random.below(MOST_STEP);
    moved(of, value, by, random.coin())
}
