//! How many pairs of n intervals overlap? The worst case of the cost reported here is all n(n-1)/2 of them.
#![allow(missing_docs)]

#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    use pessimum_guest::{any_i32, assume, cost, size};
    let intervals: Vec<(i32, i32)> = (0..size())
        .map(|_| {
            let (low, high) = (any_i32(), any_i32());
            assume(low <= high);
            (low, high)
        })
        .collect();
    let mut overlaps = 0;
    for (i, a) in intervals.iter().enumerate() {
        for b in &intervals[..i] {
            if a.0 <= b.1 && b.0 <= a.1 {
                cost(1);
                overlaps += 1;
            }
        }
    }
    overlaps
}
