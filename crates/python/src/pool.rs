//! Workers of one file: started when they are needed, kept for the next one who needs one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::json;

use crate::error::PythonError;
use crate::process::{Lost, Process, Waited};
use crate::settings::PythonSettings;
use crate::wire::{Frame, SiteKey, answer, request};

/// A worker that has imported the file.
pub struct Worker {
    pub process: Process,
    /// The call that it knows.
    pub program: Option<u64>,
    /// Its own numbers of sites as ours, and how many of them it had before its first run.
    sites: Vec<u32>,
    sites_at_first: usize,
    table: Arc<SiteTable>,
}

impl Worker {
    /// Learns the sites that it has met.
    pub fn learn(&mut self, sites: Vec<SiteKey>) {
        self.table.learn(sites, &mut self.sites);
    }

    /// A run in a process of its own begins, which knows what was known before the first one.
    pub fn begin_apart(&mut self) {
        self.sites.truncate(self.sites_at_first);
    }

    /// Our number of a site.
    pub fn site(&self, own: u32) -> u32 {
        self.sites.get(own as usize).copied().unwrap_or(u32::MAX)
    }

    /// Asks something that is answered in JSON.
    pub fn ask<T: for<'de> Deserialize<'de>>(
        &mut self,
        kind: u8,
        question: &serde_json::Value,
        patience: Duration,
    ) -> Result<T, PythonError> {
        self.process.send(kind, question.to_string().as_bytes());
        let frame = wait_long(&mut self.process, patience)
            .map_err(|lost| PythonError::Worker(format!("the worker was lost ({})", describe(&lost))))?;
        read(frame)
    }
}

fn wait_long(process: &mut Process, patience: Duration) -> Result<Frame, Lost> {
    let until = Instant::now() + patience;
    loop {
        match process.wait(until.saturating_duration_since(Instant::now())) {
            Waited::Frame(frame) => return Ok(frame),
            Waited::Nothing if Instant::now() < until => {}
            Waited::Nothing => return Err(process.give_up()),
            Waited::Lost(lost) => return Err(lost),
        }
    }
}

/// What became of a worker, in words.
pub fn describe(lost: &Lost) -> String {
    match lost {
        Lost::Exited(code) => format!("exit code {code}"),
        Lost::Signal(signal @ (7 | 10 | 11)) => {
            format!("signal {signal}: code in C crashed, or its recursion was too deep")
        }
        Lost::Signal(signal) => format!("signal {signal}"),
        Lost::Late => "no answer in time".to_string(),
        Lost::Broken => "it closed its pipes".to_string(),
    }
}

/// Whether a version is one that cannot be searched with.
fn is_old(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next(), parts.next()) < (Some(3), Some(10))
}

#[derive(Deserialize)]
struct Refusal {
    kind: String,
    message: String,
}

fn read<T: for<'de> Deserialize<'de>>(frame: Frame) -> Result<T, PythonError> {
    let no_sense = || PythonError::Worker("the worker sent an answer that makes no sense".to_string());
    if frame.kind == answer::ERROR {
        return Err(error_of(&frame).unwrap_or_else(no_sense));
    }
    serde_json::from_slice(&frame.body).map_err(|_| no_sense())
}

/// What a worker says that cannot do what it was asked for.
pub fn error_of(frame: &Frame) -> Option<PythonError> {
    let refusal: Refusal = serde_json::from_slice(&frame.body).ok().filter(|_| frame.kind == answer::ERROR)?;
    Some(match refusal.kind.as_str() {
        "syntax" => PythonError::Syntax(refusal.message),
        "import" => PythonError::Import(refusal.message),
        "call" => PythonError::Call(refusal.message),
        _ => PythonError::Worker(format!(
            "this is a bug in Pessimum, the worker failed:\n{}",
            refusal.message.trim_end()
        )),
    })
}

/// All sites that any worker has met, in the order in which they were heard of.
#[derive(Default)]
pub struct SiteTable {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    keys: Vec<SiteKey>,
    index: FxHashMap<SiteKey, u32>,
}

impl SiteTable {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, sites: Vec<SiteKey>, into: &mut Vec<u32>) {
        let mut known = self.known();
        for key in sites {
            let next = known.keys.len() as u32;
            let number = *known.index.entry(key.clone()).or_insert(next);
            if number == next {
                known.keys.push(key);
            }
            into.push(number);
        }
    }

    /// The site with this number.
    pub fn key(&self, site: u32) -> Option<SiteKey> {
        self.known().keys.get(site as usize).cloned()
    }
}

/// What the workers of a pool are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Ordinary runs.
    Plain,
    /// Symbolic runs.
    Symbolic,
    /// Runs that tell what C code is handed.
    Recording,
}

/// Workers of one kind.
pub struct Pool {
    pub python: PathBuf,
    pub file: PathBuf,
    pub patience: Duration,
    pub role: Role,
    /// Where prepared modules are kept.
    cache: Option<PathBuf>,
    pub table: Arc<SiteTable>,
    idle: Mutex<Vec<Worker>>,
}

impl Pool {
    pub fn new(python: &Path, file: &Path, settings: &PythonSettings, role: Role, table: Arc<SiteTable>) -> Pool {
        let (python, file, cache) = (python.to_path_buf(), file.to_path_buf(), settings.cache.clone());
        Pool { python, file, patience: settings.patience, role, cache, table, idle: Mutex::default() }
    }

    /// A worker for the time being, with what it said about the file if it has just been started.
    pub fn take(&self) -> Result<(Worker, Option<Opened>), PythonError> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match idle {
                Some(mut worker) => {
                    if worker.process.is_ready() {
                        return Ok((worker, None));
                    }
                }
                None => return self.start().map(|(worker, opened)| (worker, Some(opened))),
            }
        }
    }

    /// Takes a worker back.
    pub fn put(&self, worker: Worker) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }

    /// Takes all that wait: whoever is next gets a new one.
    pub fn set_aside(&self) -> Vec<Worker> {
        std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn start(&self) -> Result<(Worker, Opened), PythonError> {
        let python = self.python.display();
        let file = self.file.file_name().unwrap_or_default().to_string_lossy();
        let mut process = Process::start(&self.python)?;
        let question = json!({
            "file": self.file.to_string_lossy(),
            "symbolic": self.role == Role::Symbolic,
            "recording": self.role == Role::Recording,
            "patience": self.patience.as_secs_f64(),
            "cache": self.cache.as_ref().map(|path| path.to_string_lossy()),
        });
        process.send(request::OPEN, question.to_string().as_bytes());
        let too_old = |version| PythonError::TooOld { python: self.python.clone(), version };
        let frame = wait_long(&mut process, self.patience).map_err(|lost| match lost {
            Lost::Late => PythonError::Import(format!(
                "{file} was not imported within {} s; does it compute something or wait for input at its top level?",
                self.patience.as_secs_f64()
            )),
            // It may not have come as far as the file.
            lost => match Process::version(&self.python) {
                Ok(version) if is_old(&version) => too_old(version),
                Ok(_) => {
                    PythonError::Import(format!("{file} ended its process when it was imported ({})", describe(&lost)))
                }
                Err(said) => PythonError::Interpreter(format!("{python} does not work: {said}")),
            },
        })?;
        if frame.kind == answer::OLD {
            return Err(too_old(String::from_utf8_lossy(&frame.body).trim_start_matches("old ").to_string()));
        }
        let mut opened: Opened = read(frame)?;
        let mut worker =
            Worker { process, program: None, sites: Vec::new(), sites_at_first: 0, table: self.table.clone() };
        worker.learn(std::mem::take(&mut opened.sites));
        worker.sites_at_first = worker.sites.len();
        for code in &mut opened.code {
            for site in &mut code.sites {
                *site = worker.site(*site);
            }
        }
        Ok((worker, opened))
    }
}

/// What a worker says about the file.
#[derive(Clone, Debug, Deserialize)]
pub struct Opened {
    pub version: String,
    pub files: Vec<PathBuf>,
    pub root: PathBuf,
    pub module: String,
    pub functions: Vec<OpenedFunction>,
    /// Functions that execute nothing when they are called, and what they are.
    pub lazy: BTreeMap<String, String>,
    sites: Vec<SiteKey>,
    pub code: Vec<OpenedCode>,
    /// The functions, as indices of `code`, that whoever mentions a name may come to; none for all of them.
    pub names: BTreeMap<String, Option<Vec<u32>>>,
    pub texts: Vec<String>,
}

/// A function of the file.
#[derive(Clone, Debug, Deserialize)]
pub struct OpenedFunction {
    pub name: String,
    pub line: u32,
    pub parameters: Vec<OpenedParameter>,
    /// Those of the class of a method.
    pub constructor: Option<Vec<OpenedParameter>>,
    pub call: Option<String>,
    pub why: Option<String>,
    pub notes: Vec<String>,
}

/// A parameter of a function.
#[derive(Clone, Debug, Deserialize)]
pub struct OpenedParameter {
    pub name: String,
    pub hint: Option<String>,
    pub default: Option<String>,
}

/// A code object of the user's modules: a function, a class body, a module.
#[derive(Clone, Debug, Deserialize)]
pub struct OpenedCode {
    pub file: String,
    pub name: String,
    pub line: u32,
    pub lines: Vec<u32>,
    pub sites: Vec<u32>,
    /// Whether it is executed when its module is imported.
    pub at_import: bool,
    /// The functions, as indices, that it may come to; none for all of them.
    pub leads_to: Option<Vec<u32>>,
}
