//! Files on disk, read within limits and written so that neither a full disk nor a kill leaves half of one behind.
//!
//! A directory of results may come from somebody else. What is read or written there by a name of ours is a plain file
//! or directory: a link could lead anywhere, and reading from a device or a pipe may never end.

use std::fs::{File, Metadata};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

mod error;

pub use error::{At, Error};

/// Nobody means to read a file larger than this, in bytes.
pub const MAX_FILE: u64 = 1 << 30;

/// The longest text that is parsed as one JSON value, in bytes. Parsed, it takes up to 16 times as much memory.
pub const MAX_JSON: u64 = 128 << 20;

/// The contents of a file that the user names, which may also be a pipe.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    contents(path, MAX_FILE)
}

/// The contents of a JSON file that the user names.
pub fn read_json(path: &Path) -> Result<Vec<u8>, Error> {
    contents(path, MAX_JSON)
}

/// What a JSON text says. Everything is read by way of [`serde_json::Value`], so that each type has the code to be read from one form only, not
/// from text and from values: that took 0.4 MB of the command.
pub fn from_json<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    serde_json::from_value(serde_json::from_slice(text)?)
}

/// The contents of a plain file with this name in a directory.
pub fn read_inside(directory: &Path, name: &str, most: u64) -> Result<Vec<u8>, Error> {
    let path = directory.join(name);
    match plain(&path)? {
        Some(_) => contents(&path, most),
        None => Err(Error::new(format!("{}: there is no such file", path.display()))),
    }
}

/// The metadata of a plain file; none if there is nothing of this name, and an error for anything but a plain file.
pub fn plain(path: &Path) -> Result<Option<Metadata>, Error> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
        Ok(_) => Err(Error::new(format!("{}: not a plain file; links are not followed here", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at(path.display()),
    }
}

fn contents(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let file = File::open(path).at(path.display())?;
    let mut bytes = Vec::new();
    // The length that a pipe or device reports says nothing.
    file.take(most + 1).read_to_end(&mut bytes).at(path.display())?;
    match bytes.len() as u64 > most {
        true => Err(Error::new(format!("{}: more than {most} bytes, which is the limit", path.display()))),
        false => Ok(bytes),
    }
}

/// Goes between the name of a file and the random suffix that it has while it is being written.
pub const UNFINISHED: &str = ".part-";

/// A file that is complete on the disk and needs only its name.
pub struct Staged {
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

impl Staged {
    /// Writes all of it, beside its future place.
    pub fn new(path: &Path, bytes: &[u8]) -> Result<Staged, Error> {
        let write = || -> std::io::Result<tempfile::NamedTempFile> {
            let mut start = path.file_name().unwrap_or_default().to_os_string();
            start.push(UNFINISHED);
            let mut builder = tempfile::Builder::new();
            builder.prefix(&start);
            // Result files are readable by everybody whom the user's umask does not exclude.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let mut file = builder.tempfile_in(directory)?;
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        Ok(Staged { file: write().at(path.display())?, path: path.to_path_buf() })
    }

    /// Gives it its name. A file, or a link, that has the name is replaced, never written through.
    pub fn put(self) -> Result<(), Error> {
        self.file.persist(&self.path).at(self.path.display())?;
        Ok(())
    }
}

/// Writes a file so that a reader finds the old contents or the new, never a fragment.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Staged::new(path, bytes)?.put()
}

/// Makes a directory that the user names, and those above it.
pub fn make_directory(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).at(path.display())
}

/// Makes a directory with this name in another one. What has the name already must be a directory and no link.
pub fn make_directory_inside(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    let path = directory.join(name);
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => Err(Error::new(format!("{}: not a directory; links are not followed here", path.display()))),
        Err(_) => make_directory(&path).map(|()| path),
    }
}

/// FNV-1a over the pieces and their lengths. It protects against accidents, not against forgers.
pub fn checksum<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    pieces.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, piece| {
        let hash = piece.iter().fold(hash, step);
        (piece.len() as u64).to_le_bytes().iter().fold(hash, step)
    })
}

/// The checksum of one file's bytes, as plans and journals store it.
pub fn fingerprint(bytes: &[u8]) -> String {
    format!("{:016x}", checksum([bytes]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_for_files_without_a_length() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a"), "12345").unwrap();
        assert_eq!(read_inside(directory.path(), "a", 5).unwrap(), b"12345");
        let error = read_inside(directory.path(), "a", 4).unwrap_err().to_string();
        assert!(error.contains("more than 4 bytes"), "{error}");
        #[cfg(target_os = "linux")]
        assert!(contents(Path::new("/dev/zero"), 1000).unwrap_err().to_string().contains("more than 1000 bytes"));
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_directory_of_results_are_not_followed() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, inside.path().join(name)).unwrap();
        std::fs::write(outside.path().join("secret"), "key").unwrap();
        link(&outside.path().join("secret"), "file");
        link(outside.path(), "directory");
        assert!(read_inside(inside.path(), "file", 100).unwrap_err().to_string().contains("links are not followed"));
        assert!(make_directory_inside(inside.path(), "directory").is_err());
        assert!(make_directory_inside(inside.path(), "fresh").unwrap().is_dir());
        // The link is replaced; what it led to stays as it was.
        write_atomically(&inside.path().join("file"), b"mine").unwrap();
        assert_eq!(std::fs::read(outside.path().join("secret")).unwrap(), b"key");
        assert_eq!(read_inside(inside.path(), "file", 100).unwrap(), b"mine");
    }
}
