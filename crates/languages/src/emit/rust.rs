//! A test in Rust: one file, without dependencies.

use std::fmt::Write as _;

use super::{Case, RegressionTest};

const HELPER: &str = r##"
/// What the input costs now, as `pessimum run` counts it.
fn cost(size: &[&str], input: &str) -> u64 {
    let command = std::env::var("PESSIMUM").unwrap_or_else(|_| "pessimum".to_string());
    let mut run = Command::new(&command)
        .arg("run")
        .args(ARGUMENTS)
        .args(size)
        .args(["--input", "-", "--cost", COST])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {}; name the command in PESSIMUM", command, error));
    let mut stdin = run.stdin.take().expect("piped");
    // Where the command ends early, its exit code says more than this error would.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = run.wait_with_output().expect("the command runs");
    assert!(output.status.success(), "{} run: {}, in {:?}", command, output.status, std::env::current_dir());
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.trim().parse().unwrap_or_else(|_| panic!("{} run --cost printed {:?}, not a number", command, printed))
}
"##;

/// The file's text, for every edition of Rust.
pub fn rust(test: &RegressionTest) -> String {
    let unit = test.unit();
    let mut text = format!(
        "//! Written by Pessimum: the worst known inputs of `{}` must not cost more than they did.\n//!\n\
         //! Put this file into the `tests` directory of a crate, or run it by itself: `rustc --test worst_test.rs && \
         ./worst_test`.\n//! It needs the command `pessimum`, in PATH or named in the environment variable PESSIMUM, and \
         must be run\n//! in the directory that the path `{}` is relative to (`cargo test` runs it in the crate's \
         own).\n\n\
         use std::io::Write;\nuse std::process::{{Command, Stdio}};\n\n/// What is run.\nconst ARGUMENTS: &[&str] = &[",
        test.title(),
        test.module()
    );
    let arguments: Vec<String> = test.arguments.iter().map(|word| format!("{word:?}")).collect();
    let _ = writeln!(text, "{}];\n\n/// What is counted.\nconst COST: &str = {:?};", arguments.join(", "), test.model);
    for case in &test.cases {
        let _ = write!(
            text,
            "\n#[test]\nfn worst_case{}_costs_at_most_{}() {{\n    let cost = {};\n    assert!(cost <= {}, \"this input \
             costs {{}} {unit}; when the test was written it was {}\", cost);\n}}\n",
            case.size.map(|size| format!("_at_{size}")).unwrap_or_default(),
            case.cost,
            measured(case),
            case.cost,
            case.cost,
        );
    }
    let steps = test.steps();
    if let (Some(class), false) = (test.class, steps.is_empty()) {
        let _ = write!(text, "\n/// No faster than {class}, with a tenth to spare.\n#[test]\nfn growth() {{\n");
        let _ = writeln!(text, "    let costs = [");
        for case in &test.cases {
            let _ = writeln!(text, "        {} as f64,", measured(case));
        }
        let _ = writeln!(text, "    ];");
        for step in &steps {
            let size = |at: usize| test.cases[at].size.unwrap_or_default();
            let _ = writeln!(
                text,
                "    assert!(costs[{}] <= {:?} * costs[{}], \"from n = {} to n = {}: {{:?}}\", costs);",
                step.to,
                step.factor,
                step.from,
                size(step.from),
                size(step.to)
            );
        }
        text += "}\n";
    }
    text + HELPER
}

/// The call of the helper for one input.
fn measured(case: &Case) -> String {
    let size = case.size.map(|size| format!("\"--size={size}\"")).unwrap_or_default();
    format!("cost(&[{size}], {})", raw_string(&case.input.to_string()))
}

/// A raw string literal.
pub(super) fn raw_string(text: &str) -> String {
    let mut hashes = "#".to_string();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}
