// checked(i8, i8) -> i32
//! Arithmetic that panics where it overflows, and where the divisor is zero.

pub fn checked(a: i8, b: i8) -> i32 {
    let sum = if a > 100 { a.wrapping_add(b) } else { a + b / 2 };
    i32::from(sum) + i32::from(a) % i32::from(b)
}
