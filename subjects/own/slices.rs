//! build: rust
//!
//! Rust functions over a slice and over a string.
//!
//! call: inversions(i32[n], n)              pairs in the wrong order, counted by a merge sort
//! call: sort_slice(i32[n], n)              the standard library's unstable sort
//! call: longest_word(u8[n], n)             length of the longest word of a text in UTF-8, -1 if it is not UTF-8
//! call: distinct_words(u8[n], n)           number of different words, counted by comparing all with all
//!
//! Worst cases: `inversions` does at most n ceil(log2 n) - 2^ceil(log2 n) + 1 comparisons; `distinct_words` is quadratic in the words, so one-byte
//! words between spaces are near its worst; of the others the exact optimum is not known.

use std::slice;

/// # Safety
/// `at` must point to `length` initialised elements that nothing else refers to during the call.
unsafe fn elements<'a, T>(at: *mut T, length: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise; the buffer comes from the tool that calls the exported function.
    unsafe { slice::from_raw_parts_mut(at, length) }
}

fn merge_count(a: &mut [i32]) -> u64 {
    if a.len() < 2 {
        return 0;
    }
    let middle = a.len() / 2;
    let mut count = merge_count(&mut a[..middle]) + merge_count(&mut a[middle..]);
    let left = a[..middle].to_vec();
    let (mut i, mut j) = (0, middle);
    for k in 0..a.len() {
        if i == left.len() {
            break;
        }
        if j < a.len() && a[j] < left[i] {
            count += (left.len() - i) as u64;
            a[k] = a[j];
            j += 1;
        } else {
            a[k] = left[i];
            i += 1;
        }
    }
    count
}

#[unsafe(no_mangle)]
pub extern "C" fn inversions(at: *mut i32, length: usize) -> u64 {
    // SAFETY: see `elements`.
    merge_count(unsafe { elements(at, length) })
}

#[unsafe(no_mangle)]
pub extern "C" fn sort_slice(at: *mut i32, length: usize) {
    // SAFETY: see `elements`.
    unsafe { elements(at, length) }.sort_unstable();
}

#[unsafe(no_mangle)]
pub extern "C" fn longest_word(at: *mut u8, length: usize) -> i32 {
    // SAFETY: see `elements`.
    match std::str::from_utf8(unsafe { elements(at, length) }) {
        Ok(text) => text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0) as i32,
        Err(_) => -1,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn distinct_words(at: *mut u8, length: usize) -> i32 {
    // SAFETY: see `elements`.
    let Ok(text) = std::str::from_utf8(unsafe { elements(at, length) }) else { return -1 };
    let mut seen: Vec<&str> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen.len() as i32
}
