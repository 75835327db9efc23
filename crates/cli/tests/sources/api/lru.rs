//! A cache that forgets what was not used for the longest time.

use std::collections::HashMap;
use std::hash::Hash;

#[derive(Debug, Clone)]
pub struct Lru<K, V> {
    entries: HashMap<K, (V, u64)>,
    capacity: usize,
    clock: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> Lru<K, V> {
    pub fn with_capacity(capacity: usize) -> Option<Self> {
        if capacity == 0 { None } else { Some(Lru { entries: HashMap::new(), capacity, clock: 0 }) }
    }

    pub fn get(&mut self, key: &K) -> Option<V> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.1 = self.clock;
        Some(entry.0.clone())
    }

    pub fn put(&mut self, key: K, value: V) -> Option<K> {
        self.clock += 1;
        let mut gone = None;
        if !self.entries.contains_key(&key) && self.entries.len() == self.capacity {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.1).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.entries.remove(&oldest);
                gone = Some(oldest);
            }
        }
        self.entries.insert(key, (value, self.clock));
        gone
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
