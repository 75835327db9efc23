//! Functions of Rust over domains with edges.

#[cfg_attr(target_arch = "wasm32", link(wasm_import_module = "pessimum"))]
unsafe extern "C" {
    safe fn cost(amount: i64);
}

// call: bounded(i8)
// all: ones(range(-128, 128))
#[unsafe(no_mangle)]
pub extern "C" fn bounded(x: i8) -> i32 {
    match x.checked_abs() {
        Some(y) if y > 100 => {
            cost(2);
            1
        }
        Some(_) => 0,
        None => {
            cost(9);
            -1
        }
    }
}

// call: edges(u64 in 0..=1 | 18446744073709551615..=18446744073709551615)
// all: ones([0, 1, 2**64 - 1])
// beyond: ones([2, 2**63])
#[unsafe(no_mangle)]
pub extern "C" fn edges(x: u64) -> i32 {
    if x.leading_zeros() == 0 {
        cost(1);
        return 2;
    }
    if x > 1 { // dead: no such number is permitted
        cost(40);
        return 1;
    }
    0
}

// call: fermat(u32 in 0..=6, u32 in 0..=6)
// all: product(range(7), repeat=2)
// paths: 400
#[unsafe(no_mangle)]
pub extern "C" fn fermat(a: u32, b: u32) -> u32 {
    let mut c = 0;
    while c * c < a * a + b * b {
        cost(1);
        c += 1;
    }
    u32::from(c * c == a * a + b * b)
}

// call: ordering(i32 in -2..=2, i32 in -2..=2)
// all: product(range(-2, 3), repeat=2)
#[unsafe(no_mangle)]
pub extern "C" fn ordering(a: i32, b: i32) -> i32 {
    use std::cmp::Ordering;
    match a.cmp(&b) {
        Ordering::Less => -1,
        Ordering::Equal if a == 0 => {
            cost(3);
            0
        }
        Ordering::Equal => 10,
        Ordering::Greater => 1,
    }
}

// call: rotated(u8)
// all: ones(range(256))
#[unsafe(no_mangle)]
pub extern "C" fn rotated(x: u8) -> u32 {
    let mut turns = 0;
    let mut y = x.rotate_left(1);
    while y != x {
        cost(1);
        y = y.rotate_left(1);
        turns += 1;
    }
    turns
}

// call: float_kind(f32)
// some: ones([0.0, 1.0, -1.0, float("nan"), float("inf"), 1e-40])
#[unsafe(no_mangle)]
pub extern "C" fn float_kind(x: f32) -> i32 {
    if x.is_nan() {
        cost(4);
        0
    } else if x.is_infinite() {
        1
    } else if x != 0.0 && x.abs() < f32::MIN_POSITIVE {
        2
    } else {
        3
    }
}
