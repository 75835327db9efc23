//! Source files as subjects: every language, the errors of its compiler and of its absence, and the cache.
//!
//! A compiler that is not on the machine is reported and its tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

/// A fresh directory for one test.
fn fresh(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sources").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The command, with a cache of the test's own.
fn pessimum(directory: &Path, here: &Path, words: &[&str]) -> Command {
    let mut command = Command::cargo_bin("pessimum").unwrap();
    command.current_dir(here).env("XDG_CACHE_HOME", directory.join("cache")).args(words);
    // Zig's cache of its own library takes long to make and is not what is tested.
    command.env("ZIG_GLOBAL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("zig"));
    for variable in ["PESSIMUM_CC", "PESSIMUM_RUSTC", "PESSIMUM_ZIG", "PESSIMUM_ASC", "PESSIMUM_CARGO"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the command among the test sources.
fn run(directory: &Path, words: &[&str]) -> Output {
    pessimum(directory, &sources(), words).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn parsed(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A concrete run of a file on this input.
fn ran(directory: &Path, file: &str, flags: &[&str], input: &Value) -> Value {
    let path = directory.join("input.json");
    std::fs::write(&path, input.to_string()).unwrap();
    let mut words = vec!["run", file, "--json", "--input", path.to_str().unwrap()];
    words.extend(flags);
    parsed(&run(directory, &words))
}

/// Whether the compiler for this file is on the machine; says so where it is not. All tests share the cache of these
/// questions, also with `cache.rs`, because some compilers take seconds.
fn can_compile(file: &str) -> bool {
    let output = run(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("probes"), &["inspect", file]);
    let said = stderr(&output);
    let missing = ["was found: install", "rustup target add", "hint: this needs the C++ library"]
        .iter()
        .any(|text| said.contains(text));
    if !missing {
        assert!(output.status.success(), "{said}");
        return true;
    }
    assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{said}");
    println!("not tested, the compiler is missing: {said}");
    false
}

/// Searches completely for the worst input of a sort of four numbers, which is any in strictly descending order, and
/// replays it from the files left behind.
fn worst_of_sort(directory: &Path, file: &str, call: &str, place: &str) {
    let out = directory.join("out");
    let out = out.to_str().unwrap();
    let flags = ["--call", call, "--size", "4", "--out", out, "--json"];
    let found = parsed(&run(directory, &[&["worst", file][..], &flags].concat()));
    assert_eq!(found["complete"], true, "{found}");
    let values: Vec<i64> = found["input"][0].as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a > b), "{values:?}");
    let sites: Vec<&str> =
        found["hottest"].as_array().unwrap().iter().filter_map(|site| site["site"].as_str()).collect();
    assert!(sites.iter().any(|site| site.contains(place)), "{place} is not in {sites:?}");
    let again = parsed(&run(directory, &["replay", out, "--json"]));
    assert_eq!(again["cost"]["value"], found["cost"]["value"]);
    let sorted = ran(directory, file, &["--call", call, "--size", "4"], &found["input"]);
    let mut expected = values.clone();
    expected.sort_unstable();
    assert_eq!(sorted["buffers"][0], json!(expected));
}

#[test]
fn c() {
    let directory = fresh("c");
    if !can_compile("insertion.c") {
        return;
    }
    worst_of_sort(&directory, "insertion.c", "sort(i32[n], n)", "(insertion.c:12)");
    // The library's allocator and our buffers do not interfere with each other.
    let copied =
        ran(&directory, "insertion.c", &["--call", "copied(i32[n], n)", "--size", "3"], &json!([[7, 5, 4], 3]));
    assert_eq!(copied["result"], json!([7]));
    assert_eq!(copied["buffers"][0], json!([7, 5, 4]));
    let words = ran(&directory, "words.c", &["--stdin", "5"], &json!({ "stdin": "6120622063" }));
    assert_eq!((&words["stdout"], &words["end"]), (&json!("3 words\n"), &json!("returned")));
    let asks = ran(&directory, "asks.c", &["--entry", "start"], &json!({ "values": [{ "i32": 200 }] }));
    assert_eq!((&asks["result"], &asks["costs"]["user"]), (&json!([7]), &json!(7)));
}

#[test]
fn cpp() {
    let directory = fresh("cpp");
    if !can_compile("greatest.cpp") {
        return;
    }
    let greatest =
        ran(&directory, "greatest.cpp", &["--call", "greatest(i32[n], n)", "--size", "3"], &json!([[3, 9, 4], 3]));
    assert_eq!(greatest["result"], json!([9]));
    let area = ran(&directory, "greatest.cpp", &["--call", "shapes::area(i32, i32)"], &json!([6, 7]));
    assert_eq!(area["result"], json!([42]));
    // Overloads keep the names that tell them apart.
    let twice = ran(&directory, "greatest.cpp", &["--call", "_Z5twicei(i32)"], &json!([21]));
    assert_eq!(twice["result"], json!([42]));
    if can_compile("median.cpp") {
        let median =
            ran(&directory, "median.cpp", &["--call", "median(i32[n], n)", "--size", "3"], &json!([[9, 1, 4], 3]));
        assert_eq!(median["result"], json!([4]));
    }
}

#[test]
fn cpp_exceptions() {
    let directory = fresh("cpp_exceptions");
    if !can_compile("greatest.cpp") {
        return;
    }
    // Everything about exceptions goes as it does natively.
    let all = ran(&directory, "exceptions.cpp", &[], &json!([]));
    assert_eq!((&all["end"], &all["stderr"]), (&json!("returned"), &json!("")));
    let expected = std::fs::read_to_string(sources().join("exceptions.txt")).unwrap();
    assert_eq!(all["stdout"].as_str().unwrap(), expected);

    let call = |call: &str, text: &str| {
        let input = json!([text.as_bytes(), text.len()]);
        let flags = ["--call", call, "--size", &text.len().to_string()].map(str::to_string);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        ran(&directory, "throws.cpp", &flags, &input)
    };
    let evaluate = |text: &str| call("evaluate(u8[n], n)", text)["result"][0].clone();
    assert_eq!(evaluate("2*(3+4)+5"), 19);
    assert_eq!(evaluate("2*(3+4"), -7);
    assert_eq!(evaluate("2*+3"), -3);
    assert_eq!(evaluate("((((1))))"), -100);
    // Functions of the library, which was compiled without exceptions.
    assert_eq!(call("number(u8[n], n)", "41")["result"], json!([41]));
    assert_eq!(call("number(u8[n], n)", "x1")["result"], json!([-1]));
    for (text, place) in [("1+", "Parser::factor"), ("1)", "strict"), ("99999999999", "")] {
        let (function, text) = if place.is_empty() { ("number", text) } else { ("strict", text) };
        let uncaught = call(&format!("{function}(u8[n], n)"), text);
        assert_eq!(uncaught["end"], "trapped: uncaught exception");
        assert!(uncaught["backtrace"].to_string().contains(place), "{uncaught}");
    }
}

#[test]
fn searches_of_programs_that_throw() {
    let directory = fresh("throws");
    if !can_compile("greatest.cpp") {
        return;
    }
    // Each of the 10^2 texts is on one of the paths, whose end and cost the search knows.
    let flags = ["throws.cpp", "--call", "strict(u8[n] in '('..='1', n)", "--size", "2", "--json"];
    let paths = parsed(&run(&directory, &[&["paths"][..], &flags].concat()));
    assert_eq!(paths["complete"], true, "{paths}");
    let ends = paths["ends"].to_string();
    assert!(ends.contains("returned") && ends.contains("uncaught exception"), "{ends}");
    let out = directory.join("out");
    let words = ["worst", "--seed", "1", "--end", "any", "--out", out.to_str().unwrap()];
    let worst = parsed(&run(&directory, &[&words[..], &flags].concat()));
    assert_eq!(worst["complete"], true, "{worst}");
    let mut most = 0;
    for (a, b) in (40..50).flat_map(|a| (40..50).map(move |b| (a, b))).step_by(7) {
        let flags = ["--call", "strict(u8[n], n)", "--size", "2"];
        let ran = ran(&directory, "throws.cpp", &flags, &json!([[a, b], 2]));
        most = most.max(ran["costs"]["instructions"].as_u64().unwrap());
    }
    let found = worst["cost"]["value"].as_u64().unwrap();
    assert!(found >= most, "{found} is less than {most}");
}

#[test]
fn options_about_exceptions_are_obeyed() {
    let directory = fresh("about_exceptions");
    if !can_compile("greatest.cpp") {
        return;
    }
    let off = run(&directory, &["inspect", "throws.cpp", "--cflags", "-fno-exceptions"]);
    assert_eq!(off.status.code(), Some(1));
    assert!(stderr(&off).contains("with exceptions disabled"), "{}", stderr(&off));
    let on = run(&directory, &["inspect", "greatest.cpp", "--cflags", "-fwasm-exceptions"]);
    assert!(on.status.success(), "{}", stderr(&on));
}

#[test]
fn rust() {
    let directory = fresh("rust");
    if !can_compile("library.rs") || !can_compile("lines.rs") {
        return;
    }
    worst_of_sort(&directory, "library.rs", "sort(i32[n], n)", "(library.rs:7)");
    let balanced = |text: &str| {
        let flags = ["--call", "balanced(utf8[n], n)", "--size", "4"];
        let ran = ran(&directory, "library.rs", &flags, &json!([text, 4]));
        (ran["end"].as_str().unwrap().to_string(), ran["result"].clone())
    };
    assert_eq!(balanced("()()"), ("returned".to_string(), json!([1])));
    assert_eq!(balanced(")(()"), ("returned".to_string(), json!([0])));
    let total = ran(&directory, "library.rs", &["--call", "total(u16[n], n)", "--size", "2"], &json!([[1, 2], 2]));
    assert_eq!(total["end"], "returned");
    let raw = ran(&directory, "library.rs", &["--call", "raw(i32)"], &json!([41]));
    assert_eq!(raw["result"], json!([42]));
    let lines = ran(&directory, "lines.rs", &["--stdin", "6"], &json!({ "stdin": "61620a636465" }));
    assert_eq!(lines["stdout"], "3\n");
    for (call, message) in [
        ("sort(i32[n])", "as a pointer and its length: --call 'sort(i32[n], n)'"),
        ("balanced(u8[n], n)", "the argument 1 of `balanced` is a text, which is always UTF-8: write `utf8[n]`"),
        ("one()", "`one` cannot be called: it is in the private module `helper`"),
        ("sord(i32[n], n)", "no function `sord`; did you mean `sort`?"),
    ] {
        let output = run(&directory, &["run", "library.rs", "--call", call, "--size", "2"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

/// Names that the crate around a library might use itself, and what cannot be called.
const NAMES: &str = "\
pub fn text(x: &str) -> usize { x.len() + 1 }
pub fn assume(x: i32) -> i32 { x + 2 }
pub fn subject(x: i32) -> i32 { x + 3 }
pub fn pessimum(x: i32) -> i32 { x + 4 }
pub fn core(x: i32) -> i32 { x + 5 }
pub fn call_0(x: i32) -> i32 { x + 6 }
pub mod inner { pub fn deep(x: i32) -> i32 { x } }
pub struct Pile;
impl Pile { pub fn push(&self, x: i32) -> i32 { x } }
pub fn memcpy(x: i32) -> i32 { x + 7 }
pub fn memory(x: i32) -> i32 { x + 8 }
pub fn odd(x: i32, options: *const u8) {}
";

#[test]
fn any_name_of_a_rust_function_will_do() {
    let directory = fresh("names");
    if !can_compile("library.rs") {
        return;
    }
    let here = directory.join("here");
    std::fs::create_dir_all(here.join("subject/src")).unwrap();
    std::fs::write(here.join("text.rs"), NAMES).unwrap();
    std::fs::write(here.join("subject/src/lib.rs"), NAMES).unwrap();
    let manifest = "[package]\nname = \"core_\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(here.join("subject/Cargo.toml"), manifest).unwrap();
    let run = |file: &str, call: &str, input: Value| {
        std::fs::write(here.join("input.json"), input.to_string()).unwrap();
        let words = ["run", file, "--call", call, "--size", "2", "--json", "--input", "input.json"];
        pessimum(&directory, &here, &words).output().unwrap()
    };
    for file in ["text.rs", "subject"] {
        assert_eq!(parsed(&run(file, "text(utf8[n], n)", json!(["ab", 2])))["result"], json!([3]));
        for (name, result) in [
            ("assume", 42),
            ("subject", 43),
            ("pessimum", 44),
            ("core", 45),
            ("call_0", 46),
            ("memcpy", 47),
            ("crate::memory", 48),
            ("inner::deep", 40),
            ("Pile::push", 40),
        ] {
            let output = run(file, &format!("{name}(i32)"), json!([40]));
            assert_eq!(parsed(&output)["result"], json!([result]), "{name}");
        }
        let inspected = pessimum(&directory, &here, &["inspect", file]).output().unwrap();
        assert!(String::from_utf8_lossy(&inspected.stdout).contains("call_0"), "{inspected:?}");
        for (call, message) in [
            ("deep(i32)", "no function `deep`; did you mean `inner::deep`?"),
            (
                "odd(i32)",
                "`odd` cannot be called: its parameter `options` is `*const u8`: `*const u8` is a raw pointer",
            ),
        ] {
            let output = run(file, call, json!([1]));
            assert_eq!(output.status.code(), Some(1));
            assert!(stderr(&output).contains(message), "{}", stderr(&output));
        }
    }
}

/// What ordinary functions take: each is called as its types say, and gets the values that the data stands for.
#[test]
fn ordinary_rust_types() {
    let directory = fresh("types");
    if !can_compile("types.rs") {
        return;
    }
    let inspected = run(&directory, &["inspect", "types.rs"]);
    let listed = String::from_utf8_lossy(&inspected.stdout).into_owned();
    let calls: Vec<&str> = listed.lines().filter_map(|line| line.trim().strip_prefix("--call ")).collect();
    let expected = std::fs::read_to_string(sources().join("types.calls")).unwrap();
    assert_eq!(calls.join("\n"), expected.trim_end(), "{}", stderr(&inspected));
    for reason in [
        "opaque: its parameter `what` is `&Opaque`: `Opaque` has private fields",
        "raw_pointer: its parameter `from` is `*const u8`",
        "later: it is `async`",
        "conditional: it is only there under `#[cfg(feature = \"never\")]`",
        "error: the compiler says: the trait bound `u32: std::error::Error` is not satisfied; --with E=TYPE",
    ] {
        assert!(listed.contains(&format!("  {reason}")), "{reason}: {listed}");
    }
    let text = |bytes: &[u8]| {
        let mut room = [0; 8];
        room[..bytes.len()].copy_from_slice(bytes);
        json!([bytes.len(), room])
    };
    for (name, input, result) in [
        ("dedup", json!([[5, 1, 5], 3]), json!(2)),
        ("array", json!([[9, 0, 0, 4]]), json!(5)),
        ("matrix", json!([[[1, 2, 3], [4, 5, 6]]]), json!(6)),
        ("letter", json!([0x3b1]), json!(1)),
        ("option", json!([[1, 30]]), json!(30)),
        ("option", json!([[0, 30]]), json!(7)),
        ("tuple", json!([[4, 2]]), json!(42)),
        ("references", json!([40, 2]), json!(42)),
        ("bools", json!([[1, 0, 1], 3]), json!(2)),
        ("words", json!([[text(b"ab"), text(b"abcd"), text(b"")], 3]), json!(4)),
        ("lists", json!([[text(b"ab"), text(b"abcd"), text(b"")], 3]), json!(6)),
        ("wide", json!([[0, 1], [5, 0]]), json!(1)),
        ("map", json!([[[1, 11], [2, 3], [1, 2]], 3]), json!(0)),
        ("sets", json!([[1, 2, 1], 3, [7, 7, 7], 3]), json!(3)),
        ("points", json!([[[1, 2], [2, 1], [3, 1]], 3]), json!(2)),
        ("shape", json!([[2, 9.0, [6, 7]]]), json!(42.0)),
        ("shape", json!([[1, 9.0, [6, 7]]]), json!(81.0)),
        ("colors", json!([2, [2, 1, 2], 3]), json!(2)),
        ("meters", json!([1.5]), json!(1.5)),
        ("chosen", json!([[7, 8, 9], 3, [1, 0, 1, 0, 0, 0, 0, 0]]), json!(2)),
        ("zeros", json!([[0, 1, 0, 0]]), json!(3)),
        ("element", json!([[7, 8, 9], 3, 1]), json!(8)),
        ("library", json!([[30, 5], 4, 0, 8]), json!(42)),
        ("pointers", json!([]), json!(3 + 1 + 4)),
        ("reader", json!([[1, 2, 4], 3]), json!(7)),
        ("heap::Heap::into_len", json!([[1, 2, 4], 3]), json!(3)),
        ("Even::half", json!([84]), json!(42)),
        ("Point::area", json!([[6, 7]]), json!(42.0)),
        ("area_of_all", json!([[[6, 7], [1, 1], [0, 5]], 3]), json!(43.0)),
        ("half", json!([84]), json!(42)),
    ] {
        let ran = ran(&directory, "types.rs", &["--call", name, "--size", "3"], &input);
        assert_eq!((&ran["result"], &ran["end"]), (&json!([result]), &json!("returned")), "{name} {input}");
    }
    // A value that its own constructor refuses is no input at all.
    let path = directory.join("input.json");
    std::fs::write(&path, "[83]").unwrap();
    let refused = run(&directory, &["run", "types.rs", "--call", "Even::half", "--input", path.to_str().unwrap()]);
    assert!(!String::from_utf8_lossy(&refused.stdout).contains("returned"), "{refused:?}");
    // A panic of the function itself is an end of its own, and its message is not formatted.
    std::fs::write(&path, "[3, 4]").unwrap();
    let words = ["run", "types.rs", "--call", "minus", "--json", "--input", path.to_str().unwrap()];
    let panicked = parsed(&run(&directory, &words));
    assert!(panicked["end"].to_string().contains("trapped"), "{panicked}");
    assert!(panicked["costs"]["instructions"].as_u64().unwrap() < 300, "{panicked}");
    // Only the function itself counts, however much is done to make its arguments.
    let half = parsed(&run(&directory, &["run", "types.rs", "--call", "meters", "--json"]));
    assert!(half["costs"]["instructions"].as_u64().unwrap() < 20, "{half}");
    // The worst heap for taking out the greatest: it sinks to the bottom.
    let out = directory.join("out");
    let words = ["worst", "types.rs", "--call", "heap::Heap::pop", "--size", "4", "--json", "--out"];
    let found = parsed(&run(&directory, &[&words[..], &[out.to_str().unwrap(), "--paths", "300"]].concat()));
    assert_eq!(found["end"], "returned", "{found}");
    let chosen = run(&directory, &["inspect", "types.rs", "--with", "T=(u8, i64)", "--with", "N=2"]);
    let listed = String::from_utf8_lossy(&chosen.stdout).into_owned();
    for call in ["largest({u8, i64}[n], n)", "zeros(u8[2])"] {
        assert!(listed.contains(&format!("  --call '{call}'\n")), "{call}: {listed}");
    }
    let output = run(&directory, &["inspect", "insertion.c", "--with", "T=u8"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("--with: insertion.c is not Rust"), "{}", stderr(&output));
}

/// The object files of one compilation are out of the way of another one that was started in the same directory.
#[test]
fn a_rust_file_is_compiled_by_several_at_once() {
    let directory = fresh("at_once");
    if !can_compile("library.rs") {
        return;
    }
    // Long enough that all of them are at work at the same moment.
    let function = |number: u32| {
        format!(
            "pub fn f{number}(x: &str) -> usize {{\n    let chars = x.chars().map(|c| c as u32 % {});\n    \
             chars.collect::<std::collections::BTreeSet<u32>>().len()\n}}\n",
            number + 2
        )
    };
    std::fs::write(directory.join("long.rs"), (0..30).map(function).collect::<String>()).unwrap();
    let here = &directory;
    std::thread::scope(|scope| {
        let compile = |number: u32| {
            let own = directory.join(number.to_string());
            scope.spawn(move || pessimum(&own, here, &["inspect", "long.rs"]).output().unwrap())
        };
        let compilations: Vec<_> = (0..2).map(compile).collect();
        for output in compilations.into_iter().map(|compilation| compilation.join().unwrap()) {
            assert!(output.status.success(), "{}", stderr(&output));
        }
    });
}

#[test]
fn errors_in_a_rust_package_are_text() {
    let directory = fresh("package-errors");
    if !can_compile("library.rs") {
        return;
    }
    let package = directory.join("package");
    std::fs::create_dir_all(package.join("src")).unwrap();
    let manifest = "[package]\nname = \"wrong\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(package.join("Cargo.toml"), manifest).unwrap();
    for (text, message) in [
        ("pub fn f() -> i32 { \"x\" }\n", "error[E0308]: mismatched types"),
        ("pub fn f() {}\npub fn g(x: ) {}\n", "src/lib.rs: line 2, column 13: "),
    ] {
        std::fs::write(package.join("src/lib.rs"), text).unwrap();
        let output = pessimum(&directory, &directory, &["run", "package", "--call", "f()"]).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(message), "{said}");
        assert!(!said.contains("{\"reason\"") && !said.contains("{\"$message_type\""), "{said}");
    }
}

#[test]
fn rust_package() {
    let directory = fresh("package");
    if !can_compile("library.rs") || !can_compile("lines.rs") {
        return;
    }
    // Cargo writes a Cargo.lock beside the manifest.
    let package = directory.join("package");
    std::fs::create_dir_all(package.join("src")).unwrap();
    for file in ["Cargo.toml", "src/lib.rs", "src/main.rs", "src/halves.rs", "src/counts.rs"] {
        std::fs::copy(sources().join("package").join(file), package.join(file)).unwrap();
    }
    let there = |words: &[&str]| parsed(&pessimum(&directory, &directory, words).output().unwrap());
    let flags = ["--call", "position(i64[n], n, i64)", "--size", "3", "--json", "--out", "out"];
    let found = there(&[&["worst", "package"][..], &flags].concat());
    assert_eq!(found["complete"], true);
    let site = found["hottest"][0]["site"].as_str().unwrap();
    assert!(site.contains("(package/src/halves.rs:"), "{site}");
    let even = |flags: &[&str]| {
        let words = ["run", "package", "--call", "even(u8[n], n)", "--size", "4", "--json"];
        there(&[&words[..], flags].concat())["result"].clone()
    };
    assert_eq!(even(&[]), json!([4]));
    assert_eq!(even(&["--cflags", "--features counted"]), json!([40]));
    assert_eq!(there(&["run", "package/Cargo.toml", "--json"])["stdout"], "Some(1)\n");
    // Modules in files of their own, names that are passed on, types that only their functions can make.
    let input = directory.join("input.json");
    for (call, given, result) in [
        ("Tally::frequent", json!([[5, 7, 5], 3, 2]), 1),
        ("frequent", json!([[5, 7, 6], 3, 1]), 3),
        ("counts::within", json!([[5, 7, 6], 3, [6, 9]]), 2),
    ] {
        std::fs::write(&input, given.to_string()).unwrap();
        let words = ["run", "package", "--call", call, "--size", "3", "--json", "--input", "input.json"];
        assert_eq!(there(&words)["result"], json!([result]), "{call}");
    }
    let inspected = pessimum(&directory, &directory, &["inspect", "package"]).output().unwrap();
    let listed = String::from_utf8_lossy(&inspected.stdout).into_owned();
    assert!(listed.contains("  --call 'Tally::frequent(u32[n], n, u32 in 0..=n)'\n"), "{listed}{inspected:?}");
}

#[test]
fn zig() {
    let directory = fresh("zig");
    if can_compile("insertion.zig") {
        worst_of_sort(&directory, "insertion.zig", "sort(i32[n], n)", "insertion.zig:7)");
        assert_eq!(ran(&directory, "hello.zig", &[], &json!([]))["stderr"], "hello\n");
        let output = run(&directory, &["run", "insertion.zig", "--call", "hidden(1)"]);
        assert!(stderr(&output).contains("`hidden` cannot be called: it is not exported"), "{}", stderr(&output));
        // Slices are passed as pointers and lengths, by code of ours that is neither counted nor shown.
        let worst = ["worst", "slices.zig", "--call", "above", "--size", "4", "--paths", "100", "--quiet"];
        let output = run(&directory, &[&worst[..], &["--out", directory.join("out").to_str().unwrap()]].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(stderr(&output).contains("calling above(i16[n], n, i16)"), "{}", stderr(&output));
        assert!(text.contains("slices.above") && !text.contains("pessimum_call"), "{text}");
        assert!(!text.contains("calls.zig"), "{text}");
        let call = |call: &str, input| ran(&directory, "slices.zig", &["--call", call, "--size", "3"], &input);
        assert_eq!(call("above(i16[n], n, i16)", json!([[1, 5, 9], 3, 4]))["result"], json!([2]));
        assert_eq!(call("length(str[n])", json!(["abc"]))["result"], json!([3]));
        assert_eq!(call("checked(u32)", json!([7]))["end"], "returned");
        let output = run(&directory, &["run", "slices.zig", "--call", "norm(1)"]);
        assert!(stderr(&output).contains("its parameter 1 `p` is `Point`; only numbers"), "{}", stderr(&output));
    }
}

#[test]
fn assemblyscript() {
    let directory = fresh("assemblyscript");
    if can_compile("insertion.ts") {
        worst_of_sort(&directory, "insertion.ts", "sort(i32[n], n)", "insertion/sort");
        let sum = ran(&directory, "insertion.ts", &["--call", "sum(i32[n], n)", "--size", "3"], &json!([[1, 2, 3], 3]));
        assert_eq!((&sum["result"], &sum["buffers"][0]), (&json!([6]), &json!([1, 2, 3])));
        // Bytes in the place of an object would be followed as what it is made of.
        let output = run(&directory, &["worst", "insertion.ts", "--call", "sort(i32[n])", "--size", "3"]);
        let message = "`sort` takes `StaticArray<i32>`, made from what is in this call: --call 'sort(i32[n], n)'";
        assert!(!output.status.success() && stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn text_format() {
    let directory = fresh("wat");
    assert_eq!(ran(&directory, "twice.wat", &["--call", "twice(i32)"], &json!([21]))["result"], json!([42]));
}

#[test]
fn names_of_a_module_do_not_control_the_terminal() {
    let directory = fresh("control");
    let text = r#"(module (import "m\1b[2J" "f" (func))
        (func (export "a\1b]0;title\07b\c2\9b2J") (param i32) local.get 0 if unreachable end))"#;
    std::fs::write(directory.join("names.wat"), text).unwrap();
    let raw = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.chars().filter(|c| c.is_control() && *c != '\n').count()
    };
    for words in [
        &["inspect", "names.wat"][..],
        &["inspect", "names.wat", "--json"],
        &["run", "names.wat", "--call", "nothing()"],
        &["run", "names.wat", "--call", "\"a\x1b]0;title\x07b\u{9b}2J\"(1)"],
    ] {
        let output = pessimum(&directory, &directory, words).output().unwrap();
        assert_eq!((raw(&output.stdout), raw(&output.stderr)), (0, 0), "{words:?} {output:?}");
        let both = [output.stdout.clone(), output.stderr.clone()].concat();
        assert!(String::from_utf8_lossy(&both).contains("title"), "{words:?} {output:?}");
        if words.contains(&"--json") {
            assert_eq!(parsed(&output)["exports"][0]["name"], "a\x1b]0;title\x07b\u{9b}2J");
        }
    }
}

#[test]
fn without_compilers_it_says_what_to_install() {
    let directory = fresh("missing");
    for (file, install) in [
        ("insertion.c", "`apt install clang lld wasi-libc libclang-rt-dev-wasm32`"),
        ("greatest.cpp", "WASI_SDK_PATH"),
        ("library.rs", "https://rustup.rs, then `rustup target add wasm32-unknown-unknown wasm32-wasip1`"),
        ("package", "https://rustup.rs"),
        ("insertion.zig", "`pip install ziglang`"),
        ("insertion.ts", "`npm install --global assemblyscript`"),
    ] {
        let mut command = pessimum(&directory, &sources(), &["run", file]);
        let output = command.env("PATH", "").env_remove("WASI_SDK_PATH").output().unwrap();
        // A wasi-sdk in its usual place is found without PATH.
        if !(file.contains(".c") && Path::new("/opt/wasi-sdk/bin/clang").exists()) {
            assert_eq!(output.status.code(), Some(1));
            let said = stderr(&output);
            assert!(said.starts_with(&format!("pessimum: {file}: ")) && said.contains(install), "{said}");
        }
    }
    let mut command = pessimum(&directory, &sources(), &["run", "insertion.c"]);
    let output = command.env("PESSIMUM_CC", "/no/such/clang").output().unwrap();
    assert!(stderr(&output).contains("PESSIMUM_CC=/no/such/clang: there is no such compiler"), "{}", stderr(&output));
}

#[test]
fn what_the_libraries_for_webassembly_lack_is_named() {
    let directory = fresh("lacking");
    let here = directory.join("here");
    std::fs::create_dir(&here).unwrap();
    if !can_compile("insertion.c") {
        return;
    }
    for (header, hint) in [
        ("pthread.h", "hint: WebAssembly programs for WASI have no threads"),
        ("threads.h", "hint: WebAssembly programs for WASI have no threads"),
        ("setjmp.h", "hint: the C library for WebAssembly has no setjmp and longjmp"),
    ] {
        // With a file of the C library, so that the header is looked for there.
        let text = format!("#include <stdlib.h>\n#include <{header}>\nint f(int x) {{ return abs(x); }}\n");
        std::fs::write(here.join("lacks.c"), text).unwrap();
        let output = pessimum(&directory, &here, &["run", "lacks.c", "--call", "f(1)"]).output().unwrap();
        // Later versions of the library have some of them.
        if !output.status.success() {
            assert!(stderr(&output).contains(hint), "{header}: {}", stderr(&output));
        }
    }
}

/// What the linker misses is in another file more often than not.
#[test]
fn sources_that_are_missing_are_asked_for() {
    let directory = fresh("other-sources");
    if !can_compile("insertion.c") {
        return;
    }
    let here = directory.join("here");
    std::fs::create_dir(&here).unwrap();
    std::fs::write(here.join("one.c"), "int other(int);\nint one(int x) { return other(x) + 1; }\n").unwrap();
    std::fs::write(here.join("other.c"), "int other(int x) { return 2 * x; }\n").unwrap();
    let words = ["run", "one.c", "--call", "one(20)", "--json"];
    let output = pessimum(&directory, &here, &words).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("undefined symbol: other"), "{}", stderr(&output));
    assert!(stderr(&output).ends_with("with --cflags 'other.c'\n"), "{}", stderr(&output));
    let words = [&words[..], &["--cflags", "other.c"]].concat();
    assert_eq!(parsed(&pessimum(&directory, &here, &words).output().unwrap())["result"], json!([41]));
}

#[test]
fn crashes_are_explained_in_the_words_of_the_program() {
    let directory = fresh("words_of_crashes");
    let explained = |file: &str, call: &str, words: [&str; 2]| {
        let out = directory.join(format!("out-{}", call.split('(').next().unwrap()));
        let flags = ["--size", "3", "--paths", "100", "--json", "--end", "trapped", "--out", out.to_str().unwrap()];
        let worst = parsed(&run(&directory, &[&["worst", file, "--call", call][..], &flags].concat()));
        assert_eq!([&worst["why"], &worst["at"]], words.map(Value::from).each_ref(), "{worst}");
        assert!(!worst["functions"].to_string().contains("explains"), "{}", worst["functions"]);
        // What is said about a crash is no part of its cost.
        let again = ran(&directory, file, &["--call", call, "--size", "3"], &worst["input"]);
        assert_eq!(again["costs"]["instructions"], worst["cost"]["value"]);
        assert_eq!(again["message"], worst["why"]);
    };
    if can_compile("library.rs") {
        explained("crashes.rs", "small(u32 in 99..=100)", ["100 is too much", "crashes::small (crashes.rs:3)"]);
        let index = "index out of bounds: the len is 3 but the index is 3";
        explained("crashes.rs", "pick(u32[n], n, u32 in 0..=n)", [index, "crashes::pick (crashes.rs:8)"]);
    }
    if can_compile("greatest.cpp") {
        explained("crashes.cpp", "even(i32 in 40..=41)", ["Odd: odd number 41", "even(int) (crashes.cpp:14)"]);
        explained("crashes.cpp", "number(i32 in 3..=4)", ["exception of type int", "number(int) (crashes.cpp:18)"]);
    }
}

#[test]
fn errors_of_the_compiler_are_shown_with_its_command() {
    let directory = fresh("errors");
    let here = directory.join("here");
    std::fs::create_dir(&here).unwrap();
    for (like, file, text, complaint) in [
        ("insertion.c", "bad.c", "int f(int x) { return y; }\n", "bad.c:1:23: error: use of undeclared identifier 'y'"),
        ("library.rs", "bad.rs", "pub fn f() -> i32 { \"x\" }\n", "bad.rs:1:21"),
        ("insertion.zig", "bad.zig", "export fn f() i32 { return y; }\n", "bad.zig:1:28: error"),
        ("insertion.ts", "bad.ts", "export function f(): i32 { return y; }\n", "bad.ts(1,35)"),
    ] {
        if !can_compile(like) {
            continue;
        }
        std::fs::write(here.join(file), text).unwrap();
        let output = pessimum(&directory, &here, &["run", file, "--call", "f()"]).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(complaint), "{said}");
        let command = said.lines().last().unwrap();
        assert!(command.starts_with("command: ") && command.contains(file), "{said}");
    }
    let left = std::fs::read_dir(directory.join("cache/pessimum")).unwrap().flatten();
    let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(left.iter().all(|name| !name.starts_with("work-")), "{left:?}");
}

#[test]
fn no_name_of_a_file_is_an_option_of_its_compiler() {
    let directory = fresh("options");
    let here = directory.join("here");
    std::fs::create_dir(&here).unwrap();
    let c = "int f(void) { return 42; }\n";
    let cpp = "extern \"C\" int f() { return 42; }\n";
    let rust = "pub fn f() -> i32 { 42 }\n";
    let zig = "export fn f() i32 { return 42; }\n";
    let script = "export function f(): i32 { return 42; }\n";
    for (like, ending, text) in [
        ("insertion.c", "c", c),
        ("greatest.cpp", "cpp", cpp),
        ("library.rs", "rs", rust),
        ("insertion.zig", "zig", zig),
        ("insertion.ts", "ts", script),
    ] {
        if !can_compile(like) {
            continue;
        }
        // These two are slow.
        let few = ["zig", "ts"].contains(&ending);
        let starts = if few { &["@x", "-dash"][..] } else { &["@x", "-dash", "--help", "a b"] };
        for start in starts {
            let file = format!("{start}.{ending}");
            std::fs::write(here.join(&file), text).unwrap();
            let words = ["run", "--call", "f()", "--json", "--", &file];
            let output = pessimum(&directory, &here, &words).output().unwrap();
            assert_eq!(parsed(&output)["result"], json!([42]), "{file}");
        }
    }
}

#[test]
fn functions_and_options_that_do_not_fit() {
    let directory = fresh("unfit");
    let output = run(&directory, &["inspect", "twice.wat", "--cflags", "-O2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is a module, so nothing is compiled"), "{}", stderr(&output));
    let output = run(&directory, &["inspect", "limits.h"]);
    assert!(stderr(&output).contains("limits.h: this is a header; give a source file"), "{}", stderr(&output));
    if !can_compile("insertion.c") {
        return;
    }
    for (words, code, message) in [
        (&["--call", "sorr(i32[n], n)"][..], 1, "insertion.c: no function `sorr`; did you mean `sort`?"),
        (&["--call", "other()"], 1, "no function `other`; there are `sort`, `copied`; `static` ones cannot be called"),
        (&["--cflags", "-D'X"], 2, "--cflags -D'X: a quote is not closed"),
        (&["--cflags", "--no-such-option"], 1, "unknown argument: '--no-such-option'"),
    ] {
        let output = run(&directory, &[&["run", "insertion.c", "--size", "2"][..], words].concat());
        assert_eq!(output.status.code(), Some(code));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    // Options and further sources reach the compiler.
    let here = directory.join("here");
    std::fs::create_dir(&here).unwrap();
    std::fs::write(here.join("a.c"), "int b(void);\nint a(void) { return b() + N; }\n").unwrap();
    std::fs::write(here.join("b.c"), "int b(void) { return 40; }\n").unwrap();
    let output = pessimum(&directory, &here, &["inspect", "a.c", "--cflags", "-DN=2"]).output().unwrap();
    assert!(stderr(&output).contains("hint: add the sources that define these with --cflags"), "{output:?}");
    let words = ["run", "a.c", "--call", "a()", "--cflags", "-DN=2 -O2", "--cflags", "b.c", "--json"];
    assert_eq!(parsed(&pessimum(&directory, &here, &words).output().unwrap())["result"], json!([42]));
}

/// The compiler here writes a line to a file for each source that it compiles.
#[cfg(unix)]
#[test]
fn a_module_is_compiled_once_until_something_it_was_made_from_changes() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = fresh("cache");
    if !can_compile("insertion.c") {
        return;
    }
    let Some(real) = pessimum_testkit::tools::clang() else {
        return println!("not tested: clang is not in PATH");
    };
    let (script, log) = (directory.join("cc"), directory.join("log"));
    let text = format!(
        "#!/bin/sh\ncase \" $* \" in *' -c '*) echo compiled >> '{}';; esac\nexec {real} \"$@\"\n",
        log.display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let here = directory.join("here");
    std::fs::create_dir(&here).unwrap();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).unwrap();
    let compiled = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    let command = |flags: &[&str]| {
        let words = [&["run", "a.c", "--json"][..], if flags.is_empty() { &["--call", "a()"] } else { flags }].concat();
        let mut command = pessimum(&directory, &here, &words);
        command.env("PESSIMUM_CC", &script);
        command
    };
    let result = || parsed(&command(&[]).output().unwrap())["result"][0].as_i64().unwrap();
    write("a.c", "#include \"n.h\"\nint a(void) { return N; }\nint b(void) { return 5; }\n");
    write("n.h", "#define N 1\n");
    assert_eq!((result(), compiled()), (1, 1));
    assert_eq!((result(), compiled()), (1, 1));
    write("n.h", "#define N 2\n");
    assert_eq!((result(), compiled()), (2, 2));
    write("n.h", "#define N 1\n");
    assert_eq!((result(), compiled()), (1, 2), "the first module is still there");
    // Another function of the same file, and other options.
    parsed(&command(&["--call", "b()"]).output().unwrap());
    assert_eq!(compiled(), 2);
    parsed(&command(&["--call", "a()", "--cflags", "-DX"]).output().unwrap());
    assert_eq!(compiled(), 3);
    write("a.c", "int a(void) { return 9; }\n");
    assert_eq!((result(), compiled()), (9, 4));
    // A damaged list of files only means compiling again.
    for entry in std::fs::read_dir(directory.join("cache/pessimum")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            std::fs::write(path, "{").unwrap();
        }
    }
    assert_eq!((result(), compiled()), (9, 5));
    // So does a damaged module.
    for entry in std::fs::read_dir(directory.join("cache/pessimum")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "module") {
            std::fs::write(path, "").unwrap();
        }
    }
    assert_eq!((result(), compiled()), (9, 6));
    // Lists of options, and a header that comes before another of the same name.
    let value = |flags: &[&str]| parsed(&command(flags).output().unwrap())["result"][0].as_i64().unwrap();
    write("a.c", "#include <where.h>\nint a(void) { return N + WHERE; }\n");
    write("options", "-DN=10");
    for directory in ["first", "second"] {
        std::fs::create_dir(here.join(directory)).unwrap();
    }
    write("second/where.h", "#define WHERE 2\n");
    let flags = ["--call", "a()", "--cflags", "@options -Ifirst -I second"];
    assert_eq!(value(&flags), 12);
    write("options", "-DN=20");
    assert_eq!(value(&flags), 22);
    write("first/where.h", "#define WHERE 1\n");
    assert_eq!((value(&flags), compiled()), (21, 9));
    assert_eq!((value(&flags), compiled()), (21, 9));
    // Where nothing can be kept, it is compiled every time.
    write("file", "");
    let mut without = command(&flags);
    assert_eq!(parsed(&without.env("XDG_CACHE_HOME", here.join("file")).output().unwrap())["result"], json!([21]));
    assert_eq!(compiled(), 10);
    write("a.c", "int a(void) { return 9; }\n");
    // Many at once on an empty cache.
    std::fs::remove_dir_all(directory.join("cache")).unwrap();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..6).map(|_| scope.spawn(|| parsed(&command(&[]).output().unwrap()))).collect();
        for run in runs {
            assert_eq!(run.join().unwrap()["result"], json!([9]));
        }
    });
    let left = std::fs::read_dir(directory.join("cache/pessimum")).unwrap().flatten();
    let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(left.iter().all(|name| !name.starts_with("work-") && !name.contains(".part-")), "{left:?}");
}

/// The known worst inputs of a few programs of `bench/real` cost what its manifest says. The figures are those of one
/// version of clang.
#[test]
fn known_inputs_of_real_programs_cost_what_is_said() {
    let directory = fresh("real");
    let clang = std::process::Command::new("clang-19").arg("--version").output();
    if clang.is_err() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "clang-19 is not on the machine");
        println!("not tested: clang-19 is not on the machine");
        return;
    }
    if !can_compile("insertion.c") {
        return;
    }
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/real");
    let manifest: toml::Table = std::fs::read_to_string(real.join("programs.toml")).unwrap().parse().unwrap();
    let mut tested = 0;
    for program in manifest["program"].as_array().unwrap() {
        let text = |key: &str| program[key].as_str().unwrap();
        if !["collatz", "hash_djb2", "json_dom"].contains(&text("name")) {
            continue;
        }
        let input = directory.join("input.json");
        std::fs::write(&input, program["worst"]["input"].as_str().unwrap()).unwrap();
        let options = format!("--cflags={}", text("options"));
        let source = real.join("programs").join(text("source"));
        let mut command = pessimum(&directory, &real, &["run", source.to_str().unwrap(), &options, "--call"]);
        command
            .arg(text("call"))
            .args(["--cost", "instructions", "--input"])
            .arg(&input)
            .env("PESSIMUM_CC", "clang-19");
        if let Some(size) = program.get("size").and_then(toml::Value::as_integer) {
            command.arg(format!("--size={size}"));
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}: {}", text("name"), stderr(&output));
        let cost: i64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
        assert_eq!(Some(cost), program["worst"]["cost"].as_integer(), "{}", text("name"));
        tested += 1;
    }
    assert_eq!(tested, 3);
}
