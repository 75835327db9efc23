//! `journal.jsonl`: what a search has found so far, written to disk at once, so that a killed search can be resumed.
//!
//! There is one line per event, each with its own checksum: a reader trusts the lines up to the first damaged one.
//! Times and paths count from the beginning of the first part; a part is what one process did.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pessimum_search::budget::Budget;
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};

use crate::files::{checksum, write_atomically};
use crate::plan::{SearchPlan, SubjectPlan};
use crate::{At, Error};

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
        /// What is searched, and how.
        plan: Box<Plan>,
    },
    /// A process begins, with this much to spend.
    Part { paths: Option<u64>, seconds: Option<f64> },
    /// A new best input. Several improvements within a few milliseconds are one entry.
    Best { steps: Vec<Step>, input: Vec<u64> },
    /// How far the search has got, without a new best.
    Alive { seconds: f64, paths: u64 },
    /// A process ended on its own.
    End { seconds: f64, paths: u64, stopped: String, complete: bool },
}

/// What is searched, and how. Budgets belong to the parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The program and its input.
    pub subject: SubjectPlan,
    /// Strategy, cost and seed.
    pub search: SearchPlan,
    /// The cost above which the search fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_above: Option<u64>,
}

/// What a journal says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// What is searched; none in a new search.
    pub plan: Option<Plan>,
    /// Processes so far.
    pub parts: u64,
    /// Each improvement.
    pub progress: Vec<Step>,
    /// The best input; none before the first path.
    pub best: Option<Witness>,
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
    /// Bytes of the lines that were trusted.
    good: u64,
}

/// How a part ended on its own.
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

    /// Reads the journal of a directory. Damaged lines at its end are ignored and noted.
    pub fn read(directory: &Path) -> Result<Past, Error> {
        let path = directory.join(NAME);
        let bytes = std::fs::read(&path)
            .map_err(|error| Error::new(format!("{}: there is no search to resume: {error}", path.display())))?;
        let mut past = Past::default();
        let mut spent = (Duration::ZERO, 0);
        let mut budget = Budget::default();
        for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            // Only the first line says what is searched: what follows a second one would belong to another search.
            let Some(entry) = decode(line).filter(|entry| matches!(entry, Entry::Search { .. }) == (number == 0))
            else {
                past.note = Some(damage(&bytes[past.good as usize..], number));
                break;
            };
            past.good += line.len() as u64;
            match entry {
                Entry::Search { plan, .. } => past.plan = Some(*plan),
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
        if past.plan.is_none() {
            let why = match was_of_an_earlier_version(&bytes) {
                true => "made by an earlier version",
                false => "damaged from the first line on",
            };
            return Err(Error::new(format!("{}: {why}; start a new search", path.display())));
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

/// Whether the first line is intact but has the contents of an earlier version.
fn was_of_an_earlier_version(bytes: &[u8]) -> bool {
    let line = bytes.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
    checked(line).is_some_and(|text| text.contains("\"words\":["))
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn damage(rest: &[u8], number: usize) -> String {
    let lines = rest.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    match lines {
        0 | 1 => format!("line {} of the journal is incomplete; it is ignored", number + 1),
        _ => format!("the journal is damaged from line {} on; the rest is ignored", number + 1),
    }
}

/// The journal of a search in progress.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Time and paths of earlier parts.
    base: (Duration, u64),
    /// When the last line was written, measured from the beginning of this part.
    written: Duration,
    /// Bytes of complete lines; anything after them was left by a failed write.
    whole: u64,
}

/// The time between two lines without news.
const ALIVE_EVERY: Duration = Duration::from_millis(500);

/// Makes sure that no other search is running in a directory, before anything in it is touched.
pub fn check_free(directory: &Path) -> Result<(), Error> {
    let path = directory.join(NAME);
    if path.exists() { locked(&path).map(|_| ()) } else { Ok(()) }
}

impl Journal {
    /// Begins the journal of a new search; an older one in the directory is replaced.
    pub fn create(directory: &Path, plan: &Plan, budget: &Budget) -> Result<Journal, Error> {
        // Another process that is still searching there would keep writing to a file that is gone.
        check_free(directory)?;
        let path = directory.join(NAME);
        let version = env!("CARGO_PKG_VERSION").to_string();
        let plan = Box::new(plan.clone());
        let text = encode(&Entry::Search { version, plan })? + &encode(&part(budget))?;
        write_atomically(&path, text.as_bytes())?;
        let file = locked(&path)?;
        let whole = text.len() as u64;
        Ok(Journal { path, file, base: (Duration::ZERO, 0), written: Duration::ZERO, whole })
    }

    /// Continues the journal that was read.
    pub fn go_on(directory: &Path, past: &Past, budget: &Budget) -> Result<Journal, Error> {
        let path = directory.join(NAME);
        let file = locked(&path)?;
        let base = (past.elapsed, past.paths);
        let mut journal = Journal { path, file, base, written: Duration::ZERO, whole: past.good };
        journal.write(&part(budget))?;
        Ok(journal)
    }

    /// Records a new best input, with the improvements that led to it. Times and paths are those of this part.
    pub fn best(&mut self, elapsed: Duration, steps: &[Step], input: &Witness) -> Result<(), Error> {
        let steps = steps.iter().map(|&(seconds, paths, cost)| {
            let (seconds, paths) = self.total(duration(seconds), paths);
            (seconds, paths, cost)
        });
        let entry = Entry::Best { steps: steps.collect(), input: input.values().to_vec() };
        self.written = elapsed;
        self.write(&entry)
    }

    /// Records now and then how far the search has got.
    pub fn alive(&mut self, elapsed: Duration, paths: u64) -> Result<(), Error> {
        if elapsed < self.written + ALIVE_EVERY {
            return Ok(());
        }
        self.written = elapsed;
        let (seconds, paths) = self.total(elapsed, paths);
        self.write(&Entry::Alive { seconds, paths })
    }

    /// Records that the search ended on its own.
    pub fn end(&mut self, elapsed: Duration, paths: u64, stopped: &str, complete: bool) -> Result<(), Error> {
        let (seconds, paths) = self.total(elapsed, paths);
        self.write(&Entry::End { seconds, paths, stopped: stopped.to_string(), complete })
    }

    fn total(&self, elapsed: Duration, paths: u64) -> (f64, u64) {
        (self.base.0.saturating_add(elapsed).as_secs_f64(), self.base.1.saturating_add(paths))
    }

    /// Writes an entry in one piece, through to the disk. What an earlier write left behind when the disk was full is
    /// removed first.
    fn write(&mut self, entry: &Entry) -> Result<(), Error> {
        let line = encode(entry)?;
        let written = self
            .file
            .set_len(self.whole)
            .and_then(|()| self.file.write_all(line.as_bytes()))
            .and_then(|()| self.file.sync_data());
        written.at(self.path.display())?;
        self.whole += line.len() as u64;
        Ok(())
    }
}

/// Opens a journal for this process alone; the lock is released when the process ends, however it ends.
fn locked(path: &Path) -> Result<File, Error> {
    let file = File::options().append(true).open(path).at(path.display())?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            let why = "another search is running there; give this one another --out";
            Err(Error::new(format!("{}: {why}", path.display())))
        }
        // Not every file system has locks; the journal works without them.
        Err(std::fs::TryLockError::Error(_)) => Ok(file),
    }
}

fn part(budget: &Budget) -> Entry {
    Entry::Part { paths: budget.paths, seconds: budget.time.map(|time| time.as_secs_f64()) }
}

/// The last key of every line: the checksum of the object without it.
const CHECK: &str = ",\"check\":\"";

fn encode(entry: &Entry) -> Result<String, Error> {
    let text = serde_json::to_string(entry).at("JSON")?;
    let open = text.strip_suffix('}').ok_or_else(|| Error::new("a line of the journal is not an object"))?;
    Ok(format!("{open}{CHECK}{:016x}\"}}\n", checksum([text.as_bytes()])))
}

fn decode(line: &[u8]) -> Option<Entry> {
    serde_json::from_str(&checked(line)?).ok()
}

/// The line without its checksum, if the checksum is correct.
fn checked(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix("\"}\n")?;
    let (open, check) = line.rsplit_once(CHECK)?;
    let text = format!("{open}}}");
    (u64::from_str_radix(check, 16).ok()? == checksum([text.as_bytes()])).then_some(text)
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

    fn plan() -> Plan {
        let subject = serde_json::json!({
            "module": { "name": "a b.wasm", "fingerprint": "77" },
            "start": { "call": "f(i32)" },
            "limits": { "instructions": 1000, "memory": 1 << 20, "depth": 10 },
        });
        let search =
            serde_json::json!({ "cost": "branches", "seed": 3, "strategy": "ese", "options": { "mprob": "0.5" } });
        let (subject, search) = (serde_json::from_value(subject).unwrap(), serde_json::from_value(search).unwrap());
        Plan { subject, search, fail_above: Some(9) }
    }

    fn write(directory: &Path) -> Past {
        let budget = Budget { paths: Some(100), time: Some(Duration::from_secs(60)), steps: None };
        let mut journal = Journal::create(directory, &plan(), &budget).unwrap();
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
        assert_eq!(past.plan, Some(plan()));
        assert_eq!((past.parts, past.paths), (2, 49));
        assert_eq!(past.progress, [(0.5, 3, 10), (1.0, 5, 20), (2.75, 20, 30)]);
        assert_eq!(past.best, Some(Witness::new(vec![u64::MAX, 0])));
        assert_eq!(past.elapsed, Duration::from_secs(6));
        assert_eq!(past.left, Budget { paths: Some(51), time: Some(Duration::from_secs(54)), steps: None });
        assert_eq!(past.end, Some(End { stopped: "time".to_string(), complete: false }));
        assert_eq!(past.note, None);
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// A journal that is cut off anywhere, or has any byte changed, gives an earlier state of itself or is refused.
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

    /// A second first line, intact as it is, belongs to nothing; what is written after it must not be lost.
    #[test]
    fn a_second_plan_ends_what_is_trusted() {
        let directory = directory("twice");
        drop(Journal::create(&directory, &plan(), &Budget::default()).unwrap());
        let path = directory.join(NAME);
        let mut text = std::fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap().to_string();
        text += &format!("{first}\n");
        std::fs::write(&path, text).unwrap();
        let past = Past::read(&directory).unwrap();
        assert!(past.note.is_some());
        let mut journal = Journal::go_on(&directory, &past, &past.left).unwrap();
        journal.best(Duration::from_secs(1), &[(0.5, 3, 10)], &Witness::new(vec![1])).unwrap();
        let again = Past::read(&directory).unwrap();
        assert_eq!((again.note, again.progress, again.parts), (None, vec![(0.5, 3, 10)], 2));
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// A journal may claim any number of paths and any time.
    #[test]
    fn huge_numbers_do_no_harm() {
        let directory = directory("huge");
        let mut journal = Journal::create(&directory, &plan(), &Budget::default()).unwrap();
        journal.write(&Entry::Alive { seconds: 1.844674407370955e19, paths: u64::MAX }).unwrap();
        drop(journal);
        let past = Past::read(&directory).unwrap();
        let mut journal = Journal::go_on(&directory, &past, &past.left).unwrap();
        journal.end(Duration::from_secs(1 << 20), 5, "time", false).unwrap();
        assert_eq!(Past::read(&directory).unwrap().paths, u64::MAX);
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn two_searches_do_not_share_a_journal() {
        let directory = directory("lock");
        let budget = Budget::default();
        let journal = Journal::create(&directory, &plan(), &budget).unwrap();
        assert!(Journal::create(&directory, &plan(), &budget).is_err());
        let past = Past::read(&directory).unwrap();
        assert!(Journal::go_on(&directory, &past, &budget).is_err());
        drop(journal);
        assert!(Journal::go_on(&directory, &past, &budget).is_ok());
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_journal_of_words_is_called_old() {
        let directory = directory("old");
        let text = r#"{"event":"search","version":"0.1.0","words":["worst","a.wasm"],"hash":"77"}"#;
        let open = text.strip_suffix('}').unwrap();
        let line = format!("{open}{CHECK}{:016x}\"}}\n", checksum([text.as_bytes()]));
        std::fs::write(directory.join(NAME), line).unwrap();
        let error = Past::read(&directory).unwrap_err().to_string();
        assert!(error.contains("made by an earlier version; start a new search"), "{error}");
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// The fragment of a line that a full disk left behind is gone once there is room again.
    #[test]
    fn half_a_line_is_removed_by_the_next_one() {
        let directory = directory("full");
        let mut journal = Journal::create(&directory, &plan(), &Budget::default()).unwrap();
        journal.file.write_all(b"{\"event\":\"be").unwrap();
        journal.best(Duration::from_secs(1), &[(0.5, 3, 10)], &Witness::new(vec![1])).unwrap();
        let past = Past::read(&directory).unwrap();
        assert_eq!((past.note, past.progress), (None, vec![(0.5, 3, 10)]));
        std::fs::remove_dir_all(directory).unwrap();
    }
}
