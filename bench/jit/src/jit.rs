//! Runs of a counting module in wasmtime.
//!
//! A run needs fresh memory and globals. The module is therefore brought to the state before its call once (start
//! function, `_initialize`, buffers), and this state is made a module of its own, whose instances start there. The
//! pooling allocator gives an instance its memory as a copy-on-write image of that state; what a run has written is
//! found by asking the kernel for written pages and copied back when the instance goes away, or, where that is not
//! available, given back to the kernel page by page.

use std::time::{Duration, Instant};

use pessimum_term::Witness;
use pessimum_wasm::call::{Argument, Group};
use pessimum_wasm::{ExternKind, FunctionType, Module, Site, Subject, ValueType};
use wasm_encoder::{ConstExpr, Ieee32, Ieee64};
use wasmtime::{
    Config, Enabled, Engine, Func, Global, Instance, InstanceAllocationStrategy, InstancePre, Linker, Memory,
    ModuleExport, PoolingAllocationConfig, Store, Val,
};

use crate::instrument::{self, ARMS, Counters, LIMIT, MEMORY, State, TOTAL, global_name};

/// How written memory becomes fresh again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Written pages are looked up and copied back.
    Written,
    /// Every page goes back to the kernel, and is mapped again when it is touched.
    Remapped,
}

/// Bytes of memory that may be copied back rather than given to the kernel. More than any of the programs has.
const RESIDENT: usize = 4 << 20;

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    pub instructions: u64,
    pub returned: bool,
}

/// A program that is compiled and ready to be run.
pub struct Jit {
    engine: Engine,
    ready: InstancePre<()>,
    exports: Exports,
    arguments: Vec<Passed>,
    results: Vec<Val>,
    sites: Vec<Site>,
    limit: u64,
    /// The memory before the call, for runs that only measure the call.
    start: State,
    kept: Option<Kept>,
    /// How long the compiler took.
    pub compile: Duration,
}

/// An instance that is used for several runs, and what its globals are before each.
struct Kept {
    store: Store<()>,
    instance: Instance,
    globals: Vec<(Global, Val)>,
}

struct Exports {
    function: ModuleExport,
    memory: ModuleExport,
    total: ModuleExport,
    limit: ModuleExport,
    arms: Option<ModuleExport>,
}

/// How an argument is passed.
enum Passed {
    Value(Val),
    Scalar(Group, ValueType),
    /// An address, and what is put there.
    Buffer {
        address: u32,
        group: Option<Group>,
        zeros: usize,
    },
}

fn engine(reset: Reset) -> Result<Engine, String> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(4).total_memories(8).total_tables(8).max_memories_per_module(2);
    pool.max_core_instance_size(16 << 20).table_elements(1 << 16).max_unused_warm_slots(8);
    if reset == Reset::Written {
        pool.linear_memory_keep_resident(RESIDENT).table_keep_resident(1 << 20).pagemap_scan(Enabled::Yes);
    }
    let mut config = Config::new();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config.wasm_multi_memory(true).wasm_backtrace_max_frames(None);
    Engine::new(&config).map_err(|error| format!("{error:#}"))
}

impl Jit {
    /// Compiles the program with these counters. `bytes` are those of the subject's module.
    pub fn new(
        bytes: &[u8],
        subject: &Subject,
        function: &str,
        counters: Counters,
        reset: Reset,
        limit: u64,
    ) -> Result<Jit, String> {
        let module = subject.module();
        let counting = instrument::counting(bytes, module, counters)?;
        let engine = engine(reset)?;
        let (start, arguments) = before_the_call(&engine, &counting, subject, function, limit)?;
        let snapshot = instrument::snapshot(&counting, &start)?;
        let begun = Instant::now();
        let compiled = wasmtime::Module::new(&engine, &snapshot).map_err(said)?;
        let compile = begun.elapsed();
        let ready = linker(&engine, &compiled)?.instantiate_pre(&compiled).map_err(said)?;
        let found = |name: &str| compiled.get_export_index(name).ok_or(format!("{name} is not exported"));
        let exports = Exports {
            function: found(function)?,
            memory: found(MEMORY)?,
            total: found(TOTAL)?,
            limit: found(LIMIT)?,
            arms: compiled.get_export_index(ARMS),
        };
        let (_, ty) = exported(module, function).ok_or(format!("{function} is not exported"))?;
        let results = vec![Val::I32(0); ty.results.len()];
        let sites = module.sites().to_vec();
        Ok(Jit { engine, ready, exports, arguments, results, sites, limit, start, kept: None, compile })
    }

    /// One run from a fresh instance. The counts of the arms, if they are counted, replace what is in `arms`. Also
    /// returns what everything but the call took: making the instance, writing the input, reading the counters and
    /// cleaning up. Pages that are touched for the first time are mapped during the call.
    pub fn run(&mut self, input: &Witness, limit: u64, arms: &mut Vec<u64>) -> Result<(Ran, Duration), String> {
        let begun = Instant::now();
        let mut store = Store::new(&self.engine, ());
        let instance = self.ready.instantiate(&mut store).map_err(said)?;
        let (total, place) = self.globals_and_input(&mut store, &instance, input, limit)?;
        let calling = Instant::now();
        let returned = place.0.call(&mut store, &place.1, &mut self.results).is_ok();
        let called = Instant::now();
        let ran = self.read(&mut store, &instance, total, returned, arms)?;
        drop(store);
        Ok((ran, (calling - begun) + called.elapsed()))
    }

    /// How long the call alone takes where all memory is there already, which no kind of set-up can save.
    pub fn call_alone(&mut self, input: &Witness) -> Result<Duration, String> {
        let mut kept = match self.kept.take() {
            Some(kept) => kept,
            None => self.keep()?,
        };
        let memory = memory(&mut kept.store, &kept.instance, &self.exports.memory)?;
        let data = memory.data_mut(&mut kept.store);
        data[..self.start.memory.len()].copy_from_slice(&self.start.memory);
        data[self.start.memory.len()..].fill(0);
        for (global, value) in &kept.globals {
            global.set(&mut kept.store, *value).map_err(said)?;
        }
        let (_, place) = self.globals_and_input(&mut kept.store, &kept.instance, input, self.limit)?;
        let calling = Instant::now();
        let _ = place.0.call(&mut kept.store, &place.1, &mut self.results);
        let time = calling.elapsed();
        // Memory that has grown does not shrink, and the program can tell.
        if memory.size(&kept.store) == self.start.pages {
            self.kept = Some(kept);
        }
        Ok(time)
    }

    fn keep(&self) -> Result<Kept, String> {
        let mut store = Store::new(&self.engine, ());
        let instance = self.ready.instantiate(&mut store).map_err(said)?;
        let mut globals = Vec::new();
        let names = (0..self.start.globals.len() as u32).map(global_name).chain([TOTAL.to_string()]);
        for name in names {
            let global = instance.get_global(&mut store, &name).ok_or("a global is not exported")?;
            if global.ty(&store).mutability() == wasmtime::Mutability::Var {
                let value = global.get(&mut store);
                globals.push((global, value));
            }
        }
        Ok(Kept { store, instance, globals })
    }

    #[allow(clippy::type_complexity)]
    fn globals_and_input(
        &self,
        store: &mut Store<()>,
        instance: &Instance,
        input: &Witness,
        limit: u64,
    ) -> Result<(Global, (Func, Vec<Val>)), String> {
        let function = instance.get_module_export(&mut *store, &self.exports.function).and_then(|it| it.into_func());
        let function = function.ok_or("the function is not exported")?;
        let total = global(store, instance, &self.exports.total)?;
        if limit != self.limit {
            global(store, instance, &self.exports.limit)?.set(&mut *store, Val::I64(limit as i64)).map_err(said)?;
        }
        let memory = memory(store, instance, &self.exports.memory)?;
        let data = memory.data_mut(&mut *store);
        let mut values = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            values.push(argument.put(input, data)?);
        }
        Ok((total, (function, values)))
    }

    fn read(
        &self,
        store: &mut Store<()>,
        instance: &Instance,
        total: Global,
        returned: bool,
        arms: &mut Vec<u64>,
    ) -> Result<Ran, String> {
        let instructions = total.get(&mut *store).i64().unwrap_or(0) as u64;
        arms.clear();
        if let Some(export) = &self.exports.arms {
            let counted = memory(store, instance, export)?;
            let words = counted.data(&*store).as_chunks::<8>().0;
            arms.extend(words[..instrument::slots(&self.sites)].iter().map(|word| u64::from_le_bytes(*word)));
            instrument::settle(&self.sites, arms);
        }
        Ok(Ran { instructions, returned })
    }
}

impl Passed {
    fn put(&self, input: &Witness, memory: &mut [u8]) -> Result<Val, String> {
        let bits = |variable: u32| input.values().get(variable as usize).copied().unwrap_or(0);
        Ok(match self {
            Passed::Value(value) => *value,
            Passed::Scalar(group, ty) => scalar(group, bits(group.first), *ty)?,
            Passed::Buffer { address, group, zeros } => {
                let mut at = *address as usize;
                if let Some(group) = group {
                    let bytes = group.kind.bytes() as usize;
                    for variable in group.first..group.first + group.count {
                        memory[at..at + bytes].copy_from_slice(&bits(variable).to_le_bytes()[..bytes]);
                        at += bytes;
                    }
                }
                memory[at..at + zeros].fill(0);
                Val::I32(*address as i32)
            }
        })
    }
}

/// A variable that is passed by value, extended to the width of its parameter.
fn scalar(group: &Group, bits: u64, ty: ValueType) -> Result<Val, String> {
    let unused = 64 - group.kind.width();
    let extended = if group.kind.is_signed() { ((bits << unused) as i64) >> unused } else { bits as i64 };
    Ok(match ty {
        ValueType::I32 => Val::I32(extended as i32),
        ValueType::I64 => Val::I64(extended),
        ValueType::F32 => Val::F32(bits as u32),
        ValueType::F64 => Val::F64(bits),
        other => return Err(format!("a parameter of type {other}")),
    })
}

fn said(error: wasmtime::Error) -> String {
    format!("{error:#}")
}

fn memory(store: &mut Store<()>, instance: &Instance, export: &ModuleExport) -> Result<Memory, String> {
    let found = instance.get_module_export(store, export).and_then(|found| found.into_memory());
    found.ok_or("the memory is not exported".to_string())
}

fn global(store: &mut Store<()>, instance: &Instance, export: &ModuleExport) -> Result<Global, String> {
    let found = instance.get_module_export(store, export).and_then(|found| found.into_global());
    found.ok_or("a counter is not exported".to_string())
}

/// Imported functions are provided by nothing: the programs import those of WASI, but print nothing.
fn linker(engine: &Engine, module: &wasmtime::Module) -> Result<Linker<()>, String> {
    let mut linker = Linker::new(engine);
    linker.define_unknown_imports_as_traps(module).map_err(said)?;
    Ok(linker)
}

fn exported<'m>(module: &'m Module, name: &str) -> Option<(u32, &'m FunctionType)> {
    let export = module.export(name).filter(|export| export.kind == ExternKind::Function)?;
    Some((export.index, module.function_type(export.index)))
}

/// Does what [`pessimum_wasm::Process`] does before the call, and says where the arguments are then.
fn before_the_call(
    engine: &Engine,
    counting: &[u8],
    subject: &Subject,
    function: &str,
    limit: u64,
) -> Result<(State, Vec<Passed>), String> {
    let module = subject.module();
    let compiled = wasmtime::Module::new(engine, counting).map_err(said)?;
    let mut store = Store::new(engine, ());
    let instance = linker(engine, &compiled)?.instantiate(&mut store, &compiled).map_err(said)?;
    if exported(module, "_initialize").is_some_and(|(_, ty)| *ty == FunctionType::default())
        && function != "_initialize"
    {
        let initialize = instance.get_func(&mut store, "_initialize").ok_or("`_initialize` is not exported")?;
        initialize.call(&mut store, &[], &mut []).map_err(said)?;
    }
    let memory = instance.get_memory(&mut store, MEMORY).ok_or("the memory is not exported")?;
    let sizes: Vec<Option<usize>> = subject.plan().arguments.iter().map(buffer_bytes).collect();
    let mut addresses = vec![0u32; sizes.len()];
    let by_size = ["__pessimum_alloc", "malloc"].into_iter().find(|name| exported(module, name).is_some());
    match by_size {
        Some(name) => {
            let allocate = instance.get_typed_func::<i32, i32>(&mut store, name).map_err(said)?;
            for (address, size) in addresses.iter_mut().zip(&sizes) {
                if let Some(size) = size {
                    *address = allocate.call(&mut store, (*size).max(1) as i32).map_err(said)? as u32;
                }
            }
        }
        None if exported(module, "cabi_realloc").is_some() => return Err("it allocates by `cabi_realloc`".to_string()),
        None => {
            let align = |size: &usize| (*size).max(1).next_multiple_of(16);
            let total: usize = sizes.iter().flatten().map(align).sum();
            if total > 0 {
                let mut next = memory.data_size(&store);
                memory.grow(&mut store, total.div_ceil(1 << 16) as u64).map_err(said)?;
                for (address, size) in addresses.iter_mut().zip(&sizes) {
                    if let Some(size) = size {
                        *address = next as u32;
                        next += align(size);
                    }
                }
            }
        }
    }
    let (_, ty) = exported(module, function).ok_or(format!("{function} is not exported"))?;
    let mut passed = Vec::new();
    for ((argument, &param), &address) in subject.plan().arguments.iter().zip(&ty.params).zip(&addresses) {
        passed.push(match argument {
            Argument::Scalar(group) => Passed::Scalar(group.clone(), param),
            Argument::Buffer(group) => Passed::Buffer { address, group: Some(group.clone()), zeros: 0 },
            Argument::Text(group) => Passed::Buffer { address, group: Some(group.clone()), zeros: 1 },
            Argument::Zeroed { kind, count } => {
                Passed::Buffer { address, group: None, zeros: *count as usize * kind.bytes() as usize }
            }
            Argument::Structure(_) => {
                return Err("the call has a record or an array of arrays in it, which is not supported here".to_string());
            }
            Argument::Returned(_) => return Err("sequences of calls are not supported here".to_string()),
            Argument::Function(_) => return Err("the call has a function in it, which is not supported here".to_string()),
            Argument::Constant(_) => return Err("the call has a text in it, which is not supported here".to_string()),
            Argument::Integer(value) => Passed::Value(number(*value as i64, *value as f64, param)?),
            Argument::Float(value) => Passed::Value(number(0, *value, param)?),
        });
    }
    let mut globals = Vec::new();
    while let Some(global) = instance.get_global(&mut store, &global_name(globals.len() as u32)) {
        globals.push(match global.get(&mut store) {
            Val::I32(value) => Some(ConstExpr::i32_const(value)),
            Val::I64(value) => Some(ConstExpr::i64_const(value)),
            Val::F32(bits) => Some(ConstExpr::f32_const(Ieee32::new(bits))),
            Val::F64(bits) => Some(ConstExpr::f64_const(Ieee64::new(bits))),
            _ => None,
        });
    }
    let data = memory.data(&store);
    let end = data.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let state = State { pages: memory.size(&store), memory: data[..end].to_vec(), globals, limit };
    Ok((state, passed))
}

fn number(whole: i64, float: f64, ty: ValueType) -> Result<Val, String> {
    Ok(match ty {
        ValueType::I32 => Val::I32(whole as i32),
        ValueType::I64 => Val::I64(whole),
        ValueType::F32 => Val::F32((float as f32).to_bits()),
        ValueType::F64 => Val::F64(float.to_bits()),
        other => return Err(format!("a parameter of type {other}")),
    })
}

/// Bytes of an argument's buffer, for those that have one.
fn buffer_bytes(argument: &Argument) -> Option<usize> {
    match argument {
        Argument::Buffer(group) => Some(group.count as usize * group.kind.bytes() as usize),
        Argument::Text(group) => Some(group.count as usize + 1),
        Argument::Zeroed { kind, count } => Some(*count as usize * kind.bytes() as usize),
        Argument::Structure(structure) => Some(structure.bytes as usize),
        Argument::Scalar(_) | Argument::Constant(_) | Argument::Function(_) | Argument::Returned(_) | Argument::Integer(_) | Argument::Float(_) => None,
    }
}
