//! The gate for CI: exit codes, JUnit XML and SARIF.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use roxmltree::{Document, Node};
use serde_json::Value;

/// A fresh directory for one test.
fn fresh(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gate").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Runs a command on a bundled subject, with both files written. Returns the exit code, XML and SARIF.
fn gate(name: &str, words: &[&str]) -> (Option<i32>, String, Value) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directory = fresh(name);
    let (junit, sarif) = (directory.join("junit.xml"), directory.join("result.sarif"));
    let output: Output = Command::new(env!("CARGO_BIN_EXE_pessimum"))
        .current_dir(root.join("subjects"))
        .args(words)
        .args(["own/insertion_sort.wasm", "--call", "sort(i32[n], n)", "--paths=2000", "--out"])
        .arg(directory.join("out"))
        .arg("--junit")
        .arg(&junit)
        .arg("--sarif")
        .arg(&sarif)
        .output()
        .unwrap();
    let xml = std::fs::read_to_string(junit).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let sarif = serde_json::from_slice(&std::fs::read(sarif).unwrap()).unwrap();
    (output.status.code(), xml, sarif)
}

/// The rules of the usual schema (Jenkins' junit-10.xsd) that concern what we write. Returns the test cases.
fn cases<'d>(document: &'d Document<'d>) -> Vec<Node<'d, 'd>> {
    let suites = document.root_element();
    assert_eq!(suites.tag_name().name(), "testsuites");
    let number = |node: Node<'_, '_>, name: &str| -> usize { node.attribute(name).unwrap().parse().unwrap() };
    let elements = |node: Node<'d, 'd>| node.children().filter(|child| child.is_element()).collect::<Vec<_>>();
    let mut all = Vec::new();
    for suite in elements(suites) {
        assert_eq!(suite.tag_name().name(), "testsuite");
        assert!(!suite.attribute("name").unwrap().is_empty());
        let cases = elements(suite);
        let with = |name: &str| {
            cases.iter().filter(|case| case.children().any(|child| child.tag_name().name() == name)).count()
        };
        assert_eq!(number(suite, "tests"), cases.len());
        assert_eq!(number(suite, "failures"), with("failure"));
        assert_eq!(number(suite, "errors"), with("error"));
        all.extend(cases);
    }
    for name in ["tests", "failures", "errors"] {
        let sum: usize = elements(suites).into_iter().map(|suite| number(suite, name)).sum();
        assert_eq!(number(suites, name), sum);
    }
    for node in suites.descendants().filter(|node| node.is_element()) {
        let allowed: &[&str] = match node.tag_name().name() {
            "testsuites" => &["name", "time", "tests", "failures", "errors"],
            "testsuite" => &["name", "time", "tests", "failures", "errors", "skipped"],
            "testcase" => &["name", "time", "classname"],
            "failure" | "error" => &["type", "message"],
            _ => &[],
        };
        assert!(node.attributes().all(|attribute| allowed.contains(&attribute.name())), "{node:?}");
    }
    for case in &all {
        assert_eq!(case.tag_name().name(), "testcase");
        assert!(!case.attribute("name").unwrap().is_empty() && !case.attribute("classname").unwrap().is_empty());
        assert!(case.attribute("time").unwrap().parse::<f64>().unwrap() >= 0.0);
        for child in elements(*case) {
            assert!(matches!(child.tag_name().name(), "failure" | "error" | "system-out"));
            if child.tag_name().name() != "system-out" {
                assert!(child.attribute("message").is_some() && child.attribute("type").is_some());
            }
        }
    }
    let mut names: Vec<&str> = all.iter().map(|case| case.attribute("name").unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "names tell the cases apart");
    all
}

/// The rules of SARIF 2.1.0 that concern what we write: required properties, closed lists, references. Returns the
/// results.
fn results(log: &Value) -> &Vec<Value> {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let [run] = &log["runs"].as_array().unwrap()[..] else { panic!("one run") };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "pessimum");
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string());
    }
    let results = run["results"].as_array().unwrap();
    for result in results {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let [location] = &result["locations"].as_array().unwrap()[..] else { panic!("one location") };
        let place = &location["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.contains([' ', '\\']) && !uri.starts_with('/'), "{uri}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(result["partialFingerprints"].as_object().unwrap().values().all(Value::is_string));
    }
    results
}

#[test]
fn a_worst_case_above_the_limit_fails() {
    let (code, xml, sarif) = gate("above", &["worst", "--size=6", "--fail-above=532"]);
    assert_eq!(code, Some(3));
    let document = Document::parse(&xml).unwrap();
    let [case] = &cases(&document)[..] else { panic!("{xml}") };
    assert_eq!(case.attribute("name"), Some("worst case at n = 6"));
    let failure = case.children().find(|child| child.tag_name().name() == "failure").unwrap();
    let message = "the worst input at n = 6 costs 533 instructions, above --fail-above 532; the hottest line is ";
    assert!(failure.attribute("message").unwrap().starts_with(message), "{xml}");
    let [result] = &results(&sarif)[..] else { panic!("{sarif}") };
    assert_eq!((&result["level"], &result["ruleId"]), (&"error".into(), &"pessimum/worst-case".into()));
    assert_eq!((&result["properties"]["cost"], &result["properties"]["limit"]), (&533.into(), &532.into()));
    // The place is the comparison in the inner loop, in a file that is there.
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"own/insertion_sort.c".into(), &15.into())
    );
}

#[test]
fn at_the_limit_and_without_one_it_passes() {
    for (name, limit) in [("at", &["--fail-above=533"][..]), ("without", &[])] {
        let (code, xml, sarif) = gate(name, &[&["worst", "--size=6"][..], limit].concat());
        assert_eq!(code, Some(0));
        let document = Document::parse(&xml).unwrap();
        assert!(cases(&document)[0].children().all(|child| child.tag_name().name() != "failure"), "{xml}");
        assert_eq!(results(&sarif)[0]["level"], "note");
    }
}

#[test]
fn a_curve_has_a_case_for_each_size_and_one_for_the_growth() {
    let sizes = "--sizes=2,4,8,16,32";
    let (code, xml, sarif) = gate("curve", &["curve", sizes, "--fail-above=1000", "--fail-above-class=n log n"]);
    assert_eq!(code, Some(3));
    let document = Document::parse(&xml).unwrap();
    let failed: Vec<bool> =
        cases(&document).iter().map(|case| case.children().any(|child| child.tag_name().name() == "failure")).collect();
    assert_eq!(failed, [false, false, false, true, true, true]);
    let levels: Vec<&str> = results(&sarif).iter().map(|result| result["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["note", "note", "note", "error", "error", "error"]);
    let growth = results(&sarif).last().unwrap();
    assert_eq!(growth["ruleId"], "pessimum/growth");
    assert_eq!(
        growth["message"]["text"],
        "the cost of the worst inputs found grows like n^2, up to n = 32, above --fail-above-class n log n"
    );
    let (code, ..) = gate("curve-passes", &["curve", sizes, "--fail-above-class=n^2"]);
    assert_eq!(code, Some(0));
}

#[test]
fn a_class_that_is_not_known_is_an_error_and_not_a_pass() {
    let (code, xml, sarif) = gate("unknown", &["curve", "--sizes=3,4", "--fail-above-class=n^2"]);
    assert_eq!(code, Some(1));
    let document = Document::parse(&xml).unwrap();
    let last = *cases(&document).last().unwrap();
    assert!(last.children().any(|child| child.tag_name().name() == "error"), "{xml}");
    assert_eq!(results(&sarif).last().unwrap()["level"], "warning");
}

/// PATH with the command first.
#[cfg(unix)]
fn path_with_pessimum() -> std::ffi::OsString {
    let binaries = Path::new(env!("CARGO_BIN_EXE_pessimum")).parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap();
    std::env::join_paths(std::iter::once(binaries).chain(std::env::split_paths(&path))).unwrap()
}

/// The commands of the example for GitHub Actions, as they are, on a C file in place of the user's.
#[cfg(unix)]
#[test]
fn the_example_for_github_actions_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/ci/github-actions.yml")).unwrap();
    let step = text.split_once("Search for the worst case\n        run: |\n").expect("the step is there").1;
    let script: String =
        step.lines().take_while(|line| line.starts_with("          ")).map(|line| format!("{line}\n")).collect();
    assert_eq!(script.matches("pessimum ").count(), 2, "{script}");
    // Minutes for a pull request, seconds for a test.
    let script = script.replace("--budget 60s", "--paths 2000").replace("--budget 120s", "--paths 1000");
    let directory = fresh("github-actions");
    std::fs::create_dir(directory.join("src")).unwrap();
    let sources = root.join("crates/cli/tests/sources");
    std::fs::copy(sources.join("insertion.c"), directory.join("src/sort.c")).unwrap();
    std::fs::copy(sources.join("limits.h"), directory.join("src/limits.h")).unwrap();
    let output = Command::new("sh")
        .args(["-e", "-c", &script])
        .current_dir(&directory)
        .env("PATH", path_with_pessimum())
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("was found: install") && std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none() {
        return println!("not tested, the compiler is missing: {said}");
    }
    assert!(output.status.success(), "{said}");
    for file in ["worst", "curve"] {
        let xml = std::fs::read_to_string(directory.join(format!("worst/{file}.xml"))).unwrap();
        cases(&Document::parse(&xml).unwrap());
        let sarif = std::fs::read(directory.join(format!("worst/{file}.sarif"))).unwrap();
        let sarif: Value = serde_json::from_slice(&sarif).unwrap();
        let place = &results(&sarif)[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/sort.c");
    }
}

/// The command as it is in a document's block of this language, for a shell; the recipes run the same search.
#[cfg(unix)]
fn recipe(document: &str, language: &str) -> String {
    let block = document.split(&format!("```{language}\n")).nth(1).expect(language).split("```").next().unwrap();
    match language {
        "python" => format!("python3 - <<'END'\n{block}\ntest_sort_of_16_numbers()\nEND\n"),
        "cmake" => {
            let command = block.split("COMMAND").nth(1).unwrap().trim_end().strip_suffix(')').unwrap();
            let command = command.replace("${PESSIMUM}", "pessimum").replace("\n", " ");
            command.replace("${CMAKE_SOURCE_DIR}", ".").replace("${CMAKE_BINARY_DIR}", "build")
        }
        // The pieces of the text that `system` gets.
        _ => block.split("system(").nth(1).unwrap().split('"').skip(1).step_by(2).collect(),
    }
}

/// The recipes for pytest, CTest and GoogleTest pass below their limit and fail above it.
#[cfg(unix)]
#[test]
fn the_recipes_for_test_runners_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = std::fs::read_to_string(root.join("docs/ci.md")).unwrap();
    let directory = fresh("recipes");
    let sources = root.join("crates/cli/tests/sources");
    std::fs::copy(sources.join("insertion.c"), directory.join("sort.c")).unwrap();
    std::fs::copy(sources.join("limits.h"), directory.join("limits.h")).unwrap();
    let succeeds = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&directory).env("PATH", path_with_pessimum());
        let output = command.env("XDG_CACHE_HOME", directory.join("cache")).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for language in ["python", "cmake", "cpp"] {
        let script = recipe(&document, language);
        let (passed, said) = succeeds(&script);
        let missing = said.contains("was found: install") || said.contains("python3: not found");
        if missing && std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none() {
            println!("not tested, a tool is missing: {said}");
            continue;
        }
        assert!(passed, "{language}: {script}\n{said}");
        let strict = script.replace("5000", "50");
        assert_ne!(strict, script);
        let (passed, said) = succeeds(&strict);
        assert!(!passed && (said.contains("AssertionError") || !said.contains("error:")), "{language}: {said}");
    }
}

/// A mistyped directory is not made, and the mistake is told before anything is searched.
#[test]
fn verdicts_do_not_make_directories() {
    let directory = fresh("directories");
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/own/insertion_sort.wasm");
    for flag in ["--junit", "--sarif"] {
        let output = Command::new(env!("CARGO_BIN_EXE_pessimum"))
            .current_dir(&directory)
            .args(["worst", module.to_str().unwrap(), "--call", "sort(i32[n], n)", "--size=4", "--paths=10"])
            .args([flag, "nowhere/verdict"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(&format!("{flag} nowhere/verdict: the directory nowhere does not exist")), "{told}");
        assert!(output.stdout.is_empty() && std::fs::read_dir(&directory).unwrap().next().is_none());
    }
}
