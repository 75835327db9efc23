//! Modules that count what they do, and modules that start where another one has got to.
//!
//! [`counting`] adds to each straight-line piece of code what it costs, as scripts in the standard form do
//! (`crates/wasm/src/script`), and stops a run above its limit: the counter is compared with it at the start of each
//! function and of each round of a loop. Optionally it also counts the arms of all branches, in a second memory and in
//! the order of [`pessimum_wasm::Machine::arm_counts`]. A piece that ends in a branch counts its executions in one arm,
//! and the piece after the branch counts its own in the other: the difference, which is taken after the run, is what the
//! first arm is about. That way no branch needs to be rewritten.

use std::collections::BTreeMap;

use pessimum_wasm::{Module, Site, SiteKind};
use wasm_encoder::{ConstExpr, Encode as _, Instruction, MemArg, MemArgTarget, RawSection};
use wasmparser::{BinaryReader, BinaryReaderError, FunctionBody, Operator, Parser, Payload};

/// Exported names of what is added.
pub const TOTAL: &str = "bench:total";
pub const LIMIT: &str = "bench:limit";
pub const ARMS: &str = "bench:arms";
/// The program's own memory, whether it exports it or not.
pub const MEMORY: &str = "bench:memory";

/// The name under which a global of the program is exported.
pub fn global_name(index: u32) -> String {
    format!("bench:global{index}")
}

/// What a module counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// Instructions.
    Total,
    /// Instructions, and the arms of all branches.
    Arms,
}

/// Numbers of sections, in the order in which they appear.
const ORDER: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11];

/// A module in pieces.
struct Parts<'m> {
    sections: BTreeMap<u8, &'m [u8]>,
    bodies: Vec<FunctionBody<'m>>,
    globals: u32,
}

impl<'m> Parts<'m> {
    fn read(module: &'m [u8]) -> Result<Parts<'m>, String> {
        let mut parts = Parts { sections: BTreeMap::new(), bodies: Vec::new(), globals: 0 };
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload.map_err(|error| error.to_string())?;
            match &payload {
                Payload::ImportSection(section) => {
                    for import in section.clone().into_imports() {
                        let import = import.map_err(|error| error.to_string())?;
                        if !matches!(import.ty, wasmparser::TypeRef::Func(_)) {
                            return Err(format!("it imports {}.{}, which is no function", import.module, import.name));
                        }
                    }
                }
                Payload::GlobalSection(section) => parts.globals = section.count(),
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

    /// The module with other contents in some of its sections.
    fn with(&self, mut changed: BTreeMap<u8, Option<Vec<u8>>>) -> Vec<u8> {
        let mut result = wasm_encoder::Module::new();
        for id in ORDER {
            let data = match changed.remove(&id) {
                Some(new) => new,
                None => self.sections.get(&id).map(|old| old.to_vec()),
            };
            if let Some(data) = data {
                result.section(&RawSection { id, data: &data });
            }
        }
        result.finish()
    }

    fn section(&self, id: u8) -> Option<&'m [u8]> {
        self.sections.get(&id).copied()
    }
}

/// The module with counters. `module` is what was loaded from the same bytes, which knows the branches.
pub fn counting(bytes: &[u8], module: &Module, counters: Counters) -> Result<Vec<u8>, String> {
    let parts = Parts::read(bytes)?;
    let code = Code {
        total: parts.globals,
        sites: match counters {
            Counters::Total => BTreeMap::new(),
            Counters::Arms => module.sites().iter().map(|site| (u64::from(site.offset), *site)).collect(),
        },
    };
    let mut changed = BTreeMap::new();
    // The counter and its limit (at first the greatest), mutable i64; two mutable i32 for what is on the stack.
    let mut globals = section(parts.section(6));
    for (ty, opcode, initial) in [(0x7e, 0x42, 0), (0x7e, 0x42, 0x7f), (0x7f, 0x41, 0), (0x7f, 0x41, 0)] {
        globals.push(&[ty, 1, opcode, initial, 0x0b]);
    }
    changed.insert(6, Some(globals.finish()));
    let mut exports = section(parts.section(7));
    exports.push(&export(MEMORY, 2, 0));
    exports.push(&export(TOTAL, 3, code.total));
    exports.push(&export(LIMIT, 3, code.total + 1));
    for index in 0..parts.globals {
        exports.push(&export(&global_name(index), 3, index));
    }
    if counters == Counters::Arms {
        let pages = (8 * slots(module.sites()) as u64).div_ceil(1 << 16).max(1);
        let mut memories = section(parts.section(5));
        let mut entry = vec![1];
        (pages as u32).encode(&mut entry);
        (pages as u32).encode(&mut entry);
        memories.push(&entry);
        changed.insert(5, Some(memories.finish()));
        exports.push(&export(ARMS, 2, 1));
    }
    changed.insert(7, Some(exports.finish()));
    let mut bodies = section(None);
    for body in &parts.bodies {
        let mut entry = Vec::new();
        code.body(body).map_err(|error| error.to_string())?.as_slice().encode(&mut entry);
        bodies.push(&entry);
    }
    changed.insert(10, Some(bodies.finish()));
    Ok(parts.with(changed))
}

/// What a counting module has become before its call: everything that a run starts with.
pub struct State {
    /// In pages of 64 KiB.
    pub pages: u64,
    /// The memory without the zeros at its end.
    pub memory: Vec<u8>,
    /// The program's own globals; none for constants.
    pub globals: Vec<Option<ConstExpr>>,
    /// The most instructions of a run.
    pub limit: u64,
}

/// A counting module that starts in this state, so that making an instance of it is all that a run needs.
pub fn snapshot(counting: &[u8], state: &State) -> Result<Vec<u8>, String> {
    let damaged = |error: BinaryReaderError| error.to_string();
    let parts = Parts::read(counting)?;
    let mut changed = BTreeMap::new();
    let mut memories = wasm_encoder::MemorySection::new();
    let mut globals = wasm_encoder::GlobalSection::new();
    for payload in Parser::new(0).parse_all(counting) {
        match payload.map_err(damaged)? {
            Payload::MemorySection(section) => {
                for (index, memory) in section.into_iter().enumerate() {
                    let memory = memory.map_err(damaged)?;
                    let minimum = if index == 0 { state.pages } else { memory.initial };
                    memories.memory(wasm_encoder::MemoryType {
                        minimum,
                        maximum: memory.maximum,
                        memory64: false,
                        shared: false,
                        page_size_log2: None,
                    });
                }
            }
            Payload::GlobalSection(section) => {
                let own = state.globals.len();
                for (index, global) in section.into_iter().enumerate() {
                    let ty = global.map_err(damaged)?.ty;
                    let val_type = match ty.content_type {
                        wasmparser::ValType::I32 => wasm_encoder::ValType::I32,
                        wasmparser::ValType::I64 => wasm_encoder::ValType::I64,
                        wasmparser::ValType::F32 => wasm_encoder::ValType::F32,
                        wasmparser::ValType::F64 => wasm_encoder::ValType::F64,
                        other => return Err(format!("a global of type {other}")),
                    };
                    let value = match state.globals.get(index) {
                        Some(Some(value)) => value.clone(),
                        Some(None) => return Err(format!("global {index} has no value")),
                        None if index == own + 1 => ConstExpr::i64_const(state.limit as i64),
                        None if index == own => ConstExpr::i64_const(0),
                        None => ConstExpr::i32_const(0),
                    };
                    let ty = wasm_encoder::GlobalType { val_type, mutable: ty.mutable, shared: false };
                    globals.global(ty, &value);
                }
            }
            _ => {}
        }
    }
    changed.insert(5, Some(contents(&memories)));
    changed.insert(6, Some(contents(&globals)));
    // What the start function does has been done.
    changed.insert(8, None);
    // Segments are copied in their order, so the last one decides. The others stay: code refers to them by number.
    let mut data = section(parts.section(11));
    let mut entry = vec![0];
    ConstExpr::i32_const(0).encode(&mut entry);
    state.memory.as_slice().encode(&mut entry);
    data.push(&entry);
    let mut count = Vec::new();
    data.count.encode(&mut count);
    changed.insert(11, Some(data.finish()));
    changed.insert(12, Some(count));
    Ok(parts.with(changed))
}

/// The contents of a section, without its number and length.
fn contents(section: &impl wasm_encoder::Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    section.encode(&mut bytes);
    let mut reader = BinaryReader::new(&bytes, 0);
    reader.read_var_u32().expect("a section starts with its length");
    bytes[reader.current_position()..].to_vec()
}

/// A section that grows.
struct Growing {
    count: u32,
    entries: Vec<u8>,
}

fn section(old: Option<&[u8]>) -> Growing {
    let mut reader = BinaryReader::new(old.unwrap_or(&[0]), 0);
    let count = reader.read_var_u32().expect("the module has been read before");
    Growing { count, entries: old.unwrap_or(&[0])[reader.current_position()..].to_vec() }
}

impl Growing {
    fn push(&mut self, entry: &[u8]) {
        self.count += 1;
        self.entries.extend(entry);
    }

    fn finish(self) -> Vec<u8> {
        let mut data = Vec::new();
        self.count.encode(&mut data);
        data.extend(self.entries);
        data
    }
}

fn export(name: &str, kind: u8, index: u32) -> Vec<u8> {
    let mut entry = Vec::new();
    name.encode(&mut entry);
    entry.push(kind);
    index.encode(&mut entry);
    entry
}

/// When several things are inserted at one place, they come in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// After an instruction.
    After,
    /// At the start of a piece.
    Start,
    /// Before an instruction.
    Before,
}

/// How code is changed.
struct Code {
    /// The counter. Its limit and two variables for operands follow.
    total: u32,
    /// Branches whose arms are counted, by their offset.
    sites: BTreeMap<u64, Site>,
}

/// A straight-line piece of code: it ends where control may leave it or enter after it.
#[derive(Default)]
struct Piece {
    start: u64,
    cost: u64,
    checks_limit: bool,
    /// Counters that it increments.
    arms: Vec<u32>,
}

impl Code {
    fn body(&self, body: &FunctionBody<'_>) -> Result<Vec<u8>, BinaryReaderError> {
        use Operator as O;
        let (total, operand) = (self.total, self.total + 2);
        let mut reader = body.get_operators_reader()?;
        let mut found: Vec<(u64, Turn, Vec<Instruction<'static>>)> = Vec::new();
        let mut piece = Piece { start: reader.original_position(), checks_limit: true, ..Piece::default() };
        while !reader.eof() {
            let before = reader.original_position();
            let operator = reader.read()?;
            let after = reader.original_position();
            let is_free = matches!(operator, O::Block { .. } | O::Loop { .. } | O::End | O::Else | O::Nop);
            piece.cost += u64::from(!is_free);
            let site = self.sites.get(&before);
            let mut next = Piece { start: after, ..Piece::default() };
            match (&operator, site.map(|site| site.kind)) {
                // What these move costs one for each eight bytes.
                (O::MemoryFill { .. } | O::MemoryCopy { .. } | O::MemoryInit { .. }, _) => {
                    use Instruction as I;
                    found.push((before, Turn::Before, vec![I::GlobalSet(operand), I::GlobalGet(operand)]));
                    let code = vec![
                        I::GlobalGet(total),
                        I::GlobalGet(operand),
                        I::I64ExtendI32U,
                        I::I64Const(7),
                        I::I64Add,
                        I::I64Const(3),
                        I::I64ShrU,
                        I::GlobalGet(operand),
                        I::I32Const(0),
                        I::I32Ne,
                        I::I64ExtendI32U,
                        I::I64Sub,
                        I::I64Add,
                        I::GlobalSet(total),
                    ];
                    found.push((after, Turn::After, code));
                }
                (_, Some(SiteKind::BranchIf)) => {
                    let first = site.map_or(0, |site| site.first_arm);
                    piece.arms.push(first + 1);
                    next.arms.push(first);
                }
                (_, Some(SiteKind::If)) => {
                    let first = site.map_or(0, |site| site.first_arm);
                    piece.arms.push(first);
                    next.arms.push(first + 1);
                }
                (O::BrTable { targets }, Some(SiteKind::Table)) => {
                    let first = site.map_or(0, |site| site.first_arm);
                    found.push((before, Turn::Before, self.table(first, targets.len())));
                }
                _ => {}
            }
            next.checks_limit = matches!(operator, O::Loop { .. });
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
                found.push((piece.start, Turn::Start, self.start(&piece)));
                piece = next;
            }
        }
        // Stable: what belongs to one place and turn stays in order.
        found.sort_by_key(|&(at, turn, _)| (at, turn));
        let (bytes, start) = (body.as_bytes(), body.range().start);
        let (mut new, mut copied) = (Vec::new(), 0);
        for (at, _, code) in found {
            let at = (at - start) as usize;
            // Nothing follows the end of the body.
            if at < bytes.len() {
                new.extend(&bytes[copied..at]);
                copied = at;
                code.iter().for_each(|instruction| instruction.encode(&mut new));
            }
        }
        new.extend(&bytes[copied..]);
        Ok(new)
    }

    fn start(&self, piece: &Piece) -> Vec<Instruction<'static>> {
        use Instruction as I;
        let (total, limit) = (self.total, self.total + 1);
        let mut code = Vec::new();
        if piece.cost > 0 {
            code.extend([I::GlobalGet(total), I::I64Const(piece.cost as i64), I::I64Add, I::GlobalSet(total)]);
        }
        if piece.checks_limit {
            code.extend([I::GlobalGet(total), I::GlobalGet(limit), I::I64GtU]);
            code.extend([I::If(wasm_encoder::BlockType::Empty), I::Unreachable, I::End]);
        }
        for &arm in &piece.arms {
            code.extend([I::I32Const(0), I::I32Const(0)]);
            code.extend(increment(arm));
        }
        code
    }

    /// Counts the arm of a table by its index, which is on the stack.
    fn table(&self, first: u32, last: u32) -> Vec<Instruction<'static>> {
        use Instruction as I;
        let (operand, address) = (self.total + 2, self.total + 3);
        let mut code = vec![
            I::GlobalSet(operand),
            I::GlobalGet(operand),
            I::I32Const(last as i32),
            I::GlobalGet(operand),
            I::I32Const(last as i32),
            I::I32LtU,
            I::Select,
            I::I32Const(3),
            I::I32Shl,
            I::GlobalSet(address),
            I::GlobalGet(address),
            I::GlobalGet(address),
        ];
        code.extend(increment(first));
        code.push(I::GlobalGet(operand));
        code
    }
}

/// Adds one to a counter. The offset from this counter is on the stack, twice.
fn increment(counter: u32) -> [Instruction<'static>; 4] {
    let offset = 8 * u64::from(counter);
    let place = MemArg { offset, align: 3, target: MemArgTarget::Memory(1), ordering: None };
    [Instruction::I64Load(place), Instruction::I64Const(1), Instruction::I64Add, Instruction::I64Store(place)]
}

/// How many counters the arms have.
pub fn slots(sites: &[Site]) -> usize {
    sites.last().map_or(0, |site| (site.first_arm + site.arms).next_multiple_of(2) as usize)
}

/// Turns what the pieces counted into how often each arm was taken.
pub fn settle(sites: &[Site], arms: &mut [u64]) {
    for site in sites {
        let first = site.first_arm as usize;
        match site.kind {
            SiteKind::BranchIf => arms[first + 1] -= arms[first],
            SiteKind::If => arms[first] -= arms[first + 1],
            SiteKind::Table => {}
        }
    }
}
