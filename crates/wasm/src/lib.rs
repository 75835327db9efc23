//! WebAssembly modules: loading them and running them exactly.
