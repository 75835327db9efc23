//! The language of `--call` through all commands: unions of ranges, records, arrays of arrays, sizes with names, pointers
//! to functions, UTF-8.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const C: &str = r#"
#include <stdint.h>
struct item { uint8_t flag; int32_t key; char name[4]; int64_t weight; };

/* Worst: keys in descending order. */
int sort_items(struct item *a, int n) {
    int moves = 0;
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1].key > a[j].key; j--) {
            struct item t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; moves++;
        }
    return moves;
}
int above(int m[][3], int n) {
    int found = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) if (m[i][j] > 10 * i + j) found += i + 1;
    return found;
}
void fill(struct item *out, int n) { for (int i = 0; i < n; i++) { out[i].key = i; out[i].name[1] = 'x'; } }
/* Each line is read to its end once more for every line before it. */
int lines(const unsigned char *s, int n) {
    volatile int steps = 0; int seen = 0;
    for (int i = 0; i < n; i++) if (s[i] == '\n') { seen++; for (int k = 0; k < seen; k++) steps++; } else if (s[i] < ' ') __builtin_trap();
    return steps;
}
int compare(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
int one(int x) { return x; }
static int dropped(const void *a, const void *b) { return 0; }
void sort_by(int *a, int n, int (*less)(const void *, const void *)) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && less(&a[j - 1], &a[j]) > 0; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }
}
int common(const int *a, int n, const int *b, int m) {
    int c = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (a[i] != b[j]) break; c++; }
    return c;
}
/* How many bytes the text and the pattern have in common, where `?` stands for any of them. */
int agree(const char *pattern, const char *text) {
    int c = 0;
    while (pattern[c] && text[c] && (pattern[c] == '?' || pattern[c] == text[c])) c++;
    return c;
}
/* Traps unless the text is UTF-8, without looking at all of it; long characters cost most. */
int chars(const uint8_t *s, int n) {
    int i = 0, c = 0;
    while (i < n) {
        int length = s[i] < 0x80 ? 1 : s[i] < 0xc0 ? 0 : s[i] < 0xe0 ? 2 : s[i] < 0xf0 ? 3 : 4;
        if (length == 0) __builtin_trap();
        for (volatile int k = 0; k < length * length; k++) ;
        i += length; c++;
    }
    if (i != n) __builtin_trap();
    return c;
}
"#;

/// A directory with the source file; `None` where the compiler is missing.
fn place(name: &str) -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("call_language").join(name);
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("f.c"), C).unwrap();
    if pessimum_testkit::tools::clang().is_some() {
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

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command that succeeds prints.
fn printed(directory: &Path, words: &[&str]) -> String {
    let output = pessimum(directory, words);
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The same as JSON.
fn read(directory: &Path, words: &[&str]) -> Value {
    serde_json::from_str(&printed(directory, &[words, &["--json"]].concat())).unwrap()
}

/// Why a command is refused.
fn refused(directory: &Path, words: &[&str]) -> String {
    let output = pessimum(directory, words);
    assert!(!output.status.success(), "{words:?}");
    stderr(&output)
}

#[test]
fn values_outside_a_union_are_never_tried() {
    let Some(place) = place("unions") else { return };
    // Control characters other than a new line trap, and nothing may trap.
    let call = "--call=lines(u8[n] in ' '..='~' | '\\n', n)";
    for strategy in ["auto", "random", "ga", "exhaustive"] {
        let words = ["worst", "f.c", call, "--size=6", "--paths=200", "--strategy", strategy, "--out", strategy];
        let result = read(&place, &words);
        assert_eq!(result["end"], "returned", "{strategy}");
        assert_eq!(result["ends"].get("trapped"), None, "{strategy}: {}", result["ends"]);
    }
    let best = read(&place, &["worst", "f.c", call, "--size=6", "--strategy=exhaustive", "--out=best"]);
    assert_eq!(best["input"], json!([[10, 10, 10, 10, 10, 10], 6]));
    assert_eq!(best["complete"], true);
    let shown = printed(&place, &["shrink", "best"]);
    assert!(shown.contains(r#"lines("\n\n\n\n\n\n", 6)"#), "{shown}");
    // From one size to the next, and in suites.
    read(&place, &["curve", "f.c", call, "--sizes=2,4,8", "--paths=30", "--out=curve"]);
    let suite = read(&place, &["cover", "f.c", call, "--sizes=1..4", "--paths=60", "--out=cover"]);
    for input in suite["inputs"].as_array().unwrap() {
        let allowed = |byte: &Value| byte == 10 || (32..=126).contains(&byte.as_u64().unwrap());
        assert!(input[0].as_array().unwrap().iter().all(allowed), "{input}");
    }
    let error = refused(&place, &["run", "f.c", "--stdin=24 in ' '..='~','\\n'"]);
    assert!(error.contains("expected `|` between ranges"), "{error}");
}

#[test]
fn records_go_through_every_command() {
    let Some(place) = place("records") else { return };
    let call = "--call=sort_items({bool, i32 in 0..=99, u8[4] in 'a'..='z', i64}[n], n)";
    std::fs::write(place.join("in.json"), r#"[[[1, 5, "abcd", -9], [0, 3, [97, 98, 99, 100], 7]], 2]"#).unwrap();
    let ran = read(&place, &["run", "f.c", call, "--size=2", "--input=in.json"]);
    assert_eq!(ran["result"], json!([1]));
    assert_eq!(ran["buffers"][0], json!([[0, 3, [97, 98, 99, 100], 7], [1, 5, [97, 98, 99, 100], -9]]));
    let worst = read(
        &place,
        &["worst", "f.c", call, "--size=5", "--strategy=exhaustive", "--out=worst", "--emit=json,rust,c,wast"],
    );
    let keys: Vec<i64> = worst["input"][0].as_array().unwrap().iter().map(|item| item[1].as_i64().unwrap()).collect();
    assert!(keys.is_sorted_by(|one, other| one > other), "{keys:?}");
    assert_eq!(worst["complete"], true);
    // 24 bytes each, as in C.
    assert_eq!(std::fs::metadata(place.join("worst/argument-1.bin")).unwrap().len(), 5 * 24);
    for file in ["worst_test.json", "worst_test.rs", "worst_test.c", "worst_test.wast"] {
        assert!(place.join("worst").join(file).is_file() || place.join(file).is_file(), "{file}");
    }
    assert!(printed(&place, &["replay", "worst"]).contains("the same as now"));
    let shrunk = printed(&place, &["shrink", "worst"]);
    assert!(shrunk.contains("column 2 in descending order"), "{shrunk}");
    let report = std::fs::read_to_string(place.join("worst/report.html")).unwrap();
    assert!(report.contains("Argument 1: 5 rows"));
    let curve = read(&place, &["curve", "f.c", call, "--sizes=2,3,4,5,6", "--paths=800", "--out=curve"]);
    assert_eq!(curve["points"].as_array().unwrap().len(), 5);

    let rows = read(
        &place,
        &["worst", "f.c", "--call=above(i32[n][3], n)", "--size=2", "--strategy=exhaustive", "--out=rows"],
    );
    assert_eq!((rows["input"][0].as_array().unwrap().len(), rows["complete"].clone()), (2, json!(true)));
    let filled = read(&place, &["run", "f.c", "--call=fill(out {u8, i32, u8[4], i64}[n], n)", "--size=2"]);
    assert_eq!(filled["buffers"][0], json!([[0, 0, [0, 120, 0, 0], 0], [0, 1, [0, 120, 0, 0], 0]]));
    assert_eq!(filled["input"][0], Value::Null);
    std::fs::write(place.join("bad.json"), "[[[1, 5, \"abcd\", -9], [0, 3]], 2]").unwrap();
    let error = refused(&place, &["run", "f.c", call, "--size=2", "--input=bad.json"]);
    assert!(error.contains("input[0][1]: expected a list of the 4 fields of a record, found a list of 2"), "{error}");
}

#[test]
fn sizes_have_names() {
    let Some(place) = place("sizes") else { return };
    let call = "--call=common(i32[n], n, i32[m], m)";
    let result = read(&place, &["worst", "f.c", call, "--size=n=3,m=2", "--paths=200", "--out=out", "--emit=json"]);
    assert_eq!((result["size"].clone(), result["sizes"].clone()), (json!(3), json!({ "m": 2 })));
    assert_eq!(result["plan"]["sizes"], json!({ "m": 2 }));
    assert_eq!(result["input"][2].as_array().unwrap().len(), 2);
    assert!(printed(&place, &["replay", "out"]).contains("the same as now"));
    read(&place, &["run", "f.c", call, "--size=4", "--size=m=1"]);
    let curve = read(&place, &["curve", "f.c", call, "--sizes=2,4,6", "--size=m=3", "--paths=20", "--out=curve"]);
    assert_eq!(curve["points"].as_array().unwrap().len(), 3);
    let error = refused(&place, &["run", "f.c", call, "--size=6"]);
    assert!(error.contains("`m` stands for a size that was not given; give it as in `--size n=10,m=8`"), "{error}");
    let error = refused(&place, &["run", "f.c", call, "--size", "-1"]);
    assert!(error.contains("a size is a number from 0 on"), "{error}");
    let error = refused(&place, &["run", "f.c", call, "--size=1,2"]);
    assert!(error.contains("`n` is given twice"), "{error}");
    let error = refused(&place, &["run", "f.c", call, "--size=1,m=2,k=3"]);
    assert!(error.contains("no length is in terms of `k`"), "{error}");
    let output = pessimum(&place, &["run", "f.c", "--call=common(i32[n], 2*n, i32[n], n)", "--size=3"]);
    assert!(stderr(&output).contains("argument 2 is 6, but the buffer of argument 1 has 3 elements"));
    // Results without other sizes are read as before.
    let file = place.join("out/result.json");
    let mut old: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    old.as_object_mut().unwrap().remove("sizes");
    std::fs::write(&file, old.to_string()).unwrap();
    assert!(printed(&place, &["replay", "out"]).contains("the same as now"));
}

#[test]
fn functions_can_be_passed() {
    let Some(place) = place("functions") else { return };
    let call = |name: &str| format!("--call=sort_by(i32[n], n, &{name})");
    let result = read(&place, &["worst", "f.c", &call("compare"), "--size=4", "--strategy=exhaustive", "--out=out"]);
    let numbers: Vec<i64> = result["input"][0].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, other| one > other), "{numbers:?}");
    assert_eq!((result["complete"].clone(), result["input"][2].clone()), (json!(true), json!("&compare")));
    assert!(printed(&place, &["replay", "out"]).contains("the same as now"));
    // A function of the C library that the source does not mention.
    std::fs::write(place.join("three.json"), "[[3, 1, 2], 3, 4, \"&compare\"]").unwrap();
    let words = ["run", "f.c", "--call=qsort(i32[n], n, 4, &compare)", "--size=3", "--input=three.json"];
    let sorted = read(&place, &words)["buffers"].to_string();
    assert!(sorted.contains("[1,2,3]"), "{sorted}");
    let error = refused(&place, &["run", "f.c", &call("compar"), "--size=2"]);
    assert!(
        error.contains("there is no function `compar` in the module") && error.contains("did you mean `&compare`?")
    );
    let error = refused(&place, &["run", "f.c", &call("one"), "--size=2"]);
    assert!(error.contains("`one` has the type (i32) -> (i32), but functions are called through pointers only as"));
    let error = refused(&place, &["run", "f.c", &call("dropped"), "--size=2"]);
    assert!(error.contains("a static function that nothing uses is dropped by the compiler"), "{error}");
}

#[test]
fn texts_and_numbers_can_be_fixed() {
    let Some(place) = place("constants") else { return };
    let call = "--call=agree(\"a?\\x80b\", str[n])";
    let best = read(&place, &["worst", "f.c", call, "--size=4", "--strategy=exhaustive", "--out=best"]);
    assert_eq!(best["complete"], true, "{best}");
    let shown = printed(&place, &["shrink", "best"]);
    assert!(
        shown.contains(r#"agree("a?\x80b", "a"#),
        "a byte that is no ASCII does not make a list of numbers: {shown}"
    );
    assert!(printed(&place, &["replay", "best"]).contains("the same as now"));
    assert_eq!(read(&place, &["run", "f.c", "--call=agree(\"a?c\", \"abd\")"])["result"], json!([2]));
    assert_eq!(read(&place, &["run", "f.c", "--call=one(-5)"])["result"], json!([-5]));
}

#[test]
fn texts_in_utf8_are_always_valid() {
    let Some(place) = place("utf8") else { return };
    // The function traps on what is no UTF-8, so that no trap means no such input.
    let call = "--call=chars(utf8[n], n)";
    for strategy in ["auto", "random", "ga", "exhaustive"] {
        let words = ["worst", "f.c", call, "--size=5", "--paths=300", "--strategy", strategy, "--out", strategy];
        let result = read(&place, &words);
        assert_eq!(result["ends"].get("trapped"), None, "{strategy}: {}", result["ends"]);
    }
    let best = read(&place, &["worst", "f.c", call, "--size=8", "--strategy=exhaustive", "--out=best"]);
    let text = best["input"][0].as_str().unwrap();
    assert!(best["complete"] == true && text.len() == 8 && text.chars().all(|c| c.len_utf8() == 4), "{text:?}");
    read(&place, &["shrink", "best"]);
    let long = read(&place, &["worst", "f.c", call, "--size=400", "--paths=300", "--out=long"]);
    assert_eq!(long["ends"].get("trapped"), None);
    read(&place, &["curve", "f.c", call, "--sizes=2,5,9,14", "--paths=60", "--out=curve"]);
    std::fs::write(place.join("text.json"), r#"[{"text": "aé€"}, 6]"#).unwrap();
    assert_eq!(read(&place, &["run", "f.c", call, "--size=6", "--input=text.json"])["result"], json!([3]));
    std::fs::write(place.join("alone.json"), r#""aé€""#).unwrap();
    assert_eq!(read(&place, &["run", "f.c", call, "--size=6", "--input=alone.json"])["result"], json!([3]));
    std::fs::write(place.join("bad.json"), "[[97, 195, 97], 3]").unwrap();
    let error = refused(&place, &["run", "f.c", call, "--size=3", "--input=bad.json"]);
    assert!(error.contains("input[0]: this is no UTF-8, as the call requires: see byte 1"), "{error}");
}
