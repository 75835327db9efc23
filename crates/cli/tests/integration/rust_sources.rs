//! Rust files and packages as subjects: every type of ordinary functions, names, and errors.
//!
//! A compiler that is not on the machine is reported and its tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail.

use serde_json::{Value, json};

use crate::compiling::{can_compile, fresh, parsed, pessimum, run, sources, stderr};
use crate::sources::{ran, worst_of_sort};

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
