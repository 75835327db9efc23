//! Directories for compilers to write to, which do not outlive their process for long.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use pessimum_files::UNFINISHED;
use tempfile::TempDir;

/// How the names of workplaces start.
pub const WORK: &str = "work-";

/// The file in a workplace that its owner keeps locked. The lock ends with the process, however that ends.
const LOCK: &str = "lock";

/// The age at which things without a lock are taken to be left over: a workplace whose owner was killed before it had
/// locked it or on a file system without locks, and a file that was never finished.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// How often a workplace is made again because another process took it for one left over. Once is rare.
const ATTEMPTS: usize = 10;

/// A directory that is removed when this is dropped.
pub struct Workplace {
    directory: TempDir,
    _lock: File,
}

impl Workplace {
    /// Makes one in this directory.
    pub fn new(parent: &Path) -> Result<Workplace> {
        for _ in 0..ATTEMPTS {
            let directory = tempfile::Builder::new().prefix(WORK).tempdir_in(parent);
            let directory = directory.with_context(|| parent.display().to_string())?;
            let path = directory.path().join(LOCK);
            // Until the lock is held, another process may think that the directory is left over and remove it.
            let Ok(lock) = File::create(&path) else { continue };
            if !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) && path.exists() {
                return Ok(Workplace { directory, _lock: lock });
            }
        }
        bail!("{}: other processes remove what is made there", parent.display())
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes what processes that were killed have left in a directory. Another process may be doing the same, so failures
/// do not matter.
pub fn remove_abandoned(parent: &Path) {
    let Ok(listing) = std::fs::read_dir(parent) else { return };
    for entry in listing.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if name.starts_with(WORK) {
            // While we hold the lock, the owner cannot begin to use the directory.
            let lock = File::open(path.join(LOCK)).ok();
            let abandoned = match lock.as_ref().map(File::try_lock) {
                Some(Ok(())) => true,
                Some(Err(TryLockError::WouldBlock)) => false,
                Some(Err(TryLockError::Error(_))) | None => is_old(&path),
            };
            if abandoned {
                let _ = std::fs::remove_dir_all(&path);
            }
        } else if name.contains(UNFINISHED) && is_old(&path) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

fn is_old(path: &Path) -> bool {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| SystemTime::now().duration_since(modified).is_ok_and(|age| age > ABANDONED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workplaces_go_away() {
        let parent = tempfile::tempdir().unwrap();
        let (killed, unlocked) = (parent.path().join("work-killed"), parent.path().join("work-unlocked"));
        for directory in [&killed, &unlocked] {
            std::fs::create_dir(directory).unwrap();
            std::fs::write(directory.join("0.o"), "").unwrap();
        }
        std::fs::write(killed.join(LOCK), "").unwrap();
        let (first, second) = (Workplace::new(parent.path()).unwrap(), Workplace::new(parent.path()).unwrap());
        assert_ne!(first.path(), second.path());
        remove_abandoned(parent.path());
        assert!(!killed.exists() && first.path().exists() && second.path().exists());
        assert!(unlocked.exists(), "its owner may be about to lock it");
        std::fs::File::open(&unlocked).unwrap().set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        remove_abandoned(parent.path());
        drop((first, second));
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn workplaces_are_not_removed_while_they_are_made() {
        let parent = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        remove_abandoned(parent.path());
                        let workplace = Workplace::new(parent.path()).unwrap();
                        std::fs::write(workplace.file("0.o"), "").unwrap();
                        assert!(workplace.file("0.o").exists());
                    }
                });
            }
        });
    }
}
