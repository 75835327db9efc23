//! What a search leaves behind, in forms for people and for other programs: the results as they are printed and saved, how
//! a worst case grows, charts, `report.html`, regression tests, and verdicts for CI.
//!
//! Modules, inputs and searches are not known here: of other crates only the vocabulary of ends and costs is used. Whoever
//! runs a search fills in these types.

pub mod chart;
pub mod class;
pub mod curve;
pub mod emit;
pub mod fit;
pub mod gate;
pub mod html;
pub mod junit;
pub mod profile;
pub mod result;
pub mod sarif;
pub mod text;
