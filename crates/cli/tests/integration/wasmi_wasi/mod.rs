//! A second, independent and much smaller WASI on top of `wasmi`: what programs print there is what they must print
//! under Pessimum.

use wasmi::{
    Caller, Engine, Extern, ExternType, Func, Instance, Linker, Memory, Module, Store, Val, errors::HostError,
};

/// What a program left behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub exit_code: i32,
}

struct State {
    stdin: Vec<u8>,
    position: usize,
    outputs: [Vec<u8>; 2],
    arguments: Vec<String>,
}

#[derive(Debug)]
struct Exit(i32);

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit {}", self.0)
    }
}

impl HostError for Exit {}

fn memory(caller: &Caller<'_, State>) -> Memory {
    caller.get_export("memory").and_then(Extern::into_memory).expect("a WASI program exports its memory")
}

fn u32_at(caller: &Caller<'_, State>, address: u32) -> u32 {
    let mut bytes = [0; 4];
    memory(caller).read(caller, address as usize, &mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}

fn put(caller: &mut Caller<'_, State>, address: u32, bytes: &[u8]) {
    memory(caller).write(caller, address as usize, bytes).unwrap();
}

fn vectors(caller: &Caller<'_, State>, list: u32, count: u32) -> Vec<(u32, u32)> {
    (0..count).map(|i| (u32_at(caller, list + 8 * i), u32_at(caller, list + 8 * i + 4))).collect()
}

/// Runs `_start` with these bytes on standard input and these arguments after the program's name.
pub fn run(module: &[u8], stdin: &[u8], arguments: &[&str]) -> Ran {
    let engine = Engine::default();
    let module = Module::new(&engine, module).unwrap();
    let mut line = vec!["program".to_string()];
    line.extend(arguments.iter().map(|argument| argument.to_string()));
    let state = State { stdin: stdin.to_vec(), position: 0, outputs: [Vec::new(), Vec::new()], arguments: line };
    let mut store = Store::new(&engine, state);
    let mut linker = Linker::new(&engine);
    define(&mut linker, &mut store, &module);
    let instance: Instance = linker.instantiate_and_start(&mut store, &module).unwrap();
    let start = instance.get_typed_func::<(), ()>(&store, "_start").unwrap();
    let exit_code = match start.call(&mut store, ()) {
        Ok(()) => 0,
        Err(error) => error.downcast_ref::<Exit>().unwrap_or_else(|| panic!("{error}")).0,
    };
    let [stdout, stderr] = std::mem::take(&mut store.data_mut().outputs);
    Ran { stdout, stderr, exit_code }
}

fn define(linker: &mut Linker<State>, store: &mut Store<State>, module: &Module) {
    for import in module.imports() {
        let ExternType::Func(ty) = import.ty() else { panic!("import of {}", import.name()) };
        let name = import.name().to_string();
        let returns = !ty.results().is_empty();
        let function =
            Func::new(&mut *store, ty.clone(), move |mut caller, parameters: &[Val], results: &mut [Val]| {
                let a: Vec<u32> = parameters
                    .iter()
                    .map(|value| value.i32().map_or_else(|| value.i64().unwrap_or(0) as u32, |value| value as u32))
                    .collect();
                let errno = answer(&name, &mut caller, &a)?;
                if returns {
                    results[0] = Val::I32(errno);
                }
                Ok(())
            });
        linker.define(import.module(), import.name(), function).unwrap();
    }
}

fn answer(name: &str, caller: &mut Caller<'_, State>, a: &[u32]) -> Result<i32, wasmi::Error> {
    match name {
        "proc_exit" => return Err(wasmi::Error::host(Exit(a[0] as i32))),
        "args_sizes_get" => {
            let line = &caller.data().arguments;
            let (count, bytes) =
                (line.len() as u32, line.iter().map(|argument| argument.len() as u32 + 1).sum::<u32>());
            put(caller, a[0], &count.to_le_bytes());
            put(caller, a[1], &bytes.to_le_bytes());
        }
        "args_get" => {
            let mut at = a[1];
            for (i, argument) in caller.data().arguments.clone().into_iter().enumerate() {
                put(caller, a[0] + 4 * i as u32, &at.to_le_bytes());
                put(caller, at, argument.as_bytes());
                at += argument.len() as u32;
                put(caller, at, &[0]);
                at += 1;
            }
        }
        "environ_sizes_get" => {
            put(caller, a[0], &[0; 4]);
            put(caller, a[1], &[0; 4]);
        }
        "environ_get" | "fd_close" => {}
        "random_get" => {
            let bytes: Vec<u8> = (0..a[1]).map(|i| (i * 37 + 11) as u8).collect();
            put(caller, a[0], &bytes);
        }
        "clock_time_get" => put(caller, a[2], &[0; 8]),
        "fd_prestat_get" => return Ok(8),
        "fd_seek" => return Ok(70),
        "fd_fdstat_get" => put(caller, a[1], &[0; 24]),
        "fd_read" => {
            let mut total = 0u32;
            for (address, length) in vectors(caller, a[1], a[2]) {
                let state = caller.data_mut();
                let end = state.stdin.len().min(state.position + length as usize);
                let bytes = state.stdin[state.position..end].to_vec();
                state.position = end;
                total += bytes.len() as u32;
                put(caller, address, &bytes);
            }
            put(caller, a[3], &total.to_le_bytes());
        }
        "fd_write" => {
            let mut total = 0;
            for (address, length) in vectors(caller, a[1], a[2]) {
                let mut bytes = vec![0; length as usize];
                memory(caller).read(&*caller, address as usize, &mut bytes).unwrap();
                caller.data_mut().outputs[a[0] as usize - 1].extend(bytes);
                total += length;
            }
            put(caller, a[3], &total.to_le_bytes());
        }
        _ => return Ok(52),
    }
    Ok(0)
}
