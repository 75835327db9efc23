//! What a Rust program under test may import from Pessimum.
//!
//! A program that takes its inputs from these functions needs no `--call`. It is started with `--entry NAME`, asks for
//! the size and the inputs it wants, states what it assumes about them, and may say which part of it counts and report
//! its own cost.
//!
//! ```text
//! cargo build --release --target wasm32-unknown-unknown --example overlaps
//! pessimum worst target/wasm32-unknown-unknown/release/examples/overlaps.wasm --entry run --size 6 --cost user
//! ```
//!
//! The crate is empty on other targets, so that a program may depend on it everywhere and use it under
//! `cfg(target_arch = "wasm32")`.
#![no_std]
#![cfg(target_arch = "wasm32")]

mod import {
    #[link(wasm_import_module = "pessimum")]
    unsafe extern "C" {
        pub safe fn size() -> i32;
        pub safe fn i32() -> i32;
        pub safe fn i64() -> i64;
        pub safe fn f32() -> f32;
        pub safe fn f64() -> f64;
        pub fn bytes(at: *mut u8, length: i32);
        pub safe fn assume(condition: i32);
        pub safe fn cost(amount: i64);
        pub safe fn begin();
        pub safe fn end();
        pub fn message(text: *const u8, length: i32);
    }
}

/// The size n of this run (`--size`). Concrete.
pub fn size() -> usize {
    import::size() as usize
}

/// A new symbolic number.
pub fn any_i32() -> i32 {
    import::i32()
}

/// A new symbolic number.
pub fn any_i64() -> i64 {
    import::i64()
}

/// A new symbolic number, infinities and NaN included.
pub fn any_f32() -> f32 {
    import::f32()
}

/// A new symbolic number, infinities and NaN included.
pub fn any_f64() -> f64 {
    import::f64()
}

/// Replaces all bytes of `buffer` with new symbolic ones.
pub fn fill(buffer: &mut [u8]) {
    // SAFETY: the pointer and the length are those of an exclusive borrow, and the import writes exactly these bytes. A slice has at most
    // isize::MAX bytes, so the length fits into an i32 on wasm32.
    unsafe { import::bytes(buffer.as_mut_ptr(), buffer.len() as i32) }
}

/// Only inputs for which `condition` holds are of interest; the path ends here for all others. It is not counted as a branch.
pub fn assume(condition: bool) {
    import::assume(condition as i32);
}

/// Adds `amount` to the cost `user`.
pub fn cost(amount: i64) {
    import::cost(amount);
}

/// From here on everything counts: all costs so far are put back to zero. What comes before it, for instance the making of
/// the input, is not measured.
pub fn begin() {
    import::begin();
}

/// What follows does not count any more.
pub fn end() {
    import::end();
}

/// The cost of `action` alone: nothing before and after it counts.
pub fn measure<T>(action: impl FnOnce() -> T) -> T {
    begin();
    let result = action();
    end();
    result
}

/// Explains a trap that follows: the text is shown with it.
pub fn message(text: &str) {
    // SAFETY: the pointer and the length are those of a shared borrow, and the import only reads these bytes.
    unsafe { import::message(text.as_ptr(), text.len() as i32) }
}
