//! Unchecked access to what instructions name: slots of the current frame, positions in the code, arms, bodies; and to
//! memory, after one comparison.
//!
//! This is the only place with `unsafe` code. With every access checked, the loop took 1.15 to 1.6 times as many host
//! instructions. What the functions here rely on:
//!
//! - Operands come from instructions of the running module, whose code has been [`Verified`]: slots are below the
//!   widest frame, targets are in the code, arms and bodies exist, and control does not run past the end.
//! - A [`Slots`] is at least as long as the widest frame of that module, and a [`Counts`] as long as its table of arms. Both
//!   check that when they are made.
//! - A [`Position`] starts at a checked index and only moves as instructions say.
//! - A [`Buffer`] compares every address with a bound of its own, which no one else can change.
//!
//! A number from anywhere else (a waiting caller, an address, an index into a table) is checked where it is used.
//! Compiled with debug assertions, everything is checked on every access.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::cells::Cell;
#[cfg(all(tail_calls, not(debug_assertions)))]
use super::dispatch::Handler;
use crate::code::{Instr, Slot};
use crate::memory::PAGE;
use crate::module::{Arm, Body, Module};
use crate::verify::Verified;

/// The verified code of a module.
#[derive(Clone, Copy)]
pub(super) struct Code<'m> {
    cells: &'m [Cell],
    /// For each of them, the slot that is passed to it; see [`super::cells`].
    passed: &'m [Option<Slot>],
    arms: &'m [Arm],
    bodies: &'m [Body],
    /// Slots that the instructions may name.
    width: usize,
}

impl<'m> Code<'m> {
    #[inline(always)]
    pub fn of(module: &'m Module) -> Code<'m> {
        let _: Verified = module.verified.expect("only loaded modules run, and loading verifies them");
        let Module { cells, arms, bodies, widest_frame, .. } = module;
        Code { cells: &cells.all, passed: &cells.passed, arms, bodies, width: *widest_frame as usize }
    }

    /// The position with this index, if it is in the code.
    #[inline(always)]
    pub fn position(&self, index: usize) -> Option<Position<'m>> {
        (index < self.cells.len()).then(|| self.target(index as u32))
    }

    /// The position that a verified instruction, arm or body gives.
    #[inline(always)]
    pub fn target(&self, target: u32) -> Position<'m> {
        debug_assert!((target as usize) < self.cells.len());
        // SAFETY: verified code has no target outside itself.
        Position(unsafe { self.cells.as_ptr().add(target as usize) }, PhantomData)
    }

    /// The slot whose value the instruction at this position gets in a register, if there is one.
    #[inline(always)]
    pub fn passed(&self, position: Position<'m>) -> Option<Slot> {
        self.passed[self.index(position)]
    }

    #[inline(always)]
    pub fn index(&self, position: Position<'m>) -> usize {
        // SAFETY: a position is in the code that it was made from, and the loop uses those of one module only.
        unsafe { position.0.offset_from(self.cells.as_ptr()) as usize }
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
pub(super) struct Position<'m>(*const Cell, PhantomData<&'m [Cell]>);

impl<'m> Position<'m> {
    #[inline(always)]
    fn cell(self) -> &'m Cell {
        // SAFETY: a position is always in the code that it was made from.
        unsafe { &*self.0 }
    }

    #[inline(always)]
    pub fn instr(self) -> &'m Instr {
        &self.cell().instr
    }

    /// What executes the instruction.
    #[cfg(all(tail_calls, not(debug_assertions)))]
    #[inline(always)]
    pub fn handler(self) -> Handler {
        self.cell().handler
    }

    /// Where a jump or branch goes, and what that adds to the accumulated cost.
    #[inline(always)]
    pub fn jump(self) -> (Position<'m>, i32) {
        let &Cell { hop, adjust, .. } = self.cell();
        // SAFETY: this is the distance to a target in verified code.
        (Position(unsafe { self.0.byte_offset(hop as isize) }, PhantomData), adjust)
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
///
/// A plain pointer, because it is passed from instruction to instruction in a register beside the machine that owns the
/// stack. Whatever may move or extend the stack (calls, returns, host functions, the rarer instructions) makes a new one
/// afterwards, and the old one is not used again.
pub(super) struct Slots<V> {
    first: *mut V,
    #[cfg(debug_assertions)]
    length: usize,
}

impl<V> Clone for Slots<V> {
    #[inline(always)]
    fn clone(&self) -> Slots<V> {
        *self
    }
}

impl<V> Copy for Slots<V> {}

impl<V: Copy + Default> Slots<V> {
    /// The frame that starts at `base`. The stack is extended if it ends before that frame does.
    #[inline(always)]
    pub fn new(stack: &mut Vec<V>, base: usize, code: &Code<'_>) -> Slots<V> {
        let top = base + code.width + CLEARED;
        if stack.len() < top {
            extend(stack, top);
        }
        Slots::existing(stack, base, code).expect("the stack has just been made that long")
    }

    /// The same, if the stack is long enough.
    #[inline(always)]
    pub fn existing(stack: &mut [V], base: usize, code: &Code<'_>) -> Option<Slots<V>> {
        let length = code.width + CLEARED;
        if base + length > stack.len() {
            return None;
        }
        Some(Slots {
            // SAFETY: the stack is longer than that.
            first: unsafe { stack.as_mut_ptr().add(base) },
            #[cfg(debug_assertions)]
            length,
        })
    }

    /// The frame of a callee, which starts at a slot of this one, if there is room for it.
    #[inline(always)]
    pub fn callee(&self, slot: Slot, base: usize, room: Room) -> Option<Slots<V>> {
        if base + slot as usize >= room.0 {
            return None;
        }
        // SAFETY: a frame that starts below the end of the room is in the stack, and this one starts at `base`.
        Some(Slots { first: unsafe { self.first.add(slot as usize) }, ..*self })
    }

    /// The frame that starts at `base`, if this one starts at `own` and is not below it.
    #[inline(always)]
    pub fn caller(&self, own: usize, base: usize) -> Option<Slots<V>> {
        let down = own.checked_sub(base)?;
        // SAFETY: the stack begins `own` slots below this frame, and what is in it here is longer than a frame.
        Some(Slots { first: unsafe { self.first.sub(down) }, ..*self })
    }

    /// Compiled with debug assertions, checks that these slots are in the frame.
    #[inline(always)]
    fn check(&self, end: usize) {
        #[cfg(debug_assertions)]
        assert!(end <= self.length, "a slot is outside the frame");
        let _ = end;
    }

    #[inline(always)]
    pub fn get(&self, slot: Slot) -> V {
        self.check(slot as usize + 1);
        // SAFETY: verified code names no slot outside the widest frame, and this is no shorter.
        unsafe { *self.first.add(slot as usize) }
    }

    #[inline(always)]
    pub fn get_mut(&mut self, slot: Slot) -> &mut V {
        self.check(slot as usize + 1);
        // SAFETY: as above, and the reference borrows the only copy that the instruction has.
        unsafe { &mut *self.first.add(slot as usize) }
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
            self.check(local + CLEARED);
            for slot in local..local + CLEARED {
                // SAFETY: verified bodies have no more locals than the widest frame has slots, and this has `CLEARED` more.
                // Volatile, because the compiler would make a call to `memset` of plain writes.
                unsafe { self.first.add(slot).write_volatile(V::default()) };
            }
            local += CLEARED;
        }
    }

    /// Moves the results of a function to the start of its frame, where its caller finds them.
    #[inline(always)]
    pub fn put_first(&mut self, results: Slot, count: u16) {
        match count {
            0 => {}
            1 => self.set(0, self.get(results)),
            _ => {
                self.check(results as usize + count as usize);
                // SAFETY: verified code returns slots of the widest frame.
                unsafe { std::ptr::copy(self.first.add(results as usize), self.first, count as usize) }
            }
        }
    }
}

/// A frame of the module that starts below this place is in the stack, and within the limit of its size. Like the [`Slots`] of
/// a stack, this becomes invalid when the stack is moved or extended.
#[derive(Clone, Copy)]
pub(super) struct Room(usize);

impl Room {
    #[inline(always)]
    pub fn new<V>(stack: &[V], limit: usize, code: &Code<'_>) -> Room {
        let ends = stack.len().saturating_sub(CLEARED).min(limit);
        Room((ends + 1).saturating_sub(code.width))
    }
}

/// Doubles the stack at least, so that it is not extended often.
#[cold]
#[inline(never)]
fn extend<V: Copy + Default>(stack: &mut Vec<V>, top: usize) {
    stack.resize(top.max(stack.len() * 2), V::default());
}

/// Where a handler would go if it were given another instruction than its own.
///
/// Only the two dispatchers call handlers, each with the instruction that it found at the position.
#[inline(always)]
pub(super) fn wrong_handler() -> ! {
    if cfg!(debug_assertions) {
        unreachable!("a handler was given another instruction");
    }
    // SAFETY: see above.
    unsafe { std::hint::unreachable_unchecked() }
}

/// The longest access to memory in bytes.
pub(crate) const QUICK: usize = 8;

/// A linear memory in one piece, and marks on the pages of it that may have been written.
#[derive(Default)]
pub(crate) struct Buffer {
    /// All bytes, also those beyond the end of the memory.
    all: Box<[u8]>,
    /// One for each page of `all`, nonzero if it may have been written. [`Buffer::store`] marks the page in which it begins.
    marks: Box<[u8]>,
    /// The size of the memory.
    size: usize,
    /// From every address below this, [`QUICK`] bytes are in bounds.
    quick: usize,
}

impl Buffer {
    /// Zeros without marks; a multiple of [`PAGE`].
    pub fn new(size: usize) -> Buffer {
        let zeros = |count: usize| vec![0; count].into_boxed_slice();
        let mut buffer = Buffer { all: zeros(size), marks: zeros(size.div_ceil(PAGE)), size: 0, quick: 0 };
        buffer.resize(size);
        buffer
    }

    /// The largest size that the memory can have in this buffer.
    pub fn capacity(&self) -> usize {
        self.all.len()
    }

    /// Changes where the memory ends, and no byte.
    pub fn resize(&mut self, size: usize) {
        assert!(size <= self.all.len(), "a memory does not exceed its buffer");
        (self.size, self.quick) = (size, size.saturating_sub(QUICK - 1));
    }

    /// The memory.
    pub fn bytes(&self) -> &[u8] {
        &self.all[..self.size]
    }

    /// The memory; whoever writes marks the pages.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.all[..self.size]
    }

    /// The whole buffer, and its marks.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        (&self.all, &self.marks)
    }

    /// The same, for writing.
    pub fn parts_mut(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut self.all, &mut self.marks)
    }

    /// The bytes at an address, if that is not too close to the end.
    #[inline(always)]
    pub fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        const { assert!(N <= QUICK) };
        if address >= self.quick as u64 {
            return None;
        }
        debug_assert!(address as usize + N <= self.all.len());
        // SAFETY: `quick` is set together with `size`, which is at most the length of the buffer: below `quick`, `QUICK`
        // bytes are in it.
        Some(unsafe { self.all.as_ptr().add(address as usize).cast::<[u8; N]>().read() })
    }

    /// Stores the low bytes of a value at an address, if that is not too close to the end.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, bits: u64) -> bool {
        const { assert!(N <= QUICK) };
        if address >= self.quick as u64 {
            return false;
        }
        let (at, page) = (address as usize, address as usize / PAGE);
        debug_assert!(at + N <= self.all.len() && page < self.marks.len());
        let mut bytes = [0; N];
        bytes.copy_from_slice(&bits.to_le_bytes()[..N]);
        // SAFETY: as above, and there is a mark for each page of the buffer.
        unsafe {
            self.all.as_mut_ptr().add(at).cast::<[u8; N]>().write(bytes);
            *self.marks.get_unchecked_mut(page) = 1;
        }
        true
    }
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
