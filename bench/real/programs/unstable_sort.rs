//! Statistics of measurements: sorts with the standard library's `sort_unstable`, whose partition has no branches on the
//! data, and reads off percentiles.

/// The distance between the lowest and the highest tenth, plus how many values are distinct.
pub fn spread(values: &mut [i32]) -> i64 {
    values.sort_unstable();
    if values.is_empty() {
        return 0;
    }
    let tenth = values.len() / 10;
    let distance = i64::from(values[values.len() - 1 - tenth]) - i64::from(values[tenth]);
    let distinct = 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count() as i64;
    distance + distinct
}
