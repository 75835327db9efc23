//! How a search for coverage is getting on, on standard error: one line, redrawn in place on a terminal, or a line for
//! each step elsewhere.

use std::io::{IsTerminal as _, Write as _};

use pessimum_session::cover::Progress;

use crate::flags::SearchFlags;
use crate::output::{grouped, seconds};

/// The least time between two lines where they cannot be redrawn, in seconds.
const LINE_EVERY: f64 = 1.0;

/// Shows progress.
pub enum Display {
    /// Nothing.
    Silent,
    /// A new line whenever more is covered.
    Lines {
        /// Whether several sizes are searched.
        sized: bool,
        /// Whether there is more than one goal to count.
        counts: bool,
        /// When the last line was printed, and what was covered then.
        printed: Option<(f64, usize)>,
    },
    /// One line, redrawn in place.
    Live {
        /// Whether several sizes are searched.
        sized: bool,
        /// Whether there is more than one goal to count.
        counts: bool,
    },
}

impl Display {
    /// The display that fits the flags and standard error.
    pub fn new(flags: &SearchFlags, json: bool, sized: bool, counts: bool) -> Display {
        if flags.quiet || json {
            Display::Silent
        } else if std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb") {
            Display::Live { sized, counts }
        } else {
            Display::Lines { sized, counts, printed: None }
        }
    }

    /// Shows what is new.
    pub fn show(&mut self, progress: &Progress<'_>) {
        // A closed standard error is no reason to stop.
        match self {
            Display::Silent => {}
            Display::Live { sized, counts } => {
                let line = line(progress, *sized, *counts);
                let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
            }
            Display::Lines { sized, counts, printed } => {
                let (now, covered) = (progress.elapsed.as_secs_f64(), progress.covered);
                let due = printed.is_none_or(|(then, before)| covered > before && now >= then + LINE_EVERY);
                let last = progress.news.over && printed.is_none_or(|(_, before)| covered > before);
                if *counts && (due && covered > 0 || last) {
                    *printed = Some((now, covered));
                    let _ = writeln!(std::io::stderr(), "{}", line(progress, *sized, *counts));
                }
            }
        }
    }

    /// Leaves the terminal as it was.
    pub fn close(&mut self) {
        if let Display::Live { .. } = self {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(progress: &Progress<'_>, sized: bool, counts: bool) -> String {
    let mut line = format!("{}  ", seconds(progress.elapsed.as_secs_f64()));
    if let Some(size) = progress.size.filter(|_| sized) {
        line += &format!("n = {size}  ");
    }
    line += &format!("path {}", grouped(progress.paths));
    if counts {
        let (covered, goals) = (grouped(progress.covered as u64), grouped(progress.goals as u64));
        line += &format!("  covered {covered} of {goals}");
    }
    line
}
