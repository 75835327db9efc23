//! A list that grows at its end and whose clones share what they have in common.

use std::sync::Arc;

/// What a run has written or asked for is kept with each of its forks, and a path may fork after every entry. A clone
/// costs two pointers; the first entry that is added after it copies fewer than `CHUNK` entries, and each `CHUNK`
/// entries one pointer for each chunk. Whole copies took gigabytes within seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedList<T, const CHUNK: usize> {
    /// Each of `CHUNK` entries.
    full: Arc<Vec<Arc<[T]>>>,
    /// Fewer than `CHUNK`.
    last: Arc<Vec<T>>,
}

impl<T, const CHUNK: usize> Default for SharedList<T, CHUNK> {
    fn default() -> Self {
        SharedList { full: Arc::default(), last: Arc::default() }
    }
}

impl<T: Clone, const CHUNK: usize> SharedList<T, CHUNK> {
    pub(crate) fn len(&self) -> usize {
        self.full.len() * CHUNK + self.last.len()
    }

    pub(crate) fn push(&mut self, entry: T) {
        let last = Arc::make_mut(&mut self.last);
        last.push(entry);
        if last.len() == CHUNK {
            let chunk = std::mem::take(last).into();
            Arc::make_mut(&mut self.full).push(chunk);
        }
    }

    pub(crate) fn to_vec(&self) -> Vec<T> {
        self.full.iter().flat_map(|chunk| chunk.iter()).chain(self.last.iter()).cloned().collect()
    }

    /// Bytes that a clone may come to hold for itself alone.
    pub(crate) fn own_bytes(&self) -> u64 {
        (self.full.len() * size_of::<Arc<[T]>>() + self.last.len() * size_of::<T>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_what_was_there_and_go_their_own_ways() {
        const CHUNK: usize = 16;
        let mut list = SharedList::<usize, CHUNK>::default();
        let mut forks = Vec::new();
        for entry in 0..5 * CHUNK + 3 {
            forks.push((entry, list.clone()));
            list.push(entry);
        }
        let all: Vec<usize> = (0..5 * CHUNK + 3).collect();
        for (length, mut fork) in forks {
            assert_eq!((fork.len(), fork.to_vec()), (length, all[..length].to_vec()));
            for entry in 0..2 * CHUNK {
                fork.push(1000 + entry);
            }
            assert_eq!(fork.to_vec()[..length], all[..length]);
            assert_eq!(fork.to_vec()[length..], (1000..1000 + 2 * CHUNK).collect::<Vec<_>>());
            for (ours, theirs) in fork.full.iter().zip(list.full.iter()).take(length / CHUNK) {
                assert!(Arc::ptr_eq(ours, theirs), "a full chunk was copied");
            }
        }
        assert_eq!(list.to_vec(), all);
    }
}
