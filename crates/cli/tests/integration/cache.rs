//! Modules that were compiled before: never used where anything that went into them has changed, or where they are
//! damaged; and several processes, killed ones among them, that share a cache.
//!
//! A compiler that is not on the machine is reported and its tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

/// A directory with sources, a cache, and a compiler that may be a script.
struct Place {
    directory: PathBuf,
    /// Variables of the environment.
    environment: Vec<(&'static str, String)>,
}

impl Place {
    /// A fresh directory for one test; `None` where the compiler for files with this ending is not on the machine.
    fn new(name: &str, ending: &str) -> Option<Place> {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(name);
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(directory.join("here")).unwrap();
        let place = Place { directory, environment: Vec::new() };
        // Whether there is a compiler is asked with a cache that all tests share, also with `sources.rs`.
        let probe = if ending == "rs" { "library.rs".to_string() } else { format!("insertion.{ending}") };
        let output = place
            .command(&["inspect", &probe])
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources"))
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("probes/cache"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Some(place);
        }
        assert!(["was found: install", "rustup target add"].iter().any(|text| said.contains(text)), "{said}");
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{said}");
        println!("not tested, the compiler is missing: {said}");
        None
    }

    fn here(&self, name: &str) -> PathBuf {
        self.directory.join("here").join(name)
    }

    fn cache(&self) -> PathBuf {
        self.directory.join("cache/pessimum")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.here(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A program that a shell runs.
    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.directory.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
        command.current_dir(self.here("")).env("XDG_CACHE_HOME", self.directory.join("cache")).args(words);
        // Zig's cache of its own library takes long to make and is not what is tested.
        command.env("ZIG_GLOBAL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("zig"));
        for variable in ["PESSIMUM_CC", "PESSIMUM_RUSTC", "PESSIMUM_ZIG", "PESSIMUM_ASC", "PESSIMUM_CARGO"] {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().cloned()).stdin(Stdio::null());
        command
    }

    fn output(&self, file: &str, flags: &[&str]) -> Output {
        self.command(&[&["run", file, "--call", "f()", "--json"][..], flags].concat()).output().unwrap()
    }

    /// What `f()` of this file returns.
    fn f(&self, file: &str, flags: &[&str]) -> i64 {
        let output = self.output(file, flags);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["result"][0].as_i64().unwrap()
    }

    /// The names in the cache.
    fn kept(&self) -> Vec<String> {
        let listing = std::fs::read_dir(self.cache()).unwrap().flatten();
        let mut names: Vec<String> = listing.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn modules(&self) -> usize {
        self.kept().iter().filter(|name| name.ends_with(".module")).count()
    }
}

/// A clang in PATH that produces WebAssembly, for scripts that start it.
fn clang() -> Option<String> {
    let found = pessimum_testkit::tools::clang();
    if found.is_none() {
        println!("not tested: clang is not in PATH");
    }
    found
}

/// An older `clang` may come before the one that the linker and the libraries belong to.
#[test]
fn of_several_clangs_the_one_with_a_linker_is_used() {
    let Some(mut place) = Place::new("several", "c") else { return };
    let Some(clang) = clang() else { return };
    place.script("clang", "case \"$*\" in *--version*) echo clang;; *--print-targets*) echo wasm32;; *) exit 1;; esac");
    let paths = std::env::var("PATH").unwrap();
    // The real one by its path: its name stands for the broken one now.
    let real = std::env::split_paths(&paths).map(|path| path.join(&clang)).find(|path| path.is_file()).unwrap();
    place.script("clang-23", &format!("exec {} \"$@\"", real.display()));
    place.environment = vec![("PATH", format!("{}:{paths}", place.directory.display()))];
    place.write("a.c", "int f(void) { return 7; }\n");
    assert_eq!(place.f("a.c", &[]), 7);
}

#[test]
fn c_lists_of_options_may_name_lists() {
    let Some(place) = Place::new("lists", "c") else { return };
    place.write("a.c", "int f(void) { return N; }\n");
    place.write("outer", "-DX @inner");
    place.write("inner", "-DN=1");
    let flags = ["--cflags", "@outer"];
    assert_eq!((place.f("a.c", &flags), place.f("a.c", &flags), place.modules()), (1, 1, 1));
    place.write("inner", "-DN=2");
    assert_eq!(place.f("a.c", &flags), 2);
    place.write("inner", "-DN=1");
    assert_eq!((place.f("a.c", &flags), place.modules()), (1, 2), "the first module is still there");
}

#[test]
fn c_headers_that_come_before_others() {
    let Some(place) = Place::new("headers", "c") else { return };
    let text = "#include <sub/where.h>\n#if __has_include(\"extra.def\")\n#include \"extra.def\"\n#else\n#define E 0\n\
        #endif\nint f(void) { return WHERE + E; }\n";
    place.write("a.c", text);
    place.write("second/sub/where.h", "#define WHERE 2\n");
    place.write("first/sub/other.h", "");
    let flags = ["--cflags", "-Ifirst -Isecond"];
    assert_eq!((place.f("a.c", &flags), place.f("a.c", &flags), place.modules()), (2, 2, 1));
    place.write("first/sub/where.h", "#define WHERE 1\n");
    assert_eq!(place.f("a.c", &flags), 1);
    place.write("extra.def", "#define E 10\n");
    assert_eq!(place.f("a.c", &flags), 11);
}

#[test]
fn c_directories_of_the_environment() {
    let Some(mut place) = Place::new("environment", "c") else { return };
    place.write("a.c", "#include <where.h>\nint f(void) { return WHERE; }\n");
    place.write("second/where.h", "#define WHERE 2\n");
    place.write("first/other.h", "");
    place.environment = vec![("CPATH", "first:second".to_string())];
    assert_eq!((place.f("a.c", &[]), place.f("a.c", &[]), place.modules()), (2, 2, 1));
    place.write("first/where.h", "#define WHERE 1\n");
    assert_eq!(place.f("a.c", &[]), 1);
    place.environment = vec![("CPATH", "second:first".to_string())];
    assert_eq!(place.f("a.c", &[]), 2);
}

#[test]
fn c_what_is_linked() {
    let Some(place) = Place::new("linked", "c") else { return };
    let Some(clang) = clang() else { return };
    let library = |name: &str, value: u32| {
        place.write("g.c", &format!("int g(void) {{ return {value}; }}\n"));
        std::fs::create_dir_all(place.here(name).parent().unwrap()).unwrap();
        let mut command = Command::new(&clang);
        command.args(["--target=wasm32-wasi", "-c", "g.c", "-o", name]).current_dir(place.here(""));
        assert!(command.status().unwrap().success());
    };
    place.write("a.c", "int g(void);\nint f(void) { return g(); }\n");
    library("g.o", 1);
    assert_eq!(
        (place.f("a.c", &["--cflags", "g.o"]), place.f("a.c", &["--cflags", "g.o"]), place.modules()),
        (1, 1, 1)
    );
    library("g.o", 2);
    assert_eq!(place.f("a.c", &["--cflags", "g.o"]), 2);
    // The linker does not mind that this library is a single object file.
    let flags = ["--cflags", "-Lfirst -L second -lg"];
    place.write("first/other", "");
    library("second/libg.a", 3);
    assert_eq!((place.f("a.c", &flags), place.f("a.c", &flags)), (3, 3));
    library("second/libg.a", 4);
    assert_eq!(place.f("a.c", &flags), 4);
    library("first/libg.a", 5);
    assert_eq!(place.f("a.c", &flags), 5);
}

/// A source that says when it was saved gives another module each time.
#[test]
fn c_what_depends_on_the_time_is_not_kept() {
    let Some(place) = Place::new("time", "c") else { return };
    // Seconds: "Sun Nov 15 22:52:39 2026".
    place.write("a.c", "int f(void) { return (__TIMESTAMP__[17] - '0') * 10 + __TIMESTAMP__[18] - '0'; }\n");
    for second in [7, 31] {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_040 + second);
        std::fs::File::open(place.here("a.c")).unwrap().set_modified(moment).unwrap();
        let expected = (1_700_000_040 + second) % 60;
        assert_eq!(place.f("a.c", &[]), expected as i64);
    }
}

#[test]
fn c_another_compiler_under_the_same_name() {
    let Some(mut place) = Place::new("compiler", "c") else { return };
    let Some(clang) = clang() else { return };
    place.write("a.c", "int f(void) { return N; }\n");
    let script = place.script("cc", &format!("exec {clang} -DN=1 \"$@\""));
    place.environment = vec![("PESSIMUM_CC", script.display().to_string())];
    assert_eq!((place.f("a.c", &[]), place.f("a.c", &[]), place.modules()), (1, 1, 1));
    place.script("cc", &format!("exec {clang} -DN=2 \"$@\""));
    assert_eq!(place.f("a.c", &[]), 2);
}

#[test]
fn a_file_that_is_saved_while_it_is_compiled() {
    let Some(mut place) = Place::new("saved", "c") else { return };
    let Some(clang) = clang() else { return };
    place.write("a.c", "#include \"n.h\"\nint f(void) { return N; }\n");
    place.write("n.h", "#define N 1\n");
    // The author saves the header when the compiler has just read it.
    let save = "case \" $* \" in *' -c '*) echo '#define N 2' > n.h;; esac";
    let script = place.script("cc", &format!("{clang} \"$@\" || exit 1\n{save}"));
    place.environment = vec![("PESSIMUM_CC", script.display().to_string())];
    assert_eq!(place.f("a.c", &[]), 1);
    assert_eq!(place.f("a.c", &[]), 2);
}

#[test]
fn damaged_files_are_made_again() {
    let Some(place) = Place::new("damaged", "c") else { return };
    place.write("a.c", "#include <pessimum.h>\nint f(void) { return 7; }\n");
    assert_eq!(place.f("a.c", &[]), 7);
    let damage = |ending: &str| {
        let names = place.kept().into_iter().filter(|name| name.ends_with(ending));
        for path in names.map(|name| place.cache().join(name)) {
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
            std::fs::write(&path, bytes).unwrap();
        }
    };
    for ending in [".module", ".json", ".note"] {
        damage(ending);
        assert_eq!(place.f("a.c", &[]), 7, "{ending}");
    }
    let include = place.kept().into_iter().find(|name| name.starts_with("include-")).unwrap();
    std::fs::write(place.cache().join(include).join("pessimum.h"), "#error damaged\n").unwrap();
    assert_eq!(place.f("a.c", &["--cflags", "-DX"]), 7);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_obstacle() {
    let Some(place) = Place::new("unwritable", "c") else { return };
    place.write("a.c", "int f(void) { return 7; }\n");
    place.write("file", "");
    let words = ["run", "a.c", "--call", "f()", "--json"];
    let mut command = place.command(&words);
    let output = command.env("XDG_CACHE_HOME", place.here("file")).output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["result"], json!([7]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("pessimum: compiled modules are not kept for the next time: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    // A cache in which one file cannot be written, as on a full disk.
    assert_eq!(place.f("a.c", &[]), 7);
    for name in place.kept().iter().filter(|name| name.ends_with(".json")) {
        std::fs::remove_file(place.cache().join(name)).unwrap();
        std::fs::create_dir_all(place.cache().join(name).join("x")).unwrap();
    }
    let output = place.output("a.c", &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("are not kept"), "{said}");
}

#[test]
fn what_a_killed_process_leaves_is_removed() {
    let Some(mut place) = Place::new("killed", "c") else { return };
    let Some(clang) = clang() else { return };
    place.write("a.c", "int f(void) { return 7; }\n");
    // Each start of the compiler leaves a line.
    let wait = "case \" $* \" in *' -c '*) echo >> started; while [ -e wait ]; do sleep 0.02; done;; esac";
    let script = place.script("cc", &format!("{wait}\nexec {clang} \"$@\""));
    place.environment = vec![("PESSIMUM_CC", script.display().to_string())];
    place.write("wait", "");
    let words = ["run", "a.c", "--call", "f()", "--json"];
    let workplaces = || place.kept().into_iter().filter(|name| name.starts_with("work-")).collect::<Vec<_>>();
    let until = |count: usize| {
        let begun = Instant::now();
        while std::fs::read_to_string(place.here("started")).unwrap_or_default().len() < count {
            assert!(begun.elapsed() < Duration::from_secs(60), "the compiler was not started {count} times");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let start = || place.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut killed = start();
    until(1);
    let left = workplaces();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!((left.len(), workplaces()), (1, left.clone()));
    // The second start removes it; the third must leave alone what the second uses.
    let second = start();
    until(2);
    let used = workplaces();
    assert!(used.len() == 1 && used != left, "{left:?}, then {used:?}");
    let third = start();
    until(3);
    assert!(workplaces().len() == 2 && workplaces().contains(&used[0]), "{used:?}, then {:?}", workplaces());
    std::fs::remove_file(place.here("wait")).unwrap();
    for run in [second, third] {
        let output = run.wait_with_output().unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["result"], json!([7]));
    }
    assert_eq!(workplaces(), [""; 0]);
}

#[test]
fn rust_environment_and_files() {
    let Some(mut place) = Place::new("rust", "rs") else { return };
    let text = "mod part;\npub fn f() -> i32 { env!(\"VALUE\").len() as i32 * 10 + part::LENGTH as i32 }\n";
    place.write("a.rs", text);
    place.write("part.rs", "pub const LENGTH: usize = include_str!(\"text/words\").len();\n");
    place.write("text/words", "ab");
    place.environment = vec![("VALUE", "x".to_string())];
    assert_eq!((place.f("a.rs", &[]), place.f("a.rs", &[]), place.modules()), (12, 12, 1));
    place.write("text/words", "abc");
    assert_eq!(place.f("a.rs", &[]), 13);
    place.environment = vec![("VALUE", "xy".to_string())];
    assert_eq!(place.f("a.rs", &[]), 23);
    place.write("text/words", "ab");
    place.environment = vec![("VALUE", "x".to_string())];
    assert_eq!((place.f("a.rs", &[]), place.modules()), (12, 3), "the first module is still there");
    // Two files for one module are an error, which a module from before must not hide.
    place.write("part/mod.rs", "pub const LENGTH: usize = 5;\n");
    let said = String::from_utf8(place.output("a.rs", &[]).stderr).unwrap();
    assert!(said.contains("part"), "{said}");
}

#[test]
fn rust_libraries_among_the_options() {
    let Some(place) = Place::new("extern", "rs") else { return };
    let library = |value: u32| {
        place.write("g.rs", &format!("pub fn g() -> i32 {{ {value} }}\n"));
        let mut command = Command::new("rustc");
        command.args(["--crate-type", "rlib", "--target", "wasm32-unknown-unknown", "-C", "panic=abort", "g.rs"]);
        assert!(command.current_dir(place.here("")).status().unwrap().success());
    };
    place.write("a.rs", "#[inline(never)]\npub fn f() -> i32 { g::g() }\n");
    for flags in [["--cflags", "--extern g=libg.rlib -L ."], ["--cflags", "--extern g -L."]] {
        library(1);
        // The second crate is linked against the first, and must find what that depends on.
        let first = place.output("a.rs", &flags);
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
        assert_eq!(place.f("a.rs", &flags), 1);
        library(2);
        assert_eq!(place.f("a.rs", &flags), 2, "{flags:?}");
    }
}

/// Both build the same package with different features, and cargo puts their modules in the same place.
#[test]
fn packages_built_at_once_are_not_mixed_up() {
    let Some(mut place) = Place::new("package", "rs") else { return };
    let text = "[package]\nname = \"p\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[features]\nmore = []\n[workspace]\n";
    place.write("p/Cargo.toml", text);
    place.write("p/src/lib.rs", "pub fn f() -> i32 { if cfg!(feature = \"more\") { 2 } else { 1 } }\n");
    let script = place.script("slow", "cargo \"$@\" || exit 1\ncase $1 in build) sleep 1;; esac");
    place.environment = vec![("PESSIMUM_CARGO", script.display().to_string())];
    std::thread::scope(|scope| {
        let plain = scope.spawn(|| place.f("p", &[]));
        let more = scope.spawn(|| place.f("p", &["--cflags", "--features more"]));
        assert_eq!((plain.join().unwrap(), more.join().unwrap()), (1, 2));
    });
}

#[test]
fn zig_files_below_the_source() {
    let Some(place) = Place::new("zig", "zig") else { return };
    let text = "const part = @import(\"sub/part.zig\");\n\
        export fn f() i32 { return part.n + @as(i32, @embedFile(\"text/words\").len); }\n";
    place.write("a.zig", text);
    place.write("sub/part.zig", "pub const n: i32 = 10;\n");
    place.write("text/words", "ab");
    assert_eq!((place.f("a.zig", &[]), place.f("a.zig", &[]), place.modules()), (12, 12, 1));
    // What a search leaves beside the source changes nothing.
    place.write("out/result.json", "{}");
    assert_eq!((place.f("a.zig", &[]), place.modules()), (12, 1));
    place.write("text/words", "abc");
    assert_eq!(place.f("a.zig", &[]), 13);
    place.write("sub/part.zig", "pub const n: i32 = 20;\n");
    assert_eq!(place.f("a.zig", &[]), 23);
}

#[test]
fn assemblyscript_imports_and_settings() {
    let Some(place) = Place::new("assemblyscript", "ts") else { return };
    let text = "import { n } from \"./part\";\nimport { m } from \"package\";\n\
        export function f(): i32 { return n() + m() + (ASC_RUNTIME as i32); }\n";
    place.write("a.ts", text);
    place.write("part/index.ts", "export function n(): i32 { return 10; }\n");
    place.write(
        "node_modules/package/index.ts",
        "import { k } from \"./inner\";\nexport function m(): i32 { return k; }\n",
    );
    place.write("node_modules/package/inner.ts", "export const k: i32 = 100;\n");
    // The runtime library is the incremental one, which is 2.
    assert_eq!((place.f("a.ts", &[]), place.f("a.ts", &[]), place.modules()), (112, 112, 1));
    place.write("node_modules/package/inner.ts", "export const k: i32 = 200;\n");
    assert_eq!(place.f("a.ts", &[]), 212);
    place.write("part.ts", "export function n(): i32 { return 20; }\n");
    assert_eq!(place.f("a.ts", &[]), 222);
    // The settings choose the minimal one, which is 1.
    place.write("asconfig.json", "{ \"options\": { \"runtime\": \"minimal\" } }\n");
    assert_eq!(place.f("a.ts", &[]), 221);
}
