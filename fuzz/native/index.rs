// index(u8, u8) -> i32
//! A table whose index may be too large: the check panics.

const TABLE: [i16; 24] =
    [3, -1, 4, -1, 5, -9, 2, -6, 5, -3, 5, -8, 9, -7, 9, -3, 2, -3, 8, -4, 6, -2, 6, -4];

pub fn index(row: u8, column: u8) -> i32 {
    let slice = &TABLE[usize::from(row % 32)..];
    let value = slice[usize::from(column & 7)];
    if value < 0 { -i32::from(value) * 1000 + i32::from(column >> 3) } else { i32::from(value) }
}
