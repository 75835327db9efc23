//! Rust files, compiled with rustc: a file with `main` becomes a WASI command, any other a library.
//!
//! A library is compiled as it is, and a second, small crate with a C interface calls its public functions whose
//! parameters are numbers, slices or text; so `pub fn sort(values: &mut [i32])` can be called as `sort(i32[n], n)`.
//! Functions that have a C interface already are exported as they are.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use super::cache::{About, Cache, Hidden};
use super::inputs::{Input, Rule};
use super::rust_items::{Access, Function, Passed, functions, has_main};
use super::tool::{Tool, run};
use super::{Wanted, here};

pub const HOW_TO_EXPORT: &str = "a function can be called if it is a top-level `pub fn` whose parameters are numbers, \
     slices of numbers, Vec of numbers, &str or String; others need a small function with such parameters, or \
     `#[unsafe(no_mangle)] pub extern \"C\" fn` with pointers";

const LIBRARY: &str = "wasm32-unknown-unknown";
const PROGRAM: &str = "wasm32-wasip1";

/// What both kinds are compiled with. More debug information than line tables would be larger and is never read.
pub const CODE_OPTIONS: [&str; 3] = ["opt-level=1", "debuginfo=line-tables-only", "panic=abort"];

pub fn build(wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = wanted.text()?;
    let tool = compiler()?;
    let options = wanted.options()?;
    let here = here()?;
    let functions = functions(&source)?;
    let program = wanted.function().is_none() && has_main(&functions);
    let kind: &[u8] = if program { b"program" } else { b"library" };
    let key = wanted.key(&tool, &options)?;
    let parts: [&[u8]; 4] = [b"rust", source.as_bytes(), &key, kind];
    let entry = cache.entry(&parts, wanted.inputs(&options));
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    let target = if program { PROGRAM } else { LIBRARY };
    has_target(&tool, target)?;
    tool.announce(wanted.path);
    let (work, started) = (cache.workplace()?, SystemTime::now());
    let rule = work.file("rule.d");
    let module = work.file("module.wasm");
    let given = wanted.source();
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
    // Without --out-dir, object files go to the current directory for a moment, where another compilation of a file of
    // this name would find them.
    if program {
        let mut command = command("bin", &name);
        command.arg("--out-dir").arg(work.path());
        command.arg(format!("--emit=dep-info={},link={}", rule.display(), module.display()));
        run(command.args(&options).arg(&given))?;
    } else {
        let library = work.file(&format!("lib{name}.rlib"));
        let mut first = command("rlib", &name);
        first.arg("--out-dir").arg(work.path());
        first.arg(format!("--emit=dep-info={},link={}", rule.display(), library.display()));
        run(first.args(&options).arg(&given))?;
        let shim = shim(&name, &functions, &mut about);
        let file = work.file("calls.rs");
        std::fs::write(&file, shim).with_context(|| file.display().to_string())?;
        let mut second = command("cdylib", "module");
        second.args(searched(&options));
        second.arg("--extern").arg(format!("{name}={}", library.display())).arg(&file).arg("-o").arg(&module);
        run(&mut second)?;
    }
    let bytes = std::fs::read(&module).context("rustc wrote no module")?;
    Ok(entry.keep(bytes, about, read(&Rule::read(&rule)?, &given), started))
}

/// The options that say where libraries are: whoever links a library needs those that it uses.
fn searched(options: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (i, option) in options.iter().enumerate() {
        let library = |text: &str| Some(Path::new(text.split_once('=')?.1).parent()?.display().to_string());
        match option.as_str() {
            "-L" => found.extend(options.get(i + 1).map(|directory| format!("-L{directory}"))),
            "--extern" => {
                let directory = options.get(i + 1).and_then(|text| library(text));
                found.extend(directory.map(|directory| format!("-Ldependency={directory}")));
            }
            _ if option.starts_with("-L") => found.push(option.clone()),
            _ => {
                let directory = option.strip_prefix("--extern=").and_then(library);
                found.extend(directory.map(|directory| format!("-Ldependency={directory}")));
            }
        }
    }
    // A library in the current directory has no parent in its path.
    found.into_iter().map(|option| if option.ends_with('=') { option + "." } else { option }).collect()
}

/// What the compiler read according to its rule, and where else it would look for a module: two files for one module
/// are an error.
fn read(rule: &Rule, source: &Path) -> BTreeSet<Input> {
    let mut inputs: BTreeSet<Input> = rule.variables.iter().cloned().map(Input::Variable).collect();
    for file in &rule.files {
        inputs.insert(Input::File(file.clone()));
        if file.extension().is_some_and(|ending| ending == "rs") && file != source {
            inputs.insert(Input::File(match file.file_name().is_some_and(|name| name == "mod.rs") {
                true => file.parent().unwrap_or(Path::new("")).with_extension("rs"),
                false => file.with_extension("").join("mod.rs"),
            }));
        }
    }
    inputs
}

/// The compiler. It is known by where its parts are, since a name in PATH is mostly that of rustup, and since compilers
/// that people built themselves all have the same version.
fn compiler() -> Result<Tool> {
    const SYSROOT: [&str; 2] = ["--print", "sysroot"];
    let mut tool = match Tool::from_environment("PESSIMUM_RUSTC", &SYSROOT)? {
        Some(tool) => tool,
        None => Tool::named("rustc", &[], &SYSROOT).context(
            "no Rust compiler was found: install it from https://rustup.rs, then `rustup target add \
             wasm32-unknown-unknown wasm32-wasip1`, or name a compiler in PESSIMUM_RUSTC, or build the module yourself \
             and give the .wasm file",
        )?,
    };
    let sysroot = Path::new(&tool.version);
    let libraries = [LIBRARY, PROGRAM].map(|target| sysroot.join("lib/rustlib").join(target).join("lib"));
    let libraries: Vec<Input> = [sysroot.join("lib")].into_iter().chain(libraries).map(Input::Libraries).collect();
    tool.parts.extend(libraries);
    Ok(tool)
}

/// Whether the standard library for this target is installed.
pub fn has_target(tool: &Tool, target: &str) -> Result<()> {
    let directory = tool.says(&["--print", "target-libdir", "--target", target]).unwrap_or_default();
    let installed = std::fs::read_dir(&directory).is_ok_and(|mut files| files.next().is_some());
    if !installed {
        bail!("this Rust has no standard library for {target}; install it with `rustup target add {target}`");
    }
    Ok(())
}

/// A crate's name, from a file's. Characters that it cannot have become `_`, and a name that would hide a library gets
/// one more.
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

/// What the functions with a C interface share. It has a module of its own, and they are named by numbers, so that no
/// name in the user's crate can clash with one of ours.
const SHIM_HEAD: &str = r#"#![allow(warnings)]
extern crate CRATE as subject;

mod pessimum {
    #[link(wasm_import_module = "pessimum")]
    unsafe extern "C" {
        #[link_name = "assume"]
        safe fn assume(condition: i32);
    }

    /// Only valid UTF-8 is of interest: other bytes are no `&str`.
    pub fn text(bytes: &[u8]) -> &str {
        match ::core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => {
                assume(0);
                ::core::unreachable!()
            }
        }
    }
}

"#;

/// The crate that calls the public functions of another one. Fills in what can be called, how, and what cannot.
pub fn shim(name: &str, functions: &[Function], about: &mut About) -> String {
    let mut text = SHIM_HEAD.replace("CRATE", name);
    for function in functions {
        match &function.access {
            Access::Exported(name) => about.functions.push(name.clone()),
            Access::Hidden(why) => about.hidden.push(Hidden { name: function.path.clone(), why: why.clone() }),
            Access::Public { parameters, result } => {
                let name = function.path.trim_start_matches("r#").to_string();
                if about.functions.contains(&name) {
                    // It is written several times, for different targets or features.
                    continue;
                }
                let wrapper = wrapper(&name, &function.path, about.functions.len(), parameters, *result);
                text += &wrapper.code;
                about.calls.insert(name.clone(), wrapper.call);
                about.functions.push(name);
            }
        }
    }
    text
}

struct Wrapper {
    code: String,
    call: String,
}

/// A function with a C interface that calls a function of the user's crate.
fn wrapper(name: &str, path: &str, number: usize, parameters: &[Passed], result: Option<Passed>) -> Wrapper {
    let (mut declared, mut arguments, mut call) = (String::new(), String::new(), Vec::new());
    let plain = parameters.iter().all(|parameter| matches!(parameter, Passed::Number(_) | Passed::Bool));
    for (i, parameter) in parameters.iter().enumerate() {
        let slice = format!("unsafe {{ ::core::slice::from_raw_parts(a{i}, l{i}) }}");
        let (element, argument) = match *parameter {
            Passed::Number(number) => {
                let _ = write!(declared, "a{i}: {number}, ");
                let _ = write!(arguments, "a{i}, ");
                // A size is that of the arrays, if there are any; otherwise it is input.
                let is_size = matches!(number, "isize" | "usize");
                call.push(
                    if !is_size {
                        number
                    } else if plain {
                        "u32"
                    } else {
                        "n"
                    }
                    .to_string(),
                );
                continue;
            }
            Passed::Bool => {
                let _ = write!(declared, "a{i}: u32, ");
                let _ = write!(arguments, "a{i} != 0, ");
                call.push("bool".to_string());
                continue;
            }
            Passed::Slice(element) => (element, slice),
            Passed::MutableSlice(element) => {
                (element, format!("unsafe {{ ::core::slice::from_raw_parts_mut(a{i}, l{i}) }}"))
            }
            Passed::Vector(element) => (element, format!("{slice}.to_vec()")),
            Passed::Str => ("u8", format!("pessimum::text({slice})")),
            Passed::String => ("u8", format!("pessimum::text({slice}).to_string()")),
        };
        let _ = write!(declared, "a{i}: *mut {element}, l{i}: usize, ");
        let _ = write!(arguments, "{argument}, ");
        let element = if matches!(element, "isize" | "usize") { "u32" } else { element };
        call.extend([format!("{element}[n]"), "n".to_string()]);
    }
    let called = format!("::subject::{path}({arguments})");
    let (result, body) = match result {
        Some(Passed::Number(ty)) => (format!(" -> {ty}"), called),
        Some(Passed::Bool) => (" -> bool".to_string(), called),
        // The result has to be computed, although nothing reads it.
        _ => (String::new(), format!("::core::hint::black_box({called});")),
    };
    let code = format!(
        "#[unsafe(export_name = {name:?})]\npub unsafe extern \"C\" fn call_{number}({declared}){result} {{ {body} }}\n"
    );
    Wrapper { code, call: format!("{name}({})", call.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_public_functions_get_a_c_interface() {
        let source = "pub fn sort(v: &mut [i32]) {} pub fn find(text: &str, c: u8) -> bool { true }
            fn private() {} pub fn odd(x: Option<i32>) {} pub fn any<T>(x: &[T]) {} #[no_mangle] pub extern \"C\" fn raw() {}
            #[cfg(a)] pub fn either(x: i32) {} #[cfg(not(a))] pub fn either(x: i32) {} pub fn r#match(x: i32) {}";
        let mut about = About::default();
        let text = shim("x", &functions(source).unwrap(), &mut about);
        assert_eq!(about.functions, ["sort", "find", "raw", "either", "match"]);
        let hidden: Vec<&str> = about.hidden.iter().map(|hidden| hidden.name.as_str()).collect();
        assert_eq!(hidden, ["private", "odd", "any"]);
        assert_eq!(about.calls["sort"], "sort(i32[n], n)");
        assert_eq!(about.calls["find"], "find(u8[n], n, u8)");
        assert!(text.contains("fn call_0(a0: *mut i32, l0: usize, )"), "{text}");
        assert!(text.contains("::subject::r#match("), "{text}");
    }

    #[test]
    fn crate_names_are_identifiers() {
        assert_eq!(["a-b", "2x", "std", ""].map(crate_name), ["a_b", "_2x", "std_", "__"]);
    }
}
