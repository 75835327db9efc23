// parse(u8[2], 2) -> i32
//! Numbers as the standard library reads them, and its reasons for refusing the others.

use std::num::IntErrorKind;

pub fn parse(bytes: &[u8]) -> i32 {
    let Ok(text) = std::str::from_utf8(bytes) else { return i32::MIN };
    match text.trim_start_matches(' ').parse::<i8>() {
        Ok(number) => i32::from(number),
        Err(error) => match error.kind() {
            IntErrorKind::Empty => 1001,
            IntErrorKind::InvalidDigit => 1002,
            _ => 1003,
        },
    }
}
