//! The module with a counter: a global variable to which every straight-line piece of code adds its cost. Instructions
//! that move bytes or elements of tables also add what that costs, which depends on an operand. Where the program says that
//! it begins to count, the counter starts again; where it ends, another variable keeps what it was.

use std::collections::BTreeMap;

use wasm_encoder::{Encode as _, Function, Instruction, RawSection};
use wasmparser::{BinaryReader, BinaryReaderError, FunctionBody, Operator, Parser, Payload, TypeRef};

use super::Counted;
use crate::ValueType;

/// What becomes of the imports of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imports {
    /// They stay as they are.
    Kept,
    /// They get names under which nothing is provided, except for those of module `pessimum`.
    Renamed,
}

/// The sections of a module, and how many types, functions and globals it has.
pub struct Sections<'m> {
    sections: BTreeMap<u8, &'m [u8]>,
    bodies: Vec<FunctionBody<'m>>,
    imports: Vec<wasmparser::Import<'m>>,
    types: u32,
    functions: u32,
    globals: u32,
}

/// Numbers of sections, in the order in which they appear.
const ORDER: [u8; 13] = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];

impl<'m> Sections<'m> {
    /// Reads a module.
    pub fn read(module: &'m [u8]) -> Result<Sections<'m>, BinaryReaderError> {
        let mut parts = Sections {
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

    /// The global variables that are added.
    pub fn counters(&self) -> Counters {
        Counters { counter: self.globals, kept: self.globals + 3 }
    }

    /// The imported function of module `pessimum` with this name.
    fn imported(&self, name: &str) -> Option<u32> {
        let functions =
            self.imports.iter().filter(|import| matches!(import.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)));
        let found = (0..).zip(functions).find(|(_, import)| (import.module, import.name) == ("pessimum", name));
        found.map(|(number, _)| number)
    }

    /// The module with an added function, which has no parameters and is all that is exported, and with a counter if
    /// something is counted.
    pub fn with_entry(
        &self,
        (name, entry, results): (&str, &Function, &[ValueType]),
        counted: Option<Counted>,
        imports: Imports,
    ) -> Result<Vec<u8>, BinaryReaderError> {
        let mut result = wasm_encoder::Module::new();
        for id in ORDER {
            let old = self.sections.get(&id).copied();
            let data = match id {
                1 => {
                    let mut ty = vec![0x60, 0];
                    ty.extend(leb128(results.len() as u32));
                    ty.extend(results.iter().map(|ty| encoded(*ty)));
                    appended(old, &ty)?
                }
                2 if imports == Imports::Renamed && old.is_some() => self.renamed_imports(),
                3 => appended(old, &leb128(self.types))?,
                // The counter, a mutable i64, two mutable i32 for operands and results of moves, and what is kept of the
                // counter, also an i64.
                6 if counted.is_some() => {
                    let counter = appended(old, &[0x7e, 1, 0x42, 0, 0x0b])?;
                    let operand = appended(Some(&counter), &[0x7f, 1, 0x41, 0, 0x0b])?;
                    let result = appended(Some(&operand), &[0x7f, 1, 0x41, 0, 0x0b])?;
                    appended(Some(&result), &[0x7e, 1, 0x42, 0x7f, 0x0b])?
                }
                7 => {
                    let mut export = Vec::new();
                    name.encode(&mut export);
                    export.push(0);
                    self.functions.encode(&mut export);
                    appended(None, &export)?
                }
                10 => self.code(entry, counted)?,
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
            // Anything but functions has already been refused.
            data.push(0);
            if let TypeRef::Func(ty) | TypeRef::FuncExact(ty) = import.ty {
                ty.encode(&mut data);
            }
        }
        data
    }

    /// The code section: each body with its counters, and the added function.
    fn code(&self, entry: &Function, counted: Option<Counted>) -> Result<Vec<u8>, BinaryReaderError> {
        let mut data = leb128(self.bodies.len() as u32 + 1);
        let part = Part { begin: self.imported("begin"), end: self.imported("end") };
        for body in &self.bodies {
            let bytes = body.as_bytes();
            let start = body.range().start;
            let mut new = Vec::new();
            let mut copied = 0;
            let inserted = counted.map_or(Ok(Vec::new()), |counted| insertions(body, counted, part))?;
            for (at, insertion) in inserted {
                let at = (at - start) as usize;
                new.extend(&bytes[copied..at]);
                copied = at;
                for instruction in self.instructions(insertion) {
                    instruction.encode(&mut new);
                }
            }
            new.extend(&bytes[copied..]);
            new.as_slice().encode(&mut data);
        }
        entry.encode(&mut data);
        Ok(data)
    }

    /// What is inserted into the code.
    fn instructions(&self, insertion: Insertion) -> Vec<Instruction<'static>> {
        use Instruction as I;
        let Counters { counter, kept } = self.counters();
        let (operand, result) = (counter + 1, counter + 2);
        // The operand less one, or 0.
        let elements = [
            I::GlobalGet(operand),
            I::I64ExtendI32U,
            I::GlobalGet(operand),
            I::I32Const(0),
            I::I32Ne,
            I::I64ExtendI32U,
            I::I64Sub,
        ];
        let add = [I::I64Add, I::GlobalSet(counter)];
        let mut code = Vec::new();
        match insertion {
            Insertion::Keep => code.extend([I::GlobalSet(operand), I::GlobalGet(operand)]),
            Insertion::Count(amount) => {
                code.extend([I::GlobalGet(counter), I::I64Const(amount as i64)]);
                code.extend(add);
            }
            Insertion::Bytes => {
                code.extend([I::GlobalGet(counter), I::GlobalGet(operand), I::I64ExtendI32U]);
                code.extend([I::I64Const(7), I::I64Add, I::I64Const(3), I::I64ShrU]);
                code.extend([I::GlobalGet(operand), I::I32Const(0), I::I32Ne, I::I64ExtendI32U, I::I64Sub]);
                code.extend(add);
            }
            Insertion::Elements => {
                code.push(I::GlobalGet(counter));
                code.extend(elements);
                code.extend(add);
            }
            Insertion::Grown => {
                code.extend([I::GlobalSet(result), I::GlobalGet(counter)]);
                code.extend(elements);
                code.extend([I::I64Const(0), I::GlobalGet(result), I::I32Const(-1), I::I32Ne, I::Select]);
                code.extend(add);
                code.push(I::GlobalGet(result));
            }
            Insertion::Begin => {
                code.extend([I::I64Const(0), I::GlobalSet(counter), I::I64Const(NOTHING_KEPT), I::GlobalSet(kept)]);
            }
            Insertion::End => {
                code.extend(self.counters().counted());
                code.push(I::GlobalSet(kept));
            }
        }
        code
    }
}

/// The value of [`Counters::kept`] until the part that counts has ended.
pub const NOTHING_KEPT: i64 = -1;

/// The global variables that are added for a cost.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    /// Counts.
    pub counter: u32,
    /// What the counter was when the part that counts ended.
    pub kept: u32,
}

impl Counters {
    /// Code that pushes what was counted.
    pub fn counted(self) -> [Instruction<'static>; 6] {
        use Instruction as I;
        let (kept, nothing) = (I::GlobalGet(self.kept), I::I64Const(NOTHING_KEPT));
        [I::GlobalGet(self.counter), kept.clone(), kept, nothing, I::I64Eq, I::Select]
    }
}

/// The imported functions with which a program says what counts.
#[derive(Clone, Copy, Debug)]
struct Part {
    begin: Option<u32>,
    end: Option<u32>,
}

/// What is inserted at one place. Where several are, they come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Insertion {
    /// After an instruction that moved as many bytes as its last operand says.
    Bytes,
    /// After an instruction that moved as many elements of a table.
    Elements,
    /// After a table was grown by as many elements, or was not.
    Grown,
    /// After a call that says that counting begins.
    Begin,
    /// Before a call that says that it ends.
    End,
    /// At the start of a straight-line piece of this cost.
    Count(u64),
    /// Before an instruction whose last operand is needed after it.
    Keep,
}

/// Where something is inserted, in order. A straight-line piece ends where control may leave it or enter after it.
fn insertions(
    body: &FunctionBody<'_>,
    counted: Counted,
    part: Part,
) -> Result<Vec<(u64, Insertion)>, BinaryReaderError> {
    use Operator as O;
    let mut reader = body.get_operators_reader()?;
    let (mut found, mut start, mut cost) = (Vec::new(), reader.original_position(), 0);
    while !reader.eof() {
        let before = reader.original_position();
        let operator = reader.read()?;
        if let O::Call { function_index } = operator
            && part.end == Some(function_index)
        {
            // The call itself does not count.
            if cost > 0 {
                found.push((start, Insertion::Count(cost)));
            }
            found.push((before, Insertion::End));
            (start, cost) = (reader.original_position(), 0);
            continue;
        }
        cost += counted.price(&operator);
        let moves = match operator {
            O::MemoryFill { .. } | O::MemoryCopy { .. } | O::MemoryInit { .. } => Some(Insertion::Bytes),
            O::TableFill { .. } | O::TableCopy { .. } | O::TableInit { .. } => Some(Insertion::Elements),
            O::TableGrow { .. } => Some(Insertion::Grown),
            _ => None,
        };
        if let Some(insertion) = moves.filter(|_| counted == Counted::Instructions) {
            found.push((before, Insertion::Keep));
            found.push((reader.original_position(), insertion));
        }
        // What is charged for the rest of a piece would be lost, or kept, where a callee says what counts.
        let may_say = part.begin.is_some() || part.end.is_some();
        let calls = matches!(operator, O::Call { .. } | O::CallIndirect { .. });
        let ends = (may_say && calls)
            || matches!(
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
                found.push((start, Insertion::Count(cost)));
            }
            (start, cost) = (reader.original_position(), 0);
        }
        if let O::Call { function_index } = operator
            && part.begin == Some(function_index)
        {
            found.push((start, Insertion::Begin));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A type as a byte of the binary format.
fn encoded(ty: ValueType) -> u8 {
    match ty {
        ValueType::I32 => 0x7f,
        ValueType::I64 => 0x7e,
        ValueType::F32 => 0x7d,
        ValueType::F64 => 0x7c,
        ValueType::FuncRef => 0x70,
        ValueType::ExternRef => 0x6f,
        ValueType::ExnRef => 0x69,
    }
}

/// A section with one more entry.
fn appended(section: Option<&[u8]>, entry: &[u8]) -> Result<Vec<u8>, BinaryReaderError> {
    let section = section.unwrap_or(&[0]);
    let mut reader = BinaryReader::new(section, 0);
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
