//! Compiled modules on disk.
//!
//! An entry's name is a hash of everything that is known before compiling: the source's bytes and path, the compiler,
//! its options, the current directory. `NAME.json` lists the other files that the compiler read, and the module's own
//! name continues with a hash of their contents: a changed header leads to another module, and changing it back leads
//! to the first one again. Files are put in place by renaming, the module before the list, so that several processes
//! can share the directory.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::files::{make_directory, write_atomically};

/// Part of every name. It changes whenever modules are built in a different way.
const FORMAT: u32 = 3;

/// The number of modules that are kept; the least recently used ones are removed first.
const KEPT: usize = 256;

/// The extension of module files. Each starts with a hash of the rest, so that a damaged module is compiled again.
const MODULE: &str = "module";

/// How the names of workplaces start.
const WORK: &str = "work-";

/// How long after its last change a workplace is taken to be that of a process that was killed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// What is known about a compiled module besides its bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct About {
    /// Files that the compiler read besides the source.
    pub inputs: Vec<PathBuf>,
    /// The author's functions that can be called.
    pub functions: Vec<String>,
    /// The author's functions that cannot.
    pub hidden: Vec<Hidden>,
    /// How a function is called, where that is not obvious from its source.
    pub calls: BTreeMap<String, String>,
}

/// A function that cannot be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hidden {
    /// As its author would name it, with the modules or the type that it belongs to.
    pub name: String,
    /// Why it cannot be called, and what its author can do about it.
    pub why: String,
}

impl Hidden {
    /// Functions that cannot be called for the same reason.
    pub fn all(names: Vec<String>, why: &str) -> Vec<Hidden> {
        names.into_iter().map(|name| Hidden { name, why: why.to_string() }).collect()
    }

    /// Whether this name refers to it, with or without what it belongs to.
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.name.rsplit("::").next() == Some(name)
    }
}

/// The directory of compiled modules.
pub struct Cache {
    directory: PathBuf,
    /// Removes the directory when it is dropped, where nothing can be kept.
    _temporary: Option<tempfile::TempDir>,
}

/// One source with one compiler and its options.
pub struct Entry<'a> {
    cache: &'a Cache,
    name: String,
}

impl Cache {
    /// `$XDG_CACHE_HOME/pessimum`, `~/.cache/pessimum`, or a temporary directory where these cannot be written to.
    pub fn open() -> Result<Cache> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let directory = absolute("XDG_CACHE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
            .map(|directory| directory.join("pessimum"));
        let writable = |directory: &PathBuf| {
            make_directory(directory).is_ok() && tempfile::Builder::new().prefix(WORK).tempdir_in(directory).is_ok()
        };
        if let Some(directory) = directory.filter(writable) {
            return Ok(Cache { directory, _temporary: None });
        }
        let temporary = tempfile::tempdir().context("a place for compiled modules")?;
        Ok(Cache { directory: temporary.path().to_path_buf(), _temporary: Some(temporary) })
    }

    /// The entry for what these texts describe.
    pub fn entry(&self, parts: &[&[u8]]) -> Entry<'_> {
        Entry { cache: self, name: hash(&(FORMAT, parts)) }
    }

    /// A fresh directory for a compiler to write to, removed when dropped.
    pub fn workplace(&self) -> Result<Workplace> {
        self.remove_abandoned();
        let directory = tempfile::Builder::new().prefix(WORK).tempdir_in(&self.directory);
        Ok(Workplace { directory: directory.with_context(|| self.directory.display().to_string())? })
    }

    /// Removes the workplaces of processes that were killed. They are kept for longer than any compiler runs.
    fn remove_abandoned(&self) {
        let Ok(listing) = std::fs::read_dir(&self.directory) else { return };
        for entry in listing.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(WORK)) {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            if modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > ABANDONED)) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }

    /// A permanent directory, for compilers with caches of their own.
    pub fn subdirectory(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        make_directory(&path)?;
        Ok(path)
    }

    /// A directory that contains only this file.
    pub fn directory_with(&self, file: &str, text: &str) -> Result<PathBuf> {
        let directory = self.subdirectory(&format!("include-{}", hash(&(file, text))))?;
        let path = directory.join(file);
        if !path.is_file() {
            write_atomically(&path, text.as_bytes())?;
        }
        Ok(directory)
    }

    /// Removes the least recently used modules. Another process may be doing the same, so failures do not matter.
    fn prune(&self) {
        let Ok(listing) = std::fs::read_dir(&self.directory) else { return };
        let mut modules: Vec<(SystemTime, PathBuf)> = listing
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == MODULE))
            .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
            .collect();
        modules.sort();
        let superfluous = modules.len().saturating_sub(KEPT);
        for (_, path) in modules.iter().take(superfluous) {
            let _ = std::fs::remove_file(path);
            if let Some((entry, _)) = path.file_stem().and_then(|stem| stem.to_str()?.split_once('-')) {
                let _ = std::fs::remove_file(self.directory.join(format!("{entry}.json")));
            }
        }
    }
}

impl Entry<'_> {
    /// The module, if it was compiled before and no file that it was made from has changed.
    pub fn find(&self) -> Option<(Vec<u8>, About)> {
        let about: About = serde_json::from_slice(&std::fs::read(self.about()).ok()?).ok()?;
        let path = self.module(&about)?;
        let bytes = unsealed(std::fs::read(&path).ok()?)?;
        // Only the order of removal depends on this, so a failure does not matter.
        let _ = std::fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some((bytes, about))
    }

    /// Keeps a module for next time.
    pub fn keep(&self, bytes: Vec<u8>, about: About) -> Result<(Vec<u8>, About)> {
        if let Some(path) = self.module(&about) {
            write_atomically(&path, &[hash(&bytes).as_bytes(), &bytes].concat())?;
            write_atomically(&self.about(), &serde_json::to_vec(&about).context("JSON")?)?;
            self.cache.prune();
        }
        Ok((bytes, about))
    }

    fn about(&self) -> PathBuf {
        self.cache.directory.join(format!("{}.json", self.name))
    }

    /// Where the module made from the inputs as they are now is kept; `None` where an input is gone.
    fn module(&self, about: &About) -> Option<PathBuf> {
        let mut contents = Vec::new();
        for input in &about.inputs {
            contents.push(std::fs::read(input).ok()?);
        }
        Some(self.cache.directory.join(format!("{}-{}.{MODULE}", self.name, hash(&contents))))
    }
}

/// A directory that is removed when this is dropped.
pub struct Workplace {
    directory: tempfile::TempDir,
}

impl Workplace {
    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// The module in a file that starts with its hash; `None` where it is damaged.
fn unsealed(mut file: Vec<u8>) -> Option<Vec<u8>> {
    let hash_length = hash(&0u8).len();
    let bytes = file.split_off(hash_length.min(file.len()));
    (hash(&bytes).as_bytes() == file).then_some(bytes)
}

/// 128 bits in hex, so that two sources never share a module by chance. Where another build of Pessimum has different
/// hashes, everything is merely compiled again.
pub fn hash(value: &impl std::hash::Hash) -> String {
    let half = |first: u8| {
        let mut hasher = DefaultHasher::new();
        first.hash(&mut hasher);
        value.hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}

/// The files after the colon in the first rule of a file in the format of `make`.
pub fn read_rule(path: &Path) -> Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let rule = text.lines().next().unwrap_or_default();
    // The target may contain a colon too, but not one followed by a space.
    let files = rule.split_once(": ").map_or("", |(_, files)| files);
    let (mut found, mut file) = (Vec::new(), String::new());
    let mut characters = files.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if characters.peek().is_some_and(|next| matches!(next, ' ' | '#' | '\\')) => {
                file.extend(characters.next());
            }
            '$' if characters.peek() == Some(&'$') => file.extend(characters.next()),
            c if c.is_whitespace() => {
                if !file.is_empty() {
                    found.push(PathBuf::from(std::mem::take(&mut file)));
                }
            }
            c => file.push(c),
        }
    }
    if !file.is_empty() {
        found.push(PathBuf::from(file));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workplaces_go_away() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache { directory: directory.path().to_path_buf(), _temporary: None };
        let abandoned = directory.path().join("work-abandoned");
        std::fs::create_dir(&abandoned).unwrap();
        std::fs::write(abandoned.join("0.o"), "").unwrap();
        let long_ago = SystemTime::now() - 2 * ABANDONED;
        std::fs::File::open(&abandoned).unwrap().set_modified(long_ago).unwrap();
        let (first, second) = (cache.workplace().unwrap(), cache.workplace().unwrap());
        std::fs::write(first.file("0.o"), "").unwrap();
        assert!(!abandoned.exists() && first.path().exists());
        assert_ne!(first.path(), second.path());
        drop((first, second));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn rules_of_make_name_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rule.d");
        std::fs::write(&path, "c:x.o: a\\ b.c \\\n  c$$d.h e\\#f.h\n\nother: g.h\n").unwrap();
        assert_eq!(read_rule(&path).unwrap(), ["a b.c", "c$d.h", "e#f.h"].map(PathBuf::from));
    }
}
