//! Runs that hang: nothing is heard from them for so long that they are ended. What is counted says nothing of them, so what is
//! kept is where they were.
//!
//! Only C code is silent: Python gives a sign of life all the time. Which input hangs depends on the clock by its nature; that it
//! did is remembered, so that the same process does not wait for the same run twice.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pessimum_outcome::Costs;
use pessimum_search::budget::Until;
use pessimum_term::Witness;

/// How long a search waits for a run, if its time is limited: this part of it, but at least so long.
const PART: u32 = 5;
const LEAST: Duration = Duration::from_secs(2);

/// Once a search knows an input that hangs, others are waited for this part of the time: they are no worse.
const ANOTHER: u32 = 4;

/// How long runs of one file are waited for while it is being searched.
#[derive(Debug, Default)]
pub struct Patience {
    /// Milliseconds; 0 where nothing is being searched.
    searching: AtomicU64,
    /// The end of the search.
    until: Mutex<Option<Until>>,
}

impl Patience {
    /// A search begins, which has this much time and is over then.
    pub fn search(&self, usual: Duration, time: Option<Duration>, until: Until) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        let patience = time.map_or(usual, |time| usual.min((time / PART).max(LEAST)));
        self.searching.store(patience.as_millis().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Whether a silent run is waited for although what it is part of (the random inputs, say) has had its share of the time: the first
    /// one that hangs is the finding of a search, and each part by itself may be too short to tell.
    pub fn waits_for_first(&self, hangs: &Hangs) -> bool {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.as_ref().is_some_and(Until::go_on) && hangs.known().is_empty()
    }

    /// How long a run is waited for, and whether that is as long as any is.
    pub fn of_run(&self, usual: Duration, hangs: &Hangs) -> (Duration, bool) {
        match self.searching.load(Ordering::Relaxed) {
            0 => (usual, true),
            patience if hangs.known().is_empty() => (Duration::from_millis(patience), true),
            patience => (Duration::from_millis(patience) / ANOTHER, false),
        }
    }
}

/// A run that hung.
#[derive(Clone, Debug)]
pub struct Hang {
    pub input: Witness,
    /// What it had cost when it was last heard of.
    pub costs: Costs,
    /// How long nothing was heard of it, and in which function it was.
    pub why: String,
    /// The line of the user's own that it was on.
    pub at: Option<String>,
}

/// The runs of one program that hung.
#[derive(Debug, Default)]
pub struct Hangs(Mutex<Vec<Hang>>);

impl Hangs {
    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Hang>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run of this input, if it hung.
    pub fn of(&self, input: &Witness) -> Option<Hang> {
        self.known().iter().find(|hang| hang.input == *input).cloned()
    }

    pub fn add(&self, hang: Hang) {
        self.known().push(hang);
    }
}

/// A call that had not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub function: String,
}

/// What `faulthandler` writes: `  File "/home/a/sort.py", line 12 in sort`, innermost first. Our own code is left out.
pub fn places(text: &str) -> Vec<Place> {
    let place = |line: &str| {
        let (file, rest) = line.trim_start().strip_prefix("File \"")?.rsplit_once("\", line ")?;
        let (line, function) = rest.split_once(" in ")?;
        let line = line.parse().ok()?;
        Some(Place { file: file.to_string(), line, function: function.trim_end().to_string() })
    };
    text.lines().filter_map(place).filter(|place| !place.file.starts_with("<pessimum>")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_a_stack_are_read() {
        let text = "Current thread 0x00007f (most recent call first):\n  File \"/lib/re.py\", line 190 in match\n  \
                    File \"/a \"b\", line 2/c.py\", line 4 in check\n  File \"<pessimum>/main.py\", line 9 in run\n";
        let read: Vec<_> = places(text).into_iter().map(|place| (place.file, place.line, place.function)).collect();
        let expected = [("/lib/re.py", 190, "match"), ("/a \"b\", line 2/c.py", 4, "check")];
        assert_eq!(read, expected.map(|(file, line, name)| (file.to_string(), line, name.to_string())));
        assert!(places("").is_empty());
    }

    #[test]
    fn a_second_hang_is_waited_for_a_shorter_time() {
        let (patience, hangs, usual) = (Patience::default(), Hangs::default(), Duration::from_secs(10));
        let seconds = |patience: &Patience, hangs: &Hangs| patience.of_run(usual, hangs).0.as_secs_f64();
        assert_eq!(seconds(&patience, &hangs), 10.0);
        patience.search(usual, Some(Duration::from_secs(30)), Until::default());
        assert_eq!(seconds(&patience, &hangs), 6.0);
        patience.search(usual, Some(Duration::from_secs(1)), Until::default());
        assert_eq!(seconds(&patience, &hangs), 2.0);
        patience.search(usual, None, Until::default());
        assert!(patience.waits_for_first(&hangs));
        hangs.add(Hang { input: Witness::new(vec![1]), costs: Costs::default(), why: String::new(), at: None });
        assert_eq!(patience.of_run(usual, &hangs), (Duration::from_millis(2500), false));
        assert!(!patience.waits_for_first(&hangs));
        assert!(hangs.of(&Witness::new(vec![1])).is_some() && hangs.of(&Witness::new(vec![2])).is_none());
    }
}
