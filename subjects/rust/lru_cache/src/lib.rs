//! A cache that forgets what was not used for longest, unless it is pinned.
//!
//! ```
//! use lru_cache::LruCache;
//!
//! let mut cache = LruCache::new(2)?;
//! cache.put("a", 1)?;
//! cache.put("b", 2)?;
//! assert_eq!(cache.get(&"a"), Some(&1));
//! cache.put("c", 3)?;
//! assert_eq!(cache.get(&"b"), None); // "a" was used after it
//! # Ok::<(), lru_cache::CacheError>(())
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheError {
    /// A cache for nothing.
    NoCapacity,
    /// There is no room, and every entry is pinned.
    AllPinned,
    /// There is no entry with this key.
    NotFound,
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CacheError::NoCapacity => "a cache needs room for one entry at least",
            CacheError::AllPinned => "every entry of the cache is pinned",
            CacheError::NotFound => "the cache has no such entry",
        })
    }
}

impl Error for CacheError {}

/// How often entries were found and not found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Calls of [`LruCache::get`] that found an entry.
    pub hits: u64,
    /// Calls of [`LruCache::get`] that did not.
    pub misses: u64,
    /// Entries that made room for others.
    pub evictions: u64,
}

#[derive(Clone, Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    pinned: bool,
    /// The one that was used just after it.
    newer: Option<usize>,
    /// The one that was used just before it.
    older: Option<usize>,
}

/// A cache of at most `capacity` entries.
#[derive(Clone, Debug)]
pub struct LruCache<K, V> {
    /// Entries refer to each other by their place here; places without an entry are in `free`.
    entries: Vec<Option<Entry<K, V>>>,
    free: Vec<usize>,
    places: BTreeMap<K, usize>,
    newest: Option<usize>,
    oldest: Option<usize>,
    capacity: usize,
    statistics: Statistics,
}

impl<K: Ord + Clone, V> LruCache<K, V> {
    /// An empty cache.
    pub fn new(capacity: usize) -> Result<Self, CacheError> {
        if capacity == 0 {
            return Err(CacheError::NoCapacity);
        }
        Ok(Self {
            entries: Vec::new(),
            free: Vec::new(),
            places: BTreeMap::new(),
            newest: None,
            oldest: None,
            capacity,
            statistics: Statistics::default(),
        })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How often entries were found, not found and forgotten.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Hits per call of [`LruCache::get`], in percent; nothing before the first call.
    pub fn hit_rate(&self) -> Option<u64> {
        let Statistics { hits, misses, .. } = self.statistics;
        (100 * hits).checked_div(hits + misses)
    }

    fn entry_mut(&mut self, place: usize) -> &mut Entry<K, V> {
        self.entries[place].as_mut().expect("places in use have an entry")
    }

    fn entry(&self, place: usize) -> &Entry<K, V> {
        self.entries[place].as_ref().expect("places in use have an entry")
    }

    /// Takes an entry out of the order of use.
    fn unlink(&mut self, place: usize) {
        let (newer, older) = (self.entry(place).newer, self.entry(place).older);
        match newer {
            Some(newer) => self.entry_mut(newer).older = older,
            None => self.newest = older,
        }
        match older {
            Some(older) => self.entry_mut(older).newer = newer,
            None => self.oldest = newer,
        }
    }

    /// Makes an entry that is not in the order of use the newest.
    fn link(&mut self, place: usize) {
        let older = self.newest.replace(place);
        let entry = self.entry_mut(place);
        entry.newer = None;
        entry.older = older;
        match older {
            Some(older) => self.entry_mut(older).newer = Some(place),
            None => self.oldest = Some(place),
        }
    }

    fn touch(&mut self, place: usize) {
        if self.newest != Some(place) {
            self.unlink(place);
            self.link(place);
        }
    }

    fn take(&mut self, place: usize) -> (K, V) {
        self.unlink(place);
        let entry = self.entries[place].take().expect("places in use have an entry");
        self.free.push(place);
        self.places.remove(&entry.key);
        (entry.key, entry.value)
    }

    /// The entry to forget first.
    fn candidate(&self) -> Option<usize> {
        let mut at = self.oldest;
        while let Some(place) = at {
            let entry = self.entry(place);
            if !entry.pinned {
                return Some(place);
            }
            at = entry.newer;
        }
        None
    }

    /// The value of a key, which counts as a use.
    pub fn get(&mut self, key: &K) -> Option<&V> {
        let Some(&place) = self.places.get(key) else {
            self.statistics.misses += 1;
            return None;
        };
        self.statistics.hits += 1;
        self.touch(place);
        Some(&self.entry(place).value)
    }

    /// The value of a key, which does not count as a use.
    pub fn peek(&self, key: &K) -> Option<&V> {
        self.places.get(key).map(|&place| &self.entry(place).value)
    }

    /// Sets the value of a key. Returns what had to go: the key's value before, or the entry that made room.
    ///
    /// ```
    /// # use lru_cache::LruCache;
    /// let mut cache = LruCache::new(1)?;
    /// assert_eq!(cache.put('x', 1)?, None);
    /// assert_eq!(cache.put('x', 2)?, Some(('x', 1)));
    /// assert_eq!(cache.put('y', 3)?, Some(('x', 2)));
    /// # Ok::<(), lru_cache::CacheError>(())
    /// ```
    pub fn put(&mut self, key: K, value: V) -> Result<Option<(K, V)>, CacheError> {
        if let Some(&place) = self.places.get(&key) {
            self.touch(place);
            let before = std::mem::replace(&mut self.entry_mut(place).value, value);
            return Ok(Some((key, before)));
        }
        let mut evicted = None;
        if self.len() >= self.capacity {
            let place = self.candidate().ok_or(CacheError::AllPinned)?;
            evicted = Some(self.take(place));
            self.statistics.evictions += 1;
        }
        let entry = Entry { key: key.clone(), value, pinned: false, newer: None, older: None };
        let place = match self.free.pop() {
            Some(place) => {
                self.entries[place] = Some(entry);
                place
            }
            None => {
                self.entries.push(Some(entry));
                self.entries.len() - 1
            }
        };
        self.places.insert(key, place);
        self.link(place);
        Ok(evicted)
    }

    /// Removes the entry of a key, pinned or not.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let &place = self.places.get(key)?;
        Some(self.take(place).1)
    }

    /// Keeps an entry from being forgotten, or no longer. Returns whether that is new.
    pub fn pin(&mut self, key: &K, pinned: bool) -> Result<bool, CacheError> {
        let &place = self.places.get(key).ok_or(CacheError::NotFound)?;
        let entry = self.entry_mut(place);
        let changed = entry.pinned != pinned;
        entry.pinned = pinned;
        Ok(changed)
    }

    /// Changes the capacity; returns how many entries were forgotten. Where too many are pinned, nothing changes.
    pub fn resize(&mut self, capacity: usize) -> Result<usize, CacheError> {
        if capacity == 0 {
            return Err(CacheError::NoCapacity);
        }
        let pinned = self.entries.iter().flatten().filter(|entry| entry.pinned).count();
        if pinned > capacity {
            return Err(CacheError::AllPinned);
        }
        let mut forgotten = 0;
        while self.len() > capacity {
            let Some(place) = self.candidate() else { break };
            self.take(place);
            forgotten += 1;
        }
        self.capacity = capacity;
        self.statistics.evictions += forgotten as u64;
        Ok(forgotten)
    }

    /// The entries, the last used first.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        std::iter::successors(self.newest, |&place| self.entry(place).older).map(|place| {
            let entry = self.entry(place);
            (&entry.key, &entry.value)
        })
    }
}
