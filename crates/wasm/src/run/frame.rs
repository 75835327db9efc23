//! Unchecked access to what instructions name: slots of the current frame, positions in the code, arms, bodies.
//!
//! This is the only place with `unsafe` code. With every access checked, the loop took 1.15 to 1.6 times as many host
//! instructions (see ARCHITECTURE.md). What the functions here rely on:
//!
//! - Operands come from instructions of the running module, whose code has been [`Verified`]: slots are below the
//!   widest frame, targets are in the code, arms and bodies exist, and control does not run past the end.
//! - A [`Slots`] is at least as long as the widest frame of that module, and a [`Counts`] as long as its table of arms. Both
//!   check that when they are made.
//! - A [`Position`] starts at a checked index and only moves as instructions say.
//!
//! A number from anywhere else (a waiting caller, an address, an index into a table) is checked where it is used.
//! Compiled with debug assertions, everything is checked on every access.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use crate::code::{Instr, Slot};
use crate::module::{Arm, Body, Module};
use crate::verify::Verified;

/// The verified code of a module.
#[derive(Clone, Copy)]
pub(super) struct Code<'m> {
    instrs: &'m [Instr],
    arms: &'m [Arm],
    bodies: &'m [Body],
    /// Slots that the instructions may name.
    width: usize,
}

impl<'m> Code<'m> {
    #[inline(always)]
    pub fn of(module: &'m Module) -> Code<'m> {
        let _: Verified = module.verified.expect("only loaded modules run, and loading verifies them");
        let Module { code, arms, bodies, widest_frame, .. } = module;
        Code { instrs: code, arms, bodies, width: *widest_frame as usize }
    }

    /// The position with this index, which is checked.
    #[inline(always)]
    pub fn position(&self, index: usize) -> Position<'m> {
        assert!(index < self.instrs.len(), "the machine stopped outside its code");
        self.target(index as u32)
    }

    /// The position that a verified instruction, arm or body gives.
    #[inline(always)]
    pub fn target(&self, target: u32) -> Position<'m> {
        debug_assert!((target as usize) < self.instrs.len());
        // SAFETY: verified code has no target outside itself.
        Position(unsafe { self.instrs.as_ptr().add(target as usize) }, PhantomData)
    }

    #[inline(always)]
    pub fn index(&self, position: Position<'m>) -> usize {
        // SAFETY: a position is in the code that it was made from, and the loop uses those of one module only.
        unsafe { position.0.offset_from(self.instrs.as_ptr()) as usize }
    }

    /// The arm that a verified branch names.
    #[inline(always)]
    pub fn arm(&self, arm: usize) -> &'m Arm {
        debug_assert!(arm < self.arms.len());
        // SAFETY: verified code names no arm that does not exist.
        unsafe { self.arms.get_unchecked(arm) }
    }

    /// The body that a verified call names.
    #[inline(always)]
    pub fn body(&self, body: u32) -> &'m Body {
        debug_assert!((body as usize) < self.bodies.len());
        // SAFETY: verified code names no body that does not exist.
        unsafe { self.bodies.get_unchecked(body as usize) }
    }
}

/// An instruction in verified code.
#[derive(Clone, Copy)]
pub(super) struct Position<'m>(*const Instr, PhantomData<&'m [Instr]>);

impl<'m> Position<'m> {
    #[inline(always)]
    pub fn instr(self) -> &'m Instr {
        // SAFETY: a position is always in the code that it was made from.
        unsafe { &*self.0 }
    }

    /// The one after it, for an instruction that control can leave that way.
    #[inline(always)]
    pub fn next(self) -> Position<'m> {
        // SAFETY: the last instruction of verified code jumps, returns or traps.
        Position(unsafe { self.0.add(1) }, PhantomData)
    }
}

/// Locals are set to zero this many at a time.
const CLEARED: usize = 4;

/// The current frame, and [`CLEARED`] slots more.
pub(super) struct Slots<'s, V>(&'s mut [V]);

impl<'s, V: Copy + Default> Slots<'s, V> {
    /// The frame that starts at `base`. The stack is extended if it ends before that frame does.
    #[inline(always)]
    pub fn new(stack: &'s mut Vec<V>, base: usize, code: &Code<'_>) -> Slots<'s, V> {
        let top = base + code.width + CLEARED;
        if stack.len() < top {
            extend(stack, top);
        }
        // SAFETY: the stack has just been made that long.
        Slots(unsafe { stack.get_unchecked_mut(base..top) })
    }

    #[inline(always)]
    pub fn get(&self, slot: Slot) -> V {
        debug_assert!((slot as usize) < self.0.len());
        // SAFETY: verified code names no slot outside the widest frame, and this is no shorter.
        unsafe { *self.0.get_unchecked(slot as usize) }
    }

    #[inline(always)]
    pub fn get_mut(&mut self, slot: Slot) -> &mut V {
        debug_assert!((slot as usize) < self.0.len());
        // SAFETY: as above.
        unsafe { self.0.get_unchecked_mut(slot as usize) }
    }

    #[inline(always)]
    pub fn set(&mut self, slot: Slot, value: V) {
        *self.get_mut(slot) = value;
    }

    /// Sets the locals of a function to zero, as they are at its start. What is above them has no value yet, so a few more
    /// than that do no harm: most functions take one step.
    #[inline(always)]
    pub fn clear(&mut self, body: &Body) {
        let mut local = body.params as usize;
        while local < body.locals as usize {
            debug_assert!(local + CLEARED <= self.0.len());
            // SAFETY: verified bodies have no more locals than the widest frame has slots, and this has `CLEARED` more.
            unsafe { self.0.get_unchecked_mut(local..local + CLEARED) }.fill(V::default());
            local += CLEARED;
        }
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

/// Doubles the stack at least, so that it is not extended often.
#[cold]
#[inline(never)]
fn extend<V: Copy + Default>(stack: &mut Vec<V>, top: usize) {
    stack.resize(top.max(stack.len() * 2), V::default());
}

/// How often each arm of an instance was taken.
pub(super) struct Counts(Vec<u64>);

impl Counts {
    /// Counts for the arms of a module.
    #[inline(always)]
    pub fn new(counts: Vec<u64>, code: &Code<'_>) -> Counts {
        assert_eq!(counts.len(), code.arms.len(), "an instance has a count for each arm of its module");
        Counts(counts)
    }

    /// Counts an arm that a verified branch names.
    #[inline(always)]
    pub fn count(&mut self, arm: usize) {
        debug_assert!(arm < self.0.len());
        // SAFETY: verified code names no arm that does not exist, and there is a count for each.
        unsafe { *self.0.get_unchecked_mut(arm) += 1 };
    }

    pub fn into_inner(self) -> Vec<u64> {
        self.0
    }
}
