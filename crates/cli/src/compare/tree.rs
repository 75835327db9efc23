//! The files of one version: a revision of this repository, or a directory with a program that it lacks.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use pessimum_python::programs;
use pessimum_report::text::printable_lines;

use pessimum_languages::{Cache, hash};

/// The repository around the current directory.
pub struct Repository {
    top: PathBuf,
    /// The current directory, from the top; empty at the top.
    pub prefix: PathBuf,
}

impl Repository {
    pub fn here() -> Result<Repository> {
        let asked = git(&["rev-parse", "--show-toplevel", "--show-prefix"])?;
        let mut lines = asked.lines();
        let top = lines.next().filter(|top| !top.is_empty()).context("git does not say where the repository is")?;
        Ok(Repository { top: PathBuf::from(top), prefix: PathBuf::from(lines.next().unwrap_or_default()) })
    }

    /// Where a path leads to, from the top. One that leaves the repository would leave the place of the revision.
    pub fn inside(&self, path: &Path) -> Result<PathBuf> {
        let outside = || format!("{}: not in the repository {}", path.display(), self.top.display());
        let path = match path.is_absolute() {
            false => self.prefix.join(path),
            true => {
                let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
                real.strip_prefix(&self.top).map(Path::to_path_buf).ok().with_context(outside)?
            }
        };
        let mut found = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir if !found.pop() => bail!(outside()),
                Component::Normal(name) => found.push(name),
                _ => {}
            }
        }
        Ok(if found.as_os_str().is_empty() { PathBuf::from(".") } else { found })
    }
}

/// The directory with the files, and the repository that takes them out, in their place.
const TREE: &str = "tree";
const OWN: &str = "git";

/// The files of a version, in a place of ours. It is the same place again for the next revision of this repository, so
/// that compilers find what they have built of other packages there.
pub struct Tree {
    place: PathBuf,
    _lock: Option<File>,
    /// Removes the place when it is dropped, where nothing can be kept.
    _cache: Cache,
}

impl Tree {
    /// Takes a revision out of the repository. The user's files and index are not touched, and nothing that the repository
    /// names is run: what takes the files out is a repository of ours, which has only the objects in common with that one.
    pub fn of(repository: &Repository, commit: &str) -> Result<Tree> {
        let tree = Tree::empty(&repository.top)?;
        let own = tree.place.join(OWN);
        let objects = std::path::absolute(git(&["rev-parse", "--git-path", "objects"])?.trim_end_matches('\n'))?;
        let mut init = git_command()?;
        init.args(["init", "--quiet", "--bare", "--template="]);
        // Git before 2.28 knows one format, and answers with the question.
        let format = git(&["rev-parse", "--show-object-format"])?;
        if let Some(format) = Some(format.trim()).filter(|format| !format.starts_with('-') && *format != "sha1") {
            init.arg(format!("--object-format={format}"));
        }
        init.arg(&own);
        said(init)?;
        let prefix = format!("{}/", tree.root().display());
        for words in [vec!["read-tree", commit], vec!["checkout-index", "--all", "--force", "--prefix", &prefix]] {
            let mut command = git_command()?;
            command.current_dir(&tree.place).env("GIT_DIR", &own).env("GIT_WORK_TREE", &tree.place);
            command.env("GIT_OBJECT_DIRECTORY", &objects).env("GIT_INDEX_FILE", own.join("index")).args(words);
            said(command).map_err(incomplete)?;
        }
        Ok(tree)
    }

    /// Links to all that a directory has, with directories of their own on the way to this program, which is not there.
    pub fn of_links(directory: &Path, program: &Path) -> Result<Tree> {
        let directory = std::fs::canonicalize(directory).with_context(|| directory.display().to_string())?;
        let tree = Tree::empty(&directory)?;
        let (mut from, mut to) = (directory, tree.root());
        let mut on_the_way = program.components();
        loop {
            std::fs::create_dir_all(&to).with_context(|| to.display().to_string())?;
            let next = on_the_way.next().map(|part| part.as_os_str().to_os_string()).unwrap_or_default();
            let entries = std::fs::read_dir(&from).with_context(|| from.display().to_string())?;
            for entry in entries.collect::<std::io::Result<Vec<_>>>()? {
                if entry.file_name() != next {
                    link(&entry.path(), &to.join(entry.file_name()))?;
                }
            }
            (from, to) = (from.join(&next), to.join(&next));
            if next.is_empty() || !from.is_dir() {
                return Ok(tree);
            }
        }
    }

    /// Adds a file at a path inside, where there is none.
    pub fn add(&self, file: &Path, inside: &Path) -> Result<()> {
        let mut place = self.root();
        let parts: Vec<&OsStr> = inside.components().map(|part| part.as_os_str()).collect();
        for (at, part) in parts.iter().enumerate() {
            place.push(part);
            let is_last = at + 1 == parts.len();
            match place.symlink_metadata() {
                Err(_) if !is_last => std::fs::create_dir(&place).with_context(|| place.display().to_string())?,
                Err(_) => {}
                // A link may lead anywhere.
                Ok(metadata) if is_last || !metadata.is_dir() => {
                    bail!("{} cannot be added: {} is in the way", inside.display(), part.display())
                }
                Ok(_) => {}
            }
        }
        std::fs::copy(file, &place).map(drop).with_context(|| file.display().to_string())
    }

    /// A place without files.
    fn empty(of: &Path) -> Result<Tree> {
        let cache = Cache::open()?;
        let (place, lock) = free_place(&cache, of)?;
        let tree = Tree { place, _lock: lock, _cache: cache };
        tree.remove();
        Ok(tree)
    }

    pub fn root(&self) -> PathBuf {
        self.place.join(TREE)
    }

    /// What cannot be removed is overwritten or removed the next time.
    fn remove(&self) {
        let _ = std::fs::remove_dir_all(self.root());
        let _ = std::fs::remove_dir_all(self.place.join(OWN));
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A place for a revision of this repository that no other process uses, and the lock on it.
fn free_place(cache: &Cache, top: &Path) -> Result<(PathBuf, Option<File>)> {
    for number in 1.. {
        let place = cache.subdirectory(&format!("revision-{}-{number}", hash(&top)))?;
        let path = place.join("lock");
        let lock = File::create(&path).with_context(|| path.display().to_string())?;
        match lock.try_lock() {
            Ok(()) => return Ok((place, Some(lock))),
            Err(TryLockError::WouldBlock) => {}
            // A file system without locks is not worth failing for, but both sides need places of their own.
            Err(TryLockError::Error(_)) => {
                let name = format!("revision-{}-{number}-of-{}", hash(&top), std::process::id());
                let place = cache.subdirectory(&name)?;
                if std::fs::create_dir(place.join(TREE)).is_ok() {
                    return Ok((place, None));
                }
            }
        }
    }
    bail!("no place for the files of a revision")
}

/// A link to a file or directory.
#[cfg(unix)]
fn link(to: &Path, at: &Path) -> Result<()> {
    std::os::unix::fs::symlink(to, at).with_context(|| at.display().to_string())
}

#[cfg(not(unix))]
fn link(_: &Path, at: &Path) -> Result<()> {
    bail!("{}: links are not made on this system; copy the program into both directories", at.display())
}

pub fn has_git() -> bool {
    programs::find("git").is_some()
}

/// `git`, which starts nothing that the repository names and fetches nothing: no hooks, no monitor of files, no pager, no
/// transport. (Git before 2.45 would fetch what a partial clone lacks, and is then refused the transport.) Git LFS, which many have in
/// their own configuration, would download files: they stay the pointers that they are in the repository.
fn git_command() -> Result<Command> {
    let program = programs::find("git").context("revisions need `git`, which is not in PATH")?;
    let mut command = programs::command(&program);
    command.args(["--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "").env("GIT_TERMINAL_PROMPT", "0");
    command.env("GIT_LFS_SKIP_SMUDGE", "1");
    Ok(command)
}

pub fn git(words: &[&str]) -> Result<String> {
    let mut command = git_command()?;
    command.args(words);
    said(command)
}

/// What a command prints; its error where it fails.
fn said(mut command: Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().context("git")?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        bail!("git failed ({}): {}", output.status, printable_lines(told.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The same error with what to do where files of a revision are not on this machine.
fn incomplete(error: anyhow::Error) -> anyhow::Error {
    let text = error.to_string();
    match ["unable to read", "failed to unpack tree"].iter().any(|sign| text.contains(sign)) {
        true => anyhow::anyhow!(
            "{text}\nhint: this clone lacks files of the revision, and nothing is fetched here; `git fetch --refetch \
             --no-filter` gets them"
        ),
        false => error,
    }
}
