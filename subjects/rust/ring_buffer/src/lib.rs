//! A queue of bounded length in a ring.
//!
//! ```
//! use ring_buffer::RingBuffer;
//!
//! let mut last_three = RingBuffer::overwriting(3)?;
//! last_three.extend(1..=5);
//! assert_eq!(last_three.iter().copied().collect::<Vec<_>>(), [3, 4, 5]);
//! # Ok::<(), ring_buffer::RingError>(())
//! ```

use std::error::Error;
use std::fmt;

/// The greatest capacity of a [`RingBuffer`].
pub const MAX_CAPACITY: usize = 1 << 16;

/// What [`RingBuffer::push`] does when there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The new item is refused.
    Refuse,
    /// The oldest item is dropped.
    Overwrite,
}

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingError {
    /// A buffer for nothing.
    NoCapacity,
    /// A capacity above [`MAX_CAPACITY`].
    CapacityTooLarge,
    /// There is no room for the item.
    Full,
    /// There is no item with this index.
    OutOfRange,
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RingError::NoCapacity => "a ring buffer needs room for one item at least",
            RingError::CapacityTooLarge => "the capacity of a ring buffer is limited",
            RingError::Full => "the ring buffer is full",
            RingError::OutOfRange => "the index is not less than the length",
        })
    }
}

impl Error for RingError {}

fn check(capacity: usize) -> Result<(), RingError> {
    match capacity {
        0 => Err(RingError::NoCapacity),
        1..=MAX_CAPACITY => Ok(()),
        _ => Err(RingError::CapacityTooLarge),
    }
}

/// A queue that holds at most `capacity` items. Memory is taken as items come.
#[derive(Clone, Debug)]
pub struct RingBuffer<T> {
    /// Grows to `capacity`; from then on places are used again. Only the places of the queue's items are `Some`.
    slots: Vec<Option<T>>,
    capacity: usize,
    /// The place of the oldest item; less than `capacity`.
    first: usize,
    length: usize,
    when_full: WhenFull,
    dropped: u64,
}

impl<T> RingBuffer<T> {
    /// An empty buffer that refuses items while it is full.
    pub fn refusing(capacity: usize) -> Result<Self, RingError> {
        Self::new(capacity, WhenFull::Refuse)
    }

    /// An empty buffer that drops the oldest item for a new one while it is full.
    pub fn overwriting(capacity: usize) -> Result<Self, RingError> {
        Self::new(capacity, WhenFull::Overwrite)
    }

    fn new(capacity: usize, when_full: WhenFull) -> Result<Self, RingError> {
        check(capacity)?;
        Ok(Self { slots: Vec::new(), capacity, first: 0, length: 0, when_full, dropped: 0 })
    }

    /// How many items it holds.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether it holds as much as it can.
    pub fn is_full(&self) -> bool {
        self.length == self.capacity
    }

    /// How many items it can hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// What happens to items while it is full.
    pub fn when_full(&self) -> WhenFull {
        self.when_full
    }

    /// How many items were overwritten since the buffer was made.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The place of the item with this index, which need not be there yet.
    fn place(&self, index: usize) -> usize {
        let place = self.first + index;
        if place >= self.capacity { place - self.capacity } else { place }
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: T) -> Result<(), RingError> {
        if self.is_full() {
            match self.when_full {
                WhenFull::Refuse => return Err(RingError::Full),
                WhenFull::Overwrite => {
                    self.pop();
                    self.dropped += 1;
                }
            }
        }
        let place = self.place(self.length);
        if place < self.slots.len() {
            self.slots[place] = Some(item);
        } else {
            self.slots.push(Some(item));
        }
        self.length += 1;
        Ok(())
    }

    /// Takes the oldest item.
    ///
    /// ```
    /// # use ring_buffer::RingBuffer;
    /// let mut buffer = RingBuffer::refusing(2)?;
    /// buffer.push('a')?;
    /// assert_eq!(buffer.pop(), Some('a'));
    /// assert_eq!(buffer.pop(), None);
    /// # Ok::<(), ring_buffer::RingError>(())
    /// ```
    pub fn pop(&mut self) -> Option<T> {
        if self.length == 0 {
            return None;
        }
        let item = self.slots[self.first].take();
        self.first = self.place(1);
        self.length -= 1;
        item
    }

    /// Takes the newest item.
    pub fn pop_newest(&mut self) -> Option<T> {
        let index = self.length.checked_sub(1)?;
        let place = self.place(index);
        self.length = index;
        self.slots[place].take()
    }

    /// The item with this index, counted from the oldest.
    pub fn get(&self, index: usize) -> Option<&T> {
        if index < self.length { self.slots[self.place(index)].as_ref() } else { None }
    }

    /// Puts another item in the place of the one with this index, which is returned.
    pub fn replace(&mut self, index: usize, item: T) -> Result<T, RingError> {
        if index >= self.length {
            return Err(RingError::OutOfRange);
        }
        let place = self.place(index);
        self.slots[place].replace(item).ok_or(RingError::OutOfRange)
    }

    /// Drops the items that do not fit, the oldest first, and returns how many they were.
    pub fn resize(&mut self, capacity: usize) -> Result<usize, RingError> {
        check(capacity)?;
        let excess = self.length.saturating_sub(capacity);
        for _ in 0..excess {
            self.pop();
        }
        // The items have to begin at the first place, or the end of the ring would be in the middle of them.
        let mut slots = Vec::with_capacity(self.length);
        for index in 0..self.length {
            let place = self.place(index);
            slots.push(self.slots[place].take());
        }
        self.slots = slots;
        self.first = 0;
        self.capacity = capacity;
        Ok(excess)
    }

    /// Moves the `count` oldest items to the end, in their order.
    pub fn rotate(&mut self, count: usize) {
        if self.length < 2 {
            return;
        }
        for _ in 0..count % self.length {
            if let Some(item) = self.pop() {
                // There is room: an item was just taken.
                let _ = self.push(item);
            }
        }
    }

    /// Drops all items.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.first = 0;
        self.length = 0;
    }

    /// The items, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.length).filter_map(|index| self.get(index))
    }
}

impl<T: PartialEq> RingBuffer<T> {
    /// The index of the oldest item that equals this one.
    pub fn position(&self, item: &T) -> Option<usize> {
        self.iter().position(|at| at == item)
    }

    /// Whether it holds the same items in the same order, wherever in the ring they are.
    pub fn same_items(&self, other: &Self) -> bool {
        self.length == other.length && self.iter().eq(other.iter())
    }
}

impl<T> Extend<T> for RingBuffer<T> {
    /// Pushes the items until one is refused.
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            if self.push(item).is_err() {
                break;
            }
        }
    }
}
