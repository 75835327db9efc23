//! Searching the paths of a program.
