//! Questions of the current instruction, and the answers to them.
//!
//! An instruction that needs to know a value that depends on the input leaves the loop with a question. The answer is
//! kept, and the instruction runs again from its start: it asks the same questions in the same order, and takes the
//! answers given so far.

use super::{Leave, Stop};
use crate::domain::Domain;
use crate::machine::Question;

/// The answers to the questions of the current instruction.
pub(crate) struct Answers {
    given: Vec<u64>,
    /// How many of them this execution of the instruction has taken.
    taken: usize,
}

impl Answers {
    #[inline(always)]
    pub fn new(given: Vec<u64>) -> Answers {
        Answers { given, taken: 0 }
    }

    /// What must be kept for the next execution.
    #[inline(always)]
    pub fn into_given(self) -> Vec<u64> {
        self.given
    }

    /// Discards the answers once the instruction is complete.
    #[inline(always)]
    pub fn clear<D: Domain>(&mut self) {
        if D::SYMBOLIC && self.taken > 0 {
            self.given.clear();
            self.taken = 0;
        }
    }

    /// The next answer, if it has been given.
    pub fn next(&mut self) -> Option<u64> {
        let answer = self.given.get(self.taken).copied()?;
        self.taken += 1;
        Some(answer)
    }

    /// The bits of a value, asked for with this question if they depend on the input.
    #[inline(always)]
    pub fn bits<D: Domain, S: Stop<D::Value>>(
        &mut self,
        value: D::Value,
        question: impl FnOnce(D::Value) -> Question<D::Value>,
    ) -> Result<u64, S> {
        match D::known(value) {
            Some(bits) => Ok(bits),
            None => self.next().ok_or_else(|| S::because(|| Leave::Ask(question(value)))),
        }
    }

    /// Whether the condition of a trap holds.
    #[inline(always)]
    pub fn traps<D: Domain, S: Stop<D::Value>>(&mut self, condition: D::Value) -> Result<bool, S> {
        Ok(self.bits::<D, S>(condition, Question::Trap)? != 0)
    }
}
