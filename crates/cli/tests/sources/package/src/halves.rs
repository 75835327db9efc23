pub fn search(values: &[i64], wanted: i64) -> Option<usize> {
    let (mut low, mut high) = (0, values.len());
    while low < high {
        let middle = (low + high) / 2;
        if values[middle] == wanted {
            return Some(middle);
        }
        if values[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    None
}
