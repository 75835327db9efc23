//! Whether a run that was cut off never ends: a machine whose whole state comes back goes round for ever, since what it does next
//! depends on nothing else. (What a host function tells it could; see [`Process::recurrence`].)

use crate::domain::Concrete;
use crate::embed::{Process, ProcessEvent};
use crate::machine::{Frame, Machine};

/// Jumps of a run that are looked at: a second or a few.
const JUMPS: u64 = 1 << 22;

/// Jumps between two looks at the clock.
const ASK_EVERY: u64 = 1 << 12;

/// A state that came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// Instructions up to where it was there first, as far as anybody looked.
    pub after: u64,
    /// Instructions from there to the next time.
    pub every: u64,
}

impl Process<Concrete> {
    /// Runs on as long as `go_on` says so, and says when the state at a jump is what it was before at one. States are compared in
    /// full, as in Brent's algorithm: each with the one at the last power of two. "An improved Monte Carlo factorization
    /// algorithm", BIT 20, 1980. Between the two the program may not have asked its host for anything that is not the same each
    /// time.
    pub fn recurrence(mut self, domain: &mut Concrete, go_on: &mut dyn FnMut() -> bool) -> Option<Recurrence> {
        let mut kept: Option<(Machine<Concrete>, u64, u64)> = None;
        for jump in 1..JUMPS {
            self.pause_after(0);
            if !matches!(self.run(domain), ProcessEvent::Pause) || (jump % ASK_EVERY == 0 && !go_on()) {
                return None;
            }
            let (now, asked) = (self.instructions(), self.asked_host());
            let (machine, _) = self.machine();
            if let Some((before, after, then)) = &kept
                && *then == asked
                && machine.is_as(before)
            {
                return Some(Recurrence { after: *after, every: now - after });
            }
            if jump.is_power_of_two() {
                kept = Some((machine.clone(), now, asked));
            }
        }
        None
    }
}

impl Machine<Concrete> {
    /// Whether all that decides what the machine does next is the same. Counters are not part of that.
    fn is_as(&self, other: &Machine<Concrete>) -> bool {
        let frame = |frame: &Frame| (frame.pc, frame.base, frame.instance);
        // What differs most often comes first.
        let place = |machine: &Machine<Concrete>| (machine.pc, machine.base, machine.instance, machine.in_code);
        let (top, tables) = (self.top_of_stack(), |machine: &Machine<Concrete>| machine.tables.len());
        place(self) == place(other)
            && self.status == other.status
            && top == other.top_of_stack()
            && self.stack.values[..top] == other.stack.values[..top]
            && self.globals == other.globals
            && self.stack.callers.iter().map(frame).eq(other.stack.callers.iter().map(frame))
            // In the middle of an instruction there is more to it, and exceptions have references of their own.
            && self.answers.is_empty() && other.answers.is_empty()
            && self.unfinished.is_none() && other.unfinished.is_none()
            && self.exceptions.bytes() == 0 && other.exceptions.bytes() == 0
            && tables(self) == tables(other)
            && self.tables.iter().zip(&other.tables).all(|(one, other)| one.elements == other.elements)
            && self.dropped == other.dropped
            && self.memories.len() == other.memories.len()
            && self.memories.iter().zip(&other.memories).all(|(one, other)| one.is_as(other))
    }
}
