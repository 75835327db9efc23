//! Keeps on disk what a search for coverage finds while it is running.

use std::sync::Arc;
use std::time::Duration;

use pessimum_outcome::End;
use pessimum_search::objective::Find;
use pessimum_term::Witness;
use serde::{Deserialize, Serialize};

use super::{Covered, Progress, Watcher};
use crate::Error;
use crate::findings::Findings;
use crate::plan::{SearchPlan, SubjectPlan};

/// The name of the journal in the directory of a search.
pub const NAME: &str = "cover.jsonl";

/// What is to be covered, and how that is searched. Budgets belong to the parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverPlan {
    /// The program and its input.
    pub subject: SubjectPlan,
    /// Strategy and seed.
    pub search: SearchPlan,
    /// The values of `n`, ascending, or none once.
    pub sizes: Vec<Option<u64>>,
    /// Whose code counts; the user's own without any.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// One place that is to be reached, instead of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<String>,
    /// The share of the branches below which the search fails, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_under: Option<f64>,
}

/// An input that was the first to reach something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundInput {
    /// Its size, by the index among those of the plan.
    pub size: usize,
    /// Its values.
    pub input: Vec<u64>,
    /// Instructions within which its run ends as it did.
    pub within: u64,
}

impl FoundInput {
    /// The same for a search that is to go on from there.
    pub fn find(&self) -> (usize, Find) {
        let input = Arc::new(Witness::new(self.input.clone()));
        (self.size, Find { input, end: End::Returned, steps: None, within: self.within, goals: Vec::new() })
    }
}

/// Records what is found, then shows it.
pub struct Recorder<'a> {
    journal: Findings<FoundInput>,
    /// Tells the user of the disk.
    note: &'a (dyn Fn(&str) + Sync),
    show: &'a mut (dyn FnMut(&Progress<'_>) + Send),
    /// What was recorded last: a path with news is run again at once.
    last: Option<FoundInput>,
}

impl<'a> Recorder<'a> {
    /// Writes to a journal that has been begun.
    pub fn new(
        journal: Findings<FoundInput>,
        note: &'a (dyn Fn(&str) + Sync),
        show: &'a mut (dyn FnMut(&Progress<'_>) + Send),
    ) -> Recorder<'a> {
        Recorder { journal, note, show, last: None }
    }

    /// Records the inputs of the suite: simpler ones may cover more than those that were found.
    pub fn suite(&mut self, covered: &Covered) {
        let inputs = covered.suite.iter().map(|covering| FoundInput {
            size: covered.at[covering.at].index,
            input: covering.input.values().to_vec(),
            within: covered.limits.instructions,
        });
        self.journal.record(inputs, covered.own.0, covered.own.1, &self.note);
    }

    /// Records that the search ended on its own.
    pub fn end(&mut self, covered: &Covered) -> Result<(), Error> {
        self.journal.end(covered.own.0, covered.own.1, covered.stop.name(), covered.complete)
    }
}

impl Watcher for Recorder<'_> {
    fn record(&mut self, size: usize, finds: &[Find], elapsed: Duration, paths: u64) {
        let mut new = Vec::new();
        for find in finds {
            let found = FoundInput { size, input: find.input.values().to_vec(), within: find.within };
            if self.last.as_ref() != Some(&found) {
                new.push(found.clone());
                self.last = Some(found);
            }
        }
        self.journal.record(new, elapsed, paths, &self.note);
    }

    fn show(&mut self, progress: &Progress<'_>) {
        (self.show)(progress);
    }
}
