//! More functions of Rust.

#[cfg_attr(target_arch = "wasm32", link(wasm_import_module = "pessimum"))]
unsafe extern "C" {
    safe fn cost(amount: i64);
}

// The optimised loop has two tests, of which the first always holds.
// flags: cover --cflags '-C opt-level=0'
// call: gcd(u32 in 1..=15, u32 in 1..=15)
// all: product(range(1, 16), repeat=2)
// paths: 600
#[unsafe(no_mangle)]
pub extern "C" fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        cost(1);
        (a, b) = (b, a % b); // dead: the check for a division by zero
    }
    a
}

// call: letter(u8)
// all: ones(range(256))
#[unsafe(no_mangle)]
pub extern "C" fn letter(c: u8) -> u32 {
    if c.is_ascii_digit() {
        1
    } else if c.is_ascii_alphabetic() {
        cost(2);
        2
    } else {
        3
    }
}

// call: wrapped(i8)
// all: ones(range(-128, 128))
#[unsafe(no_mangle)]
pub extern "C" fn wrapped(x: i8) -> i32 {
    let y = x.wrapping_neg();
    if y == x && x != 0 {
        cost(7);
        return 1;
    }
    i32::from(y)
}

// call: ones(u16)
// all: ones(range(65536))
// runs: worst
#[unsafe(no_mangle)]
pub extern "C" fn ones(mut x: u16) -> u32 {
    let mut n = 0;
    while x != 0 {
        cost(1);
        x &= x - 1;
        n += 1;
    }
    n
}

// call: split(i32 in -20..=-11 | 11..=20)
// all: ones(list(range(-20, -10)) + list(range(11, 21)))
// beyond: ones([0, 10])
#[unsafe(no_mangle)]
pub extern "C" fn split(x: i32) -> i32 {
    if x.abs() <= 10 { // dead: no such number is permitted
        cost(30);
        return 0;
    }
    if x > 15 { 2 } else { 1 }
}

// call: quarter(i32 in -3..=3, i32 in -3..=3)
// all: product(range(-3, 4), repeat=2)
#[unsafe(no_mangle)]
pub extern "C" fn quarter(x: i32, y: i32) -> i32 {
    match (x.signum(), y.signum()) { // dead: what no sign is
        (0, _) | (_, 0) => 0,
        (1, 1) => 1,
        (-1, 1) => 2,
        (-1, -1) => 3,
        _ => 4,
    }
}

// call: digits(u64 in 0..=5000)
// all: ones(range(5001))
// runs: worst
#[unsafe(no_mangle)]
pub extern "C" fn digits(mut x: u64) -> u32 {
    let mut n = 0;
    loop {
        cost(1);
        n += 1;
        x /= 10;
        if x == 0 {
            return n;
        }
    }
}

// call: triangular(u32 in 0..=25)
// all: ones(range(26))
#[unsafe(no_mangle)]
pub extern "C" fn triangular(x: u32) -> u32 {
    let (mut sum, mut i) = (0, 0);
    while sum < x {
        cost(1);
        i += 1;
        sum += i;
    }
    u32::from(sum == x)
}
