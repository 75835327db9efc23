//! Declarations from the debug information of C: what a function is passed and returns follows from its prototype, and what
//! it does with it from its name, as a reader would guess.

use std::collections::BTreeMap;

use crate::prototypes::{Member, Parameter, Prototype, Prototypes, Type};
use pessimum_wasm::Module;

use crate::cache::Hidden;
use crate::calling::{CCall, CPassed, Declared, How};
use crate::calls::Calls;
use crate::rust::variable;
use crate::toolchain::exports::call_text;

/// The words in the name of a function that ends the life of what it is passed.
const ENDINGS: [&str; 11] =
    ["free", "destroy", "delete", "close", "release", "drop", "dispose", "dealloc", "deinit", "fini", "cleanup"];

/// The declarations of the author's functions, and why others have none. `how` says what tests in the language of the source make
/// of a call in C.
pub fn declarations(module: &Module, calls: &Calls<'_>, how: impl Fn(CCall) -> How) -> (Vec<Declared>, Vec<Hidden>) {
    let prototypes = Prototypes::of(module);
    let (mut declared, mut left_out) = (Vec::new(), Vec::new());
    let mut functions: Vec<(&str, &Prototype)> = Vec::new();
    for name in calls.functions() {
        match prototypes.get(name) {
            Some(prototype) if name != "main" => functions.push((name, prototype)),
            Some(_) => {}
            None => left_out.push(Hidden {
                name: name.to_string(),
                why: "the module does not say what its parameters are; compile it with -g, or declare it by hand"
                    .to_string(),
            }),
        }
    }
    functions.sort_by_key(|(_, prototype)| (&prototype.file, prototype.line));
    let handles = handles(functions.iter().map(|(_, prototype)| *prototype));
    for (name, prototype) in functions {
        match declaration(name, prototype, &prototypes, &handles, module) {
            Ok((declaration, call)) => {
                declared.push(Declared { declaration, name: name.to_string(), how: how(call) });
            }
            Err(why) => left_out.push(Hidden { name: name.to_string(), why }),
        }
    }
    (declared, left_out)
}

/// The types of handles: what the pointers that functions return lead to, by the name in the source, with the name in
/// declarations.
fn handles<'p>(prototypes: impl Iterator<Item = &'p Prototype>) -> BTreeMap<String, String> {
    let mut handles: BTreeMap<String, String> = BTreeMap::new();
    for prototype in prototypes {
        let Some(name) = structure(&prototype.result) else { continue };
        if handles.contains_key(name) {
            continue;
        }
        let plain = type_name(name);
        let numbered = (2..).map(|number| format!("{plain}{number}"));
        let mut candidates = std::iter::once(plain.clone()).chain(numbered);
        let free = candidates.find(|candidate| handles.values().all(|known| known != candidate));
        handles.insert(name.to_string(), free.unwrap_or(plain));
    }
    handles
}

/// The name of the structure that a pointer or a reference leads to.
fn structure(ty: &Type) -> Option<&str> {
    let (Type::Pointer(to) | Type::Reference(to)) = ty.plain() else { return None };
    match to.plain() {
        Type::Record(record) if !record.name.is_empty() => Some(&record.name),
        // Its fields are a secret of another file.
        Type::Other(name) if is_identifier(name) => Some(name),
        _ => None,
    }
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.starts_with(|c: char| !c.is_numeric())
}

/// A name that begins with an upper-case letter: `ring_buffer_t` is a `RingBuffer`.
fn type_name(name: &str) -> String {
    let name = name.strip_suffix("_t").unwrap_or(name);
    let words = name.split(['_', ':']).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        first + letters.as_str()
    };
    let joined: String = words.map(capital).collect();
    if joined.starts_with(char::is_uppercase) { joined } else { format!("T{joined}") }
}

/// The declaration of a function and how it is called in C, or why there is none.
fn declaration(
    name: &str,
    prototype: &Prototype,
    prototypes: &Prototypes,
    handles: &BTreeMap<String, String>,
    module: &Module,
) -> Result<(String, CCall), String> {
    let handle = |ty: &Type| structure(ty).and_then(|name| handles.get(name));
    if prototype.returned_in_memory().is_some() {
        return Err("it returns a structure; write a function that takes its address".to_string());
    }
    if prototype.member != Member::Free
        && !matches!(prototype.parameters.first(), Some(first) if handle(&first.ty).is_some())
    {
        return Err("it is a member of a class, and no function returns a pointer to an object; write one".to_string());
    }
    let wants = module.export(name).map(|export| module.function_type(export.index).params.len());
    if wants != Some(prototype.parameters.len()) {
        return Err("its parameters in the module are not those of its source".to_string());
    }
    // A handle is no array, so numbers beside it are no lengths.
    let opaque = |parameter: &Parameter| match handle(&parameter.ty) {
        Some(_) => Parameter { name: parameter.name.clone(), ty: Type::Void },
        None => parameter.clone(),
    };
    let plain = Prototype { parameters: prototype.parameters.iter().map(opaque).collect(), ..prototype.clone() };
    let moved = moved(prototype, &handle);
    let (mut arguments, mut passed) = (Vec::new(), Vec::new());
    for (at, parameter) in prototype.parameters.iter().enumerate() {
        if let Some(handle) = handle(&parameter.ty) {
            arguments.push(if moved == Some(at) { format!("move {handle}") } else { handle.clone() });
            passed.push(CPassed::Handle);
            continue;
        }
        let argument = match written_to(&plain, at) {
            Some(kind) => format!("out {kind}[1]"),
            // What is made this large would be as large as memory otherwise.
            None if is_capacity(&plain, at) && handle(&prototype.result).is_some() => format!("u32 in 0..={SMALL}"),
            None => plain.declared(at, prototypes).map_err(|refused| refused.to_string())?,
        };
        passed.push(match parameter.ty.plain() {
            _ if argument.starts_with('&') => CPassed::Given,
            _ if argument.starts_with("str[") => CPassed::Text,
            Type::Pointer(to) => match to.plain() {
                Type::Void => CPassed::Array("unsigned char".to_string()),
                to => CPassed::Array(to.to_string()),
            },
            Type::Record(_) => {
                return Err("it is passed a structure; write a function that takes its address".to_string());
            }
            ty => CPassed::Number(ty.to_string()),
        });
        arguments.push(argument);
    }
    let (result, variable) = match (prototype.result.plain(), handle(&prototype.result)) {
        (_, Some(handle)) => (Some(handle.clone()), Some(variable(handle))),
        (Type::Number { kind, .. } | Type::Enumeration { kind, .. }, None) => (Some(kind.to_string()), None),
        _ => (None, None),
    };
    let call = call_text(name, &arguments.join(", "));
    let declaration = result.map_or(call.clone(), |result| format!("{call} -> {result}"));
    let result = match prototype.result.plain() {
        Type::Void => String::new(),
        ty => ty.to_string(),
    };
    Ok((declaration, CCall { function: prototype.path.clone(), passed, result, variable }))
}

/// The handle that a call takes away: the only one, or the last where all parameters are handles, of a function whose name
/// says so. `map_delete(map, key)` leaves the map.
fn moved<'h>(prototype: &Prototype, handle: &impl Fn(&Type) -> Option<&'h String>) -> Option<usize> {
    let all = prototype.parameters.iter().all(|parameter| handle(&parameter.ty).is_some());
    let mut words: Vec<String> = vec![String::new()];
    for c in prototype.path.chars() {
        if c == '_' || c == ':' || c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
    }
    // What deletes something and says so may well delete a part: `text_delete(text)` the next character.
    let is_silent = matches!(prototype.result.plain(), Type::Void);
    let says_so = |word: &String| {
        ENDINGS.contains(&word.as_str()) && (is_silent || !["delete", "drop", "cleanup"].contains(&word.as_str()))
    };
    let ends = words.iter().any(says_so);
    (all && ends).then(|| prototype.parameters.len().checked_sub(1)).flatten()
}

/// What the size of a new object is at most.
const SMALL: u32 = 256;

/// Whether a parameter is a size, but not that of an array beside it.
fn is_capacity(prototype: &Prototype, at: usize) -> bool {
    matches!(prototype.parameters[at].ty.plain(), Type::Number { is_size: true, .. })
        && !prototype.is_length_of_array(at)
}

/// The kind of the number that a function writes to this address: a pointer to what is not constant, without a length beside it.
fn written_to(prototype: &Prototype, at: usize) -> Option<pessimum_input::Kind> {
    let Type::Pointer(to) = prototype.parameters[at].ty.plain() else { return None };
    match &**to {
        Type::Number { kind, is_char: false, .. } if !prototype.has_length(at) && prototype.lengths() == 0 => {
            Some(*kind)
        }
        _ => None,
    }
}
