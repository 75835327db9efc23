//! How long work may go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that ends work from outside (Ctrl-C, another worker that has finished).
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Raises the flag; work ends at its next check.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long a piece of work may go on: up to a moment, until somebody raises a flag, or to its end.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// The moment; none for no limit.
    pub moment: Option<Instant>,
    /// The flag.
    pub cancel: Cancel,
}

impl Until {
    /// Up to this moment, whatever flags are raised.
    pub fn moment(moment: Option<Instant>) -> Until {
        Until { moment, cancel: Cancel::default() }
    }

    /// Until the flag is raised. If it is raised already, the work still gets this long: without it the caller would
    /// have nothing to show.
    pub fn cancelled(cancel: &Cancel, grace: Duration) -> Until {
        match cancel.is_cancelled() {
            true => Until::moment(Instant::now().checked_add(grace)),
            false => Until { moment: None, cancel: cancel.clone() },
        }
    }

    /// The same, but no longer than up to this moment.
    pub fn and_moment(mut self, moment: Option<Instant>) -> Until {
        self.moment = self.moment.into_iter().chain(moment).min();
        self
    }

    /// Whether to go on.
    pub fn go_on(&self) -> bool {
        !self.cancel.is_cancelled() && self.moment.is_none_or(|moment| Instant::now() < moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_its_moment_or_with_its_flag() {
        assert!(Until::default().go_on());
        let now = Instant::now();
        assert!(!Until::moment(Some(now)).go_on());
        let cancel = Cancel::default();
        let until = Until::cancelled(&cancel, Duration::from_secs(60));
        assert!(until.go_on() && !until.clone().and_moment(Some(now)).go_on());
        cancel.cancel();
        assert!(!until.go_on());
        assert!(
            Until::cancelled(&cancel, Duration::from_secs(60)).go_on(),
            "what begins after the flag gets its grace"
        );
        assert!(!Until::cancelled(&cancel, Duration::ZERO).go_on());
    }
}
