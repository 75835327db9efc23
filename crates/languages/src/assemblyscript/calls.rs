//! The exported functions of an AssemblyScript file, and code around those that take objects: arrays and strings of
//! its library, which are made from numbers in memory.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use crate::cache::{About, Hidden, Refused};
use crate::toolchain::exports::{Export, call_text};
use crate::toolchain::lists::{closing, split};

/// A parameter that is an object, and how it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Passed {
    /// A number, by its type.
    Number(&'static str),
    /// An object of this type, of elements of this type, which are at this place in it.
    Array(String, &'static str, Elements),
    Text,
    Buffer,
    /// Anything else, by its type.
    Other(String),
}

/// Where the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    Apart,
    Inside,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    name: String,
    is_exported: bool,
    is_generic: bool,
    parameters: Vec<(String, Passed)>,
    /// The number that it returns, if it does.
    result: Option<&'static str>,
}

/// Types of numbers, with their names in `--call`.
const NUMBERS: [(&str, &str); 14] = [
    ("bool", "bool"),
    ("boolean", "bool"),
    ("i8", "i8"),
    ("u8", "u8"),
    ("i16", "i16"),
    ("u16", "u16"),
    ("i32", "i32"),
    ("u32", "u32"),
    ("i64", "i64"),
    ("u64", "u64"),
    ("f32", "f32"),
    ("f64", "f64"),
    ("number", "f64"),
    ("isize", "i32"),
];

const TYPED_ARRAYS: [(&str, &str); 11] = [
    ("Int8Array", "i8"),
    ("Uint8Array", "u8"),
    ("Uint8ClampedArray", "u8"),
    ("Int16Array", "i16"),
    ("Uint16Array", "u16"),
    ("Int32Array", "i32"),
    ("Uint32Array", "u32"),
    ("Int64Array", "i64"),
    ("Uint64Array", "u64"),
    ("Float32Array", "f32"),
    ("Float64Array", "f64"),
];

/// The name of a file of ours.
pub const FILE: &str = "calls.ts";

/// What commas may be in that separate no parameters.
const BRACKETS: [(char, char); 4] = [('(', ')'), ('<', '>'), ('[', ']'), ('{', '}')];

const SYMBOL: &str = "pessimum_call_";

/// What a source has to offer, and the code that makes objects for it.
#[derive(Debug, Default)]
pub struct Calls {
    pub about: About,
    pub exports: Vec<Export>,
    functions: Vec<(String, Function)>,
}

impl Calls {
    pub fn new(source: &str) -> Calls {
        let mut calls = Calls::default();
        for function in functions(source) {
            let name = function.name.clone();
            if !function.is_exported || function.is_generic {
                let why = match function.is_exported {
                    true => "its type parameter is left open; export a function that calls it with one of your choice",
                    false => "it is not exported: write `export function`",
                };
                calls.about.hidden.push(Hidden { name, why: why.to_string() });
                continue;
            }
            calls.about.functions.push(name.clone());
            let odd = |(_, (_, ty)): &(usize, &(String, Passed))| matches!(ty, Passed::Other(_));
            let is_object = |ty: &Passed| !matches!(ty, Passed::Number(_) | Passed::Other(_));
            if let Some((at, (parameter, Passed::Other(ty)))) = function.parameters.iter().enumerate().find(odd) {
                // Addresses may be anything; objects need a header that only the runtime makes.
                let (why, objects) = match ty.as_str() {
                    "usize" => (
                        "what it should point to is not known: describe it with --call, as in `name(u8[n], n)`",
                        vec![],
                    ),
                    _ => (
                        "only numbers, arrays of numbers, strings and ArrayBuffer can be made from input: export a \
                           function that takes these, makes the object and calls this one",
                        vec![at],
                    ),
                };
                let why = format!("its parameter {} `{parameter}` is `{ty}`; {why}", at + 1);
                let objects = function
                    .parameters
                    .iter()
                    .enumerate()
                    .filter(|(_, (_, ty))| is_object(ty))
                    .map(|(at, _)| at)
                    .chain(objects);
                calls.about.refused.insert(name, Refused { why, objects: objects.collect() });
                continue;
            }
            let arguments: Vec<String> = function.parameters.iter().map(|(_, ty)| argument(ty)).collect();
            calls.about.calls.insert(name.clone(), call_text(&name, &arguments.join(", ")));
            if function.parameters.iter().any(|(_, ty)| is_object(ty)) {
                let types = function.parameters.iter().map(|(_, ty)| written(ty)).collect();
                calls.about.wrapped.insert(name.clone(), types);
                let symbol = format!("{SYMBOL}{}", calls.functions.len());
                calls.exports.push(Export { symbol: symbol.clone(), name });
                calls.functions.push((symbol, function));
            }
        }
        calls
    }

    /// The file that is compiled beside the source, and imports it from there.
    pub fn text(&self, allocator: &str, source: &str) -> String {
        let mut text = allocator.to_string();
        if self.functions.is_empty() {
            return text;
        }
        let _ = writeln!(text, "import * as subject from {source:?};");
        for name in ["begin", "end"] {
            let _ = writeln!(text, "@external(\"pessimum\", \"{name}\") declare function pessimum_{name}(): void;");
        }
        for (symbol, function) in &self.functions {
            text += &code(symbol, function);
        }
        text
    }
}

fn argument(ty: &Passed) -> String {
    match ty {
        Passed::Number(name) => in_call(name).to_string(),
        Passed::Array(_, of, _) => format!("{}[n], n", in_call(of)),
        Passed::Text => "u16[n], n".to_string(),
        Passed::Buffer => "u8[n], n".to_string(),
        Passed::Other(_) => String::new(),
    }
}

/// The name of a number in `--call`.
fn in_call(name: &str) -> &'static str {
    NUMBERS.iter().find(|(known, _)| *known == name).map_or("u32", |(_, kind)| kind)
}

fn written(ty: &Passed) -> String {
    match ty {
        Passed::Number(name) => name.to_string(),
        Passed::Array(name, ..) | Passed::Other(name) => name.clone(),
        Passed::Text => "string".to_string(),
        Passed::Buffer => "ArrayBuffer".to_string(),
    }
}

fn code(symbol: &str, function: &Function) -> String {
    let (mut parameters, mut arguments, mut before, mut after) = (Vec::new(), Vec::new(), String::new(), String::new());
    for (at, (_, ty)) in function.parameters.iter().enumerate() {
        if let Passed::Number(name) = ty {
            parameters.push(format!("p{at}: {name}"));
            arguments.push(format!("p{at}"));
            continue;
        }
        parameters.push(format!("p{at}: usize, n{at}: i32"));
        arguments.push(format!("a{at}"));
        match ty {
            Passed::Array(name, of, elements) => {
                let place = match elements {
                    Elements::Apart => format!("a{at}.dataStart"),
                    Elements::Inside => format!("changetype<usize>(a{at})"),
                };
                let _ = write!(
                    before,
                    "  const a{at} = new {name}(n{at});\n  memory.copy({place}, p{at}, <usize>n{at} * sizeof<{of}>());\n"
                );
                // So that changes can be seen where the input was.
                let _ = writeln!(
                    after,
                    "  memory.copy(p{at}, {place}, <usize>(n{at} < a{at}.length ? n{at} : a{at}.length) * sizeof<{of}>());"
                );
            }
            Passed::Text => {
                let _ = writeln!(before, "  const a{at} = String.UTF16.decodeUnsafe(p{at}, <usize>n{at} << 1);");
            }
            _ => {
                let _ = write!(
                    before,
                    "  const a{at} = new ArrayBuffer(n{at});\n  memory.copy(changetype<usize>(a{at}), p{at}, n{at});\n"
                );
                let _ = writeln!(after, "  memory.copy(p{at}, changetype<usize>(a{at}), n{at});");
            }
        }
    }
    let call = format!("subject.{}({})", function.name, arguments.join(", "));
    let (kept, result, end) = match function.result {
        Some(result) => ("const result = ", result, "  return result;\n"),
        None => ("", "void", ""),
    };
    format!(
        "export function {symbol}({}): {result} {{\n{before}  pessimum_begin();\n  {kept}{call};\n  pessimum_end();\n\
         {after}{end}}}\n",
        parameters.join(", ")
    )
}

/// The functions of a file.
fn functions(source: &str) -> Vec<Function> {
    let text = without_comments(source);
    let aliases = aliases(&text);
    let mut found = Vec::new();
    for (at, word) in text.match_indices("function") {
        let before = &text[..at];
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        if before.ends_with(is_part) || depth(before) > 0 {
            continue;
        }
        let rest = text[at + word.len()..].trim_start();
        let name: String = rest.chars().take_while(|c| is_part(*c)).collect();
        let rest = rest[name.len()..].trim_start();
        let (is_generic, rest) = match rest.strip_prefix('<') {
            Some(inner) => (true, inner.split_once('>').map_or("", |(_, rest)| rest).trim_start()),
            None => (false, rest),
        };
        let Some(list) = rest.strip_prefix('(') else { continue };
        let Some(end) = closing(list) else { continue };
        if name.is_empty() {
            continue;
        }
        let parameters = split(&list[..end], &BRACKETS).into_iter().map(|parameter| {
            let declared = parameter.split_once('=').map_or(parameter, |(declared, _)| declared);
            let (name, ty) = declared.split_once(':').unwrap_or((declared, ""));
            (name.trim().trim_end_matches('?').to_string(), passed(ty.trim(), &aliases))
        });
        let after = list[end + 1..].trim_start();
        let result = after.strip_prefix(':').map(|ty| ty.split(['{', ';']).next().unwrap_or_default().trim());
        let result = result.and_then(|ty| number(resolved(ty, &aliases)));
        let is_exported = before.trim_end().ends_with("export");
        found.push(Function { name, is_exported, is_generic, parameters: parameters.collect(), result });
    }
    found
}

/// How many braces are open at the end of a text.
fn depth(text: &str) -> i32 {
    text.chars().map(|c| i32::from(c == '{') - i32::from(c == '}')).sum()
}

fn number(ty: &str) -> Option<&'static str> {
    if ty == "usize" {
        return Some("usize");
    }
    NUMBERS.iter().map(|(name, _)| *name).find(|name| *name == ty)
}

fn passed(ty: &str, aliases: &[(String, String)]) -> Passed {
    let ty = resolved(ty, aliases);
    if let Some(number) = number(ty).filter(|number| *number != "usize") {
        return Passed::Number(number);
    }
    if let Some((name, of)) = TYPED_ARRAYS.iter().find(|(name, _)| *name == ty) {
        return Passed::Array(name.to_string(), of, Elements::Apart);
    }
    let inside = |start: &str| ty.strip_prefix(start)?.trim_start().strip_prefix('<')?.strip_suffix('>').map(str::trim);
    let element = |of: &str| number(resolved(of, aliases));
    if let Some(of) = inside("StaticArray").and_then(element) {
        return Passed::Array(format!("StaticArray<{of}>"), of, Elements::Inside);
    }
    if let Some(of) = inside("Array").or_else(|| ty.strip_suffix("[]").map(str::trim)).and_then(element) {
        return Passed::Array(format!("Array<{of}>"), of, Elements::Apart);
    }
    match ty {
        "string" | "String" => Passed::Text,
        "ArrayBuffer" => Passed::Buffer,
        other => Passed::Other(other.to_string()),
    }
}

/// What an alias stands for; other types are what they are.
fn resolved<'t>(ty: &'t str, aliases: &'t [(String, String)]) -> &'t str {
    let mut ty = ty;
    // An alias may stand for another one, but not for itself.
    for _ in 0..=aliases.len() {
        match aliases.iter().find(|(name, _)| name == ty) {
            Some((_, of)) => ty = of,
            None => break,
        }
    }
    ty
}

/// The names that a file gives to types: `type Row = StaticArray<i32>;`.
fn aliases(text: &str) -> Vec<(String, String)> {
    let declared = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let rest = line.strip_prefix("export ").unwrap_or(line).trim_start().strip_prefix("type ")?;
        let (name, of) = rest.split_once('=')?;
        Some((name.trim().to_string(), of.trim().trim_end_matches(';').trim().to_string()))
    });
    declared.collect()
}

/// The text without comments and without what is in quotes, which could look like code.
fn without_comments(source: &str) -> String {
    let mut text = String::new();
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            '/' if rest.peek() == Some(&'*') => {
                let mut last = ' ';
                rest.next();
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                text.push(' ');
            }
            '"' | '\'' | '`' => {
                text.push(c);
                while let Some(inner) = rest.next() {
                    if inner == '\\' {
                        rest.next();
                    } else if inner == c {
                        break;
                    }
                }
                text.push(c);
            }
            c => text.push(c),
        }
    }
    text
}

/// How a file is imported from a file in this directory; both are absolute.
pub fn import_path(from: &Path, to: &Path) -> String {
    let parts = |path: &Path| {
        let mut parts: Vec<PathBuf> = Vec::new();
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    parts.pop();
                }
                Component::CurDir => {}
                part => parts.push(PathBuf::from(part.as_os_str())),
            }
        }
        parts
    };
    let (from, to) = (parts(from), parts(&to.with_extension("")));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_string(), from.len() - common);
    let down = to[common..].iter().map(|part| part.display().to_string());
    let path = up.chain(down).collect::<Vec<_>>().join("/");
    if path.starts_with("..") { path } else { format!("./{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_from_the_source() {
        let calls = Calls::new(
            "type Row = StaticArray<i32>;\n// export function no(a: i32): void {}\n\
             export function a(x: Int32Array, y: i32 = 3): i32 { return 0 }\n\
             export function b(\n  row: Row,\n  s: string, /* why */ v: Array<f64>, w: u8[],\n): void {}\n\
             export function c(m: Map<string, i32>): void {}\nexport function d(p: usize, n: i32): i32 { return 0 }\n\
             function e(): void {}\nexport function f<T>(x: T): void {}\nexport function g(): bool { return true }\n\
             class K { function h(): void {} }\nconst text = \"export function i(): void {}\";\n",
        );
        let call = |name: &str| calls.about.calls.get(name).map(String::as_str);
        assert_eq!(call("a"), Some("a(i32[n], n, i32)"));
        assert_eq!(call("b"), Some("b(i32[n], n, u16[n], n, f64[n], n, u8[n], n)"));
        assert_eq!(call("g"), Some("g()"));
        let why = &calls.about.refused["c"].why;
        assert!(why.starts_with("its parameter 1 `m` is `Map<string, i32>`; only numbers"), "{why}");
        assert!(calls.about.refused["d"].why.contains("what it should point to is not known"));
        assert_eq!(calls.about.functions, ["a", "b", "c", "d", "g"]);
        let hidden: Vec<&str> = calls.about.hidden.iter().map(|hidden| hidden.name.as_str()).collect();
        assert_eq!(hidden, ["e", "f"]);
    }

    #[test]
    fn files_are_imported_from_elsewhere() {
        let import = |from: &str, to: &str| import_path(Path::new(from), Path::new(to));
        assert_eq!(import("/home/a/cache/x", "/home/a/work/sort.ts"), "../../work/sort");
        assert_eq!(import("/home/a", "/home/a/sort.ts"), "./sort");
        assert_eq!(import("/home/a/b", "/home/a/c/../sort.ts"), "../sort");
    }
}
