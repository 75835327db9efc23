//! Indexing in the loop: slots of the current frame, arms, bodies.
//!
//! The module compiler produced every index, so none is ever out of bounds; the checks stay because nothing here is
//! `unsafe`. All of them share one cold function without arguments: with a message of its own, every check would have
//! to keep the arguments of that message available. The loop's fetch of the next instruction and
//! the count of a branch that is not taken have checks of their own, which measured faster.

use std::ops::Range;

use crate::code::Slot;

/// The current frame and what is above it on the stack.
pub(super) struct Slots<'s, V>(&'s mut [V]);

impl<'s, V: Copy + Default> Slots<'s, V> {
    #[inline(always)]
    pub fn new(stack: &'s mut [V], base: usize) -> Slots<'s, V> {
        Slots(&mut stack[base..])
    }

    #[inline(always)]
    pub fn get(&self, slot: Slot) -> V {
        *at(self.0, slot as usize)
    }

    #[inline(always)]
    pub fn get_mut(&mut self, slot: Slot) -> &mut V {
        at_mut(self.0, slot as usize)
    }

    #[inline(always)]
    pub fn set(&mut self, slot: Slot, value: V) {
        *self.get_mut(slot) = value;
    }

    /// Sets locals to zero, as they are at the start of a function.
    #[inline(always)]
    pub fn clear(&mut self, locals: Range<usize>) {
        self.0[locals].fill(V::default());
    }

    /// Moves the results of a function to the start of its frame, where its caller finds them.
    #[inline(always)]
    pub fn put_first(&mut self, results: Slot, count: u16) {
        match count {
            0 => {}
            1 => self.set(0, self.get(results)),
            _ => self.0.copy_within(results as usize..results as usize + count as usize, 0),
        }
    }
}

#[inline(always)]
pub(super) fn at<T>(values: &[T], index: usize) -> &T {
    match values.get(index) {
        Some(value) => value,
        None => outside(),
    }
}

#[inline(always)]
pub(super) fn at_mut<T>(values: &mut [T], index: usize) -> &mut T {
    match values.get_mut(index) {
        Some(value) => value,
        None => outside(),
    }
}

#[cold]
#[inline(never)]
fn outside() -> ! {
    panic!("compiled code names a slot, an arm or a function that does not exist")
}
