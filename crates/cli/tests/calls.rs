//! Calls that follow from the types of a function: `--call NAME`, no `--call` at all, and what `inspect` lists.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const C: &str = r#"
#include <stddef.h>
#include <stdint.h>
struct node { struct node *next; };
static inline int before(int a, int b) { return a < b; }
void sort(int *a, int n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && before(a[j], a[j - 1]); j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }
}
static void range(int *a, int lo, int hi) { if (lo < hi) { int t = a[lo]; a[lo] = a[hi]; a[hi] = t; } }
void exchange(int *a, int lo, int hi) { range(a, lo, hi); }
int text_length(const char *text) { int n = 0; while (text[n]) n++; return n; }
uint32_t sum(const uint8_t *bytes, size_t how_many) { uint32_t s = 0; while (how_many--) s += bytes[how_many]; return s; }
int search(const int16_t *a, size_t count, int16_t key) { while (count--) if (a[count] == key) return 1; return 0; }
double scale(double x, float y, _Bool z) { return z ? x : y; }
int depth(struct node *list) { int n = 0; while (list) { list = list->next; n++; } return n; }
"#;

/// A directory with a source file; `None` where the compiler is missing.
fn place(name: &str, file: &str, source: &str) -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calls").join(name);
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join(file), source).unwrap();
    if file.ends_with(".rs") || pessimum_testkit::tools::clang().is_some() {
        return Some(directory);
    }
    assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "clang is not on the machine");
    println!("not tested: clang is not on the machine");
    None
}

fn pessimum(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(directory).env("XDG_CACHE_HOME", directory.join("cache")).args(words).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The call of a run that names only the function.
fn called(directory: &Path, words: &[&str]) -> String {
    let output = pessimum(directory, &[words, &["--paths", "5", "--json", "--out", "out"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["call"].as_str().unwrap().to_string()
}

#[test]
fn types_of_c_functions_give_their_calls() {
    let Some(here) = place("c", "a.c", C) else { return };
    let listed = stdout(&pessimum(&here, &["inspect", "a.c"]));
    for call in [
        "sort(i32[n], n)",
        "exchange(i32[n], 0, n-1)",
        "text_length(str[n])",
        "sum(u8[n], n)",
        "search(i16[n], n, i16)",
        "scale(f64, f32, bool)",
    ] {
        assert!(listed.contains(&format!("  --call '{call}'\n")), "{call}: {listed}");
        let name = call.split('(').next().unwrap();
        assert_eq!(called(&here, &["worst", "a.c", "--size", "3", "--call", name]), call);
    }
    assert!(listed.contains("depth: its parameter 1 `list` is `node *`"), "{listed}");
    let output = pessimum(&here, &["worst", "a.c", "--call", "depth", "--size", "3"]);
    assert!(stderr(&output).contains("`depth` has to be called with its arguments"), "{}", stderr(&output));
    let output = pessimum(&here, &["worst", "a.c", "--size", "3"]);
    assert!(stderr(&output).contains("say which function to call:\n  --call 'sort(i32[n], n)'"), "{}", stderr(&output));
    let output = pessimum(&here, &["worst", "a.c", "--call", "srot", "--size", "3"]);
    assert!(stderr(&output).contains("did you mean `sort`?"), "{}", stderr(&output));
}

#[test]
fn the_only_function_needs_no_call() {
    let source = "pub fn double(values: &mut [u8], by: usize) { for v in values { *v = v.wrapping_mul(by as u8) } }\n";
    let Some(here) = place("only", "a.rs", source) else { return };
    let output = pessimum(&here, &["inspect", "a.rs"]);
    if stderr(&output).contains("rustup target add") {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{}", stderr(&output));
        return println!("not tested: {}", stderr(&output));
    }
    assert_eq!(called(&here, &["worst", "a.rs", "--size", "2"]), "double(u8[n], n, u32 in 0..=n)");
    let output = pessimum(&here, &["run", "a.rs", "--size", "2"]);
    assert!(stderr(&output).contains("calling double(u8[n], n, u32 in 0..=n)"), "{}", stderr(&output));
    assert!(output.status.success());
}

/// Input in the place of an object would be followed as pointers, and whatever is found is nonsense.
#[test]
fn objects_of_the_library_are_refused() {
    let source = "#include <string>\n#include <vector>\nint f(const std::string &s) { return s.size(); }\n\
                  int g(std::vector<int> &v) { return v.size(); }\nint h(int &x) { return x; }\n";
    let Some(here) = place("cpp", "a.cpp", source) else { return };
    let output = pessimum(&here, &["worst", "a.cpp", "--call", "h", "--paths", "3", "--json", "--out", "out"]);
    if stderr(&output).contains("hint: this needs the C++ library") {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{}", stderr(&output));
        return println!("not tested: {}", stderr(&output));
    }
    assert!(stderr(&output).contains("calling h(i32[1])"), "{}", stderr(&output));
    for (call, ty) in [("f(str[n])", "std::string &"), ("g(i32[n])", "std::vector<int")] {
        let output = pessimum(&here, &["worst", "a.cpp", "--call", call, "--size", "4"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(&format!("is `{ty}")), "{}", stderr(&output));
    }
}
