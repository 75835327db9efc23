//! What C code was handed in a run, which costs in lines do not show.
//!
//! A third kind of process runs each reported input once more and tells totals by operation and place. A class is
//! stated only where this bound grows no faster than the costs, and never where code without a bound (`re`) is handed
//! more at larger sizes. The bound may be far above the truth, so classes are withheld that hold (`s += t` in CPython).
//! It is no price: searches do not see it.

use serde::Deserialize;

/// An operation of C at one place.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Handed {
    /// As in `x in list` or `re.Pattern.match()`.
    pub operation: String,
    /// The file; relative to the directory of the user's file where it is below that.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// How often it was handed more than one element.
    pub times: u64,
    /// Where there is a bound: elements, bytes or pairs of digits that it touched at most, all times together. Elsewhere:
    /// the most elements or bytes that it was handed at once.
    pub units: u64,
}

/// What C code was handed in a run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PythonWork {
    /// What all operations with a bound touched at most.
    pub total: u64,
    /// Those with the most of it, in descending order.
    pub bounded: Vec<Handed>,
    /// Operations without a bound, such as the matching of regular expressions, in descending order.
    pub unbounded: Vec<Handed>,
}
