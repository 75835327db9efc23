//! A plain library: none of these functions knows of WebAssembly.

/// Insertion sort.
pub fn sort(values: &mut [i32]) {
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
        }
    }
}

/// Whether the brackets are balanced.
pub fn balanced(text: &str) -> bool {
    let mut depth = 0u32;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// Takes and gives what has no counterpart in C.
pub fn total(values: Vec<u16>) -> Option<u64> {
    values.iter().map(|value| u64::from(*value)).reduce(|a, b| a + b)
}

/// Cannot be called: which type would it be?
pub fn first<T: Copy>(values: &[T]) -> Option<T> {
    values.first().copied()
}

/// Has a C interface already.
#[unsafe(no_mangle)]
pub extern "C" fn raw(x: i32) -> i32 {
    x + helper::one()
}

mod helper;
