//! Keeps what a session finds on disk while it goes on: every improvement in the journal, now and then a partial
//! result.

use std::path::Path;
use std::time::{Duration, Instant};

use pessimum_search::watch::{Found, News};

use crate::journal::{Journal, Step};
use crate::result::Account;
use crate::saved::save;
use crate::{Error, Outcome};

/// Between two partial results on disk; the journal has every improvement.
const PARTIAL_EVERY: Duration = Duration::from_secs(1);

/// Writes down what a session finds.
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
    /// Whether it is in no partial result yet.
    is_new: bool,
    /// When the next partial result may be written.
    due: Duration,
    /// What went wrong with the disk, until it works again.
    failed: Option<Error>,
    /// Tells the user.
    note: &'a (dyn Fn(&str) + Sync),
}

impl<'a> Recorder<'a> {
    /// Writes into a directory whose journal was begun. `note` tells the user when the disk fails, and when it works
    /// again.
    pub fn new(
        account: Account<'a>,
        directory: &'a Path,
        journal: Journal,
        note: &'a (dyn Fn(&str) + Sync),
    ) -> Recorder<'a> {
        Recorder {
            account,
            directory,
            journal,
            steps: Vec::new(),
            written: 0,
            best: None,
            is_new: false,
            due: Duration::ZERO,
            failed: None,
            note,
        }
    }

    /// Takes in news. The search goes on whatever happens to the disk; what could not be written is tried again.
    pub fn take(&mut self, news: &News) {
        // What an earlier part found already is run again, but is no improvement.
        let known = self.account.past.cost();
        let new = news.improvements.iter().filter(|step| Some(step.cost) > known);
        self.steps.extend(new.map(|step| (step.seconds, step.paths, step.cost)));
        if let Some(found) = news.found.as_ref().filter(|found| Some(found.cost) >= known) {
            self.best = Some(found.clone());
            self.is_new = true;
        }
        match (self.record(news), self.failed.take()) {
            (Ok(()), None) => {}
            (Ok(()), Some(_)) => (self.note)("the search is recorded again"),
            (Err(error), before) => {
                if before.is_none() {
                    (self.note)(&format!("{error}; the search continues, but cannot be resumed from here"));
                }
                self.failed = Some(error);
            }
        }
    }

    fn record(&mut self, news: &News) -> Result<(), Error> {
        match &self.best {
            Some(best) if self.written < self.steps.len() => {
                self.journal.best(news.elapsed, &self.steps[self.written..], &best.input)?;
                self.written = self.steps.len();
            }
            _ => self.journal.alive(news.elapsed, news.paths)?,
        }
        if !news.over
            && self.is_new
            && news.elapsed >= self.due
            && let Some(best) = &self.best
        {
            let began = Instant::now();
            let account = &self.account;
            let result = account.so_far(best, news.paths, news.elapsed, &self.steps);
            save(self.directory, account.program, account.subject, &best.input, &result, None)?;
            self.is_new = false;
            // Long runs are not repeated all the time.
            self.due = news.elapsed + PARTIAL_EVERY.max(10 * began.elapsed());
        }
        Ok(())
    }

    /// Writes down that the session ended by itself.
    pub fn end(mut self, outcome: &Outcome) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let found = &outcome.found;
        self.journal.end(found.elapsed, found.paths, found.stop.name(), found.complete)
    }
}
