//! `journal.jsonl`: what a search has found so far, on disk at once, so that a search that was killed can go on.
//!
//! One line per event, each with a checksum of its own: a reader believes the lines up to the first damaged one. Times
//! and paths count from the beginning of the first part; a part is what one process did.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pessimum_search::budget::Budget;
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};

use crate::files::write_atomically;

/// Its name in the directory of a search.
pub const NAME: &str = "journal.jsonl";

/// `[seconds, paths, cost]`, as in results.
pub type Step = (f64, u64, u64);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Entry {
    /// The first line.
    Search {
        /// The version of Pessimum.
        version: String,
        /// The words of the command line, from `worst` on.
        words: Vec<String>,
        /// Of everything that the words name: module, price list, copied files.
        hash: String,
    },
    /// A process begins, with so much to spend.
    Part { paths: Option<u64>, seconds: Option<f64> },
    /// A new best input. Several improvements within a few milliseconds are one entry.
    Best { steps: Vec<Step>, input: Vec<u64> },
    /// Nothing new, but so far it came.
    Alive { seconds: f64, paths: u64 },
    /// A process ended by itself.
    End { seconds: f64, paths: u64, stopped: String, complete: bool },
}

/// What a journal tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The words of the first command line, from `worst` on.
    pub words: Vec<String>,
    /// Of everything that the words name.
    pub hash: String,
    /// Processes so far.
    pub parts: u64,
    /// Each improvement.
    pub progress: Vec<Step>,
    /// The best input; none before the first path.
    pub best: Option<Witness>,
    /// Time of all parts together, as far as it was written down.
    pub elapsed: Duration,
    /// Paths of all parts together.
    pub paths: u64,
    /// What the last part left of its budget.
    pub left: Budget,
    /// How the last part ended; none where it was killed.
    pub end: Option<End>,
    /// What was not believed, for people.
    pub note: Option<String>,
    /// Bytes of the lines that were believed.
    good: u64,
}

/// How a part ended by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The name of the reason.
    pub stopped: String,
    /// Whether every feasible path was seen.
    pub complete: bool,
}

impl Past {
    /// The best cost.
    pub fn cost(&self) -> Option<u64> {
        self.progress.last().map(|step| step.2)
    }

    /// Reads the journal of a directory. Damaged lines at its end are left out and noted.
    pub fn read(directory: &Path) -> Result<Past> {
        let path = directory.join(NAME);
        let bytes =
            std::fs::read(&path).with_context(|| format!("{}: there is no search to go on with", path.display()))?;
        let mut past = Past::default();
        let mut spent = (Duration::ZERO, 0);
        let mut budget = Budget::default();
        for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let Some(entry) = decode(line) else {
                past.note = Some(damage(&bytes[past.good as usize..], number));
                break;
            };
            past.good += line.len() as u64;
            match entry {
                Entry::Search { words, hash, .. } if number == 0 => (past.words, past.hash) = (words, hash),
                _ if number == 0 => break,
                Entry::Search { .. } => break,
                Entry::Part { paths, seconds } => {
                    past.parts += 1;
                    past.end = None;
                    spent = (past.elapsed, past.paths);
                    budget = Budget { paths, steps: None, time: seconds.map(duration) };
                }
                Entry::Best { steps, input } => {
                    if let Some(&(seconds, paths, _)) = steps.last() {
                        past.reach(seconds, paths);
                        past.best = Some(Witness::new(input));
                    }
                    past.progress.extend(steps);
                }
                Entry::Alive { seconds, paths } => past.reach(seconds, paths),
                Entry::End { seconds, paths, stopped, complete } => {
                    past.reach(seconds, paths);
                    past.end = Some(End { stopped, complete });
                }
            }
        }
        if past.words.is_empty() {
            bail!("{}: damaged from its first line on; start the search anew", path.display());
        }
        past.left = Budget {
            paths: budget.paths.map(|paths| paths.saturating_sub(past.paths - spent.1)),
            steps: None,
            time: budget.time.map(|time| time.saturating_sub(past.elapsed - spent.0)),
        };
        Ok(past)
    }

    fn reach(&mut self, seconds: f64, paths: u64) {
        self.elapsed = self.elapsed.max(duration(seconds));
        self.paths = self.paths.max(paths);
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn damage(rest: &[u8], number: usize) -> String {
    let lines = rest.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    match lines {
        0 | 1 => format!("line {} of the journal was not written to its end; it is left out", number + 1),
        _ => format!("the journal is damaged from line {} on; what follows is left out", number + 1),
    }
}

/// The journal of a search in progress.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Time and paths of earlier parts.
    base: (Duration, u64),
    /// When the last line was written, since the beginning of this part.
    written: Duration,
}

/// Between two lines without news.
const ALIVE_EVERY: Duration = Duration::from_millis(500);

impl Journal {
    /// Begins the journal of a new search; an older one of the directory is replaced.
    pub fn create(directory: &Path, words: Vec<String>, hash: String, budget: &Budget) -> Result<Journal> {
        let path = directory.join(NAME);
        if path.exists() {
            // Another process that still searches there would go on with a file that is gone.
            locked(&path)?;
        }
        let version = env!("CARGO_PKG_VERSION").to_string();
        let text = encode(&Entry::Search { version, words, hash })? + &encode(&part(budget))?;
        write_atomically(&path, text.as_bytes())?;
        let file = locked(&path)?;
        Ok(Journal { path, file, base: (Duration::ZERO, 0), written: Duration::ZERO })
    }

    /// Goes on with the journal that was read.
    pub fn go_on(directory: &Path, past: &Past, budget: &Budget) -> Result<Journal> {
        let path = directory.join(NAME);
        let file = locked(&path)?;
        file.set_len(past.good).with_context(|| path.display().to_string())?;
        let mut journal = Journal { path, file, base: (past.elapsed, past.paths), written: Duration::ZERO };
        journal.write(&part(budget))?;
        Ok(journal)
    }

    /// Writes down a new best input, with the improvements that led to it. Times and paths are those of this part.
    pub fn best(&mut self, elapsed: Duration, steps: &[Step], input: &Witness) -> Result<()> {
        let steps = steps.iter().map(|&(seconds, paths, cost)| {
            let (seconds, paths) = self.total(duration(seconds), paths);
            (seconds, paths, cost)
        });
        let entry = Entry::Best { steps: steps.collect(), input: input.values().to_vec() };
        self.written = elapsed;
        self.write(&entry)
    }

    /// Writes down now and then how far the search is.
    pub fn alive(&mut self, elapsed: Duration, paths: u64) -> Result<()> {
        if elapsed < self.written + ALIVE_EVERY {
            return Ok(());
        }
        self.written = elapsed;
        let (seconds, paths) = self.total(elapsed, paths);
        self.write(&Entry::Alive { seconds, paths })
    }

    /// Writes down that the search ended by itself.
    pub fn end(&mut self, elapsed: Duration, paths: u64, stopped: &str, complete: bool) -> Result<()> {
        let (seconds, paths) = self.total(elapsed, paths);
        self.write(&Entry::End { seconds, paths, stopped: stopped.to_string(), complete })
    }

    fn total(&self, elapsed: Duration, paths: u64) -> (f64, u64) {
        ((self.base.0 + elapsed).as_secs_f64(), self.base.1 + paths)
    }

    /// In one piece and down to the disk.
    fn write(&mut self, entry: &Entry) -> Result<()> {
        let line = encode(entry)?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.with_context(|| self.path.display().to_string())
    }
}

/// Opens a journal for this process alone; the lock goes with the process, however it ends.
fn locked(path: &Path) -> Result<File> {
    let file = File::options().append(true).open(path).with_context(|| path.display().to_string())?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            bail!("{}: another search is at work there; give this one another --out", path.display())
        }
        // Not every file system has locks; the journal works without.
        Err(std::fs::TryLockError::Error(_)) => Ok(file),
    }
}

fn part(budget: &Budget) -> Entry {
    Entry::Part { paths: budget.paths, seconds: budget.time.map(|time| time.as_secs_f64()) }
}

/// The last key of every line: the checksum of the object without it.
const CHECK: &str = ",\"check\":\"";

fn encode(entry: &Entry) -> Result<String> {
    let text = serde_json::to_string(entry).context("JSON")?;
    let open = text.strip_suffix('}').context("an entry is an object")?;
    Ok(format!("{open}{CHECK}{:016x}\"}}\n", checksum([text.as_bytes()])))
}

fn decode(line: &[u8]) -> Option<Entry> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix("\"}\n")?;
    let (open, check) = line.rsplit_once(CHECK)?;
    let text = format!("{open}}}");
    let right = u64::from_str_radix(check, 16).ok()? == checksum([text.as_bytes()]);
    if right { serde_json::from_str(&text).ok() } else { None }
}

/// FNV-1a over the pieces and their lengths: against accidents, not against forgers.
pub fn checksum<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    pieces.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, piece| {
        let hash = piece.iter().fold(hash, step);
        (piece.len() as u64).to_le_bytes().iter().fold(hash, step)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("pessimum-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        directory
    }

    fn write(directory: &Path) -> Past {
        let budget = Budget { paths: Some(100), time: Some(Duration::from_secs(60)), steps: None };
        let words = vec!["worst".to_string(), "a b.wasm".to_string()];
        let mut journal = Journal::create(directory, words, "77".to_string(), &budget).unwrap();
        journal.best(Duration::from_secs(1), &[(0.5, 3, 10), (1.0, 5, 20)], &Witness::new(vec![1, 2])).unwrap();
        journal.alive(Duration::from_millis(1100), 6).unwrap();
        journal.alive(Duration::from_secs(2), 9).unwrap();
        drop(journal);
        let past = Past::read(directory).unwrap();
        assert_eq!((past.paths, past.elapsed), (9, Duration::from_secs(2)));
        let mut journal = Journal::go_on(directory, &past, &past.left).unwrap();
        journal.best(Duration::from_secs(1), &[(0.75, 11, 30)], &Witness::new(vec![u64::MAX, 0])).unwrap();
        journal.end(Duration::from_secs(4), 40, "time", false).unwrap();
        Past::read(directory).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = directory("read");
        let past = write(&directory);
        assert_eq!(past.words, ["worst", "a b.wasm"]);
        assert_eq!((past.hash.as_str(), past.parts, past.paths), ("77", 2, 49));
        assert_eq!(past.progress, [(0.5, 3, 10), (1.0, 5, 20), (2.75, 20, 30)]);
        assert_eq!(past.best, Some(Witness::new(vec![u64::MAX, 0])));
        assert_eq!(past.elapsed, Duration::from_secs(6));
        assert_eq!(past.left, Budget { paths: Some(51), time: Some(Duration::from_secs(54)), steps: None });
        assert_eq!(past.end, Some(End { stopped: "time".to_string(), complete: false }));
        assert_eq!(past.note, None);
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// Cut off anywhere, or with any byte changed, a journal gives an earlier state of itself or is refused.
    #[test]
    fn damage_is_noticed() {
        let directory = directory("damage");
        let whole = write(&directory);
        let path = directory.join(NAME);
        let bytes = std::fs::read(&path).unwrap();
        let first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            match Past::read(&directory) {
                Ok(past) => {
                    assert!(length >= first && whole.progress.starts_with(&past.progress), "{length}");
                    assert_eq!(past.note.is_some(), bytes[length - 1] != b'\n', "{length}");
                    if !length.is_multiple_of(10) {
                        continue;
                    }
                    drop(Journal::go_on(&directory, &past, &past.left).unwrap());
                    let again = Past::read(&directory).unwrap();
                    assert_eq!((again.note, again.progress), (None, past.progress), "{length}");
                }
                Err(_) => assert!(length < first),
            }
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            match Past::read(&directory) {
                Ok(past) => assert!(past.note.is_some() && whole.progress.starts_with(&past.progress), "{place}"),
                Err(_) => assert!(place < first),
            }
        }
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn two_searches_do_not_share_a_journal() {
        let directory = directory("lock");
        let budget = Budget::default();
        let journal = Journal::create(&directory, vec!["worst".to_string()], String::new(), &budget).unwrap();
        assert!(Journal::create(&directory, Vec::new(), String::new(), &budget).is_err());
        let past = Past::read(&directory).unwrap();
        assert!(Journal::go_on(&directory, &past, &budget).is_err());
        drop(journal);
        assert!(Journal::go_on(&directory, &past, &budget).is_ok());
        std::fs::remove_dir_all(directory).unwrap();
    }
}
