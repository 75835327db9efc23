//! Rust files, by rustc: a file with `main` becomes a WASI command, any other a library.
//!
//! A library is compiled as it is, and a second, small crate with a C interface calls its public functions whose
//! parameters are numbers, slices or text; so `pub fn sort(values: &mut [i32])` can be called as `sort(i32[n], n)`.
//! Functions that have a C interface already are exported as they are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::cache::{About, Cache, read_rule};
use super::rust_items::{Function, functions};
use super::tool::{Tool, run};
use super::{Wanted, here};

pub const HOW_TO_EXPORT: &str = "functions that can be called are those written `pub fn` at the top of the file whose \
     parameters are numbers, slices of numbers, Vec of numbers, &str or String; others need a small function with these, or \
     `#[unsafe(no_mangle)] pub extern \"C\" fn` with pointers";

const LIBRARY: &str = "wasm32-unknown-unknown";
const PROGRAM: &str = "wasm32-wasip1";

/// What both kinds are compiled with. More than line tables would be larger and is not looked at.
pub const CODE_OPTIONS: [&str; 3] = ["opt-level=1", "debuginfo=line-tables-only", "panic=abort"];

pub fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler()?;
    let options = wanted.options()?;
    let here = here()?;
    let functions = functions(&source);
    let program = wanted.function().is_none() && functions.iter().any(|function| function.name == "main");
    let entry = cache.entry(&[
        b"rust",
        source.as_bytes(),
        &wanted.key(&tool, &options)?,
        if program { b"program" } else { b"library" },
    ]);
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    let target = if program { PROGRAM } else { LIBRARY };
    has_target(&tool, target)?;
    tool.announce(wanted.path);
    let work = cache.workplace()?;
    let rule = work.file("rule.d");
    let module = work.file("module.wasm");
    let name = crate_name(&wanted.stem());
    let edition = options.iter().all(|option| !option.starts_with("--edition"));
    let command = |kind: &str, name: &str| {
        let mut command = tool.command();
        if edition {
            command.args(["--edition", "2024"]);
        }
        for option in CODE_OPTIONS {
            command.args(["-C", option]);
        }
        command.args(["--target", target, "--crate-type", kind, "--crate-name", name]);
        command.arg(format!("--remap-path-prefix={}=", here.display()));
        command.arg(format!("--remap-path-prefix={}=pessimum", work.path().display()));
        command
    };
    let mut about = About::default();
    if program {
        let mut command = command("bin", &name);
        command.arg(format!("--emit=dep-info={},link={}", rule.display(), module.display()));
        run(command.args(&options).arg(wanted.path))?;
    } else {
        let library = work.file(&format!("lib{name}.rlib"));
        let mut first = command("rlib", &name);
        first.arg(format!("--emit=dep-info={},link={}", rule.display(), library.display()));
        run(first.args(&options).arg(wanted.path))?;
        let shim = shim(&name, &functions, &mut about);
        let file = work.file("calls.rs");
        std::fs::write(&file, shim).with_context(|| file.display().to_string())?;
        let mut second = command("cdylib", "module");
        second.arg("--extern").arg(format!("{name}={}", library.display())).arg(&file).arg("-o").arg(&module);
        run(&mut second)?;
    }
    let given = PathBuf::from(wanted.path);
    about.inputs = read_rule(&rule)?.into_iter().filter(|path| *path != given).collect();
    entry.keep(std::fs::read(&module).context("rustc wrote no module")?, about)
}

fn compiler() -> Result<Tool> {
    const VERSION: [&str; 1] = ["-vV"];
    match Tool::from_environment("PESSIMUM_RUSTC", &VERSION)? {
        Some(tool) => Ok(tool),
        None => Tool::named("rustc", &[], &VERSION).context(
            "no Rust compiler was found: install it from https://rustup.rs, then `rustup target add \
             wasm32-unknown-unknown wasm32-wasip1`, or name a compiler in PESSIMUM_RUSTC, or build the module yourself \
             and give the .wasm file",
        ),
    }
}

/// Whether the standard library for this target is installed.
pub fn has_target(tool: &Tool, target: &str) -> Result<()> {
    let directory = tool.says(&["--print", "target-libdir", "--target", target]).unwrap_or_default();
    let installed = std::fs::read_dir(&directory).is_ok_and(|mut files| files.next().is_some());
    if !installed {
        bail!("this Rust has no standard library for {target}: `rustup target add {target}`");
    }
    Ok(())
}

/// A crate's name from a file's: other characters become `_`, and names that would hide a library get one more.
fn crate_name(stem: &str) -> String {
    let mut name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        name.insert(0, '_');
    }
    if matches!(name.as_str(), "std" | "core" | "alloc" | "test" | "proc_macro" | "crate" | "self" | "super" | "_") {
        name.push('_');
    }
    name
}

/// The crate that calls the public functions of another one. Fills in what can be called, how, and what cannot.
pub fn shim(name: &str, functions: &[Function], about: &mut About) -> String {
    // Public functions named like a keyword cannot be, so plain names are enough.
    let mut text = format!("#![allow(warnings)]\nextern crate {name} as subject;\n");
    text += "#[link(wasm_import_module = \"pessimum\")] unsafe extern \"C\" { #[link_name = \"assume\"] safe fn assume(condition: i32); }\n";
    // Only valid UTF-8 is of interest: other inputs are no `&str`.
    text += "fn text<'a>(bytes: &'a [u8]) -> &'a str { match core::str::from_utf8(bytes) { Ok(text) => text, \
             Err(_) => { assume(0); unreachable!() } } }\n";
    let mut calls = BTreeMap::new();
    for function in functions {
        if function.exported {
            about.functions.push(function.name.clone());
            continue;
        }
        match wrapper(function).filter(|_| function.public && !function.generic && function.name != "main") {
            Some((code, call)) => {
                text += &code;
                about.functions.push(function.name.clone());
                if let Some(call) = call {
                    calls.insert(function.name.clone(), call);
                }
            }
            None => about.hidden.push(function.name.clone()),
        }
    }
    about.calls = calls;
    text
}

const NUMBERS: [&str; 12] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];

/// The function with a C interface, and how it is called where that is not one argument for each parameter.
fn wrapper(function: &Function) -> Option<(String, Option<String>)> {
    let (mut parameters, mut arguments, mut call) = (String::new(), String::new(), Vec::new());
    let mut plain = true;
    for (i, ty) in function.parameters.iter().enumerate() {
        if let Some(number) = NUMBERS.iter().find(|number| *number == ty) {
            write!(parameters, "a{i}: {number}, ").ok()?;
            write!(arguments, "a{i}, ").ok()?;
            call.push(match *number {
                "isize" | "usize" => "n".to_string(),
                number => number.to_string(),
            });
            continue;
        }
        if ty == "bool" {
            write!(parameters, "a{i}: u32, ").ok()?;
            write!(arguments, "a{i} != 0, ").ok()?;
            call.push("bool".to_string());
            continue;
        }
        let slice = |open: &str, close: &str| {
            let element = ty.strip_prefix(open)?.strip_suffix(close)?;
            NUMBERS.iter().find(|number| **number == element).copied()
        };
        let (element, argument) = if let Some(element) = slice("&[", "]") {
            (element, format!("unsafe {{ core::slice::from_raw_parts(a{i}, l{i}) }}"))
        } else if let Some(element) = slice("&mut[", "]") {
            (element, format!("unsafe {{ core::slice::from_raw_parts_mut(a{i}, l{i}) }}"))
        } else if let Some(element) = slice("Vec<", ">") {
            (element, format!("unsafe {{ core::slice::from_raw_parts(a{i}, l{i}) }}.to_vec()"))
        } else if ty == "&str" || ty == "String" {
            let owned = if ty == "String" { ".to_string()" } else { "" };
            ("u8", format!("text(unsafe {{ core::slice::from_raw_parts(a{i}, l{i}) }}){owned}"))
        } else {
            return None;
        };
        plain = false;
        write!(parameters, "a{i}: *mut {element}, l{i}: usize, ").ok()?;
        write!(arguments, "{argument}, ").ok()?;
        let element = if element == "isize" || element == "usize" { "u32" } else { element };
        call.extend([format!("{element}[n]"), "n".to_string()]);
    }
    let name = &function.name;
    let called = format!("subject::{name}({arguments})");
    let (result, body) = match function.result.as_deref() {
        Some(ty) if NUMBERS.contains(&ty) || ty == "bool" => (format!(" -> {ty}"), called),
        // The result has to be made, though nobody looks at it.
        _ => (String::new(), format!("core::hint::black_box({called});")),
    };
    let code = format!("#[unsafe(no_mangle)] pub unsafe extern \"C\" fn {name}({parameters}){result} {{ {body} }}\n");
    Some((code, (!plain).then(|| format!("{name}({})", call.join(", ")))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_public_functions_get_a_c_interface() {
        let source = "pub fn sort(v: &mut [i32]) {} pub fn find(text: &str, c: u8) -> bool { true }
            fn private() {} pub fn odd(x: Option<i32>) {} pub fn any<T>(x: &[T]) {} #[no_mangle] pub extern \"C\" fn raw() {}";
        let mut about = About::default();
        let text = shim("x", &functions(source), &mut about);
        assert_eq!(about.functions, ["sort", "find", "raw"]);
        assert_eq!(about.hidden, ["private", "odd", "any"]);
        assert_eq!(about.calls["sort"], "sort(i32[n], n)");
        assert_eq!(about.calls["find"], "find(u8[n], n, u8)");
        assert!(text.contains("fn sort(a0: *mut i32, l0: usize, )"), "{text}");
    }

    #[test]
    fn crate_names_are_identifiers() {
        assert_eq!(["a-b", "2x", "std", ""].map(crate_name), ["a_b", "_2x", "std_", "__"]);
    }
}
