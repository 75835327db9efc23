//! The calls that take a path, and listings.

use super::calls::{Done, Stop};
use super::files::filestat;
use super::tree::{Path, Place};
use super::{Descriptor, Errno, Wasi};
use crate::host::{Caller, check_range, read_bytes, write_bytes, write_u32, write_u64};

/// Bytes of a path.
const MAX_PATH: u64 = 4096;

/// Bits of the flags of `path_open`, and of the rights that it asks for.
const CREATE: u64 = 1;
const DIRECTORY: u64 = 2;
const EXCLUSIVE: u64 = 4;
const TRUNCATE: u64 = 8;
const APPEND: u64 = 1;
const RIGHT_TO_READ: u64 = 1 << 1;
const RIGHT_TO_WRITE: u64 = 1 << 6;

/// What a path argument leads to.
fn place<C: Caller>(
    wasi: &Wasi,
    caller: &mut C,
    directory: u64,
    address: u64,
    length: u64,
) -> Result<Place, Stop<C::Value>> {
    let Descriptor::Directory { node, .. } = wasi.descriptor(directory)? else { return Err(Errno::NotDir.into()) };
    if length > MAX_PATH {
        return Err(Errno::NameTooLong.into());
    }
    let path = Path::parse(&read_bytes(caller, address, length)?)?;
    Ok(wasi.tree.resolve(node, &path)?)
}

pub(super) fn path_open<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let place = place(wasi, caller, a[0], a[2], a[3])?;
    let (flags, rights, append) = (a[4], a[5], a[7] & APPEND != 0);
    let (readable, writable) = (rights & RIGHT_TO_READ != 0, rights & RIGHT_TO_WRITE != 0);
    check_range(caller, a[8], 4)?;
    if flags & CREATE != 0 && flags & DIRECTORY != 0 {
        return Err(Errno::Inval.into());
    }
    let number = wasi.free_descriptor()?;
    let descriptor = match place.node {
        Some(_) if flags & CREATE != 0 && flags & EXCLUSIVE != 0 => return Err(Errno::Exist.into()),
        Some(node) if wasi.tree.is_directory(node) => {
            if writable || flags & (CREATE | TRUNCATE) != 0 {
                return Err(Errno::IsDir.into());
            }
            Descriptor::Directory { node, preopened: false }
        }
        Some(_) if flags & DIRECTORY != 0 => return Err(Errno::NotDir.into()),
        Some(node) => {
            if flags & TRUNCATE != 0 {
                wasi.tree.resize(node, 0)?;
            }
            Descriptor::File { node, position: 0, readable, writable, append }
        }
        None if flags & CREATE == 0 => return Err(Errno::NoEnt.into()),
        None if place.names_directory => return Err(Errno::IsDir.into()),
        None => {
            let node = wasi.tree.create_file(&place)?;
            Descriptor::File { node, position: 0, readable, writable, append }
        }
    };
    wasi.set_descriptor(number, Some(descriptor));
    Ok(write_u32(caller, a[8], number as u32)?)
}

pub(super) fn path_create_directory<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let place = place(wasi, caller, a[0], a[1], a[2])?;
    Ok(wasi.tree.create_directory(&place)?)
}

pub(super) fn path_remove_directory<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let place = place(wasi, caller, a[0], a[1], a[2])?;
    let node = wasi.tree.remove_directory(&place)?;
    wasi.free_if_closed(node);
    Ok(())
}

pub(super) fn path_unlink_file<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let place = place(wasi, caller, a[0], a[1], a[2])?;
    let node = wasi.tree.remove_file(&place)?;
    wasi.free_if_closed(node);
    Ok(())
}

pub(super) fn path_rename<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let from = place(wasi, caller, a[0], a[1], a[2])?;
    let to = place(wasi, caller, a[3], a[4], a[5])?;
    if let Some(replaced) = wasi.tree.rename(&from, &to)? {
        wasi.free_if_closed(replaced);
    }
    Ok(())
}

pub(super) fn path_filestat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let place = place(wasi, caller, a[0], a[2], a[3])?;
    let node = place.existing()?;
    filestat(wasi, caller, a[4], Some(node))
}

/// Times are not kept: all of them are 0.
pub(super) fn path_filestat_set_times<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    place(wasi, caller, a[0], a[2], a[3])?.existing()?;
    Ok(())
}

/// There are no links, so whatever is there is not one.
pub(super) fn path_readlink<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    place(wasi, caller, a[0], a[1], a[2])?.existing()?;
    Err(Errno::Inval.into())
}

pub(super) fn fd_readdir<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let Descriptor::Directory { node, .. } = wasi.descriptor(a[0])? else { return Err(Errno::NotDir.into()) };
    let (buffer, length, cookie) = (a[1], a[2], a[3]);
    let entries = wasi.tree.list(node, cookie)?;
    caller.work(16 * entries.len() as u64);
    let mut used = 0;
    for entry in entries {
        let mut record = Vec::with_capacity(24 + entry.name.len());
        record.extend(entry.next.to_le_bytes());
        record.extend(entry.node.inode().to_le_bytes());
        record.extend((entry.name.len() as u32).to_le_bytes());
        record.extend(u32::from(wasi.file_type(entry.node)).to_le_bytes());
        record.extend(&*entry.name);
        // The last record is cut off; that the buffer is full tells the program to ask again.
        record.truncate((length - used) as usize);
        write_bytes(caller, buffer + used, &record)?;
        used += record.len() as u64;
        if used == length {
            break;
        }
    }
    Ok(write_u32(caller, a[4], used as u32)?)
}

pub(super) fn fd_prestat_get<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let Descriptor::Directory { preopened: true, .. } = wasi.descriptor(a[0])? else { return Err(Errno::BadF.into()) };
    // The type (a directory), and the length of its name.
    Ok(write_u64(caller, a[1], 1 << 32)?)
}

pub(super) fn fd_prestat_dir_name<C: Caller>(wasi: &mut Wasi, caller: &mut C, a: &[u64]) -> Done<C> {
    let Descriptor::Directory { preopened: true, .. } = wasi.descriptor(a[0])? else {
        return Err(Errno::NotDir.into());
    };
    if a[2] < 1 {
        return Err(Errno::NameTooLong.into());
    }
    Ok(write_bytes(caller, a[1], b"/")?)
}
