//! Order statistics without sorting: the k-th smallest value of a slice in linear time on average.

/// The lower median; 0 for an empty slice. The slice is reordered.
pub fn median(values: &mut [i32]) -> i32 {
    match values.len() {
        0 => 0,
        length => select(values, (length - 1) / 2),
    }
}

/// The smallest value that is not less than nine tenths of all; 0 for an empty slice. The slice is reordered.
pub fn ninetieth_percentile(values: &mut [i32]) -> i32 {
    match values.len() {
        0 => 0,
        length => select(values, (length - 1) * 9 / 10),
    }
}

/// The value that would be at `wanted` if the slice were sorted.
fn select(values: &mut [i32], wanted: usize) -> i32 {
    let (mut low, mut high) = (0, values.len() - 1);
    while low < high {
        let boundary = partition(&mut values[low..=high]) + low;
        if wanted <= boundary {
            high = boundary;
        } else {
            low = boundary + 1;
        }
    }
    values[wanted]
}

/// Hoare's partition around the middle value: nothing up to the index returned is greater than anything behind it.
fn partition(values: &mut [i32]) -> usize {
    let pivot = values[(values.len() - 1) / 2];
    let (mut left, mut right) = (0, values.len() - 1);
    loop {
        while values[left] < pivot {
            left += 1;
        }
        while values[right] > pivot {
            right -= 1;
        }
        if left >= right {
            return right;
        }
        values.swap(left, right);
        left += 1;
        right -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_sorting() {
        let mut state = 1u32;
        for length in 1..60 {
            let values: Vec<i32> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as i32
                })
                .collect();
            let mut sorted = values.clone();
            sorted.sort();
            assert_eq!(median(&mut values.clone()), sorted[(values.len() - 1) / 2]);
            assert_eq!(ninetieth_percentile(&mut values.clone()), sorted[(values.len() - 1) * 9 / 10]);
        }
    }
}
