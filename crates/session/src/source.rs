//! A plan with the code that it names, from which programs of any size are made.

mod python;
mod wasm;

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pessimum_input::{InputPlan, Length};
use pessimum_outcome::CostModel;
use pessimum_search::program::{Family, PathLimits, Program};
use pessimum_wasm::Subject;

use crate::language::Language;
use crate::plan::SubjectPlan;
use crate::{At, Code, Error, Target};

pub use python::{PythonCode, RunPython, python_module};
pub use wasm::WasmSource;

/// Everything that a plan names, read and parsed once. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source {
    plan: SubjectPlan,
    code: Arc<dyn Code>,
    opened: Instant,
}

impl Source {
    /// Checks a plan against its module and the copied files, which are given in the order of the plan.
    pub fn new(plan: SubjectPlan, module: Vec<u8>, copies: Vec<Vec<u8>>) -> Result<Source, Error> {
        let opened = Instant::now();
        let code = Arc::new(WasmSource::new(&plan, module, copies)?);
        Ok(Source { plan, code, opened })
    }

    /// The code of any front end, which has just been opened.
    pub fn of(plan: SubjectPlan, code: impl Code) -> Source {
        Source { plan, code: Arc::new(code), opened: Instant::now() }
    }

    /// The same, counting what this cost needs: front ends that count some costs only at a price count them only if
    /// asked.
    pub fn counting(mut self, cost: CostModel) -> Source {
        if let Some(code) = self.code.counting(cost) {
            self.code = code;
        }
        self
    }

    /// The plan.
    pub fn plan(&self) -> &SubjectPlan {
        &self.plan
    }

    /// When its bytes had been read, or compiled: what a command does from here on is within its time.
    pub fn opened(&self) -> Instant {
        self.opened
    }

    /// Its language.
    pub fn language(&self) -> &'static Language {
        self.code.language()
    }

    /// Its code as that of this front end, for what only that one has; none if it is none.
    pub fn code<T: Code>(&self) -> Option<&T> {
        (&*self.code as &dyn Any).downcast_ref()
    }

    /// What is saved with a result so that it can be run again, by the names of the files, the largest first.
    pub fn saved(&self) -> Vec<(String, &[u8])> {
        self.code.saved()
    }

    /// Whether programs may ask for their size or for input while they run.
    pub fn may_ask(&self) -> bool {
        self.code.may_ask()
    }

    /// The same program at another size.
    pub fn at_size(&self, size: Option<u64>) -> Source {
        let mut other = self.clone();
        other.plan.size = size;
        other
    }

    /// The same program with another number of bytes on standard input.
    pub fn with_stdin(&self, text: &str) -> Result<Source, Error> {
        let mut other = self.clone();
        other.code = self.code.with_stdin(Length::parse(text).at("--stdin")?)?;
        other.plan.stdin = Some(text.to_string());
        Ok(other)
    }

    /// The module with its input laid out for a size, for what only WebAssembly has.
    pub fn subject(&self, size: Option<u64>) -> Result<Subject, Error> {
        match self.code::<WasmSource>() {
            Some(source) => source.subject(&self.plan, size),
            None => Err(Error::new(format!("{}: only WebAssembly has what this needs", self.plan.module.name))),
        }
    }

    /// What the input consists of at a size.
    pub fn input(&self, size: Option<u64>) -> Result<InputPlan, Error> {
        self.code.input(&self.plan, size)
    }

    /// The program at a size, as a search sees it.
    pub fn program(&self, size: Option<u64>) -> Result<Box<Target>, Error> {
        let mut name = self.plan.module.name.clone();
        if let Some(start) = self.plan.start.text() {
            name += &format!(" {start}");
        }
        if let Some(size) = size {
            name += &format!(" at {size}");
        }
        self.code.program(name, &self.plan, size)
    }

    /// The program at every size.
    pub fn family(&self) -> impl Family + '_ {
        Sizes(self)
    }

    /// Where a run is cut.
    pub fn limits(&self) -> PathLimits {
        self.plan.limits.into()
    }

    /// The limits of a single concrete run in a session that has this much time: a long run must not take all of it.
    pub fn affordable(&self, time: Option<Duration>) -> PathLimits {
        self.language().pace.affordable(self.limits(), time)
    }
}

/// The program at every size.
struct Sizes<'a>(&'a Source);

impl Family for Sizes<'_> {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        match self.0.program(Some(u64::from(size))) {
            Ok(program) => Ok(program),
            Err(error) => Err(error.to_string()),
        }
    }
}
