//! WASI preview 1 for a subject that cannot touch the outside world: arguments, environment, standard streams and files
//! live in memory; the clock and the random numbers are fixed sequences.
//!
//! A program may change the files that it is given, and make others; what it writes lasts as long as its run. Bytes that
//! depend on the input still do when they are read back.
//!
//! A call first reads all numbers and structures that it needs and only then changes anything. So it can be repeated
//! from its start when it turns out that a number it needs depends on the input and must be decided first
//! ([`Interrupt::NeedConcrete`]).

mod calls;
mod file;
mod files;
mod paths;
mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_term::TermId;
use pessimum_term::random::Random;

use crate::host::Captured;
use pessimum_input::{Content, InputPlan};
use tree::{NodeId, ROOT, Tree};

pub(crate) use calls::{call, signature};

/// The import module that this file provides.
pub const MODULE: &str = "wasi_snapshot_preview1";

/// The part of a subject's environment that does not change.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Arguments, standard input and files.
    pub plan: InputPlan,
    /// First entry of the command line.
    pub program: String,
    /// `NAME=value` entries.
    pub environment: Vec<String>,
}

/// Error numbers of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Errno {
    Success = 0,
    BadF = 8,
    Busy = 10,
    Exist = 20,
    Fault = 21,
    Inval = 28,
    IsDir = 31,
    MFile = 33,
    NameTooLong = 37,
    NoEnt = 44,
    NoSpc = 51,
    NoSys = 52,
    NotDir = 54,
    NotEmpty = 55,
    SPipe = 70,
    NotCapable = 76,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Descriptor {
    Stdin {
        position: u64,
    },
    Stdout,
    Stderr,
    Directory {
        node: NodeId,
        /// Whether the program found it open: this is the root, and how it gets at everything else.
        preopened: bool,
    },
    File {
        node: NodeId,
        position: u64,
        readable: bool,
        writable: bool,
        append: bool,
    },
}

impl Descriptor {
    fn node(self) -> Option<NodeId> {
        match self {
            Descriptor::Directory { node, .. } | Descriptor::File { node, .. } => Some(node),
            Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => None,
        }
    }
}

/// Types of what a descriptor or a path leads to.
const DIRECTORY: u8 = 3;
const REGULAR_FILE: u8 = 4;

/// Listed among the functions that are not provided if a program reads standard input and none was laid out. The
/// program finds the end at once, but with input it might have done something else.
pub const STDIN: &str = "standard input";

/// At most this many descriptors may be open.
const MAX_DESCRIPTORS: usize = 1024;

/// Where the clock starts, in nanoseconds since 1970 (2001-09-09 01:46:40 UTC); the first answer is one step later.
const CLOCK_START: u64 = 1_000_000_000_000_000_000;

/// How far the clock moves each time it is read, in nanoseconds, so that a program that waits for it makes progress.
const CLOCK_STEP: u64 = 1_000_000;

/// What changes while the subject runs. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Wasi {
    world: Arc<World>,
    descriptors: Arc<Vec<Option<Descriptor>>>,
    tree: Tree,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    clock: u64,
    random: Random,
    /// How often each call was answered with `ENOSYS`, and how often [`STDIN`] was read although none was laid out.
    pub(crate) unsupported: BTreeMap<&'static str, u64>,
}

impl Wasi {
    /// An error names a file of the plan whose name is of no use, and says why.
    pub(crate) fn new(world: Arc<World>) -> Result<Wasi, (String, &'static str)> {
        let descriptors = vec![
            Some(Descriptor::Stdin { position: 0 }),
            Some(Descriptor::Stdout),
            Some(Descriptor::Stderr),
            Some(Descriptor::Directory { node: ROOT, preopened: true }),
        ];
        Ok(Wasi {
            tree: Tree::new(&world.plan.files)?,
            world,
            descriptors: Arc::new(descriptors),
            stdout: Captured::default(),
            stderr: Captured::default(),
            clock: CLOCK_START,
            random: Random::new(0),
            unsupported: BTreeMap::new(),
        })
    }

    /// Bytes that a fork may come to hold for itself alone.
    pub(crate) fn own_bytes(&self) -> u64 {
        let descriptors = (self.descriptors.len() * size_of::<Option<Descriptor>>()) as u64;
        descriptors + self.tree.own_bytes() + self.stdout.own_bytes() + self.stderr.own_bytes()
    }

    fn descriptor(&self, number: u64) -> Result<Descriptor, Errno> {
        self.descriptors.get(number as usize).copied().flatten().ok_or(Errno::BadF)
    }

    /// Replaces a descriptor that is open or [free](Wasi::free_descriptor).
    fn set_descriptor(&mut self, number: u64, descriptor: Option<Descriptor>) {
        let descriptors = Arc::make_mut(&mut self.descriptors);
        if number as usize == descriptors.len() {
            descriptors.push(None);
        }
        descriptors[number as usize] = descriptor;
    }

    /// The lowest number that is not open.
    fn free_descriptor(&self) -> Result<u64, Errno> {
        let free = self.descriptors.iter().position(Option::is_none).unwrap_or(self.descriptors.len());
        if free == MAX_DESCRIPTORS { Err(Errno::MFile) } else { Ok(free as u64) }
    }

    /// To be called when a file or directory has been closed or has lost its name.
    fn free_if_closed(&mut self, node: NodeId) {
        if !self.descriptors.iter().flatten().any(|open| open.node() == Some(node)) {
            self.tree.free(node);
        }
    }

    fn file_type(&self, node: NodeId) -> u8 {
        if self.tree.is_directory(node) { DIRECTORY } else { REGULAR_FILE }
    }

    /// Where bytes of files depend on the input.
    pub(crate) fn symbolic_pieces(&self) -> SymbolicPieces {
        SymbolicPieces(self.tree.symbolic_pieces())
    }

    /// The same state, in which the terms in these pieces of files have these values.
    pub(crate) fn evaluated(&self, pieces: &SymbolicPieces, value: &mut dyn FnMut(TermId) -> u64) -> Wasi {
        let mut wasi = self.clone();
        wasi.tree.evaluate(&pieces.0, value);
        wasi
    }

    fn now(&mut self) -> u64 {
        self.clock += CLOCK_STEP;
        self.clock
    }

    /// Next byte of a fixed sequence.
    fn random_byte(&mut self) -> u8 {
        self.random.bits() as u8
    }
}

/// Parts of files in which bytes depend on the input.
pub(crate) struct SymbolicPieces(Vec<(NodeId, u64)>);

pub(crate) fn content_length(content: &Content) -> u64 {
    match content {
        Content::Input(group) => u64::from(group.count),
        Content::Fixed(bytes) => bytes.len() as u64,
    }
}
