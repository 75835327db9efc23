//! A file of Python and the interpreter that runs it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use pessimum_search::budget::Until;
use serde_json::json;

use crate::error::PythonError;
use crate::hang::Patience;
use crate::places::Static;
use crate::pool::{Opened, OpenedFunction, OpenedParameter, Pool, Role, SiteTable};
use crate::process::find_interpreter;
use crate::settings::PythonSettings;
use crate::wire::request;

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, with its stars.
    pub name: String,
    /// Its type hint as it is written.
    pub hint: Option<String>,
    /// Its default as Python source.
    pub default: Option<String>,
}

/// A function that can be called: of the module, or a method of one of its classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, with that of its class where it has one.
    pub name: String,
    /// Its parameters, without the object of a method.
    pub parameters: Vec<Parameter>,
    /// What makes that object, where it needs one: the parameters of its class.
    pub constructor: Option<Vec<Parameter>>,
    /// Where it is defined.
    pub line: u32,
    /// A call to begin with, or why none can be made without more types.
    pub suggested_call: Result<String, String>,
    /// What the suggested call has decided by itself.
    pub notes: Vec<String>,
}

/// A file of Python that can be imported, with its interpreter. Copies share their processes.
#[derive(Clone)]
pub struct PythonSource {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub settings: PythonSettings,
    pub python: PathBuf,
    pub opened: Opened,
    functions: Vec<Function>,
    pub places: Static,
    pub plain: Pool,
    pub symbolic: Pool,
    pub recording: Pool,
    pub sites: Arc<SiteTable>,
    pub patience: Patience,
    /// Whether each run is made in a process of its own, because runs leave something behind that others see.
    pub apart: AtomicBool,
    programs: AtomicU64,
}

impl PythonSource {
    /// Finds the interpreter and imports the file once.
    pub fn open(settings: &PythonSettings) -> Result<PythonSource, PythonError> {
        let file = std::path::absolute(&settings.file).unwrap_or_else(|_| settings.file.clone());
        if let Err(error) = std::fs::File::open(&file)
            .and_then(|file| file.metadata())
            .and_then(|data| if data.is_dir() { Err(std::io::ErrorKind::IsADirectory.into()) } else { Ok(()) })
        {
            return Err(PythonError::File(format!("{}: {error}", settings.file.display())));
        }
        let python = find_interpreter(settings.python.as_deref()).map_err(PythonError::Interpreter)?;
        let sites = Arc::new(SiteTable::default());
        let pool = |role, sites: &Arc<SiteTable>| Pool::new(&python, &file, settings, role, Arc::clone(sites));
        let (plain, symbolic) = (pool(Role::Plain, &sites), pool(Role::Symbolic, &sites));
        // Its code is another one, and nobody asks for its sites.
        let recording = pool(Role::Recording, &Arc::default());
        let (worker, opened) = plain.take()?;
        plain.put(worker);
        let Some(opened) = opened else {
            return Err(PythonError::Worker("a new worker said nothing about the file".to_string()));
        };
        let functions = opened.functions.iter().map(function).collect();
        let line_of = |site| sites.key(site).map(|key| (key.0, key.2));
        let places = Static::of(&opened.code).with_lines(line_of);
        Ok(PythonSource {
            inner: Arc::new(Inner {
                settings: settings.clone(),
                python,
                opened,
                functions,
                places,
                plain,
                symbolic,
                recording,
                sites,
                patience: Patience::default(),
                apart: AtomicBool::default(),
                programs: AtomicU64::new(1),
            }),
        })
    }

    /// Says that runs are those of a search from now on, which has this much time and is over then: a run that hangs must not
    /// take all of it.
    pub fn search(&self, time: Option<Duration>, until: Until) {
        self.inner.patience.search(self.inner.settings.patience, time, until);
    }

    /// The functions that can be called, in the order of the file.
    pub fn functions(&self) -> &[Function] {
        &self.inner.functions
    }

    /// The version of the interpreter, as in `3.12.1`.
    pub fn version(&self) -> &str {
        &self.inner.opened.version
    }

    /// The interpreter.
    pub fn python(&self) -> &Path {
        &self.inner.python
    }

    /// The file as it was given.
    pub fn file(&self) -> &Path {
        &self.inner.settings.file
    }

    /// The name under which the file is imported; its directory, or that of its outermost package, is the root.
    pub fn module(&self) -> &str {
        &self.inner.opened.module
    }

    /// Where imports of the user's own modules start.
    pub fn root(&self) -> &Path {
        &self.inner.opened.root
    }

    /// The user's own files that importing the file has executed, itself first: those that fingerprints cover.
    pub fn files(&self) -> &[PathBuf] {
        &self.inner.opened.files
    }

    /// A number for a program of this file, by which its workers know it.
    pub(crate) fn next_program(&self) -> u64 {
        self.inner.programs.fetch_add(1, Ordering::Relaxed)
    }

    /// How values of a class of the file are made.
    pub(crate) fn fields(&self, class: &str) -> Result<Fields, PythonError> {
        self.ask(request::FIELDS, &json!({ "name": class }))
    }

    /// The type of a constant of Python, and the constant as Python writes it; none if it is none.
    pub(crate) fn literal(&self, text: &str) -> Result<Option<(String, String)>, PythonError> {
        #[derive(serde::Deserialize)]
        struct Literal {
            kind: Option<String>,
            #[serde(default)]
            repr: String,
        }
        let literal: Literal = self.ask(request::LITERAL, &json!({ "text": text }))?;
        Ok(literal.kind.map(|kind| (kind, literal.repr)))
    }

    fn ask<T: for<'de> serde::Deserialize<'de>>(
        &self,
        kind: u8,
        question: &serde_json::Value,
    ) -> Result<T, PythonError> {
        let (mut worker, _) = self.inner.plain.take()?;
        let answer = worker.ask(kind, question, self.inner.settings.patience);
        if !matches!(answer, Err(PythonError::Worker(_))) {
            self.inner.plain.put(worker);
        }
        answer
    }
}

/// How values of a class are made.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum Fields {
    /// Of an enumeration: the type that it stands for, in the language of calls.
    Whole(String),
    /// Of these, each with its type in that language.
    Each(Vec<(String, String)>),
}

fn function(opened: &OpenedFunction) -> Function {
    let parameter = |parameter: &OpenedParameter| Parameter {
        name: parameter.name.clone(),
        hint: parameter.hint.clone(),
        default: parameter.default.clone(),
    };
    let why = || opened.why.clone().unwrap_or_default();
    Function {
        name: opened.name.clone(),
        parameters: opened.parameters.iter().map(parameter).collect(),
        constructor: opened.constructor.as_ref().map(|of| of.iter().map(parameter).collect()),
        line: opened.line,
        suggested_call: opened.call.clone().ok_or_else(why),
        notes: opened.notes.clone(),
    }
}
