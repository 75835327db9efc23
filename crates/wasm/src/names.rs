//! Human-readable names: of functions, from the name section, and of source lines, from DWARF.
//!
//! Both are decoration. A module without them, or with damaged ones, runs just the same; names then fall back to
//! exports, imports and numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian};
use rustc_hash::FxHashMap;
use wasmparser::{BinaryReader, ExternalKind, KnownCustom, Name, NameSectionReader, Parser, Payload, TypeRef};

use crate::module::{ExternKind, ExternType, Module};

/// Function names, demangled.
#[derive(Clone, Debug, Default)]
pub struct Names {
    functions: BTreeMap<u32, String>,
}

impl Names {
    /// Collects the names of a binary module. Reading stops silently where the module is damaged.
    pub fn read(module: &[u8]) -> Names {
        let mut named = BTreeMap::new();
        let mut fallback = BTreeMap::new();
        let mut imported = 0;
        for payload in Parser::new(0).parse_all(module) {
            match payload {
                Ok(Payload::ImportSection(section)) => {
                    for import in section.into_imports().flatten() {
                        if matches!(import.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)) {
                            fallback.insert(imported, format!("{}.{}", import.module, import.name));
                            imported += 1;
                        }
                    }
                }
                Ok(Payload::ExportSection(section)) => {
                    for export in section.into_iter().flatten() {
                        if export.kind == ExternalKind::Func {
                            fallback.entry(export.index).or_insert_with(|| export.name.to_string());
                        }
                    }
                }
                Ok(Payload::CustomSection(section)) => {
                    if let KnownCustom::Name(reader) = section.as_known() {
                        read_name_section(reader, &mut named);
                    }
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Names::new(named, fallback)
    }

    /// The names of a loaded module.
    pub fn of(module: &Module) -> Names {
        let mut named = BTreeMap::new();
        let mut fallback = BTreeMap::new();
        let functions = module.imports().iter().filter(|import| matches!(import.ty, ExternType::Function(_)));
        for (index, import) in functions.enumerate() {
            fallback.insert(index as u32, format!("{}.{}", import.module, import.name));
        }
        for export in module.exports() {
            if export.kind == ExternKind::Function {
                fallback.entry(export.index).or_insert_with(|| export.name.clone());
            }
        }
        for section in module.custom_sections() {
            if section.name == "name" {
                read_name_section(NameSectionReader::new(BinaryReader::new(&section.data, 0)), &mut named);
            }
        }
        Names::new(named, fallback)
    }

    fn new(mut named: BTreeMap<u32, String>, fallback: BTreeMap<u32, String>) -> Names {
        for (index, name) in fallback {
            named.entry(index).or_insert(name);
        }
        Names { functions: named.into_iter().map(|(index, name)| (index, demangle(&name))).collect() }
    }

    /// The name of a function (imports counted first), if the module gives one.
    pub fn get(&self, index: u32) -> Option<&str> {
        self.functions.get(&index).map(String::as_str)
    }

    /// The name of a function, or `func[12]`.
    pub fn function(&self, index: u32) -> String {
        self.get(index).map_or_else(|| format!("func[{index}]"), str::to_string)
    }
}

fn read_name_section(reader: NameSectionReader<'_>, into: &mut BTreeMap<u32, String>) {
    for subsection in reader {
        match subsection {
            Ok(Name::Function(map)) => {
                for naming in map.into_iter().flatten() {
                    into.insert(naming.index, naming.name.to_string());
                }
            }
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

/// The name as its author wrote it: Rust paths without hashes, C++ names without parameters; other names unchanged.
pub fn demangle(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    if name.starts_with("_Z") {
        let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
        if let Ok(symbol) = cpp_demangle::Symbol::new(name)
            && let Ok(text) = symbol.demangle_with_options(&options)
        {
            return text;
        }
    }
    name.to_string()
}

/// A place in the source text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// Path as the compiler recorded it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// The function whose text this is, if known; for inlined code it differs from the Wasm function.
    pub function: Option<String>,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Source lines of a module, looked up on demand. Borrows the module's bytes; not `Send`, so each thread that
/// reports makes its own.
pub struct SourceLines<'a> {
    context: Option<addr2line::Context<EndianSlice<'a, LittleEndian>>>,
    /// File offset of the code section's content: DWARF counts from there.
    code_start: u64,
}

impl<'a> SourceLines<'a> {
    /// Prepares the DWARF sections of a binary module, if it has any.
    pub fn read(module: &'a [u8]) -> SourceLines<'a> {
        let mut sections: BTreeMap<&str, &[u8]> = BTreeMap::new();
        let mut code_start = 0;
        for payload in Parser::new(0).parse_all(module) {
            match payload {
                Ok(Payload::CustomSection(section)) if section.name().starts_with(".debug_") => {
                    sections.insert(section.name(), section.data());
                }
                Ok(Payload::CodeSectionStart { unchecked_range, .. }) => code_start = unchecked_range.start,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        SourceLines::new(sections, code_start)
    }

    /// Prepares the DWARF sections of a loaded module, if it has any.
    pub fn of(module: &'a Module) -> SourceLines<'a> {
        let sections = module.custom_sections().iter().map(|section| (section.name.as_str(), &section.data[..]));
        SourceLines::new(sections.collect(), module.code_section_offset())
    }

    fn new(sections: BTreeMap<&'a str, &'a [u8]>, code_start: u64) -> SourceLines<'a> {
        if !sections.contains_key(".debug_line") {
            return SourceLines { context: None, code_start };
        }
        let dwarf = Dwarf::load(|id| {
            let data = sections.get(id.name()).copied().unwrap_or(&[]);
            Ok::<_, addr2line::gimli::Error>(EndianSlice::new(data, LittleEndian))
        });
        let context = dwarf.and_then(addr2line::Context::from_dwarf).ok();
        SourceLines { context, code_start }
    }

    /// Whether there is line information at all.
    pub fn present(&self) -> bool {
        self.context.is_some()
    }

    /// The innermost source line of the operator at this offset of the module file.
    pub fn line(&self, offset: u64) -> Option<SourceLine> {
        self.at(offset).innermost
    }

    /// The innermost source line, or that of the instruction before it in its function that has one: compilers leave it out
    /// where they have put code of several lines together.
    pub fn line_near(&self, module: &Module, offset: u32) -> Option<SourceLine> {
        /// How far back is near.
        const INSTRUCTIONS: usize = 64;
        let offsets = module.instruction_offsets();
        let end = offsets.partition_point(|known| *known <= offset);
        let function = module.function_at(offset);
        let near = offsets[..end].iter().rev().take(INSTRUCTIONS);
        let mut near = near.take_while(|known| module.function_at(**known) == function);
        near.find_map(|known| self.line(u64::from(*known)).filter(|line| line.line > 0))
    }

    /// The outermost source line: where code of other functions was inlined, that of the call.
    pub fn outermost_line(&self, offset: u64) -> Option<SourceLine> {
        self.at(offset).outermost
    }

    /// All that is known about the operator at this offset of the module file.
    pub fn at(&self, offset: u64) -> SourcePlace {
        let mut place = SourcePlace::default();
        self.frames(offset, |body, location| {
            let is_innermost = place.bodies.is_empty();
            place.bodies.push(body);
            if let Some(Location { file, line, column, function }) = location {
                let function = function.map(|name| demangle(&name));
                let found = SourceLine { file: plain_path(file), line, column, function };
                place.has_own_line |= is_innermost;
                place.innermost.get_or_insert_with(|| found.clone());
                place.outermost = Some(found);
            }
        });
        place
    }

    /// Shows the function that the operator is in, after the calls in it that were inlined there, the innermost first: each
    /// with its number and what is known of the line.
    fn frames<'l>(&'l self, offset: u64, mut see: impl FnMut(usize, Option<Location<'l, '_>>)) {
        let frames = self.context.as_ref().zip(offset.checked_sub(self.code_start));
        let Some(Ok(mut frames)) = frames.map(|(context, address)| context.find_frames(address).skip_all_loads())
        else {
            return;
        };
        while let Ok(Some(frame)) = frames.next() {
            let body = frame.dw_die_offset.map_or(0, |entry| entry.0);
            let known = frame.location.and_then(|known| Some((known.file?, known.line?, known.column.unwrap_or(0))));
            see(
                body,
                known.map(|(file, line, column)| {
                    let function = frame.function.as_ref().and_then(|name| name.raw_name().ok());
                    Location { file, line, column, function }
                }),
            );
        }
    }
}

/// A line as debug information has it.
struct Location<'l, 'f> {
    file: &'l str,
    line: u32,
    column: u32,
    function: Option<Cow<'f, str>>,
}

/// The places of many operators. Each name is kept once: a text for each of them takes hundreds of megabytes for a long
/// function, and most of the time.
pub(crate) struct Places<'l, 'a> {
    lines: &'l SourceLines<'a>,
    texts: Texts,
    /// As the compiler wrote them.
    files: FxHashMap<&'l str, u32>,
    functions: FxHashMap<String, u32>,
    bodies: FxHashMap<Vec<usize>, u32>,
    /// Memory of the last question.
    chain: Vec<usize>,
}

/// Where an operator comes from; see [`SourcePlace`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The innermost line that is known.
    pub innermost: Option<Line>,
    /// Whether it is one of the text that the operator belongs to.
    pub has_own_line: bool,
    /// The number of its bodies taken together.
    pub bodies: u32,
    /// The last of these, the function itself.
    pub function: usize,
}

/// A line by the numbers of its file and of the function whose text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub file: u32,
    pub line: u32,
    pub function: Option<u32>,
}

/// Texts by numbers.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Texts {
    fn number(&mut self, text: String) -> u32 {
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.all.push(text.clone());
            self.all.len() as u32 - 1
        })
    }
}

impl<'l, 'a> Places<'l, 'a> {
    pub fn of(lines: &'l SourceLines<'a>) -> Places<'l, 'a> {
        let (texts, files, functions, bodies, chain) = Default::default();
        Places { lines, texts, files, functions, bodies, chain }
    }

    pub fn at(&mut self, offset: u64) -> Place {
        let mut place = Place::default();
        let Places { lines, texts, files, functions, bodies, chain } = self;
        chain.clear();
        lines.frames(offset, |body, location| {
            let is_innermost = chain.is_empty();
            chain.push(body);
            if let (Some(known), None) = (location, place.innermost) {
                let file = *files.entry(known.file).or_insert_with(|| texts.number(plain_path(known.file)));
                let function = known.function.map(|name| match functions.get(&*name) {
                    Some(&known) => known,
                    None => *functions.entry(name.to_string()).or_insert_with(|| texts.number(demangle(&name))),
                });
                place.innermost = Some(Line { file, line: known.line, function });
                place.has_own_line = is_innermost;
            }
        });
        place.function = chain.last().copied().unwrap_or_default();
        let next = bodies.len() as u32;
        place.bodies = match bodies.get(&chain[..]) {
            Some(&known) => known,
            None => *bodies.entry(chain.clone()).or_insert(next),
        };
        place
    }

    /// A line in words, without its column.
    pub fn line(&self, line: Line) -> SourceLine {
        let text = |number: u32| self.texts.all[number as usize].clone();
        SourceLine { file: text(line.file), line: line.line, column: 0, function: line.function.map(text) }
    }
}

/// Where an operator comes from in the source text.
#[derive(Clone, Debug, Default)]
pub struct SourcePlace {
    /// The innermost line that is known.
    pub innermost: Option<SourceLine>,
    /// Where code of other functions was inlined, the line of the call.
    pub outermost: Option<SourceLine>,
    /// Whether the innermost line is one of the text that the operator belongs to. The compiler gives no line to code
    /// that stands for several; then only the places of calls are known.
    pub has_own_line: bool,
    /// The inlined copies of functions that the operator is in, the innermost first, and last the function itself.
    /// The numbers mean something only in comparison with others of the same function.
    pub bodies: Vec<usize>,
}

/// A source file's path without the parts that carry no information: `.` components (`././sort.c`), and the place
/// where Rust's own library was built, which contains a hash of the compiler.
fn plain_path(file: &str) -> String {
    let inside = file.strip_prefix("/rustc/").and_then(|rest| rest.split_once("/library/"));
    let file = inside.map_or(file, |(_, inside)| inside);
    let steps: Vec<&str> = file.split('/').filter(|step| *step != ".").collect();
    steps.join("/")
}

/// Whether an instruction has this name in the text format; for checking price lists.
pub fn is_instruction(name: &str) -> bool {
    macro_rules! visit_names {
        ($( @$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
            &[$(stringify!($visit)),*]
        };
    }
    // `visit_i32_add` visits `i32.add`, `visit_br_if` visits `br_if`.
    let visits: &[&str] = wasmparser::for_each_visit_operator!(visit_names);
    let underscored = name.replace('.', "_");
    let dotted = ["i32", "i64", "f32", "f64", "local", "global", "memory", "table", "ref", "data", "elem"];
    let should_be_dotted = underscored.split_once('_').is_some_and(|(prefix, _)| dotted.contains(&prefix));
    name.matches('.').count() == usize::from(should_be_dotted)
        && visits.iter().any(|visit| visit["visit_".len()..] == underscored)
}

#[cfg(test)]
mod tests {
    use super::plain_path;

    #[test]
    fn paths_are_plain() {
        assert_eq!(plain_path("././sort.c"), "sort.c");
        assert_eq!(plain_path("/base/./a/../sort.c"), "/base/a/../sort.c");
        assert_eq!(plain_path("/rustc/0123abc/library/core/src/slice/mod.rs"), "core/src/slice/mod.rs");
    }
}
