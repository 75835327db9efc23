//! Compilers of the machine: how they are found and run, what they read, where they write, and what becomes of the names
//! in their modules.

pub mod exports;
pub mod inputs;
pub mod lists;
pub mod tool;
pub mod workplace;
