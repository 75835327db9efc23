//! WASI preview 1 for a subject that cannot touch the outside world: arguments, environment, standard streams and
//! given read-only files live in memory; the clock and the random numbers are fixed sequences.
//!
//! A call first reads all numbers and structures that it needs and only then changes anything. So it can be repeated
//! from its start when it turns out that a number it needs depends on the input and must be decided first
//! ([`Interrupt::NeedConcrete`]).

mod calls;
mod files;

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_term::random::Random;

use crate::call::{Content, InputPlan};
use crate::host::Captured;

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
    Fault = 21,
    Inval = 28,
    IsDir = 31,
    MFile = 33,
    NoEnt = 44,
    NoSys = 52,
    NotDir = 54,
    Rofs = 69,
    SPipe = 70,
    NotCapable = 76,
}

#[derive(Clone, Debug, PartialEq)]
enum Descriptor {
    Stdin {
        position: u64,
    },
    Stdout,
    Stderr,
    /// The root: the only directory.
    Root,
    File {
        index: usize,
        position: u64,
    },
}

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
    descriptors: Vec<Option<Descriptor>>,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    clock: u64,
    random: Random,
    /// How often each call was answered with `ENOSYS`, and how often [`STDIN`] was read although none was laid out.
    pub(crate) unsupported: BTreeMap<&'static str, u64>,
}

impl Wasi {
    pub(crate) fn new(world: Arc<World>) -> Wasi {
        let descriptors = vec![
            Some(Descriptor::Stdin { position: 0 }),
            Some(Descriptor::Stdout),
            Some(Descriptor::Stderr),
            Some(Descriptor::Root),
        ];
        Wasi {
            world,
            descriptors,
            stdout: Captured::default(),
            stderr: Captured::default(),
            clock: CLOCK_START,
            random: Random::new(0),
            unsupported: BTreeMap::new(),
        }
    }

    fn descriptor(&mut self, number: u64) -> Result<&mut Descriptor, Errno> {
        self.descriptors.get_mut(number as usize).and_then(Option::as_mut).ok_or(Errno::BadF)
    }

    fn open(&mut self, descriptor: Descriptor) -> Result<u64, Errno> {
        let free = self.descriptors.iter().position(Option::is_none).unwrap_or(self.descriptors.len());
        if free == MAX_DESCRIPTORS {
            return Err(Errno::MFile);
        }
        if free == self.descriptors.len() {
            self.descriptors.push(None);
        }
        self.descriptors[free] = Some(descriptor);
        Ok(free as u64)
    }

    fn now(&mut self) -> u64 {
        self.clock += CLOCK_STEP;
        self.clock
    }

    /// Next byte of a fixed sequence.
    fn random_byte(&mut self) -> u8 {
        self.random.bits() as u8
    }

    /// The file at a path, `None` for the root itself.
    fn resolve(&self, path: &[u8]) -> Result<Option<usize>, Errno> {
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in path.split(|&byte| byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => drop(parts.pop().ok_or(Errno::NotCapable)?),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let wanted = parts.join(&b'/');
        let files = self.world.plan.files.iter();
        let found = files.map(|(name, _)| name.trim_start_matches("./").trim_start_matches('/').as_bytes());
        found.into_iter().position(|name| name == wanted).map(Some).ok_or(Errno::NoEnt)
    }
}

pub(crate) fn content_length(content: &Content) -> u64 {
    match content {
        Content::Input(group) => u64::from(group.count),
        Content::Fixed(bytes) => bytes.len() as u64,
    }
}
