//! A subject: a module with everything fixed but its input, and a process: one run of it with its hosts.
//!
//! Its user sees decisions and ends only. A sequence of calls on one instance is a subject like any other: the process
//! starts the next call where one has returned and passes it what earlier ones returned. All arguments are laid out one
//! after the other in one plan, so that kernel, solver, prefix and replay see variables and nothing else. Costs count
//! from the first call on, or from the last one; arms are counted over all calls.

mod prefix;
mod process;
mod view;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use pessimum_outcome::Costs;
use pessimum_term::{VariableId, Witness};

pub use prefix::Prefix;
pub use process::{Process, ProcessEnd, ProcessEvent};

use crate::domain::Concrete;
use crate::error::LinkError;
use crate::host::Captured;
use crate::machine::Limits;
use crate::module::{ExternKind, ExternType, FunctionType, Import, Location, Module, ValueType};
use crate::names::Names;
use crate::wasi::{Wasi, World};
use crate::{guest, wasi};
use pessimum_input::{Argument, GuestValue, InputPlan, Kind, Number, Signature, SyntaxError, float_bits, truncate};

/// Where a subject starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// A call of an exported function.
    Call(Signature),
    /// An exported function without parameters.
    Entry(String),
    /// `_start`, as a WASI command.
    Command,
    /// Calls one after the other.
    Sequence(Sequence),
}

/// Calls of exported functions, one after the other on one instance. A call that does not return ends the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The calls, each with its part of [`InputPlan::arguments`].
    pub calls: Vec<(Arc<Signature>, Range<usize>)>,
    /// Which of them cost something.
    pub counted: Counted,
    /// Whether a call may be passed 0 in the place of what an earlier one returned: a constructor that failed. If not, the input
    /// counts as one that the program does not accept, because most functions would read what is at address 0, which
    /// WebAssembly permits and no other machine does.
    pub null_handles: bool,
}

/// Which calls of a sequence cost something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// All of them.
    #[default]
    All,
    /// The last one.
    Last,
}

/// A call that a process makes.
#[derive(Clone, Debug)]
struct Invocation {
    /// Index of the function.
    function: u32,
    /// Its part of [`InputPlan::arguments`].
    arguments: Range<usize>,
}

/// What implements an imported function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Wasi(&'static str),
    Guest(&'static str),
    /// What AssemblyScript calls to give up.
    Abort,
    /// Nothing does: a run ends where the function is called.
    Missing {
        module: String,
        name: String,
    },
}

/// A module with everything fixed but its input. Cheap to clone, and shared between threads.
#[derive(Clone, Debug)]
pub struct Subject {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    module: Arc<Module>,
    /// What is called, at least once.
    calls: Vec<Invocation>,
    counted: Counted,
    null_handles: bool,
    world: Arc<World>,
    /// The program's surroundings when it starts.
    wasi: Wasi,
    limits: Limits,
    /// What implements the imported functions, in order.
    hosts: Vec<Host>,
    allocator: Allocator,
    /// The functions that arguments point to, by argument.
    pointers: Vec<Option<u32>>,
    /// Index of `_initialize`, which a WASI reactor expects to be called first.
    initialize: Option<u32>,
}

/// Where the call's buffers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocator {
    /// An exported function from a size to an address.
    Size(u32),
    /// `cabi_realloc(old, old_size, align, size)`.
    Realloc(u32),
    /// Pages appended to the memory.
    Pages,
}

/// Why a subject cannot be run: the module and the call do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// Nothing with that name is exported.
    #[error("no export named `{name}`")]
    NoExport {
        /// The name that was looked up.
        name: String,
        /// The functions that are exported.
        exported: Vec<String>,
    },
    /// The export with that name is a memory, a table or a global.
    #[error("the export `{0}` is not a function")]
    NotAFunction(String),
    /// The module should be run as a command, but exports no `_start`.
    #[error("the module is not a command (it exports no `_start`)")]
    NotACommand {
        /// The functions that are exported.
        exported: Vec<String>,
    },
    /// The function to start has parameters, but nothing says what to pass.
    #[error("`{name}` has the type {ty}, but a function that is started without a call must not have parameters")]
    EntryWithParameters {
        /// The name of the function.
        name: String,
        /// Its type.
        ty: FunctionType,
    },
    /// A sequence of no calls.
    #[error("a sequence of calls needs at least one call")]
    NoCalls,
    /// The call does not fit the function's type.
    #[error(transparent)]
    Call(#[from] SyntaxError),
    /// There is no function with the name that an argument has.
    #[error("{}", SyntaxError { text: call.clone(), column: *column, message: format!("there is no function `{name}` in the module") })]
    NoFunction {
        /// The text of the call.
        call: String,
        /// Where the argument is in it.
        column: usize,
        /// The name.
        name: String,
        /// The functions that have names.
        known: Vec<String>,
    },
    /// The type of an import differs from the type that is provided under its name.
    #[error("the import `{module}.{name}` is provided as {provided}, but the module expects {wanted}")]
    Import {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
        /// The type of what is provided, in words.
        provided: String,
        /// The type that the module declares, in words.
        wanted: String,
    },
    /// A file cannot be given to the program under this name.
    #[error("the file `{name}` cannot be given to the program under this name: {reason}")]
    File {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The module could not be instantiated.
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// Everything about one concrete run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub end: ProcessEnd<u64>,
    /// What the function returned; empty if it did not return.
    pub results: Vec<Number>,
    /// What each call of a sequence returned, in order, for those that did: the first value, or none.
    pub returned: Vec<Option<u64>>,
    /// What it cost, from the call on.
    pub costs: Costs,
    /// What the buffers of the call hold at the end, one entry per argument; `None` for other arguments.
    pub buffers: Vec<Option<Vec<Number>>>,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// WASI functions that are not provided and how often each was called.
    pub unsupported: BTreeMap<&'static str, u64>,
    /// The inputs that the program itself asked for.
    pub asked: Vec<GuestValue>,
    /// Where it was at the end, innermost call first; empty if it returned.
    pub backtrace: Vec<Location>,
    /// What the program said to explain that it trapped (`pessimum.message`).
    pub message: Option<String>,
}

impl Subject {
    /// Checks that the module, the start and the input fit together.
    pub fn new(module: Arc<Module>, start: Start, world: World, limits: Limits) -> Result<Subject, SubjectError> {
        let all = 0..world.plan.arguments.len();
        let whole: Vec<(&Signature, Range<usize>)> = match &start {
            Start::Call(call) => vec![(call, all.clone())],
            Start::Sequence(sequence) => {
                sequence.calls.iter().map(|(call, arguments)| (&**call, arguments.clone())).collect()
            }
            Start::Entry(_) | Start::Command => Vec::new(),
        };
        let mut calls = Vec::new();
        for (call, arguments) in &whole {
            let function = exported(&module, &call.name)?;
            check_call(call, &world.plan.arguments[arguments.clone()], &module, function)?;
            calls.push(Invocation { function, arguments: arguments.clone() });
        }
        match &start {
            Start::Call(_) | Start::Sequence(_) => {}
            Start::Entry(name) => {
                let function = exported(&module, name)?;
                let ty = module.function_type(function);
                if !ty.params.is_empty() {
                    return Err(SubjectError::EntryWithParameters { name: name.clone(), ty: ty.clone() });
                }
                calls.push(Invocation { function, arguments: all });
            }
            Start::Command => {
                let function = function_export(&module, "_start");
                let function =
                    function.ok_or_else(|| SubjectError::NotACommand { exported: function_exports(&module) })?;
                calls.push(Invocation { function, arguments: all });
            }
        }
        if calls.is_empty() {
            return Err(SubjectError::NoCalls);
        }
        let mut pointers = Vec::new();
        for (call, arguments) in &whole {
            pointers.extend(self::pointers(call, &world.plan.arguments[arguments.clone()], &module)?);
        }
        let mut hosts = Vec::new();
        for import in module.imports() {
            if let ExternType::Function(ty) = &import.ty {
                hosts.push(host(import, ty)?);
            }
        }
        let needs_memory = |argument: &Argument| process::buffer_bytes(argument).is_some();
        for (call, arguments) in whole.iter().filter(|_| module.memory_type().is_none()) {
            if let Some(position) = world.plan.arguments[arguments.clone()].iter().position(needs_memory) {
                let message = "the module has no memory, so there is nowhere to put a buffer";
                return Err(SubjectError::Call(call_error(call, position, message.to_string())));
            }
        }
        let initialize = function_export(&module, "_initialize")
            .filter(|&function| *module.function_type(function) == FunctionType::default());
        let allocator = allocator(&module);
        let world = Arc::new(world);
        let wasi = Wasi::new(world.clone()).map_err(|(name, reason)| SubjectError::File { name, reason })?;
        let counted = match &start {
            Start::Sequence(sequence) => sequence.counted,
            Start::Call(_) | Start::Entry(_) | Start::Command => Counted::All,
        };
        let null_handles = matches!(&start, Start::Sequence(sequence) if sequence.null_handles);
        let inner =
            Inner { module, calls, counted, null_handles, world, wasi, limits, hosts, allocator, pointers, initialize };
        Ok(Subject { inner: Arc::new(inner) })
    }

    /// The input's layout.
    pub fn plan(&self) -> &InputPlan {
        &self.inner.world.plan
    }

    /// The function that an argument points to.
    pub(crate) fn pointer(&self, argument: usize) -> Option<u32> {
        self.inner.pointers.get(argument).copied().flatten()
    }

    /// Whether buffers of the call lie behind everything that the memory may grow to.
    pub(crate) fn has_buffers_apart(&self) -> bool {
        self.inner.allocator == Allocator::Pages && self.inner.module.asks_for_memory()
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.inner.module
    }

    /// Which functions a run can call, as far as the code says; by index, imports first.
    pub fn callable(&self) -> Vec<bool> {
        let allocator = match self.inner.allocator {
            Allocator::Size(function) | Allocator::Realloc(function) => Some(function),
            Allocator::Pages => None,
        };
        let before = [self.module().start(), self.inner.initialize, allocator];
        let pointers = self.inner.pointers.iter().flatten().copied();
        self.module().callable_from(
            before.into_iter().flatten().chain(self.inner.calls.iter().map(|call| call.function)).chain(pointers),
        )
    }

    /// The limits of its runs.
    pub fn limits(&self) -> Limits {
        self.inner.limits
    }

    /// One run on this input, from the start to the end.
    pub fn run_concrete(&self, witness: Witness) -> Result<Ran, SubjectError> {
        self.run_concrete_while(witness, &mut || true)
    }

    /// The same as long as `go_on` says so; see [`Process::run_while`].
    pub fn run_concrete_while(&self, witness: Witness, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, SubjectError> {
        self.run_process(Process::<Concrete>::new(self)?, witness, go_on)
    }

    /// The same for [`Ran::message`] alone: programs that can say more about their traps at a price do so
    /// (`pessimum.explains`). Costs may be higher than those of other runs.
    pub fn explain_while(&self, witness: Witness, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, SubjectError> {
        let mut process = Process::<Concrete>::new(self)?;
        process.guest.explains = true;
        self.run_process(process, witness, go_on)
    }

    fn run_process(
        &self,
        mut process: Process<Concrete>,
        witness: Witness,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Ran, SubjectError> {
        let mut domain = Concrete { witness };
        let end = match process.run_while(&mut domain, go_on) {
            ProcessEvent::End(end) => end,
            // Concrete values are known: there is nothing to ask.
            event => unreachable!("a concrete run stopped with {event:?}"),
        };
        // What the last call returned, if there are several.
        let function = self.inner.calls.last().map(|call| call.function).unwrap_or_default();
        let types = &self.inner.module.function_type(function).results;
        let results = match &end {
            ProcessEnd::Returned(values) => {
                types.iter().zip(values).map(|(&ty, &bits)| Number { kind: result_kind(ty), bits }).collect()
            }
            _ => Vec::new(),
        };
        let mut returned = process.returned().to_vec();
        if let ProcessEnd::Returned(values) = &end {
            returned.push(values.first().copied());
        }
        let stopped = !matches!(end, ProcessEnd::Returned(_) | ProcessEnd::Exited(_));
        Ok(Ran {
            results,
            returned,
            costs: process.costs(),
            buffers: process.buffers(),
            stdout: process.stdout().clone(),
            stderr: process.stderr().clone(),
            unsupported: process.unsupported().clone(),
            asked: process.asked(),
            backtrace: if stopped { process.backtrace() } else { Vec::new() },
            message: process.message().filter(|_| stopped).map(str::to_string),
            end,
        })
    }
}

/// Whether anything is provided for this import.
pub fn provided(import: &Import) -> bool {
    match &import.ty {
        ExternType::Function(ty) => !matches!(host(import, ty), Ok(Host::Missing { .. }) | Err(_)),
        ExternType::Memory(_) | ExternType::Table(_) | ExternType::Tag(_) => true,
        ExternType::Global(_) => false,
    }
}

fn host(import: &Import, ty: &FunctionType) -> Result<Host, SubjectError> {
    let known = match import.module.as_str() {
        wasi::MODULE => wasi::signature(&import.name).map(|found| (Host::Wasi(found.0), found)),
        guest::MODULE => guest::signature(&import.name).map(|found| (Host::Guest(found.0), found)),
        "env" if import.name == "abort" && *ty == FunctionType { params: types("iiii"), results: Vec::new() } => {
            return Ok(Host::Abort);
        }
        _ => None,
    };
    let Some((host, (_, params, results))) = known else {
        return Ok(Host::Missing { module: import.module.clone(), name: import.name.clone() });
    };
    let wanted = FunctionType { params: types(params), results: types(results) };
    if *ty != wanted {
        return Err(SubjectError::Import {
            module: import.module.clone(),
            name: import.name.clone(),
            provided: wanted.to_string(),
            wanted: ty.to_string(),
        });
    }
    Ok(host)
}

fn types(letters: &str) -> Vec<ValueType> {
    let ty = |letter| match letter {
        'I' => ValueType::I64,
        'f' => ValueType::F32,
        'F' => ValueType::F64,
        _ => ValueType::I32,
    };
    letters.chars().map(ty).collect()
}

fn function_export(module: &Module, name: &str) -> Option<u32> {
    module.export(name).filter(|export| export.kind == ExternKind::Function).map(|export| export.index)
}

fn function_exports(module: &Module) -> Vec<String> {
    let functions = module.exports().iter().filter(|export| export.kind == ExternKind::Function);
    functions.map(|export| export.name.clone()).collect()
}

fn allocator(module: &Module) -> Allocator {
    use ValueType::I32;
    let typed = |name: &str, params: &[ValueType]| {
        function_export(module, name).filter(|&function| {
            let ty = module.function_type(function);
            ty.params == params && ty.results == [I32]
        })
    };
    if let Some(function) = typed("__pessimum_alloc", &[I32]).or_else(|| typed("malloc", &[I32])) {
        return Allocator::Size(function);
    }
    match typed("cabi_realloc", &[I32; 4]) {
        Some(function) => Allocator::Realloc(function),
        None => Allocator::Pages,
    }
}

fn exported(module: &Module, name: &str) -> Result<u32, SubjectError> {
    if let Some(function) = function_export(module, name) {
        return Ok(function);
    }
    if module.export(name).is_some() {
        return Err(SubjectError::NotAFunction(name.to_string()));
    }
    Err(SubjectError::NoExport { name: name.to_string(), exported: function_exports(module) })
}

fn call_error(call: &Signature, argument: usize, message: String) -> SyntaxError {
    SyntaxError { text: call.text().to_string(), column: call.column(argument), message }
}

/// Whether the arguments fit the function's parameters.
fn check_call(call: &Signature, arguments: &[Argument], module: &Module, function: u32) -> Result<(), SubjectError> {
    let ty = module.function_type(function);
    if arguments.len() != ty.params.len() {
        let (given, wanted) = (arguments.len(), ty.params.len());
        let numbers = format!("the number of parameters is {wanted}, but the number of arguments is {given}");
        let message = format!("`{}` has the type {ty}: {numbers}", call.name);
        return Err(SubjectError::Call(SyntaxError { text: call.text().to_string(), column: 0, message }));
    }
    for (i, (argument, &param)) in arguments.iter().zip(&ty.params).enumerate() {
        let fits = match argument {
            Argument::Scalar(group) => scalar_type(group.kind) == param,
            Argument::Buffer(_)
            | Argument::Text(_)
            | Argument::Zeroed { .. }
            | Argument::Structure(_)
            | Argument::Constant(_)
            | Argument::Returned(_)
            | Argument::Function(_) => param == ValueType::I32,
            Argument::Integer(_) | Argument::Float(_) => constant_bits(argument, param).is_some(),
        };
        if !fits {
            let what = match argument {
                Argument::Scalar(group) => format!("is of type {}, which cannot be passed", group.kind),
                Argument::Integer(value) => format!("is {value}, which cannot be passed"),
                Argument::Float(value) => format!("is {value}, which cannot be passed"),
                _ => "is a pointer (an i32), which cannot be passed".to_string(),
            };
            let message = format!("argument {} {what} as the {param} of `{}`, whose type is {ty}", i + 1, call.name);
            return Err(SubjectError::Call(call_error(call, i, message)));
        }
    }
    Ok(())
}

/// The functions that arguments point to.
fn pointers(call: &Signature, arguments: &[Argument], module: &Module) -> Result<Vec<Option<u32>>, SubjectError> {
    if !arguments.iter().any(|argument| matches!(argument, Argument::Function(_))) {
        return Ok(vec![None; arguments.len()]);
    }
    let names = Names::of(module);
    let mut pointers = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        let Argument::Function(name) = argument else {
            pointers.push(None);
            continue;
        };
        let error = |message: String| SubjectError::Call(call_error(call, i, message));
        let by_name = || (0..module.function_count()).find(|&index| names.get(index) == Some(name));
        let Some(function) = function_export(module, name).or_else(by_name) else {
            let known: Vec<String> =
                (0..module.function_count()).filter_map(|index| names.get(index)).map(str::to_string).collect();
            return Err(SubjectError::NoFunction {
                call: call.text().to_string(),
                column: call.column(i),
                name: name.to_string(),
                known,
            });
        };
        if module.tables.is_empty() {
            return Err(error(format!(
                "the module has no table of functions, so nothing in it can call `{name}` through a pointer"
            )));
        }
        let ty = module.function_type(function);
        if let Some(called) = module.indirect_types().filter(|called| !called.contains(&ty)) {
            let called: Vec<String> = called.iter().map(|ty| ty.to_string()).collect();
            let message = format!("`{name}` has the type {ty}, but functions are called through pointers only as");
            return Err(error(format!("{message} {}", called.join(", "))));
        }
        pointers.push(Some(function));
    }
    Ok(pointers)
}

fn scalar_type(kind: Kind) -> ValueType {
    match kind {
        Kind::F32 => ValueType::F32,
        Kind::F64 => ValueType::F64,
        Kind::I64 | Kind::U64 => ValueType::I64,
        _ => ValueType::I32,
    }
}

/// How a result is printed: integers signed, references as numbers.
fn result_kind(ty: ValueType) -> Kind {
    match ty {
        ValueType::I32 => Kind::I32,
        ValueType::I64 => Kind::I64,
        ValueType::F32 => Kind::F32,
        ValueType::F64 => Kind::F64,
        ValueType::FuncRef | ValueType::ExternRef | ValueType::ExnRef => Kind::U64,
    }
}

/// The bits of a concrete argument for a parameter of this type, if it fits. Integers may be written signed or
/// unsigned.
pub(crate) fn constant_bits(argument: &Argument, param: ValueType) -> Option<u64> {
    let float = match param {
        ValueType::F32 => Some(Kind::F32),
        ValueType::F64 => Some(Kind::F64),
        _ => None,
    };
    match (argument, param, float) {
        (Argument::Integer(value), _, Some(kind)) => Some(float_bits(kind, *value as f64)),
        (Argument::Float(value), _, Some(kind)) => Some(float_bits(kind, *value)),
        (Argument::Integer(value), ValueType::I32 | ValueType::I64, None) => {
            let width = param.width();
            let fits = *value >= -(1 << (width - 1)) && *value < 1 << width;
            fits.then(|| truncate(*value as u64, width))
        }
        _ => None,
    }
}

/// The number of the first variable that is free for the program's own requests.
pub(crate) fn first_free(plan: &InputPlan) -> VariableId {
    VariableId(plan.variables)
}
