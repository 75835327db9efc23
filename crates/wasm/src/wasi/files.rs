//! The calls on descriptors: standard streams, files and directories, all of which live in memory.

use pessimum_term::VariableId;

use super::calls::{Done, MAX_ENTRIES, Stop};
use super::file::Source;
use super::tree::NodeId;
use super::{Descriptor, Errno, Wasi, content_length};
use crate::host::{Caller, Captured, Kept, check_range, read_u32, write_bytes, write_u32, write_u64};
use pessimum_input::Content;

/// One call moves at most this many bytes; a larger request ends as a short read or write, which the interface allows.
const MAX_TRANSFER: u64 = 1 << 20;

const CHARACTER_DEVICE_UNKNOWN: u8 = 0;

/// Rights that a descriptor may have.
const READ: u64 = 1 << 1;
const SEEK: u64 = 1 << 2;
const TELL: u64 = 1 << 5;
const WRITE: u64 = 1 << 6;
const ALLOCATE: u64 = 1 << 8;
const GET_STATUS: u64 = 1 << 21;
const SET_SIZE: u64 = 1 << 22;
const ALL: u64 = u64::MAX >> 34;

pub(super) fn fd_close<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    let closed = wasi.descriptor(a[0])?;
    wasi.set_descriptor(a[0], None);
    closed.node().into_iter().for_each(|node| wasi.free_if_closed(node));
    Ok(())
}

pub(super) fn fd_renumber<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    let (moved, replaced) = (wasi.descriptor(a[0])?, wasi.descriptor(a[1])?);
    wasi.set_descriptor(a[0], None);
    wasi.set_descriptor(a[1], Some(moved));
    replaced.node().into_iter().for_each(|node| wasi.free_if_closed(node));
    Ok(())
}

/// For calls that need an open descriptor but have no effect here.
pub(super) fn no_effect<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    wasi.descriptor(a[0])?;
    Ok(())
}

pub(super) fn fd_fdstat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let descriptor = wasi.descriptor(a[0])?;
    let (rights, inherited, flags) = match descriptor {
        Descriptor::Stdin { .. } => (READ, 0, 0),
        Descriptor::Stdout | Descriptor::Stderr => (WRITE, 0, 0),
        Descriptor::Directory { .. } => (ALL, ALL, 0),
        Descriptor::File { readable, writable, append, .. } => {
            let reading = if readable { READ } else { 0 };
            let writing = if writable { WRITE | ALLOCATE | SET_SIZE } else { 0 };
            (reading | writing | SEEK | TELL | GET_STATUS, 0, u8::from(append))
        }
    };
    let kind = descriptor.node().map_or(CHARACTER_DEVICE_UNKNOWN, |node| wasi.file_type(node));
    write_bytes(caller, a[1], &[kind, 0, flags, 0, 0, 0, 0, 0])?;
    write_u64(caller, a[1] + 8, rights)?;
    Ok(write_u64(caller, a[1] + 16, inherited)?)
}

/// Only the flag for appending means anything here.
pub(super) fn fd_fdstat_set_flags<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    let mut descriptor = wasi.descriptor(a[0])?;
    if let Descriptor::File { append, .. } = &mut descriptor {
        *append = a[1] & 1 != 0;
        wasi.set_descriptor(a[0], Some(descriptor));
    }
    Ok(())
}

pub(super) fn fd_filestat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let node = wasi.descriptor(a[0])?.node();
    filestat(wasi, caller, a[1], node)
}

pub(super) fn filestat<C: Caller>(wasi: &Wasi, caller: &mut C, address: u64, node: Option<NodeId>) -> Done<C> {
    let kind = node.map_or(CHARACTER_DEVICE_UNKNOWN, |node| wasi.file_type(node));
    let size = node.and_then(|node| wasi.tree.file(node).ok()).map_or(0, |file| file.size());
    let inode = node.map_or(0, NodeId::inode);
    // Device, inode, type, links, size, and the times of access, change and status change.
    for (offset, value) in [(0, 1), (8, inode), (16, u64::from(kind)), (24, 1), (32, size), (40, 0), (48, 0), (56, 0)] {
        write_u64(caller, address + offset, value)?;
    }
    Ok(())
}

pub(super) fn fd_filestat_set_size<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    let node = writable(wasi, a[0])?;
    Ok(wasi.tree.resize(node, a[1])?)
}

pub(super) fn fd_allocate<C: Caller>(wasi: &mut Wasi, _: &mut C, a: &[u64]) -> Done<C> {
    let node = writable(wasi, a[0])?;
    let end = a[1].checked_add(a[2]).filter(|_| a[2] > 0).ok_or(Errno::Inval)?;
    let size = wasi.tree.file(node)?.size();
    Ok(wasi.tree.resize(node, size.max(end))?)
}

pub(super) fn fd_read<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let vectors = vectors(caller, a[1], a[2])?;
    check_range(caller, a[3], 4)?;
    let mut descriptor = wasi.descriptor(a[0])?;
    let total = match &mut descriptor {
        Descriptor::Stdin { position } => {
            let content = wasi.world.plan.stdin.clone().map(Content::Input);
            if content.is_none() {
                *wasi.unsupported.entry(super::STDIN).or_insert(0) += 1;
            }
            let end = content.as_ref().map_or(0, content_length);
            let total = scatter(caller, &vectors, *position, end, |caller, at, address, count| {
                let Some(content) = &content else { return Ok(()) };
                for i in 0..count {
                    let byte = content_byte(caller, content, at + i);
                    caller.store(address + i, byte)?;
                }
                Ok(())
            })?;
            *position += u64::from(total);
            total
        }
        Descriptor::File { node, position, .. } => {
            let total = read(wasi, caller, a[0], *node, *position, &vectors)?;
            *position += u64::from(total);
            total
        }
        Descriptor::Directory { .. } => return Err(Errno::IsDir.into()),
        Descriptor::Stdout | Descriptor::Stderr => return Err(Errno::BadF.into()),
    };
    wasi.set_descriptor(a[0], Some(descriptor));
    Ok(write_u32(caller, a[3], total)?)
}

pub(super) fn fd_pread<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let vectors = vectors(caller, a[1], a[2])?;
    let node = match wasi.descriptor(a[0])? {
        Descriptor::File { node, .. } => node,
        Descriptor::Directory { .. } => return Err(Errno::IsDir.into()),
        Descriptor::Stdin { .. } => return Err(Errno::SPipe.into()),
        Descriptor::Stdout | Descriptor::Stderr => return Err(Errno::BadF.into()),
    };
    let total = read(wasi, caller, a[0], node, a[3], &vectors)?;
    Ok(write_u32(caller, a[4], total)?)
}

/// Copies bytes of a file that is open for reading to memory.
fn read<C: Caller>(
    wasi: &Wasi,
    caller: &mut C,
    number: u64,
    node: NodeId,
    offset: u64,
    vectors: &[(u64, u64)],
) -> Result<u32, Stop<C::Value>> {
    if !matches!(wasi.descriptor(number)?, Descriptor::File { readable: true, .. }) {
        return Err(Errno::BadF.into());
    }
    let file = wasi.tree.file(node)?;
    scatter(caller, vectors, offset, file.size(), |caller, at, address, count| {
        let mut done = 0;
        while done < count {
            let (source, length) = file.source(at + done);
            let length = length.min(count - done);
            for i in 0..length {
                let byte = match &source {
                    Source::Zeros => caller.byte(0),
                    Source::Given(content, from) => content_byte(caller, &wasi.world.plan.files[*content].1, from + i),
                    Source::Written(piece) => caller.kept(piece.get(i)),
                };
                caller.store(address + done + i, byte)?;
            }
            done += length;
        }
        Ok(())
    })
}

/// Distributes the bytes from `start` to `end`, as far as one call moves them, over a list of buffers. `copy` gets the
/// position of the first byte, an address and a count, which is not 0.
fn scatter<C: Caller>(
    caller: &mut C,
    vectors: &[(u64, u64)],
    start: u64,
    end: u64,
    mut copy: impl FnMut(&mut C, u64, u64, u64) -> Done<C>,
) -> Result<u32, Stop<C::Value>> {
    let end = end.min(start.saturating_add(MAX_TRANSFER));
    let mut position = start;
    for &(address, length) in vectors {
        let count = length.min(end.saturating_sub(position));
        if count > 0 {
            copy(caller, position, address, count)?;
            position += count;
        }
    }
    Ok((position - start) as u32)
}

pub(super) fn fd_write<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let vectors = vectors(caller, a[1], a[2])?;
    check_range(caller, a[3], 4)?;
    let mut descriptor = wasi.descriptor(a[0])?;
    let total = match &mut descriptor {
        Descriptor::Stdout => capture(caller, &mut wasi.stdout, &vectors)?,
        Descriptor::Stderr => capture(caller, &mut wasi.stderr, &vectors)?,
        Descriptor::File { node, position, writable: true, append, .. } => {
            let offset = if *append { wasi.tree.file(*node)?.size() } else { *position };
            let total = write(wasi, caller, *node, offset, &vectors)?;
            *position = offset + u64::from(total);
            total
        }
        _ => return Err(Errno::BadF.into()),
    };
    wasi.set_descriptor(a[0], Some(descriptor));
    Ok(write_u32(caller, a[3], total)?)
}

pub(super) fn fd_pwrite<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let vectors = vectors(caller, a[1], a[2])?;
    check_range(caller, a[4], 4)?;
    if let Descriptor::Stdout | Descriptor::Stderr = wasi.descriptor(a[0])? {
        return Err(Errno::SPipe.into());
    }
    let node = writable(wasi, a[0])?;
    let total = write(wasi, caller, node, a[3], &vectors)?;
    Ok(write_u32(caller, a[4], total)?)
}

/// Takes what is written to a stream.
fn capture<C: Caller>(caller: &mut C, stream: &mut Captured, vectors: &[(u64, u64)]) -> Result<u32, Stop<C::Value>> {
    let (mut bytes, mut total) = (Vec::new(), 0);
    for &(address, length) in vectors {
        let length = length.min(MAX_TRANSFER - total);
        for i in 0..length.min(stream.room() - bytes.len() as u64) {
            let byte = caller.load(address + i)?;
            bytes.push(caller.known(byte));
        }
        // What is not kept need not be read, but it must be there.
        check_range(caller, address, length)?;
        total += length;
    }
    stream.push(bytes.into_iter(), total);
    Ok(total as u32)
}

/// Copies bytes from memory to a file, as many as there is room for.
fn write<C: Caller>(
    wasi: &mut Wasi,
    caller: &mut C,
    node: NodeId,
    offset: u64,
    vectors: &[(u64, u64)],
) -> Result<u32, Stop<C::Value>> {
    let wanted = vectors.iter().map(|&(_, length)| length).sum::<u64>().min(MAX_TRANSFER);
    let room = wasi.tree.room(node, offset, wanted)?;
    if room == 0 && wanted > 0 {
        return Err(Errno::NoSpc.into());
    }
    let mut bytes = Vec::with_capacity(room as usize);
    for &(address, length) in vectors {
        for i in 0..length.min(room - bytes.len() as u64) {
            let byte = caller.load(address + i)?;
            bytes.push(caller.keep(byte));
        }
    }
    let files = &wasi.world.plan.files;
    let mut given = |content: usize, position: u64| -> Kept {
        let byte = content_byte(caller, &files[content].1, position);
        caller.keep(byte)
    };
    wasi.tree.write(node, offset, &bytes, &mut given)?;
    Ok(bytes.len() as u32)
}

/// The file of a descriptor that is open for writing.
fn writable(wasi: &Wasi, number: u64) -> Result<NodeId, Errno> {
    match wasi.descriptor(number)? {
        Descriptor::File { node, writable: true, .. } => Ok(node),
        Descriptor::Directory { .. } => Err(Errno::IsDir),
        Descriptor::File { .. } | Descriptor::Stdin { .. } => Err(Errno::BadF),
        Descriptor::Stdout | Descriptor::Stderr => Err(Errno::Inval),
    }
}

pub(super) fn fd_seek<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let mut descriptor = wasi.descriptor(a[0])?;
    let target = match &mut descriptor {
        Descriptor::File { node, position, .. } => {
            let base = match a[2] {
                0 => 0,
                1 => *position,
                2 => wasi.tree.file(*node)?.size(),
                _ => return Err(Errno::Inval.into()),
            };
            let target = base.checked_add_signed(a[1] as i64).filter(|&target| target <= i64::MAX as u64);
            *position = target.ok_or(Errno::Inval)?;
            *position
        }
        Descriptor::Directory { .. } => return Err(Errno::IsDir.into()),
        _ => return Err(Errno::SPipe.into()),
    };
    write_u64(caller, a[3], target)?;
    wasi.set_descriptor(a[0], Some(descriptor));
    Ok(())
}

pub(super) fn fd_tell<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let Descriptor::File { position, .. } = wasi.descriptor(a[0])? else { return Err(Errno::SPipe.into()) };
    Ok(write_u64(caller, a[1], position)?)
}

pub(super) fn content_byte<C: Caller>(caller: &mut C, content: &Content, position: u64) -> C::Value {
    match content {
        Content::Input(group) => caller.input(VariableId(group.first + position as u32), 8),
        Content::Fixed(bytes) => caller.byte(bytes[position as usize]),
    }
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
