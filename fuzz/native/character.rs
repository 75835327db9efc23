// character(u32 in 0xd780..0x1d780) -> u32
//! Characters and their encodings, around the surrogates and the planes.

pub fn character(code: u32) -> u32 {
    let Some(c) = char::from_u32(code) else { return u32::MAX };
    let mut bytes = [0; 4];
    let length = c.encode_utf8(&mut bytes).len() as u32;
    let sum = bytes.iter().fold(0u32, |sum, &byte| sum.rotate_left(5) ^ u32::from(byte));
    sum ^ length << 28 ^ (c.len_utf16() as u32) << 24
}
