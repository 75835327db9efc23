//! Memory in copy-on-write pages, so that a clone costs one pointer per page.

use std::rc::Rc;

use pessimum_term::TermId;

use super::{Bytes, PAGE};
use crate::domain::Domain;
use crate::symbolic::{Shadow, Symbolic, SymbolicByte, SymbolicValue};

/// A page: its bytes, and which of them depend on the input.
#[derive(Clone)]
struct Page {
    bits: [u8; PAGE],
    shadow: Shadow,
}

/// Bytes of which any may depend on the input.
#[derive(Clone)]
pub struct Pages {
    /// Untouched ones are all the same zero page.
    pages: Vec<Rc<Page>>,
    zero: Rc<Page>,
}

impl Pages {
    /// The bits of each page; `None` for pages that have never been written.
    pub(super) fn known(&self) -> Vec<Option<Box<[u8; PAGE]>>> {
        let bits = |page: &Rc<Page>| (!Rc::ptr_eq(page, &self.zero)).then(|| Box::new(page.bits));
        self.pages.iter().map(bits).collect()
    }

    /// Address of each byte that depends on the input, the term that it is a part of, and which byte of it.
    pub(super) fn parts(&self) -> Vec<(u64, TermId, u8)> {
        let mut parts = Vec::new();
        for (page, start) in self.pages.iter().zip((0..).step_by(PAGE)) {
            if !page.shadow.is_empty() {
                let of_page = (start..start + PAGE as u64).filter_map(|at| {
                    let (term, index) = self.byte(at).part()?;
                    Some((at, term, index))
                });
                parts.extend(of_page);
            }
        }
        parts
    }

    fn copy_piece(&mut self, to: u64, from: u64, count: usize) {
        let (source, target) = (from as usize / PAGE, to as usize / PAGE);
        let (read, write) = (from as usize % PAGE, to as usize % PAGE);
        if source == target {
            let page = Rc::make_mut(&mut self.pages[target]);
            if page.shadow.is_empty() {
                page.bits.copy_within(read..read + count, write);
                return;
            }
        } else {
            let source = self.pages[source].clone();
            let target = Rc::make_mut(&mut self.pages[target]);
            if source.shadow.is_empty() && target.shadow.is_empty() {
                target.bits[write..write + count].copy_from_slice(&source.bits[read..read + count]);
                return;
            }
        }
        let bytes: Vec<SymbolicByte> = (0..count as u64).map(|i| self.byte(from + i)).collect();
        for (i, byte) in bytes.into_iter().enumerate() {
            self.set_byte(to + i as u64, byte);
        }
    }
}

impl Bytes<Symbolic> for Pages {
    fn new(count: u64) -> Pages {
        let zero = Rc::new(Page { bits: [0; PAGE], shadow: Shadow::default() });
        let mut pages = Pages { pages: Vec::new(), zero };
        pages.grow(count);
        pages
    }

    fn take(&mut self) -> Pages {
        Pages { pages: std::mem::take(&mut self.pages), zero: self.zero.clone() }
    }

    fn len(&self) -> u64 {
        self.pages.len() as u64 * PAGE as u64
    }

    fn grow(&mut self, count: u64) {
        self.pages.resize(self.pages.len() + count as usize / PAGE, self.zero.clone());
    }

    /// Only if they are in one page without terms.
    #[inline(always)]
    fn load_plain<const N: usize>(&self, address: u64) -> Option<SymbolicValue> {
        let offset = address as usize % PAGE;
        if offset <= PAGE - N
            && let Some(page) = self.pages.get(address as usize / PAGE)
            && page.shadow.is_empty()
        {
            let mut bytes = [0; 8];
            bytes[..N].copy_from_slice(&page.bits[offset..offset + N]);
            return Some(Symbolic::constant(u64::from_le_bytes(bytes)));
        }
        None
    }

    /// Only a known value, and only if the bytes are in one page that is shared with no other memory and has no terms.
    #[inline(always)]
    fn store_plain<const N: usize>(&mut self, address: u64, value: SymbolicValue) -> bool {
        let offset = address as usize % PAGE;
        if offset <= PAGE - N
            && let Some(page) = self.pages.get_mut(address as usize / PAGE)
            && let Some(bits) = Symbolic::known(value)
            && let Some(page) = Rc::get_mut(page)
            && page.shadow.is_empty()
        {
            page.bits[offset..offset + N].copy_from_slice(&bits.to_le_bytes()[..N]);
            return true;
        }
        false
    }

    fn byte(&self, address: u64) -> SymbolicByte {
        let (page, offset) = (&self.pages[address as usize / PAGE], address as usize % PAGE);
        page.shadow.byte(page.bits[offset], offset)
    }

    fn set_byte(&mut self, address: u64, byte: SymbolicByte) {
        let (page, offset) = (Rc::make_mut(&mut self.pages[address as usize / PAGE]), address as usize % PAGE);
        page.bits[offset] = page.shadow.set_byte(offset, byte);
    }

    fn fill(&mut self, address: u64, byte: SymbolicByte, known: Option<u8>, count: u64) {
        let end = address + count;
        let mut at = address;
        while at < end {
            let offset = at as usize % PAGE;
            let length = (PAGE - offset).min((end - at) as usize);
            let page = Rc::make_mut(&mut self.pages[at as usize / PAGE]);
            match known {
                Some(known) if page.shadow.is_empty() => page.bits[offset..offset + length].fill(known),
                _ => {
                    for i in offset..offset + length {
                        page.bits[i] = page.shadow.set_byte(i, byte);
                    }
                }
            }
            at += length as u64;
        }
    }

    fn copy(&mut self, to: u64, from: u64, count: u64) {
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

    fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let at = address as usize + done;
            let offset = at % PAGE;
            let length = (PAGE - offset).min(bytes.len() - done);
            let page = Rc::make_mut(&mut self.pages[at / PAGE]);
            let piece = &bytes[done..done + length];
            if page.shadow.is_empty() {
                page.bits[offset..offset + length].copy_from_slice(piece);
            } else {
                for (i, &byte) in piece.iter().enumerate() {
                    page.bits[offset + i] = page.shadow.set_byte(offset + i, Symbolic::constant_byte(byte));
                }
            }
            done += length;
        }
    }

    fn read(&self, address: u64, count: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count as usize);
        while (bytes.len() as u64) < count {
            let at = address as usize + bytes.len();
            let offset = at % PAGE;
            let length = (PAGE - offset).min(count as usize - bytes.len());
            bytes.extend_from_slice(&self.pages[at / PAGE].bits[offset..offset + length]);
        }
        bytes
    }
}
