// version(u8[2], 2) -> i32
//! Splitting and matching: `1.` and `.2` are incomplete, `x` means any.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Any,
    Number(u8),
}

pub fn version(bytes: &[u8]) -> i32 {
    let mut parts = Vec::new();
    for part in bytes.split(|&byte| byte == b'.') {
        match part {
            [] => return -1,
            [b'x' | b'X' | b'*'] => parts.push(Part::Any),
            [digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
                let number = digits.iter().fold(0u8, |number, digit| number * 10 + (digit - b'0'));
                parts.push(Part::Number(number));
            }
            _ => return -2,
        }
    }
    match parts[..] {
        [Part::Number(n)] if n >= 42 => 1000 + i32::from(n),
        [Part::Number(n)] => i32::from(n),
        [a, b] if a > b => 2,
        [Part::Any] => 3,
        _ => 4,
    }
}
