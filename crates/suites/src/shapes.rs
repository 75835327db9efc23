//! What calls look like: their variables, by function and sizes, and which functions can be called at all.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::library::{Function, Library, Returned};
use pessimum_search::program::Variable;

/// A number or an array that a call is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its variables, by their numbers in the call.
    pub variables: Range<usize>,
    /// Whether it is an array.
    pub is_array: bool,
}

/// What a call of one function with certain sizes is passed besides handles.
#[derive(Clone, Debug)]
pub struct Shape {
    /// In order.
    pub variables: Arc<[Variable]>,
    /// All variables, each in one slot.
    pub slots: Vec<Slot>,
}

/// Shapes of calls, each asked for once, and who makes which handles.
pub struct Shapes<'l> {
    library: &'l dyn Library,
    known: FxHashMap<(usize, Vec<u32>), Option<Arc<Shape>>>,
    /// By type of handle: the functions that return it and can be called, those that take the fewest calls first.
    producers: Vec<Vec<usize>>,
    callable: Vec<usize>,
}

impl<'l> Shapes<'l> {
    /// Those of this library.
    pub fn new(library: &'l dyn Library) -> Shapes<'l> {
        let functions = library.functions();
        let types = library.handle_types().len();
        let mut calls: Vec<Option<u32>> = vec![None; functions.len()];
        let returns = |function: &Function, ty: usize| function.returned == Returned::Handle(ty);
        loop {
            let least: Vec<Option<u32>> = (0..types)
                .map(|ty| {
                    let known = functions.iter().zip(&calls).filter(|(function, _)| returns(function, ty));
                    known.filter_map(|(_, calls)| *calls).min()
                })
                .collect();
            let needed = |function: &Function| {
                let of = |(ty, _): (usize, bool)| least.get(ty).copied().flatten();
                function.handles().map(of).try_fold(1u32, |sum, calls| Some(sum.saturating_add(calls?)))
            };
            let next: Vec<Option<u32>> = functions.iter().map(needed).collect();
            if next == calls {
                break;
            }
            calls = next;
        }
        let producers = (0..types)
            .map(|ty| {
                let able = |&index: &usize| calls[index].is_some() && returns(&functions[index], ty);
                let mut able: Vec<usize> = (0..functions.len()).filter(able).collect();
                able.sort_by_key(|&index| (calls[index], index));
                able
            })
            .collect();
        let callable = (0..functions.len()).filter(|&index| calls[index].is_some()).collect();
        Shapes { library, known: FxHashMap::default(), producers, callable }
    }

    /// The library.
    pub fn library(&self) -> &'l dyn Library {
        self.library
    }

    /// A function of the library.
    pub fn function(&self, index: usize) -> &'l Function {
        &self.library.functions()[index]
    }

    /// The functions that some sequence can call, in order.
    pub fn callable(&self) -> &[usize] {
        &self.callable
    }

    /// The functions that return a handle of this type, those that take the fewest calls first.
    pub fn producers(&self, ty: usize) -> &[usize] {
        self.producers.get(ty).map_or(&[], Vec::as_slice)
    }

    /// What a call with these sizes is passed; none if the function does not permit them.
    pub fn of(&mut self, function: usize, sizes: &[u32]) -> Option<Arc<Shape>> {
        if let Some(known) = self.known.get(&(function, sizes.to_vec())) {
            return known.clone();
        }
        let shape = self.library.variables(function, sizes).ok().map(|variables| {
            let mut arrays = self.library.arrays(function, sizes);
            arrays.retain(|row| !row.is_empty() && row.end <= variables.len());
            arrays.sort_by_key(|row| row.start);
            let (mut slots, mut next) = (Vec::new(), 0);
            for row in arrays {
                if row.start < next {
                    continue;
                }
                slots.extend((next..row.start).map(|index| Slot { variables: index..index + 1, is_array: false }));
                next = row.end;
                slots.push(Slot { variables: row, is_array: true });
            }
            slots.extend((next..variables.len()).map(|index| Slot { variables: index..index + 1, is_array: false }));
            Arc::new(Shape { variables, slots })
        });
        self.known.insert((function, sizes.to_vec()), shape.clone());
        shape
    }
}
