//! The crate around a library: functions with a C interface that make values from plain data and call its public
//! functions with them.
//!
//! Only the calls count: what makes the values runs before `pessimum.begin`, and nothing is dropped after `pessimum.end`.
//! Where several calls follow each other (`sequences.rs`), everything but the code of this file counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::values::{Values, Written};
use anyhow::{Context, Result};
use serde_json::Value as Json;
use syn::FnArg;
use wasm_encoder::{ExportKind, ExportSection, NameMap, NameSection, RawSection};
use wasmparser::{BinaryReader, ExternalKind, Name, NameSectionReader, Parser, Payload};

use super::constructors::is_length;
use super::data::{Data, Layouts, Parameters};
use super::handles::Handles;
use super::items::{Crate, Function, Named, written};
use super::names::Found;
use super::types::{Ty, Types, names, subject};
use super::values::{Value, is_named};
use crate::cache::{About, Hidden};
use crate::calling::{Declared, How, RustCall};
use crate::toolchain::exports::{call_text, keep_values};
use crate::wanted::Chosen;

/// The name of the file, by which messages of the compiler are known to be about it.
pub const FILE: &str = "pessimum_calls.rs";

/// How the names of our functions begin that call a function of a Rust crate: no name of the user's has spaces in it.
pub const CALL_OF: &str = "the call of ";

/// The section of a module that says how values of Rust are written.
pub const VALUES: &str = "pessimum.values";

/// What the functions with a C interface share. It has a module of its own, and they are named by numbers, so that no
/// name in the user's crate can clash with one of ours.
const HEAD: &str = include_str!("head.rs.txt");

/// The crate that calls the public functions of another one.
#[derive(Default)]
pub struct Shim {
    name: String,
    pub(super) layouts: Layouts,
    pub(super) wrappers: Vec<Wrapper>,
    about: About,
}

/// What the functions of a crate are called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// One call, which alone counts: what makes its values runs before `pessimum.begin`.
    Call,
    /// Several calls, one after the other.
    Sequences,
}

/// A function with a C interface that calls a function of the user's crate.
#[derive(Default)]
pub(super) struct Wrapper {
    /// The name under which it is exported in the end.
    pub(super) name: String,
    pub(super) call: String,
    pub(super) code: String,
    /// The code with a plain call, for functions that no pointer can be made to.
    pub(super) otherwise: Option<String>,
    /// The condition under which the function is there.
    pub(super) condition: Option<String>,
    /// Its type parameters, which `--with` chooses.
    pub(super) parameters: Vec<String>,
    pub(super) number: usize,
    /// How tests call the function, and what it returns in its declaration.
    pub(super) declared: Option<(RustCall, Option<String>)>,
    /// The types of handles that it is passed.
    pub(super) wants: Vec<String>,
    /// How its arguments are written.
    pub(super) written: Vec<Written>,
}

/// Names of exports that a module has anyway.
const TAKEN: [&str; 4] = ["memory", "__data_end", "__heap_base", "__indirect_function_table"];

impl Shim {
    /// What calls the functions of this crate, which the compiler knows by this name.
    pub fn new(name: &str, source: &Crate, chosen: &Chosen, purpose: Purpose) -> Shim {
        let types = Types::new(source, chosen);
        let mut shim = Shim { name: name.to_string(), ..Shim::default() };
        let mut names: BTreeSet<String> = BTreeSet::new();
        for function in &source.functions {
            if let Some(name) = &function.exported {
                names.insert(name.clone());
                shim.about.functions.push(name.clone());
            }
        }
        let handles = match purpose {
            Purpose::Call => Handles::default(),
            Purpose::Sequences => Handles::of(&types),
        };
        for function in &source.functions {
            if function.exported.is_some() && purpose == Purpose::Call {
                continue;
            }
            let (name, longer) = shown(function, source);
            let made = access(function, source).and_then(|()| match purpose {
                Purpose::Call => shim.wrapper(function, &types),
                Purpose::Sequences => shim.step(function, &types, &handles),
            });
            let taken = |name: &str| names.contains(name) || TAKEN.contains(&name);
            match made {
                Ok(mut wrapper) => {
                    let same = shim.wrappers.iter().any(|known| known.code == wrapper.code);
                    let name = if taken(&name) { longer } else { name };
                    // The same function may be written several times, for different targets or features.
                    if same || taken(&name) {
                        continue;
                    }
                    wrapper.call = call_text(&name, &wrapper.call);
                    names.insert(name.clone());
                    wrapper.name = name;
                    shim.wrappers.push(wrapper);
                }
                Err(why) => shim.about.hidden.push(Hidden { name, why }),
            }
        }
        for (name, mut wrapper) in shim.derived(&types, &handles) {
            if names.insert(name.clone()) {
                // It is not only called by the compiler.
                shim.about.hidden.retain(|hidden| hidden.name != name);
                wrapper.number = shim.wrappers.len();
                wrapper.call = call_text(&name, &wrapper.call);
                wrapper.name = name;
                shim.wrappers.push(wrapper);
            }
        }
        shim
    }

    fn wrapper(&mut self, function: &Function, types: &Types<'_>) -> Result<Wrapper, String> {
        let source = types.source;
        let mut scope = match function.owner {
            Some(block) => types.enter_impl(block)?,
            None => super::types::Scope::new(function.module),
        };
        types.enter_default(function, &mut scope)?;
        types.enter(&mut scope, &function.signature.generics)?;
        let arguments = types.arguments(&function.signature.generics, &mut scope)?;
        let mut inputs: Vec<(String, Ty, Value)> = Vec::new();
        let format = format_of(function, source);
        // What a value is written to is made by the library.
        let last = if format.is_some() { 1 } else { usize::MAX };
        for input in function.signature.inputs.iter().take(last) {
            let (name, ty) = match input {
                FnArg::Receiver(receiver) => {
                    let own = scope.own.clone().ok_or("it takes `self`")?;
                    let ty = match &receiver.kind {
                        syn::ReceiverKind::Reference(_, _, mutable) => Ty::Reference(mutable.is_some(), Box::new(own)),
                        syn::ReceiverKind::Typed(_, ty) => types.resolve(ty, &mut scope)?,
                        _ => own,
                    };
                    ("self".to_string(), ty)
                }
                FnArg::Typed(input) => {
                    let (name, text) = (written(&input.pat), written(&input.ty));
                    let ty = types.resolve(&input.ty, &mut scope).map_err(|why| unfit(&name, &text, &why))?;
                    (name, ty)
                }
            };
            let mut value = types.value(&ty).map_err(|why| unfit(&name, &shown_type(input, &ty, source), &why))?;
            if value.data == Data::Size(false) && is_length(&name) {
                value.data = Data::Size(true);
            }
            inputs.push((name, ty, value));
        }
        let sized = inputs.iter().any(|(_, _, value)| value.data.grows());
        let mut parameters = Parameters::default();
        let (mut body, mut passed) = (String::new(), Vec::new());
        for (i, (_, ty, value)) in inputs.iter().enumerate() {
            let place = parameters.add(&value.data, &mut self.layouts, sized);
            body += &format!("    let d{i} = {place};\n");
            let code = super::values::at(&value.code, &format!("d{i}"));
            match ty {
                // Written in the call, a closure has the signature that the function expects.
                Ty::Closure(_) if value.data == super::data::NOTHING => passed.push(code),
                _ if ty.is_nameless() => {
                    body += &format!("    let v{i} = {code};\n");
                    passed.push(format!("v{i}"));
                }
                _ => {
                    body += &format!("    let v{i}: {} = {code};\n", ty.text(source));
                    passed.push(format!("v{i}"));
                }
            }
        }
        let path = self::path(function, types, &scope)?;
        let turbofish = match arguments.is_empty() {
            true => String::new(),
            false => {
                let list: Vec<String> = arguments.iter().map(|ty| ty.text(source)).collect();
                format!("::<{}>", list.join(", "))
            }
        };
        let passed_list = passed.join(", ");
        let direct = match format {
            Some(format) => format!("::std::format!(\"{format}\", {passed_list})"),
            None => format!("{path}{turbofish}({passed_list})"),
        };
        // Through a pointer that the compiler knows nothing about, the function stays a function: its name is in the
        // module, and its instructions are not mixed with those around the call.
        let safety = if function.is_unsafe() { "unsafe " } else { "" };
        let abi = function.signature.abi.as_ref().map_or_else(String::new, |abi| written(abi) + " ");
        let holes = vec!["_"; passed.len()].join(", ");
        let pointer = format!("    let call: {safety}{abi}fn({holes}) -> _ = {path}{turbofish};\n");
        let pointer = pointer + "    let call = ::core::hint::black_box(call);\n";
        let output = types.output(&function.signature.output, &mut scope).ok();
        let (result, given) = match output {
            Some(Ty::Number(name)) => (format!(" -> {name}"), "result"),
            Some(Ty::Bool) => (" -> bool".to_string(), "result"),
            Some(Ty::Char) => (" -> u32".to_string(), "result as u32"),
            // The result has to be computed, although nothing reads it, and is not dropped.
            _ => (String::new(), "::core::mem::forget(::core::hint::black_box(result))"),
        };
        let number = self.wrappers.len();
        let code = |before: &str, call: &str| {
            format!(
                "pub unsafe extern \"C\" fn NAME({}){result} {{\n    pessimum::listen();\n{body}{before}    \
                 pessimum::start();\n    let result = unsafe {{ {call} }};\n    pessimum::end();\n    {given}\n}}\n",
                parameters.declared
            )
        };
        let (code, otherwise) = match format {
            Some(_) => (code("", &direct), None),
            None => (code(&pointer, &format!("call({passed_list})")), Some(code("", &direct))),
        };
        let open = function.signature.generics.type_params().map(|parameter| parameter.ident.to_string());
        let around = function.owner.map(|block| &source.impls[block].generics);
        let around = around.into_iter().flat_map(|generics| generics.type_params());
        let parameters_of = open.chain(around.map(|parameter| parameter.ident.to_string())).collect();
        Ok(Wrapper {
            name: String::new(),
            call: parameters.call.join(", "),
            code,
            otherwise,
            condition: function.condition.clone(),
            parameters: parameters_of,
            number,
            written: inputs
                .into_iter()
                .map(|(_, _, Value { data, form, .. })| Written { outline: data.outline(), form })
                .collect(),
            ..Wrapper::default()
        })
    }

    /// The source of the crate.
    pub fn text(&self) -> String {
        let mut text = HEAD.replace("CRATE", &self.name) + &self.layouts.definitions();
        for wrapper in &self.wrappers {
            text += &format!("#[unsafe(export_name = \"{}\")]\n", symbol(wrapper));
            text += &wrapper.code.replacen("NAME", &format!("call_{}", wrapper.number), 1);
        }
        text
    }

    /// Leaves out the functions that the compiler complains about, unless there is another way to call them. Returns whether there was any: what it says about
    /// anything else is for the user to read.
    pub fn leave_out(&mut self, messages: &[Json]) -> bool {
        let mut starts = Vec::new();
        let mut line = 1 + HEAD.lines().count() + self.layouts.definitions().lines().count();
        for wrapper in &self.wrappers {
            starts.push(line);
            line += 1 + wrapper.code.lines().count();
        }
        let mut reasons: BTreeMap<usize, String> = BTreeMap::new();
        for message in messages {
            let Some(at) = line_of(message) else { continue };
            let number = starts.partition_point(|start| *start <= at);
            if number > 0 && at < line {
                let text = message["message"].as_str().unwrap_or_default().to_string();
                reasons.entry(number - 1).or_insert(text);
            }
        }
        for (&number, reason) in reasons.iter().rev() {
            if let Some(plain) = self.wrappers[number].otherwise.take() {
                self.wrappers[number].code = plain;
                continue;
            }
            let wrapper = self.wrappers.remove(number);
            let why = match (&wrapper.condition, &wrapper.parameters[..]) {
                (Some(condition), _) if reason.starts_with("cannot find") || reason.contains("unresolved") => {
                    format!("it is only there under `{condition}`")
                }
                (_, []) => format!("the compiler says: {}", plain(reason)),
                (_, [first, ..]) => {
                    format!("the compiler says: {}; --with {first}=TYPE chooses another type", plain(reason))
                }
            };
            self.about.hidden.push(Hidden { name: wrapper.name, why });
        }
        !reasons.is_empty()
    }

    /// Leaves out the functions that take what no other function returns: what would have made it is not there, or may itself
    /// be left out here.
    fn leave_out_orphans(&mut self) {
        loop {
            let returned: BTreeSet<String> =
                self.wrappers.iter().filter_map(|wrapper| wrapper.declared.as_ref()?.1.clone()).collect();
            let orphan = self.wrappers.iter().position(|wrapper| wrapper.wants.iter().any(|ty| !returned.contains(ty)));
            let Some(orphan) = orphan else { return };
            let wrapper = self.wrappers.remove(orphan);
            let missing = wrapper.wants.iter().find(|ty| !returned.contains(*ty)).cloned().unwrap_or_default();
            let why = format!("no function that can be called returns a `{missing}`");
            self.about.hidden.push(Hidden { name: wrapper.name, why });
        }
    }

    /// Gives the functions of a module their names, and says in it how their arguments are written. Returns it with what
    /// is known about it.
    pub fn finish(mut self, module: &[u8]) -> Result<(Vec<u8>, About)> {
        self.leave_out_orphans();
        let is_needed = |wrapper: &&Wrapper| !wrapper.written.iter().all(Written::is_plain);
        let written: Values = self
            .wrappers
            .iter()
            .filter(is_needed)
            .map(|wrapper| (wrapper.name.clone(), wrapper.written.clone()))
            .collect();
        let names: BTreeMap<String, &str> =
            self.wrappers.iter().map(|wrapper| (symbol(wrapper), wrapper.name.as_str())).collect();
        let mut module = renamed(module, &names)?;
        keep_values(&mut module, VALUES, &written)?;
        for wrapper in self.wrappers {
            if let Some((call, result)) = wrapper.declared {
                let result = result.map(|result| format!(" -> {result}")).unwrap_or_default();
                let declaration = wrapper.call.clone() + &result;
                self.about.declared.push(Declared { declaration, name: wrapper.name.clone(), how: How::Rust(call) });
            }
            self.about.calls.insert(wrapper.name.clone(), wrapper.call);
            self.about.functions.push(wrapper.name);
        }
        Ok((module, self.about))
    }
}

/// The name while the module is linked. A function of the user's called `memcpy` must not become that of the library.
fn symbol(wrapper: &Wrapper) -> String {
    format!("pessimum_call_{}", wrapper.number)
}

/// Why a function cannot be called at all.
pub(super) fn access(function: &Function, source: &Crate) -> Result<(), String> {
    if function.is_main() {
        return Err("it is where the program starts; leave out --call to run the program".to_string());
    }
    if !function.visible {
        return Err("it is not public; write `pub fn`".to_string());
    }
    if function.signature.asyncness.is_some() {
        return Err("it is `async`; write a `pub fn` that waits for its result".to_string());
    }
    if function.owner.is_none() && function.public.is_none() {
        let module = source.modules[function.module].path.join("::");
        return Err(format!("it is in the private module `{module}`; write `pub mod`, or `pub use` the function"));
    }
    Ok(())
}

/// How a value is written, where the function does that: `Display::fmt` and its relatives.
pub(super) fn format_of(function: &Function, source: &Crate) -> Option<&'static str> {
    let block = &source.impls[function.owner?];
    let Some(Found::Outside(path)) = source.find(block.module, &names(block.trait_path.as_ref()?)) else { return None };
    if function.name != "fmt" || !path.iter().any(|name| name == "fmt") {
        return None;
    }
    Some(match path.last()?.as_str() {
        "Display" => "{}",
        "Debug" => "{:?}",
        "LowerHex" => "{:x}",
        "UpperHex" => "{:X}",
        "Binary" => "{:b}",
        "Octal" => "{:o}",
        _ => return None,
    })
}

/// What the crate around it calls the function.
pub(super) fn path(function: &Function, types: &Types<'_>, scope: &super::types::Scope) -> Result<String, String> {
    let source = types.source;
    let Some(block) = function.owner else { return Ok(subject(function.public.as_deref().unwrap_or_default())) };
    let own = scope.own.as_ref().ok_or("it is a method of an unknown type")?;
    if !is_named(own, source) {
        let name = written(&source.impls[block].self_type);
        return Err(format!("the type `{name}` is not public; write `pub` before it, or `pub use` it"));
    }
    let owner = own.text(source);
    let Some(path) = &source.impls[block].trait_path else { return Ok(format!("<{owner}>::{}", function.name)) };
    if function.name == "drop" {
        return Err("it is called when a value goes away".to_string());
    }
    let generic = path.segments.last().is_some_and(|last| !last.arguments.is_none());
    let open = if generic { "<_>" } else { "" };
    let name = match source.find(source.impls[block].module, &names(path)) {
        Some(Found::Here(Named::Trait(number))) => match &source.traits[number].public {
            Some(path) => subject(path),
            None => return Err(format!("the trait `{}` is not public", source.traits[number].name)),
        },
        Some(Found::Outside(path)) if path.first().is_some_and(|first| super::names::is_std(first)) => {
            let rest: String = path[1..].iter().map(|name| format!("::{name}")).collect();
            format!("::std{rest}")
        }
        _ => return Err(format!("its trait `{}` is of another crate", written(path))),
    };
    Ok(format!("<{owner} as {name}{open}>::{}", function.name))
}

/// The name of a function for the user, and a longer one for where that is taken.
fn shown(function: &Function, source: &Crate) -> (String, String) {
    let plain = |path: &[String]| path.iter().map(|name| name.trim_start_matches("r#")).collect::<Vec<_>>().join("::");
    let name = function.name.trim_start_matches("r#");
    let module = &source.modules[function.module].path;
    let Some(block) = function.owner else {
        let path = function.public.clone().unwrap_or_else(|| [&module[..], &[name.to_string()]].concat());
        return (plain(&path), format!("crate::{}", plain(&path)));
    };
    let block = &source.impls[block];
    let found = match &block.self_type {
        syn::Type::Path(path) => match source.find(block.module, &names(&path.path)) {
            Some(Found::Here(Named::Type(number))) => {
                let item = &source.types[number];
                let there = &source.modules[item.module].path;
                Some(item.public.clone().unwrap_or_else(|| [&there[..], std::slice::from_ref(&item.name)].concat()))
            }
            _ => None,
        },
        _ => None,
    };
    let owner = found.map_or_else(|| written(&block.self_type), |path| plain(&path));
    let longer = match &block.trait_path {
        Some(path) => format!("<{} as {}>::{name}", written(&block.self_type), written(path)),
        None => format!("<{}>::{name}", written(&block.self_type)),
    };
    (format!("{owner}::{name}"), longer)
}

pub(super) fn shown_type(input: &FnArg, ty: &Ty, source: &Crate) -> String {
    match input {
        FnArg::Typed(input) => written(&input.ty),
        FnArg::Receiver(_) => ty.text(source).replace("::subject::", "").replace("::<", "<"),
    }
}

/// Why a parameter cannot be passed.
pub(super) fn unfit(name: &str, ty: &str, why: &str) -> String {
    let advice = if why.contains("; write") { "" } else { "; write a `pub fn` that makes one and calls this function" };
    format!("its parameter `{name}` is `{ty}`: {why}{advice}")
}

/// The first line in our file that a message of the compiler is about.
fn line_of(message: &Json) -> Option<usize> {
    let spans = |message: &Json| message["spans"].as_array().cloned().unwrap_or_default();
    let children = message["children"].as_array().into_iter().flatten();
    let all: Vec<Json> = spans(message).into_iter().chain(children.flat_map(spans)).collect();
    let ours = |span: &&Json| span["file_name"].as_str().is_some_and(|name| name.ends_with(FILE));
    let primary = all.iter().filter(ours).find(|span| span["is_primary"] == true);
    primary.or_else(|| all.iter().find(ours)).and_then(|span| span["line_start"].as_u64()).map(|line| line as usize)
}

/// A message of the compiler about our crate, in the words of the user's.
fn plain(message: &str) -> String {
    message.replace("::subject::", "").replace("subject::", "")
}

/// Exports functions under other names.
fn renamed(module: &[u8], names: &BTreeMap<String, &str>) -> Result<Vec<u8>> {
    let mut result = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.context("the compiler's module")?;
        if let Payload::ExportSection(section) = &payload {
            let mut exports = ExportSection::new();
            for export in section.clone() {
                let export = export.context("the compiler's module")?;
                let kind = match export.kind {
                    ExternalKind::Func | ExternalKind::FuncExact => ExportKind::Func,
                    ExternalKind::Table => ExportKind::Table,
                    ExternalKind::Memory => ExportKind::Memory,
                    ExternalKind::Global => ExportKind::Global,
                    ExternalKind::Tag => ExportKind::Tag,
                };
                exports.export(names.get(export.name).copied().unwrap_or(export.name), kind, export.index);
            }
            result.section(&exports);
        } else if let Payload::CustomSection(section) = &payload
            && section.name() == "name"
        {
            result.section(&shown_names(section.data(), names));
        } else if let Some((id, range)) = payload.as_section() {
            result.section(&RawSection { id, data: &module[range.start as usize..range.end as usize] });
        }
    }
    Ok(result.finish())
}

/// The names of functions for profiles, where our own say what they call.
fn shown_names(section: &[u8], names: &BTreeMap<String, &str>) -> NameSection {
    let mut functions = NameMap::new();
    for part in NameSectionReader::new(BinaryReader::new(section, 0)).flatten() {
        if let Name::Function(map) = part {
            for naming in map.into_iter().flatten() {
                match names.get(naming.name) {
                    Some(called) => functions.append(naming.index, &format!("{CALL_OF}{called}")),
                    None => functions.append(naming.index, naming.name),
                }
            }
        }
    }
    let mut result = NameSection::new();
    result.functions(&functions);
    result
}
