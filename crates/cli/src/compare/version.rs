//! What A and B name: a file, or a file as it was in a revision of this repository.

use std::fs::{File, TryLockError};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use pessimum_report::text::printable_lines;

use crate::Usage;
use crate::compile::{Cache, find, hash};

/// One version of a program.
pub struct Version {
    /// As on the command line, with the path where that names only a revision.
    pub label: String,
    /// The commit; none for the working tree.
    pub revision: Option<String>,
    /// The program, as seen from its directory.
    pub program: PathBuf,
    /// The directory to search it in; none for the current one.
    pub directory: Option<PathBuf>,
    /// What the program is called in the working tree, to name directories after.
    pub named: PathBuf,
    /// Keeps the files of a revision until the comparison is over.
    _tree: Option<Tree>,
}

/// What a word of the command line stands for.
enum Word {
    Path(PathBuf),
    Revision { revision: String, commit: String, path: Option<PathBuf> },
}

/// Both versions, which the words A and B name; `program` is what `--program` says.
pub fn versions(a: &Path, b: &Path, program: Option<&Path>) -> Result<[Version; 2]> {
    let words = [word(a)?, word(b)?];
    let paths = words.each_ref().map(|word| match word {
        Word::Path(path) => Some(path.clone()),
        Word::Revision { path, .. } => path.clone(),
    });
    let [of_a, of_b] = &paths;
    let mut made = Vec::new();
    for (word, other) in words.into_iter().zip([of_b, of_a]) {
        made.push(version(word, other.as_deref(), program)?);
    }
    let (b, a) = (made.pop(), made.pop());
    Ok([a.context("A")?, b.context("B")?])
}

fn version(word: Word, other: Option<&Path>, program: Option<&Path>) -> Result<Version> {
    let (revision, commit, path) = match (word, program) {
        (Word::Path(path), Some(program)) if path.is_dir() => return Ok(in_working_tree(path.join(program))),
        (Word::Path(path), Some(_)) => {
            let message = format!("--program is for revisions and directories, but {} is a file", path.display());
            return Err(Usage(message).into());
        }
        (Word::Path(path), None) => return Ok(in_working_tree(path)),
        (Word::Revision { revision, path: Some(_), .. }, Some(_)) => {
            return Err(Usage(format!("give either `{revision}:PATH` or --program")).into());
        }
        (Word::Revision { revision, commit, path }, program) => {
            (revision, commit, path.or_else(|| program.or(other).map(Path::to_path_buf)))
        }
    };
    let path = match path {
        Some(path) => path,
        None if Path::new("Cargo.toml").is_file() => PathBuf::from("."),
        None => {
            let hint = format!("`{revision}:sort.c`, or --program crates/sort for both");
            return Err(Usage(format!("say which program of the revision is meant: {hint}")).into());
        }
    };
    let repository = Repository::here()?;
    let found = repository.inside(&path)?;
    let tree = Tree::of(&repository, &commit)?;
    let place = tree.root().join(&repository.prefix);
    // As seen from the current directory, or else from the root, as git itself writes it.
    let (directory, program) = match (place.is_dir() && place.join(&path).exists(), tree.root().join(&found).exists()) {
        (true, _) if path.is_relative() => (place, path.clone()),
        (_, true) => (tree.root(), found),
        _ if path.is_relative() && tree.root().join(&path).exists() => (tree.root(), path.clone()),
        _ => bail!("{revision} has no {}", path.display()),
    };
    let label = if path == Path::new(".") { revision } else { format!("{revision}:{}", path.display()) };
    Ok(Version { label, revision: Some(commit), named: path, program, directory: Some(directory), _tree: Some(tree) })
}

fn in_working_tree(path: PathBuf) -> Version {
    let label = path.display().to_string();
    Version { label, revision: None, named: path.clone(), program: path, directory: None, _tree: None }
}

/// A file, if there is one of this name; otherwise a revision, alone or with a path after a colon.
fn word(word: &Path) -> Result<Word> {
    if word.exists() {
        return Ok(Word::Path(word.to_path_buf()));
    }
    let shown = word.display();
    let Some(text) = word.to_str() else { bail!("{shown}: there is no such file") };
    if find("git").is_none() {
        bail!("{text}: there is no such file, and no `git` in PATH that could have a revision of this name");
    }
    let (revision, path) = match text.split_once(':') {
        Some((revision, path)) if !revision.is_empty() && !path.is_empty() => (revision, Some(PathBuf::from(path))),
        _ => (text, None),
    };
    let name = format!("{revision}^{{commit}}");
    match git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]) {
        Ok(commit) => Ok(Word::Revision { revision: revision.to_string(), commit: commit.trim().to_string(), path }),
        Err(_) if path.is_some() => bail!("{text}: there is no such file, and no revision `{revision}` here"),
        Err(_) => bail!("{text}: there is no such file, and no such revision here"),
    }
}

/// The repository around the current directory.
struct Repository {
    top: PathBuf,
    /// The current directory, from the top; empty at the top.
    prefix: PathBuf,
}

impl Repository {
    fn here() -> Result<Repository> {
        let asked = git(&["rev-parse", "--show-toplevel", "--show-prefix"])?;
        let mut lines = asked.lines();
        let top = lines.next().filter(|top| !top.is_empty()).context("git does not say where the repository is")?;
        Ok(Repository { top: PathBuf::from(top), prefix: PathBuf::from(lines.next().unwrap_or_default()) })
    }

    /// Where a path leads to, from the top. One that leaves the repository would leave the place of the revision.
    fn inside(&self, path: &Path) -> Result<PathBuf> {
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

/// The directory with the files of a revision, in its place.
const TREE: &str = "tree";

/// The files of a revision, in a place of ours. It is the same place again for the next revision of this repository, so
/// that compilers find what they have built of other packages there.
struct Tree {
    place: PathBuf,
    _lock: Option<File>,
    /// Removes the place when it is dropped, where nothing can be kept.
    _cache: Cache,
}

impl Tree {
    /// Takes a revision out of the repository. The user's files and index are not touched, and no hook is run.
    fn of(repository: &Repository, commit: &str) -> Result<Tree> {
        let cache = Cache::open()?;
        let (place, lock) = free_place(&cache, &repository.top)?;
        let tree = Tree { place, _lock: lock, _cache: cache };
        tree.remove();
        let index = tree.place.join("index");
        let prefix = format!("{}/", tree.root().display());
        for words in [vec!["read-tree", commit], vec!["checkout-index", "--all", "--force", "--prefix", &prefix]] {
            let mut command = git_command()?;
            command.current_dir(&repository.top).env("GIT_INDEX_FILE", &index).args(words);
            said(command)?;
        }
        Ok(tree)
    }

    fn root(&self) -> PathBuf {
        self.place.join(TREE)
    }

    /// What cannot be removed is overwritten or removed the next time.
    fn remove(&self) {
        let _ = std::fs::remove_dir_all(self.root());
        let _ = std::fs::remove_file(self.place.join("index"));
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

/// `git`, which starts nothing that the repository names: no hooks, no monitor of files.
fn git_command() -> Result<Command> {
    let program = find("git").context("revisions need `git`, which is not in PATH")?;
    let mut command = Command::new(program);
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
    Ok(command)
}

fn git(words: &[&str]) -> Result<String> {
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
