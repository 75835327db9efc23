//! Written by Pessimum: tests of the crate `lru`. They expect what it does now, whether that is right or not.
//!
//!     rustc --edition 2024 --crate-type rlib --crate-name lru lru.rs
//!     rustc --edition 2024 --test --extern lru=liblru.rlib THIS_FILE

use lru::Lru;

/// About forgets.
#[test]
fn forgets() {
    let mut lru = Lru::<u32, u32>::with_capacity(1).unwrap();
    assert_eq!(lru.put(1, 10), None);
    assert_eq!(lru.put(2, 20), Some(1));
    assert_eq!(lru.get(&1), None);
    assert_eq!(lru.get(&2), Some(20));
    assert_eq!(lru.len(), 1);
}

/// About nothing.
#[test]
fn nothing() {
    assert!(Lru::<u32, u32>::with_capacity(0).is_none());
}
