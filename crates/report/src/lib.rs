//! What a search leaves behind, for people and for other programs: results as they are printed and saved, how the
//! worst case grows, charts, `report.html`, and verdicts for CI.
//!
//! This crate knows nothing of modules, inputs or searches; all it takes from other crates is the vocabulary of ends
//! and costs. Whoever runs a search fills in these types.

pub mod certainty;
pub mod chart;
pub mod class;
pub mod compare;
pub mod cover;
pub mod curve;
pub mod doubts;
pub mod fit;
pub mod formula;
pub mod gate;
pub mod grown;
pub mod html;
pub mod junit;
mod model;
pub mod names;
pub mod pattern;
pub mod profile;
pub mod result;
pub mod sarif;
pub mod suite;
pub mod text;
pub mod work;
