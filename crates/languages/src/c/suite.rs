//! Tests in C: functions with assertions, in a file that includes the source.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Error, Result};
use pessimum_files::write_atomically;
use pessimum_input::{Argument, DeclaredResult, Kind};

use crate::cache::Cache;
use crate::calling::{CCall, CPassed, Declared, How};
use crate::suite::{Case, DIFFERS, Emitted, NOT_COMPILED, NOT_WRITTEN, Step, Suite, all_steps, patiently};
use crate::toolchain::tool::{Tool, attempt, failed};
use crate::toolchain::workplace::Workplace;
use crate::values::{Scalar, numbers};
use crate::wanted::{Wanted, here};

/// Writes tests of these functions, in a file that includes the source.
pub fn write(functions: &[Declared], wanted: &Wanted<'_>, cases: &[Case]) -> Result<Emitted> {
    let found = Tool::named("cc", &[], &["--version"]);
    let tool = found.context("tests in C are compiled with `cc`, which was not found")?;
    let compiler = Compiler { tool, options: wanted.options()?, work: Cache::open()?.workplace()? };
    let mut suite = CSuite { compiler, suite: Suite::new(cases, true, "c") };
    suite.tests(&all_steps(functions, cases), wanted.path)?;
    Ok(suite.suite.finish())
}

/// The compiler of this machine, for programs that it can run.
struct Compiler {
    tool: Tool,
    options: Vec<String>,
    work: Workplace,
}

impl Compiler {
    /// Compiles a program. What the compiler says of one that it does not accept is a value.
    fn compile(&self, text: &str) -> Result<std::result::Result<PathBuf, Error>> {
        let (source, program) = (self.work.file("suite.c"), self.work.file("suite.program"));
        write_atomically(&source, text.as_bytes())?;
        let mut command = self.tool.command();
        // The source is included from the current directory.
        command.args(["-w", "-O1", "-g"]).arg(format!("-I{}", here()?.display())).args(&self.options).arg(&source);
        command.arg("-o").arg(&program).arg("-lm");
        let output = attempt(&mut command)?;
        if output.status.success() {
            return Ok(Ok(program));
        }
        Ok(Err(failed(&command, &output, &String::from_utf8_lossy(&output.stderr))))
    }
}

struct CSuite<'a> {
    compiler: Compiler,
    suite: Suite<'a>,
}

/// A function of the file.
struct Function {
    number: usize,
    body: String,
    panics: bool,
}

impl CSuite<'_> {
    /// Writes tests in C. Each runs in a process of its own before it is handed out, since one that crashes ends them all.
    fn tests(&mut self, all: &[Option<Vec<Step<'_>>>], source: &Path) -> Result<()> {
        let text = String::from_utf8_lossy(&std::fs::read(source)?).into_owned();
        let mut functions = Vec::new();
        for (number, panics) in self.suite.ending(all) {
            let steps = all[number].as_deref().unwrap_or_default();
            match body(&self.suite.cases[number], steps, panics, &text) {
                Some(body) => functions.push(Function { number, body, panics }),
                None => self.suite.leave_out(number, NOT_WRITTEN),
            }
        }
        // A function that the compiler does not accept is found by leaving out all others.
        let mut kept = Vec::new();
        match self.compiler.compile(&self.file(&functions, source))? {
            Ok(_) => kept = functions,
            Err(_) => {
                for function in functions {
                    let one = self.file(std::slice::from_ref(&function), source);
                    match self.compiler.compile(&one)? {
                        Ok(_) => kept.push(function),
                        Err(_) => self.suite.leave_out(function.number, NOT_COMPILED),
                    }
                }
            }
        }
        if kept.is_empty() {
            return Ok(());
        }
        let program = self.compiler.compile(&self.file(&kept, source))??;
        let mut passed = Vec::new();
        for function in kept {
            let mut command = Command::new(&program);
            let ran = patiently(command.arg(&self.suite.names[function.number]).current_dir(here()?))?;
            // A crash in WebAssembly is one here if a signal ends the program.
            match (function.panics, ran.code) {
                (false, Some(0)) => passed.push(function),
                (true, None) if !ran.was_stopped => passed.push(function),
                _ => self.suite.leave_out(function.number, DIFFERS),
            }
        }
        if !passed.is_empty() {
            self.suite.emitted.text = self.file(&passed, source);
            self.suite.emitted.tests =
                passed.iter().map(|function| (function.number, self.suite.names[function.number].clone())).collect();
        }
        Ok(())
    }

    /// The file with these functions.
    fn file(&self, functions: &[Function], source: &Path) -> String {
        let shown = source.display();
        let mut text = format!(
            "/* Written by Pessimum: tests of {shown}. They expect what it does now, whether that is right or not.\n *\n \
             *     cc -I. THIS_FILE -lm -o tests && ./tests\n *\n * in the directory that the path is relative to; `./tests NAME` \
             runs one of them. Those that crash run only then. */\n#undef NDEBUG\n#include <assert.h>\n#include <math.h>\n#include <stdbool.h>\n#include \
             <stdio.h>\n#include <string.h>\n\n#define main main_of_the_source\n#include \"{shown}\"\n#undef main\n"
        );
        for function in functions {
            let remarks: String = self.suite.cases[function.number]
                .remarks
                .iter()
                .map(|line| format!("/* {} */\n", line.replace("*/", "* /")))
                .collect();
            let _ = write!(
                text,
                "\n{remarks}static void {}(void) {{\n{}}}\n",
                self.suite.names[function.number], function.body
            );
        }
        text += "\nint main(int count, char **words) {\n    const struct {\n        const char *name;\n        void \
                 (*run)(void);\n        bool crashes;\n    } tests[] = {\n";
        for function in functions {
            let (name, crashes) = (&self.suite.names[function.number], function.panics);
            let _ = writeln!(text, "        {{\"{name}\", {name}, {crashes}}},");
        }
        text += "    };\n    size_t number = sizeof tests / sizeof *tests;\n    for (size_t i = 0; i < number; i++)\n        \
                 if (count < 2 ? !tests[i].crashes : !strcmp(words[1], tests[i].name)) tests[i].run();\n    return 0;\n}\n";
        text
    }
}

/// The statements of a test; `None` where one of its calls cannot be written.
fn body(case: &Case, steps: &[Step<'_>], panics: bool, source: &str) -> Option<String> {
    let mut text = String::new();
    let mut variables: Vec<Option<String>> = Vec::new();
    let used = |call: usize| steps.iter().any(|step| step.call.handles.contains(&call));
    let mut arrays = 0;
    for (at, step) in steps.iter().enumerate() {
        let How::C(how) = step.how else { return None };
        let how: &CCall = how;
        let (mut handles, mut arguments) = (step.call.handles.iter(), step.call.arguments.iter());
        let mut passed = Vec::new();
        for parameter in &how.passed {
            passed.push(match parameter {
                CPassed::Handle => variables.get(*handles.next()?)?.clone()?,
                CPassed::Number(_) => number(*numbers(arguments.next()?, &case.input)?.first()?),
                CPassed::Text => {
                    let bytes = numbers(arguments.next()?, &case.input)?;
                    literal(&bytes)
                }
                CPassed::Given => match arguments.next()? {
                    Argument::Function(name) => name.to_string(),
                    other => number(*numbers(other, &case.input)?.first()?),
                },
                CPassed::Array(ty) => {
                    let elements = numbers(arguments.next()?, &case.input)?;
                    let name = format!("values{}", if arrays > 0 { (arrays + 1).to_string() } else { String::new() });
                    arrays += 1;
                    let list: Vec<String> = elements.iter().map(|element| number(*element)).collect();
                    let list = if list.is_empty() { "0".to_string() } else { list.join(", ") };
                    let _ = writeln!(text, "    {}[] = {{{list}}};", declared(ty, &name, source));
                    name
                }
            });
        }
        let call = format!("{}({})", how.function, passed.join(", "));
        let is_last = panics && at + 1 == steps.len();
        let mut variable = None;
        match (&how.variable, step.returned) {
            _ if is_last => text += &format!("    {call};\n"),
            (Some(name), returned) => {
                if used(at) {
                    let is_same = |known: &&String| known.trim_end_matches(char::is_numeric) == name;
                    let earlier = variables.iter().flatten().filter(is_same).count();
                    // A variable that is named like its type would hide it from the next one.
                    let name = match earlier {
                        0 if how.result.trim_end_matches(['*', ' ']) != name => name.clone(),
                        earlier => format!("{name}{}", earlier + 1),
                    };
                    let _ = writeln!(text, "    {} = {call};", declared(&how.result, &name, source));
                    let _ = writeln!(text, "    assert({}{name});", if returned == Some(0) { "!" } else { "" });
                    variable = Some(name);
                } else {
                    let _ = writeln!(text, "    assert({}{call});", if returned == Some(0) { "!" } else { "" });
                }
            }
            (None, Some(bits)) => match expected(step, bits) {
                Some(Scalar::Single(bits)) if f32::from_bits(bits).is_nan() => {
                    let _ = writeln!(text, "    assert(isnan({call}));");
                }
                Some(Scalar::Double(bits)) if f64::from_bits(bits).is_nan() => {
                    let _ = writeln!(text, "    assert(isnan({call}));");
                }
                Some(value) if matches!(step.call.result, Some(DeclaredResult::Number(Kind::Bool))) => {
                    let not = if value == Scalar::Whole(0) { "!" } else { "" };
                    let _ = writeln!(text, "    assert({not}{call});");
                }
                Some(value) => {
                    let _ = writeln!(text, "    assert({call} == {});", number(value));
                }
                None => text += &format!("    {call};\n"),
            },
            (None, None) => text += &format!("    {call};\n"),
        }
        variables.push(variable);
    }
    Some(text)
}

/// The number that a call returned; none for what means nothing to a reader.
fn expected(step: &Step<'_>, bits: u64) -> Option<Scalar> {
    match step.call.result {
        Some(DeclaredResult::Number(Kind::Bool)) => Some(Scalar::Whole(i128::from(bits & 1))),
        Some(DeclaredResult::Number(kind)) => Some(Scalar::new(kind, bits)),
        _ => None,
    }
}

/// The declaration of a variable.
fn declared(ty: &str, name: &str, source: &str) -> String {
    let ty = type_text(ty, source);
    let gap = if ty.ends_with('*') { "" } else { " " };
    format!("{ty}{gap}{name}")
}

/// A type as C writes it: whether a name is that of a structure is in the source.
fn type_text(ty: &str, source: &str) -> String {
    let (is_const, bare) = ty.strip_prefix("const ").map_or(("", ty), |bare| ("const ", bare));
    let name = bare.trim_end_matches(['*', ' ']);
    for keyword in ["struct", "union", "enum"] {
        let written = format!("{keyword} {name}");
        let is_tag = source
            .match_indices(&written)
            .any(|(at, _)| !source[at + written.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if is_tag {
            return format!("{is_const}{keyword} {bare}");
        }
    }
    ty.to_string()
}

/// A number as C writes it.
fn number(scalar: Scalar) -> String {
    let special = |is_nan: bool, is_infinite: bool, is_negative: bool| match (is_nan, is_infinite, is_negative) {
        (true, ..) => Some("NAN"),
        (_, true, false) => Some("INFINITY"),
        (_, true, true) => Some("-INFINITY"),
        _ => None,
    };
    match scalar {
        Scalar::Single(bits) => {
            let value = f32::from_bits(bits);
            special(value.is_nan(), value.is_infinite(), value < 0.0)
                .map_or_else(|| format!("{value:?}f"), str::to_string)
        }
        Scalar::Double(bits) => {
            let value = f64::from_bits(bits);
            special(value.is_nan(), value.is_infinite(), value < 0.0)
                .map_or_else(|| format!("{value:?}"), str::to_string)
        }
        // The least numbers have no literal of their own.
        Scalar::Whole(value) if value == i128::from(i32::MIN) => "(-2147483647 - 1)".to_string(),
        Scalar::Whole(value) if value == i128::from(i64::MIN) => "(-9223372036854775807LL - 1)".to_string(),
        Scalar::Whole(value) if value > i128::from(i64::MAX) => format!("{value}ULL"),
        Scalar::Whole(value) if value > i128::from(u32::MAX) || value < i128::from(i32::MIN) => format!("{value}LL"),
        Scalar::Whole(value) if value > i128::from(i32::MAX) => format!("{value}U"),
        Scalar::Whole(value) => value.to_string(),
    }
}

/// A text in quotes. Octal digits cannot run into the next character, unlike hexadecimal ones.
fn literal(bytes: &[Scalar]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        let Scalar::Whole(byte) = byte else { continue };
        match *byte as u8 {
            b'"' => text += "\\\"",
            b'\\' => text += "\\\\",
            b'\n' => text += "\\n",
            // Two of them would begin a trigraph.
            b'?' => text += "\\?",
            byte @ b' '..=b'~' => text.push(byte as char),
            byte => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_texts_and_types_are_those_of_c() {
        assert_eq!(number(Scalar::Whole(-2147483648)), "(-2147483647 - 1)");
        assert_eq!(number(Scalar::Whole(4294967295)), "4294967295U");
        assert_eq!(number(Scalar::Whole(1 << 40)), "1099511627776LL");
        assert_eq!(number(Scalar::Single(0.5f32.to_bits())), "0.5f");
        assert_eq!(number(Scalar::Double(f64::INFINITY.to_bits())), "INFINITY");
        let bytes: Vec<Scalar> = b"a\"\\?\x011\xff".iter().map(|byte| Scalar::Whole(i128::from(*byte))).collect();
        assert_eq!(literal(&bytes), "\"a\\\"\\\\\\?\\0011\\377\"");
        assert_eq!(type_text("list *", "struct list { int x; };"), "struct list *");
        assert_eq!(type_text("const list *", "typedef struct { int x; } list; struct lists;"), "const list *");
    }
}
