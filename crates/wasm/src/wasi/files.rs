//! Descriptors, standard streams and the given files, all of which live in memory.

use pessimum_term::VariableId;

use super::calls::{Done, MAX_ENTRIES, Stop};
use super::{Descriptor, Errno, Wasi, content_length};
use crate::call::Content;
use crate::host::{Caller, read_bytes, read_u32, write_bytes, write_u32, write_u64};

/// One call moves at most this many bytes; a larger request ends as a short read or write, which the interface allows.
const MAX_TRANSFER: u64 = 1 << 20;

const CHARACTER_DEVICE_UNKNOWN: u8 = 0;
const DIRECTORY: u8 = 3;
const REGULAR_FILE: u8 = 4;

pub(super) fn fd_close<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    wasi.descriptor(a[0])?;
    wasi.descriptors[a[0] as usize] = None;
    Ok(())
}

pub(super) fn fd_renumber<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    let moved = wasi.descriptor(a[0])?.clone();
    wasi.descriptor(a[1])?;
    wasi.descriptors[a[0] as usize] = None;
    wasi.descriptors[a[1] as usize] = Some(moved);
    Ok(())
}

/// For calls that need an open descriptor but have no effect here.
pub(super) fn no_effect<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    wasi.descriptor(a[0])?;
    Ok(())
}

/// For calls that would change an open file: all files are read-only.
pub(super) fn refuse_write<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    wasi.descriptor(a[0])?;
    Err(Errno::Rofs.into())
}

/// For calls that would change a directory.
pub(super) fn refuse_change<C: Caller>(_: &mut Wasi, _: &mut C, _: &[u64]) -> Done<C> {
    Err(Errno::Rofs.into())
}

/// There are no links.
pub(super) fn path_readlink<C: Caller>(_: &mut Wasi, _: &mut C, _: &[u64]) -> Done<C> {
    Err(Errno::Inval.into())
}

pub(super) fn fd_fdstat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let (kind, rights) = match wasi.descriptor(a[0])? {
        Descriptor::Stdin { .. } => (CHARACTER_DEVICE_UNKNOWN, 1 << 1),
        Descriptor::Stdout | Descriptor::Stderr => (CHARACTER_DEVICE_UNKNOWN, 1 << 6),
        Descriptor::Root => (DIRECTORY, u64::MAX >> 34),
        Descriptor::File { .. } => (REGULAR_FILE, 1 << 1 | 1 << 2 | 1 << 5 | 1 << 21),
    };
    write_bytes(caller, a[1], &[kind, 0, 0, 0, 0, 0, 0, 0])?;
    write_u64(caller, a[1] + 8, rights)?;
    Ok(write_u64(caller, a[1] + 16, if kind == DIRECTORY { u64::MAX >> 34 } else { 0 })?)
}

pub(super) fn fd_filestat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let (kind, index) = match wasi.descriptor(a[0])? {
        Descriptor::Root => (DIRECTORY, None),
        Descriptor::File { index, .. } => (REGULAR_FILE, Some(*index)),
        _ => (CHARACTER_DEVICE_UNKNOWN, None),
    };
    filestat(wasi, caller, a[1], kind, index)
}

pub(super) fn path_filestat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let path = directory_path(wasi, caller, a[0], a[2], a[3])?;
    let index = wasi.resolve(&path)?;
    let kind = if index.is_some() { REGULAR_FILE } else { DIRECTORY };
    filestat(wasi, caller, a[4], kind, index)
}

pub(super) fn fd_prestat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    if *wasi.descriptor(a[0])? != Descriptor::Root || a[0] != 3 {
        return Err(Errno::BadF.into());
    }
    write_u32(caller, a[1], 0)?;
    Ok(write_u32(caller, a[1] + 4, 1)?)
}

pub(super) fn fd_prestat_dir_name<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    if *wasi.descriptor(a[0])? != Descriptor::Root {
        return Err(Errno::NotDir.into());
    }
    if a[2] < 1 {
        return Err(Errno::Inval.into());
    }
    Ok(write_bytes(caller, a[1], b"/")?)
}

pub(super) fn path_open<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
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
    Ok(())
}

pub(super) fn fd_read<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let vectors = vectors(caller, a[1], a[2])?;
    let (content, mut position) = readable(wasi, a[0])?;
    let total = read(caller, &vectors, &content, &mut position)?;
    match wasi.descriptor(a[0])? {
        Descriptor::Stdin { position: at } | Descriptor::File { position: at, .. } => *at = position,
        _ => {}
    }
    write_u32(caller, a[3], total)?;
    if wasi.world.plan.stdin.is_none() && matches!(wasi.descriptor(a[0])?, Descriptor::Stdin { .. }) {
        *wasi.unsupported.entry(super::STDIN).or_insert(0) += 1;
    }
    Ok(())
}

pub(super) fn fd_pread<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let vectors = vectors(caller, a[1], a[2])?;
    if matches!(wasi.descriptor(a[0])?, Descriptor::Stdin { .. }) {
        return Err(Errno::SPipe.into());
    }
    let (content, _) = readable(wasi, a[0])?;
    let mut position = a[3];
    let total = read(caller, &vectors, &content, &mut position)?;
    Ok(write_u32(caller, a[4], total)?)
}

pub(super) fn fd_write<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let vectors = vectors(caller, a[1], a[2])?;
    if !matches!(wasi.descriptor(a[0])?, Descriptor::Stdout | Descriptor::Stderr) {
        return Err(Errno::BadF.into());
    }
    let is_stdout = *wasi.descriptor(a[0])? == Descriptor::Stdout;
    let room = if is_stdout { wasi.stdout.room() } else { wasi.stderr.room() };
    let (mut bytes, mut total) = (Vec::new(), 0);
    for (address, length) in vectors {
        let length = length.min(MAX_TRANSFER - total);
        for i in 0..length.min(room - bytes.len() as u64) {
            let byte = caller.load(address + i)?;
            bytes.push(caller.known(byte));
        }
        // What is not kept need not be read, but it must be there.
        if let Some(last) = length.checked_sub(1) {
            caller.load(address + last)?;
        }
        total += length;
    }
    write_u32(caller, a[3], total as u32)?;
    let output = if is_stdout { &mut wasi.stdout } else { &mut wasi.stderr };
    output.push(bytes.into_iter(), total);
    Ok(())
}

pub(super) fn fd_seek<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
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
    Ok(write_u64(caller, a[3], target)?)
}

pub(super) fn fd_tell<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let position = match wasi.descriptor(a[0])? {
        Descriptor::File { position, .. } => *position,
        _ => return Err(Errno::SPipe.into()),
    };
    Ok(write_u64(caller, a[1], position)?)
}

pub(super) fn content_byte<C: Caller>(caller: &mut C, content: &Content, position: u64) -> C::Value {
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

fn filestat<C: Caller>(wasi: &Wasi, caller: &mut C, address: u64, kind: u8, index: Option<usize>) -> Done<C> {
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
    if count > MAX_ENTRIES {
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
