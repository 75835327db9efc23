//! Decides whether concrete runs go from instruction to instruction by tail calls (`src/run/dispatch.rs`).
//!
//! LLVM makes jumps of them when it optimises, on these architectures. Otherwise there is a loop.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(tail_calls)");
    let is = |name: &str, values: &[&str]| env::var(name).is_ok_and(|value| values.contains(&value.as_str()));
    if is("OPT_LEVEL", &["2", "3"]) && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"]) {
        println!("cargo::rustc-cfg=tail_calls");
    }
}
