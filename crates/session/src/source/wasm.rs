//! The module that a plan names, with the files that it is given.

use std::sync::Arc;

use pessimum_input::{Content, InputPlan, Length, Signature};
use pessimum_program::WasmProgram;
use pessimum_wasm::names::Names;
use pessimum_wasm::{Limits, LoadSettings, Module, Start, Subject, Weights, World};

use crate::files::fingerprint;
use crate::language::Language;
use crate::names::with_hint;
use crate::plan::{ArgumentPlan, FilePlan, LimitsPlan, MODULE, StartPlan, SubjectPlan, copy_name};
use crate::scope::instructions_in;
use crate::{At, Code, Error, FrontEnd};

/// A module and everything else that its plan names, read and parsed once. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WasmSource {
    bytes: Arc<[u8]>,
    module: Arc<Module>,
    start: Start,
    stdin: Option<Length>,
    arguments: Vec<Argument>,
    files: Vec<(String, File)>,
}

#[derive(Clone, Debug)]
enum Argument {
    Literal(Arc<[u8]>),
    Input(Length),
}

#[derive(Clone, Debug)]
enum File {
    Input(Length),
    Copy(Arc<[u8]>),
}

impl WasmSource {
    /// Checks a plan against its module and the copied files, which are given in the order of the plan.
    pub fn new(plan: &SubjectPlan, module: Vec<u8>, copies: Vec<Vec<u8>>) -> Result<WasmSource, Error> {
        let name = &plan.module.name;
        if plan.limits.depth > LimitsPlan::MOST_DEPTH {
            let most = LimitsPlan::MOST_DEPTH;
            return Err(Error::new(format!(
                "--max-depth: calls may nest at most {most} deep, so that memory suffices"
            )));
        }
        if fingerprint(&module) != plan.module.fingerprint {
            return Err(Error::new(format!("{name}: the module is not the one that was recorded")));
        }
        let load = |settings: &LoadSettings| {
            Module::load(&module, settings).map_err(|error| {
                let names = Names::read(&module);
                let function = error.function.and_then(|index| names.get(index)).map(|name| format!(" in `{name}`"));
                Error::new(format!("{name}: {error}{}", function.unwrap_or_default()))
            })
        };
        let mut settings = LoadSettings { weights: plan.weights.as_ref().map(Into::into), priced: None };
        let mut loaded = load(&settings)?;
        if !plan.counted.is_empty() {
            // The price, or one, for each instruction that is there, and nothing for all others.
            settings.weights.get_or_insert_with(|| Weights { other: 1, ..Weights::default() });
            settings.priced = Some(Arc::new(instructions_in(&loaded, &plan.counted)?));
            loaded = load(&settings)?;
        }
        let start = match &plan.start {
            StartPlan::Call(text) => Start::Call(Signature::parse(text).at("--call")?),
            StartPlan::Entry(entry) => Start::Entry(entry.clone()),
            StartPlan::Command => Start::Command,
        };
        let stdin = plan.stdin.as_deref().map(|text| Length::parse(text).at("--stdin")).transpose()?;
        let mut arguments = Vec::new();
        for argument in &plan.arguments {
            arguments.push(match argument {
                ArgumentPlan::Literal(text) => Argument::Literal(text.as_bytes().into()),
                ArgumentPlan::Input(text) => match Length::parse_argument(text) {
                    Some(length) => Argument::Input(length.at("--arg")?),
                    None => return Err(Error::new(format!("--arg: `{text}` does not stand for bytes of input"))),
                },
            });
        }
        let mut copies = copies.into_iter();
        let mut files = Vec::new();
        for file in &plan.files {
            files.push(match file {
                FilePlan::Input { name, length } => (name.clone(), File::Input(Length::parse(length).at("--file")?)),
                FilePlan::Copy { name, path, fingerprint: recorded } => {
                    let bytes = copies.next().ok_or_else(|| Error::new(format!("{path}: not read")))?;
                    if fingerprint(&bytes) != *recorded {
                        return Err(Error::new(format!("{path}: it has changed since it was recorded")));
                    }
                    (name.clone(), File::Copy(bytes.into()))
                }
            });
        }
        Ok(WasmSource { module: Arc::new(loaded), bytes: module.into(), start, stdin, arguments, files })
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// The module's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Lays out the input for a size.
    pub fn subject(&self, of: &SubjectPlan, size: Option<u64>) -> Result<Subject, Error> {
        let mut plan = InputPlan { sizes: of.sizes.clone(), ..InputPlan::new(size) };
        if let Start::Call(call) = &self.start {
            call.lay_out(&mut plan).at("--call")?;
            pessimum_languages::mark_texts(&self.module, &call.name, &mut plan);
        }
        if let Some(length) = &self.stdin {
            length.lay_out_stdin(&mut plan).at("--stdin")?;
        }
        for argument in &self.arguments {
            match argument {
                Argument::Literal(bytes) => plan.command_line.push(Content::Fixed(bytes.clone())),
                Argument::Input(length) => length.lay_out_argument(&mut plan).at("--arg")?,
            }
        }
        for (name, file) in &self.files {
            match file {
                File::Input(length) => length.lay_out_file(name, &mut plan).at("--file")?,
                File::Copy(bytes) => plan.files.push((name.clone(), Content::Fixed(bytes.clone()))),
            }
        }
        let name = std::path::Path::new(&of.module.name).file_name();
        let program = name.map_or("program".into(), |name| name.to_string_lossy().into_owned());
        let world = World { plan, program, environment: of.environment.clone() };
        let limits = Limits {
            instructions: of.limits.instructions,
            memory: of.limits.memory,
            call_depth: of.limits.depth,
            ..Limits::default()
        };
        let subject = Subject::new(self.module.clone(), self.start.clone(), world, limits);
        subject.map_err(|error| with_hint(&error)).at(&of.module.name)
    }
}

impl Code for WasmSource {
    fn language(&self) -> &'static Language {
        &Language::WASM
    }

    fn program(&self, name: String, of: &SubjectPlan, size: Option<u64>) -> Result<Box<dyn FrontEnd>, Error> {
        Ok(Box::new(WasmProgram::new(name, self.subject(of, size)?).at(&of.module.name)?))
    }

    fn input(&self, of: &SubjectPlan, size: Option<u64>) -> Result<InputPlan, Error> {
        Ok(self.subject(of, size)?.plan().clone())
    }

    fn with_stdin(&self, length: Length) -> Result<Arc<dyn Code>, Error> {
        Ok(Arc::new(WasmSource { stdin: Some(length), ..self.clone() }))
    }

    fn may_ask(&self) -> bool {
        self.module.imports().iter().any(|import| import.module == "pessimum")
    }

    fn saved(&self) -> Vec<(String, &[u8])> {
        let copies = self.files.iter().filter_map(|(_, file)| match file {
            File::Copy(bytes) => Some(&bytes[..]),
            File::Input(_) => None,
        });
        let copies = copies.enumerate().map(|(index, bytes)| (copy_name(index), bytes));
        std::iter::once((MODULE.to_string(), &self.bytes[..])).chain(copies).collect()
    }
}
