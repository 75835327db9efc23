//! From bytes or text to a compiled [`Module`].

use std::collections::BTreeSet;
use std::sync::Arc;

use wasmparser::{
    BinaryReaderError, CompositeInnerType, ConstExpr, DataKind, DataSectionReader, ElementItems, ElementKind,
    ElementSectionReader, ExportSectionReader, ExternalKind, FuncValidatorAllocations, ImportSectionReader, Operator,
    Parser, Payload, RefType, TypeRef, TypeSectionReader, ValType, ValidPayload, Validator, WasmFeatures,
};

use crate::compile::compile_function;
use crate::costs::Weights;
use crate::error::{LoadError, LoadErrorKind};
use crate::module::{
    Constant, CustomSection, DataSegment, ElementSegment, Export, ExternKind, ExternType, FunctionType, GlobalType,
    Import, MemoryType, Module, SegmentMode, TableType, ValueType,
};
use crate::run::Cells;
use crate::unsupported::{explain, is_unread};
use crate::verify::Verified;

/// How a module is loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadSettings {
    /// Prices of instructions. Without them the weighted cost is not counted, and there is no overhead.
    pub weights: Option<Weights>,
    /// Offsets of the instructions that the weighted cost is about; all of them if there is none. Others have no price.
    pub priced: Option<Arc<BTreeSet<u32>>>,
}

fn features() -> WasmFeatures {
    let exceptions = WasmFeatures::EXCEPTIONS.union(WasmFeatures::LEGACY_EXCEPTIONS);
    WasmFeatures::WASM2.difference(WasmFeatures::SIMD).union(exceptions)
}

impl Module {
    /// Loads a module from the binary format or, if it does not start with `\0asm`, from the text format.
    pub fn load(bytes: &[u8], settings: &LoadSettings) -> Result<Module, LoadError> {
        if bytes.starts_with(b"\0asm") {
            return load_binary(bytes, settings);
        }
        let invalid = |message: String| LoadError { kind: LoadErrorKind::Invalid, function: None, offset: 0, message };
        let text = std::str::from_utf8(bytes)
            .map_err(|_| invalid("neither the binary format (`\\0asm`) nor text in UTF-8".to_string()))?;
        let binary = wat::parse_str(text).map_err(|error| invalid(error.to_string()))?;
        load_binary(&binary, settings)
    }
}

fn load_binary(bytes: &[u8], settings: &LoadSettings) -> Result<Module, LoadError> {
    let mut loader = Loader { module: Module::default(), in_function: None, next_body: 0 };
    match loader.read(bytes, settings) {
        Ok(()) => Ok(loader.module),
        Err(Failure::Compile(error)) => Err(error),
        Err(Failure::Read(error)) => {
            // If a validator with every feature accepts this place, the module needs a feature that is missing here. Ours can
            // read neither components nor SIMD instructions.
            let all = Validator::new_with_features(WasmFeatures::all()).validate_all(bytes);
            let kind = match all {
                _ if Parser::is_component(bytes) || is_unread(error.message()) => LoadErrorKind::Unsupported,
                Err(later) if later.offset() <= error.offset() => LoadErrorKind::Invalid,
                _ => LoadErrorKind::Unsupported,
            };
            let message = match kind {
                LoadErrorKind::Invalid => error.message().to_string(),
                LoadErrorKind::Unsupported => explain(error.message()),
            };
            Err(LoadError { kind, function: loader.in_function, offset: error.offset(), message })
        }
    }
}

enum Failure {
    Read(BinaryReaderError),
    Compile(LoadError),
}

impl From<BinaryReaderError> for Failure {
    fn from(error: BinaryReaderError) -> Failure {
        Failure::Read(error)
    }
}

struct Loader {
    module: Module,
    /// The function being read, for error messages.
    in_function: Option<u32>,
    next_body: u32,
}

impl Loader {
    fn read(&mut self, bytes: &[u8], settings: &LoadSettings) -> Result<(), Failure> {
        let mut validator = Validator::new_with_features(features());
        let mut parser = Parser::new(0);
        parser.set_features(features());
        let mut allocations = FuncValidatorAllocations::default();
        if settings.weights.is_some() {
            self.module.uncharged = Some(Vec::new());
            self.module.call_price = settings.weights.as_ref().map_or(0, |weights| weights.price("call"));
        }
        for payload in parser.parse_all(bytes) {
            let payload = payload?;
            if let ValidPayload::Func(function, body) = validator.payload(&payload)? {
                let index = self.module.imported_functions + self.next_body;
                self.next_body += 1;
                self.in_function = Some(index);
                let mut function = function.into_validator(allocations);
                compile_function(&mut self.module, index, &mut function, &body, settings)?;
                allocations = function.into_allocations();
                self.in_function = None;
            }
            self.section(payload)?;
        }
        let verified = Verified::check(&self.module).expect("the module compiler keeps to the bounds of its code");
        self.module.verified = Some(verified);
        self.module.cells = Cells::of(&self.module, verified);
        Ok(())
    }

    fn section(&mut self, payload: Payload<'_>) -> Result<(), Failure> {
        let module = &mut self.module;
        match payload {
            Payload::TypeSection(reader) => read_types(module, reader)?,
            Payload::ImportSection(reader) => read_imports(module, reader)?,
            Payload::FunctionSection(reader) => {
                for ty in reader {
                    module.functions.push(ty?);
                }
            }
            Payload::TableSection(reader) => {
                for table in reader {
                    module.tables.push(table_type(table?.ty));
                }
            }
            Payload::MemorySection(reader) => {
                for memory in reader {
                    module.memories.push(memory_type(memory?));
                }
            }
            Payload::GlobalSection(reader) => {
                for global in reader {
                    let global = global?;
                    module.globals.push(global_type(global.ty));
                    module.global_values.push(constant(&global.init_expr)?);
                }
            }
            Payload::TagSection(reader) => {
                for tag in reader {
                    module.tags.push(tag?.func_type_idx);
                }
            }
            Payload::ExportSection(reader) => read_exports(module, reader)?,
            Payload::StartSection { func, .. } => module.start = Some(func),
            Payload::ElementSection(reader) => read_elements(module, reader)?,
            Payload::DataSection(reader) => read_data(module, reader)?,
            Payload::CodeSectionStart { unchecked_range, .. } => module.code_section = unchecked_range.start,
            Payload::CustomSection(section) => {
                module.custom.push(CustomSection { name: section.name().to_string(), data: section.data().to_vec() });
            }
            _ => {}
        }
        Ok(())
    }
}

fn read_types(module: &mut Module, reader: TypeSectionReader<'_>) -> Result<(), BinaryReaderError> {
    for group in reader {
        for ty in group?.into_types() {
            if let CompositeInnerType::Func(ty) = &ty.composite_type.inner {
                let list = |types: &[ValType]| types.iter().map(|&ty| value_type(ty)).collect();
                module.types.push(FunctionType { params: list(ty.params()), results: list(ty.results()) });
            }
        }
    }
    Ok(())
}

fn read_imports(module: &mut Module, reader: ImportSectionReader<'_>) -> Result<(), BinaryReaderError> {
    for import in reader.into_imports() {
        let import = import?;
        let ty = match import.ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                module.functions.push(ty);
                module.imported_functions += 1;
                ExternType::Function(module.types[ty as usize].clone())
            }
            TypeRef::Table(ty) => {
                module.tables.push(table_type(ty));
                module.imported_tables += 1;
                ExternType::Table(table_type(ty))
            }
            TypeRef::Memory(ty) => {
                module.memories.push(memory_type(ty));
                module.imported_memories += 1;
                ExternType::Memory(memory_type(ty))
            }
            TypeRef::Global(ty) => {
                module.globals.push(global_type(ty));
                module.imported_globals += 1;
                ExternType::Global(global_type(ty))
            }
            TypeRef::Tag(ty) => {
                module.tags.push(ty.func_type_idx);
                module.imported_tags += 1;
                ExternType::Tag(module.types[ty.func_type_idx as usize].clone())
            }
        };
        module.imports.push(Import { module: import.module.to_string(), name: import.name.to_string(), ty });
    }
    Ok(())
}

fn read_exports(module: &mut Module, reader: ExportSectionReader<'_>) -> Result<(), BinaryReaderError> {
    for export in reader {
        let export = export?;
        let kind = match export.kind {
            ExternalKind::Func | ExternalKind::FuncExact => ExternKind::Function,
            ExternalKind::Table => ExternKind::Table,
            ExternalKind::Memory => ExternKind::Memory,
            ExternalKind::Global => ExternKind::Global,
            ExternalKind::Tag => ExternKind::Tag,
        };
        module.exports.push(Export { name: export.name.to_string(), kind, index: export.index });
    }
    Ok(())
}

fn read_elements(module: &mut Module, reader: ElementSectionReader<'_>) -> Result<(), BinaryReaderError> {
    for element in reader {
        let element = element?;
        let mode = match element.kind {
            ElementKind::Passive => SegmentMode::Passive,
            ElementKind::Declared => SegmentMode::Declared,
            ElementKind::Active { table_index, offset_expr } => {
                SegmentMode::Active(table_index.unwrap_or(0), constant(&offset_expr)?)
            }
        };
        let mut items = Vec::new();
        match element.items {
            ElementItems::Functions(functions) => {
                for function in functions {
                    items.push(Constant::Function(function?));
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for expression in expressions {
                    items.push(constant(&expression?)?);
                }
            }
        }
        module.elements.push(ElementSegment { mode, items });
    }
    Ok(())
}

fn read_data(module: &mut Module, reader: DataSectionReader<'_>) -> Result<(), BinaryReaderError> {
    for data in reader {
        let data = data?;
        let mode = match data.kind {
            DataKind::Passive => SegmentMode::Passive,
            DataKind::Active { memory_index, offset_expr } => {
                SegmentMode::Active(memory_index, constant(&offset_expr)?)
            }
        };
        module.data.push(DataSegment { mode, bytes: data.data.to_vec() });
    }
    Ok(())
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        Failure::Compile(error)
    }
}

impl From<crate::compile::CompileError> for Failure {
    fn from(error: crate::compile::CompileError) -> Failure {
        match error {
            crate::compile::CompileError::Read(error) => Failure::Read(error),
            crate::compile::CompileError::Load(error) => Failure::Compile(error),
        }
    }
}

/// The validator accepts only the six types of WebAssembly 2.0 without vectors, and references to exceptions.
pub(crate) fn value_type(ty: ValType) -> ValueType {
    match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::Ref(ty) if ty == RefType::EXTERNREF => ValueType::ExternRef,
        ValType::Ref(ty) if ty == RefType::EXNREF => ValueType::ExnRef,
        _ => ValueType::FuncRef,
    }
}

fn table_type(ty: wasmparser::TableType) -> TableType {
    TableType {
        element: value_type(ValType::Ref(ty.element_type)),
        minimum: ty.initial as u32,
        maximum: ty.maximum.map(|maximum| maximum as u32),
    }
}

fn memory_type(ty: wasmparser::MemoryType) -> MemoryType {
    MemoryType { minimum: ty.initial as u32, maximum: ty.maximum.map(|maximum| maximum as u32) }
}

fn global_type(ty: wasmparser::GlobalType) -> GlobalType {
    GlobalType { value: value_type(ty.content_type), mutable: ty.mutable }
}

/// In WebAssembly 2.0 a valid constant expression is a single instruction.
fn constant(expression: &ConstExpr<'_>) -> Result<Constant, BinaryReaderError> {
    Ok(match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Constant::Bits(value as u32 as u64),
        Operator::I64Const { value } => Constant::Bits(value as u64),
        Operator::F32Const { value } => Constant::Bits(value.bits() as u64),
        Operator::F64Const { value } => Constant::Bits(value.bits()),
        Operator::GlobalGet { global_index } => Constant::Global(global_index),
        Operator::RefFunc { function_index } => Constant::Function(function_index),
        _ => Constant::Bits(0),
    })
}
