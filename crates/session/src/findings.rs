//! The journal of a search that collects: what a suite is made of, written to disk as it is found, so that a killed search can be
//! resumed. (The journal of a search for one input is in [`crate::journal`].)
//!
//! There is one line per event, each with its own checksum: a reader trusts the lines up to the first damaged one. Times and
//! paths count from the beginning of the first part; a part is what one process did.

use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

use pessimum_search::budget::Budget;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::files::Staged;
use crate::journal::End;
use crate::lines::{Log, encode, read_lines};
use crate::owner::Owner;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Entry<P, F> {
    /// The first line.
    Search { version: String, plan: Box<P> },
    /// A process begins, with this much to spend.
    Part { paths: Option<u64>, seconds: Option<f64> },
    /// How far the search has got, and what is new.
    Found { seconds: f64, paths: u64, found: Vec<F> },
    /// A process ended on its own.
    End { seconds: f64, paths: u64, stopped: String, complete: bool },
}

/// What a journal says.
#[derive(Debug)]
pub struct Found<P, F> {
    /// What is searched.
    pub plan: P,
    /// All that was found, in order.
    pub found: Vec<F>,
    /// Processes so far.
    pub parts: u64,
    /// Time of all parts together, as far as it was recorded.
    pub elapsed: Duration,
    /// Paths of all parts together.
    pub paths: u64,
    /// What the last part left of its budget.
    pub left: Budget,
    /// How the last part ended; none if it was killed.
    pub end: Option<End>,
    /// What was not trusted, for human readers.
    pub note: Option<String>,
    good: u64,
}

/// The longest time that is believed, in seconds: three hundred years.
const MOST_SECONDS: f64 = 1e10;

/// The most paths that are believed: what JSON readers of every language can represent.
const MOST_PATHS: u64 = 1 << 53;

fn duration(seconds: f64) -> Option<Duration> {
    (0.0..=MOST_SECONDS).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

impl<P, F> Found<P, F> {
    /// Nothing: a search begins.
    pub fn new(plan: P) -> Found<P, F> {
        let (found, left) = (Vec::new(), Budget::default());
        Found { plan, found, parts: 0, elapsed: Duration::ZERO, paths: 0, left, end: None, note: None, good: 0 }
    }
}

impl<P: DeserializeOwned, F: DeserializeOwned> Found<P, F> {
    /// Reads the journal of this name in a directory. Damaged lines at its end are ignored and noted.
    pub fn read(directory: &Path, name: &str) -> Result<Found<P, F>, Error> {
        let path = directory.join(name);
        let (mut plan, mut found, mut parts, mut end) = (None, Vec::new(), 0, None);
        let (mut at, mut began, mut budget) = ((Duration::ZERO, 0), (Duration::ZERO, 0), Budget::default());
        let extent = read_lines(&path, |number, entry: Entry<P, F>| {
            let (seconds, paths) = match &entry {
                Entry::Search { .. } => (0.0, 0),
                Entry::Part { seconds, .. } => (seconds.unwrap_or(0.0), 0),
                Entry::Found { seconds, paths, .. } | Entry::End { seconds, paths, .. } => (*seconds, *paths),
            };
            let Some(time) = duration(seconds).filter(|_| paths <= MOST_PATHS) else { return false };
            if (number == 0) != matches!(entry, Entry::Search { .. }) {
                return false;
            }
            if let Entry::Found { .. } | Entry::End { .. } = entry {
                at = (at.0.max(time), at.1.max(paths));
            }
            match entry {
                Entry::Search { plan: read, .. } => plan = Some(*read),
                Entry::Part { paths, seconds } => {
                    (parts, end, began) = (parts + 1, None, at);
                    budget = Budget { paths, steps: None, time: seconds.map(|_| time) };
                }
                Entry::Found { found: new, .. } => found.extend(new),
                Entry::End { stopped, complete, .. } => end = Some(End { stopped, complete }),
            }
            true
        })?;
        let Some(plan) = plan else {
            let why = "damaged from the first line on, or made by another version; start a new search";
            return Err(Error::new(format!("{}: {why}", path.display())));
        };
        let left = Budget {
            paths: budget.paths.map(|paths| paths.saturating_sub(at.1 - began.1)),
            steps: None,
            time: budget.time.map(|time| time.saturating_sub(at.0 - began.0)),
        };
        let (elapsed, paths) = at;
        Ok(Found { plan, found, parts, elapsed, paths, left, end, note: extent.note, good: extent.good })
    }
}

/// The journal of a search in progress. A disk that fails is no reason to end the search: it is told once, and what could not be
/// written is written with what is found next.
pub struct Findings<F> {
    log: Log,
    /// Time and paths of earlier parts.
    base: (Duration, u64),
    /// When the last line was written, measured from the beginning of this part.
    written: Duration,
    waiting: Vec<F>,
    failed: bool,
}

/// The beginning of a journal, on the disk but not yet in the place of an older one.
pub struct Prepared<F> {
    staged: Staged,
    path: std::path::PathBuf,
    length: u64,
    found: PhantomData<F>,
}

/// The time between two lines without news.
const ALIVE_EVERY: Duration = Duration::from_millis(500);

impl<F: Serialize> Findings<F> {
    /// Writes the beginning of a journal. Until [`Prepared::begin`] nothing of an earlier search is touched.
    pub fn prepare<P: Serialize>(owner: &Owner, name: &str, plan: &P, budget: &Budget) -> Result<Prepared<F>, Error> {
        let path = owner.directory().join(name);
        let version = env!("CARGO_PKG_VERSION").to_string();
        let text = encode(&Entry::<&P, F>::Search { version, plan: Box::new(plan) })? + &encode(&part::<F>(budget))?;
        let staged = Staged::new(&path, text.as_bytes())?;
        Ok(Prepared { staged, path, length: text.len() as u64, found: PhantomData })
    }

    /// Continues the journal that was read.
    pub fn go_on<P>(owner: &Owner, name: &str, past: &Found<P, F>, budget: &Budget) -> Result<Findings<F>, Error> {
        let mut log = Log::open(&owner.directory().join(name), past.good)?;
        log.write(&part::<F>(budget))?;
        Ok(Findings::of(log, (past.elapsed, past.paths)))
    }

    fn of(log: Log, base: (Duration, u64)) -> Findings<F> {
        Findings { log, base, written: Duration::ZERO, waiting: Vec::new(), failed: false }
    }

    /// Records what was found, and now and then how far the search has got. Times and paths are those of this part. `note`
    /// tells the user when the disk fails, and when it works again.
    pub fn record(&mut self, found: impl IntoIterator<Item = F>, elapsed: Duration, paths: u64, note: &dyn Fn(&str)) {
        self.waiting.extend(found);
        if self.waiting.is_empty() && elapsed < self.written + ALIVE_EVERY {
            return;
        }
        let had_failed = self.failed;
        let written = self.write(elapsed, paths);
        self.failed = written.is_err();
        match written {
            Err(error) if !had_failed => {
                note(&format!("{error}; the search continues, but cannot be resumed from here"));
            }
            Ok(()) if had_failed => note("the search is being recorded again"),
            _ => {}
        }
    }

    fn write(&mut self, elapsed: Duration, paths: u64) -> Result<(), Error> {
        let (seconds, paths) = self.total(elapsed, paths);
        self.written = elapsed;
        let found = std::mem::take(&mut self.waiting);
        let entry = Entry::<(), F>::Found { seconds, paths, found };
        let written = self.log.write(&entry);
        if let (Err(_), Entry::Found { found, .. }) = (&written, entry) {
            self.waiting = found;
        }
        written
    }

    /// Records that the search ended on its own. What a full disk did not take may fit by now; an end without it would claim
    /// that nothing is missing.
    pub fn end(&mut self, elapsed: Duration, paths: u64, stopped: &str, complete: bool) -> Result<(), Error> {
        if !self.waiting.is_empty() {
            self.write(elapsed, paths)?;
        }
        let (seconds, paths) = self.total(elapsed, paths);
        self.log.write(&Entry::<(), F>::End { seconds, paths, stopped: stopped.to_string(), complete })
    }

    fn total(&self, elapsed: Duration, paths: u64) -> (f64, u64) {
        (self.base.0.saturating_add(elapsed).as_secs_f64(), self.base.1.saturating_add(paths))
    }
}

impl<F: Serialize> Prepared<F> {
    /// Puts it in its place, where it replaces an older one.
    pub fn begin(self) -> Result<Findings<F>, Error> {
        self.staged.put()?;
        Ok(Findings::of(Log::open(&self.path, self.length)?, (Duration::ZERO, 0)))
    }
}

fn part<F>(budget: &Budget) -> Entry<(), F> {
    Entry::Part { paths: budget.paths, seconds: budget.time.map(|time| time.as_secs_f64()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "cover.jsonl";

    fn quiet(text: &str) {
        panic!("told {text}");
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let budget = Budget { paths: Some(100), time: Some(Duration::from_secs(60)), steps: None };
        let owner = Owner::of(directory.path(), "test").unwrap();
        let mut journal = Findings::<u64>::prepare(&owner, NAME, &"plan", &budget).unwrap().begin().unwrap();
        journal.record([1, 2], Duration::from_secs(1), 3, &quiet);
        journal.record([], Duration::from_millis(1100), 4, &quiet);
        journal.record([], Duration::from_secs(2), 9, &quiet);
        drop(journal);
        let past = Found::<String, u64>::read(directory.path(), NAME).unwrap();
        assert_eq!((&*past.plan, &past.found[..], past.parts, past.paths), ("plan", &[1, 2][..], 1, 9));
        assert_eq!(past.left, Budget { paths: Some(91), time: Some(Duration::from_secs(58)), steps: None });
        assert_eq!((past.end.is_none(), past.note.is_none()), (true, true));
        let mut journal = Findings::go_on(&owner, NAME, &past, &past.left).unwrap();
        journal.record([7], Duration::from_secs(4), 40, &quiet);
        journal.end(Duration::from_secs(5), 41, "time", false).unwrap();
        let past = Found::<String, u64>::read(directory.path(), NAME).unwrap();
        assert_eq!(
            (&past.found[..], past.parts, past.paths, past.elapsed),
            (&[1, 2, 7][..], 2, 50, Duration::from_secs(7))
        );
        assert_eq!(past.end, Some(End { stopped: "time".to_string(), complete: false }));
        assert_eq!(past.left.paths, Some(50));
        // A line that a kill cut short, and one whose numbers no search reaches, are not believed.
        let path = directory.path().join(NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        let impossible = encode(&Entry::<(), u64>::Found { seconds: 1e300, paths: 1, found: vec![9] }).unwrap();
        for more in [&text[..text.len() / 3], &impossible] {
            std::fs::write(&path, format!("{text}{more}")).unwrap();
            let past = Found::<String, u64>::read(directory.path(), NAME).unwrap();
            assert!(past.found == [1, 2, 7] && past.note.is_some(), "{more}");
        }
    }

    /// What a full disk did not take is written with what comes next.
    #[test]
    fn nothing_is_left_out_when_the_disk_works_again() {
        let directory = tempfile::tempdir().unwrap();
        let owner = Owner::of(directory.path(), "test").unwrap();
        let mut journal = Findings::<u64>::prepare(&owner, NAME, &"plan", &Budget::default()).unwrap().begin().unwrap();
        let path = directory.path().join(NAME);
        let length = std::fs::metadata(&path).unwrap().len();
        journal.log = Log::read_only(&path);
        let told = std::cell::RefCell::new(Vec::new());
        let note = |text: &str| told.borrow_mut().push(text.to_string());
        journal.record([1], Duration::from_secs(1), 1, &note);
        journal.record([2], Duration::from_secs(2), 2, &note);
        assert!(journal.end(Duration::from_secs(2), 2, "time", false).is_err());
        journal.log = Log::open(&path, length).unwrap();
        journal.record([3], Duration::from_secs(3), 3, &note);
        let told = told.into_inner();
        assert!(told.len() == 2 && told[0].contains("cannot be resumed") && told[1].contains("again"), "{told:?}");
        assert_eq!(Found::<String, u64>::read(directory.path(), NAME).unwrap().found, [1, 2, 3]);
    }
}
