//! A loaded module: its types and segments, and the code that the machine runs.

use std::fmt;

use crate::code::{Bulk, Instr};
use crate::run::Cells;
use crate::sites::{Site, SiteId};
use crate::verify::Verified;

/// The type of a WebAssembly value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum ValueType {
    I32,
    I64,
    F32,
    F64,
    FuncRef,
    ExternRef,
    ExnRef,
}

impl ValueType {
    /// Width in bits; references are 64 bits wide, and 0 is null.
    pub fn width(self) -> u32 {
        match self {
            ValueType::I32 | ValueType::F32 => 32,
            _ => 64,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueType::I32 => "i32",
            ValueType::I64 => "i64",
            ValueType::F32 => "f32",
            ValueType::F64 => "f64",
            ValueType::FuncRef => "funcref",
            ValueType::ExternRef => "externref",
            ValueType::ExnRef => "exnref",
        })
    }
}

/// The type of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// Types of the parameters.
    pub params: Vec<ValueType>,
    /// Types of the results.
    pub results: Vec<ValueType>,
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |types: &[ValueType]| types.iter().map(ValueType::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "({}) -> ({})", list(&self.params), list(&self.results))
    }
}

/// The type of a table; sizes in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableType {
    /// Type of the elements.
    pub element: ValueType,
    /// Size at the start.
    pub minimum: u32,
    /// Largest size, if any.
    pub maximum: Option<u32>,
}

/// The type of a memory; sizes in WebAssembly pages of 65536 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryType {
    /// Size at the start.
    pub minimum: u32,
    /// Largest size, if any.
    pub maximum: Option<u32>,
}

/// The type of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalType {
    /// Type of the value.
    pub value: ValueType,
    /// Whether it can be set.
    pub mutable: bool,
}

/// The type of an import or export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ExternType {
    Function(FunctionType),
    Table(TableType),
    Memory(MemoryType),
    Global(GlobalType),
    /// What an exception with this tag carries are the parameters.
    Tag(FunctionType),
}

impl fmt::Display for ExternType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = |minimum: u32, maximum: Option<u32>| match maximum {
            Some(maximum) => format!("{minimum} to {maximum}"),
            None => format!("{minimum} or more"),
        };
        match self {
            ExternType::Function(ty) => write!(f, "a function {ty}"),
            ExternType::Table(ty) => write!(f, "a table of {} {}", limits(ty.minimum, ty.maximum), ty.element),
            ExternType::Memory(ty) => write!(f, "a memory of {} pages", limits(ty.minimum, ty.maximum)),
            ExternType::Global(ty) => {
                write!(f, "a {} global {}", if ty.mutable { "mutable" } else { "constant" }, ty.value)
            }
            ExternType::Tag(ty) => write!(f, "a tag {ty}"),
        }
    }
}

/// Something that a module needs from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// First part of the name.
    pub module: String,
    /// Second part of the name.
    pub name: String,
    /// Its type.
    pub ty: ExternType,
}

/// The kinds of things that have index spaces of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ExternKind {
    Function,
    Table,
    Memory,
    Global,
    Tag,
}

/// Something that a module offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ExternKind,
    /// Its index among the module's things of that kind, imports first.
    pub index: u32,
}

/// A constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Bits(u64),
    Global(u32),
    Function(u32),
}

/// What happens to a segment at instantiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentMode {
    Passive,
    /// Copied at instantiation into a table (or the memory, index 0) at an offset.
    Active(u32, Constant),
    /// Dropped as soon as the module is instantiated.
    Declared,
}

#[derive(Clone, Debug)]
pub(crate) struct ElementSegment {
    pub mode: SegmentMode,
    pub items: Vec<Constant>,
}

#[derive(Clone, Debug)]
pub(crate) struct DataSegment {
    pub mode: SegmentMode,
    pub bytes: Vec<u8>,
}

/// A compiled function body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Body {
    /// Where its code starts.
    pub entry: u32,
    /// Slots of its frame.
    pub slots: u32,
    /// Slots of its parameters; the locals follow.
    pub params: u32,
    /// Parameters and locals.
    pub locals: u32,
}

/// Where an arm of a site goes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arm {
    /// Added to the accumulated cost when the arm jumps; see [`Instr::Jump`].
    pub adjust: i32,
    /// Position in the code, where the arm jumps.
    pub target: u32,
}

/// What becomes of exceptions that are thrown in a range of the code. Ranges of one function nest, and the inner ones come
/// first.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    /// First position of the range.
    pub start: u32,
    /// The position after it.
    pub end: u32,
    /// How many blocks of the function are around it.
    pub level: u32,
    pub catches: Catches,
}

#[derive(Clone, Debug)]
pub(crate) enum Catches {
    /// The first of these clauses that takes the exception, by their indices in the module.
    Clauses(Vec<u32>),
    /// Whatever handles exceptions in the block with this level: handlers of a higher level are passed over.
    Delegate(u32),
}

/// Where an exception goes that was caught.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clause {
    /// The tag that it must have, by its index in the module.
    pub tag: Option<u32>,
    /// Position in the code.
    pub target: u32,
    /// The number of counted instructions of the function before it, in text order.
    pub count: u32,
    /// The first of the slots that get the values of the exception.
    pub values: Option<u16>,
    /// The slot that gets a reference to it.
    pub reference: Option<u16>,
    /// Instructions that catching counts as, besides those of the text: a clause of `try_table` is not an instruction there.
    pub extra: u8,
    /// With weights, what these cost.
    pub price: u64,
}

/// A custom section.
#[derive(Clone, Debug)]
pub struct CustomSection {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// A place in a module's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Index of the function in the module, imports first.
    pub function: u32,
    /// Offset of the instruction from the start of the module's bytes.
    pub offset: u32,
}

/// A module, validated and compiled. It never changes, so many machines on many threads can share it.
#[derive(Debug, Default)]
pub struct Module {
    pub(crate) types: Vec<FunctionType>,
    pub(crate) imports: Vec<Import>,
    /// Type of each function, imports first, as an index into `types`.
    pub(crate) functions: Vec<u32>,
    pub(crate) imported_functions: u32,
    pub(crate) tables: Vec<TableType>,
    pub(crate) imported_tables: u32,
    pub(crate) memories: Vec<MemoryType>,
    pub(crate) imported_memories: u32,
    pub(crate) globals: Vec<GlobalType>,
    pub(crate) imported_globals: u32,
    /// Initial values of the globals that are not imported.
    pub(crate) global_values: Vec<Constant>,
    /// Type of each tag, imports first, as an index into `types`.
    pub(crate) tags: Vec<u32>,
    pub(crate) imported_tags: u32,
    pub(crate) exports: Vec<Export>,
    pub(crate) start: Option<u32>,
    pub(crate) elements: Vec<ElementSegment>,
    pub(crate) data: Vec<DataSegment>,
    pub(crate) custom: Vec<CustomSection>,
    pub(crate) code_section: u64,

    pub(crate) code: Vec<Instr>,
    /// For each instruction of the code, the counted WebAssembly instructions of the function up to and including it.
    pub(crate) counts: Vec<u32>,
    /// The offset of each instruction of the code in the module's bytes.
    pub(crate) offsets: Vec<u32>,
    /// The offset of each counted WebAssembly instruction in the module's bytes, in text order.
    pub(crate) counted: Vec<u32>,
    /// The number of the first counted instruction of each body. Kept apart from the bodies, which calls read.
    pub(crate) first_counted: Vec<u32>,
    /// With weights: for each instruction of the code, the weight of the rest of its straight-line piece, charged in
    /// advance.
    pub(crate) uncharged: Option<Vec<u64>>,
    /// With weights: the price of `call`.
    pub(crate) call_price: u64,
    /// Bodies of the functions that are not imported.
    pub(crate) bodies: Vec<Body>,
    /// Handlers of all functions, in the order of the functions.
    pub(crate) handlers: Vec<Handler>,
    pub(crate) clauses: Vec<Clause>,
    /// The number of the first handler of each body. Kept apart from the bodies, like `first_counted`.
    pub(crate) first_handler: Vec<u32>,
    /// Slots of the largest frame among them.
    pub(crate) widest_frame: u32,
    pub(crate) arms: Vec<Arm>,
    pub(crate) sites: Vec<Site>,
    /// The site of each arm.
    pub(crate) arm_sites: Vec<SiteId>,
    pub(crate) bulk: Vec<Bulk>,
    /// With weights: the price of each of them, for every instruction that it counts as.
    pub(crate) bulk_prices: Vec<u64>,
    /// Set once the module is complete; code without it does not run.
    pub(crate) verified: Option<Verified>,
    /// The code as the machine reads it, made when it has been verified.
    pub(crate) cells: Cells,
}

impl Module {
    /// Whether its code has `memory.size` or `memory.grow`.
    pub(crate) fn asks_for_memory(&self) -> bool {
        self.bulk.iter().any(|bulk| matches!(bulk, Bulk::MemorySize { .. } | Bulk::MemoryGrow { .. }))
    }

    /// What the module needs, in order.
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// The bytes of its data segments, in order.
    pub fn data(&self) -> impl Iterator<Item = &[u8]> {
        self.data.iter().map(|segment| segment.bytes.as_slice())
    }

    /// What the module offers, in order.
    pub fn exports(&self) -> &[Export] {
        &self.exports
    }

    /// The export with this name.
    pub fn export(&self, name: &str) -> Option<&Export> {
        self.exports.iter().find(|export| export.name == name)
    }

    /// The type of an export.
    pub fn export_type(&self, export: &Export) -> ExternType {
        let index = export.index as usize;
        match export.kind {
            ExternKind::Function => ExternType::Function(self.function_type(export.index).clone()),
            ExternKind::Table => ExternType::Table(self.tables[index]),
            ExternKind::Memory => ExternType::Memory(self.memories[index]),
            ExternKind::Global => ExternType::Global(self.globals[index]),
            ExternKind::Tag => ExternType::Tag(self.tag_type(export.index).clone()),
        }
    }

    /// The type of a tag by its index, imports first.
    pub(crate) fn tag_type(&self, tag: u32) -> &FunctionType {
        &self.types[self.tags[tag as usize] as usize]
    }

    /// The clause that takes an exception thrown at this position of the code; `matches` says whether it has a tag of the
    /// module.
    pub(crate) fn clause_at(&self, pc: u32, matches: impl Fn(u32) -> bool) -> Option<&Clause> {
        let body = self.bodies.partition_point(|body| body.entry <= pc) - 1;
        let first = self.first_handler[body] as usize;
        let end = self.first_handler.get(body + 1).map_or(self.handlers.len(), |&next| next as usize);
        let mut level = u32::MAX;
        for handler in &self.handlers[first..end] {
            if handler.level > level || !(handler.start..handler.end).contains(&pc) {
                continue;
            }
            match &handler.catches {
                Catches::Delegate(to) => level = *to,
                Catches::Clauses(clauses) => {
                    let mut clauses = clauses.iter().map(|&clause| &self.clauses[clause as usize]);
                    if let Some(found) = clauses.find(|clause| clause.tag.is_none_or(&matches)) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The type of a function by its index, imports first.
    pub fn function_type(&self, function: u32) -> &FunctionType {
        &self.types[self.functions[function as usize] as usize]
    }

    /// Number of functions, imports included.
    pub fn function_count(&self) -> u32 {
        self.functions.len() as u32
    }

    /// Number of imported functions: those come first in the numbering.
    pub fn imported_function_count(&self) -> u32 {
        self.imported_functions
    }

    /// The memory, if the module has or imports one.
    pub fn memory_type(&self) -> Option<MemoryType> {
        self.memories.first().copied()
    }

    /// The function that runs when the module is instantiated.
    pub fn start(&self) -> Option<u32> {
        self.start
    }

    /// All sites, by their [`SiteId`].
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// One site.
    pub fn site(&self, site: SiteId) -> &Site {
        &self.sites[site.0 as usize]
    }

    /// The site at a position of the code, if the instruction there is one.
    pub(crate) fn site_at(&self, pc: u32) -> Option<SiteId> {
        let arm = self.code.get(pc as usize)?.arm()?;
        self.arm_sites.get(arm as usize).copied()
    }

    /// Where control goes from an arm of a `br_table`, by [`Site::first_arm`] and the arm's number: a position in the code
    /// that is the same for arms that lead to the same place.
    pub fn table_target(&self, arm: u32) -> u32 {
        self.arms[arm as usize].target
    }

    /// The offset of each counted instruction in the module's bytes, in text order.
    pub fn instruction_offsets(&self) -> &[u32] {
        &self.counted
    }

    /// The custom sections, in order (`name`, `.debug_line` and so on).
    pub fn custom_sections(&self) -> &[CustomSection] {
        &self.custom
    }

    /// Offset of the contents of the code section: DWARF addresses count from here.
    pub fn code_section_offset(&self) -> u64 {
        self.code_section
    }

    /// The body that contains a position of the code.
    pub(crate) fn body_at(&self, pc: u32) -> &Body {
        &self.bodies[self.bodies.partition_point(|body| body.entry <= pc) - 1]
    }

    /// Where an instruction of the code comes from.
    pub(crate) fn location(&self, pc: u32) -> Location {
        let body = self.bodies.partition_point(|body| body.entry <= pc).saturating_sub(1);
        Location {
            function: self.imported_functions + body as u32,
            offset: self.offsets.get(pc as usize).copied().unwrap_or(0),
        }
    }

    /// The function whose code is at this offset of the module's bytes. An instruction that was made part of a later one
    /// has no code of its own, and each function ends with some, so the first code from there on decides.
    pub fn function_at(&self, offset: u32) -> u32 {
        let from = self.offsets.partition_point(|&at| at < offset);
        self.location(from.min(self.offsets.len().saturating_sub(1)) as u32).function
    }

    /// Which functions can be called from these, as far as the code says; by index, imports first. Where a function makes
    /// an indirect call, that is any whose address is taken anywhere.
    /// Where a function is in the first table when the program starts; none if it is not there, or at 0, which programs
    /// take for no function.
    pub(crate) fn table_place(&self, function: u32) -> Option<u32> {
        self.elements.iter().find_map(|segment| {
            let SegmentMode::Active(0, Constant::Bits(offset)) = segment.mode else { return None };
            let at = segment.items.iter().position(|item| *item == Constant::Function(function))?;
            u32::try_from(offset + at as u64).ok().filter(|&place| place > 0)
        })
    }

    /// The types with which functions are called through a table; none if none are.
    pub(crate) fn indirect_types(&self) -> Option<Vec<&FunctionType>> {
        let mut types: Vec<&FunctionType> = Vec::new();
        for instruction in &self.code {
            if let Instr::CallIndirect { signature, .. } = instruction
                && let Some(ty) = self.types.get(*signature as usize)
                && !types.contains(&ty)
            {
                types.push(ty);
            }
        }
        (!types.is_empty()).then_some(types)
    }

    pub(crate) fn callable_from(&self, roots: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let elements = self.elements.iter().flat_map(|segment| &segment.items);
        let constants = elements.chain(&self.global_values).filter_map(|constant| match constant {
            Constant::Function(function) => Some(*function),
            Constant::Bits(_) | Constant::Global(_) => None,
        });
        let taken = self.code.iter().filter_map(|instruction| match instruction {
            Instr::RefFunc { function, .. } => Some(*function),
            _ => None,
        });
        let mut addressed: Option<Vec<u32>> = Some(constants.chain(taken).collect());
        let mut callable = vec![false; self.function_count() as usize];
        let mut open: Vec<u32> = roots.into_iter().collect();
        while let Some(function) = open.pop() {
            let known = std::mem::replace(&mut callable[function as usize], true);
            let Some(body) = function.checked_sub(self.imported_functions).filter(|_| !known) else { continue };
            let end = self.bodies.get(body as usize + 1).map_or(self.code.len(), |next| next.entry as usize);
            for instruction in &self.code[self.bodies[body as usize].entry as usize..end] {
                match instruction {
                    Instr::Call { function, .. } => open.push(self.imported_functions + function),
                    Instr::CallImport { function, .. } => open.push(*function),
                    Instr::CallIndirect { .. } => open.extend(addressed.take().into_iter().flatten()),
                    _ => {}
                }
            }
        }
        callable
    }

    /// Number of arms over all sites: what full branch coverage is measured against.
    pub fn arm_count(&self) -> u64 {
        self.sites.iter().map(|site| site.arms as u64).sum()
    }
}
