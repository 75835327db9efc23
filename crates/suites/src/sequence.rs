//! Sequences of calls that are being changed: every change ends with a sequence in which each handle exists, has the right
//! type and was not taken away.

use pessimum_term::Witness;

use crate::library::{Call, Library, Returned, Test};
use crate::shapes::Shapes;
use pessimum_search::program::Variable;

/// A call with the numbers that it is passed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The call.
    pub call: Call,
    /// The values of its variables, in order.
    pub values: Vec<u64>,
}

/// The steps as a test that can be run.
pub fn test_of(steps: &[Step]) -> Test {
    let calls = steps.iter().map(|step| step.call.clone()).collect();
    let input = Witness::new(steps.iter().flat_map(|step| step.values.iter().copied()).collect());
    Test { calls, input }
}

/// A test as steps; none if a call does not permit its sizes. Values outside their ranges are moved into them.
pub fn steps_of(shapes: &mut Shapes<'_>, test: &Test) -> Option<Vec<Step>> {
    let values = test.input.values();
    let mut next = 0;
    let mut steps = Vec::with_capacity(test.calls.len());
    for call in &test.calls {
        let shape = shapes.of(call.function, &call.sizes)?;
        let value =
            |(offset, variable): (usize, &Variable)| variable.nearest(values.get(next + offset).copied().unwrap_or(0));
        let values = shape.variables.iter().enumerate().map(value).collect();
        next += shape.variables.len();
        steps.push(Step { call: call.clone(), values });
    }
    Some(steps)
}

/// The variables of all steps, one after the other, numbered from 0 on; none if a call does not permit its sizes.
pub fn variables_of(shapes: &mut Shapes<'_>, steps: &[Step]) -> Option<Vec<Variable>> {
    let mut variables: Vec<Variable> = Vec::new();
    for step in steps {
        let shape = shapes.of(step.call.function, &step.call.sizes)?;
        for variable in shape.variables.iter() {
            let id = pessimum_term::VariableId(variables.len() as u32);
            variables.push(Variable { id, ..variable.clone() });
        }
    }
    Some(variables)
}

/// Whether every handle refers to an earlier call that returned this type and was not taken away, and every call has as
/// many handles and sizes as its function wants.
pub fn is_well_typed(library: &dyn Library, calls: &[Call]) -> bool {
    let mut gone = vec![false; calls.len()];
    for (index, call) in calls.iter().enumerate() {
        let Some(function) = library.functions().get(call.function) else { return false };
        if function.handles().count() != call.handles.len() || function.sizes.len() != call.sizes.len() {
            return false;
        }
        for (position, ((ty, moved), &handle)) in function.handles().zip(&call.handles).enumerate() {
            let mut others = call.handles.iter().enumerate().filter(|(other, _)| *other != position);
            let again = others.any(|(_, &other)| other == handle);
            let twice = again && (moved || !library.permits_same_handle(call.function));
            if handle >= index || gone[handle] || twice || returned(library, &calls[handle]) != Some(ty) {
                return false;
            }
        }
        for ((_, moved), &handle) in function.handles().zip(&call.handles) {
            gone[handle] |= moved;
        }
    }
    true
}

/// The type of the handle that a call returns.
pub fn returned(library: &dyn Library, call: &Call) -> Option<usize> {
    match library.functions().get(call.function)?.returned {
        Returned::Handle(ty) => Some(ty),
        Returned::Nothing | Returned::Number => None,
    }
}

/// The calls whose handles of this type a further call may use, in order.
pub fn available(library: &dyn Library, steps: &[Step], ty: usize) -> Vec<usize> {
    let mut gone = vec![false; steps.len()];
    for step in steps {
        for ((_, moved), &handle) in library.functions()[step.call.function].handles().zip(&step.call.handles) {
            gone[handle] |= moved;
        }
    }
    let able = |&index: &usize| !gone[index] && returned(library, &steps[index].call) == Some(ty);
    (0..steps.len()).filter(able).collect()
}

/// A step of a sequence that is being put together: its handles are the keys of other steps, which need not be there.
#[derive(Clone, Debug)]
pub struct Loose {
    /// Told apart from the other steps by this.
    pub key: usize,
    /// Handles are keys.
    pub step: Step,
}

/// The steps with their indices as keys, moved up by `offset`, so that those of two sequences can be told apart.
pub fn loosen(steps: &[Step], offset: usize) -> impl Iterator<Item = Loose> + '_ {
    steps.iter().enumerate().map(move |(index, step)| {
        let mut step = step.clone();
        step.call.handles.iter_mut().for_each(|handle| *handle += offset);
        Loose { key: index + offset, step }
    })
}

/// Puts steps together. A handle that is not there any more, has another type or was taken away is replaced by one that
/// `choose` picks (by its index) among those that fit; a step for which there is none is left out.
pub fn mend(
    library: &dyn Library,
    loose: impl IntoIterator<Item = Loose>,
    choose: &mut dyn FnMut(&[usize]) -> usize,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut keys: Vec<(usize, usize)> = Vec::new();
    let mut gone: Vec<bool> = Vec::new();
    'steps: for Loose { key, mut step } in loose {
        let function = &library.functions()[step.call.function];
        let mut handles: Vec<usize> = Vec::new();
        for ((ty, moved), &wanted) in function.handles().zip(&step.call.handles) {
            let fits = |&index: &usize| {
                let twice = handles.contains(&index) && (moved || !library.permits_same_handle(step.call.function));
                !gone[index] && !twice && returned(library, &steps[index].call) == Some(ty)
            };
            let known =
                keys.iter().find(|(key, _)| *key == wanted).map(|(_, index)| *index).filter(|index| fits(index));
            let handle = match known {
                Some(index) => index,
                None => {
                    let fitting: Vec<usize> = (0..steps.len()).filter(fits).collect();
                    if fitting.is_empty() {
                        continue 'steps;
                    }
                    fitting[choose(&fitting).min(fitting.len() - 1)]
                }
            };
            handles.push(handle);
        }
        // Taken away twice by one call: the first handle may have been chosen before the second was known.
        for ((_, moved), &handle) in function.handles().zip(&handles) {
            if moved && handles.iter().filter(|&&other| other == handle).count() > 1 {
                continue 'steps;
            }
        }
        for ((_, moved), &handle) in function.handles().zip(&handles) {
            gone[handle] |= moved;
        }
        step.call.handles = handles;
        keys.push((key, steps.len()));
        steps.push(step);
        gone.push(false);
    }
    steps
}

/// Picks the latest handle that fits: the same each time.
pub fn latest(fitting: &[usize]) -> usize {
    fitting.len() - 1
}

/// The steps without this one, and without those that cannot do without it.
pub fn without(library: &dyn Library, steps: &[Step], index: usize) -> Vec<Step> {
    let rest = loosen(steps, 0).filter(|loose| loose.key != index);
    mend(library, rest, &mut latest)
}
