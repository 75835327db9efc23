//! Patterns: generators of inputs of every size, made from costly inputs of small ones.
//!
//! A search shows the worst input at 16; a pattern is the rule behind it. The [`language`] says what a generator can
//! be, [`words`] and [`code`] put it into English and into programs. Candidates come from two sides: [`induce`] reads
//! them off inputs that were found (runs, periods, what can be pumped) and enumerates small ones, [`evolve`] varies and
//! crosses them. Both are judged by concrete runs at sizes far beyond the search, which are hundreds of times cheaper
//! than symbolic ones. Nothing here knows WebAssembly: inputs are run by a [`Runner`].

pub mod code;
pub mod evolve;
pub mod induce;
pub mod language;
mod vary;
pub mod words;

pub use evolve::{Candidate, Effort, Runner, Trial, chosen, synthesise};
pub use induce::{Example, Material};
pub use language::{Atom, Filling, List, Number, Pattern, Segment, Sequence, Slack, Slot, Times};
