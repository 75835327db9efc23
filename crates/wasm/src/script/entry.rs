//! The added function, which makes the call just as [`crate::Process`] does.

use pessimum_term::Witness;
use wasm_encoder::{Function, Ieee32, Ieee64, Instruction, MemArg, MemArgTarget, ValType};

use super::ScriptError;
use super::counting::{Counters, NOTHING_KEPT};
use crate::{ExternKind, FunctionType, Module, Subject, ValueType, WASM_PAGE};
use pessimum_input::{Argument, Group};

/// Buffers are aligned to multiples of this many bytes.
const ALIGNMENT: usize = 16;

/// The function that puts the input into memory and makes the call. With counters and the cost before the call it returns
/// what was counted, otherwise what the call returns.
pub fn entry(
    subject: &Subject,
    function: &str,
    witness: &Witness,
    counters: Option<(Counters, u64)>,
) -> Result<Function, ScriptError> {
    use Instruction as I;
    let module = subject.module();
    let (called, ty) = exported(module, function).ok_or_else(|| ScriptError::NoFunction(function.to_string()))?;
    let arguments = &subject.plan().arguments;
    let images: Vec<Option<Vec<u8>>> = arguments.iter().map(|argument| image(argument, witness)).collect();
    let mut code = Vec::new();
    if let Some((index, ty)) = exported(module, "_initialize")
        && *ty == FunctionType::default()
        && index != called
    {
        code.push(I::Call(index));
    }
    match Allocator::of(module) {
        Some(allocator) => allocate(allocator, &images, &mut code),
        None => append_pages(&images, &mut code),
    }
    fill(&images, &mut code);
    if let Some((counters, before)) = counters {
        code.extend([I::I64Const(before as i64), I::GlobalSet(counters.counter)]);
        code.extend([I::I64Const(NOTHING_KEPT), I::GlobalSet(counters.kept)]);
    }
    for (local, (argument, param)) in arguments.iter().zip(&ty.params).enumerate() {
        code.push(match images[local] {
            Some(_) => I::LocalGet(local as u32),
            None => constant(argument, *param, witness, module, subject.pointer(local))?,
        });
    }
    code.push(I::Call(called));
    if let Some((counters, _)) = counters {
        code.extend(ty.results.iter().map(|_| I::Drop));
        code.extend(counters.counted());
    }
    code.push(I::End);
    // One address per argument, used by buffers only.
    let mut body = Function::new([(arguments.len() as u32, ValType::I32)]);
    for instruction in &code {
        body.instruction(instruction);
    }
    Ok(body)
}

pub fn exported<'m>(module: &'m Module, name: &str) -> Option<(u32, &'m FunctionType)> {
    let export = module.export(name).filter(|export| export.kind == ExternKind::Function)?;
    Some((export.index, module.function_type(export.index)))
}

/// The module's own allocator.
#[derive(Clone, Copy, Debug)]
enum Allocator {
    /// Takes the size.
    BySize(u32),
    /// Takes an old address, its size, the alignment and the new size.
    Realloc(u32),
}

impl Allocator {
    fn of(module: &Module) -> Option<Allocator> {
        let typed = |name: &str, params: usize| {
            let (index, ty) = exported(module, name)?;
            let fits = ty.params == vec![ValueType::I32; params] && ty.results == [ValueType::I32];
            fits.then_some(index)
        };
        let by_size = typed("__pessimum_alloc", 1).or_else(|| typed("malloc", 1)).map(Allocator::BySize);
        by_size.or_else(|| typed("cabi_realloc", 4).map(Allocator::Realloc))
    }
}

/// Asks the module's allocator for each buffer.
fn allocate(allocator: Allocator, images: &[Option<Vec<u8>>], code: &mut Vec<Instruction<'static>>) {
    use Instruction as I;
    for (local, image) in images.iter().enumerate() {
        let Some(image) = image else { continue };
        let size = I::I32Const(image.len().max(1) as i32);
        match allocator {
            Allocator::BySize(index) => code.extend([size, I::Call(index)]),
            Allocator::Realloc(index) => {
                let alignment = I::I32Const(ALIGNMENT as i32);
                code.extend([I::I32Const(0), I::I32Const(0), alignment, size, I::Call(index)]);
            }
        }
        code.push(I::LocalSet(local as u32));
    }
}

/// Puts the buffers into pages at the end of memory; not at address 0, which programs take to mean no buffer.
fn append_pages(images: &[Option<Vec<u8>>], code: &mut Vec<Instruction<'static>>) {
    use Instruction as I;
    let aligned = |image: &Vec<u8>| image.len().max(1).next_multiple_of(ALIGNMENT);
    let total: usize = images.iter().flatten().map(aligned).sum();
    let mut first = None;
    let mut offset = 0;
    for (local, image) in images.iter().enumerate() {
        let Some(image) = image else { continue };
        match first {
            None => {
                let start = local as u32;
                first = Some(start);
                // The old number of pages becomes the address of the first new one.
                let pages = (total + ALIGNMENT).div_ceil(WASM_PAGE as usize) as i32;
                code.extend([I::I32Const(pages), I::MemoryGrow(0), I::LocalTee(start), I::I32Const(16), I::I32Shl]);
                code.extend([I::LocalGet(start), I::I32Eqz, I::I32Const(4), I::I32Shl, I::I32Add, I::LocalSet(start)]);
            }
            Some(start) => {
                code.extend([I::LocalGet(start), I::I32Const(offset as i32), I::I32Add, I::LocalSet(local as u32)]);
            }
        }
        offset += aligned(image);
    }
}

/// Writes the contents of each buffer.
fn fill(images: &[Option<Vec<u8>>], code: &mut Vec<Instruction<'static>>) {
    use Instruction as I;
    let place =
        |offset: usize| MemArg { offset: offset as u64, align: 0, target: MemArgTarget::Memory(0), ordering: None };
    for (local, image) in images.iter().enumerate() {
        let Some(image) = image else { continue };
        let (words, rest) = image.as_chunks::<8>();
        for (i, word) in words.iter().enumerate() {
            let value = I::I64Const(i64::from_le_bytes(*word));
            code.extend([I::LocalGet(local as u32), value, I::I64Store(place(8 * i))]);
        }
        for (i, byte) in rest.iter().enumerate() {
            let value = I::I32Const(i32::from(*byte));
            code.extend([I::LocalGet(local as u32), value, I::I32Store8(place(8 * words.len() + i))]);
        }
    }
}

/// The values of a group's variables.
fn bits(group: &Group, witness: &Witness) -> Vec<u64> {
    group.variables().map(|variable| witness.values().get(variable.0 as usize).copied().unwrap_or(0)).collect()
}

/// What a buffer holds; `None` for arguments that are passed by value.
fn image(argument: &Argument, witness: &Witness) -> Option<Vec<u8>> {
    let elements = |group| {
        let bytes = |bits: u64, count: u64| bits.to_le_bytes().into_iter().take(count as usize);
        let group: &Group = group;
        bits(group, witness).into_iter().flat_map(|bits| bytes(bits, group.kind.bytes())).collect::<Vec<u8>>()
    };
    match argument {
        Argument::Buffer(group) => Some(elements(group)),
        Argument::Text(group) => {
            let mut bytes = elements(group);
            bytes.push(0);
            Some(bytes)
        }
        Argument::Structure(structure) => Some(structure.image(witness)),
        Argument::Zeroed { kind, count } => Some(vec![0; *count as usize * kind.bytes() as usize]),
        Argument::Constant(bytes) => Some(bytes.iter().copied().chain([0]).collect()),
        Argument::Scalar(_)
        | Argument::Function(_)
        | Argument::Returned(_)
        | Argument::Integer(_)
        | Argument::Float(_) => None,
    }
}

/// The index of a function in the first table, which a script cannot change.
fn function_in_table(module: &Module, function: Option<u32>, name: &str) -> Result<i64, ScriptError> {
    let index = function.and_then(|function| module.table_place(function));
    index.map(i64::from).ok_or_else(|| ScriptError::NotInTable(name.to_string()))
}

/// An argument by value.
fn constant(
    argument: &Argument,
    param: ValueType,
    witness: &Witness,
    module: &Module,
    pointer: Option<u32>,
) -> Result<Instruction<'static>, ScriptError> {
    let (whole, float) = match argument {
        Argument::Scalar(group) => {
            let bits = bits(group, witness).first().copied().unwrap_or(0);
            if group.kind.is_float() {
                return Ok(match param {
                    ValueType::F32 => Instruction::F32Const(Ieee32::new(bits as u32)),
                    _ => Instruction::F64Const(Ieee64::new(bits)),
                });
            }
            let unused = 64 - group.kind.width();
            let value = if group.kind.is_signed() { ((bits << unused) as i64) >> unused } else { bits as i64 };
            (value, value as f64)
        }
        Argument::Integer(value) => (*value as i64, *value as f64),
        Argument::Float(value) => (0, *value),
        Argument::Function(name) => {
            let index = function_in_table(module, pointer, name)?;
            (index, index as f64)
        }
        // Buffers are passed by their addresses.
        Argument::Buffer(_)
        | Argument::Text(_)
        | Argument::Zeroed { .. }
        | Argument::Structure(_)
        | Argument::Constant(_)
        // A script has one call, so nothing was returned before it.
        | Argument::Returned(_) => (0, 0.0),
    };
    Ok(match param {
        ValueType::I32 => Instruction::I32Const(whole as i32),
        ValueType::I64 => Instruction::I64Const(whole),
        ValueType::F32 => Instruction::F32Const(Ieee32::from(float as f32)),
        ValueType::F64 => Instruction::F64Const(Ieee64::from(float)),
        other => return Err(ScriptError::Parameter(other)),
    })
}
