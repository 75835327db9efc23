//! `journal.jsonl`: what a search has found so far, written to disk at once, so that a killed search can be resumed.
//!
//! There is one line per event, each with its own checksum: a reader trusts the lines up to the first damaged one.
//! Times and paths count from the beginning of the first part; a part is what one process did.
//!
//! A process may be killed at any moment: `--resume` believes the lines up to the first damaged one, checks module and
//! best input, and starts every strategy from that input. The finding is printed before anything else is written, and
//! what fails after that is told, makes the exit code an error, and keeps nothing else from being written.

use std::path::Path;
use std::time::Duration;

use pessimum_search::budget::Budget;
use pessimum_search::watch::Standing;
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::files::Staged;
use crate::lines::{Log, encode, read_lines};
use crate::owner::Owner;
use crate::plan::{SearchPlan, SubjectPlan};

/// Its name in the directory of a search.
pub const NAME: &str = "journal.jsonl";

/// `[seconds, paths, cost]`, as in results.
pub type Step = (f64, u64, u64);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Entry {
    /// The first line.
    Search {
        /// The version of Pessimum.
        version: String,
        /// What is searched, and how.
        plan: Box<Plan>,
    },
    /// A process begins, with this much to spend.
    Part {
        paths: Option<u64>,
        seconds: Option<f64>,
        /// Whether it does again what the one before did, from the beginning: times and paths start over.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
    },
    /// A new best input. Several improvements within a few milliseconds are one entry.
    Best {
        steps: Vec<Step>,
        input: Vec<u64>,
        /// Whether it did not end as it should, and is the best only as long as there is no other.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        fallback: bool,
        /// Whether it did not end although it had all that a run may take, so that it is above all that did.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        endless: bool,
    },
    /// The costliest input that ended in another way than the best.
    Other { cost: u64, input: Vec<u64> },
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
    /// Of which kind its run is.
    pub standing: Standing,
    /// The costliest input that ended in another way, and its cost.
    pub other: Option<(u64, Witness)>,
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

    /// The improvements that led to the best input, if it is of this kind.
    pub fn progress_of(&self, standing: Standing) -> &[Step] {
        if self.standing == standing { &self.progress } else { &[] }
    }

    /// The best cost, if that input is of this kind.
    pub fn cost_of(&self, standing: Standing) -> Option<u64> {
        self.progress_of(standing).last().map(|step| step.2)
    }

    /// Reads the journal of a directory. Damaged lines at its end are ignored and noted.
    pub fn read(directory: &Path) -> Result<Past, Error> {
        let path = directory.join(NAME);
        let mut past = Past::default();
        let mut spent = (Duration::ZERO, 0);
        let mut budget = Budget::default();
        let extent = read_lines(&path, |number, entry: Entry| {
            if !entry.is_possible() || (number == 0) != matches!(entry, Entry::Search { .. }) {
                return false;
            }
            match entry {
                Entry::Search { plan, .. } => past.plan = Some(*plan),
                Entry::Part { paths, seconds, again } => {
                    past.parts += 1;
                    past.end = None;
                    if again {
                        (past.elapsed, past.paths) = (Duration::ZERO, 0);
                    }
                    spent = (past.elapsed, past.paths);
                    budget = Budget { paths, steps: None, time: seconds.map(duration) };
                }
                Entry::Best { steps, input, fallback, endless } => {
                    let standing = match (fallback, endless) {
                        (true, _) => Standing::Fallback,
                        (false, true) => Standing::Endless,
                        (false, false) => Standing::Wanted,
                    };
                    if standing != past.standing {
                        past.progress.clear();
                        past.standing = standing;
                    }
                    if let Some(&(seconds, paths, _)) = steps.last() {
                        past.reach(seconds, paths);
                        past.best = Some(Witness::new(input));
                    }
                    past.progress.extend(steps);
                }
                Entry::Other { cost, input } => past.other = Some((cost, Witness::new(input))),
                Entry::Alive { seconds, paths } => past.reach(seconds, paths),
                Entry::End { seconds, paths, stopped, complete } => {
                    past.reach(seconds, paths);
                    past.end = Some(End { stopped, complete });
                }
            }
            true
        })?;
        if past.plan.is_none() {
            let earlier = extent.foreign.is_some_and(|text| text.contains("\"words\":["));
            let why = if earlier { "made by an earlier version" } else { "damaged from the first line on" };
            return Err(Error::new(format!("{}: {why}; start a new search", path.display())));
        }
        (past.good, past.note) = (extent.good, extent.note);
        past.left = Budget {
            paths: budget.paths.map(|paths| paths.saturating_sub(past.paths - spent.1)),
            steps: None,
            time: budget.time.map(|time| time.saturating_sub(past.elapsed - spent.0)),
        };
        Ok(past)
    }

    /// What is known at the beginning of a part that does everything again: the improvements, which the search will
    /// meet again in the same order, but no time and no paths.
    pub fn again(&self) -> Past {
        Past { parts: 0, elapsed: Duration::ZERO, paths: 0, end: None, ..self.clone() }
    }

    fn reach(&mut self, seconds: f64, paths: u64) {
        self.elapsed = self.elapsed.max(duration(seconds));
        self.paths = self.paths.max(paths);
    }
}

impl Entry {
    /// Whether its numbers can be those of a search. Larger ones would not fit where they are added up.
    fn is_possible(&self) -> bool {
        let possible = |seconds: f64, paths: u64| (0.0..=MOST_SECONDS).contains(&seconds) && paths <= MOST_PATHS;
        match self {
            Entry::Search { .. } | Entry::Other { .. } => true,
            Entry::Part { seconds, .. } => possible(seconds.unwrap_or_default(), 0),
            Entry::Best { steps, .. } => steps.iter().all(|&(seconds, paths, _)| possible(seconds, paths)),
            Entry::Alive { seconds, paths } | Entry::End { seconds, paths, .. } => possible(*seconds, *paths),
        }
    }
}

/// Three hundred years.
const MOST_SECONDS: f64 = 1e10;

/// What JSON readers of every language can represent.
const MOST_PATHS: u64 = 1 << 53;

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// The journal of a search in progress.
#[derive(Debug)]
pub struct Journal {
    log: Log,
    /// Time and paths of earlier parts.
    base: (Duration, u64),
    /// When the last line was written, measured from the beginning of this part.
    written: Duration,
}

/// The beginning of a journal, on the disk but not yet in the place of an older one.
pub struct Prepared {
    staged: Staged,
    path: std::path::PathBuf,
    length: u64,
}

/// The time between two lines without news.
const ALIVE_EVERY: Duration = Duration::from_millis(500);

impl Journal {
    /// Writes the beginning of a journal. Until [`Prepared::begin`] nothing of an earlier search is touched.
    pub fn prepare(owner: &Owner, plan: &Plan, budget: &Budget) -> Result<Prepared, Error> {
        let path = owner.directory().join(NAME);
        let version = env!("CARGO_PKG_VERSION").to_string();
        let plan = Box::new(plan.clone());
        let text = encode(&Entry::Search { version, plan })? + &encode(&part(budget, false))?;
        Ok(Prepared { staged: Staged::new(&path, text.as_bytes())?, path, length: text.len() as u64 })
    }

    /// Continues the journal that was read.
    pub fn go_on(owner: &Owner, past: &Past, budget: &Budget) -> Result<Journal, Error> {
        let base = (past.elapsed, past.paths);
        Journal::add_part(owner, past, base, &part(budget, false))
    }

    /// Continues the journal that was read with a part that does everything again. What was found so far stays known.
    pub fn do_again(owner: &Owner, past: &Past, budget: &Budget) -> Result<Journal, Error> {
        Journal::add_part(owner, past, (Duration::ZERO, 0), &part(budget, true))
    }

    fn add_part(owner: &Owner, past: &Past, base: (Duration, u64), part: &Entry) -> Result<Journal, Error> {
        let mut log = Log::open(&owner.directory().join(NAME), past.good)?;
        log.write(part)?;
        Ok(Journal { log, base, written: Duration::ZERO })
    }

    /// Records a new best input, with the improvements that led to it. Times and paths are those of this part. `standing`
    /// says of which kind it is.
    pub fn best(
        &mut self,
        elapsed: Duration,
        steps: &[Step],
        input: &Witness,
        standing: Standing,
    ) -> Result<(), Error> {
        let steps = steps.iter().map(|&(seconds, paths, cost)| {
            let (seconds, paths) = self.total(duration(seconds), paths);
            (seconds, paths, cost)
        });
        let (fallback, endless) = (standing == Standing::Fallback, standing == Standing::Endless);
        let entry = Entry::Best { steps: steps.collect(), input: input.values().to_vec(), fallback, endless };
        self.written = elapsed;
        self.log.write(&entry)
    }

    /// Records the costliest input that ended in another way than the best.
    pub fn other(&mut self, cost: u64, input: &Witness) -> Result<(), Error> {
        self.log.write(&Entry::Other { cost, input: input.values().to_vec() })
    }

    /// Records now and then how far the search has got.
    pub fn alive(&mut self, elapsed: Duration, paths: u64) -> Result<(), Error> {
        if elapsed < self.written + ALIVE_EVERY {
            return Ok(());
        }
        self.written = elapsed;
        let (seconds, paths) = self.total(elapsed, paths);
        self.log.write(&Entry::Alive { seconds, paths })
    }

    /// Records that the search ended on its own.
    pub fn end(&mut self, elapsed: Duration, paths: u64, stopped: &str, complete: bool) -> Result<(), Error> {
        let (seconds, paths) = self.total(elapsed, paths);
        self.log.write(&Entry::End { seconds, paths, stopped: stopped.to_string(), complete })
    }

    fn total(&self, elapsed: Duration, paths: u64) -> (f64, u64) {
        (self.base.0.saturating_add(elapsed).as_secs_f64(), self.base.1.saturating_add(paths))
    }
}

impl Prepared {
    /// Puts it in its place, where it replaces an older one.
    pub fn begin(self) -> Result<Journal, Error> {
        self.staged.put()?;
        let log = Log::open(&self.path, self.length)?;
        Ok(Journal { log, base: (Duration::ZERO, 0), written: Duration::ZERO })
    }
}

fn part(budget: &Budget, again: bool) -> Entry {
    Entry::Part { paths: budget.paths, seconds: budget.time.map(|time| time.as_secs_f64()), again }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

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

    fn create(directory: &Path, budget: &Budget) -> Journal {
        Journal::prepare(&Owner::of(directory, "test").unwrap(), &plan(), budget).unwrap().begin().unwrap()
    }

    fn go_on(directory: &Path, past: &Past) -> Journal {
        Journal::go_on(&Owner::of(directory, "test").unwrap(), past, &past.left).unwrap()
    }

    fn write(directory: &Path) -> Past {
        let budget = Budget { paths: Some(100), time: Some(Duration::from_secs(60)), steps: None };
        let mut journal = create(directory, &budget);
        journal
            .best(Duration::from_secs(1), &[(0.5, 3, 10), (1.0, 5, 20)], &Witness::new(vec![1, 2]), Standing::Wanted)
            .unwrap();
        journal.other(70, &Witness::new(vec![7])).unwrap();
        journal.alive(Duration::from_millis(1100), 6).unwrap();
        journal.alive(Duration::from_secs(2), 9).unwrap();
        drop(journal);
        let past = Past::read(directory).unwrap();
        assert_eq!((past.paths, past.elapsed), (9, Duration::from_secs(2)));
        let mut journal = go_on(directory, &past);
        journal
            .best(Duration::from_secs(1), &[(0.75, 11, 30)], &Witness::new(vec![u64::MAX, 0]), Standing::Wanted)
            .unwrap();
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
        assert_eq!(past.other, Some((70, Witness::new(vec![7]))));
        assert_eq!(past.elapsed, Duration::from_secs(6));
        assert_eq!(past.left, Budget { paths: Some(51), time: Some(Duration::from_secs(54)), steps: None });
        assert_eq!(past.end, Some(End { stopped: "time".to_string(), complete: false }));
        assert_eq!(past.note, None);
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn an_input_that_ended_as_it_should_replaces_what_was_there_before() {
        let directory = directory("fallback");
        let mut journal = create(&directory, &Budget::default());
        journal.best(Duration::from_secs(1), &[(0.5, 3, 10)], &Witness::new(vec![1]), Standing::Fallback).unwrap();
        let past = Past::read(&directory).unwrap();
        assert_eq!((past.cost_of(Standing::Fallback), past.cost_of(Standing::Wanted)), (Some(10), None));
        journal.best(Duration::from_secs(1), &[(0.75, 4, 2)], &Witness::new(vec![2]), Standing::Wanted).unwrap();
        let past = Past::read(&directory).unwrap();
        assert_eq!((&past.progress, &past.best), (&vec![(0.75, 4, 2)], &Some(Witness::new(vec![2]))));
        assert_eq!(past.standing, Standing::Wanted);
        // One that did not end replaces both, whatever it had cost when it was stopped.
        journal.best(Duration::from_secs(2), &[(1.5, 9, 1)], &Witness::new(vec![3]), Standing::Endless).unwrap();
        let past = Past::read(&directory).unwrap();
        assert_eq!(
            (past.progress, past.standing, past.best),
            (vec![(1.5, 9, 1)], Standing::Endless, Some(Witness::new(vec![3])))
        );
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
                    drop(go_on(&directory, &past));
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
        let whole = write(&directory);
        let path = directory.join(NAME);
        let mut text = std::fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap().to_string();
        text += &format!("{first}\n");
        std::fs::write(&path, text).unwrap();
        let past = Past::read(&directory).unwrap();
        assert!(past.note.is_some());
        let owner = Owner::of(&directory, "test").unwrap();
        let mut journal = Journal::go_on(&owner, &past, &past.left).unwrap();
        journal.best(Duration::from_secs(1), &[(0.5, 3, 1000)], &Witness::new(vec![1]), Standing::Wanted).unwrap();
        let again = Past::read(&directory).unwrap();
        assert_eq!((again.note.clone(), again.cost(), again.parts), (None, Some(1000), whole.parts + 1));
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// A part that does everything again starts to count anew, and forgets nothing.
    #[test]
    fn a_repeated_part_keeps_what_was_found() {
        let directory = directory("again");
        let past = write(&directory);
        let owner = Owner::of(&directory, "test").unwrap();
        let mut journal = Journal::do_again(&owner, &past, &past.left).unwrap();
        journal.alive(Duration::from_secs(1), 4).unwrap();
        let again = Past::read(&directory).unwrap();
        assert_eq!((again.paths, again.elapsed, again.cost()), (4, Duration::from_secs(1), Some(30)));
        assert_eq!((&again.progress, &again.best), (&past.progress, &past.best));
        assert_eq!(again.left.paths, Some(51 - 4));
        let known = again.again();
        assert_eq!((known.parts, known.paths, known.cost()), (0, 0, Some(30)));
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// Numbers that no search reaches are damage, whatever the checksum says: they would overflow.
    #[test]
    fn impossible_numbers_are_not_believed() {
        let directory = directory("impossible");
        let whole = write(&directory);
        let path = directory.join(NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        let steps = |seconds: f64, paths: u64| Entry::Best {
            steps: vec![(seconds, paths, 99)],
            input: vec![1],
            fallback: false,
            endless: false,
        };
        for entry in [
            steps(1e300, 1),
            steps(-1.0, 1),
            steps(1.0, u64::MAX),
            Entry::Alive { seconds: 0.0, paths: u64::MAX },
            Entry::Part { paths: Some(1), seconds: Some(f64::MAX), again: false },
        ] {
            std::fs::write(&path, format!("{text}{}", encode(&entry).unwrap())).unwrap();
            let past = Past::read(&directory).unwrap();
            assert!(past.note.is_some() && past.cost() == whole.cost(), "{entry:?}");
        }
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_journal_that_is_a_link_is_refused() {
        let (directory, elsewhere) = (directory("link"), directory("linked"));
        let past = write(&elsewhere);
        std::os::unix::fs::symlink(elsewhere.join(NAME), directory.join(NAME)).unwrap();
        let before = std::fs::read(elsewhere.join(NAME)).unwrap();
        assert!(Past::read(&directory).unwrap_err().to_string().contains("links are not followed"));
        let owner = Owner::of(&directory, "test").unwrap();
        assert!(Journal::go_on(&owner, &past, &past.left).is_err());
        assert_eq!(std::fs::read(elsewhere.join(NAME)).unwrap(), before);
        for directory in [directory, elsewhere] {
            std::fs::remove_dir_all(directory).unwrap();
        }
    }

    #[test]
    fn a_journal_of_words_is_called_old() {
        let directory = directory("old");
        let text = r#"{"event":"search","version":"0.1.0","words":["worst","a.wasm"],"hash":"77"}"#;
        std::fs::write(directory.join(NAME), crate::lines::sealed(text).unwrap()).unwrap();
        let error = Past::read(&directory).unwrap_err().to_string();
        assert!(error.contains("made by an earlier version; start a new search"), "{error}");
        std::fs::remove_dir_all(directory).unwrap();
    }
}
