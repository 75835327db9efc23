//! The functions of WASI preview 1: the table, and how a call is made.

use super::files::*;
use super::paths::*;
use super::{CLOCK_STEP, Errno, Wasi, content_length};
use crate::host::{
    Caller, Interrupt, Outcome, check_range, read_bytes, read_u32, read_u64, write_bytes, write_u32, write_u64,
};
use pessimum_input::Content;

/// A list that a program passes has at most this many entries.
pub(super) const MAX_ENTRIES: u64 = 1024;

/// The most random bytes that one call may ask for, so that no call takes long.
const MAX_RANDOM: u64 = 1 << 22;

/// Why a call ends early.
pub(super) enum Stop<V> {
    Errno(Errno),
    NeedConcrete(V, u32),
}

impl<V> From<Errno> for Stop<V> {
    fn from(errno: Errno) -> Stop<V> {
        Stop::Errno(errno)
    }
}

impl<V> From<Interrupt<V>> for Stop<V> {
    fn from(interrupt: Interrupt<V>) -> Stop<V> {
        match interrupt {
            Interrupt::OutOfBounds => Stop::Errno(Errno::Fault),
            Interrupt::NeedConcrete(value, width) => Stop::NeedConcrete(value, width),
        }
    }
}

pub(super) type Done<C> = Result<(), Stop<<C as Caller>::Value>>;

/// A function of the interface; its arguments are already numbers.
type Function<C> = fn(&mut Wasi, &mut C, &[u64]) -> Done<C>;

/// Name, parameter types (`i` for i32, `I` for i64) and function. All but `proc_exit` return an i32.
macro_rules! functions {
    ($($name:ident $parameters:literal $function:ident,)*) => {
        const SIGNATURES: &[(&str, &str)] = &[("proc_exit", "i"), $((stringify!($name), $parameters),)*];

        fn function<C: Caller>(name: &str) -> Function<C> {
            match name {
                $(stringify!($name) => $function,)*
                _ => unsupported,
            }
        }
    };
}

functions! {
    args_get "ii" args_get,
    args_sizes_get "ii" args_sizes_get,
    clock_res_get "ii" clock_res_get,
    clock_time_get "iIi" clock_time_get,
    environ_get "ii" environ_get,
    environ_sizes_get "ii" environ_sizes_get,
    fd_advise "iIIi" no_effect,
    fd_allocate "iII" fd_allocate,
    fd_close "i" fd_close,
    fd_datasync "i" no_effect,
    fd_fdstat_get "ii" fd_fdstat_get,
    fd_fdstat_set_flags "ii" fd_fdstat_set_flags,
    fd_fdstat_set_rights "iII" no_effect,
    fd_filestat_get "ii" fd_filestat_get,
    fd_filestat_set_size "iI" fd_filestat_set_size,
    fd_filestat_set_times "iIIi" no_effect,
    fd_pread "iiiIi" fd_pread,
    fd_prestat_dir_name "iii" fd_prestat_dir_name,
    fd_prestat_get "ii" fd_prestat_get,
    fd_pwrite "iiiIi" fd_pwrite,
    fd_read "iiii" fd_read,
    fd_readdir "iiiIi" fd_readdir,
    fd_renumber "ii" fd_renumber,
    fd_seek "iIii" fd_seek,
    fd_sync "i" no_effect,
    fd_tell "ii" fd_tell,
    fd_write "iiii" fd_write,
    path_create_directory "iii" path_create_directory,
    path_filestat_get "iiiii" path_filestat_get,
    path_filestat_set_times "iiiiIIi" path_filestat_set_times,
    path_link "iiiiiii" unsupported,
    path_open "iiiiiIIii" path_open,
    path_readlink "iiiiii" path_readlink,
    path_remove_directory "iii" path_remove_directory,
    path_rename "iiiiii" path_rename,
    path_symlink "iiiii" unsupported,
    path_unlink_file "iii" path_unlink_file,
    poll_oneoff "iiii" poll_oneoff,
    proc_raise "i" unsupported,
    random_get "ii" random_get,
    sched_yield "" sched_yield,
    sock_accept "iii" unsupported,
    sock_recv "iiiiii" unsupported,
    sock_send "iiiii" unsupported,
    sock_shutdown "ii" unsupported,
}

/// The function's name with static lifetime, its parameters (`i`, `I`) and results.
pub(crate) fn signature(name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    let &(name, parameters) = SIGNATURES.iter().find(|(known, _)| *known == name)?;
    Some((name, parameters, if name == "proc_exit" { "" } else { "i" }))
}

/// Performs one call. `name` comes from [`signature`], and the arguments are of its types.
pub(crate) fn call<C: Caller>(
    wasi: &mut Wasi,
    caller: &mut C,
    name: &'static str,
    arguments: &[C::Value],
) -> Outcome<C::Value> {
    let parameters = signature(name).map_or("", |(_, parameters, _)| parameters);
    let mut numbers = Vec::with_capacity(arguments.len());
    for (&argument, parameter) in arguments.iter().zip(parameters.chars()) {
        match caller.number(argument, if parameter == 'I' { 64 } else { 32 }) {
            Ok(number) => numbers.push(number),
            Err(Interrupt::NeedConcrete(value, width)) => return Outcome::NeedConcrete(value, width),
            Err(Interrupt::OutOfBounds) => return Outcome::Return(Some(u64::from(Errno::Fault as u16))),
        }
    }
    if name == "proc_exit" {
        return Outcome::Exit(numbers[0] as u32);
    }
    let errno = match function(name)(wasi, caller, &numbers) {
        Ok(()) => Errno::Success,
        Err(Stop::Errno(Errno::NoSys)) => {
            *wasi.unsupported.entry(name).or_insert(0) += 1;
            Errno::NoSys
        }
        Err(Stop::Errno(errno)) => errno,
        Err(Stop::NeedConcrete(value, width)) => return Outcome::NeedConcrete(value, width),
    };
    Outcome::Return(Some(u64::from(errno as u16)))
}

/// A function that is not provided; [`call`] counts its calls.
fn unsupported<C: Caller>(_: &mut Wasi, _: &mut C, _: &[u64]) -> Done<C> {
    Err(Errno::NoSys.into())
}

fn args_sizes_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let line = command_line(wasi);
    let bytes: u64 = line.iter().map(|content| content_length(content) + 1).sum();
    write_u32(caller, a[0], line.len() as u32)?;
    write_u32(caller, a[1], bytes as u32)?;
    Ok(())
}

fn args_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    strings(caller, &command_line(wasi), a[0], a[1])
}

fn environ_sizes_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let bytes: usize = wasi.world.environment.iter().map(|entry| entry.len() + 1).sum();
    write_u32(caller, a[0], wasi.world.environment.len() as u32)?;
    write_u32(caller, a[1], bytes as u32)?;
    Ok(())
}

fn environ_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let entries: Vec<Content> = wasi.world.environment.iter().map(|entry| fixed(entry)).collect();
    strings(caller, &entries, a[0], a[1])
}

fn clock_res_get<C: Caller>(_: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    Ok(write_u64(caller, a[1], CLOCK_STEP)?)
}

fn clock_time_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    Ok(write_u64(caller, a[2], wasi.now())?)
}

fn random_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    if a[1] > MAX_RANDOM {
        return Err(Errno::Inval.into());
    }
    for i in 0..a[1] {
        write_bytes(caller, a[0] + i, &[wasi.random_byte()])?;
    }
    Ok(())
}

fn sched_yield<C: Caller>(_: &mut Wasi, _: &mut C, _: &[u64]) -> Done<C> {
    Ok(())
}

/// What a subscription of `poll_oneoff` waits for.
enum Awaited {
    /// A time in nanoseconds, from now on or from 1970 on.
    Clock {
        timeout: u64,
        absolute: bool,
    },
    Descriptor(u64),
}

/// Every subscription is ready at once; the delay of a clock is added to the time.
fn poll_oneoff<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    if a[2] == 0 || a[2] > MAX_ENTRIES {
        return Err(Errno::Inval.into());
    }
    let mut subscriptions = Vec::new();
    for i in 0..a[2] {
        let at = a[0] + 48 * i;
        let user_data = read_u64(caller, at)?;
        let kind = read_bytes(caller, at + 8, 1)?[0];
        let awaited = match kind {
            0 => {
                let timeout = read_u64(caller, at + 24)?;
                Awaited::Clock { timeout, absolute: read_bytes(caller, at + 40, 1)?[0] & 1 != 0 }
            }
            1 | 2 => Awaited::Descriptor(u64::from(read_u32(caller, at + 16)?)),
            _ => return Err(Errno::Inval.into()),
        };
        subscriptions.push((user_data, kind, awaited));
    }
    check_range(caller, a[1], 32 * a[2])?;
    check_range(caller, a[3], 4)?;
    for (i, (user_data, kind, awaited)) in subscriptions.into_iter().enumerate() {
        let at = a[1] + 32 * i as u64;
        let errno = match awaited {
            Awaited::Clock { timeout, absolute: true } => {
                wasi.clock = wasi.clock.max(timeout);
                Errno::Success
            }
            Awaited::Clock { timeout, absolute: false } => {
                wasi.clock = wasi.clock.saturating_add(timeout);
                Errno::Success
            }
            Awaited::Descriptor(number) => wasi.descriptor(number).err().unwrap_or(Errno::Success),
        };
        write_u64(caller, at, user_data)?;
        write_u64(caller, at + 8, u64::from(kind) << 16 | u64::from(errno as u16))?;
        // How much can be read or written without waiting: something.
        write_u64(caller, at + 16, 1)?;
        write_u64(caller, at + 24, 0)?;
    }
    Ok(write_u32(caller, a[3], a[2] as u32)?)
}

fn fixed(text: &str) -> Content {
    Content::Fixed(text.as_bytes().into())
}

fn command_line(wasi: &Wasi) -> Vec<Content> {
    let mut line = vec![fixed(&wasi.world.program)];
    line.extend(wasi.world.plan.command_line.iter().cloned());
    line
}

/// Writes NUL-terminated strings one after the other and a table of pointers to them.
fn strings<C: Caller>(caller: &mut C, list: &[Content], table: u64, start: u64) -> Done<C> {
    let mut at = start;
    for (i, content) in list.iter().enumerate() {
        write_u32(caller, table + 4 * i as u64, at as u32)?;
        for position in 0..content_length(content) {
            let byte = content_byte(caller, content, position);
            caller.store(at, byte)?;
            at += 1;
        }
        write_bytes(caller, at, &[0])?;
        at += 1;
    }
    Ok(())
}
