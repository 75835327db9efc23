//! `curve.jsonl`: the sizes of a curve that are finished, and what they taught, so that a killed curve can be resumed.
//!
//! The size that is being searched has a journal of its own in its directory (see [`crate::journal`]).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pessimum_report::class::Class;
use pessimum_report::curve::CurvePoint;
use pessimum_search::budget::Budget;
use pessimum_search::strategy::Carried;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::files::Staged;
use crate::lines::{Log, encode, read_lines};
use crate::owner::Owner;
use crate::plan::{SearchPlan, SubjectPlan};

/// Its name in the directory of a curve.
pub const NAME: &str = "curve.jsonl";

/// The most sizes that one curve may have.
pub const MOST_SIZES: usize = 100;

/// The directory of one size, in that of the curve.
pub fn directory_of(size: u64) -> String {
    format!("n-{size}")
}

/// What is searched at which sizes, and how. Budgets belong to the parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePlan {
    /// The program and its input, without a size.
    pub subject: SubjectPlan,
    /// Strategy, cost and seed.
    pub search: SearchPlan,
    /// In ascending order.
    pub sizes: Vec<u64>,
    /// The cost above which the curve fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_above: Option<u64>,
    /// The class above which it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_above_class: Option<Class>,
}

/// A size that is finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeDone {
    /// `n`.
    pub size: u64,
    /// What it took from the curve's time.
    pub seconds: f64,
    /// What was found.
    pub found: Reached,
    /// What the strategy takes to the next size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Carried>,
}

/// What became of a size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reached {
    /// Its worst case.
    Point(Box<CurvePoint>),
    /// Nothing, for this reason.
    Missing(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Entry {
    /// The first line.
    Curve {
        /// The version of Pessimum.
        version: String,
        /// What is searched, and how.
        plan: Box<CurvePlan>,
    },
    /// A process begins: paths for each size, and the time for all that are left.
    Part { paths: Option<u64>, seconds: Option<f64> },
    /// A size is finished.
    Size(Box<SizeDone>),
    /// A finished size was searched once more, and this is what is known of it now. Its time comes on top.
    More(Box<SizeDone>),
    /// All of them are, and everything was saved.
    End,
}

/// What the journal of a curve says.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePast {
    /// What is searched.
    pub plan: CurvePlan,
    /// The finished sizes, in the order of their searches.
    pub done: Vec<SizeDone>,
    /// What the last part had: paths for each size, and what is left of the time. The time of a size that is not
    /// finished is not taken off.
    pub left: Budget,
    /// Whether the curve is finished.
    pub ended: bool,
    /// What was not trusted, for human readers.
    pub note: Option<String>,
    good: u64,
}

impl CurvePast {
    /// Reads the journal of a directory. Damaged lines at its end are ignored and noted.
    pub fn read(directory: &Path) -> Result<CurvePast, Error> {
        let path = directory.join(NAME);
        let (mut plan, mut done, mut ended) = (None::<CurvePlan>, Vec::<SizeDone>::new(), false);
        let mut left = Budget::default();
        let extent = read_lines(&path, |number, entry: Entry| {
            match (entry, &plan) {
                (Entry::Curve { plan: read, .. }, None) if number == 0 && is_ascending(&read.sizes) => {
                    plan = Some(*read);
                }
                (Entry::Part { paths, seconds }, Some(_)) => {
                    let Ok(time) = seconds.map(Duration::try_from_secs_f64).transpose() else { return false };
                    left = Budget { paths, time, steps: None };
                }
                (Entry::Size(size), Some(plan)) if size.is_part_of(plan, &done) => {
                    let seconds = Duration::try_from_secs_f64(size.seconds).unwrap_or_default();
                    left.time = left.time.map(|time| time.saturating_sub(seconds));
                    done.push(*size);
                }
                (Entry::More(more), Some(plan)) if more.is_point_of(plan) => {
                    let Some(before) = done.iter_mut().find(|done| done.size == more.size) else { return false };
                    let seconds = Duration::try_from_secs_f64(more.seconds).unwrap_or_default();
                    left.time = left.time.map(|time| time.saturating_sub(seconds));
                    (before.seconds, before.found) = (before.seconds + more.seconds, more.found);
                }
                (Entry::End, Some(_)) => ended = true,
                _ => return false,
            }
            true
        })?;
        let Some(plan) = plan else {
            let why = "damaged from the first line on; start a new curve";
            return Err(Error::new(format!("{}: {why}", path.display())));
        };
        Ok(CurvePast { plan, done, left, ended, note: extent.note, good: extent.good })
    }
}

fn is_ascending(sizes: &[u64]) -> bool {
    (1..=MOST_SIZES).contains(&sizes.len()) && sizes[0] > 0 && sizes.is_sorted_by(|one, other| one < other)
}

impl SizeDone {
    /// Whether it is one of the plan's sizes, and not one that is done already.
    fn is_part_of(&self, plan: &CurvePlan, done: &[SizeDone]) -> bool {
        let known: BTreeSet<u64> = done.iter().map(|other| other.size).collect();
        let is_missing = matches!(self.found, Reached::Missing(_)) && plan.sizes.contains(&self.size);
        (is_missing || self.is_point_of(plan)) && !known.contains(&self.size)
    }

    /// Whether it is a point at one of the plan's sizes. Its directory is the one that we would choose, whoever wrote
    /// the file.
    fn is_point_of(&self, plan: &CurvePlan) -> bool {
        let Reached::Point(point) = &self.found else { return false };
        point.size == self.size && point.directory == directory_of(self.size) && plan.sizes.contains(&self.size)
    }
}

/// The journal of a curve in progress.
#[derive(Debug)]
pub struct CurveJournal {
    log: Log,
    /// What could not be written yet, oldest first.
    waiting: Vec<Entry>,
}

/// The beginning of a journal, on the disk but not yet in the place of an older one.
pub struct Prepared {
    staged: Staged,
    path: PathBuf,
    length: u64,
}

impl Prepared {
    /// Puts it in its place, where it replaces an older one.
    pub fn begin(self) -> Result<CurveJournal, Error> {
        self.staged.put()?;
        Ok(CurveJournal { log: Log::open(&self.path, self.length)?, waiting: Vec::new() })
    }
}

impl CurveJournal {
    /// Writes the beginning of a journal. Until [`Prepared::begin`] nothing of an earlier curve is touched.
    pub fn prepare(owner: &Owner, plan: &CurvePlan, budget: &Budget) -> Result<Prepared, Error> {
        let path = owner.directory().join(NAME);
        let version = env!("CARGO_PKG_VERSION").to_string();
        let first = Entry::Curve { version, plan: Box::new(plan.clone()) };
        let text = encode(&first)? + &encode(&part(budget))?;
        Ok(Prepared { staged: Staged::new(&path, text.as_bytes())?, path, length: text.len() as u64 })
    }

    /// Continues the journal that was read.
    pub fn go_on(owner: &Owner, past: &CurvePast, budget: &Budget) -> Result<CurveJournal, Error> {
        let log = Log::open(&owner.directory().join(NAME), past.good)?;
        let mut journal = CurveJournal { log, waiting: Vec::new() };
        journal.write(part(budget))?;
        Ok(journal)
    }

    /// Records a finished size.
    pub fn done(&mut self, size: SizeDone) -> Result<(), Error> {
        self.write(Entry::Size(Box::new(size)))
    }

    /// Records what is known of a finished size after more time.
    pub fn more(&mut self, size: SizeDone) -> Result<(), Error> {
        self.write(Entry::More(Box::new(size)))
    }

    /// Records that everything is done and saved.
    pub fn end(&mut self) -> Result<(), Error> {
        self.write(Entry::End)
    }

    /// Writes an entry after those that could not be written before; they wait until there is room.
    fn write(&mut self, entry: Entry) -> Result<(), Error> {
        self.waiting.push(entry);
        while let Some(first) = self.waiting.first() {
            self.log.write(first)?;
            self.waiting.remove(0);
        }
        Ok(())
    }
}

fn part(budget: &Budget) -> Entry {
    Entry::Part { paths: budget.paths, seconds: budget.time.map(|time| time.as_secs_f64()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> CurvePlan {
        let subject = serde_json::json!({
            "module": { "name": "a b.wasm", "fingerprint": "77" },
            "start": { "call": "f(i32[n])" },
            "limits": { "instructions": 1000, "memory": 1 << 20, "depth": 10 },
        });
        let search = serde_json::json!({ "cost": "branches", "seed": 3, "strategy": "auto" });
        let (subject, search) = (serde_json::from_value(subject).unwrap(), serde_json::from_value(search).unwrap());
        CurvePlan { subject, search, sizes: vec![2, 4, 8], fail_above: None, fail_above_class: Some(Class::Power(1.0)) }
    }

    fn done(size: u64) -> SizeDone {
        SizeDone { size, seconds: 1.5, found: Reached::Missing("why".to_string()), carried: None }
    }

    fn point(size: u64, directory: &str) -> SizeDone {
        let point = serde_json::json!({
            "size": size, "cost": 5, "random": null, "complete": false, "late_gain": 0.0, "paths": 1, "reached_at": 1,
            "stopped": "paths", "elapsed_s": 0.5, "end": "returned", "input": [1], "directory": directory,
        });
        SizeDone { found: Reached::Point(serde_json::from_value(point).unwrap()), ..done(size) }
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let owner = Owner::of(directory.path(), "test").unwrap();
        let budget = Budget { paths: Some(9), time: Some(Duration::from_secs(10)), steps: None };
        let mut journal = CurveJournal::prepare(&owner, &plan(), &budget).unwrap().begin().unwrap();
        journal.done(done(4)).unwrap();
        let past = CurvePast::read(directory.path()).unwrap();
        assert_eq!((&past.plan, &past.done[..]), (&plan(), &[done(4)][..]));
        assert_eq!(past.left, Budget { time: Some(Duration::from_millis(8500)), ..budget });
        let mut journal = CurveJournal::go_on(&owner, &past, &past.left).unwrap();
        journal.done(point(2, "n-2")).unwrap();
        journal.end().unwrap();
        let past = CurvePast::read(directory.path()).unwrap();
        assert_eq!(past.done, [done(4), point(2, "n-2")]);
        assert!(past.ended && past.note.is_none());
        assert_eq!(past.left.time, Some(Duration::from_secs(7)));
    }

    #[test]
    fn more_time_for_a_size_replaces_what_was_known_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let owner = Owner::of(directory.path(), "test").unwrap();
        let budget = Budget { paths: None, time: Some(Duration::from_secs(10)), steps: None };
        let mut journal = CurveJournal::prepare(&owner, &plan(), &budget).unwrap().begin().unwrap();
        journal.done(point(2, "n-2")).unwrap();
        let mut more = point(2, "n-2");
        if let Reached::Point(point) = &mut more.found {
            point.cost = 6;
        }
        journal.more(more.clone()).unwrap();
        let past = CurvePast::read(directory.path()).unwrap();
        assert_eq!(past.done, [SizeDone { seconds: 3.0, ..more }]);
        assert_eq!(past.left.time, Some(Duration::from_secs(7)));
        for wrong in [point(4, "n-4"), done(2), point(2, "elsewhere")] {
            let past = CurvePast::read(directory.path()).unwrap();
            let mut journal = CurveJournal::go_on(&owner, &past, &budget).unwrap();
            journal.more(wrong.clone()).unwrap();
            assert!(CurvePast::read(directory.path()).unwrap().note.is_some(), "{wrong:?}");
        }
    }

    /// What does not belong to the plan is not believed, whoever wrote it.
    #[test]
    fn foreign_sizes_and_directories_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let owner = Owner::of(directory.path(), "test").unwrap();
        for wrong in [done(3), point(4, "../elsewhere"), point(4, "/etc"), SizeDone { size: 8, ..point(2, "n-2") }] {
            let mut journal = CurveJournal::prepare(&owner, &plan(), &Budget::default()).unwrap().begin().unwrap();
            journal.done(done(2)).unwrap();
            journal.done(wrong.clone()).unwrap();
            let past = CurvePast::read(directory.path()).unwrap();
            assert!(past.note.is_some() && past.done == [done(2)], "{wrong:?}");
        }
        let mut journal = CurveJournal::prepare(&owner, &plan(), &Budget::default()).unwrap().begin().unwrap();
        journal.done(done(2)).unwrap();
        journal.done(done(2)).unwrap();
        assert_eq!(CurvePast::read(directory.path()).unwrap().done, [done(2)], "a size is done once");
        for sizes in [vec![], vec![0, 1], vec![4, 2], vec![2, 2], (1..=101).collect()] {
            let plan = CurvePlan { sizes, ..plan() };
            drop(CurveJournal::prepare(&owner, &plan, &Budget::default()).unwrap().begin().unwrap());
            assert!(CurvePast::read(directory.path()).is_err(), "{:?}", plan.sizes);
        }
    }

    /// What cannot be written waits for its turn.
    #[test]
    fn entries_wait_for_room() {
        let directory = tempfile::tempdir().unwrap();
        let owner = Owner::of(directory.path(), "test").unwrap();
        let mut journal = CurveJournal::prepare(&owner, &plan(), &Budget::default()).unwrap().begin().unwrap();
        let full = Log::read_only(&directory.path().join(NAME));
        let works = std::mem::replace(&mut journal.log, full);
        assert!(journal.done(done(2)).is_err());
        assert!(journal.done(done(4)).is_err());
        journal.log = works;
        journal.done(done(8)).unwrap();
        assert_eq!(CurvePast::read(directory.path()).unwrap().done, [done(2), done(4), done(8)]);
    }
}
