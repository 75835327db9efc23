//! How a crate enforces its worst case. `cargo test` searches for the worst inputs of these functions.

/// Merge sort: no list of 16 numbers may cost more than this, and the cost may not grow faster than n log n.
#[cfg_attr(test, pessimum::worst_case(size = 16, at_most = 10_000))]
pub fn merge_sort(list: &mut [i32]) {
    let mut sorted = list.to_vec();
    let mut width = 1;
    while width < list.len() {
        for start in (0..list.len()).step_by(2 * width) {
            let middle = (start + width).min(list.len());
            let end = (start + 2 * width).min(list.len());
            merge(&list[start..middle], &list[middle..end], &mut sorted[start..end]);
        }
        list.copy_from_slice(&sorted);
        width *= 2;
    }
}

fn merge(left: &[i32], right: &[i32], into: &mut [i32]) {
    let (mut i, mut k) = (0, 0);
    for place in into {
        let from_left = k == right.len() || (i < left.len() && left[i] <= right[k]);
        if from_left {
            *place = left[i];
            i += 1;
        } else {
            *place = right[k];
            k += 1;
        }
    }
}

/// Insertion sort, whose worst case is quadratic: `tests/growth.rs` shows how a test finds that out.
pub fn insertion_sort(list: &mut [i32]) {
    for i in 1..list.len() {
        let mut k = i;
        while k > 0 && list[k - 1] > list[k] {
            list.swap(k - 1, k);
            k -= 1;
        }
    }
}
