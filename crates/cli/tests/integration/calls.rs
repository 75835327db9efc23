//! Calls that follow from the types of a function: `--call NAME`, no `--call` at all, and what `inspect` lists.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::{Value, json};

const C: &str = r#"
#include <stddef.h>
#include <stdint.h>
struct node { struct node *next; };
struct point { int x; double y; };
struct item { char name[8]; struct point at; unsigned char kind; };
struct one { int x; };
struct pair { int a, b; };
enum level { LOW, MIDDLE, HIGH = 9 };
typedef int (*order)(const void *, const void *);
int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
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
int nearest(const struct point *points, size_t n) { int best = 0; for (size_t i = 1; i < n; i++) if (points[i].y < points[best].y) best = i; return best; }
int item_kind(const struct item *item) { return item->kind + item->at.x + item->name[0]; }
int by_value(struct pair p, struct one o) { return 100 * p.a + 10 * p.b + o.x; }
struct pair swapped(struct pair p) { struct pair q = { p.b, p.a }; return q; }
int trace(int a[][4], int n) { int t = 0; for (int i = 0; i < n && i < 4; i++) t += a[i][i]; return t; }
int graded(enum level level) { return level; }
void extremes(const int *a, int n, int *min, int *max) { *min = *max = a[0]; for (int i = 1; i < n; i++) { if (a[i] < *min) *min = a[i]; if (a[i] > *max) *max = a[i]; } }
void prefix(const int *a, int n, int *sums) { int t = 0; for (int i = 0; i < n; i++) sums[i] = t += a[i]; }
int ordered(int *a, int n, order before) { for (int i = 1; i < n; i++) if (before(&a[i - 1], &a[i]) > 0) return 0; return 1; }
int visited(int *a, int n, void (*visit)(double)) { for (int i = 0; i < n; i++) visit(a[i]); return n; }
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
        "nearest({i32, f64}[n], n)",
        "item_kind({u8[8], {i32, f64}, u8})",
        "by_value({i32, i32}, i32)",
        "swapped(out u8[8], {i32, i32})",
        "trace(i32[n][4], n)",
        "graded(u32 in 0..=1 | 9)",
        "extremes(i32[n], n, out i32[1], out i32[1])",
        "prefix(i32[n], n, out i32[n])",
        "ordered(i32[n], n, &up)",
    ] {
        assert!(listed.contains(&format!("  --call '{call}'\n")), "{call}: {listed}");
        let name = call.split('(').next().unwrap();
        assert_eq!(called(&here, &["worst", "a.c", "--size", "3", "--call", name]), call);
    }
    assert!(listed.contains("depth: its parameter 1 `list` is `node *`; its field `next` is `node *`"), "{listed}");
    assert!(listed.contains("visited: its parameter 3 `visit` is `void (*)(double)`; no function of this"), "{listed}");
    for (call, input, result) in [
        ("nearest({i32, f64}[n], n)", json!([[[1, 4.5], [2, 1.5], [3, 2.5]], 3]), 1),
        ("item_kind({u8[8], {i32, f64}, u8})", json!([[[65, 0, 0, 0, 0, 0, 0, 0], [100, 0.5], 7]]), 172),
        ("by_value({i32, i32}, i32)", json!([[1, 2], 3]), 123),
        ("trace(i32[n][4], n)", json!([[[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0]], 3]), 6),
        ("ordered(i32[n], n, &up)", json!([[1, 2, 2], 3, "&up"]), 1),
        ("ordered(i32[n], n, &up)", json!([[1, 3, 2], 3, "&up"]), 0),
    ] {
        assert_eq!(ran(&here, "a.c", call, "3", &input)["result"], json!([result]), "{call}");
    }
    let output = pessimum(&here, &["worst", "a.c", "--call", "depth", "--size", "3"]);
    assert!(stderr(&output).contains("`depth` has to be called with its arguments"), "{}", stderr(&output));
    let output = pessimum(&here, &["worst", "a.c", "--size", "3"]);
    assert!(
        stderr(&output)
            .contains("say which function to call:\n  --call 'up(u8[n], u8[n])'\n  --call 'sort(i32[n], n)'"),
        "{}",
        stderr(&output)
    );
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

/// The directory of the C++ source in which every function takes something else, with the module that is made of it;
/// `None` where its compiler or library is missing.
fn objects() -> Option<PathBuf> {
    static PLACE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let here = place("objects", "objects.cpp", include_str!("../sources/objects.cpp"))?;
        let words = ["worst", "objects.cpp", "--cflags=-std=c++20", "--call", "sort", "--size", "4"];
        let output = pessimum(&here, &[&words[..], &["--json", "--out", "sorted"]].concat());
        if stderr(&output).contains("hint: this needs the C++ library") {
            assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{}", stderr(&output));
            println!("not tested: {}", stderr(&output));
            return None;
        }
        assert!(output.status.success(), "{}", stderr(&output));
        Some(here)
    };
    PLACE.get_or_init(build).clone()
}

/// The result of a concrete run, and what is in memory after it.
fn ran(here: &Path, file: &str, call: &str, size: &str, input: &Value) -> Value {
    let path = here.join(format!("{}.json", call.replace(|c: char| !c.is_alphanumeric(), "_")));
    std::fs::write(&path, input.to_string()).unwrap();
    let flags = ["--call", call, "--size", size, "--json", "--input", path.to_str().unwrap()];
    let output = pessimum(here, &[&["run", file], &flags[..]].concat());
    assert!(output.status.success(), "{call}: {}", stderr(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["end"], "returned", "{call}: {value}");
    value
}

#[test]
fn objects_are_made_for_the_functions_that_take_them() {
    let Some(here) = objects() else { return };
    let text = |text: &str| json!(text.bytes().collect::<Vec<u8>>());
    // Texts inside of other objects have at most eight bytes.
    let short = |text: &str| {
        let mut bytes: Vec<u8> = text.bytes().collect();
        bytes.resize(8, 0);
        json!([text.len(), bytes])
    };
    let three = || json!([[3, 1, 2], 3]);
    let cases = [
        ("text(u8[n], n)", "3", json!([text("123"), 3]), 123),
        ("text_value(u8[n], n)", "3", json!([text("123"), 3]), 321),
        ("text_move(u8[n], n)", "3", json!([text("123"), 3]), 3),
        ("text_pointer(u8[n], n)", "3", json!([text("123"), 3]), 123),
        ("view(u8[n], n)", "3", json!([text("127"), 3]), 2),
        ("two(u8[n], n, u8[n], n)", "2", json!([text("12"), 2, text("13"), 2]), 1),
        ("among(i32[n], n, i32)", "3", json!([[3, 1, 3], 3, 3]), 2),
        ("bools(bool[n], n)", "3", json!([[1, 0, 1], 3]), 5),
        ("strings({u8 in 0..=8, u8[8]}[n], n)", "2", json!([[short("12"), short("345")], 2]), 12345),
        ("rows({u8 in 0..=4, i32[4]}[n], n)", "2", json!([[[2, [1, 2, 0, 0]], [1, [3, 0, 0, 0]]], 2]), 123),
        ("points({i32, i32}[n], n)", "2", json!([[[1, 2], [3, 4]], 2]), 1234),
        (
            "people({{u8 in 0..=8, u8[8]}, i32, bool[3], {u8 in 0..=4, i32[4]}}[n], n)",
            "2",
            json!([
                [[short("1"), 2, [0, 0, 0], [0, [0, 0, 0, 0]]], [short("500"), 20, [0, 0, 1], [2, [9, 4000, 9, 9]]]],
                2
            ]),
            4521,
        ),
        ("spanned(i16[n], n)", "3", three(), 1),
        ("grid(i32[2][3])", "1", json!([[[1, 2, 3], [4, 5, 6]]]), 2),
        ("pair({i32, f64})", "1", json!([[1, 2.5]]), 3),
        ("triple({i8, i64, {u8 in 0..=8, u8[8]}})", "1", json!([[1, 20, short("300")]]), 320),
        ("maybe({bool, i32})", "1", json!([[1, 7]]), 7),
        ("table({i32, {u8 in 0..=8, u8[8]}}[n], n)", "2", json!([[[3, short("4")], [1, short("2")]], 2]), 1234),
        ("counts({{u8 in 0..=8, u8[8]}, i32}[n], n)", "2", json!([[[short("7"), 5], [short("77"), 6]], 2]), 5),
        ("unique(i32[n], n)", "3", json!([[1, 3, 1], 3]), 31),
        ("hashed(i64[n], n)", "3", json!([[5, 6, 5], 3]), 2),
        ("both(i32[n], n, i16[n], n)", "3", json!([[3, 1, 2], 3, [4, 5, 6], 3]), 36),
        ("heap(i32[n], n)", "3", three(), 3),
        ("number(i32[1], f64)", "1", json!([[4], 2.5]), 9),
        ("point({i32, i32})", "1", json!([[1, 2]]), 12),
        ("point_value({i32, i32})", "1", json!([[1, 2]]), 12),
        ("coloured(u8[n], n, i32 in 0..=1 | 7)", "1", json!([text("1"), 1, 7]), 8),
        ("mixed(u8[n], n, i32[n], n)", "2", json!([text("12"), 2, [1, 2], 2]), 15),
        ("constant(u8[n], n)", "1", json!([text("1"), 1]), 42),
        ("reads(u8[n], n)", "4", json!([text("12 3"), 4]), 15),
        ("apply(i32[n], n, &half)", "3", json!([[2, 4, 6], 3, "&half"]), 6),
        ("deep::er::inside(u8[n], n)", "2", json!([text("12"), 2]), 12),
        ("Tools::length(u8[n], n)", "2", json!([text("12"), 2]), 2),
        ("Tools::method(i32[n], n)", "3", three(), 8),
        ("biggest<int>(i32[n], n)", "3", three(), 3),
        ("\"over(const std::string &)\"(u8[n], n)", "1", json!([text("1"), 1]), 1),
        ("\"over(int)\"(i32)", "1", json!([1]), 2),
        ("_Z4overi(i32)", "1", json!([1]), 2),
    ];
    let listed = stdout(&pessimum(&here, &["inspect", "objects.cpp", "--cflags=-std=c++20"]));
    for (call, size, input, result) in cases {
        assert!(call.starts_with("_Z") || listed.contains(&format!("  --call '{call}'\n")), "{call}: {listed}");
        let ran = ran(&here, "sorted/module.wasm", call, size, &input);
        assert_eq!(ran["result"], json!([result]), "{call}");
        // The call happens, even where the compiler knows its result, and nothing else is counted.
        assert!(ran["costs"]["instructions"].as_u64().unwrap() > 0, "{call}: {ran}");
    }
    for (call, size, input) in [("makes(u8[n], n)", "1", json!([[49], 1])), ("writes(i32)", "1", json!([5]))] {
        assert!(listed.contains(&format!("  --call '{call}'\n")), "{call}: {listed}");
        ran(&here, "sorted/module.wasm", call, size, &input);
    }
    // What a function changes can be seen.
    for (call, input, after) in [
        ("text_change(u8[n], n)", json!([[51, 49, 50], 3]), json!([49, 50, 51])),
        ("sort(i32[n], n)", three(), json!([1, 2, 3])),
        ("spanned(i16[n], n)", three(), json!([1, 2, 3])),
    ] {
        assert_eq!(ran(&here, "sorted/module.wasm", call, "3", &input)["buffers"][0], after, "{call}");
    }
}

#[test]
fn the_code_that_makes_objects_is_neither_counted_nor_shown() {
    let Some(here) = objects() else { return };
    let found: Value = serde_json::from_slice(&std::fs::read(here.join("sorted/result.json")).unwrap()).unwrap();
    assert_eq!((&found["complete"], &found["call"]), (&json!(true), &json!("sort(i32[n], n)")));
    let values: Vec<i64> = found["input"][0].as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a > b), "{values:?}");
    let functions: Vec<&str> =
        found["functions"].as_array().unwrap().iter().map(|function| function["name"].as_str().unwrap()).collect();
    assert!(functions[0].starts_with("sort("), "{functions:?}");
    assert!(!found.to_string().contains("pessimum_call"), "{found}");
    let lines = found["lines"].as_array().unwrap();
    assert!(lines.iter().all(|line| !line["file"].as_str().unwrap().contains("pessimum")), "{lines:?}");
    assert!(lines[0]["file"].as_str().unwrap().ends_with("objects.cpp"), "{lines:?}");
}

/// Input in the place of an object would be followed as pointers, and whatever is found is nonsense.
#[test]
fn objects_that_cannot_be_made_are_refused() {
    let Some(here) = objects() else { return };
    for (call, message) in [
        ("text(str[n])", "`text` takes `const std::string &`, made from what is in this call: --call 'text(u8[n], n)'"),
        (
            "among(u8[n], n, i32)",
            "the argument 1 of `among` is an array of i32: as many of u8 are less memory than it reads",
        ),
        ("secret", "its parameter 1 `s` is `const Secret &`; its field `x` is private: write a small function"),
        ("derived", "its parameter 1 `d` is `const Derived &`; it is derived from another class"),
        ("callback", "its parameter 1 `f` is `std::function<int (int)>`; write a small function"),
        ("callback(u8[n])", "`callback` cannot be called with bytes in the place of an object: its parameter 1 `f` is"),
        ("no_default", "a call of it does not compile: no matching constructor"),
        ("over", "`over` stands for several functions:\n  --call '\"over(const std::string &)\"(u8[n], n)'"),
        ("never(i32)", "`never` is in the source, but the compiler made no function of it"),
        ("nameless(i32)", "it is in a namespace without a name"),
        ("Tools::hidden(i32)", "`Tools::hidden` is in the source, but"),
    ] {
        let words = ["worst", "objects.cpp", "--cflags=-std=c++20", "--size", "4", "--call", call];
        let output = pessimum(&here, &words);
        assert_eq!(output.status.code(), Some(1), "{call}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{call}: {}", stderr(&output));
    }
}
