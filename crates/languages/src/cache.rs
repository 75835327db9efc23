//! Compiled modules on disk.
//!
//! An entry's name is a hash of everything that is known before compiling: the source's bytes and path, the compiler,
//! its options, the environment, the files that it is going to read. What is known only afterwards (files of a Rust
//! crate, linked libraries) is listed with its state in `NAME.json`, once for each module that was made under this
//! name: a module is used if everything in its list is as it was, so a change leads to another module, and undoing it
//! to the first one again. Modules and lists start with a hash of the rest; damaged ones are ignored. Files are put in
//! place by renaming, the module before the list, so that several processes can share the directory.
//!
//! What a module was made from is what the compiler and the linker say that they read (clang is asked before each use,
//! so that a new header which comes before another one is noticed; Zig does not say, so all files below the source
//! count), lists of options, the environment, the compiler's own files. What was changed while the compiler ran, or
//! depends on the time, is not kept.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::SystemTime;

use anyhow::{Context, Result};
use pessimum_files::from_json;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::calling::Declared;
use crate::toolchain::inputs::Input;
use crate::toolchain::workplace::{WORK, Workplace, remove_abandoned};
use pessimum_files::{make_directory, write_atomically};

/// Part of every name. It changes whenever modules are built in a different way.
const FORMAT: (u32, &str) = (10, env!("CARGO_PKG_VERSION"));

/// The number of modules that are kept; the least recently used ones are removed first.
const KEPT: usize = 256;

/// The number of modules under one name: as many states of its further inputs can be gone back to.
const KEPT_PER_NAME: usize = 8;

/// The extension of module files.
const MODULE: &str = "module";

/// The extension of lists of inputs.
const LIST: &str = "json";

/// What is known about a compiled module besides its bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct About {
    /// The author's functions that can be called.
    pub functions: Vec<String>,
    /// The author's functions that cannot.
    pub hidden: Vec<Hidden>,
    /// How each function is called, where its source was read.
    pub calls: BTreeMap<String, String>,
    /// Why no call follows from the types of these functions, which are exported all the same.
    pub refused: BTreeMap<String, Refused>,
    /// What these functions take, where code of ours is around them.
    pub wrapped: BTreeMap<String, Vec<String>>,
    /// The functions that tests can call one after the other, where it was compiled for that.
    pub declared: Vec<Declared>,
}

/// Why no call follows from a function's types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// What is in the way, and what its author can do about it.
    pub why: String,
    /// The places of arguments that are objects, for which memory of input cannot stand.
    pub objects: Vec<usize>,
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

impl Cache {
    /// `$XDG_CACHE_HOME/pessimum`, `~/.cache/pessimum`, or a temporary directory where these cannot be written to.
    pub fn open() -> Result<Cache> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let directory = absolute("XDG_CACHE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
            .map(|directory| directory.join("pessimum"));
        // Tests keep out of the user's directory.
        #[cfg(test)]
        let directory =
            directory.and(std::env::current_exe().ok()).map(|test| test.with_file_name("pessimum-test-cache"));
        if let Some(directory) = directory {
            match writable(&directory) {
                Ok(()) => {
                    remove_abandoned(&directory);
                    return Ok(Cache { directory, _temporary: None });
                }
                Err(error) => not_kept(&format!("{}: {error}", directory.display())),
            }
        } else {
            not_kept("neither XDG_CACHE_HOME nor HOME names a directory");
        }
        let temporary = tempfile::tempdir().context("a place for compiled modules")?;
        Ok(Cache { directory: temporary.path().to_path_buf(), _temporary: Some(temporary) })
    }

    /// The entry for what these texts and the inputs as they are now describe.
    pub fn entry(&self, parts: &[&[u8]], inputs: Vec<Input>) -> Entry<'_> {
        let states: Vec<Option<String>> = inputs.iter().map(Input::state).collect();
        Entry { cache: self, name: hash(&(FORMAT, parts, &inputs, &states)), inputs, states }
    }

    /// A fresh directory for a compiler to write to, removed when dropped.
    pub fn workplace(&self) -> Result<Workplace> {
        Workplace::new(&self.directory)
    }

    /// A permanent directory, for compilers with caches of their own.
    pub fn subdirectory(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        make_directory(&path)?;
        Ok(path)
    }

    /// Waits until no other process holds this name, and holds it until the file is dropped.
    pub fn exclusive(&self, name: &str) -> Result<File> {
        let path = self.directory.join(format!("{name}.lock"));
        let file = File::create(&path).with_context(|| path.display().to_string())?;
        // A file system without locks is not worth failing for.
        let _ = file.lock();
        Ok(file)
    }

    /// A directory that contains only this file.
    pub fn directory_with(&self, file: &str, text: &str) -> Result<PathBuf> {
        let directory = self.subdirectory(&format!("include-{}", hash(&(file, text))))?;
        let path = directory.join(file);
        if !std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
            write_atomically(&path, text.as_bytes())?;
        }
        Ok(directory)
    }

    /// What was noted under the name that these parts give.
    pub fn noted<T: DeserializeOwned>(&self, parts: &impl std::hash::Hash) -> Option<T> {
        read_sealed(&self.directory.join(format!("{}.note", hash(&(FORMAT, parts)))))
    }

    /// Notes something that takes time to find out. It is merely found out again where this fails.
    pub fn note(&self, parts: &impl std::hash::Hash, value: &impl Serialize) {
        let _ = write_sealed(&self.directory.join(format!("{}.note", hash(&(FORMAT, parts)))), value);
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
        let kept = modules.split_off(modules.len().saturating_sub(KEPT));
        let name = |path: &Path| Some(path.file_stem()?.to_str()?.split_once('-')?.0.to_string());
        let kept: BTreeSet<String> = kept.iter().filter_map(|(_, path)| name(path)).collect();
        for (_, path) in modules {
            let _ = std::fs::remove_file(&path);
            if let Some(name) = name(&path).filter(|name| !kept.contains(name)) {
                let _ = std::fs::remove_file(self.directory.join(format!("{name}.{LIST}")));
            }
        }
    }
}

/// Whether files can be made in this directory, which is made for that.
fn writable(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    tempfile::Builder::new().prefix(WORK).tempfile_in(directory).map(drop)
}

/// Says once that compiling will be repeated the next time.
fn not_kept(why: &str) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        let why = pessimum_report::text::printable_lines(why);
        eprintln!("pessimum: compiled modules are not kept for the next time: {why}");
    });
}

/// One source with one compiler, its options, and what is known to go into the module.
pub struct Entry<'a> {
    cache: &'a Cache,
    name: String,
    inputs: Vec<Input>,
    states: Vec<Option<String>>,
}

/// A module that was made under an entry's name.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Made {
    /// The part of the file's name after the entry's.
    module: String,
    /// What it was made from besides what the entry knows, with states.
    inputs: Vec<(Input, String)>,
    about: About,
}

impl Entry<'_> {
    /// The module, if it was compiled before and nothing that it was made from has changed.
    pub fn find(&self) -> Option<(Vec<u8>, About)> {
        if self.states.contains(&None) {
            return None;
        }
        // Several modules depend on the same inputs, which are looked at once.
        let mut states: BTreeMap<Input, Option<String>> = BTreeMap::new();
        let mut unchanged = |(input, state): &(Input, String)| {
            states.entry(input.clone()).or_insert_with(|| input.state()).as_ref() == Some(state)
        };
        let list = self.list();
        let made = list.iter().find(|made| made.inputs.iter().all(&mut unchanged))?;
        let path = self.module(&made.module);
        let bytes = unsealed(std::fs::read(&path).ok()?)?;
        // Only the order of removal depends on this, so a failure does not matter.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some((bytes, made.about.clone()))
    }

    /// Keeps a module for next time. `further` is what it was made from besides what the entry knows already;
    /// `started` is a moment before the compiler was.
    ///
    /// Where something was changed while the compiler ran, nobody knows which state it read, so nothing is kept.
    pub fn keep(
        &self,
        bytes: Vec<u8>,
        about: About,
        further: BTreeSet<Input>,
        started: SystemTime,
    ) -> (Vec<u8>, About) {
        let known =
            || self.inputs.iter().zip(&self.states).all(|(input, state)| state.is_some() && input.state() == *state);
        let states = || further.iter().map(|input| Some((input.clone(), input.state()?))).collect::<Option<Vec<_>>>();
        if let Some(inputs) = states()
            && known()
            && further.iter().all(|input| input.is_older(started))
            && let Err(error) = self.write(&bytes, &about, inputs)
        {
            not_kept(&format!("{error:#}"));
        }
        (bytes, about)
    }

    fn write(&self, bytes: &[u8], about: &About, inputs: Vec<(Input, String)>) -> Result<()> {
        let module = hash(&inputs);
        write_atomically(&self.module(&module), &sealed(bytes))?;
        let mut list = self.list();
        list.retain(|made| made.module != module);
        list.insert(0, Made { module, inputs, about: about.clone() });
        list.truncate(KEPT_PER_NAME);
        write_sealed(&self.cache.directory.join(format!("{}.{LIST}", self.name)), &list)?;
        self.cache.prune();
        Ok(())
    }

    /// The modules made under this name, the newest first.
    fn list(&self) -> Vec<Made> {
        read_sealed(&self.cache.directory.join(format!("{}.{LIST}", self.name))).unwrap_or_default()
    }

    fn module(&self, made: &str) -> PathBuf {
        self.cache.directory.join(format!("{}-{made}.{MODULE}", self.name))
    }
}

/// The contents of a file with their hash before them.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    [hash(&bytes).as_bytes(), bytes].concat()
}

/// What is in a file that starts with its hash; `None` where it is damaged.
fn unsealed(mut file: Vec<u8>) -> Option<Vec<u8>> {
    let hash_length = hash(&0u8).len();
    let bytes = file.split_off(hash_length.min(file.len()));
    (hash(&&bytes[..]).as_bytes() == file).then_some(bytes)
}

fn write_sealed(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec(value).with_context(|| path.display().to_string())?;
    Ok(write_atomically(path, &sealed(&text))?)
}

fn read_sealed<T: DeserializeOwned>(path: &Path) -> Option<T> {
    from_json(&unsealed(std::fs::read(path).ok()?)?).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(directory: &Path) -> Cache {
        Cache { directory: directory.to_path_buf(), _temporary: None }
    }

    /// Long enough ago for the files of a test to be newer, or soon enough for them to be older.
    fn moment(after: bool) -> SystemTime {
        let hour = std::time::Duration::from_secs(3600);
        if after { SystemTime::now() + hour } else { SystemTime::now() - hour }
    }

    #[test]
    fn a_module_is_found_while_its_inputs_are_as_they_were() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(directory.path());
        let file = directory.path().join("a.h");
        let further = BTreeSet::from([Input::File(file.clone())]);
        let entry = cache.entry(&[b"a"], vec![]);
        let found = || entry.find().map(|(bytes, _)| bytes);
        assert_eq!(found(), None);
        std::fs::write(&file, "1").unwrap();
        entry.keep(vec![1], About::default(), further.clone(), moment(true));
        assert_eq!(found(), Some(vec![1]));
        std::fs::write(&file, "2").unwrap();
        assert_eq!(found(), None);
        entry.keep(vec![2], About::default(), further.clone(), moment(true));
        assert_eq!(found(), Some(vec![2]));
        std::fs::write(&file, "1").unwrap();
        assert_eq!(found(), Some(vec![1]), "the first module is still there");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(found(), None);
        // It was changed after the compiler had started.
        std::fs::write(&file, "3").unwrap();
        entry.keep(vec![3], About::default(), further, moment(false));
        assert_eq!(found(), None);
    }

    #[test]
    fn what_changes_while_the_compiler_runs_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(directory.path());
        let file = directory.path().join("a.h");
        let entry = || cache.entry(&[b"a"], vec![Input::File(file.clone())]);
        std::fs::write(&file, "1").unwrap();
        let before = entry();
        std::fs::write(&file, "2").unwrap();
        before.keep(vec![1], About::default(), BTreeSet::new(), moment(true));
        assert!(before.find().is_none() && entry().find().is_none());
        entry().keep(vec![2], About::default(), BTreeSet::new(), moment(true));
        assert_eq!(entry().find().unwrap().0, [2]);
    }

    #[test]
    fn damage_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(directory.path());
        let entry = cache.entry(&[b"a"], vec![]);
        let about = About { functions: vec!["f".to_string()], ..About::default() };
        let keep = || entry.keep(vec![1, 2, 3], about.clone(), BTreeSet::new(), moment(true));
        keep();
        let files = || std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
        assert_eq!(files().count(), 2);
        for path in files() {
            let whole = std::fs::read(&path).unwrap();
            for at in 0..whole.len() {
                let mut damaged = whole.clone();
                damaged[at] ^= 1;
                std::fs::write(&path, &damaged).unwrap();
                assert!(entry.find().is_none(), "{}, byte {at}", path.display());
                std::fs::write(&path, &whole[..at]).unwrap();
                assert!(entry.find().is_none(), "{}, cut off at {at}", path.display());
            }
            keep();
            assert_eq!(entry.find().unwrap().1.functions, ["f"]);
        }
    }

    #[test]
    fn few_modules_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache(directory.path());
        for i in 0..KEPT + 5 {
            std::fs::write(directory.path().join(format!("{i}-0.{MODULE}")), "").unwrap();
            std::fs::write(directory.path().join(format!("{i}.{LIST}")), "").unwrap();
        }
        // Two modules under one name, of which the older goes.
        let old = directory.path().join(format!("0-1.{MODULE}"));
        std::fs::write(&old, "").unwrap();
        File::options().append(true).open(&old).unwrap().set_modified(moment(false)).unwrap();
        let kept = directory.path().join(format!("0-0.{MODULE}"));
        File::options().append(true).open(&kept).unwrap().set_modified(moment(true)).unwrap();
        cache.prune();
        assert!(!old.exists() && kept.exists() && directory.path().join(format!("0.{LIST}")).exists());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2 * KEPT);
    }
}
