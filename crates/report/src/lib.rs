//! What a search leaves behind, in forms for people and for other programs. The only types that are written to files
//! and read back are here; how paths are found is not known here.

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
