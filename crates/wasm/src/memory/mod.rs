//! Linear memory: what every domain can do with one. How the bytes are kept is the domain's choice ([`Domain::Bytes`]).
//!
//! Paths of a search branch off from each other all the time, so memory with terms is cheap to clone ([`Pages`]). A run on
//! known values is never cloned but started anew, very often, and takes most of the time of a search: its memory is one piece
//! ([`Flat`]).

mod flat;
mod pages;

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
}

impl<D: Domain> Clone for Memory<D> {
    fn clone(&self) -> Self {
        Memory { bytes: self.bytes.clone(), maximum: self.maximum }
    }
}

/// A memory in which some bytes depend on the input, in a form that threads can share.
pub(crate) struct SavedMemory {
    image: Arc<Image>,
    /// Address of each byte that depends on the input, the term that it is a part of, and which byte of it.
    parts: Vec<(u64, TermId, u8)>,
    maximum: Option<u32>,
}

impl Memory<Symbolic> {
    pub(crate) fn save(&self) -> SavedMemory {
        let (image, parts) = (Arc::new(Image::new(self.bytes.known())), self.bytes.parts());
        SavedMemory { image, parts, maximum: self.maximum }
    }
}

impl Memory<Concrete> {
    /// The saved memory if terms have these values.
    pub(crate) fn restore(saved: &SavedMemory, value: &mut dyn FnMut(TermId) -> u64) -> Memory<Concrete> {
        let mut memory = Memory { bytes: Flat::of(&saved.image), maximum: saved.maximum };
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
        Memory { bytes: D::Bytes::new(u64::from(initial) * WASM_PAGE), maximum }
    }

    /// Moves the memory out and leaves one without bytes in its place.
    pub(crate) fn take(&mut self) -> Memory<D> {
        Memory { bytes: self.bytes.take(), maximum: self.maximum }
    }

    /// Size in bytes.
    pub fn len(&self) -> u64 {
        self.bytes.len()
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
        if !self.contains(address, count as u64) {
            return Err(OutOfBounds);
        }
        let mut bytes = [D::constant_byte(0); 8];
        for (i, byte) in bytes[..count].iter_mut().enumerate() {
            *byte = self.byte(address + i as u64);
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
        self.bytes.byte(address)
    }

    /// Replaces the byte at an address, which must be in bounds.
    pub fn set_byte(&mut self, address: u64, byte: D::Byte) {
        self.bytes.set_byte(address, byte);
    }

    /// Fills a range, which must be in bounds, with one byte.
    pub(crate) fn fill(&mut self, address: u64, byte: D::Byte, known: Option<u8>, count: u64) {
        self.bytes.fill(address, byte, known, count);
    }

    /// Copies a range to another, as if through a buffer. Both must be in bounds.
    pub(crate) fn copy(&mut self, to: u64, from: u64, count: u64) {
        self.bytes.copy(to, from, count);
    }

    /// Writes known bytes; returns `false` and writes nothing if they do not fit.
    #[must_use]
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let fits = self.contains(address, bytes.len() as u64);
        if fits {
            self.bytes.write(address, bytes);
        }
        fits
    }

    /// The bits of a range of memory as they are now (for bytes that depend on the input, the bits kept for them), or
    /// `None` if the range is out of bounds.
    pub fn read(&self, address: u64, count: u64) -> Option<Vec<u8>> {
        self.contains(address, count).then(|| self.bytes.read(address, count))
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
