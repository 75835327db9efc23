//! A test in C: one file, C99 and POSIX.

use std::fmt::Write as _;

use super::{Case, NativeCall, NativeValue, RegressionTest};
use pessimum_report::text::command_line;

/// A literal on one line holds at most this many characters.
const LINE: usize = 96;

/// The file's text. With calls (one per case) the user's functions are called natively and the program's own cost is
/// added up; otherwise the command `pessimum` counts.
pub fn c(test: &RegressionTest, calls: Option<&[NativeCall]>) -> String {
    match calls {
        Some(calls) => native(test, calls),
        None => by_command(test),
    }
}

fn head(test: &RegressionTest, how: &str) -> String {
    let title = test.title();
    format!(
        "/* Written by Pessimum: the worst known inputs of `{title}`\n * must not cost more than they did.\n *\n\
         {how} */\n"
    )
}

fn by_command(test: &RegressionTest) -> String {
    let how = format!(
        " *     cc worst_test.c -o worst_test && ./worst_test\n *\n * It needs the command `pessimum`, in PATH or named in \
         the environment variable PESSIMUM, and must be run in the directory\n * that the path {} is relative to.\n",
        test.module()
    );
    let mut text = head(test, &how);
    text += "#define _POSIX_C_SOURCE 200809L\n#include <stdio.h>\n#include <sys/wait.h>\n";
    for (i, case) in test.cases.iter().enumerate() {
        let _ = write!(text, "\n{}static const char *const input_{i}[] = {{\n", comment(case));
        for line in lines(&case.input.to_string()) {
            let _ = writeln!(text, "    {},", literal(&line));
        }
        text += "    0,\n};\n";
    }
    text += &check("the cost is above the limit");
    for (i, case) in test.cases.iter().enumerate() {
        let mut words = test.arguments.clone();
        words.extend(case.size.map(|size| format!("--size={size}")));
        words.extend(["--input", "-", "--cost", &test.model].map(str::to_string));
        words.push(format!("--fail-above={}", case.cost));
        let command = format!("\"${{PESSIMUM:-pessimum}}\" run {}", command_line(&words));
        let _ = writeln!(
            text,
            "    failed |= check({},\n        {},\n        input_{i});",
            literal(&name(test, case)),
            literal(&command)
        );
    }
    text + "    return failed;\n}\n"
}

/// The function that runs a command with an input, and the beginning of `main`. `failure` says when the command's exit code is 3.
pub(super) fn check(failure: &str) -> String {
    format!("\n/* Runs the command with the input on its standard input. Its exit code is 3 if {failure}. */\n{CHECK}")
}

const CHECK: &str = "\
static int check(const char *name, const char *command, const char *const *input)
{
    FILE *pipe = popen(command, \"w\");
    if (!pipe) {
        perror(command);
        return 1;
    }
    while (*input)
        fputs(*input++, pipe);
    int status = pclose(pipe);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        fprintf(stderr, \"FAILED: %s\\n\", name);
    else
        fprintf(stderr, \"could not be tested: %s\\ncommand: %s\\n\", name, command);
    return 1;
}

int main(void)
{
    int failed = 0;
";

fn native(test: &RegressionTest, calls: &[NativeCall]) -> String {
    let function = calls.first().map_or("", |call| &call.function);
    let how = format!(
        " *     cc worst_test.c FILES -o worst_test && ./worst_test\n *\n * with the files that define {function}. It runs \
         natively and adds up what the program reports with pessimum_cost.\n"
    );
    let mut text = head(test, &how);
    text += "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\nstatic int64_t cost;\n\n";
    text += "void pessimum_cost(int64_t amount) { cost += amount; }\n\n";
    text += "void pessimum_assume(int32_t condition)\n{\n    if (!condition) {\n        fprintf(stderr, \"could not be \
             tested: the program does not accept this input any more\\n\");\n        exit(1);\n    }\n}\n\n";
    if let Some(call) = calls.first() {
        let types = call.arguments.iter().map(|argument| match argument {
            NativeValue::Number(ty, _) => ty.clone(),
            NativeValue::Array(ty, _) => format!("{ty} *"),
            NativeValue::Function(_) => "void *".to_string(),
        });
        let types: Vec<String> = types.collect();
        let types = if types.is_empty() { "void".to_string() } else { types.join(", ") };
        for argument in &call.arguments {
            if let NativeValue::Function(name) = argument {
                let _ = writeln!(text, "void {name}(void);");
            }
        }
        // The result is ignored, so the declaration need not know its type.
        let _ = writeln!(text, "void {}({types});", call.function);
    }
    for (i, (case, call)) in test.cases.iter().zip(calls).enumerate() {
        let _ = write!(text, "\n{}", comment(case));
        for (k, argument) in call.arguments.iter().enumerate() {
            if let NativeValue::Array(ty, elements) = argument {
                let _ = write!(text, "static {ty} input_{i}_{k}[] = {{\n{}}};\n", wrapped(elements));
            }
        }
    }
    text += "
static int check(const char *name, int64_t most)
{
    if (cost <= most)
        return 0;
    fprintf(stderr, \"FAILED: %s; it costs %lld\\n\", name, (long long)cost);
    return 1;
}

int main(void)
{
    int failed = 0;
";
    for (i, (case, call)) in test.cases.iter().zip(calls).enumerate() {
        let arguments = call.arguments.iter().enumerate().map(|(k, argument)| match argument {
            NativeValue::Number(_, number) => number.clone(),
            NativeValue::Array(..) => format!("input_{i}_{k}"),
            NativeValue::Function(name) => format!("(void *){name}"),
        });
        let arguments: Vec<String> = arguments.collect();
        let (function, arguments) = (&call.function, arguments.join(", "));
        let _ = writeln!(text, "    cost = 0;\n    {function}({arguments});");
        let _ = writeln!(text, "    failed |= check({}, {});", literal(&name(test, case)), case.cost);
    }
    text + "    return failed;\n}\n"
}

fn comment(case: &Case) -> String {
    case.size.map(|size| format!("/* n = {size} */\n")).unwrap_or_default()
}

fn name(test: &RegressionTest, case: &Case) -> String {
    let size = case.size.map(|size| format!(" at n = {size}")).unwrap_or_default();
    format!("the worst known input{size} costs at most {} {}", case.cost, test.unit())
}

/// Pieces of text that are short enough for one literal.
pub(super) fn lines(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(LINE).map(|piece| piece.iter().collect()).collect()
}

fn wrapped(elements: &[String]) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for element in elements {
        if width > LINE {
            text.push('\n');
            width = 0;
        }
        if width == 0 {
            text += "   ";
        }
        let _ = write!(text, " {element},");
        width += element.len() + 2;
    }
    text + "\n"
}

/// A string literal. Escapes have three octal digits, which no digit after them can extend, unlike hexadecimal ones.
pub(super) fn literal(text: &str) -> String {
    let mut quoted = "\"".to_string();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', byte as char]),
            // An unescaped question mark could become part of a trigraph.
            b'?' => quoted += "\\?",
            b' '..=b'~' => quoted.push(byte as char),
            byte => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_hold_anything() {
        assert_eq!(literal("a\"\\?\n7é"), "\"a\\\"\\\\\\?\\0127\\303\\251\"");
    }
}
