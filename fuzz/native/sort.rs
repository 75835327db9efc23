// sort(u8[4] in 0..16, 4) -> u32
//! The sort of the standard library, and a search in its result.

pub fn sort(values: &mut [u8]) -> u32 {
    values.sort_unstable_by(|a, b| (b % 4, b).cmp(&(a % 4, a)));
    let place = values.iter().position(|&value| value == 7).map_or(9, |place| place as u32);
    values.iter().fold(place, |packed, &value| packed << 4 | u32::from(value))
}
