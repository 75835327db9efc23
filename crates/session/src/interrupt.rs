//! Ctrl-C, SIGTERM and SIGHUP: the first one ends the work in progress and keeps the best so far, the second one ends the process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pessimum_search::budget::{Cancel, Until};

use crate::working_time;

/// Tells searches about Ctrl-C. There is one handler for the whole process.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    heard: bool,
    searches: Vec<Cancel>,
}

impl Interrupt {
    /// Starts listening.
    pub fn listen() -> Result<Interrupt, ctrlc::Error> {
        let interrupt = Interrupt::default();
        let handler = {
            let interrupt = interrupt.clone();
            move || {
                let mut state = interrupt.lock();
                if state.heard {
                    // 128 + SIGINT, as shells report it.
                    std::process::exit(130);
                }
                state.heard = true;
                state.searches.iter().for_each(Cancel::cancel);
            }
        };
        ctrlc::set_handler(handler)?;
        Ok(interrupt)
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_heard(&self) -> bool {
        self.lock().heard
    }

    /// A flag for one search, raised by Ctrl-C. The search may raise it itself without ending others.
    pub fn cancel(&self) -> Cancel {
        let cancel = Cancel::default();
        let mut state = self.lock();
        if state.heard {
            cancel.cancel();
        }
        state.searches.push(cancel.clone());
        cancel
    }

    /// How long a single run of an input of so many numbers may take: its part of this time, or until Ctrl-C.
    pub fn until(&self, time: Option<Duration>, inputs: usize) -> Until {
        let moment = time.and_then(|time| Instant::now().checked_add(working_time(time, inputs)));
        Until { moment, cancel: self.cancel() }
    }

    /// Locks even after a panic, which leaves nothing here half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
