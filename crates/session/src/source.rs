//! A plan with the code that it names, from which programs of any size are made.

mod python;
mod wasm;

use std::time::{Duration, Instant};

use pessimum_input::{InputPlan, Length};
use pessimum_outcome::CostModel;
use pessimum_search::program::{Family, PathLimits, Program};
use pessimum_wasm::Subject;

use crate::plan::SubjectPlan;
use crate::target::{Pace, PythonTarget};
use crate::{At, Error, Target};

pub use python::{PythonCode, RunPython, python_module};
pub use wasm::WasmSource;

/// Everything that a plan names, read and parsed once. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source {
    plan: SubjectPlan,
    code: Code,
    opened: Instant,
}

/// What is run, by front end.
#[derive(Clone, Debug)]
enum Code {
    Wasm(WasmSource),
    Python(PythonCode),
}

impl Source {
    /// Checks a plan against its module and the copied files, which are given in the order of the plan.
    pub fn new(plan: SubjectPlan, module: Vec<u8>, copies: Vec<Vec<u8>>) -> Result<Source, Error> {
        let opened = Instant::now();
        let code = Code::Wasm(WasmSource::new(&plan, module, copies)?);
        Ok(Source { plan, code, opened })
    }

    /// A Python file that was opened.
    pub fn of_python(plan: SubjectPlan, code: PythonCode) -> Source {
        Source { plan, code: Code::Python(code), opened: Instant::now() }
    }

    /// The same, counting what this cost needs: front ends that count some costs only at a price count them only if
    /// asked.
    pub fn counting(mut self, cost: CostModel) -> Source {
        if let Code::Python(code) = &mut self.code {
            *code = code.counting(cost);
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

    /// The module; none if it is no WebAssembly.
    pub fn wasm(&self) -> Option<&WasmSource> {
        match &self.code {
            Code::Wasm(source) => Some(source),
            Code::Python(_) => None,
        }
    }

    /// The Python file; none if it is none.
    pub fn python(&self) -> Option<&PythonCode> {
        match &self.code {
            Code::Python(code) => Some(code),
            Code::Wasm(_) => None,
        }
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
        let length = Length::parse(text).at("--stdin")?;
        match &mut other.code {
            Code::Wasm(source) => *source = source.with_stdin(length),
            Code::Python(_) => return Err(Error::new("--stdin: a Python function reads no input of ours")),
        }
        other.plan.stdin = Some(text.to_string());
        Ok(other)
    }

    /// The module with its input laid out for a size, for what only WebAssembly has.
    pub fn subject(&self, size: Option<u64>) -> Result<Subject, Error> {
        match &self.code {
            Code::Wasm(source) => source.subject(&self.plan, size),
            Code::Python(_) => {
                let name = &self.plan.module.name;
                Err(Error::new(format!("{name}: this is Python, and only WebAssembly has what this needs")))
            }
        }
    }

    /// What the input consists of at a size.
    pub fn input(&self, size: Option<u64>) -> Result<InputPlan, Error> {
        match &self.code {
            Code::Wasm(source) => Ok(source.subject(&self.plan, size)?.plan().clone()),
            Code::Python(_) => Ok(self.program(size)?.plan().clone()),
        }
    }

    /// The program at a size, as a search sees it.
    pub fn program(&self, size: Option<u64>) -> Result<Target, Error> {
        let mut name = self.plan.module.name.clone();
        if let Some(start) = self.plan.start.text() {
            name += &format!(" {start}");
        }
        if let Some(size) = size {
            name += &format!(" at {size}");
        }
        match &self.code {
            Code::Wasm(source) => source.program(name, &self.plan, size).map(|program| Target::Wasm(Box::new(program))),
            Code::Python(code) => {
                let program = code.program(name, &self.plan, size)?;
                Ok(Target::Python(PythonTarget { program, limits: self.limits() }))
            }
        }
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
        let pace = match self.code {
            Code::Wasm(_) => Pace::Instructions,
            Code::Python(_) => Pace::Lines,
        };
        pace.affordable(self.limits(), time)
    }
}

/// The program at every size.
struct Sizes<'a>(&'a Source);

impl Family for Sizes<'_> {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        match self.0.program(Some(u64::from(size))) {
            Ok(program) => Ok(program.into_program()),
            Err(error) => Err(error.to_string()),
        }
    }
}
