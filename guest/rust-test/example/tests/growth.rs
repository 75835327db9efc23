//! Tests that search functions of this crate by their names.

#[pessimum::worst_case(call = "merge_sort", class = "n log n", sizes = "4,8,16,32,64", paths = 200)]
#[test]
fn merge_sort_grows_like_n_log_n() {}

/// This limit is exceeded: the test shows the class, and where the worst inputs are.
#[pessimum::worst_case(call = "insertion_sort", class = "n log n", sizes = "4,8,16,32,64", paths = 200)]
#[test]
#[should_panic(expected = "above --fail-above-class n log n")]
fn insertion_sort_does_not() {}
