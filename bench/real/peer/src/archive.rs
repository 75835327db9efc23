//! What makes it PerfFuzz: the highest count of every edge, and who holds it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::rc::Rc;

use libafl::Error;
use libafl::corpus::{Corpus, CorpusId};
use libafl::executors::ExitKind;
use libafl::feedbacks::{Feedback, StateInitializer};
use libafl::schedulers::Scheduler;
use libafl::state::{HasCorpus, HasRand};
use libafl_bolts::Named;
use libafl_bolts::rands::Rand;

use crate::target::processor_time;

/// The input that holds the highest count of a slot.
#[derive(Clone, Default)]
struct Champion {
    count: u32,
    /// Known once the corpus has taken the input.
    id: Option<CorpusId>,
    total: u32,
    seconds: f64,
    input: Rc<[u8]>,
}

/// The highest count of each slot (the sum of all edges, then each edge) over all inputs so far.
pub struct Archive {
    champions: Vec<Champion>,
    /// Slots that the last run has raised.
    raised: Vec<usize>,
}

impl Archive {
    /// An archive for programs with so many slots.
    pub fn new(slots: usize) -> Archive {
        Archive { champions: vec![Champion::default(); slots], raised: Vec::new() }
    }

    /// Takes note of a run. The total is reported at once, so that it is known even if the next run crashes.
    pub fn see(&mut self, counts: &[u32], input: &[u8]) {
        self.raised.clear();
        self.raised.extend((0..counts.len()).filter(|&slot| counts[slot] > self.champions[slot].count));
        if self.raised.is_empty() {
            return;
        }
        let (total, seconds, input): (u32, f64, Rc<[u8]>) = (counts[0], processor_time(), input.into());
        for &slot in &self.raised {
            let input = Rc::clone(&input);
            self.champions[slot] = Champion { count: counts[slot], id: None, total, seconds, input };
        }
        if self.raised[0] == 0 {
            print(&self.champions[0]);
        }
    }

    /// Prints the inputs that hold any highest count, each once, those with the highest total first.
    pub fn print_champions(&self) {
        let mut different: BTreeMap<&[u8], &Champion> = BTreeMap::new();
        for champion in self.champions.iter().filter(|champion| champion.count > 0) {
            different.insert(&champion.input, champion);
        }
        let mut different: Vec<&Champion> = different.into_values().collect();
        different.sort_by_key(|champion| std::cmp::Reverse(champion.total));
        different.into_iter().for_each(print);
    }
}

fn print(champion: &Champion) {
    let hex: String = champion.input.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut out = std::io::stdout().lock();
    // Whoever started this may have gone; then nobody is interested.
    let _ = writeln!(out, "input {:.4} {} {hex}", champion.seconds, champion.total);
    let _ = out.flush();
}

/// An input is kept if it raises the highest count of a slot.
pub struct HighestCounts {
    archive: Rc<RefCell<Archive>>,
    name: Cow<'static, str>,
}

impl HighestCounts {
    /// By this archive, which has seen the run already.
    pub fn new(archive: Rc<RefCell<Archive>>) -> HighestCounts {
        HighestCounts { archive, name: Cow::Borrowed("highest counts") }
    }
}

impl Named for HighestCounts {
    fn name(&self) -> &Cow<'static, str> {
        &self.name
    }
}

impl<S> StateInitializer<S> for HighestCounts {}

impl<EM, I, OT, S> Feedback<EM, I, OT, S> for HighestCounts {
    fn is_interesting(&mut self, _: &mut S, _: &mut EM, _: &I, _: &OT, _: &ExitKind) -> Result<bool, Error> {
        Ok(!self.archive.borrow().raised.is_empty())
    }
}

/// Chooses an input that holds a highest count; one time in sixteen, any input of the corpus.
pub struct Favoured {
    archive: Rc<RefCell<Archive>>,
}

impl Favoured {
    /// By this archive.
    pub fn new(archive: Rc<RefCell<Archive>>) -> Favoured {
        Favoured { archive }
    }
}

impl<I, S: HasCorpus<I> + HasRand> Scheduler<I, S> for Favoured {
    fn on_add(&mut self, _: &mut S, id: CorpusId) -> Result<(), Error> {
        let archive = &mut *self.archive.borrow_mut();
        for &slot in &archive.raised {
            archive.champions[slot].id = Some(id);
        }
        Ok(())
    }

    fn next(&mut self, state: &mut S) -> Result<CorpusId, Error> {
        let archive = self.archive.borrow();
        let mut favoured: Vec<CorpusId> = archive.champions.iter().filter_map(|champion| champion.id).collect();
        favoured.sort_unstable();
        favoured.dedup();
        let any = favoured.is_empty() || state.rand_mut().below(const { NonZeroUsize::new(16).unwrap() }) == 0;
        let number = NonZeroUsize::new(if any { state.corpus().count() } else { favoured.len() });
        let number = number.ok_or_else(|| Error::empty("no input was kept"))?;
        let chosen = state.rand_mut().below(number);
        let id = if any { state.corpus().nth(chosen) } else { favoured[chosen] };
        drop(archive);
        self.set_current_scheduled(state, Some(id))?;
        Ok(id)
    }

    fn set_current_scheduled(&mut self, state: &mut S, next: Option<CorpusId>) -> Result<(), Error> {
        *state.corpus_mut().current_mut() = next;
        Ok(())
    }
}
