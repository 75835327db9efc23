//! Functions that crash on some inputs, with numbers of the input in what they say.
pub fn small(x: u32) -> u32 {
    assert!(x < 100, "{x} is too much");
    x + 1
}

pub fn pick(values: &[u32], at: usize) -> u32 {
    values[at]
}
