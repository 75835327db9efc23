//! Public functions of a Zig file that are not exported, and code around those that take numbers and slices of numbers.

use std::fmt::Write as _;

use crate::cache::{About, Hidden};
use crate::toolchain::exports::{Export, call_text};
use crate::toolchain::lists::{closing, split};

/// Types of numbers, with their names in `--call`.
const NUMBERS: [(&str, &str); 13] = [
    ("bool", "bool"),
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
    ("usize", "u32"),
    ("isize", "i32"),
];

/// The name of a file of ours.
pub const FILE: &str = "calls.zig";

const SYMBOL: &str = "pessimum_call_";

/// What can be made from input, and what cannot.
const MADE: &str = "only numbers, slices of numbers and `[:0]const u8` can be made from input: write a function that takes these, \
     makes the rest and calls this one";

/// A function as it is written.
#[derive(Debug, PartialEq, Eq)]
pub struct Function<'a> {
    pub name: &'a str,
    pub is_public: bool,
    pub is_exported: bool,
    /// Names and types.
    parameters: Vec<(&'a str, &'a str)>,
    result: &'a str,
}

/// The functions of a file at the beginning of a line; what is indented belongs to a struct.
pub fn functions(source: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let Some((before, _)) = line.split_once("fn ").filter(|_| !line.starts_with([' ', '\t', '/'])) else {
            continue;
        };
        let words: Vec<&str> = before.split_whitespace().collect();
        if words.iter().any(|word| !matches!(*word, "pub" | "export" | "inline" | "noinline")) {
            continue;
        }
        let rest = &source[at + before.len() + "fn ".len()..];
        let Some((name, rest)) = rest.split_once('(') else { continue };
        let Some(end) = closing(rest) else { continue };
        let result = rest[end + 1..].split('{').next().unwrap_or_default().trim();
        let (is_public, is_exported) = (words.contains(&"pub"), words.contains(&"export"));
        let parameters = parameters(&rest[..end]);
        found.push(Function { name: name.trim(), is_public, is_exported, parameters, result });
    }
    found
}

fn parameters(list: &str) -> Vec<(&str, &str)> {
    let parts = split(list, &[('(', ')'), ('[', ']'), ('{', '}')]).into_iter();
    parts.map(|part| part.split_once(':').map_or((part, ""), |(name, ty)| (name.trim(), ty.trim()))).collect()
}

/// How a parameter is passed: its arguments in a call, as parameters of the function around it, and the value that is made of them.
fn passed(at: usize, ty: &str) -> Option<(String, String, String)> {
    let number = |name: &str| NUMBERS.iter().find(|(known, _)| *known == name).map(|(_, call)| *call);
    if let Some(call) = number(ty) {
        return Some((call.to_string(), format!("a{at}: {ty}"), format!("a{at}")));
    }
    if ty == "[:0]const u8" {
        return Some((
            "str[n]".to_string(),
            format!("a{at}: [*:0]const u8"),
            format!("@import(\"std\").mem.span(a{at})"),
        ));
    }
    let element = ty.strip_prefix("[]")?.trim();
    let element = element.strip_prefix("const ").unwrap_or(element).trim();
    let call = number(element)?;
    Some((format!("{call}[n], n"), format!("a{at}: [*]{element}, n{at}: usize"), format!("a{at}[0..n{at}]")))
}

/// What a source has to offer, and the code around functions that are not exported.
#[derive(Debug, Default)]
pub struct Calls {
    pub about: About,
    pub exports: Vec<Export>,
    /// The file that is compiled with the source, its module `subject`; empty where nothing needs it.
    pub text: String,
}

impl Calls {
    pub fn new(source: &str) -> Calls {
        let mut calls = Calls::default();
        for function in functions(source) {
            let name = function.name.to_string();
            match calls.code(&function) {
                Ok(code) => {
                    calls.about.functions.push(name);
                    calls.text += &code;
                }
                Err(why) => calls.about.hidden.push(Hidden { name, why }),
            }
        }
        if !calls.text.is_empty() {
            // Without a reference to the source its own exports would be left out.
            calls.text.insert_str(
                0,
                "const subject = @import(\"subject\");\nextern \"pessimum\" fn begin() void;\nextern \"pessimum\" fn end() void;\n\
                 var sink: ?*const anyopaque = null;\ncomptime {\n    _ = subject;\n}\n",
            );
        }
        calls
    }

    /// The exported functions alone, for a compiler that refuses the code around the others.
    pub fn exported(source: &str) -> Calls {
        let mut calls = Calls::default();
        for function in functions(source) {
            let name = function.name.to_string();
            match function.is_exported {
                true => calls.about.functions.push(name),
                false => calls.about.hidden.push(Hidden {
                    name,
                    why: "it is not exported: write `export fn` and pointers instead of slices".to_string(),
                }),
            }
        }
        calls
    }

    /// The code around one function, none for one that is exported; or why it cannot be called.
    fn code(&mut self, function: &Function<'_>) -> Result<String, String> {
        if function.is_exported {
            return Ok(String::new());
        }
        if !function.is_public {
            return Err("it is not exported: write `pub fn`".to_string());
        }
        let mut parts = Vec::new();
        for (at, (name, ty)) in function.parameters.iter().enumerate() {
            let part = passed(at, ty).filter(|_| !name.starts_with("comptime "));
            parts.push(part.ok_or_else(|| format!("its parameter {} `{name}` is `{ty}`; {MADE}", at + 1))?);
        }
        let name = function.name;
        let list = |pick: fn(&(String, String, String)) -> &str| parts.iter().map(pick).collect::<Vec<_>>().join(", ");
        let symbol = format!("{SYMBOL}{}", self.exports.len());
        let (result, given) = match function.result {
            "void" => ("void", ""),
            number if NUMBERS.iter().any(|(known, _)| *known == number) => (number, "    return result;\n"),
            // The result has to be computed, although nothing reads it.
            _ => ("void", "    @as(*volatile ?*const anyopaque, &sink).* = @ptrCast(&result);\n"),
        };
        let kept = if function.result == "void" { "" } else { "const result = " };
        let mut code = String::new();
        let _ = writeln!(code, "export fn {symbol}({}) {result} {{\n    begin();", list(|part| &part.1));
        let _ = writeln!(code, "    {kept}@call(.never_inline, subject.{name}, .{{{}}});", list(|part| &part.2));
        let _ = writeln!(code, "    end();\n{given}}}");
        self.about.calls.insert(name.to_string(), call_text(name, &list(|part| &part.0)));
        let types = function.parameters.iter().map(|(_, ty)| ty.to_string()).collect();
        self.about.wrapped.insert(name.to_string(), types);
        self.exports.push(Export { symbol, name: name.to_string() });
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_read_with_their_types() {
        let source = "// fn no(x: u8) void {}\npub fn total(xs: []const u32,\n    k: usize) !u32 {\n    fn_(1);\n}\nexport fn raw(p: [*]u8) void {}\n\
                      fn own() void {}\nconst S = struct {\n    pub fn inner(x: u8) u8 {\n        return x;\n    }\n};\n\
                      pub fn apply(f: fn (u8) u8, x: u8) u8 {\n";
        let found = functions(source);
        assert_eq!(found.iter().map(|function| function.name).collect::<Vec<_>>(), ["total", "raw", "own", "apply"]);
        assert_eq!(found[0].parameters, [("xs", "[]const u32"), ("k", "usize")]);
        assert_eq!((found[0].result, found[1].is_exported, found[2].is_public), ("!u32", true, false));
        assert_eq!(found[3].parameters, [("f", "fn (u8) u8"), ("x", "u8")]);
    }

    #[test]
    fn what_cannot_be_made_is_named() {
        let calls = Calls::new("pub fn f(p: *Point) void {}\npub fn g(comptime T: type, x: u8) T {}\nfn h() void {}\n");
        assert!(calls.text.is_empty() && calls.about.functions.is_empty());
        let why: Vec<&str> = calls.about.hidden.iter().map(|hidden| hidden.why.as_str()).collect();
        assert!(why[0].starts_with("its parameter 1 `p` is `*Point`; only numbers"), "{why:?}");
        assert!(why[1].starts_with("its parameter 1 `comptime T` is `type`"), "{why:?}");
        assert_eq!(why[2], "it is not exported: write `pub fn`");
    }
}
