//! Linear memory in copy-on-write pages, so that a clone costs one pointer per page.

use std::rc::Rc;

use pessimum_term::TermId;

use crate::domain::{Concrete, Domain};
use crate::symbolic::Symbolic;

/// The size in bytes of a copy-on-write page; a page of WebAssembly is 16 of these.
pub const PAGE: usize = 4096;
/// The size in bytes of a WebAssembly page.
pub const WASM_PAGE: u64 = 65536;

/// A page: its bytes, and what the domain keeps alongside them.
#[derive(Clone)]
pub struct Page<S> {
    bytes: [u8; PAGE],
    shadow: S,
}

/// One linear memory.
pub struct Memory<D: Domain> {
    /// The pages of the whole memory; untouched ones are all the same zero page.
    pages: Vec<Rc<Page<D::Shadow>>>,
    zero: Rc<Page<D::Shadow>>,
    /// The largest number of WebAssembly pages that the memory's type allows.
    pub(crate) maximum: Option<u32>,
}

impl<D: Domain> Clone for Memory<D> {
    fn clone(&self) -> Self {
        Memory { pages: self.pages.clone(), zero: self.zero.clone(), maximum: self.maximum }
    }
}

/// A memory in which some bytes depend on the input, in a form that threads can share.
pub(crate) struct SavedMemory {
    /// The bytes of each page; none for pages that have never been written.
    pages: Vec<Option<Box<[u8; PAGE]>>>,
    /// Address of each byte that depends on the input, the term that it is a part of, and which byte of it.
    parts: Vec<(u64, TermId, u8)>,
    maximum: Option<u32>,
}

impl Memory<Symbolic> {
    pub(crate) fn save(&self) -> SavedMemory {
        let bytes = |page: &Rc<Page<_>>| (!Rc::ptr_eq(page, &self.zero)).then(|| Box::new(page.bytes));
        let mut parts = Vec::new();
        for (page, start) in self.pages.iter().zip((0..).step_by(PAGE)) {
            if !Symbolic::plain(&page.shadow) {
                let of_page = (start..start + PAGE as u64).filter_map(|at| {
                    let (term, index) = self.byte(at).part()?;
                    Some((at, term, index))
                });
                parts.extend(of_page);
            }
        }
        SavedMemory { pages: self.pages.iter().map(bytes).collect(), parts, maximum: self.maximum }
    }
}

impl Memory<Concrete> {
    /// The saved memory if terms have these values.
    pub(crate) fn restore(saved: &SavedMemory, value: &mut dyn FnMut(TermId) -> u64) -> Memory<Concrete> {
        let zero = Rc::new(Page { bytes: [0; PAGE], shadow: () });
        let page = |bytes: &Option<Box<[u8; PAGE]>>| match bytes {
            Some(bytes) => Rc::new(Page { bytes: **bytes, shadow: () }),
            None => zero.clone(),
        };
        let mut memory = Memory { pages: saved.pages.iter().map(page).collect(), zero, maximum: saved.maximum };
        for &(address, term, index) in &saved.parts {
            memory.set_byte(address, (value(term) >> (8 * index)) as u8);
        }
        memory
    }
}

/// An access beyond the end of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBounds;

impl<D: Domain> Memory<D> {
    /// A memory of `initial` WebAssembly pages, all zero.
    pub fn new(initial: u32, maximum: Option<u32>) -> Memory<D> {
        let zero = Rc::new(Page { bytes: [0; PAGE], shadow: D::Shadow::default() });
        let mut memory = Memory { pages: Vec::new(), zero, maximum };
        memory.grow(initial);
        memory
    }

    /// Moves the memory out and leaves one without bytes in its place.
    pub(crate) fn take(&mut self) -> Memory<D> {
        Memory { pages: std::mem::take(&mut self.pages), zero: self.zero.clone(), maximum: self.maximum }
    }

    /// Size in bytes.
    pub fn len(&self) -> u64 {
        self.pages.len() as u64 * PAGE as u64
    }

    /// Whether the memory has no bytes.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Size in WebAssembly pages.
    pub fn wasm_pages(&self) -> u32 {
        (self.len() / WASM_PAGE) as u32
    }

    /// Adds WebAssembly pages; the caller has checked the limits.
    pub(crate) fn grow(&mut self, delta: u32) {
        let pages = delta as usize * (WASM_PAGE as usize / PAGE);
        self.pages.resize(self.pages.len() + pages, self.zero.clone());
    }

    /// The `N` bytes at an address as a value of `8 * N` bits, if they are in one page without terms.
    #[inline(always)]
    pub(crate) fn load_plain<const N: usize>(&self, address: u64) -> Option<D::Value> {
        let offset = address as usize % PAGE;
        if offset <= PAGE - N
            && let Some(page) = self.pages.get(address as usize / PAGE)
            && D::plain(&page.shadow)
        {
            let mut bytes = [0; 8];
            bytes[..N].copy_from_slice(&page.bytes[offset..offset + N]);
            return Some(D::constant(u64::from_le_bytes(bytes)));
        }
        None
    }

    /// The `count` (1 to 8) bytes at an address as a value of `8 * count` bits.
    #[cold]
    #[inline(never)]
    pub(crate) fn load_bytes(&self, domain: &mut D, address: u64, count: usize) -> Result<D::Value, OutOfBounds> {
        if !self.contains(address, count as u64) {
            return Err(OutOfBounds);
        }
        let mut bytes = [D::constant_byte(0); 8];
        for (i, byte) in bytes[..count].iter_mut().enumerate() {
            *byte = self.byte(address + i as u64);
        }
        Ok(domain.join(&bytes[..count]))
    }

    /// Stores the low `N` bytes of a value, if it is known and they are in one page that is shared with no other memory
    /// and has no terms. Otherwise nothing is changed.
    #[inline(always)]
    pub(crate) fn store_plain<const N: usize>(&mut self, address: u64, value: D::Value) -> bool {
        let offset = address as usize % PAGE;
        if offset <= PAGE - N
            && let Some(page) = self.pages.get_mut(address as usize / PAGE)
            && let Some(bits) = D::known(value)
            && let Some(page) = Rc::get_mut(page)
            && D::plain(&page.shadow)
        {
            page.bytes[offset..offset + N].copy_from_slice(&bits.to_le_bytes()[..N]);
            return true;
        }
        false
    }

    /// Stores the low `count` (1 to 8) bytes of a value.
    #[cold]
    #[inline(never)]
    pub(crate) fn store_bytes(
        &mut self,
        domain: &mut D,
        address: u64,
        value: D::Value,
        count: usize,
    ) -> Result<(), OutOfBounds> {
        if !self.contains(address, count as u64) {
            return Err(OutOfBounds);
        }
        let bytes = domain.split(value, count);
        for (i, &byte) in bytes[..count].iter().enumerate() {
            self.set_byte(address + i as u64, byte);
        }
        Ok(())
    }

    /// Whether `count` bytes from an address are in bounds.
    pub fn contains(&self, address: u64, count: u64) -> bool {
        address.checked_add(count).is_some_and(|end| end <= self.len())
    }

    /// The byte at an address, which must be in bounds.
    pub fn byte(&self, address: u64) -> D::Byte {
        let (page, offset) = (&self.pages[address as usize / PAGE], address as usize % PAGE);
        D::byte(page.bytes[offset], &page.shadow, offset)
    }

    /// Replaces the byte at an address, which must be in bounds.
    pub fn set_byte(&mut self, address: u64, byte: D::Byte) {
        let (page, offset) = (Rc::make_mut(&mut self.pages[address as usize / PAGE]), address as usize % PAGE);
        page.bytes[offset] = D::set_byte(&mut page.shadow, offset, byte);
    }

    /// Fills a range, which must be in bounds, with one byte.
    pub(crate) fn fill(&mut self, address: u64, byte: D::Byte, known: Option<u8>, count: u64) {
        let end = address + count;
        let mut at = address;
        while at < end {
            let offset = at as usize % PAGE;
            let length = (PAGE - offset).min((end - at) as usize);
            let page = Rc::make_mut(&mut self.pages[at as usize / PAGE]);
            match known {
                Some(known) if D::plain(&page.shadow) => page.bytes[offset..offset + length].fill(known),
                _ => {
                    for i in offset..offset + length {
                        page.bytes[i] = D::set_byte(&mut page.shadow, i, byte);
                    }
                }
            }
            at += length as u64;
        }
    }

    /// Copies a range to another, as if through a buffer. Both must be in bounds.
    pub(crate) fn copy(&mut self, to: u64, from: u64, count: u64) {
        // Pieces that cross no page boundary on either side, in the direction in which none overwrites a later one.
        let mut done = 0;
        let backward = to > from;
        while done < count {
            let left = count - done;
            let (piece, start) = if backward {
                let room = |end: u64| (end - 1) % PAGE as u64 + 1;
                let piece = left.min(room(from + left)).min(room(to + left));
                (piece, left - piece)
            } else {
                let room = |start: u64| PAGE as u64 - start % PAGE as u64;
                (left.min(room(from + done)).min(room(to + done)), done)
            };
            self.copy_piece(to + start, from + start, piece as usize);
            done += piece;
        }
    }

    fn copy_piece(&mut self, to: u64, from: u64, count: usize) {
        let (source, target) = (from as usize / PAGE, to as usize / PAGE);
        let (read, write) = (from as usize % PAGE, to as usize % PAGE);
        if source == target {
            let page = Rc::make_mut(&mut self.pages[target]);
            if D::plain(&page.shadow) {
                page.bytes.copy_within(read..read + count, write);
                return;
            }
        } else {
            let source = self.pages[source].clone();
            let target = Rc::make_mut(&mut self.pages[target]);
            if D::plain(&source.shadow) && D::plain(&target.shadow) {
                target.bytes[write..write + count].copy_from_slice(&source.bytes[read..read + count]);
                return;
            }
        }
        let bytes: Vec<D::Byte> = (0..count as u64).map(|i| self.byte(from + i)).collect();
        for (i, byte) in bytes.into_iter().enumerate() {
            self.set_byte(to + i as u64, byte);
        }
    }

    /// Writes known bytes; returns `false` and writes nothing if they do not fit.
    #[must_use]
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        if !self.contains(address, bytes.len() as u64) {
            return false;
        }
        let mut done = 0;
        while done < bytes.len() {
            let at = address as usize + done;
            let offset = at % PAGE;
            let length = (PAGE - offset).min(bytes.len() - done);
            let page = Rc::make_mut(&mut self.pages[at / PAGE]);
            let piece = &bytes[done..done + length];
            if D::plain(&page.shadow) {
                page.bytes[offset..offset + length].copy_from_slice(piece);
            } else {
                for (i, &byte) in piece.iter().enumerate() {
                    page.bytes[offset + i] = D::set_byte(&mut page.shadow, offset + i, D::constant_byte(byte));
                }
            }
            done += length;
        }
        true
    }

    /// The bits of a range of memory as they are now (for bytes that depend on the input, the bits kept for them), or
    /// `None` if the range is out of bounds.
    pub fn read(&self, address: u64, count: u64) -> Option<Vec<u8>> {
        if !self.contains(address, count) {
            return None;
        }
        let mut bytes = Vec::with_capacity(count as usize);
        while (bytes.len() as u64) < count {
            let at = address as usize + bytes.len();
            let offset = at % PAGE;
            let length = (PAGE - offset).min(count as usize - bytes.len());
            bytes.extend_from_slice(&self.pages[at / PAGE].bytes[offset..offset + length]);
        }
        Some(bytes)
    }

    /// The value of `count` (1 to 8) bytes at an address, of width `8 * count`.
    pub fn read_value(&self, domain: &mut D, address: u64, count: usize) -> Option<D::Value> {
        self.load_bytes(domain, address, count).ok()
    }

    /// Writes the low `count` (1 to 8) bytes of a value; `false` if they do not fit.
    #[must_use]
    pub fn write_value(&mut self, domain: &mut D, address: u64, value: D::Value, count: usize) -> bool {
        self.store_bytes(domain, address, value, count).is_ok()
    }
}
