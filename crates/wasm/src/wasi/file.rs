//! The content of one file in memory.
//!
//! Contents are sparse: pieces of known bytes and of terms, shared by forks until one of them writes. They have the
//! same form in every domain, so that a prefix evaluates only the pieces that hold terms.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_term::TermId;

use crate::host::Kept;

/// Bytes that forks of a run copy or share as one.
pub(super) const PIECE: u64 = 1024;

/// Some bytes of a file, and the terms of those that depend on the input.
#[derive(Clone, Debug)]
struct Piece {
    bytes: [u8; PIECE as usize],
    terms: Option<Box<[Option<TermId>; PIECE as usize]>>,
}

impl Piece {
    fn set(&mut self, offset: usize, byte: Kept) {
        let (bits, term) = match byte {
            Kept::Known(bits) => (bits, None),
            Kept::Term(term) => (0, Some(term)),
        };
        self.bytes[offset] = bits;
        match &mut self.terms {
            Some(terms) => terms[offset] = term,
            None if term.is_some() => {
                self.terms.insert(Box::new([None; PIECE as usize]))[offset] = term;
            }
            None => {}
        }
    }

    fn get(&self, offset: usize) -> Kept {
        match self.terms.as_ref().and_then(|terms| terms[offset]) {
            Some(term) => Kept::Term(term),
            None => Kept::Known(self.bytes[offset]),
        }
    }
}

/// Pieces that have one list of pointers.
const BLOCK: u64 = 256;

/// Neighbouring pieces; none where nothing was written.
#[derive(Clone, Debug)]
struct Block {
    pieces: [Option<Arc<Piece>>; BLOCK as usize],
}

/// Bytes that a write to a file of this many blocks copies at most, if a fork shares the file.
pub(super) fn copied_bytes(blocks: u64) -> u64 {
    24 * blocks + if blocks > 0 { (size_of::<Block>() + size_of::<Piece>()) as u64 + 8 * PIECE } else { 0 }
}

/// A sparse file: where nothing was written it shows what it was given, and zeros after that. A fork that writes to it
/// copies a pointer for each block, one block and one piece, and shares the rest.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    size: u64,
    /// The content that the file was given: its number in the plan, and how many bytes of it have never been cut off, at
    /// most `size`.
    given: Option<(usize, u64)>,
    /// By number. What a piece holds beyond `size` is zero.
    blocks: BTreeMap<u64, Arc<Block>>,
}

/// Where the bytes from an offset on come from.
pub(super) enum Source<'a> {
    Zeros,
    /// The content with this number in the plan, from this position on.
    Given(usize, u64),
    Written(Written<'a>),
}

/// A part of a piece.
pub(super) struct Written<'a> {
    piece: &'a Piece,
    start: usize,
}

impl Written<'_> {
    pub(super) fn get(&self, position: u64) -> Kept {
        self.piece.get(self.start + position as usize)
    }
}

impl File {
    /// A file with the content that has this number in the plan, and this length.
    pub(super) fn given(number: usize, length: u64) -> File {
        File { size: length, given: Some((number, length)), blocks: BTreeMap::new() }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Blocks that hold bytes of their own.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks.len() as u64
    }

    fn piece(&self, number: u64) -> Option<&Piece> {
        self.blocks.get(&(number / BLOCK))?.pieces[(number % BLOCK) as usize].as_deref()
    }

    fn piece_mut(&mut self, number: u64) -> Option<&mut Piece> {
        let block = self.blocks.get_mut(&(number / BLOCK))?;
        // A block is not copied for a piece that it does not have.
        block.pieces[(number % BLOCK) as usize].as_ref()?;
        Arc::make_mut(block).pieces[(number % BLOCK) as usize].as_mut().map(Arc::make_mut)
    }

    /// Where the byte at an offset below the size comes from, and for how many bytes this is so.
    pub(super) fn source(&self, offset: u64) -> (Source<'_>, u64) {
        let in_piece = PIECE - offset % PIECE;
        let length = in_piece.min(self.size - offset);
        if let Some(piece) = self.piece(offset / PIECE) {
            return (Source::Written(Written { piece, start: (offset % PIECE) as usize }), length);
        }
        match self.given {
            Some((number, end)) if offset < end => (Source::Given(number, offset), length.min(end - offset)),
            _ => (Source::Zeros, length),
        }
    }

    /// Replaces the bytes from an offset on, and extends the file if they reach beyond its end. `given` looks up a byte
    /// of a content of the plan.
    pub(super) fn write(&mut self, offset: u64, bytes: &[Kept], given: &mut dyn FnMut(usize, u64) -> Kept) {
        let end = offset + bytes.len() as u64;
        let mut at = offset;
        while at < end {
            let number = at / PIECE;
            let first = number * PIECE;
            let stop = end.min(first + PIECE);
            let shown = self.given;
            let block = self
                .blocks
                .entry(number / BLOCK)
                .or_insert_with(|| Arc::new(Block { pieces: [const { None }; BLOCK as usize] }));
            let piece = &mut Arc::make_mut(block).pieces[(number % BLOCK) as usize];
            let piece = piece.get_or_insert_with(|| {
                let mut piece = Piece { bytes: [0; PIECE as usize], terms: None };
                if let Some((content, length)) = shown {
                    for position in (first..length.min(first + PIECE)).filter(|position| !(at..stop).contains(position))
                    {
                        piece.set((position - first) as usize, given(content, position));
                    }
                }
                Arc::new(piece)
            });
            let piece = Arc::make_mut(piece);
            for position in at..stop {
                piece.set((position - first) as usize, bytes[(position - offset) as usize]);
            }
            at = stop;
        }
        if !bytes.is_empty() {
            self.size = self.size.max(end);
        }
    }

    /// Cuts the file off, or extends it with zeros.
    pub(super) fn resize(&mut self, size: u64) {
        if size < self.size {
            let pieces = size.div_ceil(PIECE);
            self.blocks.split_off(&pieces.div_ceil(BLOCK));
            if let Some(block) = self.blocks.get_mut(&(pieces / BLOCK)) {
                Arc::make_mut(block).pieces[(pieces % BLOCK) as usize..].fill(None);
            }
            if let Some((_, length)) = &mut self.given {
                *length = size.min(*length);
            }
            if let Some(piece) = self.piece_mut(size / PIECE) {
                for offset in (size % PIECE) as usize..PIECE as usize {
                    piece.set(offset, Kept::Known(0));
                }
            }
        }
        self.size = size;
    }

    /// The numbers of the pieces in which a byte depends on the input.
    pub(super) fn symbolic_pieces(&self) -> impl Iterator<Item = u64> {
        let numbers = self.blocks.keys().flat_map(|block| block * BLOCK..(block + 1) * BLOCK);
        numbers.filter(|&number| self.piece(number).is_some_and(|piece| piece.terms.is_some()))
    }

    /// Replaces the terms of a piece by their values.
    pub(super) fn evaluate(&mut self, piece: u64, value: &mut dyn FnMut(TermId) -> u64) {
        let Some(piece) = self.piece_mut(piece) else { return };
        for (byte, term) in piece.bytes.iter_mut().zip(piece.terms.take().iter().flat_map(|terms| terms.iter())) {
            if let Some(term) = term {
                *byte = value(*term) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::random::Random;

    fn content(file: &File, given: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < file.size() {
            let (source, length) = file.source(bytes.len() as u64);
            assert!(length > 0);
            for i in 0..length {
                bytes.push(match &source {
                    Source::Zeros => 0,
                    Source::Given(_, from) => given[(from + i) as usize],
                    Source::Written(piece) => match piece.get(i) {
                        Kept::Known(byte) => byte,
                        Kept::Term(term) => panic!("{term:?}"),
                    },
                });
            }
        }
        bytes
    }

    /// Random writes and changes of the size, compared with a vector; forks keep what they had.
    #[test]
    fn a_file_is_what_was_written_to_it() {
        for seed in 0..60 {
            // The second half crosses the boundary of two blocks.
            let (span, most) = if seed < 30 { (6000, 2500) } else { (600_000, 50_000) };
            let mut random = Random::new(seed);
            let given: Vec<u8> = (0..random.below(4000)).map(|i| i as u8 | 1).collect();
            let mut file = File::given(0, given.len() as u64);
            let mut model = given.clone();
            let mut forks = Vec::new();
            for round in 0..if seed < 30 { 60 } else { 12 } {
                if random.below(3) > 0 {
                    let offset = random.below(span) as usize;
                    let bytes: Vec<u8> = (0..random.below(most)).map(|i| (i + round) as u8).collect();
                    let kept: Vec<Kept> = bytes.iter().map(|&byte| Kept::Known(byte)).collect();
                    file.write(offset as u64, &kept, &mut |_, at| Kept::Known(given[at as usize]));
                    if !bytes.is_empty() {
                        model.resize(model.len().max(offset + bytes.len()), 0);
                        model[offset..offset + bytes.len()].copy_from_slice(&bytes);
                    }
                } else {
                    let size = random.below(span + span / 2);
                    file.resize(size);
                    model.resize(size as usize, 0);
                }
                assert_eq!(content(&file, &given), model, "seed {seed}, round {round}");
                forks.push((file.clone(), model.clone()));
            }
            for (fork, model) in forks {
                assert_eq!(content(&fork, &given), model);
            }
        }
    }
}
