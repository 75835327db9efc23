//! Source files as subjects: every language, the errors of its compiler and of its absence, and the cache.
//!
//! A compiler that is not on the machine is reported and its tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail.

use std::path::Path;

use serde_json::{Value, json};

use crate::compiling::{can_compile, fresh, parsed, pessimum, run, sources, stderr};

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
        let listed = String::from_utf8(run(&directory, &["inspect", "slices.zig"]).stdout).unwrap();
        let refused = "functions that cannot be called\n  norm: its parameter 1 `p` is `Point`; only numbers";
        assert!(listed.contains(refused), "{listed}");
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

/// A concrete run of a file on this input.
pub fn ran(directory: &Path, file: &str, flags: &[&str], input: &Value) -> Value {
    let path = directory.join("input.json");
    std::fs::write(&path, input.to_string()).unwrap();
    let mut words = vec!["run", file, "--json", "--input", path.to_str().unwrap()];
    words.extend(flags);
    parsed(&run(directory, &words))
}

/// Searches completely for the worst input of a sort of four numbers, which is any in strictly descending order, and
/// replays it from the files left behind.
pub fn worst_of_sort(directory: &Path, file: &str, call: &str, place: &str) {
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
