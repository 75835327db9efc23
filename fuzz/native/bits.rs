// bits(u16) -> i64
//! Counting, reversing and multiplying bits of all widths.

pub fn bits(x: u16) -> i64 {
    let mut value = u64::from(x.reverse_bits()) << 40 | u64::from(x);
    let ones = x.count_ones();
    if ones > 12 || x.leading_zeros() == 7 {
        value = value.rotate_left(ones).wrapping_mul(0x2545_f491_4f6c_dd1d);
    }
    let mut x = x;
    let mut runs = 0i64;
    while x != 0 {
        x >>= x.trailing_zeros();
        x = x.checked_shr(x.trailing_ones()).unwrap_or(0);
        runs += 1;
    }
    (value as i64 >> 3) ^ runs.pow(5)
}
