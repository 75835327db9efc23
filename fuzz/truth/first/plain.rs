//! Functions of Rust with the calling convention of C.

#[cfg_attr(target_arch = "wasm32", link(wasm_import_module = "pessimum"))]
unsafe extern "C" {
    safe fn cost(amount: i64);
}

// call: absolute(i32 in -9..=9)
// all: ones(range(-9, 10))
#[unsafe(no_mangle)]
pub extern "C" fn absolute(x: i32) -> i32 {
    if x < 0 {
        cost(1);
        return -x;
    }
    x
}

// call: grade(u8)
// all: ones(range(256))
#[unsafe(no_mangle)]
pub extern "C" fn grade(points: u8) -> u32 {
    match points {
        0..=49 => 1,
        50..=79 => 2,
        80..=100 => 3,
        _ => 0,
    }
}

// call: collatz(u32 in 1..=30)
// all: ones(range(1, 31))
#[unsafe(no_mangle)]
pub extern "C" fn collatz(mut x: u32) -> u32 {
    let mut n = 0;
    while x != 1 {
        cost(1);
        x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
        n += 1;
    }
    n
}

// call: mean(i32 in -6..=6, i32 in -6..=6)
// all: product(range(-6, 7), repeat=2)
#[unsafe(no_mangle)]
pub extern "C" fn mean(a: i32, b: i32) -> i32 {
    if a == b {
        return a;
    }
    if (a + b) % 2 != 0 { -100 } else { (a + b) / 2 }
}

// call: saturated(i64)
// some: ones([0, 1, -1, 2**62, -2**62])
#[unsafe(no_mangle)]
pub extern "C" fn saturated(x: i64) -> i64 {
    if x.checked_mul(4).is_none() {
        cost(5);
        return 0;
    }
    x * 4
}

// call: option(i32 in 0..=7)
// all: ones(range(8))
#[unsafe(no_mangle)]
pub extern "C" fn option(x: i32) -> i32 {
    let found = [3, 5].iter().position(|&other| other == x);
    match found {
        Some(at) => at as i32,
        None => -1,
    }
}

// call: ranges(i32 in -50..=-40 | 40..=50)
// all: ones(list(range(-50, -39)) + list(range(40, 51)))
// beyond: ones([0, 7])
#[unsafe(no_mangle)]
pub extern "C" fn ranges(x: i32) -> i32 {
    if (-10..10).contains(&x) { // dead: no such number is permitted
        cost(20);
        return 1;
    }
    if x > 45 { 2 } else { 3 }
}

// call: prime(u32 in 0..=60)
// all: ones(range(61))
#[unsafe(no_mangle)]
pub extern "C" fn prime(x: u32) -> u32 {
    let mut d = 2;
    while d * d <= x {
        cost(1);
        if x % d == 0 { // dead: the check for a division by zero
            return d;
        }
        d += 1;
    }
    0
}
