//! The inputs of a suite as tests: each must end as it did, and return what it did.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::c::{check, lines, literal};
use super::rust::raw_string;
use super::{in_comment, title};
use pessimum_report::cover::CoverResult;
use pessimum_report::text::command_line;

/// What the tests of a suite check.
#[derive(Clone, Debug)]
pub struct SuiteTests {
    /// What is run, as words of a command line without `--size`.
    pub arguments: Vec<String>,
    /// One per input.
    pub cases: Vec<SuiteCase>,
}

/// One input.
#[derive(Clone, Debug)]
pub struct SuiteCase {
    /// `n`.
    pub size: Option<u64>,
    /// In the form that `--input` takes.
    pub input: Value,
    /// How it ends and what it returns, in the form that `pessimum run --expect` takes.
    pub expect: String,
}

impl SuiteTests {
    /// The tests of a suite. Where a limit cut off a run there is nothing to assert.
    pub fn of(result: &CoverResult) -> SuiteTests {
        let arguments = result.arguments.iter().filter(|word| !super::gives_n(word)).cloned().collect();
        let tests = result.inputs.iter().zip(&result.tests).filter(|(_, test)| !test.end.starts_with("limit"));
        let case = |(input, test): (&Value, &pessimum_report::cover::SuiteTest)| SuiteCase {
            size: test.size,
            input: input.clone(),
            expect: test.outcome(),
        };
        SuiteTests { arguments, cases: tests.map(case).collect() }
    }

    fn module(&self) -> String {
        self.arguments.first().map_or(String::new(), |module| in_comment(module))
    }

    /// The tests as data: `pessimum replay --check FILE` runs them.
    pub fn json(&self) -> Value {
        let case = |case: &SuiteCase| {
            let mut arguments = self.arguments.clone();
            arguments.extend(case.size.map(|size| format!("--size={size}")));
            json!({ "size": case.size, "expect": case.expect, "input": case.input, "arguments": arguments })
        };
        json!({
            "what": "a test suite by Pessimum: every input must end as `expect` says",
            "command": ["pessimum", "replay", "--check", "cover_test.json"],
            "cases": self.cases.iter().map(case).collect::<Vec<Value>>(),
        })
    }

    /// A file with one `#[test]` for each input, for every edition of Rust.
    pub fn rust(&self) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|word| format!("{word:?}")).collect();
        let mut text = format!(
            "//! Written by Pessimum: inputs that cover `{}` must do what they did.\n//!\n\
             //! Put this file into the `tests` directory of a crate, or run it by itself: `rustc --test cover_test.rs && \
             ./cover_test`.\n//! It needs the command `pessimum`, in PATH or named in the environment variable PESSIMUM, and \
             must be run\n//! in the directory that the path `{}` is relative to (`cargo test` runs it in the crate's \
             own).\n\n\
             use std::io::Write;\nuse std::process::{{Command, Stdio}};\n\n/// What is run.\nconst ARGUMENTS: &[&str] = \
             &[{}];\n",
            title(&self.arguments),
            self.module(),
            arguments.join(", ")
        );
        for (number, case) in (1..).zip(&self.cases) {
            let size = case.size.map(|size| format!("\"--size={size}\"")).unwrap_or_default();
            let input = raw_string(&case.input.to_string());
            let _ = write!(
                text,
                "\n#[test]\nfn input_{number:03}() {{\n    check(&[{size}], {:?}, {input});\n}}\n",
                case.expect
            );
        }
        text + RUST_HELPER
    }

    /// A program in C99 and POSIX that runs all of them.
    pub fn c(&self) -> String {
        let mut text = format!(
            "/* Written by Pessimum: inputs that cover `{}` must do what they did.\n *\n \
             *     cc cover_test.c -o cover_test && ./cover_test\n *\n * It needs the command `pessimum`, in PATH or named \
             in the environment variable PESSIMUM, and must be run in the directory\n * that the path {} is relative \
             to. */\n#define _POSIX_C_SOURCE 200809L\n#include <stdio.h>\n#include <sys/wait.h>\n",
            title(&self.arguments),
            self.module()
        );
        for (number, case) in (1..).zip(&self.cases) {
            let _ = write!(text, "\nstatic const char *const input_{number}[] = {{\n");
            for line in lines(&case.input.to_string()) {
                let _ = writeln!(text, "    {},", literal(&line));
            }
            text += "    0,\n};\n";
        }
        text += &check("the input does something else");
        for (number, case) in (1..).zip(&self.cases) {
            let mut words = self.arguments.clone();
            words.extend(case.size.map(|size| format!("--size={size}")));
            words.extend(["--input", "-", "--expect", &case.expect].map(str::to_string));
            let command = format!("\"${{PESSIMUM:-pessimum}}\" run {} > /dev/null", command_line(&words));
            let name = format!("input {number}: {}", case.expect);
            let _ = writeln!(
                text,
                "    failed |= check({},\n        {},\n        input_{number});",
                literal(&name),
                literal(&command)
            );
        }
        text + "    return failed;\n}\n"
    }
}

const RUST_HELPER: &str = r##"
/// Runs the input; `pessimum run --expect` says on standard error if it does something else than expected.
fn check(size: &[&str], expected: &str, input: &str) {
    let command = std::env::var("PESSIMUM").unwrap_or_else(|_| "pessimum".to_string());
    let mut run = Command::new(&command)
        .arg("run")
        .args(ARGUMENTS)
        .args(size)
        .args(["--input", "-", "--expect", expected])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {}; name the command in PESSIMUM", command, error));
    let mut stdin = run.stdin.take().expect("piped");
    // Where the command ends early, its exit code says more than this error would.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let status = run.wait().expect("the command runs");
    assert!(status.success(), "{} run: {}, in {:?}", command, status, std::env::current_dir());
}
"##;
