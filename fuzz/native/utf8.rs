// utf8(u8[2], 2) -> i32
//! The validation and the characters of the standard library.

pub fn utf8(bytes: &[u8]) -> i32 {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().map(|c| if c.is_ascii_digit() { c as i32 * 1000 } else { c as i32 }).sum(),
        Err(error) => -1 - error.valid_up_to() as i32 - 10 * error.error_len().map_or(0, |length| length as i32),
    }
}
