//! How a search for a suite is getting on, on standard error: one line, redrawn in place on a terminal, or a line for each
//! second in which more was covered elsewhere.

use std::io::{IsTerminal as _, Write as _};

use pessimum_suites::Progress;

use crate::flags::SearchFlags;
use crate::output::{grouped, seconds};

/// The least time between two lines where they cannot be redrawn, in seconds.
const LINE_EVERY: f64 = 1.0;

/// Shows progress.
pub enum Display {
    /// Nothing.
    Silent,
    /// New lines, and when the last one was printed.
    Lines(Option<f64>),
    /// One line, redrawn in place.
    Live,
}

impl Display {
    /// The display that fits the flags and standard error.
    pub fn new(flags: &SearchFlags, json: bool) -> Display {
        if flags.quiet || json {
            Display::Silent
        } else if std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb") {
            Display::Live
        } else {
            Display::Lines(None)
        }
    }

    /// Shows that more is covered.
    pub fn show(&mut self, progress: &Progress) {
        // A closed standard error is no reason to stop.
        match self {
            Display::Silent => {}
            Display::Live => {
                let _ = write!(std::io::stderr(), "\r\x1b[K{}", line(progress));
            }
            Display::Lines(last) => {
                if last.is_none_or(|last| progress.seconds >= last + LINE_EVERY) {
                    *last = Some(progress.seconds);
                    let _ = writeln!(std::io::stderr(), "{}", line(progress));
                }
            }
        }
    }

    /// Leaves the terminal as it was.
    pub fn close(&mut self) {
        if let Display::Live = self {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(progress: &Progress) -> String {
    let (covered, goals) = (grouped(progress.covered as u64), grouped(progress.goals as u64));
    format!("{}  run {}  covered {covered} of {goals}", seconds(progress.seconds), grouped(progress.runs))
}
