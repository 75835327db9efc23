//! Declarations and types from DWARF.

use std::cell::Cell;
use std::collections::BTreeMap;

use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, UnitOffset, constants,
};

use super::{Field, Member, Parameter, Prototype, Record, TemplateArgument, Type};
use pessimum_input::Kind;
use pessimum_wasm::names::demangle;

/// Types are followed through at most this many others: damaged debug information may go round in circles.
const DEEPEST: u32 = 64;

/// At most this many types are looked at for one function. Damaged debug information may also branch without end.
const MOST: u32 = 10_000;

type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Reader<'a>>;

/// The functions of all units, by each of their names.
pub fn functions<'a>(section: impl Fn(&str) -> &'a [u8]) -> BTreeMap<String, Prototype> {
    let mut functions = BTreeMap::new();
    let section = |id: gimli::SectionId| Ok::<_, gimli::Error>(EndianSlice::new(section(id.name()), LittleEndian));
    let Ok(dwarf) = Dwarf::load(section) else { return functions };
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if let Ok(unit) = dwarf.unit(header) {
            let unit = Unit { dwarf: &dwarf, unit, scopes: BTreeMap::new(), looked_at: Cell::new(0) };
            let _ = unit.read(&mut functions);
        }
    }
    functions
}

/// Where a class, an enumeration or a function is declared.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// Its name with its namespaces and classes.
    path: String,
    /// The class that a function is a member of.
    class: Option<String>,
    /// Whether that was declared with `class`, whose members are private unless they say otherwise.
    is_private: bool,
}

struct Unit<'a, 'd> {
    dwarf: &'d Dwarf<Reader<'a>>,
    unit: gimli::Unit<Reader<'a>>,
    scopes: BTreeMap<usize, Scope>,
    looked_at: Cell<u32>,
}

impl<'a> Unit<'a, '_> {
    /// Adds the functions that are defined in this unit, and the members of its classes.
    fn read(mut self, functions: &mut BTreeMap<String, Prototype>) -> gimli::Result<()> {
        let (mut defined, mut declared) = (Vec::new(), Vec::new());
        // Depth, name, and what it is.
        let mut around: Vec<(isize, String, gimli::DwTag)> = Vec::new();
        let mut entries = self.unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            while around.last().is_some_and(|(depth, ..)| *depth >= entry.depth()) {
                around.pop();
            }
            match entry.tag() {
                constants::DW_TAG_namespace
                | constants::DW_TAG_class_type
                | constants::DW_TAG_structure_type
                | constants::DW_TAG_enumeration_type
                | constants::DW_TAG_subprogram => {
                    let name = self.own_text(entry, constants::DW_AT_name).unwrap_or_default();
                    // Versions of a library hide in namespaces that nobody writes.
                    let is_shown = entry.tag() != constants::DW_TAG_namespace || !name.starts_with("__");
                    let around_it = around.last().map(|(.., tag)| *tag);
                    let is_private = around_it == Some(constants::DW_TAG_class_type);
                    let is_member = is_private || around_it == Some(constants::DW_TAG_structure_type);
                    let outer: Vec<&str> = around.iter().map(|(_, name, _)| name.as_str()).collect();
                    let outer: Vec<&str> = outer.into_iter().filter(|name| !name.is_empty()).collect();
                    let class = is_member.then(|| outer.join("::"));
                    let path = outer.into_iter().chain([name.as_str()]).collect::<Vec<_>>().join("::");
                    // Names in the arguments of a template have the version written out.
                    let path = path.replace("std::__1::", "std::").replace("std::__2::", "std::");
                    if entry.tag() == constants::DW_TAG_subprogram {
                        if entry.attr_value(constants::DW_AT_low_pc).is_some() {
                            defined.push(entry.offset());
                        } else if is_member && !path.starts_with("std::") {
                            declared.push(entry.offset());
                        }
                    }
                    around.push((entry.depth(), if is_shown { name } else { String::new() }, entry.tag()));
                    self.scopes.insert(entry.offset().0, Scope { path, class, is_private });
                }
                _ => {}
            }
        }
        for offset in defined.into_iter().chain(declared) {
            let entry = self.unit.entry(offset)?;
            let Some(prototype) = self.prototype(&entry)? else { continue };
            let plain = self.text(&entry, constants::DW_AT_name);
            for name in [Some(prototype.symbol.clone()), Some(demangle(&prototype.symbol)), plain].into_iter().flatten()
            {
                functions.entry(name).or_insert_with(|| prototype.clone());
            }
        }
        Ok(())
    }

    /// A function's declaration; `None` where it has no name.
    fn prototype(&self, entry: &Entry<'a>) -> gimli::Result<Option<Prototype>> {
        self.looked_at.set(0);
        let name = self.text(entry, constants::DW_AT_name);
        let Some(symbol) = self.text(entry, constants::DW_AT_linkage_name).or_else(|| name.clone()) else {
            return Ok(None);
        };
        let mut declaration = entry.clone();
        while let Some(original) = self.original(&declaration) {
            if original.offset() == declaration.offset() {
                break;
            }
            declaration = original;
        }
        let scope = self.scopes.get(&declaration.offset().0).cloned().unwrap_or_default();
        let (parameters, has_object) = self.parameters(entry)?;
        let member = match scope.class {
            None => Member::Free,
            Some(_) if !has_object => Member::Static,
            Some(class) => Member::Method(class),
        };
        let is_public = match member {
            Member::Free => self.flag(&declaration, constants::DW_AT_external),
            Member::Static | Member::Method(_) => self.is_public(&declaration),
        };
        Ok(Some(Prototype {
            path: if scope.path.is_empty() { name.unwrap_or_default() } else { scope.path },
            symbol,
            file: self.file(&declaration).unwrap_or_default(),
            line: declaration.attr_value(constants::DW_AT_decl_line).and_then(|line| line.udata_value()).unwrap_or(0),
            member,
            is_public,
            is_defined: entry.attr_value(constants::DW_AT_low_pc).is_some(),
            parameters,
            result: self.type_of(&declaration, 0, false),
        }))
    }

    /// Whether a member of a class may be used by others: what a `class` does not say is private.
    fn is_public(&self, member: &Entry<'a>) -> bool {
        match member.attr_value(constants::DW_AT_accessibility) {
            Some(AttributeValue::Accessibility(access)) => access == constants::DW_ACCESS_public,
            Some(_) => false,
            None => !self.scopes.get(&member.offset().0).is_some_and(|scope| scope.is_private),
        }
    }

    fn flag(&self, entry: &Entry<'a>, name: gimli::DwAt) -> bool {
        matches!(entry.attr_value(name), Some(AttributeValue::Flag(true)))
    }

    /// The file in which something is declared.
    fn file(&self, entry: &Entry<'a>) -> Option<String> {
        let index = match entry.attr_value(constants::DW_AT_decl_file)? {
            AttributeValue::FileIndex(index) => index,
            other => other.udata_value()?,
        };
        let file = self.unit.line_program.as_ref()?.header().file(index)?;
        let name = self.dwarf.attr_string(&self.unit, file.path_name()).ok()?;
        Some(name.to_string_lossy().into_owned())
    }

    /// The entry that describes this one in general: optimised code has several copies of a function.
    fn original(&self, entry: &Entry<'a>) -> Option<Entry<'a>> {
        let origin = entry.attr_value(constants::DW_AT_abstract_origin);
        let specification = || entry.attr_value(constants::DW_AT_specification);
        match origin.or_else(specification)? {
            AttributeValue::UnitRef(offset) => self.unit.entry(offset).ok(),
            _ => None,
        }
    }

    fn own_text(&self, entry: &Entry<'a>, name: gimli::DwAt) -> Option<String> {
        let text = self.dwarf.attr_string(&self.unit, entry.attr_value(name)?).ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    fn text(&self, entry: &Entry<'a>, name: gimli::DwAt) -> Option<String> {
        self.own_text(entry, name).or_else(|| {
            let original = self.original(entry)?;
            self.own_text(&original, name).or_else(|| self.own_text(&self.original(&original)?, name))
        })
    }

    /// The entries directly below one.
    fn children(&self, offset: UnitOffset) -> gimli::Result<Vec<Entry<'a>>> {
        let mut tree = self.unit.entries_tree(Some(offset))?;
        let mut children = tree.root()?.children();
        let mut found = Vec::new();
        while let Some(child) = children.next()? {
            found.push(child.entry().clone());
        }
        Ok(found)
    }

    /// The parameters, and whether the first is the object of a method.
    fn parameters(&self, entry: &Entry<'a>) -> gimli::Result<(Vec<Parameter>, bool)> {
        // A copy that was optimised may lack parameters that it does not use.
        let origin = entry.attr_value(constants::DW_AT_abstract_origin).and_then(|_| self.original(entry));
        let (mut parameters, mut has_object) = (Vec::new(), false);
        for entry in self.children(origin.as_ref().unwrap_or(entry).offset())? {
            if entry.tag() != constants::DW_TAG_formal_parameter {
                continue;
            }
            let name = self.text(&entry, constants::DW_AT_name).unwrap_or_default();
            let described =
                if entry.attr_value(constants::DW_AT_type).is_some() { None } else { self.original(&entry) };
            let described = described.as_ref().unwrap_or(&entry);
            let is_object = |entry: &Entry<'a>| self.flag(entry, constants::DW_AT_artificial);
            has_object |= parameters.is_empty() && (is_object(&entry) || is_object(described));
            parameters.push(Parameter { name, ty: self.type_of(described, 0, false) });
        }
        Ok((parameters, has_object))
    }

    /// The type that an entry refers to. Inside of a record, what pointers lead to is only named.
    fn type_of(&self, entry: &Entry<'a>, depth: u32, in_record: bool) -> Type {
        let looked_at = self.looked_at.get();
        self.looked_at.set(looked_at + 1);
        match entry.attr_value(constants::DW_AT_type) {
            Some(AttributeValue::UnitRef(offset)) if depth < DEEPEST && looked_at < MOST => {
                self.ty(offset, depth + 1, in_record)
            }
            None => Type::Void,
            _ => unknown(),
        }
    }

    fn ty(&self, offset: UnitOffset, depth: u32, in_record: bool) -> Type {
        let Ok(entry) = self.unit.entry(offset) else { return unknown() };
        let name = || self.own_text(&entry, constants::DW_AT_name);
        let path = || {
            let path = self.scopes.get(&offset.0).map(|scope| scope.path.clone());
            path.filter(|path| !path.ends_with("::")).or_else(name).unwrap_or_default()
        };
        let inner = || Box::new(self.type_of(&entry, depth, in_record));
        match entry.tag() {
            constants::DW_TAG_base_type => {
                let name = name().unwrap_or_default();
                let is_char = name == "char";
                match number(&entry) {
                    Some(kind) => Type::Number { kind, is_size: false, is_char, name },
                    None => Type::Other(name),
                }
            }
            constants::DW_TAG_enumeration_type => {
                let kind = match self.type_of(&entry, depth, in_record).plain() {
                    Type::Number { kind, .. } => *kind,
                    _ => Kind::U32,
                };
                Type::Enumeration { name: path(), kind, values: self.values(offset, kind) }
            }
            constants::DW_TAG_pointer_type if in_record => Type::Pointer(Box::new(Type::Other(self.pointed(&entry)))),
            constants::DW_TAG_pointer_type => Type::Pointer(inner()),
            constants::DW_TAG_reference_type => Type::Reference(inner()),
            constants::DW_TAG_rvalue_reference_type => Type::Moved(inner()),
            constants::DW_TAG_const_type => Type::Const(inner()),
            constants::DW_TAG_volatile_type | constants::DW_TAG_restrict_type | constants::DW_TAG_atomic_type => {
                *inner()
            }
            constants::DW_TAG_typedef => match *inner() {
                Type::Number { kind, is_size, is_char, name: basic } => {
                    let sized = name().is_some_and(|name| name.ends_with("size_t"));
                    Type::Number { kind, is_size: is_size || sized, is_char, name: basic }
                }
                Type::Record(record) if record.name.is_empty() => {
                    Type::Record(Record { name: name().unwrap_or_default(), ..record })
                }
                Type::Enumeration { name: own, kind, values } if own.is_empty() => {
                    Type::Enumeration { name: name().unwrap_or_default(), kind, values }
                }
                Type::Other(of) if of.is_empty() => Type::Other(name().unwrap_or_default()),
                other => other,
            },
            constants::DW_TAG_array_type => self.array(&entry, depth, in_record),
            constants::DW_TAG_subroutine_type => {
                let children = self.children(offset).unwrap_or_default();
                let parameters = children.iter().filter(|child| child.tag() == constants::DW_TAG_formal_parameter);
                let parameters = parameters.map(|parameter| self.type_of(parameter, depth, in_record)).collect();
                Type::Function(parameters, inner())
            }
            constants::DW_TAG_structure_type | constants::DW_TAG_class_type => {
                self.class(offset, &entry, path(), depth)
            }
            constants::DW_TAG_union_type => Type::Other(format!("union {}", path()).trim_end().to_string()),
            _ => Type::Other(path()),
        }
    }

    /// The name of what a pointer leads to.
    fn pointed(&self, pointer: &Entry<'a>) -> String {
        let mut entry = pointer.clone();
        for _ in 0..DEEPEST {
            let Some(AttributeValue::UnitRef(offset)) = entry.attr_value(constants::DW_AT_type) else { break };
            let Ok(next) = self.unit.entry(offset) else { break };
            if let Some(name) = self.own_text(&next, constants::DW_AT_name) {
                return name;
            }
            entry = next;
        }
        "void".to_string()
    }

    /// The numbers that an enumeration names, in ascending order.
    fn values(&self, offset: UnitOffset, kind: Kind) -> Vec<i128> {
        let children = self.children(offset).unwrap_or_default();
        let values = children.iter().filter_map(|child| {
            let value = child.attr_value(constants::DW_AT_const_value)?;
            let (signed, unsigned) = (value.sdata_value(), value.udata_value());
            if kind.is_signed() { signed.map(i128::from) } else { unsigned.map(i128::from).or(signed.map(i128::from)) }
        });
        let mut values: Vec<i128> = values.collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn array(&self, entry: &Entry<'a>, depth: u32, in_record: bool) -> Type {
        let mut ty = self.type_of(entry, depth, in_record);
        let children = self.children(entry.offset()).unwrap_or_default();
        let ranges = children.iter().filter(|child| child.tag() == constants::DW_TAG_subrange_type);
        for range in ranges.collect::<Vec<_>>().into_iter().rev() {
            let number = |name| range.attr_value(name).and_then(|value| value.udata_value());
            let count = number(constants::DW_AT_count)
                .or_else(|| number(constants::DW_AT_upper_bound).and_then(|last| last.checked_add(1)));
            ty = Type::Array(Box::new(ty), count);
        }
        ty
    }

    fn class(&self, offset: UnitOffset, entry: &Entry<'a>, path: String, depth: u32) -> Type {
        let children = self.children(offset).unwrap_or_default();
        if path.starts_with("std::") {
            let arguments = self.template_arguments(&children, depth);
            let plain = path.split('<').next().unwrap_or_default().to_string();
            return if arguments.is_empty() { Type::Other(path) } else { Type::Template(plain, arguments) };
        }
        if self.flag(entry, constants::DW_AT_declaration) {
            return Type::Other(path);
        }
        let size = entry.attr_value(constants::DW_AT_byte_size).and_then(|size| size.udata_value()).unwrap_or(0);
        let is_class = entry.tag() == constants::DW_TAG_class_type;
        let (mut fields, mut is_derived) = (Vec::new(), false);
        for child in &children {
            match child.tag() {
                constants::DW_TAG_inheritance => is_derived = true,
                constants::DW_TAG_member if !self.is_static(child) => {
                    let number = |name| child.attr_value(name).and_then(|value: AttributeValue<_>| value.udata_value());
                    let is_public = match child.attr_value(constants::DW_AT_accessibility) {
                        Some(AttributeValue::Accessibility(access)) => access == constants::DW_ACCESS_public,
                        _ => !is_class,
                    };
                    let is_bits = number(constants::DW_AT_bit_size).is_some();
                    fields.push(Field {
                        name: self.own_text(child, constants::DW_AT_name).unwrap_or_default(),
                        ty: self.type_of(child, depth, true),
                        offset: number(constants::DW_AT_data_member_location).filter(|_| !is_bits),
                        is_public,
                    });
                }
                _ => {}
            }
        }
        Type::Record(Record { name: path, size, fields, is_derived })
    }

    /// Whether a member of a class is one variable for all objects.
    fn is_static(&self, member: &Entry<'a>) -> bool {
        self.flag(member, constants::DW_AT_external) || self.flag(member, constants::DW_AT_declaration)
    }

    fn template_arguments(&self, children: &[Entry<'a>], depth: u32) -> Vec<TemplateArgument> {
        let mut arguments = Vec::new();
        for child in children {
            match child.tag() {
                constants::DW_TAG_template_type_parameter => {
                    arguments.push(TemplateArgument::Type(self.type_of(child, depth, true)));
                }
                constants::DW_TAG_template_value_parameter => {
                    let value = child.attr_value(constants::DW_AT_const_value);
                    arguments.extend(value.and_then(|value| value.udata_value()).map(TemplateArgument::Value));
                }
                constants::DW_TAG_GNU_template_parameter_pack => {
                    let pack = self.children(child.offset()).unwrap_or_default();
                    arguments.extend(self.template_arguments(&pack, depth));
                }
                _ => {}
            }
        }
        arguments
    }
}

fn unknown() -> Type {
    Type::Other("of an unknown type".to_string())
}

/// The kind of a basic type, if it is one that can be passed.
fn number(entry: &Entry<'_>) -> Option<Kind> {
    let AttributeValue::Encoding(encoding) = entry.attr_value(constants::DW_AT_encoding)? else { return None };
    let size = entry.attr_value(constants::DW_AT_byte_size)?.udata_value()?;
    let signed = [Kind::I8, Kind::I16, Kind::I32, Kind::I64];
    let unsigned = [Kind::U8, Kind::U16, Kind::U32, Kind::U64];
    let by_size = |kinds: &[Kind]| kinds.iter().copied().find(|kind| kind.bytes() == size);
    match encoding {
        constants::DW_ATE_boolean => by_size(&[Kind::Bool]),
        constants::DW_ATE_float => by_size(&[Kind::F32, Kind::F64]),
        constants::DW_ATE_signed | constants::DW_ATE_signed_char => by_size(&signed),
        constants::DW_ATE_unsigned | constants::DW_ATE_unsigned_char | constants::DW_ATE_UTF => by_size(&unsigned),
        _ => None,
    }
}
