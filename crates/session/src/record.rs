//! Keeps on disk what a session finds while it is running: every improvement in the journal, and now and then a
//! partial result.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pessimum_search::watch::{Found, News};

use crate::journal::{Journal, Step};
use crate::result::Account;
use crate::saved::{PlannedResult, result_files, write_files};
use crate::{Error, Outcome};

/// The time between two partial results on disk; the journal has every improvement.
const PARTIAL_EVERY: Duration = Duration::from_secs(1);

/// What a partial result takes for each number of the input, to be run again and written down.
const OF_A_NUMBER: Duration = Duration::from_micros(1);

/// Records what a session finds.
pub struct Recorder<'a> {
    account: Account<'a>,
    directory: &'a Path,
    journal: Journal,
    /// Improvements of this part.
    steps: Vec<Step>,
    /// How many of them are in the journal.
    written: usize,
    /// The best input so far.
    best: Option<Found>,
    /// The costliest input that ended in another way.
    other: Option<Arc<Found>>,
    /// The cost of the last of those in the journal.
    other_written: Option<u64>,
    /// Whether it is not yet in a partial result.
    is_new: bool,
    /// When the next partial result may be written.
    due: Duration,
    /// The last disk error, until the disk works again.
    failed: Option<Error>,
    /// Tells the user.
    note: &'a (dyn Fn(&str) + Sync),
}

impl<'a> Recorder<'a> {
    /// Writes to a directory whose journal has been begun. `note` tells the user when the disk fails, and when it
    /// works again.
    pub fn new(
        account: Account<'a>,
        directory: &'a Path,
        journal: Journal,
        note: &'a (dyn Fn(&str) + Sync),
    ) -> Recorder<'a> {
        let numbers = account.program.plan().variables().try_into().unwrap_or(u32::MAX);
        Recorder {
            account,
            directory,
            journal,
            steps: Vec::new(),
            written: 0,
            best: None,
            other: None,
            other_written: account.past.other.as_ref().map(|(cost, _)| *cost),
            is_new: false,
            // The journal has it in any case.
            due: 10 * OF_A_NUMBER.saturating_mul(numbers),
            failed: None,
            note,
        }
    }

    /// Takes in news. The search continues whatever happens to the disk; failed writes are retried.
    pub fn take(&mut self, news: &News) {
        let past = self.account.past;
        self.other = news.other.clone();
        if news.switched {
            (self.steps, self.written, self.best) = (Vec::new(), 0, None);
        }
        if let Some(found) = &news.found {
            // What an earlier part has already found is run again, but is not an improvement; nor is an input of a kind
            // that comes after that of the best one known.
            let known = past.cost_of(found.standing);
            if past.best.is_none() || found.standing >= past.standing {
                let new = news.improvements.iter().filter(|step| Some(step.cost) > known);
                self.steps.extend(new.map(|step| (step.seconds, step.paths, step.cost)));
                if Some(found.cost) >= known {
                    self.best = Some(found.clone());
                    self.is_new = true;
                }
            }
        }
        match (self.record(news), self.failed.take()) {
            (Ok(()), None) => {}
            (Ok(()), Some(_)) => (self.note)("the search is being recorded again"),
            (Err(error), before) => {
                if before.is_none() {
                    (self.note)(&format!("{error}; the search continues, but cannot be resumed from here"));
                }
                self.failed = Some(error);
            }
        }
    }

    /// Writes to the journal what is not there yet. Returns whether there was anything.
    fn write_found(&mut self, elapsed: Duration) -> Result<bool, Error> {
        if let Some(other) = self.other.as_ref().filter(|other| Some(other.cost) > self.other_written) {
            self.journal.other(other.cost, &other.input)?;
            self.other_written = Some(other.cost);
        }
        let Some(best) = self.best.as_ref().filter(|_| self.written < self.steps.len()) else { return Ok(false) };
        self.journal.best(elapsed, &self.steps[self.written..], &best.input, best.standing)?;
        self.written = self.steps.len();
        Ok(true)
    }

    fn record(&mut self, news: &News) -> Result<(), Error> {
        if !self.write_found(news.elapsed)? {
            self.journal.alive(news.elapsed, news.paths)?;
        }
        if !news.over
            && self.is_new
            && news.elapsed >= self.due
            && let Some(best) = &self.best
        {
            let began = Instant::now();
            let account = &self.account;
            let result = account.so_far(best, self.other.as_deref(), news.paths, news.elapsed, &self.steps);
            let planned = PlannedResult { result, plan: account.subject.clone() };
            write_files(self.directory, &result_files(account.program, &planned, &best.input)?)?;
            self.is_new = false;
            // Partial results replay the input, and long runs must not be replayed all the time.
            self.due = news.elapsed + PARTIAL_EVERY.max(10 * began.elapsed());
        }
        Ok(())
    }

    /// Records that the session ended on its own.
    pub fn end(&mut self, outcome: &Outcome) -> Result<(), Error> {
        let found = &outcome.found;
        // What a full disk did not take may fit by now; an end without it would claim that nothing is missing.
        self.write_found(found.elapsed)?;
        self.journal.end(found.elapsed, found.paths, found.stop.name(), found.complete)
    }
}
