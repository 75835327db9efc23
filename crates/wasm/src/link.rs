//! Instantiation: imports, tables, memory, globals, segments.

use std::sync::Arc;

use crate::domain::Domain;
use crate::error::LinkError;
use crate::machine::{
    Callee, Dropped, Extern, Function, FunctionAddress, GlobalAddress, HostId, Instance, InstanceId, Limit, Machine,
    MemoryAddress, Table, TableAddress, TagAddress, Trap,
};
use crate::memory::{Memory, WASM_PAGE};
use crate::module::{
    Constant, ExternType, FunctionType, GlobalType, Import, MemoryType, Module, SegmentMode, TableType,
};

/// A 32-bit memory has at most this many WebAssembly pages.
const MAX_PAGES: u32 = 65536;

impl<D: Domain> Machine<D> {
    /// Makes a host function; `host` is the number that [`crate::Event::Host`] will carry.
    pub fn host_function(&mut self, ty: FunctionType, host: HostId) -> FunctionAddress {
        let ty = self.intern_type(&ty);
        self.add_function(Function { callee: Callee::Host(host), ty })
    }

    fn add_function(&mut self, function: Function) -> FunctionAddress {
        let store = Arc::make_mut(&mut self.store);
        store.functions.push(function);
        FunctionAddress(store.functions.len() as u32 - 1)
    }

    fn intern_type(&mut self, ty: &FunctionType) -> u32 {
        let store = Arc::make_mut(&mut self.store);
        store.types.iter().position(|known| known == ty).unwrap_or_else(|| {
            store.types.push(ty.clone());
            store.types.len() - 1
        }) as u32
    }

    /// Makes a global that belongs to the host.
    pub fn new_global(&mut self, ty: GlobalType, value: D::Value) -> GlobalAddress {
        Arc::make_mut(&mut self.store).global_types.push(ty);
        self.globals.push(value);
        GlobalAddress(self.globals.len() as u32 - 1)
    }

    /// Makes a tag, with which only code that is given it can throw or catch.
    pub fn new_tag(&mut self, ty: &FunctionType) -> TagAddress {
        let ty = self.intern_type(ty);
        let store = Arc::make_mut(&mut self.store);
        store.tags.push(ty);
        TagAddress(store.tags.len() as u32 - 1)
    }

    /// Makes a memory, within the limits.
    pub fn new_memory(&mut self, ty: MemoryType) -> Result<MemoryAddress, LinkError> {
        let bytes = ty.minimum as u64 * WASM_PAGE;
        if self.memory_bytes() + bytes > self.limits.memory {
            let limit = self.limits.memory;
            return Err(LinkError::TooLarge(format!("a memory of {bytes} bytes exceeds the limit of {limit} bytes")));
        }
        self.memories.push(Memory::new(ty.minimum, ty.maximum));
        self.peak_memory = self.peak_memory.max(self.memory_bytes());
        Ok(MemoryAddress(self.memories.len() as u32 - 1))
    }

    fn memory_bytes(&self) -> u64 {
        self.memories.iter().map(Memory::held).sum()
    }

    /// Adds WebAssembly pages to a memory, behind everything that it can grow to within its type and this many bytes.
    /// Returns the address of the first; `None` where the limits or the addresses do not suffice.
    pub(crate) fn add_apart(&mut self, memory: MemoryAddress, pages: u32, most: u64) -> Option<u64> {
        let Memory { maximum, .. } = self.memory(memory);
        let last = MAX_PAGES.checked_sub(pages)?;
        let reached = u32::try_from(most / WASM_PAGE).unwrap_or(MAX_PAGES).min(maximum.unwrap_or(MAX_PAGES)).min(last);
        // Not at address 0, which programs take to mean no buffer.
        let start = u64::from(reached.max(self.memory(memory).wasm_pages()).max(1)) * WASM_PAGE;
        let count = u64::from(pages) * WASM_PAGE;
        if start + count > u64::from(MAX_PAGES) * WASM_PAGE || self.memory_bytes() + count > self.limits.memory {
            return None;
        }
        self.memory_mut(memory).set_apart(start, count);
        self.peak_memory = self.peak_memory.max(self.memory_bytes());
        Some(start)
    }

    /// Grows a memory and returns its old size in WebAssembly pages, or `None` if its type forbids the new size.
    pub(crate) fn try_grow(&mut self, memory: MemoryAddress, delta: u32) -> Result<Option<u32>, Limit> {
        let old = self.memory(memory).wasm_pages();
        let maximum = self.memory(memory).maximum.unwrap_or(MAX_PAGES).min(MAX_PAGES);
        if old.checked_add(delta).is_none_or(|new| new > maximum) {
            return Ok(None);
        }
        if self.memory_bytes() + delta as u64 * WASM_PAGE > self.limits.memory {
            return Err(Limit::Memory);
        }
        self.memory_mut(memory).grow(delta);
        self.peak_memory = self.peak_memory.max(self.memory_bytes());
        Ok(Some(old))
    }

    /// Makes a table of null references, within the limits.
    pub fn new_table(&mut self, ty: TableType) -> Result<TableAddress, LinkError> {
        if self.table_elements() + ty.minimum as u64 > self.limits.table_elements as u64 {
            let (size, limit) = (ty.minimum, self.limits.table_elements);
            return Err(LinkError::TooLarge(format!("a table of {size} elements exceeds the limit of {limit}")));
        }
        self.tables.push(Table { ty, elements: Arc::new(vec![0; ty.minimum as usize]) });
        Ok(TableAddress(self.tables.len() as u32 - 1))
    }

    /// The index of a function in the first table, where it is put if it is not there yet; none if there is no table or
    /// no room. Index 0 is left alone: programs take it for no function.
    pub(crate) fn table_index(&mut self, instance: InstanceId, function: u32) -> Option<u64> {
        let reference = self.function(instance, function).reference();
        let table = *self.instance(instance).tables.first()?;
        let known = self.table(table).iter().skip(1).position(|&element| element == reference);
        if let Some(index) = known {
            return Some(index as u64 + 1);
        }
        if self.table_elements() + 2 > self.limits.table_elements as u64 {
            return None;
        }
        let elements = Arc::make_mut(&mut self.tables[table.0 as usize].elements);
        if elements.is_empty() {
            elements.push(0);
        }
        elements.push(reference);
        Some(elements.len() as u64 - 1)
    }

    pub(crate) fn table_elements(&self) -> u64 {
        self.tables.iter().map(|table| table.elements.len() as u64).sum()
    }

    /// The type of something as it is now: memories and tables have their current size.
    pub fn extern_type(&self, found: Extern) -> ExternType {
        match found {
            Extern::Function(function) => ExternType::Function(self.function_type(function).clone()),
            Extern::Table(table) => {
                let table = &self.tables[table.0 as usize];
                ExternType::Table(TableType { minimum: table.elements.len() as u32, ..table.ty })
            }
            Extern::Memory(memory) => {
                let memory = self.memory(memory);
                ExternType::Memory(MemoryType { minimum: memory.wasm_pages(), maximum: memory.maximum })
            }
            Extern::Global(global) => ExternType::Global(self.global_type(global)),
            Extern::Tag(tag) => ExternType::Tag(self.tag_type(tag).clone()),
        }
    }

    /// Instantiates a module: takes its imports from `resolve` (which may add to the machine), creates its
    /// tables, memory and globals, and fills them in. The start function is not run: see [`Machine::call_start`].
    ///
    /// If filling them in traps, what was written before stays written, as the standard requires.
    pub fn instantiate(
        &mut self,
        module: Arc<Module>,
        resolve: &mut dyn FnMut(&mut Machine<D>, &Import) -> Option<Extern>,
    ) -> Result<InstanceId, LinkError> {
        let mut instance = Instance {
            types: module.types.iter().map(|ty| self.intern_type(ty)).collect(),
            module: module.clone(),
            functions: Vec::with_capacity(module.functions.len()),
            tables: Vec::new(),
            memory: MemoryAddress(0),
            globals: Vec::new(),
            tags: Vec::new(),
        };
        for import in &module.imports {
            match self.resolve_import(import, resolve)? {
                Extern::Function(function) => instance.functions.push(function),
                Extern::Table(table) => instance.tables.push(table),
                Extern::Memory(memory) => instance.memory = memory,
                Extern::Global(global) => instance.globals.push(global),
                Extern::Tag(tag) => instance.tags.push(tag),
            }
        }
        let id = InstanceId(self.store.instances.len() as u32);
        for (body, &ty) in module.functions[module.imported_functions as usize..].iter().enumerate() {
            let callee = Callee::Wasm { instance: id.0, body: body as u32 };
            let function = Function { callee, ty: instance.types[ty as usize] };
            instance.functions.push(self.add_function(function));
        }
        for &ty in &module.tables[module.imported_tables as usize..] {
            instance.tables.push(self.new_table(ty)?);
        }
        for &ty in &module.memories[module.imported_memories as usize..] {
            instance.memory = self.new_memory(ty)?;
        }
        for (&ty, &value) in module.globals[module.imported_globals as usize..].iter().zip(&module.global_values) {
            let value = self.constant(&instance, value);
            instance.globals.push(self.new_global(ty, value));
        }
        for tag in module.imported_tags..module.tags.len() as u32 {
            instance.tags.push(self.new_tag(module.tag_type(tag)));
        }
        Arc::make_mut(&mut self.store).instances.push(instance);
        self.arms.push(vec![0; module.arms.len()]);
        let dropped = Dropped {
            elements: module.elements.iter().map(|segment| segment.mode == SegmentMode::Declared).collect(),
            data: vec![false; module.data.len()],
        };
        Arc::make_mut(&mut self.dropped).push(dropped);
        self.fill_in(id, &module).map_err(LinkError::Trapped)?;
        Ok(id)
    }

    fn resolve_import(
        &mut self,
        import: &Import,
        resolve: &mut dyn FnMut(&mut Machine<D>, &Import) -> Option<Extern>,
    ) -> Result<Extern, LinkError> {
        let Some(found) = resolve(self, import) else {
            return Err(LinkError::Missing { module: import.module.clone(), name: import.name.clone() });
        };
        let ty = self.extern_type(found);
        if !matches_import(&ty, &import.ty) {
            return Err(LinkError::WrongType {
                module: import.module.clone(),
                name: import.name.clone(),
                wanted: import.ty.to_string(),
                found: ty.to_string(),
            });
        }
        Ok(found)
    }

    fn constant(&self, instance: &Instance, constant: Constant) -> D::Value {
        match constant {
            Constant::Bits(bits) => D::constant(bits),
            Constant::Global(global) => self.global(instance.globals[global as usize]),
            Constant::Function(function) => D::constant(instance.functions[function as usize].reference()),
        }
    }

    /// The bits of a constant expression. Globals that depend on the input cannot occur in one before the first run.
    pub(crate) fn constant_bits(&self, instance: InstanceId, constant: Constant) -> u64 {
        D::known(self.constant(self.instance(instance), constant)).unwrap_or(0)
    }

    fn fill_in(&mut self, id: InstanceId, module: &Module) -> Result<(), Trap> {
        for (index, segment) in module.elements.iter().enumerate() {
            if let SegmentMode::Active(table, offset) = segment.mode {
                let to = self.constant_bits(id, offset);
                let count = segment.items.len() as u64;
                let table = self.instance(id).tables[table as usize];
                self.table_init(id, table, index as u32, to, 0, count)?;
                self.drop_elements(id, index as u32);
            }
        }
        for (index, segment) in module.data.iter().enumerate() {
            if let SegmentMode::Active(_, offset) = segment.mode {
                let to = self.constant_bits(id, offset);
                let memory = self.instance(id).memory;
                if !self.memory_mut(memory).write(to, &segment.bytes) {
                    return Err(Trap::MemoryOutOfBounds);
                }
                self.drop_data(id, index as u32);
            }
        }
        Ok(())
    }
}

/// Whether something of one type satisfies an import of another.
fn matches_import(found: &ExternType, wanted: &ExternType) -> bool {
    let limits = |found: (u32, Option<u32>), wanted: (u32, Option<u32>)| {
        found.0 >= wanted.0 && wanted.1.is_none_or(|wanted| found.1.is_some_and(|found| found <= wanted))
    };
    match (found, wanted) {
        (ExternType::Function(found), ExternType::Function(wanted)) => found == wanted,
        (ExternType::Table(found), ExternType::Table(wanted)) => {
            found.element == wanted.element && limits((found.minimum, found.maximum), (wanted.minimum, wanted.maximum))
        }
        (ExternType::Memory(found), ExternType::Memory(wanted)) => {
            limits((found.minimum, found.maximum), (wanted.minimum, wanted.maximum))
        }
        (ExternType::Global(found), ExternType::Global(wanted)) => found == wanted,
        (ExternType::Tag(found), ExternType::Tag(wanted)) => found == wanted,
        _ => false,
    }
}
