//! The functions of WASI preview 1, one match arm each.

use pessimum_term::VariableId;

use super::{CLOCK_STEP, Descriptor, Errno, Wasi, content_length};
use crate::call::Content;
use crate::host::{Caller, Interrupt, Outcome, read_bytes, read_u32, read_u64, write_bytes, write_u32, write_u64};

/// Most bytes that one call moves; more is a short read or write, which the interface allows.
const MAX_TRANSFER: u64 = 1 << 24;

/// Most entries of a scatter-gather list.
const MAX_VECTORS: u64 = 1024;

const CHARACTER_DEVICE_UNKNOWN: u8 = 0;
const DIRECTORY: u8 = 3;
const REGULAR_FILE: u8 = 4;

/// Parameter types of each function, `i` for i32 and `I` for i64; all but `proc_exit` return an i32.
const SIGNATURES: &[(&str, &str)] = &[
    ("args_get", "ii"),
    ("args_sizes_get", "ii"),
    ("clock_res_get", "ii"),
    ("clock_time_get", "iIi"),
    ("environ_get", "ii"),
    ("environ_sizes_get", "ii"),
    ("fd_advise", "iIIi"),
    ("fd_allocate", "iII"),
    ("fd_close", "i"),
    ("fd_datasync", "i"),
    ("fd_fdstat_get", "ii"),
    ("fd_fdstat_set_flags", "ii"),
    ("fd_fdstat_set_rights", "iII"),
    ("fd_filestat_get", "ii"),
    ("fd_filestat_set_size", "iI"),
    ("fd_filestat_set_times", "iIIi"),
    ("fd_pread", "iiiIi"),
    ("fd_prestat_dir_name", "iii"),
    ("fd_prestat_get", "ii"),
    ("fd_pwrite", "iiiIi"),
    ("fd_read", "iiii"),
    ("fd_readdir", "iiiIi"),
    ("fd_renumber", "ii"),
    ("fd_seek", "iIii"),
    ("fd_sync", "i"),
    ("fd_tell", "ii"),
    ("fd_write", "iiii"),
    ("path_create_directory", "iii"),
    ("path_filestat_get", "iiiii"),
    ("path_filestat_set_times", "iiiiIIi"),
    ("path_link", "iiiiiii"),
    ("path_open", "iiiiiIIii"),
    ("path_readlink", "iiiiii"),
    ("path_remove_directory", "iii"),
    ("path_rename", "iiiiii"),
    ("path_symlink", "iiiii"),
    ("path_unlink_file", "iii"),
    ("poll_oneoff", "iiii"),
    ("proc_exit", "i"),
    ("proc_raise", "i"),
    ("random_get", "ii"),
    ("sched_yield", ""),
    ("sock_accept", "iii"),
    ("sock_recv", "iiiiii"),
    ("sock_send", "iiiii"),
    ("sock_shutdown", "ii"),
];

/// The function's name with static lifetime, its parameters (`i`, `I`) and results.
pub(crate) fn signature(name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    let &(name, parameters) = SIGNATURES.iter().find(|(known, _)| *known == name)?;
    Some((name, parameters, if name == "proc_exit" { "" } else { "i" }))
}

/// Why a call ends before its last line.
enum Stop<V> {
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
    let errno = match perform(wasi, caller, name, &numbers) {
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

fn perform<C: Caller>(wasi: &mut Wasi, caller: &mut C, name: &str, a: &[u64]) -> Result<(), Stop<C::Value>> {
    match name {
        "args_sizes_get" => {
            let line = command_line(wasi);
            let bytes: u64 = line.iter().map(|content| content_length(content) + 1).sum();
            write_u32(caller, a[0], line.len() as u32)?;
            write_u32(caller, a[1], bytes as u32)?;
        }
        "args_get" => {
            let line = command_line(wasi);
            strings(caller, &line, a[0], a[1])?;
        }
        "environ_sizes_get" => {
            let bytes: usize = wasi.world.environment.iter().map(|entry| entry.len() + 1).sum();
            write_u32(caller, a[0], wasi.world.environment.len() as u32)?;
            write_u32(caller, a[1], bytes as u32)?;
        }
        "environ_get" => {
            let entries: Vec<Content> = wasi.world.environment.iter().map(|entry| fixed(entry)).collect();
            strings(caller, &entries, a[0], a[1])?;
        }
        "clock_res_get" => write_u64(caller, a[1], CLOCK_STEP)?,
        "clock_time_get" => {
            let now = wasi.now();
            write_u64(caller, a[2], now)?;
        }
        "random_get" => {
            for i in 0..a[1] {
                let byte = wasi.random_byte();
                write_bytes(caller, a[0] + i, &[byte])?;
            }
        }
        "sched_yield" => {}
        "poll_oneoff" => poll(wasi, caller, a)?,
        "fd_close" => {
            wasi.descriptor(a[0])?;
            wasi.descriptors[a[0] as usize] = None;
        }
        "fd_renumber" => {
            let moved = wasi.descriptor(a[0])?.clone();
            wasi.descriptor(a[1])?;
            wasi.descriptors[a[0] as usize] = None;
            wasi.descriptors[a[1] as usize] = Some(moved);
        }
        "fd_advise" | "fd_datasync" | "fd_sync" | "fd_fdstat_set_flags" | "fd_fdstat_set_rights" => {
            wasi.descriptor(a[0])?;
        }
        "fd_fdstat_get" => {
            let (kind, rights) = match wasi.descriptor(a[0])? {
                Descriptor::Stdin { .. } => (CHARACTER_DEVICE_UNKNOWN, 1 << 1),
                Descriptor::Stdout | Descriptor::Stderr => (CHARACTER_DEVICE_UNKNOWN, 1 << 6),
                Descriptor::Root => (DIRECTORY, u64::MAX >> 34),
                Descriptor::File { .. } => (REGULAR_FILE, 1 << 1 | 1 << 2 | 1 << 5 | 1 << 21),
            };
            write_bytes(caller, a[1], &[kind, 0, 0, 0, 0, 0, 0, 0])?;
            write_u64(caller, a[1] + 8, rights)?;
            write_u64(caller, a[1] + 16, if kind == DIRECTORY { u64::MAX >> 34 } else { 0 })?;
        }
        "fd_filestat_get" => {
            let (kind, index) = match wasi.descriptor(a[0])? {
                Descriptor::Root => (DIRECTORY, None),
                Descriptor::File { index, .. } => (REGULAR_FILE, Some(*index)),
                _ => (CHARACTER_DEVICE_UNKNOWN, None),
            };
            filestat(wasi, caller, a[1], kind, index)?;
        }
        "path_filestat_get" => {
            let path = directory_path(wasi, caller, a[0], a[2], a[3])?;
            let index = wasi.resolve(&path)?;
            let kind = if index.is_some() { REGULAR_FILE } else { DIRECTORY };
            filestat(wasi, caller, a[4], kind, index)?;
        }
        "fd_prestat_get" => {
            if *wasi.descriptor(a[0])? != Descriptor::Root || a[0] != 3 {
                return Err(Errno::BadF.into());
            }
            write_u32(caller, a[1], 0)?;
            write_u32(caller, a[1] + 4, 1)?;
        }
        "fd_prestat_dir_name" => {
            if *wasi.descriptor(a[0])? != Descriptor::Root {
                return Err(Errno::NotDir.into());
            }
            if a[2] < 1 {
                return Err(Errno::Inval.into());
            }
            write_bytes(caller, a[1], b"/")?;
        }
        "path_open" => {
            let path = directory_path(wasi, caller, a[0], a[2], a[3])?;
            let (create, directory, truncate) = (a[4] & 1 != 0, a[4] & 2 != 0, a[4] & 8 != 0);
            let writes = a[5] & (1 << 6) != 0;
            let descriptor = match wasi.resolve(&path) {
                Ok(None) => Descriptor::Root,
                Ok(Some(_)) if directory => return Err(Errno::NotDir.into()),
                Ok(Some(_)) if truncate || writes => return Err(Errno::Rofs.into()),
                Ok(Some(index)) => Descriptor::File { index, position: 0 },
                Err(Errno::NoEnt) if create => return Err(Errno::Rofs.into()),
                Err(errno) => return Err(errno.into()),
            };
            let number = wasi.open(descriptor)?;
            if let Err(interrupt) = write_u32(caller, a[8], number as u32) {
                wasi.descriptors[number as usize] = None;
                return Err(interrupt.into());
            }
        }
        "fd_read" => {
            let vectors = vectors(caller, a[1], a[2])?;
            let (content, mut position) = readable(wasi, a[0])?;
            let total = read(caller, &vectors, &content, &mut position)?;
            match wasi.descriptor(a[0])? {
                Descriptor::Stdin { position: at } | Descriptor::File { position: at, .. } => *at = position,
                _ => {}
            }
            write_u32(caller, a[3], total)?;
        }
        "fd_pread" => {
            let vectors = vectors(caller, a[1], a[2])?;
            if matches!(wasi.descriptor(a[0])?, Descriptor::Stdin { .. }) {
                return Err(Errno::SPipe.into());
            }
            let (content, _) = readable(wasi, a[0])?;
            let mut position = a[3];
            let total = read(caller, &vectors, &content, &mut position)?;
            write_u32(caller, a[4], total)?;
        }
        "fd_write" => {
            let vectors = vectors(caller, a[1], a[2])?;
            if !matches!(wasi.descriptor(a[0])?, Descriptor::Stdout | Descriptor::Stderr) {
                return Err(Errno::BadF.into());
            }
            let mut bytes = Vec::new();
            for (address, length) in vectors {
                for i in 0..length.min(MAX_TRANSFER - bytes.len() as u64) {
                    let byte = caller.load(address + i)?;
                    bytes.push(caller.known(byte));
                }
            }
            write_u32(caller, a[3], bytes.len() as u32)?;
            let is_stdout = *wasi.descriptor(a[0])? == Descriptor::Stdout;
            let output = if is_stdout { &mut wasi.stdout } else { &mut wasi.stderr };
            bytes.into_iter().for_each(|byte| output.push(byte));
        }
        "fd_seek" => {
            let length = match wasi.descriptor(a[0])? {
                Descriptor::File { index, .. } => {
                    let index = *index;
                    content_length(&wasi.world.plan.files[index].1)
                }
                Descriptor::Root => return Err(Errno::IsDir.into()),
                _ => return Err(Errno::SPipe.into()),
            };
            let Descriptor::File { position, .. } = wasi.descriptor(a[0])? else { return Err(Errno::BadF.into()) };
            let base = match a[2] {
                0 => 0,
                1 => *position,
                2 => length,
                _ => return Err(Errno::Inval.into()),
            };
            let target = base.checked_add_signed(a[1] as i64).ok_or(Errno::Inval)?;
            *position = target;
            write_u64(caller, a[3], target)?;
        }
        "fd_tell" => {
            let position = match wasi.descriptor(a[0])? {
                Descriptor::File { position, .. } => *position,
                _ => return Err(Errno::SPipe.into()),
            };
            write_u64(caller, a[1], position)?;
        }
        "fd_allocate" | "fd_filestat_set_size" | "fd_filestat_set_times" | "fd_pwrite" => {
            wasi.descriptor(a[0])?;
            return Err(Errno::Rofs.into());
        }
        "path_create_directory"
        | "path_remove_directory"
        | "path_unlink_file"
        | "path_rename"
        | "path_link"
        | "path_symlink"
        | "path_filestat_set_times" => return Err(Errno::Rofs.into()),
        "path_readlink" => return Err(Errno::Inval.into()),
        _ => return Err(Errno::NoSys.into()),
    }
    Ok(())
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
fn strings<C: Caller>(caller: &mut C, list: &[Content], table: u64, start: u64) -> Result<(), Stop<C::Value>> {
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

fn content_byte<C: Caller>(caller: &mut C, content: &Content, position: u64) -> C::Value {
    match content {
        Content::Input(group) => caller.input(VariableId(group.first + position as u32), 8),
        Content::Fixed(bytes) => caller.byte(bytes[position as usize]),
    }
}

/// A path argument, relative to the root.
fn directory_path<C: Caller>(
    wasi: &mut Wasi,
    caller: &mut C,
    directory: u64,
    address: u64,
    length: u64,
) -> Result<Vec<u8>, Stop<C::Value>> {
    if *wasi.descriptor(directory)? != Descriptor::Root {
        return Err(Errno::NotDir.into());
    }
    if length > 4096 {
        return Err(Errno::Inval.into());
    }
    Ok(read_bytes(caller, address, length)?)
}

fn filestat<C: Caller>(
    wasi: &Wasi,
    caller: &mut C,
    address: u64,
    kind: u8,
    index: Option<usize>,
) -> Result<(), Stop<C::Value>> {
    let size = index.map_or(0, |index| content_length(&wasi.world.plan.files[index].1));
    // Device, inode, type, links, size, and the times of access, change and status change.
    let inode = index.map_or(1, |index| index as u64 + 2);
    for (offset, value) in [(0, 1), (8, inode), (16, u64::from(kind)), (24, 1), (32, size), (40, 0), (48, 0), (56, 0)] {
        write_u64(caller, address + offset, value)?;
    }
    Ok(())
}

/// Addresses and lengths of a scatter-gather list.
fn vectors<C: Caller>(caller: &mut C, address: u64, count: u64) -> Result<Vec<(u64, u64)>, Stop<C::Value>> {
    if count > MAX_VECTORS {
        return Err(Errno::Inval.into());
    }
    let mut list = Vec::new();
    for i in 0..count {
        let at = read_u32(caller, address + 8 * i)?;
        let length = read_u32(caller, address + 8 * i + 4)?;
        list.push((u64::from(at), u64::from(length)));
    }
    Ok(list)
}

fn readable(wasi: &mut Wasi, number: u64) -> Result<(Content, u64), Errno> {
    let (index, position) = match wasi.descriptor(number)? {
        Descriptor::Stdin { position } => (None, *position),
        Descriptor::File { index, position } => (Some(*index), *position),
        Descriptor::Root => return Err(Errno::IsDir),
        Descriptor::Stdout | Descriptor::Stderr => return Err(Errno::BadF),
    };
    let content = match index {
        Some(index) => wasi.world.plan.files[index].1.clone(),
        None => match wasi.world.plan.stdin {
            Some(group) => Content::Input(group),
            None => Content::Fixed([].into()),
        },
    };
    Ok((content, position))
}

fn read<C: Caller>(
    caller: &mut C,
    vectors: &[(u64, u64)],
    content: &Content,
    position: &mut u64,
) -> Result<u32, Stop<C::Value>> {
    let start = *position;
    let end = content_length(content);
    for &(address, length) in vectors {
        for i in 0..length {
            if *position >= end || *position - start == MAX_TRANSFER {
                break;
            }
            let byte = content_byte(caller, content, *position);
            caller.store(address + i, byte)?;
            *position += 1;
        }
    }
    Ok((*position - start) as u32)
}

/// Every subscription is ready at once; a clock's delay passes.
fn poll<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Result<(), Stop<C::Value>> {
    if a[2] == 0 || a[2] > MAX_VECTORS {
        return Err(Errno::Inval.into());
    }
    let mut subscriptions = Vec::new();
    for i in 0..a[2] {
        let at = a[0] + 48 * i;
        let user_data = read_u64(caller, at)?;
        let kind = read_bytes(caller, at + 8, 1)?[0];
        let timeout = if kind == 0 { read_u64(caller, at + 24)? } else { 0 };
        let absolute = kind == 0 && read_bytes(caller, at + 40, 1)?[0] & 1 != 0;
        subscriptions.push((user_data, kind, timeout, absolute));
    }
    for (i, (user_data, kind, timeout, absolute)) in subscriptions.into_iter().enumerate() {
        let at = a[1] + 32 * i as u64;
        if kind == 0 {
            wasi.clock = if absolute { wasi.clock.max(timeout) } else { wasi.clock.saturating_add(timeout) };
        }
        write_u64(caller, at, user_data)?;
        write_u64(caller, at + 8, u64::from(kind) << 16)?;
        write_u64(caller, at + 16, 1)?;
        write_u64(caller, at + 24, 0)?;
    }
    write_u32(caller, a[3], a[2] as u32)?;
    Ok(())
}
