//! A buffer of a fixed size, in which the oldest elements are at the front.

/// It has no place left.
#[derive(Debug, PartialEq, Eq)]
pub struct Full<T>(pub T);

/// Elements in a circle.
pub struct RingBuffer<T> {
    slots: Vec<Option<T>>,
    first: usize,
    length: usize,
}

impl<T> RingBuffer<T> {
    /// Panics without any capacity.
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "a ring needs room");
        RingBuffer { slots: (0..capacity).map(|_| None).collect(), first: 0, length: 0 }
    }

    pub fn push(&mut self, value: T) -> Result<(), Full<T>> {
        if self.length == self.slots.len() {
            return Err(Full(value));
        }
        let at = (self.first + self.length) % self.slots.len();
        self.slots[at] = Some(value);
        self.length += 1;
        Ok(())
    }

    pub fn pop(&mut self) -> Option<T> {
        if self.length == 0 {
            return None;
        }
        let value = self.slots[self.first].take();
        self.first = (self.first + 1) % self.slots.len();
        self.length -= 1;
        value
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        if index >= self.length {
            return None;
        }
        self.slots[(self.first + index) % self.slots.len()].as_ref()
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl<T: Ord> RingBuffer<T> {
    pub fn greatest(&self) -> Option<&T> {
        self.slots.iter().flatten().max()
    }
}

impl<T> IntoIterator for RingBuffer<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(mut self) -> Self::IntoIter {
        let mut all = Vec::new();
        while let Some(value) = self.pop() {
            all.push(value);
        }
        all.into_iter()
    }
}
