//! Compilers: for this machine and for WebAssembly.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::call::{INPUTS, Parameter};
use super::{Function, Outcome};

/// The compilers that were found. The native one for C is another than the one for WebAssembly where the machine has
/// two.
pub struct Tools {
    native: PathBuf,
    clang: PathBuf,
    work: tempfile::TempDir,
}

/// Shared by native programs and modules, so that both panic at the same places.
const RUST: [&str; 7] = ["--edition", "2024", "-A", "warnings", "-C", "overflow-checks=yes", "-Cdebug-assertions=no"];

impl Tools {
    /// Looks for them; the error says which one is missing.
    pub fn find() -> Result<Tools, String> {
        let says = |program: &str, option: &str| {
            let output = Command::new(program).arg(option).stdin(Stdio::null()).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let clang = pessimum_testkit::tools::clang();
        let clang = clang.ok_or("no clang for WebAssembly was found: .ci/run tools installs it")?;
        let native = ["cc", "gcc", clang.as_str()].into_iter().find(|name| says(name, "--version").is_some());
        let native = native.ok_or("no C compiler for this machine was found")?;
        let target =
            says("rustc", "--print=target-list").is_some_and(|targets| targets.contains("wasm32-unknown-unknown"));
        if !target {
            return Err("no rustc was found".to_string());
        }
        let work = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Tools { native: native.into(), clang: clang.into(), work })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    /// What the function gives for every input, by running it natively.
    pub fn native(&self, function: &Function) -> Result<Vec<Outcome>, String> {
        let program = self.file(&format!("{}.native", function.name()));
        if function.is_rust() {
            let source = self.write(function, "main.rs", &rust_program(function))?;
            run(Command::new("rustc").args(RUST).args(["-C", "opt-level=1"]).arg(source).arg("-o").arg(&program))?;
        } else {
            let source = self.write(function, "main.c", &c_program(function))?;
            let mut command = Command::new(&self.native);
            // A function whose behaviour is undefined proves nothing: it ends here.
            command.args(["-O1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]);
            run(command.arg(source).arg("-o").arg(&program))?;
        }
        let printed = run(&mut Command::new(program))?;
        let (records, rest) = printed.as_chunks::<9>();
        if records.len() as u64 != INPUTS || !rest.is_empty() {
            return Err(format!("{}: the native program printed {} bytes", function.name(), printed.len()));
        }
        let record = |[panicked, bits @ ..]: &[u8; 9]| match panicked {
            0 => Outcome::Returned(u64::from_le_bytes(*bits)),
            _ => Outcome::Panicked,
        };
        Ok(records.iter().map(record).collect())
    }

    /// The module of the function at this level.
    pub fn module(&self, function: &Function, level: &str) -> Result<Vec<u8>, String> {
        let module = self.file(&format!("{}.{level}.wasm", function.name()));
        if function.is_rust() {
            let source = self.write(function, "lib.rs", &rust_library(function))?;
            let mut command = Command::new("rustc");
            command.args(RUST).args(["-C", &format!("opt-level={level}"), "-C", "panic=abort"]);
            command.args(["--target", "wasm32-unknown-unknown", "--crate-type", "cdylib"]);
            run(command.arg(source).arg("-o").arg(&module))?;
        } else {
            let mut command = Command::new(&self.clang);
            command.args(["--target=wasm32-wasi", "-mexec-model=reactor", "-g", &format!("-O{level}")]);
            command.arg(format!("-Wl,--export={}", function.call.name)).arg("-Wl,--export-if-defined=malloc");
            run(command.arg(&function.path).arg("-o").arg(&module))?;
        }
        std::fs::read(&module).map_err(|error| error.to_string())
    }

    fn write(&self, function: &Function, ending: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.file(&format!("{}_{ending}", function.name().replace('.', "_")));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}

/// Runs a program and returns what it prints.
fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

/// A path as a literal of C and Rust.
fn quoted(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}

/// Replaces words in capitals.
fn filled(template: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(template.to_string(), |text, (word, value)| text.replace(word, value))
}

/// Writes one record for each input: whether it panicked, and the bits of the result.
const C_PROGRAM: &str = r"#include SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rest;

static int64_t next(int64_t low, uint32_t count) {
    int64_t value = low + rest % count;
    rest /= count;
    return value;
}

int main(void) {
    for (uint32_t number = 0; number < INPUTS; number++) {
        rest = number;
BODY
        RESULT value = CALL;
        BITS bits;
        memcpy(&bits, &value, sizeof bits);
        putchar(0);
        for (int shift = 0; shift < 64; shift += 8) putchar((int)((uint64_t)bits >> shift & 255));
    }
    return 0;
}
";

fn c_program(function: &Function) -> String {
    let call = &function.call;
    let (mut body, mut arguments) = (String::new(), Vec::new());
    for (i, parameter) in call.parameters.iter().enumerate() {
        let (Parameter::Number(numbers) | Parameter::Buffer(numbers, _)) = parameter;
        let ty = numbers.c_type();
        let next = format!("({ty})next({}, {})", numbers.low, numbers.count);
        match parameter {
            Parameter::Number(_) => {
                let _ = writeln!(body, "{ty} a{i} = {next};");
                arguments.push(format!("a{i}"));
            }
            Parameter::Buffer(_, length) => {
                let _ = writeln!(body, "{ty} a{i}[{length}];\nfor (int k = 0; k < {length}; k++) a{i}[k] = {next};");
                arguments.extend([format!("a{i}"), length.to_string()]);
            }
        }
    }
    let (result, bits) = match call.result.as_str() {
        "i32" | "u32" => ("uint32_t", "uint32_t"),
        "i64" => ("uint64_t", "uint64_t"),
        "f32" => ("float", "uint32_t"),
        _ => ("double", "uint64_t"),
    };
    let call = format!("{}({})", call.name, arguments.join(", "));
    let (source, inputs) = (quoted(&function.path), INPUTS.to_string());
    let words = [("INPUTS", &inputs[..]), ("BODY", &body), ("RESULT", result), ("BITS", bits), ("CALL", &call)];
    filled(&filled(C_PROGRAM, &words), &[("SOURCE", &source)])
}

/// The same in Rust.
const RUST_PROGRAM: &str = r"#[path = SOURCE]
mod subject;
use std::io::Write;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = Vec::new();
    for number in 0..INPUTSu64 {
        let mut rest = number;
        let mut next = |low: i64, count: u64| {
            let value = low + (rest % count) as i64;
            rest /= count;
            value
        };
BODY
        let result = std::panic::catch_unwind(move || {
            let value: RESULT = CALL;
            BITS as u64
        });
        out.push(result.is_err() as u8);
        out.extend(result.unwrap_or(0).to_le_bytes());
    }
    std::io::stdout().write_all(&out).unwrap();
}
";

fn rust_program(function: &Function) -> String {
    let call = &function.call;
    let (mut body, mut arguments) = (String::new(), Vec::new());
    for (i, parameter) in call.parameters.iter().enumerate() {
        let (Parameter::Number(numbers) | Parameter::Buffer(numbers, _)) = parameter;
        let next = format!("next({}, {}) as {}", numbers.low, numbers.count, numbers.ty);
        match parameter {
            Parameter::Number(_) => {
                let _ = writeln!(body, "let a{i} = {next};");
                arguments.push(format!("a{i}"));
            }
            Parameter::Buffer(numbers, length) => {
                let _ = writeln!(body, "let mut a{i} = [0 as {}; {length}];", numbers.ty);
                let _ = writeln!(body, "for place in &mut a{i} {{ *place = {next}; }}");
                arguments.push(format!("&mut a{i}"));
            }
        }
    }
    let bits = match call.result.as_str() {
        "f32" | "f64" => "value.to_bits()",
        "i32" | "u32" => "value as u32",
        _ => "value",
    };
    let result = call.result.clone();
    let call = format!("subject::{}({})", call.name, arguments.join(", "));
    let (source, inputs) = (quoted(&function.path), INPUTS.to_string());
    let words = [("INPUTS", &inputs[..]), ("BODY", &body), ("RESULT", &result), ("BITS", bits), ("CALL", &call)];
    filled(&filled(RUST_PROGRAM, &words), &[("SOURCE", &source)])
}

/// The same function with a C interface.
fn rust_library(function: &Function) -> String {
    let call = &function.call;
    let (mut declared, mut arguments) = (Vec::new(), Vec::new());
    for (i, parameter) in call.parameters.iter().enumerate() {
        match parameter {
            Parameter::Number(numbers) => {
                declared.push(format!("a{i}: {}", numbers.ty));
                arguments.push(format!("a{i}"));
            }
            Parameter::Buffer(numbers, _) => {
                declared.push(format!("a{i}: *mut {}, l{i}: usize", numbers.ty));
                arguments.push(format!("unsafe {{ std::slice::from_raw_parts_mut(a{i}, l{i}) }}"));
            }
        }
    }
    format!(
        "#[path = {}]\nmod subject;\n#[unsafe(export_name = {:?})]\npub extern \"C\" fn call({}) -> {} {{ \
         subject::{}({}) }}\n",
        quoted(&function.path),
        call.name,
        declared.join(", "),
        call.result,
        call.name,
        arguments.join(", "),
    )
}
