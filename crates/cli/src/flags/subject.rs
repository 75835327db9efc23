//! The flags that say what is run, and with what input.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use pessimum_input::{Length, SyntaxError};
use pessimum_session::language::Language;
use pessimum_session::plan::{ArgumentPlan, FilePlan, LimitsPlan, StartPlan, SubjectPlan};

use super::python::{CallFlag, Opened, is_python};

/// In MiB.
const MAX_MEMORY: u64 = LimitsPlan::USUAL.memory >> 20;
const MAX_DEPTH: u32 = LimitsPlan::USUAL.depth;

/// What is run, and with what input. Without --call and --entry the module's `_start` is run.
#[derive(Clone, Debug, Args)]
pub struct SubjectFlags {
    /// What to run: a module (.wasm, .wat), a source file (.c .cpp .rs .zig .ts), which is compiled first with the
    /// machine's compiler, the directory of a Rust package, or a file of Python (.py)
    pub module: PathBuf,

    /// Options for the compiler of a source file, as one string: `--cflags '-O2 -DN=3'`; may be repeated. For C, source
    /// files among them are compiled and linked too
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// What stands for a type parameter of a Rust function: `--with T=u64`, or for a constant one: `--with N=8`. In Rust and
    /// C++, `--with room=20` makes room for so many elements in each collection inside another value; may be repeated
    #[arg(long, value_name = "NAME=TYPE")]
    pub with: Vec<String>,

    /// Exported function to call, with its arguments: `sort(i32[n], n)`.
    ///
    /// An argument is a type (i32 i64 f32 f64 bool i8 u8 i16 u16 u32 u64: one number of input), `T[len]` (a buffer of
    /// input; `T[n][4]` for rows), `{i32, u8[4]}[len]` (records, laid out as in C), `str[len]` (non-zero bytes of input
    /// and a NUL), `utf8[len]` and `str utf8[len]` (the same, always valid UTF-8), `out T[len]` (a zeroed buffer),
    /// `&compare` (a pointer to a function), a text (`"a*b"`), or a number, where `n` and other names are sizes (--size).
    /// Input may be restricted: `i32[n] in 0..100`, `u8[n] in 'a'..='z' | ' '`. The name alone stands for the call that the
    /// function's types give, and a program with only one function needs no --call; `pessimum inspect` lists them.
    ///
    /// For Python the types are Python's: `sort(int[n])`, `find(str[n], "a*b")`, `total(dict(str[3]: int)[n])`.
    #[arg(long, value_name = "CALL", value_parser = parse_call, conflicts_with = "entry")]
    pub call: Option<CallFlag>,

    /// Exported function without parameters to start; it asks for its input through imports of module `pessimum`
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,

    /// Bytes of input on standard input: a number or an expression in n, optionally restricted (`64 in ' '..='~' | '\n'`)
    #[arg(long, value_name = "LEN", value_parser = parse_length)]
    pub stdin: Option<Length>,

    /// An argument of the program's command line, literally, or `str[LEN]` for bytes of input; may be repeated
    #[arg(long, value_name = "TEXT", value_parser = parse_argument, allow_hyphen_values = true)]
    pub arg: Vec<ArgumentFlag>,

    /// A file for the program to read: NAME:LEN for bytes of input, NAME=PATH for a copy of a file; may be repeated
    #[arg(long, value_name = "NAME:LEN", value_parser = parse_file)]
    pub file: Vec<FileFlag>,

    /// An environment variable for the program; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_env)]
    pub env: Vec<String>,

    /// The size, called `n` in --call and other lengths. Other sizes have their names: `--size n=10,m=5`; may be repeated
    #[arg(long, value_name = "N", value_parser = parse_size, value_delimiter = ',', allow_hyphen_values = true)]
    pub size: Vec<SizeFlag>,

    /// Price list for the cost `weighted`: a TOML file with instruction names (`i32.mul = 3`) and `default` (1) for all
    /// others
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,

    /// Cut a run after this many instructions, or lines of Python; it is then reported as still running [default:
    /// 1000000000, or 5000000 lines]
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,

    /// End the run when linear memory would grow beyond this many MiB
    #[arg(long, value_name = "MIB", default_value_t = MAX_MEMORY)]
    pub max_memory: u64,

    /// End the run when calls nest deeper than this
    #[arg(long, value_name = "N", default_value_t = MAX_DEPTH)]
    pub max_depth: u32,

    /// The Python interpreter for a .py file, 3.10 or later [default: that of the active virtual environment, else python3]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,

    /// What `--in` of a command names: only the instructions there are counted.
    #[arg(skip)]
    pub counted: Vec<String>,

    /// Whether its branches are to be covered.
    #[arg(skip)]
    pub covered: bool,

    /// The Python file, once its call was completed.
    #[arg(skip)]
    pub opened: Opened,
}

impl SubjectFlags {
    /// The flags that a plan stands for. A plan has nothing that only a compiler or the price list's reader needs.
    pub fn of_plan(plan: &SubjectPlan) -> Result<SubjectFlags, String> {
        let syntax = |error: SyntaxError| error.to_string();
        let argument = |argument: &ArgumentPlan| match argument {
            ArgumentPlan::Literal(text) => Ok(ArgumentFlag::Literal(text.clone())),
            ArgumentPlan::Input(text) => parse_argument(text).map_err(syntax),
        };
        let file = |file: &FilePlan| match file {
            FilePlan::Input { name, length } => {
                Ok(FileFlag::Input { name: name.clone(), length: parse_length(length).map_err(syntax)? })
            }
            FilePlan::Copy { name, path, .. } => Ok(FileFlag::Copy { name: name.clone(), path: PathBuf::from(path) }),
        };
        let (call, entry) = match &plan.start {
            StartPlan::Call(text) if plan.module.python.is_some() => (Some(CallFlag::Text(text.clone(), None)), None),
            StartPlan::Call(text) => match CallFlag::read(text) {
                CallFlag::Text(_, Some(error)) => return Err(syntax(error)),
                call => (Some(call), None),
            },
            StartPlan::Entry(name) => (None, Some(name.clone())),
            StartPlan::Command => (None, None),
        };
        Ok(SubjectFlags {
            module: PathBuf::from(&plan.module.name),
            cflags: Vec::new(),
            with: Vec::new(),
            call,
            entry,
            stdin: plan.stdin.as_deref().map(|text| parse_length(text).map_err(syntax)).transpose()?,
            arg: plan.arguments.iter().map(argument).collect::<Result<_, String>>()?,
            file: plan.files.iter().map(file).collect::<Result<_, String>>()?,
            env: plan.environment.clone(),
            size: SizeFlag::of(plan.size, &plan.sizes),
            weights: None,
            max_instructions: Some(plan.limits.instructions),
            max_memory: plan.limits.memory >> 20,
            max_depth: plan.limits.depth,
            python: None,
            counted: plan.counted.clone(),
            covered: false,
            opened: Opened::default(),
        })
    }

    /// The language of the program.
    pub fn language(&self) -> &'static Language {
        if self.is_python() { &Language::PYTHON } else { &Language::WASM }
    }

    /// Whether the program is a Python file.
    pub fn is_python(&self) -> bool {
        is_python(&self.module)
    }

    /// The size called `n`.
    pub fn n(&self) -> Option<u64> {
        self.size.iter().find(|size| size.name == "n").map(|size| size.value)
    }

    /// The other sizes, by name.
    pub fn sizes(&self) -> BTreeMap<String, u64> {
        self.size.iter().filter(|size| size.name != "n").map(|size| (size.name.clone(), size.value)).collect()
    }

    /// The same with another `n`.
    pub fn at(&self, n: Option<u64>) -> SubjectFlags {
        SubjectFlags { size: SizeFlag::of(n, &self.sizes()), ..self.clone() }
    }

    /// Whether each size is given once and is part of some length; `of_sizes` is for commands with `--sizes`, which give
    /// `n` themselves.
    pub fn check_sizes(&self, of_sizes: bool) -> Result<(), String> {
        let mut used: BTreeSet<String> = self.call.iter().flat_map(CallFlag::sizes).collect();
        let arguments = self.arg.iter().filter_map(|argument| match argument {
            ArgumentFlag::Input(length) => Some(length),
            ArgumentFlag::Literal(_) => None,
        });
        let files = self.file.iter().filter_map(|file| match file {
            FileFlag::Input { length, .. } => Some(length),
            FileFlag::Copy { .. } => None,
        });
        used.extend(self.stdin.iter().chain(arguments).chain(files).flat_map(Length::sizes));
        for (at, size) in self.size.iter().enumerate() {
            let name = &size.name;
            if self.size[..at].iter().any(|before| before.name == *name) {
                return Err(format!(
                    "--size: `{name}` is given twice; other sizes have names, as in `--size n=10,m=5`"
                ));
            }
            // A program may ask for n itself.
            if name != "n" && !used.contains(name) {
                let known: Vec<String> = used.iter().map(|name| format!("`{name}`")).collect();
                let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                return Err(format!("--size: no length is in terms of `{name}`; the sizes in use: {known}"));
            }
        }
        if of_sizes && self.n().is_some() {
            return Err("--sizes gives n; --size may only give other sizes, as in `--size m=5`".to_string());
        }
        Ok(())
    }

    /// What is started, as on the command line; none for a WASI command.
    pub fn started(&self) -> Option<String> {
        self.call.as_ref().map(|call| call.text().to_string()).or_else(|| self.entry.clone())
    }

    /// The flags as words of a command line again, for readers of a result and for the tests that it emits.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![not_an_option(&self.module)];
        let mut flag = |name: &str, value: String| words.push(format!("--{name}={value}"));
        for options in &self.cflags {
            flag("cflags", options.clone());
        }
        for choice in &self.with {
            flag("with", choice.clone());
        }
        if let Some(call) = &self.call {
            flag("call", call.text().to_string());
        }
        if let Some(entry) = &self.entry {
            flag("entry", entry.clone());
        }
        if let Some(length) = &self.stdin {
            flag("stdin", length.text().to_string());
        }
        for argument in &self.arg {
            match argument {
                ArgumentFlag::Literal(text) => flag("arg", text.clone()),
                ArgumentFlag::Input(length) => flag("arg", length.text().to_string()),
            }
        }
        for file in &self.file {
            match file {
                FileFlag::Input { name, length } => flag("file", format!("{name}:{}", length.text())),
                FileFlag::Copy { name, path } => flag("file", format!("{name}={}", path.display())),
            }
        }
        for variable in &self.env {
            flag("env", variable.clone());
        }
        if let Some(size) = self.n() {
            flag("size", size.to_string());
        }
        // By itself, because n may be given per input.
        let others: Vec<String> = self.sizes().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !others.is_empty() {
            flag("size", others.join(","));
        }
        if let Some(weights) = &self.weights {
            flag("weights", weights.display().to_string());
        }
        for pattern in &self.counted {
            flag("in", pattern.clone());
        }
        let usual = if self.is_python() { LimitsPlan::USUAL_PYTHON } else { LimitsPlan::USUAL };
        if let Some(most) = self.max_instructions.filter(|&most| most != usual.instructions) {
            flag("max-instructions", most.to_string());
        }
        if self.max_memory != MAX_MEMORY {
            flag("max-memory", self.max_memory.to_string());
        }
        if self.max_depth != MAX_DEPTH {
            flag("max-depth", self.max_depth.to_string());
        }
        if let Some(python) = &self.python {
            flag("python", python.display().to_string());
        }
        words
    }
}

/// A path as a word of a command line: a name that starts with a dash is no option.
pub fn not_an_option(path: &Path) -> String {
    let shown = path.display().to_string();
    if shown.starts_with('-') { format!("./{shown}") } else { shown }
}

/// An argument of the program's own command line.
#[derive(Clone, Debug)]
pub enum ArgumentFlag {
    Literal(String),
    Input(Length),
}

/// A file that the program can read.
#[derive(Clone, Debug)]
pub enum FileFlag {
    Input { name: String, length: Length },
    Copy { name: String, path: PathBuf },
}

/// A size and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeFlag {
    name: String,
    value: u64,
}

impl SizeFlag {
    fn of(n: Option<u64>, others: &BTreeMap<String, u64>) -> Vec<SizeFlag> {
        let n = n.map(|value| SizeFlag { name: "n".to_string(), value });
        let others = others.iter().map(|(name, &value)| SizeFlag { name: name.clone(), value });
        n.into_iter().chain(others).collect()
    }
}

fn parse_size(text: &str) -> Result<SizeFlag, String> {
    let (name, value) = text.split_once('=').unwrap_or(("n", text));
    let (name, value) = (name.trim(), value.trim());
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match value.parse() {
        _ if !is_name => Err(format!("`{name}` cannot be the name of a size; sizes are given as in 10 or n=10,m=5")),
        Ok(value) => Ok(SizeFlag { name: name.to_string(), value }),
        Err(_) if value.chars().all(|c| c.is_ascii_digit()) && !value.is_empty() => {
            Err(format!("{value} is too large; a size is a number below 2^64"))
        }
        Err(_) => Err("a size is a number from 0 on, as in 10 or n=10,m=5".to_string()),
    }
}

fn parse_call(text: &str) -> Result<CallFlag, SyntaxError> {
    Ok(CallFlag::read(text))
}

fn parse_length(text: &str) -> Result<Length, SyntaxError> {
    Length::parse(text)
}

fn parse_argument(text: &str) -> Result<ArgumentFlag, SyntaxError> {
    match Length::parse_argument(text) {
        Some(length) => length.map(ArgumentFlag::Input),
        None => Ok(ArgumentFlag::Literal(text.to_string())),
    }
}

fn parse_file(text: &str) -> Result<FileFlag, String> {
    let split = text.find(['=', ':']).filter(|&at| at > 0);
    let Some(at) = split else {
        return Err("expected NAME:LEN (bytes of input) or NAME=PATH (a copy of a file)".to_string());
    };
    let (name, rest) = (text[..at].to_string(), &text[at + 1..]);
    if text.as_bytes()[at] == b'=' {
        return Ok(FileFlag::Copy { name, path: PathBuf::from(rest) });
    }
    let length = Length::parse(rest).map_err(|error| error.to_string())?;
    Ok(FileFlag::Input { name, length })
}

fn parse_env(text: &str) -> Result<String, String> {
    match text.find('=') {
        Some(at) if at > 0 => Ok(text.to_string()),
        _ => Err("expected NAME=VALUE".to_string()),
    }
}
