//! The program under test: a shared library with counters, as `bench real` generates it.

use std::ffi::c_int;

use libafl::Error;
use libloading::{Library, Symbol};

/// Processor time of this process so far, in seconds.
pub fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of ours that the call fills in.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A loaded program. There is one for each process: the library has its state in static variables.
pub struct Target {
    run: unsafe extern "C" fn(*const u8, usize) -> c_int,
    counts: *const u32,
    slots: usize,
    input: *const u8,
    length: usize,
    /// Keeps the code where the pointers above say it is.
    _library: Library,
}

impl Target {
    /// Loads the library with this name.
    pub fn load(file: &str) -> Result<Target, Error> {
        let failed = |error: libloading::Error| Error::illegal_argument(format!("{file}: {error}"));
        // SAFETY: the library is one that `bench real` has generated, with these symbols of these types. Its
        // constructors number the edges and do nothing else.
        unsafe {
            let library = Library::new(file).map_err(failed)?;
            let run: Symbol<'_, unsafe extern "C" fn(*const u8, usize) -> c_int> =
                library.get(b"peer_run").map_err(failed)?;
            let counts: Symbol<'_, *const u32> = library.get(b"peer_counts").map_err(failed)?;
            let slots: Symbol<'_, *const usize> = library.get(b"peer_slots").map_err(failed)?;
            let input: Symbol<'_, *const u8> = library.get(b"peer_input").map_err(failed)?;
            let length: Symbol<'_, *const usize> = library.get(b"peer_length").map_err(failed)?;
            let (run, counts, slots, input, length) = (*run, *counts, **slots, *input, **length);
            Ok(Target { run, counts, slots, input, length, _library: library })
        }
    }

    /// Runs the program on these bytes, cut off or filled up with zeros to the length of its input. Returns whether it
    /// ended by itself.
    pub fn run(&mut self, bytes: &[u8]) -> bool {
        // SAFETY: the function reads no more than the length given, and writes to its own static variables.
        unsafe { (self.run)(bytes.as_ptr(), bytes.len()) != 0 }
    }

    /// How often each edge was taken in the last run; the first number is the sum.
    pub fn counts(&self) -> &[u32] {
        // SAFETY: a static array of the library, which has that many elements and changes only in `run`.
        unsafe { std::slice::from_raw_parts(self.counts, self.slots) }
    }

    /// The input of the last run, with every number brought into the range that the call allows.
    pub fn input(&self) -> &[u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.input, self.length) }
    }
}
