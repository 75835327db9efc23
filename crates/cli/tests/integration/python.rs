//! Every command on a Python function, whose worst case is known. Without a Python that can be searched on the machine these
//! tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail then.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Lines of insertion sort on 8 descending numbers: 8 tests of the outer loop, 7 passes with two lines of their own, 28 moves
/// of two lines after as many tests and 7 that end the loop, and the return.
const WORST_AT_8: u64 = 114;

/// A directory of its own with the sources of the cases; none where Python is missing.
fn scratch(name: &str) -> Option<PathBuf> {
    let found = Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "python3 is not on the machine, or too old");
        eprintln!("{name}: python3 is not on the machine, or too old");
        return None;
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python").join(name);
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/python");
    for entry in std::fs::read_dir(sources).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, place.join(path.file_name().unwrap())).unwrap();
        }
    }
    Some(place)
}

fn pessimum(place: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pessimum")).current_dir(place).args(words).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command prints, which must succeed.
fn printed(place: &Path, words: &[&str]) -> String {
    let output = pessimum(place, words);
    assert!(output.status.success(), "{words:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

fn json(place: &Path, words: &[&str]) -> Value {
    serde_json::from_str(&printed(place, words)).unwrap()
}

#[test]
fn a_search_finds_the_known_worst_case_and_its_result_is_run_only_on_request() {
    let Some(place) = scratch("worst") else { return };
    let found = json(&place, &["worst", "sort.py", "--size", "8", "--paths", "200", "--json"]);
    assert_eq!((&found["cost"]["model"], found["cost"]["value"].as_u64()), (&"lines".into(), Some(WORST_AT_8)));
    assert_eq!(found["call"], "sort(int[n])");
    let input: Vec<i64> = found["input"][0].as_array().unwrap().iter().map(|x| x.as_i64().unwrap()).collect();
    assert!(input.windows(2).all(|pair| pair[0] > pair[1]), "{input:?} is not descending");
    assert!(found["python"].as_str().unwrap().starts_with("3."));
    let directory = place.join("pessimum-out/sort");
    assert!(!directory.join("module.wasm").exists(), "no code is saved");
    for command in ["replay", "shrink"] {
        let refused = pessimum(&place, &[command, "pessimum-out/sort"]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains("give --run-python if you trust it"), "{}", stderr(&refused));
    }
    let replayed = json(&place, &["replay", "pessimum-out/sort", "--run-python", "--json"]);
    assert_eq!(replayed["cost"]["value"].as_u64(), Some(WORST_AT_8));
    assert_eq!(replayed["lines"][0]["file"], "sort.py");
    let shrunk = json(&place, &["shrink", "pessimum-out/sort", "--run-python", "--paths", "300", "--json"]);
    assert_eq!(shrunk["after"]["cost"]["value"].as_u64(), Some(WORST_AT_8));
    printed(&place, &["report", "pessimum-out/sort", "--run-python"]);
    let page = std::fs::read_to_string(directory.join("report.html")).unwrap();
    assert!(page.contains("while k &gt; 0") && page.contains("own lines"), "source lines are shown");
}

#[test]
fn a_search_is_resumed_only_on_request() {
    let Some(place) = scratch("resume") else { return };
    printed(&place, &["worst", "sort.py", "--size", "12", "--paths", "5"]);
    let refused = pessimum(&place, &["worst", "--resume", "pessimum-out/sort", "--paths", "20"]);
    assert!(!refused.status.success() && stderr(&refused).contains("--run-python"), "{}", stderr(&refused));
    let found = json(&place, &["worst", "--resume", "pessimum-out/sort", "--run-python", "--paths", "20", "--json"]);
    assert_eq!(found["resumed"]["parts"], 1);
}

#[test]
fn emitted_tests_pass_by_themselves_and_notice_what_costs_more() {
    let Some(place) = scratch("emit") else { return };
    printed(&place, &["worst", "sort.py", "--size", "6", "--paths", "100", "--emit", "python", "--quiet"]);
    let test = || Command::new("python3").current_dir(&place).arg("pessimum-out/sort/worst_test.py").output().unwrap();
    let passed = test();
    assert!(passed.status.success() && stdout(&passed).contains("passed"), "{}", stderr(&passed));
    let source = std::fs::read_to_string(place.join("sort.py")).unwrap();
    std::fs::write(
        place.join("sort.py"),
        source.replace("            k -= 1\n", "            k -= 1\n            x = x\n"),
    )
    .unwrap();
    let failed = test();
    assert!(
        !failed.status.success() && stderr(&failed).contains("when the test was written it was"),
        "{}",
        stderr(&failed)
    );
}

#[test]
fn inputs_that_raise_are_shown_with_the_exception_and_its_line() {
    let Some(place) = scratch("raise") else { return };
    let words = ["worst", "several.py", "--call", "parse(str[4] in '0'..='9' | ',')", "--paths", "200", "--json"];
    let found = json(&place, &words);
    assert_eq!(found["end"], "returned");
    assert_eq!(found["trapped"]["why"], "ValueError: an empty number");
    assert_eq!(found["trapped"]["at"], "several.py:11");
    let text = printed(&place, &words[..words.len() - 1]);
    assert!(text.contains("raises ValueError: an empty number at several.py:11"), "{text}");
}

#[test]
fn curves_and_patterns_name_the_class() {
    let Some(place) = scratch("curve") else { return };
    let words =
        ["curve", "sort.py", "--sizes", "4,6,8,10,12", "--paths", "60", "--fail-above-class", "n log n", "--json"];
    let output = pessimum(&place, &words);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let curve: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(curve["worst"]["class"], "n^2");
}

#[test]
fn a_suite_covers_every_branch() {
    let Some(place) = scratch("cover") else { return };
    let words = ["cover", "sort.py", "--size", "3", "--paths", "100", "--fail-under", "100", "--emit", "python"];
    let text = printed(&place, &words);
    assert!(text.contains("100 %"), "{text}");
    let run = Command::new("python3").current_dir(&place).arg("pessimum-out/sort/cover_test.py").output().unwrap();
    assert!(run.status.success(), "{}", stderr(&run));
}

#[test]
fn the_plugin_asserts_a_class() {
    let Some(place) = scratch("plugin") else { return };
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/python");
    let run = |class: &str| {
        let program = format!(
            "from sort import sort\nfrom pessimum_pytest import pessimum_assert_class\n\
             pessimum_assert_class(sort, {class:?}, sizes='4,6,8,10,12', paths=60)\n"
        );
        Command::new("python3")
            .current_dir(&place)
            .args(["-B", "-c", &program])
            .env("PYTHONPATH", &plugin)
            .env("PESSIMUM", env!("CARGO_BIN_EXE_pessimum"))
            .output()
            .unwrap()
    };
    let passed = run("n^2");
    assert!(passed.status.success(), "{}", stderr(&passed));
    let failed = run("n log n");
    assert!(!failed.status.success() && stderr(&failed).contains("grows faster than n log n"), "{}", stderr(&failed));
}

#[test]
fn a_program_that_depends_on_more_than_its_input_is_told_as_such() {
    let Some(place) = scratch("unsteady") else { return };
    // Each process that counts makes the next one's runs longer.
    let text = "import os\n\
                def f(s: str) -> int:\n    \
                    n = 0\n    \
                    for c in s:\n        \
                        if c > 'k':\n            \
                            n += 1\n    \
                    with open('runs', 'a') as runs:\n        \
                        runs.write('x')\n    \
                    for i in range(os.path.getsize('runs')):\n        \
                        n += 1\n    \
                    return n\n";
    std::fs::write(place.join("grows.py"), text).unwrap();
    let words = ["worst", "grows.py", "--size", "3", "--strategy", "exhaustive", "--paths", "6", "--quiet"];
    let output = pessimum(&place, &words);
    let said = stderr(&output);
    assert!(said.contains("depends on more than its input"), "{said}{}", stdout(&output));
    assert!(
        !said.contains("bug in Pessimum") && !stdout(&output).contains("how sure     certain"),
        "{said}{}",
        stdout(&output)
    );
}

#[test]
fn a_package_with_lazy_attributes_is_searched_like_any_other() {
    let Some(place) = scratch("lazy_package") else { return };
    let package = "class Lazy:\n    def __getattr__(self, name):\n        raise ImportError(name)\n\
                   class Moved:\n    gnu = Lazy()\n";
    std::fs::create_dir_all(place.join("site-packages")).unwrap();
    std::fs::write(place.join("site-packages/lazylib.py"), package).unwrap();
    let text = "import os, sys\n\
                sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'))\n\
                import lazylib\n\
                moved = lazylib.Lazy()\n\
                def count(s: str) -> int:\n    \
                    n = 0\n    \
                    for c in s:\n        \
                        if c == 'a':\n            \
                            n += 1\n    \
                    return n\n";
    std::fs::write(place.join("uses.py"), text).unwrap();
    let found = json(&place, &["worst", "uses.py", "--size", "4", "--paths", "20", "--quiet", "--json"]);
    assert_eq!((found["cost"]["value"].as_u64(), &found["end"]), (Some(15), &"returned".into()), "{found}");
    assert_eq!(found["left_out"].as_array().map_or(0, Vec::len), 0, "{found}");
}
