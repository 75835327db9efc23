//! Reading and writing files so that neither a full disk nor a kill leaves half of one behind.

use std::io::Write as _;
use std::path::Path;

use crate::{At, Error};

/// Nobody means to read a file larger than this.
pub const MAX_FILE: u64 = 1 << 30;

/// The contents of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let length = std::fs::metadata(path).at(path.display())?.len();
    if length > MAX_FILE {
        return Err(Error::new(format!("{}: {length} bytes exceed the limit of {MAX_FILE} bytes", path.display())));
    }
    std::fs::read(path).at(path.display())
}

/// Goes between the name of a file and the random suffix that it has while it is being written.
pub const UNFINISHED: &str = ".part-";

/// Writes a file so that a reader finds the old contents or the new, never a fragment.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let write = || -> std::io::Result<()> {
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
        file.persist(path)?;
        Ok(())
    };
    write().at(path.display())
}

/// Makes a directory and those above it.
pub fn make_directory(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).at(path.display())
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
