//! The functions of a module behind the trait [`Library`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pessimum_input::{Argument, Declaration, DeclaredResult, InputPlan, LaidOut};
use pessimum_outcome::{Costs, End};
use pessimum_search::layout;
use pessimum_search::observation::Observation;
use pessimum_search::places::Places;
use pessimum_search::program::{PathLimits, Program, Replay, Variable};
use pessimum_suites::{Call, Function, Library, Parameter, Ran, Returned, Test};
use pessimum_wasm::{Counted, Limits, Module, Sequence, Start, Subject, World};

use crate::observe::Map;
use crate::{WasmProgram, machine_limits, texts};

/// Calls by which crashes are told apart, innermost first.
const CALLS: usize = 8;

/// A module with the declarations of its functions.
pub struct WasmLibrary {
    name: String,
    module: Arc<Module>,
    limits: Limits,
    declarations: Vec<Declaration>,
    functions: Vec<Function>,
    types: Vec<String>,
    /// By function: whether two of its parameters must not be the same handle.
    apart: Vec<bool>,
    /// Whether calls may be passed 0 as a handle.
    null_handles: bool,
    map: Arc<Map>,
    variables: Mutex<Known>,
}

/// The variables of calls that were asked for, by function and sizes.
type Known = BTreeMap<(usize, Vec<u32>), Arc<[Variable]>>;

impl WasmLibrary {
    /// Checks that the declarations fit the module. `name` is for messages.
    pub fn new(
        name: String,
        module: Arc<Module>,
        declarations: Vec<Declaration>,
        limits: Limits,
    ) -> Result<WasmLibrary, String> {
        let mut types: Vec<String> = Vec::new();
        let made = declarations.iter().filter_map(|declared| match &declared.result {
            Some(DeclaredResult::Handle(ty)) => Some(ty),
            _ => None,
        });
        for ty in made {
            if !types.contains(ty) {
                types.push(ty.clone());
            }
        }
        let number = |ty: &str| types.iter().position(|known| known == ty);
        let mut functions: Vec<Function> = Vec::new();
        for declared in &declarations {
            let called = &declared.signature().name;
            if functions.iter().any(|known| known.name == *called) {
                return Err(format!("`{called}` is declared twice"));
            }
            let mut parameters = Vec::new();
            for argument in 0..declared.signature().arity() {
                parameters.push(match declared.signature().handle(argument) {
                    None => Parameter::Data,
                    Some(handle) => match number(&handle.ty) {
                        Some(ty) => Parameter::Handle { ty, moved: handle.moved },
                        None => {
                            let ty = &handle.ty;
                            return Err(format!(
                                "`{called}` wants a {ty}, but no function returns one; declare its constructor, as in \
                                 `{}_new() -> {ty}`",
                                ty.to_lowercase()
                            ));
                        }
                    },
                });
            }
            let returned = match &declared.result {
                None => Returned::Nothing,
                Some(DeclaredResult::Number(_) | DeclaredResult::Digest) => Returned::Number,
                Some(DeclaredResult::Handle(ty)) => Returned::Handle(number(ty).unwrap_or_default()),
            };
            functions.push(Function { name: called.clone(), parameters, sizes: declared.sizes(), returned });
        }
        if functions.is_empty() {
            return Err("no function is declared that tests could call".to_string());
        }
        let mut library = WasmLibrary {
            name,
            module: module.clone(),
            limits,
            declarations,
            apart: vec![false; functions.len()],
            null_handles: false,
            functions,
            types,
            map: Arc::default(),
            variables: Mutex::default(),
        };
        library.map = Arc::new(Map::of(&module, &library.check()?));
        Ok(library)
    }

    /// Whether every declaration fits its function; returns which functions calls can reach.
    fn check(&self) -> Result<Vec<bool>, String> {
        let mut callable = Vec::new();
        for (declared, function) in self.declarations.iter().zip(&self.functions) {
            let mut plan = InputPlan::default();
            let none = vec![0; function.handles().count()];
            let laid_out = declared.lay_out(&mut plan, &vec![1; function.sizes.len()], &none);
            laid_out.map_err(|error| error.to_string())?;
            let calls = vec![(declared.signature().clone(), 0..plan.arguments.len())];
            let subject = self.start(plan, Sequence { calls, counted: Counted::All, null_handles: true })?;
            let exported = self.module.export(&function.name).map(|export| export.index).unwrap_or_default();
            let results = self.module.function_type(exported).results.len();
            if function.returned != Returned::Nothing && results == 0 {
                let text = declared.text();
                return Err(format!("`{text}` has a result, but `{}` returns nothing", function.name));
            }
            let reached = subject.callable();
            callable.resize(reached.len(), false);
            callable.iter_mut().zip(reached).for_each(|(known, reached)| *known |= reached);
        }
        Ok(callable.split_off(self.module.imported_function_count() as usize))
    }

    fn start(&self, plan: InputPlan, sequence: Sequence) -> Result<Subject, String> {
        let world = World { plan, program: self.name.clone(), environment: Vec::new() };
        let subject = Subject::new(self.module.clone(), Start::Sequence(sequence), world, self.limits);
        subject.map_err(|error| error.to_string())
    }

    /// The same, where functions that `exclusive` names are never passed one handle twice, because they may change what is
    /// behind it and the language promises them that nothing else refers to it.
    pub fn keeping_apart(mut self, exclusive: impl Fn(&str) -> bool) -> WasmLibrary {
        self.apart = self.functions.iter().map(|function| exclusive(&function.name)).collect();
        self
    }

    /// The same, where calls may be passed 0 as a handle, or not ([`Sequence::null_handles`]). By default they may not.
    pub fn with_null_handles(mut self, permitted: bool) -> WasmLibrary {
        self.null_handles = permitted;
        self
    }

    /// The declarations, in the order of [`Library::functions`].
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// The input of these calls, as it is laid out: one after the other, and which arguments belong to each.
    pub fn plan(&self, calls: &[Call]) -> Result<(InputPlan, Vec<std::ops::Range<usize>>), String> {
        let mut plan = InputPlan::default();
        let mut parts = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let declared = self.declarations.get(call.function).ok_or("a call of a function that is not declared")?;
            if call.handles.iter().any(|&handle| handle >= at) {
                return Err(format!("`{}` is passed what no earlier call returned", declared.signature().name));
            }
            let first = plan.arguments.len();
            declared.lay_out(&mut plan, &call.sizes, &call.handles).map_err(|error| error.to_string())?;
            parts.push(first..plan.arguments.len());
        }
        Ok((plan, parts))
    }

    /// Each of these calls with what it is passed, for tests in the language of the source.
    pub fn laid_out(&self, calls: &[Call]) -> Result<Vec<LaidOut>, String> {
        let (plan, parts) = self.plan(calls)?;
        let passed = |argument: &&Argument| !matches!(argument, Argument::Returned(_));
        let laid_out = |(call, part): (&Call, std::ops::Range<usize>)| LaidOut {
            function: self.functions[call.function].name.clone(),
            handles: call.handles.clone(),
            arguments: plan.arguments[part].iter().filter(passed).cloned().collect(),
            result: self.declarations[call.function].result.clone(),
        };
        Ok(calls.iter().zip(parts).map(laid_out).collect())
    }

    /// These calls as a subject.
    pub fn subject(&self, calls: &[Call], counted: Counted) -> Result<Subject, String> {
        let (plan, parts) = self.plan(calls)?;
        let signatures = calls.iter().map(|call| self.declarations[call.function].signature().clone());
        let (calls, null_handles) = (signatures.zip(parts).collect(), self.null_handles);
        self.start(plan, Sequence { calls, counted, null_handles })
    }

    /// The same functions of another module, which has to have the same exports: one with a mistake, say. Places are those
    /// of this one.
    pub fn of_module(&self, module: Arc<Module>) -> WasmLibrary {
        WasmLibrary {
            name: self.name.clone(),
            module,
            limits: self.limits,
            declarations: self.declarations.clone(),
            functions: self.functions.clone(),
            types: self.types.clone(),
            apart: self.apart.clone(),
            null_handles: self.null_handles,
            map: self.map.clone(),
            variables: Mutex::default(),
        }
    }

    /// One concrete run without observation: how it ended, and the numbers that calls returned. Handles are addresses, which
    /// mean nothing.
    pub fn outcome(
        &self,
        test: &Test,
        limits: &PathLimits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(End, Vec<Option<u64>>), String> {
        let limited = WasmLibrary { limits: machine_limits(limits), ..self.of_module(self.module.clone()) };
        let subject = limited.subject(&test.calls, Counted::All)?;
        if !subject.plan().is_utf8(&test.input) {
            return Ok((End::AssumptionViolated, Vec::new()));
        }
        let ran = subject.run_concrete_while(test.input.clone(), go_on).map_err(|error| error.to_string())?;
        let numbers = test.calls.iter().map(|call| self.functions[call.function].returned == Returned::Number);
        let returned = ran.returned.iter().zip(numbers).map(|(&value, is_number)| value.filter(|_| is_number));
        Ok((ran.end.kind(), returned.collect()))
    }

    /// These calls as a program of which all calls, or only the last one, cost something.
    pub fn counting(&self, calls: &[Call], counted: Counted) -> Result<WasmProgram, String> {
        let subject = self.subject(calls, counted)?;
        let program = WasmProgram::new(self.name.clone(), subject).map_err(|error| error.to_string())?;
        Ok(program.with_map(self.map.clone()))
    }
}

impl Library for WasmLibrary {
    fn name(&self) -> &str {
        &self.name
    }

    fn functions(&self) -> &[Function] {
        &self.functions
    }

    fn handle_types(&self) -> &[String] {
        &self.types
    }

    fn places(&self) -> Arc<Places> {
        self.map.places.clone()
    }

    fn texts(&self) -> Vec<Vec<u8>> {
        texts::of(&self.module)
    }

    fn variables(&self, function: usize, sizes: &[u32]) -> Result<Arc<[Variable]>, String> {
        let mut known = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (function, sizes.to_vec());
        if let Some(found) = known.get(&key) {
            return Ok(found.clone());
        }
        let declared = self.declarations.get(function).ok_or("a function that is not declared")?;
        let mut plan = InputPlan::default();
        let none = vec![0; declared.handles().count()];
        declared.lay_out(&mut plan, sizes, &none).map_err(|error| error.to_string())?;
        let found: Arc<[Variable]> = layout::variables(&plan).into();
        known.insert(key, found.clone());
        Ok(found)
    }

    fn program(&self, calls: &[Call]) -> Result<Box<dyn Program>, String> {
        Ok(Box::new(self.counting(calls, Counted::All)?))
    }

    fn program_counting(&self, calls: &[Call], counted: pessimum_suites::Counted) -> Result<Box<dyn Program>, String> {
        let counted = match counted {
            pessimum_suites::Counted::Everything => Counted::All,
            pessimum_suites::Counted::LastCall => Counted::Last,
        };
        Ok(Box::new(self.counting(calls, counted)?))
    }

    fn permits_same_handle(&self, function: usize) -> bool {
        !self.apart.get(function).copied().unwrap_or(false)
    }

    fn crash_place(&self, test: &Test, limits: &PathLimits) -> Option<String> {
        let limited = WasmLibrary { limits: machine_limits(limits), ..self.of_module(self.module.clone()) };
        let ran = limited.subject(&test.calls, Counted::All).ok()?.run_concrete(test.input.clone()).ok()?;
        // The innermost place is often in a library's code that ends all programs alike.
        let places: Vec<String> =
            ran.backtrace.iter().map(|at| format!("{}:{:#x}", at.function, at.offset)).take(CALLS).collect();
        (!places.is_empty()).then(|| places.join(" "))
    }

    fn repair(&self, test: &mut Test) {
        if let Ok((plan, _)) = self.plan(&test.calls)
            && !plan.is_utf8(&test.input)
        {
            plan.repair(&mut test.input);
        }
    }

    fn run_while(&self, test: &Test, limits: &PathLimits, go_on: &mut dyn FnMut() -> bool) -> Result<Ran, String> {
        let subject = self.subject(&test.calls, Counted::All)?;
        if !subject.plan().is_utf8(&test.input) {
            let nothing = Replay { end: End::AssumptionViolated, costs: Costs::default(), unsupported: 0 };
            return Ok(Ran { observation: Observation::unobserved(nothing), returned: Vec::new() });
        }
        let seen = subject
            .observe_while(test.input.clone(), machine_limits(limits), go_on)
            .map_err(|error| error.to_string())?;
        let declared = test.calls.iter().map(|call| self.functions[call.function].returned);
        let returned = seen.returned.iter().zip(declared);
        let returned = returned.map(|(&value, declared)| value.filter(|_| declared != Returned::Nothing)).collect();
        Ok(Ran { observation: self.map.observation(&self.module, &seen), returned })
    }
}
