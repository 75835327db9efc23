//! The SAT solver behind one small trait, so that another one can take its place.
//!
//! batsat is the usual one: bit-blasting alone, 16 keys of a string hash modulo 1021 took CaDiCaL (the feature
//! `cadical`) 10 ms a query and batsat 1,021 ms, but mixed arithmetic 96 and 39 ms; through the whole stack the first
//! case never reaches the SAT solver, and batsat builds in two seconds where CaDiCaL takes a minute and a half.

use crate::{Until, Why};

/// A literal: twice the number of its variable, plus 1 if negated. Variable 0 is always true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(pub u32);

impl Literal {
    pub const TRUE: Literal = Literal(0);
    pub const FALSE: Literal = Literal(1);

    pub fn constant(value: bool) -> Literal {
        if value { Literal::TRUE } else { Literal::FALSE }
    }
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 0)
    }
    pub fn flip_if(self, flip: bool) -> Literal {
        Literal(self.0 ^ flip as u32)
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// How long a call may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Conflicts; the unit that is the same on every machine.
    pub conflicts: u64,
    /// Checked during the call.
    pub until: Until,
}

/// What a call found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Model,
    /// The assumptions that cannot hold together.
    Core(Vec<Literal>),
    GaveUp(Why),
}

/// An incremental SAT solver.
pub trait Sat {
    fn variable(&mut self) -> u32;
    fn variables(&self) -> u32;
    fn clause(&mut self, literals: &[Literal]);
    fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Found;
    /// What has been done so far, in a unit that is the same on every machine: about a propagation.
    fn work(&self) -> u64;
    /// The value in the model found last.
    fn value(&mut self, literal: Literal) -> bool;
}

/// An empty solver of the kind that the crate was built with.
pub fn solver() -> Box<dyn Sat> {
    #[cfg(feature = "cadical")]
    return Box::new(crate::cadical::Cadical::new());
    #[cfg(not(feature = "cadical"))]
    Box::new(crate::batsat::Batsat::new())
}

/// An empty solver for a second opinion: another kind, if the crate was built with two.
pub fn second_solver() -> Box<dyn Sat> {
    Box::new(crate::batsat::Batsat::new())
}
