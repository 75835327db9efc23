//! Memory in one piece, for runs on known values.
//!
//! Such a run starts from an [`Image`] that it shares with thousands of others, or from zeros. Its buffer comes from the run
//! before it: only the pages that that one wrote are put back. So a run takes no more set-up than copying the pages it
//! touches, however large its memory is, and an access takes one comparison.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::{Bytes, PAGE};
use crate::domain::Domain;
use crate::run::{Buffer, QUICK};

/// Bytes of spare buffers that a thread keeps. Most programs have a memory of 0.1 to 2 MB, of which they touch little.
const MOST_SPARE: usize = 64 << 20;

thread_local! {
    /// Buffers of runs that have ended, each with the image that it was made from and the marks of what was written since.
    static SPARE: RefCell<Vec<Spare>> = const { RefCell::new(Vec::new()) };
}

/// The fields of a [`Flat`] that has been dropped.
type Spare = (Buffer, Option<Arc<Image>>);

/// What runs have in common when they start.
pub(crate) struct Image {
    /// The bits of each page; `None` for pages of zeros.
    pages: Vec<Option<Box<[u8; PAGE]>>>,
}

impl Image {
    pub fn new(pages: Vec<Option<Box<[u8; PAGE]>>>) -> Image {
        Image { pages }
    }
}

/// Known bytes.
#[derive(Default)]
pub struct Flat {
    buffer: Buffer,
    /// What unmarked pages of the buffer hold; without an image, zeros.
    image: Option<Arc<Image>>,
}

impl Flat {
    /// The bytes of an image.
    pub(super) fn of(image: &Arc<Image>) -> Flat {
        Flat::starting_as(Some(image), image.pages.len() * PAGE)
    }

    fn starting_as(image: Option<&Arc<Image>>, count: usize) -> Flat {
        if count == 0 {
            return Flat::default();
        }
        let mut flat = Flat::recycled(image, count).unwrap_or_else(|| Flat { buffer: Buffer::new(count), image: None });
        flat.restore();
        if !same(flat.image.as_ref(), image) {
            flat.replace_image(image);
        }
        flat.buffer.resize(count);
        flat
    }

    /// A spare buffer of at least this size, best one that was made from the same image.
    fn recycled(image: Option<&Arc<Image>>, count: usize) -> Option<Flat> {
        SPARE.with_borrow_mut(|spare| {
            let fits = |(buffer, _): &Spare| buffer.capacity() >= count;
            let best = |spare: &Spare| fits(spare) && same(spare.1.as_ref(), image);
            let found = spare.iter().position(best).or_else(|| spare.iter().position(fits))?;
            let (buffer, image) = spare.swap_remove(found);
            Some(Flat { buffer, image })
        })
    }

    /// Makes the buffer what it was at the start, and removes its marks.
    fn restore(&mut self) {
        let image = self.image.as_ref().map_or(&[][..], |image| &image.pages);
        let (bytes, marks) = self.buffer.parts_mut();
        each_marked(marks, |page| {
            let start = page * PAGE;
            put_back(&mut bytes[start..start + PAGE], image.get(page));
            // A store that begins in a page marks this page alone.
            let end = (start + PAGE + QUICK - 1).min(bytes.len());
            if let Some(next) = bytes.get_mut(start + PAGE..end) {
                put_back(next, image.get(page + 1));
            }
        });
        marks.fill(0);
    }

    /// Makes a buffer without marks one of another image.
    fn replace_image(&mut self, image: Option<&Arc<Image>>) {
        let (bytes, _) = self.buffer.parts_mut();
        let old = self.image.as_ref().map_or(&[][..], |image| &image.pages);
        let new = image.map_or(&[][..], |image| &image.pages);
        for (page, bytes) in bytes.chunks_exact_mut(PAGE).enumerate().take(old.len().max(new.len())) {
            let (old, new) = (old.get(page), new.get(page));
            if matches!(old, Some(Some(_))) || matches!(new, Some(Some(_))) {
                put_back(bytes, new);
            }
        }
        self.image = image.cloned();
    }

    /// Copies what differs from the image; `other` has been made from the same one.
    fn copy_marked_to(&self, other: &mut Flat) {
        let (from, marks) = self.buffer.parts();
        let (to, copied) = other.buffer.parts_mut();
        each_marked(marks, |page| {
            // Either buffer may be the longer one; no marked page is beyond the memory.
            let end = ((page + 1) * PAGE + QUICK - 1).min(from.len()).min(to.len());
            to[page * PAGE..end].copy_from_slice(&from[page * PAGE..end]);
            copied[page] = 1;
        });
    }

    /// Whether both have the same bytes. Only what was written is looked at, if they were made from the same image.
    pub(super) fn is_as(&self, other: &Flat) -> bool {
        let ((bytes, marks), (others, other_marks)) = (self.buffer.parts(), other.buffer.parts());
        if bytes.len() != others.len() || !same(self.image.as_ref(), other.image.as_ref()) {
            return bytes == others;
        }
        let mut equal = true;
        let mut compare = |page: usize| {
            let end = ((page + 1) * PAGE + QUICK - 1).min(bytes.len());
            equal = equal && bytes[(page * PAGE).min(end)..end] == others[(page * PAGE).min(end)..end];
        };
        each_marked(marks, &mut compare);
        each_marked(other_marks, &mut compare);
        equal
    }

    /// A range of the memory, for writing; its pages are marked.
    fn range_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        if !range.is_empty() {
            self.buffer.parts_mut().1[range.start / PAGE..=(range.end - 1) / PAGE].fill(1);
        }
        &mut self.buffer.bytes_mut()[range]
    }
}

/// Whether two buffers have one image.
fn same(a: Option<&Arc<Image>>, b: Option<&Arc<Image>>) -> bool {
    a.map(Arc::as_ptr) == b.map(Arc::as_ptr)
}

/// Gives a (part of a) page the contents that it has in an image, from the start of the page on.
fn put_back(bytes: &mut [u8], page: Option<&Option<Box<[u8; PAGE]>>>) {
    match page {
        Some(Some(page)) => bytes.copy_from_slice(&page[..bytes.len()]),
        _ => bytes.fill(0),
    }
}

/// Calls a function with the number of each page that is marked.
fn each_marked(marks: &[u8], mut action: impl FnMut(usize)) {
    const AT_ONCE: usize = 16;
    for (group, marks) in marks.chunks(AT_ONCE).enumerate() {
        if marks.iter().fold(0, |any, mark| any | mark) != 0 {
            let marked = marks.iter().enumerate().filter(|(_, mark)| **mark != 0);
            marked.for_each(|(i, _)| action(group * AT_ONCE + i));
        }
    }
}

impl Clone for Flat {
    fn clone(&self) -> Flat {
        let mut clone = Flat::starting_as(self.image.as_ref(), self.buffer.bytes().len());
        self.copy_marked_to(&mut clone);
        clone
    }
}

impl Drop for Flat {
    fn drop(&mut self) {
        let capacity = self.buffer.capacity();
        if capacity == 0 || capacity > MOST_SPARE {
            return;
        }
        // Where the thread is ending, there is no list any more, and the buffer is freed.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            spare.push((std::mem::take(&mut self.buffer), self.image.take()));
            while spare.iter().map(|(buffer, _)| buffer.capacity()).sum::<usize>() > MOST_SPARE {
                spare.remove(0);
            }
        });
    }
}

impl<D: Domain<Byte = u8>> Bytes<D> for Flat {
    fn new(count: u64) -> Flat {
        Flat::starting_as(None, count as usize)
    }

    fn take(&mut self) -> Flat {
        std::mem::take(self)
    }

    fn len(&self) -> u64 {
        self.buffer.bytes().len() as u64
    }

    fn grow(&mut self, count: u64) {
        let (old, new) = (self.buffer.bytes().len(), self.buffer.bytes().len() + count as usize);
        if new > self.buffer.capacity() {
            // Twice as much, so that all growing together copies no byte more than twice; the operating system provides what
            // is touched.
            let mut larger = Flat::starting_as(self.image.as_ref(), new + old);
            self.copy_marked_to(&mut larger);
            *self = larger;
        }
        self.buffer.resize(new);
    }

    /// Unless they are among the last few of the memory.
    #[inline(always)]
    fn load_plain<const N: usize>(&self, address: u64) -> Option<D::Value> {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&self.buffer.load::<N>(address)?);
        Some(D::constant(u64::from_le_bytes(bytes)))
    }

    /// Unless they are among the last few of the memory.
    #[inline(always)]
    fn store_plain<const N: usize>(&mut self, address: u64, value: D::Value) -> bool {
        let Some(bits) = D::known(value) else { return false };
        self.buffer.store::<N>(address, bits)
    }

    fn byte(&self, address: u64) -> u8 {
        self.buffer.bytes()[address as usize]
    }

    fn set_byte(&mut self, address: u64, byte: u8) {
        self.range_mut(address as usize..address as usize + 1)[0] = byte;
    }

    fn fill(&mut self, address: u64, byte: u8, _: Option<u8>, count: u64) {
        self.range_mut(address as usize..(address + count) as usize).fill(byte);
    }

    fn copy(&mut self, to: u64, from: u64, count: u64) {
        let range = to as usize..(to + count) as usize;
        self.range_mut(range.clone());
        self.buffer.bytes_mut().copy_within(from as usize..(from + count) as usize, range.start);
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        self.range_mut(address as usize..address as usize + bytes.len()).copy_from_slice(bytes);
    }

    fn read(&self, address: u64, count: u64) -> Vec<u8> {
        self.buffer.bytes()[address as usize..(address + count) as usize].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Concrete;
    use crate::memory::{Memory, WASM_PAGE};

    /// Numbers below `end`, from a generator that is good enough for tests.
    fn random(state: &mut u64, end: u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) % end
    }

    fn image(first: u8, pages: usize) -> Arc<Image> {
        let page = |number: usize| (number % 3 == 1).then(|| Box::new([first.wrapping_add(number as u8); PAGE]));
        Arc::new(Image::new((0..pages).map(page).collect()))
    }

    fn contents(image: Option<&Arc<Image>>, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        for (page, bytes) in image.iter().flat_map(|image| &image.pages).zip(bytes.chunks_mut(PAGE)) {
            put_back(bytes, Some(page));
        }
        bytes
    }

    /// One change of a random kind, made in the memory and in a plain vector. Many addresses are next to the end of a page.
    fn change(memory: &mut Memory<Concrete>, expected: &mut Vec<u8>, state: &mut u64) {
        let size = expected.len() as u64;
        let near = (1 + random(state, size / PAGE as u64)) * PAGE as u64 - random(state, 12).min(11) - 1;
        let at = if random(state, 2) == 0 { near } else { random(state, size) };
        let (value, byte) = (0x0101_0101_0101_0101 * (1 + random(state, 255)), random(state, 256) as u8);
        let count = random(state, 3 * PAGE as u64).min(size - at);
        match random(state, 12) {
            0 => {
                memory.fill(at, byte, Some(byte), count);
                expected[at as usize..(at + count) as usize].fill(byte);
            }
            1 => {
                let from = random(state, size - count + 1);
                memory.copy(at, from, count);
                expected.copy_within(from as usize..(from + count) as usize, at as usize);
            }
            2 => {
                let bytes = vec![byte; count as usize];
                assert!(memory.write(at, &bytes));
                expected[at as usize..(at + count) as usize].copy_from_slice(&bytes);
            }
            3 if size < 8 * WASM_PAGE => {
                memory.grow(1);
                expected.resize(expected.len() + WASM_PAGE as usize, 0);
            }
            kind => {
                let width = 1 << (kind % 4);
                let stored = match width {
                    1 => memory.store_plain::<1>(at, value),
                    2 => memory.store_plain::<2>(at, value),
                    4 => memory.store_plain::<4>(at, value),
                    _ => memory.store_plain::<8>(at, value),
                };
                let fits = at + width <= size;
                let stored = stored || memory.store_bytes(&mut Concrete::default(), at, value, width as usize).is_ok();
                assert_eq!(stored, fits, "{width} bytes at {at} of {size}");
                if fits {
                    expected[at as usize..(at + width) as usize]
                        .copy_from_slice(&value.to_le_bytes()[..width as usize]);
                }
                if at + 8 <= size {
                    let loaded =
                        memory.load_plain::<8>(at).or_else(|| memory.read_value(&mut Concrete::default(), at, 8));
                    let bytes: [u8; 8] = expected[at as usize..at as usize + 8].try_into().unwrap();
                    assert_eq!(loaded, Some(u64::from_le_bytes(bytes)));
                }
            }
        }
    }

    #[test]
    fn runs_start_from_their_image_whatever_ran_before() {
        let images = [None, Some(image(7, 16)), Some(image(100, 48)), Some(image(50, 16))];
        let mut state = 1;
        for round in 0..400 {
            let image = images[random(&mut state, 4) as usize].as_ref();
            let count = image.map_or(WASM_PAGE as usize, |image| image.pages.len() * PAGE);
            let mut memory = Memory::<Concrete> { bytes: Flat::starting_as(image, count), maximum: None, apart: None };
            let mut expected = contents(image, count);
            for _ in 0..random(&mut state, 30) {
                assert!(memory.read(0, memory.len()).as_ref() == Some(&expected), "round {round}");
                change(&mut memory, &mut expected, &mut state);
            }
            // Neither of two that were one sees what the other does.
            let (mut clone, mut of_clone) = (memory.clone(), expected.clone());
            for _ in 0..4 {
                change(&mut clone, &mut of_clone, &mut state);
                change(&mut memory, &mut expected, &mut state);
            }
            assert!(memory.read(0, memory.len()) == Some(expected), "round {round}");
            assert!(clone.read(0, clone.len()) == Some(of_clone), "clone of round {round}");
        }
    }

    #[test]
    fn a_thread_keeps_no_more_than_it_may() {
        let large = (0..5).map(|_| Flat::starting_as(None, MOST_SPARE / 4)).collect::<Vec<Flat>>();
        drop(large);
        drop(Flat::starting_as(None, MOST_SPARE + PAGE));
        SPARE.with_borrow(|spare| assert_eq!(spare.len(), 4));
    }
}
