//! Texts in the data of a module: keywords, commands, magic words.

use pessimum_wasm::Module;
use std::collections::BTreeSet;

/// Lengths of texts that are worth trying: longer ones are messages, single characters are found anyway.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=24;

/// The most texts that are returned.
const MOST: usize = 512;

/// The texts, each once, the shortest first.
pub fn of(module: &Module) -> Vec<Vec<u8>> {
    let texts: BTreeSet<(usize, &[u8])> = module.data().flat_map(in_bytes).map(|text| (text.len(), text)).collect();
    texts.into_iter().take(MOST).map(|(_, text)| text.to_vec()).collect()
}

/// The longest parts of these bytes that are printable.
fn in_bytes(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    bytes.split(move |byte| !is_printable(byte)).filter(|text| LENGTHS.contains(&text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_parts_of_data_are_texts() {
        let bytes = b"get\0set \0\0x\x01\x02size\xffa message that is much too long\0OK\r\n";
        let texts: Vec<&[u8]> = in_bytes(bytes).collect();
        assert_eq!(texts, [&b"get"[..], b"set ", b"size", b"OK\r\n"]);
    }
}
