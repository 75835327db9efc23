//! Where a new search keeps its results. A directory that cannot be written to is no reason not to search: what is found
//! is printed, and the command fails at its end, as it does where the disk fills later.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use pessimum_session::Source;
use pessimum_session::files::{Staged, make_directory};
use pessimum_session::owner::Owner;
use pessimum_session::saved::MODULE;

use crate::output::tell;
use crate::worst;

/// A directory of results, or a temporary one in its place.
pub struct Place {
    owner: Owner,
    /// Why it is not the one that was wanted, and what is removed with it.
    instead: Option<(Error, tempfile::TempDir)>,
}

impl Place {
    /// Takes a directory for this process. `program` is the largest file that every search writes at its start.
    pub fn of(directory: &Path, program: &Source) -> Result<Place> {
        Place::with_room(directory, program.saved().first().map_or(0, |(_, bytes)| bytes.len()))
    }

    /// The same for a number of bytes.
    pub fn with_room(directory: &Path, bytes: usize) -> Result<Place> {
        let why = match worst::own(directory) {
            Ok(owner) => match try_writing(directory, bytes) {
                Ok(()) => return Ok(Place { owner, instead: None }),
                Err(why) => why,
            },
            // A name that stands for something else is a mistake of the command line.
            Err(why) if !is_below_a_directory(directory) || try_writing(directory, 0).is_ok() => return Err(why),
            Err(why) => why,
        };
        for parent in [std::env::temp_dir(), PathBuf::from("/dev/shm")] {
            let Ok(temporary) = tempfile::tempdir_in(parent) else { continue };
            if try_writing(temporary.path(), bytes).is_ok() {
                tell(&format!("note: {why:#}; searching all the same, but nothing will be saved"));
                return Ok(Place { owner: worst::own(temporary.path())?, instead: Some((why, temporary)) });
            }
        }
        Err(why)
    }

    /// Takes the directory of a search, which has a journal of this name, to go on with it.
    pub fn of_search(directory: &Path, journal: &str) -> Result<Place> {
        Ok(Place { owner: worst::own_search(directory, journal)?, instead: None })
    }

    /// Why nothing was saved, if that is so.
    pub fn failure(&self) -> Option<Error> {
        self.instead.as_ref().map(|(why, _)| anyhow!("{why:#}; nothing was saved"))
    }
}

impl Deref for Place {
    type Target = Owner;

    fn deref(&self) -> &Owner {
        &self.owner
    }
}

/// Whether a file of this size can be written there. It is not left behind.
fn try_writing(directory: &Path, bytes: usize) -> Result<()> {
    make_directory(directory)?;
    Ok(Staged::new(&directory.join(MODULE), &vec![0; bytes]).map(drop)?)
}

fn is_below_a_directory(path: &Path) -> bool {
    let mut above = path.ancestors().map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
    above.find(|path| path.symlink_metadata().is_ok()).is_some_and(Path::is_dir)
}
