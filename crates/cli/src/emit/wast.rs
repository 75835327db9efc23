//! A script in the standard form (`.wast`) whose module counts its own cost, so that any engine that runs such scripts
//! can check it.
//!
//! Every straight piece of code starts by adding its cost to a global variable. The added function `worst-case` puts the
//! input into memory as `pessimum run` does, calls the function and returns the global. Engines are hosts of different
//! kinds, so imported functions are replaced by ones that trap; a run that needs them cannot be written as a script, and
//! this is noticed when the script is made.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use pessimum_search::cost::CostModel;
use pessimum_term::Witness;
use pessimum_wasm::call::{Argument, InputPlan, Signature};
use pessimum_wasm::{
    ExternKind, ExternType, FunctionType, Import, Limits, LoadSettings, Module, Start, Subject, ValueType, World,
};
use wasm_encoder::{Encode as _, Function, Ieee32, Ieee64, Instruction, MemArg, MemArgTarget, RawSection, ValType};
use wasmparser::{FunctionBody, Operator, Parser, Payload, TypeRef};

use super::bits;

/// The function that is added.
const ENTRY: &str = "worst-case";

/// What a script can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Instructions,
    Branches,
    Calls,
}

impl Counted {
    /// The same cost as the model's, where a script can count it.
    pub fn of(model: CostModel) -> Option<Counted> {
        match model {
            CostModel::Instructions => Some(Counted::Instructions),
            CostModel::Branches => Some(Counted::Branches),
            CostModel::Calls => Some(Counted::Calls),
            _ => None,
        }
    }

    /// The price of one execution.
    fn price(self, operator: &Operator<'_>) -> u64 {
        use Operator as O;
        u64::from(match self {
            Counted::Instructions => !matches!(operator, O::Block { .. } | O::Loop { .. } | O::End | O::Else | O::Nop),
            Counted::Branches => matches!(operator, O::If { .. } | O::BrIf { .. } | O::BrTable { .. }),
            Counted::Calls => matches!(operator, O::Call { .. } | O::CallIndirect { .. }),
        })
    }

    /// The first call is made from outside.
    fn before(self) -> u64 {
        u64::from(self == Counted::Calls)
    }
}

/// The comment at the start.
pub fn head(arguments: &[String], counted: Counted) -> String {
    let what = match counted {
        Counted::Instructions => "executed instructions (block, loop, end, else and nop are free)",
        Counted::Branches => "executed if, br_if and br_table",
        Counted::Calls => "calls",
    };
    format!(
        ";; Written by Pessimum: the worst inputs known of {}\n;; and what they cost, counted in {what}.\n;;\n;; Each module \
         is the original with a counter; `{ENTRY}` puts the input in place, calls the function and\n;; returns the \
         count. Imported functions trap: this run needs none.\n",
        arguments.join(" ").replace(['\n', '\r'], " ")
    )
}

/// The module with one input, and the assertion.
pub fn case(
    module: &[u8],
    subject: &Subject,
    function: &str,
    witness: &Witness,
    counted: Counted,
    cost: u64,
) -> Result<String> {
    let parts = Parts::read(module)?;
    let binary = parts.counting(subject, function, witness, counted, false)?;
    verify(&parts.counting(subject, function, witness, counted, true)?, subject, cost)?;
    let mut text = stubs(subject)?;
    text += "\n(module binary";
    for piece in binary.chunks(32) {
        text += "\n  \"";
        for byte in piece {
            let _ = write!(text, "\\{byte:02x}");
        }
        text.push('"');
    }
    let _ = write!(text, ")\n\n(assert_return (invoke \"{ENTRY}\") (i64.const {cost}))\n");
    Ok(text)
}

/// Runs the module that the script holds, with imports that are not there.
fn verify(binary: &[u8], subject: &Subject, cost: u64) -> Result<()> {
    let module = Module::load(binary, &LoadSettings::default()).context("the counting module; a defect of Pessimum")?;
    let start = Start::Call(Signature::parse(&format!("\"{ENTRY}\"()"))?);
    let size = subject.plan().size;
    let world = World { plan: InputPlan::new(size), program: String::new(), environment: Vec::new() };
    let ran = Subject::new(Arc::new(module), start, world, Limits::default())?.run_concrete(Witness::default())?;
    match ran.results.first().map(|number| number.bits) {
        Some(counted) if counted == cost => Ok(()),
        Some(counted) => bail!("the counting module counts {counted}, not {cost}; a defect of Pessimum"),
        None => bail!("the run of this input does not return by itself ({}), as a script must", ran.end),
    }
}

/// Modules that stand for the imported ones.
fn stubs(subject: &Subject) -> Result<String> {
    let mut modules: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for Import { module, name, ty } in subject.module().imports() {
        let ExternType::Function(ty) = ty else {
            bail!("the module imports `{module}.{name}`, {ty}, which a script cannot provide");
        };
        let body = match (module.as_str(), name.as_str()) {
            ("pessimum", "cost") => String::new(),
            ("pessimum", "assume") => " local.get 0 i32.eqz if unreachable end".to_string(),
            ("pessimum", "size") => format!(" i32.const {}", subject.plan().size.unwrap_or(0)),
            _ => " unreachable".to_string(),
        };
        modules.entry(module).or_default().insert(name, format!("{}{body}", types(ty)));
    }
    let mut text = String::new();
    for (number, (module, functions)) in modules.iter().enumerate() {
        let _ = write!(text, "\n(module $import{number}");
        for (name, rest) in functions {
            let _ = write!(text, "\n  (func (export {}){rest})", quoted(name));
        }
        let _ = write!(text, ")\n(register {} $import{number})\n", quoted(module));
    }
    Ok(text)
}

fn types(ty: &FunctionType) -> String {
    let list = |word: &str, types: &[ValueType]| match types {
        [] => String::new(),
        types => format!(" ({word}{})", types.iter().map(|ty| format!(" {ty}")).collect::<String>()),
    };
    list("param", &ty.params) + &list("result", &ty.results)
}

fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    let bytes = text.bytes().map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("\\{byte:02x}") });
    format!("\"{}\"", bytes.collect::<String>())
}

/// The sections of a module, and the numbers of things in it.
struct Parts<'m> {
    sections: BTreeMap<u8, &'m [u8]>,
    bodies: Vec<FunctionBody<'m>>,
    imports: Vec<wasmparser::Import<'m>>,
    types: u32,
    functions: u32,
    globals: u32,
}

/// Numbers of sections, in the order in which they stand.
const ORDER: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11];

impl<'m> Parts<'m> {
    fn read(module: &'m [u8]) -> Result<Parts<'m>> {
        let mut parts = Parts {
            sections: BTreeMap::new(),
            bodies: Vec::new(),
            imports: Vec::new(),
            types: 0,
            functions: 0,
            globals: 0,
        };
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload?;
            match &payload {
                Payload::TypeSection(section) => parts.types = section.count(),
                Payload::ImportSection(section) => {
                    for import in section.clone().into_imports() {
                        let import = import?;
                        match import.ty {
                            TypeRef::Func(_) | TypeRef::FuncExact(_) => parts.functions += 1,
                            TypeRef::Global(_) => parts.globals += 1,
                            _ => {}
                        }
                        parts.imports.push(import);
                    }
                }
                Payload::FunctionSection(section) => parts.functions += section.count(),
                Payload::GlobalSection(section) => parts.globals += section.count(),
                Payload::CodeSectionEntry(body) => parts.bodies.push(body.clone()),
                _ => {}
            }
            if let Some((id, range)) = payload.as_section()
                && ORDER.contains(&id)
            {
                parts.sections.insert(id, &module[range.start as usize..range.end as usize]);
            }
        }
        Ok(parts)
    }

    /// The module with a counter and the added function. `alone` gives the imports names under which nothing is known,
    /// except those of module `pessimum`.
    fn counting(
        &self,
        subject: &Subject,
        function: &str,
        witness: &Witness,
        counted: Counted,
        alone: bool,
    ) -> Result<Vec<u8>> {
        let mut result = wasm_encoder::Module::new();
        for id in ORDER {
            let old = self.sections.get(&id).copied();
            let data = match id {
                // No parameters, one i64.
                1 => appended(old, &[0x60, 0, 1, 0x7e])?,
                2 if alone && old.is_some() => self.renamed_imports(),
                3 => appended(old, &leb128(self.types))?,
                // A variable i64, at first 0.
                6 => appended(old, &[0x7e, 1, 0x42, 0, 0x0b])?,
                7 => {
                    let mut export = Vec::new();
                    ENTRY.encode(&mut export);
                    export.push(0);
                    self.functions.encode(&mut export);
                    appended(None, &export)?
                }
                10 => self.code(&self.entry(subject, function, witness, counted)?, counted)?,
                _ => match old {
                    Some(old) => old.to_vec(),
                    None => continue,
                },
            };
            result.section(&RawSection { id, data: &data });
        }
        Ok(result.finish())
    }

    fn renamed_imports(&self) -> Vec<u8> {
        let mut data = leb128(self.imports.len() as u32);
        for import in &self.imports {
            match import.module {
                "pessimum" => import.module.encode(&mut data),
                other => format!("not {other}").encode(&mut data),
            }
            import.name.encode(&mut data);
            // Others than functions were refused.
            data.push(0);
            if let TypeRef::Func(ty) | TypeRef::FuncExact(ty) = import.ty {
                ty.encode(&mut data);
            }
        }
        data
    }

    /// The code section: each body with its counters, and the added function.
    fn code(&self, entry: &Function, counted: Counted) -> Result<Vec<u8>> {
        let mut data = leb128(self.bodies.len() as u32 + 1);
        for body in &self.bodies {
            let bytes = body.as_bytes();
            let start = body.range().start;
            let mut new = Vec::new();
            let mut copied = 0;
            for (at, amount) in pieces(body, counted)? {
                let at = (at - start) as usize;
                new.extend(&bytes[copied..at]);
                copied = at;
                for instruction in self.count(amount) {
                    instruction.encode(&mut new);
                }
            }
            new.extend(&bytes[copied..]);
            new.as_slice().encode(&mut data);
        }
        entry.encode(&mut data);
        Ok(data)
    }

    fn count(&self, amount: u64) -> [Instruction<'static>; 4] {
        let counter = self.globals;
        [
            Instruction::GlobalGet(counter),
            Instruction::I64Const(amount as i64),
            Instruction::I64Add,
            Instruction::GlobalSet(counter),
        ]
    }

    /// The added function: makes the call as a process of ours does.
    fn entry(&self, subject: &Subject, function: &str, witness: &Witness, counted: Counted) -> Result<Function> {
        use Instruction as I;
        let module = subject.module();
        let exported = |name: &str| {
            let export = module.export(name).filter(|export| export.kind == ExternKind::Function)?;
            Some((export.index, module.function_type(export.index)))
        };
        let typed = |name: &str, params: usize| {
            let (index, ty) = exported(name)?;
            let fits = ty.params == vec![ValueType::I32; params] && ty.results == [ValueType::I32];
            fits.then_some(index)
        };
        let (called, ty) = exported(function).with_context(|| format!("no function `{function}`"))?;
        let arguments = &subject.plan().arguments;
        let images: Vec<Option<Vec<u8>>> = arguments.iter().map(|argument| image(argument, witness)).collect();
        // One address per argument, used by buffers only.
        let mut body = Function::new([(arguments.len() as u32, ValType::I32)]);
        let mut put = |instruction: Instruction<'_>| {
            body.instruction(&instruction);
        };
        if let Some((index, ty)) = exported("_initialize")
            && *ty == FunctionType::default()
            && index != called
        {
            put(I::Call(index));
        }
        let by_size = typed("__pessimum_alloc", 1).or_else(|| typed("malloc", 1));
        let realloc = typed("cabi_realloc", 4);
        if by_size.is_none() && realloc.is_none() {
            let align = |image: &Vec<u8>| (image.len().max(1)).next_multiple_of(16);
            let total: usize = images.iter().flatten().map(align).sum();
            if let Some(first) = images.iter().position(Option::is_some) {
                // Pages at the end; not at address 0, which programs take for no buffer.
                let old = first as u32;
                put(I::I32Const((total + 16).div_ceil(65536) as i32));
                put(I::MemoryGrow(0));
                put(I::LocalTee(old));
                put(I::I32Const(16));
                put(I::I32Shl);
                put(I::LocalGet(old));
                put(I::I32Eqz);
                put(I::I32Const(4));
                put(I::I32Shl);
                put(I::I32Add);
                put(I::LocalSet(old));
                let mut offset = align(images[first].as_ref().expect("it has one"));
                for (local, image) in images.iter().enumerate().skip(first + 1) {
                    let Some(image) = image else { continue };
                    put(I::LocalGet(old));
                    put(I::I32Const(offset as i32));
                    put(I::I32Add);
                    put(I::LocalSet(local as u32));
                    offset += align(image);
                }
            }
        }
        for (local, image) in images.iter().enumerate() {
            let (Some(image), Some(allocator)) = (image, by_size.or(realloc)) else { continue };
            if by_size.is_none() {
                put(I::I32Const(0));
                put(I::I32Const(0));
                put(I::I32Const(16));
            }
            put(I::I32Const(image.len().max(1) as i32));
            put(I::Call(allocator));
            put(I::LocalSet(local as u32));
        }
        for (local, image) in images.iter().enumerate() {
            let Some(image) = image else { continue };
            let (words, rest) = image.as_chunks::<8>();
            let place = |offset: usize| MemArg {
                offset: offset as u64,
                align: 0,
                target: MemArgTarget::Memory(0),
                ordering: None,
            };
            for (i, word) in words.iter().enumerate() {
                put(I::LocalGet(local as u32));
                put(I::I64Const(i64::from_le_bytes(*word)));
                put(I::I64Store(place(8 * i)));
            }
            for (i, byte) in rest.iter().enumerate() {
                put(I::LocalGet(local as u32));
                put(I::I32Const(i32::from(*byte)));
                put(I::I32Store8(place(8 * words.len() + i)));
            }
        }
        put(I::I64Const(counted.before() as i64));
        put(I::GlobalSet(self.globals));
        for (local, (argument, param)) in arguments.iter().zip(&ty.params).enumerate() {
            put(match images[local] {
                Some(_) => I::LocalGet(local as u32),
                None => constant(argument, *param, witness)?,
            });
        }
        put(I::Call(called));
        for _ in &ty.results {
            put(I::Drop);
        }
        put(I::GlobalGet(self.globals));
        put(I::End);
        Ok(body)
    }
}

/// Where straight pieces of code start, and their costs. A piece ends where control may leave it or enter after it.
fn pieces(body: &FunctionBody<'_>, counted: Counted) -> Result<Vec<(u64, u64)>> {
    use Operator as O;
    let mut reader = body.get_operators_reader()?;
    let (mut found, mut start, mut cost) = (Vec::new(), reader.original_position(), 0);
    while !reader.eof() {
        let operator = reader.read()?;
        cost += counted.price(&operator);
        let ends = matches!(
            operator,
            O::Loop { .. }
                | O::If { .. }
                | O::Else
                | O::End
                | O::Br { .. }
                | O::BrIf { .. }
                | O::BrTable { .. }
                | O::Return
                | O::Unreachable
        );
        if ends {
            if cost > 0 {
                found.push((start, cost));
            }
            (start, cost) = (reader.original_position(), 0);
        }
    }
    Ok(found)
}

/// What a buffer holds; `None` for arguments that are passed by value.
fn image(argument: &Argument, witness: &Witness) -> Option<Vec<u8>> {
    let elements = |group| {
        let bytes = |bits: u64, count: u64| bits.to_le_bytes().into_iter().take(count as usize);
        let group: &pessimum_wasm::call::Group = group;
        bits(group, witness).into_iter().flat_map(|bits| bytes(bits, group.kind.bytes())).collect::<Vec<u8>>()
    };
    match argument {
        Argument::Buffer(group) => Some(elements(group)),
        Argument::Text(group) => {
            let mut bytes = elements(group);
            bytes.push(0);
            Some(bytes)
        }
        Argument::Zeroed { kind, count } => Some(vec![0; *count as usize * kind.bytes() as usize]),
        Argument::Scalar(_) | Argument::Integer(_) | Argument::Float(_) => None,
    }
}

/// An argument by value.
fn constant(argument: &Argument, param: ValueType, witness: &Witness) -> Result<Instruction<'static>> {
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
        _ => bail!("a buffer is not passed by value"),
    };
    Ok(match param {
        ValueType::I32 => Instruction::I32Const(whole as i32),
        ValueType::I64 => Instruction::I64Const(whole),
        ValueType::F32 => Instruction::F32Const(Ieee32::from(float as f32)),
        ValueType::F64 => Instruction::F64Const(Ieee64::from(float)),
        _ => bail!("a reference cannot be passed"),
    })
}

/// A section with one more entry.
fn appended(section: Option<&[u8]>, entry: &[u8]) -> Result<Vec<u8>> {
    let section = section.unwrap_or(&[0]);
    let mut reader = wasmparser::BinaryReader::new(section, 0);
    let count = reader.read_var_u32()?;
    let mut data = leb128(count + 1);
    data.extend(&section[reader.current_position()..]);
    data.extend(entry);
    Ok(data)
}

fn leb128(value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    bytes
}
