//! Linear memory: what every domain can do with one. How the bytes are kept is the domain's choice ([`Domain::Bytes`]).
//!
//! Paths of a search branch off from each other all the time, so memory with terms is cheap to clone ([`Pages`]). A run on
//! known values is never cloned but started anew, very often, and takes most of the time of a search: its memory is one piece
//! ([`Flat`]).
//!
//! Buffers of a call come from the module's allocator, or else from pages at the end of its memory. Go's runtime keeps
//! account of that end by itself, and AssemblyScript's takes whatever `memory.size` says; either overwrote its
//! arguments. So a module that has one of the two instructions and no allocator gets its buffers apart, behind
//! everything that it may grow to: it sees its memory as if they were not there, and what lies between still traps.

mod flat;
mod pages;

use std::ops::Range;
use std::sync::Arc;

use pessimum_term::TermId;

use crate::domain::{Concrete, Domain};
use crate::symbolic::Symbolic;
pub use flat::Flat;
use flat::Image;
pub use pages::Pages;

/// The size in bytes of the pages in which memory is shared and restored; a page of WebAssembly is 16 of these.
pub const PAGE: usize = 4096;
/// The size in bytes of a WebAssembly page.
pub const WASM_PAGE: u64 = 65536;

/// How a domain keeps the bytes of a linear memory. Ranges and addresses must be in bounds unless a method says otherwise.
pub trait Bytes<D: Domain>: Clone {
    /// This many zero bytes, a multiple of [`WASM_PAGE`].
    fn new(count: u64) -> Self;
    /// Moves the bytes out and leaves none in their place.
    fn take(&mut self) -> Self;
    /// How many there are.
    fn len(&self) -> u64;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Adds zero bytes, a multiple of [`WASM_PAGE`].
    fn grow(&mut self, count: u64);
    /// The `N` bytes at any address as a value of `8 * N` bits, or `None` if that takes more than a look: they may be out of
    /// bounds, for example. Must not call functions that are not inlined.
    fn load_plain<const N: usize>(&self, address: u64) -> Option<D::Value>;
    /// Stores the low `N` bytes of a value at any address, or returns `false` and changes nothing if that takes more. Must
    /// not call functions that are not inlined.
    fn store_plain<const N: usize>(&mut self, address: u64, value: D::Value) -> bool;
    /// The byte at an address.
    fn byte(&self, address: u64) -> D::Byte;
    /// Replaces the byte at an address.
    fn set_byte(&mut self, address: u64, byte: D::Byte);
    /// Fills a range with one byte, whose bits are given too if they are known.
    fn fill(&mut self, address: u64, byte: D::Byte, known: Option<u8>, count: u64);
    /// Copies a range to another, as if through a buffer.
    fn copy(&mut self, to: u64, from: u64, count: u64);
    /// Writes known bytes.
    fn write(&mut self, address: u64, bytes: &[u8]);
    /// The bits of a range as they are now; for bytes that depend on the input, the bits kept for them.
    fn read(&self, address: u64, count: u64) -> Vec<u8>;
}

/// One linear memory.
pub struct Memory<D: Domain> {
    bytes: D::Bytes,
    /// The largest number of WebAssembly pages that the memory's type allows.
    pub(crate) maximum: Option<u32>,
    apart: Option<Box<Apart<D>>>,
}

/// Bytes behind everything that a memory can grow to. The program reaches them by the addresses that it is passed, but
/// `memory.size` and `memory.grow` know nothing of them: whoever keeps account of the memory's end is not mistaken.
struct Apart<D: Domain> {
    start: u64,
    bytes: D::Bytes,
}

impl<D: Domain> Clone for Memory<D> {
    fn clone(&self) -> Self {
        let apart = |apart: &Apart<D>| Box::new(Apart { start: apart.start, bytes: apart.bytes.clone() });
        Memory { bytes: self.bytes.clone(), maximum: self.maximum, apart: self.apart.as_deref().map(apart) }
    }
}

/// A memory in which some bytes depend on the input, in a form that threads can share.
pub(crate) struct SavedMemory {
    bytes: SavedBytes,
    maximum: Option<u32>,
    /// With its start.
    apart: Option<(u64, SavedBytes)>,
}

struct SavedBytes {
    image: Arc<Image>,
    /// Place of each byte that depends on the input, the term that it is a part of, and which byte of it.
    parts: Vec<(u64, TermId, u8)>,
}

impl SavedBytes {
    fn of(bytes: &Pages) -> SavedBytes {
        SavedBytes { image: Arc::new(Image::new(bytes.known())), parts: bytes.parts() }
    }

    fn restore(&self, value: &mut dyn FnMut(TermId) -> u64) -> Flat {
        let mut bytes = Flat::of(&self.image);
        for &(at, term, index) in &self.parts {
            Bytes::<Concrete>::set_byte(&mut bytes, at, (value(term) >> (8 * index)) as u8);
        }
        bytes
    }
}

impl Memory<Symbolic> {
    pub(crate) fn save(&self) -> SavedMemory {
        let apart = self.apart.as_ref().map(|apart| (apart.start, SavedBytes::of(&apart.bytes)));
        SavedMemory { bytes: SavedBytes::of(&self.bytes), maximum: self.maximum, apart }
    }
}

impl Memory<Concrete> {
    /// The saved memory if terms have these values.
    pub(crate) fn restore(saved: &SavedMemory, value: &mut dyn FnMut(TermId) -> u64) -> Memory<Concrete> {
        let apart = saved.apart.as_ref();
        let apart = apart.map(|(start, bytes)| Box::new(Apart { start: *start, bytes: bytes.restore(value) }));
        Memory { bytes: saved.bytes.restore(value), maximum: saved.maximum, apart }
    }

    /// Whether both have the same bytes.
    pub(crate) fn is_as(&self, other: &Memory<Concrete>) -> bool {
        self.bytes.is_as(&other.bytes)
    }
}

const IN_BOUNDS: &str = "the range was checked";

/// An access beyond the end of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBounds;

impl<D: Domain> Memory<D> {
    /// A memory of `initial` WebAssembly pages, all zero.
    pub fn new(initial: u32, maximum: Option<u32>) -> Memory<D> {
        Memory { bytes: D::Bytes::new(u64::from(initial) * WASM_PAGE), maximum, apart: None }
    }

    /// Moves the memory out and leaves one without bytes in its place.
    pub(crate) fn take(&mut self) -> Memory<D> {
        Memory { bytes: self.bytes.take(), maximum: self.maximum, apart: self.apart.take() }
    }

    /// Adds bytes apart from all others; the caller has checked the limits. The memory cannot grow into them.
    pub(crate) fn set_apart(&mut self, start: u64, count: u64) {
        let first = (start / WASM_PAGE) as u32;
        self.maximum = Some(self.maximum.map_or(first, |maximum| maximum.min(first)));
        self.apart = Some(Box::new(Apart { start, bytes: D::Bytes::new(count) }));
    }

    /// The addresses of the bytes that lie apart, if there are any.
    pub(crate) fn apart(&self) -> Option<Range<u64>> {
        self.apart.as_ref().map(|apart| apart.start..apart.start + apart.bytes.len())
    }

    /// Size in bytes, without those that lie apart.
    pub fn len(&self) -> u64 {
        self.bytes.len()
    }

    /// Bytes that it takes, those that lie apart included.
    pub(crate) fn held(&self) -> u64 {
        self.bytes.len() + self.apart.as_ref().map_or(0, |apart| apart.bytes.len())
    }

    /// Where a range of addresses is; `None` if it is out of bounds.
    fn place(&self, address: u64, count: u64) -> Option<(&D::Bytes, u64)> {
        let end = address.checked_add(count)?;
        if end <= self.bytes.len() {
            return Some((&self.bytes, address));
        }
        let apart = self.apart.as_deref().filter(|apart| address >= apart.start)?;
        (end - apart.start <= apart.bytes.len()).then(|| (&apart.bytes, address - apart.start))
    }

    fn place_mut(&mut self, address: u64, count: u64) -> Option<(&mut D::Bytes, u64)> {
        let end = address.checked_add(count)?;
        if end <= self.bytes.len() {
            return Some((&mut self.bytes, address));
        }
        let apart = self.apart.as_deref_mut().filter(|apart| address >= apart.start)?;
        (end - apart.start <= apart.bytes.len()).then(|| (&mut apart.bytes, address - apart.start))
    }

    /// Whether the memory has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Size in WebAssembly pages.
    pub fn wasm_pages(&self) -> u32 {
        (self.len() / WASM_PAGE) as u32
    }

    /// Adds WebAssembly pages; the caller has checked the limits.
    pub(crate) fn grow(&mut self, delta: u32) {
        self.bytes.grow(u64::from(delta) * WASM_PAGE);
    }

    /// See [`Bytes::load_plain`].
    #[inline(always)]
    pub(crate) fn load_plain<const N: usize>(&self, address: u64) -> Option<D::Value> {
        self.bytes.load_plain::<N>(address)
    }

    /// The `count` (1 to 8) bytes at an address as a value of `8 * count` bits.
    #[cold]
    #[inline(never)]
    pub(crate) fn load_bytes(&self, domain: &mut D, address: u64, count: usize) -> Result<D::Value, OutOfBounds> {
        let (place, at) = self.place(address, count as u64).ok_or(OutOfBounds)?;
        let mut bytes = [D::constant_byte(0); 8];
        for (i, byte) in bytes[..count].iter_mut().enumerate() {
            *byte = place.byte(at + i as u64);
        }
        Ok(domain.join(&bytes[..count]))
    }

    /// See [`Bytes::store_plain`].
    #[inline(always)]
    pub(crate) fn store_plain<const N: usize>(&mut self, address: u64, value: D::Value) -> bool {
        self.bytes.store_plain::<N>(address, value)
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
        let (place, at) = self.place_mut(address, count as u64).ok_or(OutOfBounds)?;
        let bytes = domain.split(value, count);
        for (i, &byte) in bytes[..count].iter().enumerate() {
            place.set_byte(at + i as u64, byte);
        }
        Ok(())
    }

    /// Whether `count` bytes from an address are in bounds.
    pub fn contains(&self, address: u64, count: u64) -> bool {
        self.place(address, count).is_some()
    }

    /// The byte at an address, which must be in bounds.
    pub fn byte(&self, address: u64) -> D::Byte {
        let (place, at) = self.place(address, 1).expect(IN_BOUNDS);
        place.byte(at)
    }

    /// Replaces the byte at an address, which must be in bounds.
    pub fn set_byte(&mut self, address: u64, byte: D::Byte) {
        let (place, at) = self.place_mut(address, 1).expect(IN_BOUNDS);
        place.set_byte(at, byte);
    }

    /// Fills a range, which must be in bounds, with one byte.
    pub(crate) fn fill(&mut self, address: u64, byte: D::Byte, known: Option<u8>, count: u64) {
        let (place, at) = self.place_mut(address, count).expect(IN_BOUNDS);
        place.fill(at, byte, known, count);
    }

    /// Copies a range to another, as if through a buffer. Both must be in bounds.
    pub(crate) fn copy(&mut self, to: u64, from: u64, count: u64) {
        let is_apart = |address: u64| address + count > self.bytes.len();
        if is_apart(to) != is_apart(from) {
            return (0..count).for_each(|i| self.set_byte(to + i, self.byte(from + i)));
        }
        let (_, from) = self.place(from, count).expect(IN_BOUNDS);
        let (place, to) = self.place_mut(to, count).expect(IN_BOUNDS);
        place.copy(to, from, count);
    }

    /// Writes known bytes; returns `false` and writes nothing if they do not fit.
    #[must_use]
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let place = self.place_mut(address, bytes.len() as u64);
        place.map(|(place, at)| place.write(at, bytes)).is_some()
    }

    /// The bits of a range of memory as they are now (for bytes that depend on the input, the bits kept for them), or
    /// `None` if the range is out of bounds.
    pub fn read(&self, address: u64, count: u64) -> Option<Vec<u8>> {
        self.place(address, count).map(|(place, at)| place.read(at, count))
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
