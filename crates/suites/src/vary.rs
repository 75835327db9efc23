//! Tests that differ a little from given ones, for whoever looks for something other than coverage.

use crate::auto::changes::{Change, changed, possible};
use crate::library::{Library, Test};
use crate::sequence::{Step, steps_of, test_of, without};
use crate::settings::SuiteSettings;
use crate::trials::Trials;

/// Changes of tests as [`crate::search`] makes them by itself: of calls, their order and number, and values.
pub struct Variations<'l> {
    trials: Trials<'l>,
    changes: Vec<Change>,
    tests: Vec<Vec<Step>>,
}

impl<'l> Variations<'l> {
    /// Of these tests; the settings' seed fixes them. `constants` are values worth trying. Tests that the library does not permit
    /// are left out.
    pub fn new(
        library: &'l dyn Library,
        settings: &'l SuiteSettings,
        tests: &[Test],
        constants: impl IntoIterator<Item = u64>,
    ) -> Variations<'l> {
        let mut trials = Trials::new(library, settings, 1, 1);
        trials.pool.constants.extend(constants);
        let tests = tests.iter().filter_map(|test| steps_of(&mut trials.shapes, test)).collect();
        Variations { changes: possible(&trials), trials, tests }
    }

    /// The next one: mostly one change, seldom more. None if there is nothing to change.
    pub fn draw(&mut self) -> Option<Test> {
        if self.tests.is_empty() || self.changes.is_empty() {
            return None;
        }
        let random = &mut self.trials.random;
        let (one, other) = (random.index(self.tests.len()), random.index(self.tests.len()));
        let mut steps = self.tests[one].clone();
        loop {
            let change = self.changes[self.trials.random.index(self.changes.len())];
            steps = changed(&mut self.trials, change, &steps, &self.tests[other]);
            if self.trials.random.below(3) > 0 {
                break;
            }
        }
        (!steps.is_empty()).then(|| self.trials.repaired(steps).1)
    }

    /// Takes a test to the others.
    pub fn add(&mut self, test: &Test) {
        self.tests.extend(steps_of(&mut self.trials.shapes, test));
    }

    /// The test with as few calls as `holds` permits, which holds for the test itself.
    pub fn shortened<E>(&mut self, test: &Test, mut holds: impl FnMut(&Test) -> Result<bool, E>) -> Result<Test, E> {
        let Some(mut steps) = steps_of(&mut self.trials.shapes, test) else { return Ok(test.clone()) };
        let mut at = steps.len();
        while at > 0 {
            at = (at - 1).min(steps.len() - 1);
            let shorter = without(self.trials.library(), &steps, at);
            if !shorter.is_empty() && holds(&test_of(&shorter))? {
                steps = shorter;
                at = at.min(steps.len());
            }
        }
        Ok(test_of(&steps))
    }
}
