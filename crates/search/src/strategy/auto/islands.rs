//! Several workers on one search, each with a kernel of its own. What travels is an input: the receiver follows it.

use super::Auto;
use super::engine::Engine;
use super::epochs::Epochs;
use super::policy::Policy;
use crate::budget::Budget;
use crate::search::{Finished, Search, SearchResult, Settings};
use pessimum_term::Witness;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Uses of operators between two looks into the letter box.
const EXCHANGE_EVERY: u32 = 32;

/// What a worker writes to and reads from.
pub struct Mail {
    inbox: Receiver<Witness>,
    others: Vec<Sender<Witness>>,
    /// The best cost told.
    told: u64,
    steps: u32,
}

impl Mail {
    /// One per worker, each connected with all others.
    fn between(workers: usize) -> Vec<Mail> {
        let (senders, inboxes): (Vec<_>, Vec<_>) = (0..workers).map(|_| channel()).unzip();
        let others = |me: usize| {
            let not_me = senders.iter().enumerate().filter(move |(index, _)| *index != me);
            not_me.map(|(_, sender): (usize, &Sender<Witness>)| sender.clone()).collect()
        };
        inboxes
            .into_iter()
            .enumerate()
            .map(|(me, inbox)| Mail { inbox, others: others(me), told: 0, steps: 0 })
            .collect()
    }

    /// Tells a better input to the others and takes in theirs.
    pub fn exchange(&mut self, search: &mut Search<'_>, engine: &mut Engine) {
        self.steps += 1;
        if self.steps < EXCHANGE_EVERY {
            return;
        }
        self.steps = 0;
        if let (Some(cost), Some(best)) = (search.best_cost(), search.best())
            && cost > self.told
        {
            self.told = cost;
            for other in &self.others {
                // A worker that is done no longer reads.
                let _ = other.send(best.witness.clone());
            }
        }
        while let Ok(input) = self.inbox.try_recv() {
            if search.stop().is_some() {
                return;
            }
            if let Some(cost) = engine.follow(search, &input) {
                self.told = self.told.max(cost);
                engine.population.offer(&engine.child, cost);
            }
        }
    }
}

/// Goes on with a search that has begun, on this thread and `threads - 1` more. Each gets an equal share of the paths
/// and steps that are left.
pub fn search(auto: &Auto, search: &mut Search<'_>, engine: &mut Engine, policies: &[Policy]) {
    let workers = auto.threads.max(1);
    let left = search.kernel.meter.remaining();
    let share = |left: Option<u64>| left.map(|left| left / workers as u64);
    let budget = Budget { paths: share(left.paths), steps: share(left.steps), time: left.time };
    let settings: Vec<Settings> = (1..workers).map(|_| search.worker_settings(budget)).collect();
    (1..workers).for_each(|_| search.kernel.meter.reserve(&budget));
    let (program, family) = (search.kernel.program(), search.family());
    let mut mails = Mail::between(workers);
    let mut own = mails.remove(0);
    let results: Vec<SearchResult> = std::thread::scope(|scope| {
        let handles: Vec<_> = mails
            .into_iter()
            .zip(settings)
            .map(|(mut mail, settings)| {
                scope.spawn(move || {
                    let mut search = Search::new(program, settings);
                    if let Some((family, size)) = family {
                        search = search.with_family(family, size);
                    }
                    let mut engine = auto.engine(&mut search);
                    auto.first_policies(&mut search, &mut engine, policies);
                    let mut epochs = Epochs::default();
                    while search.stop().is_none() && engine.step(&mut search) {
                        epochs.step(&mut search, &mut engine);
                        mail.exchange(&mut search, &mut engine);
                    }
                    search.finish_worker(Finished::Partly)
                })
            })
            .collect();
        let mut epochs = Epochs::default();
        while search.stop().is_none() && engine.step(search) {
            epochs.step(search, engine);
            own.exchange(search, engine);
        }
        let join = |handle: std::thread::ScopedJoinHandle<'_, SearchResult>| match handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().map(join).collect()
    });
    (1..workers).for_each(|_| search.kernel.meter.give_back(&budget));
    for result in results {
        search.join(result);
    }
}
