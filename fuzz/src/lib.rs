//! Random modules, run here and by another engine, which must agree; and damaged modules, which must do no harm.
//!
//! Everything follows from a seed, so the seed identifies a failure.

pub mod calls;
pub mod harness;
pub mod layers;
mod mutate;
pub mod names;
pub mod native;
pub mod records;
mod rewrite;

use std::sync::Arc;

use arbitrary::Unstructured;
use pessimum_term::random::Random;
use pessimum_testkit::smith::supported;
use pessimum_wasm::{
    Concrete, End, Event, Extern, ExternType, HostId, InstanceId, Limits, LinkError, LoadSettings, Machine, Module,
    Trap, ValueType, Weights,
};
use wasmi::{TrapCode, Val};

/// Iterations and calls before a generated module gives up by itself.
const FUEL: u32 = 2000;
/// Frames: more than a module with this fuel can use.
const DEPTH: u32 = 5000;

fn shape(random: &mut Random) -> wasm_smith::Config {
    wasm_smith::Config {
        allow_start_export: random.index(4) == 0,
        // Engines may choose the payload of a NaN; ours is always the canonical one.
        canonicalize_nans: true,
        export_everything: true,
        max_funcs: 2 + random.index(8),
        min_funcs: 2,
        max_imports: random.index(6),
        max_instructions: [20, 100, 400][random.index(3)],
        max_memory32_bytes: 4 * 65536,
        max_table_elements: 200,
        max_tables: 3,
        disallow_traps: random.index(3) == 0,
        ..supported()
    }
}

/// The random module of a seed; none where the generator ran out of bytes.
pub fn generate(seed: u64) -> Option<Vec<u8>> {
    let mut random = Random::new(seed);
    let shape = shape(&mut random);
    let length = [1000, 4000, 16000][random.index(3)];
    let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
    let mut module = wasm_smith::Module::new(shape, &mut Unstructured::new(&bytes)).ok()?;
    module.ensure_termination(FUEL).ok()?;
    Some(module.to_bytes())
}

/// What the comparison of the two engines on a module covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Calls that both engines finished, by returning or with a trap.
    pub calls: u32,
    /// Those of them that trapped.
    pub traps: u32,
    /// Whether neither engine could instantiate the module, because it trapped or could not be linked.
    pub refused: bool,
    /// Whether wasmi panicked (its translator does on some valid modules), so that the rest was not compared.
    pub panicked_there: bool,
}

/// Runs a part of the other engine; returns none where it panicked. Our own panics are never caught.
fn guarded<T>(part: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(part)).ok()
}

/// How a call ended, in the words of both engines.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Returned(Vec<u64>),
    Trapped(TrapCode),
}

/// The other engine, with the features that we have.
fn engine() -> wasmi::Engine {
    let mut config = wasmi::Config::default();
    config.set_max_recursion_depth(DEPTH as usize);
    config.set_max_stack_height(1 << 24);
    config.wasm_tail_call(false).wasm_extended_const(false).wasm_multi_memory(false);
    wasmi::Engine::new(&config)
}

/// Runs every exported function of a module in both engines, one after the other in one instance, and compares all
/// results, traps, globals and memories.
///
/// # Errors
/// The first difference, in words.
pub fn compare(bytes: &[u8], seed: u64) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let module = Module::load(bytes, &LoadSettings::default()).map_err(|error| format!("does not load: {error}"))?;
    let module = Arc::new(module);
    let engine = engine();
    let bytes_there = rewrite::for_wasmi(bytes, &module)?;
    let theirs =
        wasmi::Module::new(&engine, &bytes_there).map_err(|error| format!("wasmi does not load it: {error}"))?;

    let mut ours = Ours::new();
    let started = ours.start(&module);
    // The same code with every instruction at price 1, charged piece by piece: a second way to count.
    let prices = Weights { other: 1, ..Weights::default() };
    let priced = Module::load(bytes, &LoadSettings { weights: Some(prices), ..LoadSettings::default() })
        .map_err(|error| format!("does not load with weights: {error}"))?;
    let mut counting = Ours::new();
    let counting_started = counting.start(&Arc::new(priced));
    if counting_started != started {
        return Err(format!("instantiation: {started:?}, with weights {counting_started:?}"));
    }
    counting.same_count()?;
    let mut store = wasmi::Store::new(&engine, ());
    let imports = their_imports(&mut store, &theirs);
    let Some(their_instance) = guarded(|| wasmi::Instance::new(&mut store, &theirs, &imports)) else {
        compared.panicked_there = true;
        return Ok(compared);
    };
    let (instance, their_instance) = match (started, their_instance) {
        (Ok(instance), Ok(their_instance)) => (instance, their_instance),
        (Err(ours), Err(theirs)) => {
            let code = theirs.as_trap_code();
            // Segments that do not fit are a separate kind of error in wasmi.
            if ours.is_some() && code.is_some() && ours != code {
                return Err(format!("instantiation: {ours:?} here, {theirs} there"));
            }
            compared.refused = true;
            return Ok(compared);
        }
        (Ok(_), Err(error)) => return Err(format!("only wasmi refuses to instantiate: {error}")),
        (Err(trap), Ok(_)) => return Err(format!("only we refuse to instantiate: {trap:?}")),
    };

    let mut random = Random::new(seed ^ 0x5eed);
    for export in module.exports() {
        let Some(Extern::Function(function)) = ours.machine.export(instance, &export.name) else { continue };
        let ty = ours.machine.function_type(function).clone();
        let args: Vec<u64> = ty.params.iter().map(|&ty| argument(ty, &mut random)).collect();
        let our_outcome = ours.call(function, &args);
        let counting_outcome = counting.call(function, &args);
        let (costs, counted) = (ours.machine.costs(), counting.machine.costs());
        if our_outcome != counting_outcome || costs.instructions != counted.instructions {
            return Err(format!("{our_outcome:?}, {costs:?}, with weights {counting_outcome:?}, {counted:?}"));
        }
        counting.same_count()?;
        let Some(our_outcome) = our_outcome else { continue };
        let their_function = their_instance.get_func(&store, &export.name).expect("both have the same exports");
        let their_args: Vec<Val> = ty.params.iter().zip(&args).map(|(&ty, &bits)| value(ty, bits)).collect();
        let mut results = vec![Val::I32(0); ty.results.len()];
        let Some(called) = guarded(|| their_function.call(&mut store, &their_args, &mut results)) else {
            compared.panicked_there = true;
            return Ok(compared);
        };
        let their_outcome = match called {
            Ok(()) => Outcome::Returned(results.iter().map(bits).collect()),
            Err(error) => Outcome::Trapped(error.as_trap_code().ok_or(format!("wasmi: {error}"))?),
        };
        let name = &export.name;
        match (&our_outcome, &their_outcome) {
            (Outcome::Returned(ours), Outcome::Returned(theirs)) => {
                let same = ours.len() == theirs.len()
                    && ours.iter().zip(theirs).zip(&ty.results).all(|((&a, &b), &ty)| same(ty, a, b));
                if !same {
                    return Err(format!("`{name}` of {args:x?} gives {ours:x?} here, {theirs:x?} there"));
                }
            }
            (Outcome::Trapped(ours), Outcome::Trapped(theirs)) if ours == theirs => compared.traps += 1,
            _ => return Err(format!("`{name}` of {args:x?}: {our_outcome:?} here, {their_outcome:?} there")),
        }
        compared.calls += 1;
    }
    compare_state(&module, &ours.machine, instance, &store, their_instance)?;
    Ok(compared)
}

fn compare_state(
    module: &Module,
    ours: &Machine<Concrete>,
    instance: InstanceId,
    store: &wasmi::Store<()>,
    theirs: wasmi::Instance,
) -> Result<(), String> {
    for export in module.exports() {
        let name = &export.name;
        match (ours.export(instance, name), theirs.get_export(store, name)) {
            (Some(Extern::Global(a)), Some(wasmi::Extern::Global(b))) => {
                let (ty, a, b) = (ours.global_type(a).value, ours.global(a), bits(&b.get(store)));
                if !same(ty, a, b) {
                    return Err(format!("global `{name}` ends as {a:x} here, {b:x} there"));
                }
            }
            (Some(Extern::Memory(a)), Some(wasmi::Extern::Memory(b))) => {
                let a = ours.memory(a);
                if a.read(0, a.len()).as_deref() != Some(b.data(store)) {
                    return Err(format!("memory `{name}` ends differently"));
                }
            }
            (Some(Extern::Table(a)), Some(wasmi::Extern::Table(b))) => {
                let a = ours.table(a);
                let size = b.size(store);
                let equal = a.len() as u64 == size
                    && (0..size).all(|i| b.get(store, i).is_some_and(|b| b.is_null() == (a[i as usize] == 0)));
                if !equal {
                    return Err(format!("table `{name}` ends differently"));
                }
            }
            (Some(Extern::Function(_)), Some(wasmi::Extern::Func(_))) => {}
            _ => return Err(format!("export `{name}` is not the same thing in both")),
        }
    }
    Ok(())
}

struct Ours {
    machine: Machine<Concrete>,
}

impl Ours {
    fn new() -> Ours {
        Ours { machine: Machine::new(Limits { call_depth: DEPTH, ..Limits::default() }) }
    }

    /// Makes an instance and runs its start function.
    fn start(&mut self, module: &Arc<Module>) -> Result<InstanceId, Option<TrapCode>> {
        let mut next = 0;
        let instance = self.machine.instantiate(module.clone(), &mut |machine, import| {
            next += 1;
            Some(match &import.ty {
                ExternType::Function(ty) => Extern::Function(machine.host_function(ty.clone(), HostId(next))),
                ExternType::Table(ty) => Extern::Table(machine.new_table(*ty).ok()?),
                ExternType::Memory(ty) => Extern::Memory(machine.new_memory(*ty).ok()?),
                ExternType::Global(ty) => Extern::Global(machine.new_global(*ty, 0)),
                ExternType::Tag(ty) => Extern::Tag(machine.new_tag(ty)),
            })
        });
        let instance = instance.map_err(|error| match error {
            LinkError::Trapped(trap) => code(&trap),
            _ => None,
        })?;
        if self.machine.call_start(instance) {
            match self.run() {
                Some(Outcome::Returned(_)) => {}
                Some(Outcome::Trapped(code)) => return Err(Some(code)),
                None => return Err(None),
            }
        }
        Ok(instance)
    }

    fn call(&mut self, function: pessimum_wasm::FunctionAddress, args: &[u64]) -> Option<Outcome> {
        self.machine.call(function, args);
        self.run()
    }

    /// Both ways of counting instructions must agree.
    fn same_count(&self) -> Result<(), String> {
        let costs = self.machine.costs();
        match costs.weighted {
            Some(weighted) if weighted != costs.instructions => Err(format!("counts differ: {costs:?}")),
            _ => Ok(()),
        }
    }

    /// Every host function returns zeros.
    fn run(&mut self) -> Option<Outcome> {
        loop {
            match self.machine.run(&mut Concrete::default()) {
                Event::Host { results, .. } => self.machine.resume(&vec![0; results]),
                Event::End(End::Returned(values)) => return Some(Outcome::Returned(values)),
                Event::End(End::Trapped(trap)) => return code(&trap).map(Outcome::Trapped),
                Event::End(End::Limit(_) | End::Exited(_)) | Event::Decision(_) | Event::Pause => return None,
            }
        }
    }
}

fn code(trap: &Trap) -> Option<TrapCode> {
    Some(match trap {
        Trap::Unreachable => TrapCode::UnreachableCodeReached,
        Trap::DivideByZero => TrapCode::IntegerDivisionByZero,
        Trap::IntegerOverflow => TrapCode::IntegerOverflow,
        Trap::InvalidConversion => TrapCode::BadConversionToInteger,
        Trap::MemoryOutOfBounds => TrapCode::MemoryOutOfBounds,
        Trap::TableOutOfBounds | Trap::UndefinedElement => TrapCode::TableOutOfBounds,
        Trap::UninitializedElement => TrapCode::IndirectCallToNull,
        Trap::IndirectCallType => TrapCode::BadSignature,
        Trap::Host | Trap::UncaughtException | Trap::NullException | Trap::Exception => return None,
    })
}

fn their_imports(store: &mut wasmi::Store<()>, module: &wasmi::Module) -> Vec<wasmi::Extern> {
    let types: Vec<wasmi::ExternType> = module.imports().map(|import| import.ty().clone()).collect();
    let mut imports = Vec::new();
    for ty in types {
        imports.push(match ty {
            wasmi::ExternType::Func(ty) => {
                let zeros: Vec<Val> = ty.results().iter().map(|&ty| Val::default_for_ty(ty)).collect();
                wasmi::Extern::Func(wasmi::Func::new(&mut *store, ty, move |_, _, results| {
                    results.clone_from_slice(&zeros);
                    Ok(())
                }))
            }
            wasmi::ExternType::Table(ty) => {
                let null = wasmi::Ref::default_for_ty(ty.element());
                wasmi::Extern::Table(wasmi::Table::new(&mut *store, ty, null).expect("tables are small"))
            }
            wasmi::ExternType::Memory(ty) => {
                wasmi::Extern::Memory(wasmi::Memory::new(&mut *store, ty).expect("memories are small"))
            }
            wasmi::ExternType::Global(ty) => {
                let zero = Val::default_for_ty(ty.content());
                wasmi::Extern::Global(wasmi::Global::new(&mut *store, zero, ty.mutability()))
            }
        });
    }
    imports
}

/// Small numbers and the ends of the range, where most programs behave differently.
fn argument(ty: ValueType, random: &mut Random) -> u64 {
    let bits = match random.index(4) {
        0 => random.index(16) as u64,
        1 => u64::MAX >> random.index(64),
        2 => 1 << random.index(64),
        _ => random.bits(),
    };
    match ty {
        ValueType::I32 => bits as u32 as u64,
        ValueType::I64 => bits,
        // No NaN, whose payload the engines may treat differently.
        ValueType::F32 => Some(f32::from_bits(bits as u32)).filter(|x| !x.is_nan()).unwrap_or(0.5).to_bits() as u64,
        ValueType::F64 => Some(f64::from_bits(bits)).filter(|x| !x.is_nan()).unwrap_or(0.5).to_bits(),
        ValueType::FuncRef | ValueType::ExternRef | ValueType::ExnRef => 0,
    }
}

fn value(ty: ValueType, bits: u64) -> Val {
    match ty {
        ValueType::I32 => Val::I32(bits as i32),
        ValueType::I64 => Val::I64(bits as i64),
        ValueType::F32 => Val::F32(wasmi::F32::from_bits(bits as u32)),
        ValueType::F64 => Val::F64(wasmi::F64::from_bits(bits)),
        ValueType::FuncRef => Val::default_for_ty(wasmi::ValType::FuncRef),
        ValueType::ExternRef => Val::default_for_ty(wasmi::ValType::ExternRef),
        ValueType::ExnRef => unreachable!("modules for both engines have no exceptions"),
    }
}

fn bits(value: &Val) -> u64 {
    match value {
        Val::I32(value) => *value as u32 as u64,
        Val::I64(value) => *value as u64,
        Val::F32(value) => value.to_bits() as u64,
        Val::F64(value) => value.to_bits(),
        Val::FuncRef(reference) => !reference.is_null() as u64,
        Val::ExternRef(reference) => !reference.is_null() as u64,
        Val::V128(_) => unreachable!("there are no vectors"),
    }
}

/// References are compared only by whether they are null, which is all that both engines show.
fn same(ty: ValueType, ours: u64, theirs: u64) -> bool {
    match ty {
        ValueType::FuncRef | ValueType::ExternRef | ValueType::ExnRef => (ours == 0) == (theirs == 0),
        _ => ours == theirs,
    }
}

/// A damaged copy: cut off, with flipped bits, with bytes replaced or with a piece repeated.
pub fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    match random.index(4) {
        0 => bytes.truncate(random.index(bytes.len() + 1)),
        1 => {
            for _ in 0..1 + random.index(4) {
                let at = random.index(bytes.len());
                bytes[at] ^= 1 << random.index(8);
            }
        }
        2 => {
            for _ in 0..1 + random.index(8) {
                let at = random.index(bytes.len());
                bytes[at] = random.bits() as u8;
            }
        }
        _ => {
            let (from, to) = (random.index(bytes.len()), random.index(bytes.len()));
            let length = random.index(bytes.len() - from.max(to)).min(64);
            let piece = bytes[from..from + length].to_vec();
            bytes.splice(to..to, piece);
        }
    }
    bytes
}

/// Loads a module that may be damaged and, where it loads, runs it for a while. Returns whether it loaded.
///
/// That this returns is the point: no panic, no endless loop, no more memory than the limits allow.
pub fn survive(bytes: &[u8]) -> bool {
    let Ok(module) = Module::load(bytes, &LoadSettings::default()) else { return false };
    let module = Arc::new(module);
    let limits = Limits {
        instructions: 200_000,
        memory: 64 << 20,
        call_depth: 1000,
        stack_values: 1 << 20,
        table_elements: 1 << 20,
    };
    let mut ours = Ours { machine: Machine::new(limits) };
    let Ok(instance) = ours.start(&module) else { return true };
    for export in module.exports() {
        if let Some(Extern::Function(function)) = ours.machine.export(instance, &export.name) {
            let args = vec![0; ours.machine.function_type(function).params.len()];
            let spent = ours.machine.costs().instructions;
            ours.machine.limits_mut().instructions = spent + 100_000;
            ours.call(function, &args);
        }
    }
    true
}
