//! Several workers on one search, each with its own kernel, from small sizes on. They exchange inputs and what they have
//! learnt at smaller sizes.

use super::engine::Engine;
use super::policy::Policy;
use super::{Auto, Lessons};
use crate::budget::Budget;
use crate::search::{Finished, Search, SearchResult, Settings};
use pessimum_term::Witness;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// What workers tell each other.
#[derive(Clone, Debug)]
enum News {
    /// An input that costs more than any before.
    Better(Witness),
    /// Policies that were trained at a smaller size.
    Trained(Vec<Policy>),
}

/// Connects a worker with all others; a lone worker has nobody to write to.
#[derive(Default)]
pub struct Mail {
    inbox: Option<Receiver<News>>,
    others: Vec<Sender<News>>,
    /// The best that was sent or received: whether it ended as it should, and its cost.
    told: (bool, u64),
    /// Uses of operators since the last exchange.
    uses: u32,
}

impl Mail {
    /// One per worker.
    fn between(workers: usize) -> Vec<Mail> {
        let (senders, inboxes): (Vec<_>, Vec<_>) = (0..workers).map(|_| channel()).unzip();
        let others = |me: usize| {
            let not_me = senders.iter().enumerate().filter(move |(index, _)| *index != me);
            not_me.map(|(_, sender): (usize, &Sender<News>)| sender.clone()).collect()
        };
        let mail = |(me, inbox)| Mail { inbox: Some(inbox), others: others(me), told: (false, 0), uses: 0 };
        inboxes.into_iter().enumerate().map(mail).collect()
    }

    /// To be called after each use of an operator: every so often sends a better input to the others and takes in
    /// theirs.
    pub fn exchange(&mut self, auto: &Auto, search: &mut Search<'_>, engine: &mut Engine) {
        self.uses += 1;
        if self.others.is_empty() || self.uses < engine.settings.exchange_every {
            return;
        }
        self.uses = 0;
        if let (Some(rank), Some(best)) = (search.best_rank(), search.best()) {
            self.tell(rank, &best.witness);
        }
        while let Some(news) = self.heard() {
            match news {
                News::Better(input) => engine.offer_input(search, &input),
                News::Trained(policies) => auto.offer_policies(search, engine, policies.into_iter()),
            }
        }
        // Whatever was received is already known to the others.
        self.told = self.told.max(search.best_rank().unwrap_or_default());
    }

    /// Tells the others, unless they know an input that is as good.
    fn tell(&mut self, rank: (bool, u64), input: &Witness) {
        if rank > self.told {
            self.told = rank;
            self.send(&News::Better(input.clone()));
        }
    }

    /// Tells the others what was trained.
    pub fn teach(&self, policies: &[Policy]) {
        if !policies.is_empty() {
            self.send(&News::Trained(policies.to_vec()));
        }
    }

    fn send(&self, news: &News) {
        for other in &self.others {
            // A worker that has finished no longer reads.
            let _ = other.send(news.clone());
        }
    }

    /// The next news from another worker.
    fn heard(&self) -> Option<News> {
        self.inbox.as_ref()?.try_recv().ok()
    }
}

/// Continues a search that has begun, on this thread and `threads - 1` more.
pub fn search(auto: &Auto, search: &mut Search<'_>, engine: &mut Engine, given: &Lessons, inputs: Vec<Witness>) {
    let workers = auto.threads.max(1);
    let mut mails = Mail::between(workers);
    let mut own = mails.remove(0);
    let mails: Vec<Mutex<Option<Mail>>> = mails.into_iter().map(|mail| Mutex::new(Some(mail))).collect();
    let others = |search: &mut Search<'_>, number: usize| {
        let mut mail = mails[number].lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        let mut engine = auto.engine(search);
        let inputs = auto.first_inputs(search);
        auto.work(search, &mut engine, given, inputs, &mut mail);
    };
    spread(search, workers, others, |search| auto.work(search, engine, given, inputs, &mut own));
}

/// Lets this thread continue a search and `workers - 1` others work on searches of their own, which have numbers from 0
/// on; then takes in what they found. Each gets an equal share of the remaining paths and steps.
pub fn spread<'p, T>(
    search: &mut Search<'p>,
    workers: usize,
    others: impl Fn(&mut Search<'p>, usize) + Sync,
    own: impl FnOnce(&mut Search<'p>) -> T,
) -> T {
    let budget = share(&search.kernel.meter.remaining(), workers as u64);
    let settings: Vec<Settings> = (1..workers).map(|_| search.worker_settings(budget, workers as u64)).collect();
    (1..workers).for_each(|_| search.kernel.meter.reserve(&budget));
    let (program, family) = (search.kernel.program(), search.family());
    let (done, results): (T, Vec<SearchResult>) = std::thread::scope(|scope| {
        let others = &others;
        let work = |(number, settings): (usize, Settings)| {
            scope.spawn(move || {
                let mut search = Search::new(program, settings);
                if let Some((family, size)) = family {
                    search = search.with_family(family, size);
                }
                others(&mut search, number);
                search.finish_worker(Finished::Partly)
            })
        };
        let handles: Vec<_> = settings.into_iter().enumerate().map(work).collect();
        let done = own(search);
        let join = |handle: std::thread::ScopedJoinHandle<'_, SearchResult>| match handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        (done, handles.into_iter().map(join).collect())
    });
    (1..workers).for_each(|_| search.kernel.meter.give_back(&budget));
    for result in results {
        search.join(result);
    }
    done
}

/// What each worker may take. Time passes for all of them alike.
fn share(left: &Budget, workers: u64) -> Budget {
    let part = |left: Option<u64>| left.map(|left| left / workers);
    Budget { paths: part(left.paths), steps: part(left.steps), time: left.time }
}

#[cfg(test)]
mod tests {
    use super::super::{Schema, Style};
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_better_is_told_to_all_others_once() {
        let mut mails = Mail::between(3);
        let (first, second) = (Witness::new(vec![1]), Witness::new(vec![2]));
        mails[0].tell((false, 5), &first);
        mails[0].tell((false, 5), &second);
        mails[0].tell((false, 4), &second);
        mails[0].tell((true, 4), &second);
        mails[0].teach(&[]);
        mails[0].teach(&[Policy::new(Schema::Site, Style::True)]);
        for mail in &mails[1..] {
            for told in [&first, &second] {
                assert!(matches!(mail.heard(), Some(News::Better(input)) if input == *told));
            }
            assert!(matches!(mail.heard(), Some(News::Trained(policies)) if policies.len() == 1));
            assert!(mail.heard().is_none());
        }
        assert!(mails[0].heard().is_none());
    }

    #[test]
    fn a_worker_that_is_alone_or_whose_peers_have_finished_continues() {
        let mut mails = Mail::between(2);
        drop(mails.pop());
        mails[0].tell((true, 5), &Witness::default());
        assert!(mails[0].heard().is_none());
        assert!(Mail::default().heard().is_none());
        assert!(Mail::between(1)[0].others.is_empty());
    }

    #[test]
    fn paths_and_steps_are_shared_and_time_is_not() {
        let left = Budget { paths: Some(10), steps: None, time: Some(Duration::from_secs(1)) };
        assert_eq!(share(&left, 3), Budget { paths: Some(3), ..left });
    }
}
