//! Runs tests within the budget and hands what they show to the archive.

use std::sync::Arc;
use std::time::Duration;

use pessimum_outcome::End;

use crate::archive::{Archive, Crash, GoalTable, News, Tried};
use crate::draw::Pool;
use crate::library::{Library, Ran, Test};
use crate::sequence::{Step, steps_of, test_of};
use crate::settings::{Progress, SuiteSettings};
use crate::shapes::Shapes;
use pessimum_search::budget::{Budget, Meter, Stop, Until};
use pessimum_search::random::Random;

/// What was counted beside executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteCounters {
    /// Concrete executions.
    pub concrete: u64,
    /// Symbolic paths.
    pub symbolic: u64,
    /// Flips of decisions that were asked for.
    pub flips: u64,
    /// Those that no input makes.
    pub infeasible: u64,
    /// Those that the solver gave up on.
    pub given_up: u64,
    /// Executions that ended at a limit, so that their test is not used.
    pub limits: u64,
    /// Executions that the program does not accept, or that asked for what is not supported.
    pub unaccepted: u64,
    /// Sequences that the library could not run or make a program of.
    pub refused: u64,
}

/// Propagations of the solver that take as long as an eighth of an execution of a short test.
const WORK: u64 = 500;

/// See the module.
pub struct Trials<'l> {
    pub shapes: Shapes<'l>,
    pub settings: &'l SuiteSettings,
    pub meter: Meter,
    pub random: Random,
    pub archive: Archive,
    pub pool: Pool,
    pub counters: SuiteCounters,
    pub progress: Vec<Progress>,
    /// Whether every goal that some test covers counts as covered, and not only those of one suite.
    pub by_archive: bool,
    /// What the slow layers of the solver have done, in propagations.
    pub work: u64,
    /// Why the library refused something first.
    pub refusal: Option<String>,
}

impl<'l> Trials<'l> {
    /// The clock starts now.
    pub fn new(library: &'l dyn Library, settings: &'l SuiteSettings, nearest: usize, corpus: usize) -> Trials<'l> {
        let table = GoalTable::new(&settings.goals, &library.places());
        let texts = library.texts().into_iter().map(|text| text.into_iter().map(u64::from).collect()).collect();
        Trials {
            shapes: Shapes::new(library),
            settings,
            meter: Meter::new(settings.budget, settings.cancel.clone()),
            random: Random::new(settings.seed),
            archive: Archive::new(table, nearest, corpus),
            pool: Pool { texts, ..Pool::default() },
            counters: SuiteCounters::default(),
            progress: Vec::new(),
            by_archive: true,
            work: 0,
            refusal: None,
        }
    }

    /// The library.
    pub fn library(&self) -> &'l dyn Library {
        self.shapes.library()
    }

    /// Whether the search is over, and why.
    pub fn stop(&mut self) -> Option<Stop> {
        if self.by_archive && self.archive.open() == 0 {
            self.meter.stop(Stop::Covered);
        }
        self.meter.look(0)
    }

    /// Whether nothing but time is limited, so that the clock may have a say in what is done.
    pub fn is_timed(&self) -> bool {
        self.settings.budget.is_time_alone()
    }

    /// What has been spent so far, for comparing what different things cost: microseconds where only time is limited,
    /// otherwise executions, questions to the solver at an eighth of one, and its work.
    pub fn effort(&self) -> u64 {
        match self.is_timed() {
            true => self.meter.elapsed().as_micros() as u64,
            false => 8 * self.meter.paths + self.counters.flips + self.work / WORK,
        }
    }

    /// All that may be spent, in the same unit, as far as it is limited.
    pub fn most_effort(&self) -> Option<u64> {
        match (self.is_timed(), self.settings.budget) {
            (true, Budget { time: Some(time), .. }) => Some(time.as_micros() as u64),
            (false, Budget { paths: Some(paths), .. }) => Some(paths.saturating_mul(8)),
            _ => None,
        }
    }

    /// The time of each slow layer of the solver for one question, where nothing but time is limited: the same share of the
    /// budget as in the published hybrid (a second of 10 minutes). On a busy machine, circuits that take a tenth of a
    /// second otherwise took most of a budget of 3 s: 69 tests of fractions were run in all.
    pub fn question_time(&self) -> Option<Duration> {
        self.settings.budget.time.filter(|_| self.is_timed()).map(|time| time / 600)
    }

    /// This share of the time, from 0 to 1, where nothing but time is limited.
    pub fn share_of_time(&self, share: f64) -> Option<Duration> {
        let time = self.settings.budget.time.filter(|_| self.is_timed())?;
        Some(time.mul_f64(share.clamp(0.0, 1.0)))
    }

    /// What is left of the budget.
    pub fn remaining(&self) -> Budget {
        self.meter.remaining()
    }

    /// Runs a test. None if the budget is spent or the library refuses it.
    pub fn run(&mut self, steps: Vec<Step>) -> Option<(Arc<Tried>, News)> {
        if steps.is_empty() || self.stop().is_some() {
            return None;
        }
        self.meter.add_path();
        self.counters.concrete += 1;
        self.observe(steps)
    }

    /// Runs a test that has been counted already, as a symbolic path.
    pub fn observe(&mut self, steps: Vec<Step>) -> Option<(Arc<Tried>, News)> {
        let until = self.meter.until();
        self.observe_while(steps, &until)
    }

    /// Runs what earlier parts of the search found.
    pub fn recall(&mut self) {
        let until = Until { moment: None, cancel: self.settings.cancel.clone() };
        for test in &self.settings.known {
            if let Some(steps) = steps_of(&mut self.shapes, test) {
                self.observe_while(steps, &until);
            }
        }
    }

    fn observe_while(&mut self, steps: Vec<Step>, until: &Until) -> Option<(Arc<Tried>, News)> {
        let (steps, test) = self.repaired(steps);
        let ran = match self.library().run_while(&test, &self.settings.limits, &mut || until.go_on()) {
            Ok(ran) => ran,
            Err(why) => {
                self.refuse(why);
                return None;
            }
        };
        self.meter.steps += ran.observation.costs.instructions;
        let (tried, news) = self.take_in(steps, &ran);
        Some((tried, news))
    }

    /// These steps with numbers that are arguments of their functions ([`Library::repair`]), and as a test.
    pub fn repaired(&mut self, steps: Vec<Step>) -> (Vec<Step>, Test) {
        let mut test = test_of(&steps);
        let before = test.input.clone();
        self.library().repair(&mut test);
        if test.input == before {
            return (steps, test);
        }
        (steps_of(&mut self.shapes, &test).unwrap_or(steps), test)
    }

    /// Notes that the library could not do something.
    pub fn refuse(&mut self, why: String) {
        self.counters.refused += 1;
        self.refusal.get_or_insert(why);
    }

    fn take_in(&mut self, steps: Vec<Step>, ran: &Ran) -> (Arc<Tried>, News) {
        let tried = Arc::new(Tried::new(&self.archive.table, steps, ran));
        if !tried.is_usable() {
            match tried.end {
                End::Limit(_) => self.counters.limits += 1,
                _ => self.counters.unaccepted += 1,
            }
        }
        let mut news = self.archive.see(&tried, &ran.observation.arms);
        news.crashes = u32::from(self.keep_crash(&tried));
        if news.goals > 0 || news.crashes > 0 {
            self.settings.found.tell(&test_of(&tried.steps));
        }
        if news.goals > 0 && self.by_archive {
            self.advance(self.archive.covered());
        }
        (tried, news)
    }

    /// Keeps the shortest test for each place of a crash. Returns whether the place is new.
    fn keep_crash(&mut self, tried: &Arc<Tried>) -> bool {
        let (true, Some(function)) = (tried.end.is_crash(), tried.failed()) else { return false };
        let place = self.library().crash_place(&test_of(&tried.steps), &self.settings.limits);
        let crash = Crash { end: tried.end, function, place };
        let known = self.archive.crashes.get(&crash);
        let (is_new, is_shorter) = (known.is_none(), known.is_some_and(|known| tried.rank() < known.rank()));
        if is_new || is_shorter {
            self.archive.crashes.insert(crash, Arc::clone(tried));
        }
        is_new
    }

    /// Notes that this many goals are covered now.
    pub fn advance(&mut self, covered: usize) {
        let progress = Progress {
            seconds: self.meter.elapsed().as_secs_f64(),
            runs: self.meter.paths,
            covered,
            goals: self.archive.table.len(),
        };
        self.progress.push(progress);
        self.settings.listener.tell(&progress);
    }
}
