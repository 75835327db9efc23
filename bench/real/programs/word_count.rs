//! The commonest words of a text, with an ordered map from the library and a sort by count. The worst text has many
//! different short words with long ties.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A word with where it was first seen.
#[derive(Debug)]
struct Entry {
    count: u32,
    first: usize,
}

/// Words are letters and digits, and an apostrophe between two letters.
fn words(text: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        while at < text.len() {
            let inside = text[at] == b'\''
                && text[at - 1].is_ascii_alphabetic()
                && text.get(at + 1).is_some_and(|next| next.is_ascii_alphabetic());
            if !text[at].is_ascii_alphanumeric() && !inside {
                break;
            }
            at += 1;
        }
        found.push((start, text[start..at].to_ascii_lowercase()));
    }
    found
}

/// The number of times that the tenth commonest word is there, after ordering by count, then by place.
pub fn tenth(text: &[u8]) -> u32 {
    let mut counts: BTreeMap<Vec<u8>, Entry> = BTreeMap::new();
    for (first, word) in words(text) {
        counts.entry(word).or_insert(Entry { count: 0, first }).count += 1;
    }
    let mut ranked: Vec<(Vec<u8>, Entry)> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, entry)| (Reverse(entry.count), entry.first));
    ranked.get(9).or(ranked.last()).map_or(0, |(_, entry)| entry.count)
}
