//! Exceptions that the program holds references to.
//!
//! Code can do nothing with a reference but keep it, test it for null and throw it again, so its number means nothing. What is
//! no longer referred to is found by looking at every value that could be a reference, and only once many are kept.

use smallvec::SmallVec;

use crate::domain::Domain;
use crate::machine::{Limit, Machine, TagAddress};

/// Kept exceptions before those that nothing refers to are looked for.
const FEW: usize = 1 << 10;

/// A run that keeps more than this has reached the limit of memory: they may hold each other in a chain of any length.
const MOST: usize = 1 << 20;

/// An exception: its tag, and the values that it carries.
#[derive(Clone, Debug)]
pub(crate) struct Exception<V> {
    pub tag: TagAddress,
    pub values: SmallVec<[V; 2]>,
}

/// The exceptions of a machine; a reference is a number here plus one.
#[derive(Clone, Debug)]
pub(crate) struct Exceptions<V> {
    kept: Vec<Option<Exception<V>>>,
    /// Numbers that are free.
    free: Vec<u32>,
    /// How many may be kept before it is worth looking for unused ones.
    enough: usize,
}

impl<V> Default for Exceptions<V> {
    fn default() -> Exceptions<V> {
        Exceptions { kept: Vec::new(), free: Vec::new(), enough: FEW }
    }
}

impl<V: Copy> Exceptions<V> {
    /// What a reference refers to; `None` for null.
    pub fn get(&self, reference: u64) -> Option<&Exception<V>> {
        self.kept.get(reference.checked_sub(1)? as usize)?.as_ref()
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.kept.len() * size_of::<Option<Exception<V>>>()
    }

    /// The same in another domain.
    pub fn map<W>(&self, mut value: impl FnMut(V) -> W) -> Exceptions<W> {
        let mut one = |exception: &Exception<V>| Exception {
            tag: exception.tag,
            values: exception.values.iter().map(|&of| value(of)).collect(),
        };
        let kept = self.kept.iter().map(|kept| kept.as_ref().map(&mut one)).collect();
        Exceptions { kept, free: self.free.clone(), enough: self.enough }
    }

    fn insert(&mut self, exception: Exception<V>) -> u64 {
        let number = match self.free.pop() {
            Some(number) => number as usize,
            None => {
                self.kept.push(None);
                self.kept.len() - 1
            }
        };
        self.kept[number] = Some(exception);
        number as u64 + 1
    }
}

impl<D: Domain> Machine<D> {
    /// Keeps an exception and returns the reference to it.
    pub(crate) fn keep_exception(&mut self, exception: Exception<D::Value>) -> Result<u64, Limit> {
        if self.exceptions.free.is_empty() && self.exceptions.kept.len() >= self.exceptions.enough {
            self.drop_unused_exceptions(&exception);
            let used = self.exceptions.kept.len() - self.exceptions.free.len();
            if used >= MOST {
                return Err(Limit::Memory);
            }
            // So that looking for them takes a constant time for each one that is made.
            self.exceptions.enough = FEW.max(2 * used);
        }
        Ok(self.exceptions.insert(exception))
    }

    /// Drops what no value of the machine refers to, nor one of this exception. Values have no type here, so that a number
    /// may look like a reference; what it seems to refer to is kept.
    fn drop_unused_exceptions(&mut self, new: &Exception<D::Value>) {
        let kept = &self.exceptions.kept;
        let mut used = vec![false; kept.len()];
        let mut open = Vec::new();
        let mut see = |reference: u64, open: &mut Vec<usize>| {
            if let Some(number) = reference.checked_sub(1)
                && let Some(used) = used.get_mut(number as usize)
                && !std::mem::replace(used, true)
            {
                open.push(number as usize);
            }
        };
        let values = self.stack.values.iter().chain(&self.globals).chain(&new.values);
        for reference in values.filter_map(|&value| D::known(value)) {
            see(reference, &mut open);
        }
        for &reference in self.tables.iter().flat_map(|table| table.elements.iter()) {
            see(reference, &mut open);
        }
        while let Some(number) = open.pop() {
            for &value in kept[number].iter().flat_map(|exception| &exception.values) {
                if let Some(reference) = D::known(value) {
                    see(reference, &mut open);
                }
            }
        }
        self.exceptions.free.clear();
        for (number, used) in used.into_iter().enumerate().rev() {
            if !used {
                self.exceptions.kept[number] = None;
                self.exceptions.free.push(number as u32);
            }
        }
    }
}
