//! `--emit python`: the worst inputs of a Python function as a test that counts lines itself. It is run before it is written.

use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use anyhow::{Context, Result, bail};
use pessimum_languages::emit::{Expects, PythonCase, PythonTests, RegressionTest, SuiteTests};
use pessimum_outcome::End;
use pessimum_python::{PythonProgram, programs};
use pessimum_report::text::printable_lines;
use pessimum_session::{PythonCode, Source};
use pessimum_term::Witness;
use serde_json::Value;

/// The test of worst inputs: at most so many lines.
pub fn worst(source: &Source, test: &RegressionTest) -> Result<String> {
    let code = python(source)?;
    let cases = test.cases.iter().map(|case| {
        let (mut made, _) = made(source, case.size, &case.input)?;
        made.expects = Expects::Lines(case.cost);
        Ok(made)
    });
    let cases = cases.collect::<Result<Vec<PythonCase>>>()?;
    let sizes: Vec<String> = test.cases.iter().filter_map(|case| case.size).map(|size| size.to_string()).collect();
    checked(code, tests(source, code, &test.arguments, &cases).lines(test, &sizes.join(",")))
}

/// The tests of a suite: what each input returns or raises.
pub fn suite(source: &Source, suite: &SuiteTests) -> Result<String> {
    let code = python(source)?;
    let cases = suite.cases.iter().map(|case| {
        let (mut made, returned) = made(source, case.size, &case.input)?;
        made.expects = Expects::Returns(returned);
        Ok(made)
    });
    let cases = cases.collect::<Result<Vec<PythonCase>>>()?;
    checked(code, tests(source, code, &suite.arguments, &cases).does())
}

fn python(source: &Source) -> Result<&PythonCode> {
    source.code().context("this is for functions of Python")
}

fn tests<'a>(
    source: &'a Source,
    code: &'a PythonCode,
    words: &'a [String],
    cases: &'a [PythonCase],
) -> PythonTests<'a> {
    let title = words.last().map_or("", String::as_str);
    PythonTests { program: &source.plan().module.name, function: code.call().name(), title, cases }
}

/// One input as Python source, how it ends, and what it returns.
fn made(source: &Source, size: Option<u64>, input: &Value) -> Result<(PythonCase, Option<String>)> {
    let target = source.program(size)?;
    let program: &PythonProgram = target.of().context("this is for functions of Python")?;
    let (witness, _): (Witness, _) = program.plan().decode(input)?;
    let ran = program.run(&witness, &source.limits());
    let raises = match ran.end {
        End::Returned => None,
        End::Trapped(_) => {
            ran.explained.map(|explained| explained.why.split(':').next().unwrap_or_default().to_string())
        }
        end => bail!("an input that ends with \"{end}\" cannot be a test"),
    };
    let arguments = program.arguments_text(&witness).join(", ");
    Ok((PythonCase { size, arguments, expects: Expects::Returns(None), raises }, ran.returned))
}

/// The text, if it passes: in an ordinary interpreter, with hashes of two kinds, since tests are run with any.
fn checked(code: &PythonCode, text: String) -> Result<String> {
    let mut file =
        tempfile::Builder::new().prefix("worst_test_").suffix(".py").tempfile().context("a temporary file")?;
    file.write_all(text.as_bytes()).context("a temporary file")?;
    let python = code.source().python();
    let has_pytest = run(python, &["-c", "import pytest"], "0")?.status.success();
    let path = file.path().display().to_string();
    let words: &[&str] = match has_pytest {
        true => &["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", &path],
        false => &["-B", &path],
    };
    for hash in ["0", "1"] {
        let output = run(python, words, hash)?;
        if !output.status.success() {
            let told =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let last: Vec<&str> = told.lines().rev().take(6).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            let why = match hash {
                "0" => "it does not pass in an ordinary interpreter",
                _ => "its count depends on the order of sets or on hashes, which differs from one process to the next",
            };
            bail!("no test was written, since {why}:\n{}", printable_lines(&last.join("\n")));
        }
    }
    Ok(text)
}

fn run(python: &Path, words: &[&str], hash: &str) -> Result<Output> {
    let mut command = programs::command(python);
    command.args(words).env("PYTHONHASHSEED", hash).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
    command.output().with_context(|| python.display().to_string())
}
