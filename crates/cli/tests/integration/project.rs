//! `pessimum check`, `pessimum init` and `cargo pessimum`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn run_in(directory: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pessimum")).current_dir(directory).args(words).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A project with one module, in which `f(n)` costs in proportion to n^2, `g` takes a number, and these targets.
fn project(targets: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("src")).unwrap();
    let module = r#"(module
      (func (export "f") (param $n i32) (local $i i32)
        (local.set $i (i32.mul (local.get $n) (local.get $n)))
        (loop (br_if 0 (local.tee $i (i32.sub (local.get $i) (i32.const 1))))))
      (func (export "g") (param $x i32) (if (i32.eq (local.get $x) (i32.const 77)) (then (call 0 (i32.const 2))))))"#;
    std::fs::write(place.path().join("src/f.wat"), module).unwrap();
    std::fs::write(place.path().join("pessimum.toml"), targets).unwrap();
    place
}

const TARGETS: &str = r#"
[defaults]
program = "src/f.wat"
paths = 20

[target.small]
call = "f(n)"
size = 3
fail-above = 1000

[target.large]
call = "f(n)"
size = 30
fail-above = 1_000

[target.growth]
call = "f(n)"
sizes = [4, 8, 16, 32, 64]
fail-above-class = "n log n"

[target.wrong]
call = "h(n)"
size = 3

[target.free]
call = "g(u32 in 0..=100)"
seed = 5
"#;

#[test]
fn every_target_has_a_verdict() {
    let place = project(TARGETS);
    let output = run_in(place.path(), &["check", "--junit", "j.xml", "--sarif", "s.json"]);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let text = printed(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    for (line, (name, verdict, words)) in lines.iter().zip([
        ("small", "ok", "at n = 3, not above 1,000"),
        ("large", "FAILED", "at n = 30, above 1,000"),
        ("growth", "FAILED", ", above n log n; "),
        ("wrong", "ERROR", "no export named `h`"),
        ("free", "ok", "no limit"),
    ]) {
        let found: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(found[..2], [name, verdict], "{text}");
        assert!(line.contains(words), "{words}: {line}");
    }
    assert_eq!(lines[5], "5 targets checked, 2 above a limit, 1 could not be checked");
    let xml = std::fs::read_to_string(place.path().join("j.xml")).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let count = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).count();
    // Five sizes and the class for the curve.
    assert_eq!((count("testcase"), count("failure"), count("error")), (10, 2, 1), "{xml}");
    let sarif: Value = serde_json::from_slice(&std::fs::read(place.path().join("s.json")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 10);
    assert!(place.path().join("pessimum-out/large/result.json").is_file());
}

#[test]
fn some_targets_from_below_and_as_json() {
    let place = project(TARGETS);
    std::fs::create_dir(place.path().join(".git")).unwrap();
    let below = place.path().join("src");
    let output = run_in(&below, &["check", "--json", "s*", "free"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["file"], &found["failed"], &found["errors"]),
        (&"../pessimum.toml".into(), &0.into(), &0.into())
    );
    let names: Vec<&str> = found["targets"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["small", "free"], "in the order of the file");
    let free = &found["targets"][1];
    assert_eq!(
        (&free["verdict"], &free["input"], &free["complete"]),
        (&"passed".into(), &serde_json::json!([77]), &true.into())
    );
    // Results and paths belong to the file, wherever the command is run.
    assert!(place.path().join("pessimum-out/small").is_dir() && !below.join("pessimum-out").exists());
    let output = run_in(&below, &["check", "wrong"]);
    assert_eq!(output.status.code(), Some(1));
    let output = run_in(&below, &["check", "smal"]);
    assert!(told(&output).contains("no target `smal`; did you mean `small`?"), "{}", told(&output));
    let output = run_in(&below, &["check", "small", "--list"]);
    let listed = "small: cd .. && pessimum worst --call='f(n)' --fail-above=1000 --paths=20 --size=3 \
                  --out=pessimum-out/small -- src/f.wat\n";
    assert_eq!(printed(&output), listed);
}

#[test]
fn a_file_above_the_repository_does_not_count() {
    let place = project(TARGETS);
    let below = place.path().join("src");
    let message = told(&run_in(&below, &["check"]));
    assert!(message.contains("there is no pessimum.toml here; `pessimum init` writes one"), "{message}");
    std::fs::create_dir(below.join(".git")).unwrap();
    let message = told(&run_in(&below, &["check"]));
    assert!(message.contains("there is no pessimum.toml here or above it"), "{message}");
}

#[test]
fn verdicts_are_the_same_every_time() {
    let place = project(TARGETS);
    let found = || {
        let output = run_in(place.path(), &["check", "--json", "free", "large"]);
        let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
        found["elapsed_s"] = Value::Null;
        for target in found["targets"].as_array_mut().unwrap() {
            target["elapsed_s"] = Value::Null;
        }
        found
    };
    assert_eq!(found(), found());
}

#[test]
fn mistakes_are_named_with_line_and_key() {
    for (text, message) in [
        (
            "[target.a]\nprogram = \"x\"\nfail-abve = 3",
            ":3: unknown key `fail-abve` in [target.a]; did you mean `fail-above`?",
        ),
        (
            "[target.a]\nprogram = \"x\"\nfail_above = 3",
            ":3: unknown key `fail_above` in [target.a]; did you mean `fail-above`?",
        ),
        (
            "[defaults]\npths = 3\n[target.a]\nprogram = \"x\"",
            ":2: unknown key `pths` in [defaults]; did you mean `paths`?",
        ),
        ("[targets.a]\nprogram = \"x\"", ":1: unknown key `targets`; did you mean `target`?"),
        ("[target.a]\nprogram = \"x\"\nsize = \"many\"", ":3: `size`: invalid value"),
        ("[target.a]\nprogram = \"x\"\ncall = \"f(\"", ":3: `call`: invalid value"),
        ("[target.a]\nprogram = \"x\"\nsize = true", ":3: `size` needs a value, not `true`"),
        ("[target.a]\nprogram = \"x\"\ncost = \"joules\"", ":3: `cost`: invalid value"),
        ("[target.a]\nsize = 3", ":1: [target.a] has no `program`"),
        ("[target.a]\nprogram = \"x\"\nout = \"/tmp\"", ":3: `out` in [target.a] is for the command line"),
        (
            "[target.a]\nprogram = \"x\"\nfail-above-class = \"n\"",
            ":3: `fail-above-class` is not for one size; it needs `sizes`",
        ),
        ("[target.'a/b']\nprogram = \"x\"", ":1: the name \"a/b\" is not one for a directory"),
        ("[target.'..']\nprogram = \"x\"", ":1: the name \"..\" is not one for a directory"),
        ("[target.a]\nprogram = \"x\"\nsize = 3 4", ":3: "),
        ("[target.a]\nprogram = [\"x\", \"y\"]", ":2: `program` is one path"),
        ("target = 3", ":1: `target` is a table"),
        ("", ": there is no target"),
    ] {
        let place = project(text);
        let output = run_in(place.path(), &["check"]);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let told = told(&output);
        assert!(told.starts_with(&format!("pessimum: pessimum.toml{message}")), "{text}\n{told}");
    }
}

/// Every flag of `worst` is a key without a list of its own: lists repeat a flag or join its values.
#[test]
fn lists_and_tables_become_flags() {
    let place = project(
        "[target.a]\nprogram = \"-x.wat\"\nenv = { A = \"1\", B = 2 }\narg = [\"x\", \"str[4]\"]\nmax-depth = 10\n\
         strategy = \"ese\"\n[target.b]\nprogram = \"y\"\nsizes = [4, 8]\nstdin = \"n\"\n",
    );
    let output = run_in(place.path(), &["check", "--list"]);
    let text = printed(&output);
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            "a: pessimum worst --arg=x --arg='str[4]' --env='A=1' --env='B=2' --max-depth=10 --strategy=ese \
             --out=pessimum-out/a -- -x.wat",
            "b: pessimum curve --sizes='4,8' --stdin=n --out=pessimum-out/b -- y",
        ],
        "{}",
        told(&output)
    );
}

#[test]
fn init_writes_what_check_can_run_and_never_overwrites() {
    let place = project("");
    let file = place.path().join("pessimum.toml");
    let output = run_in(place.path(), &["init"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("exists already") && std::fs::read(&file).unwrap().is_empty());
    std::fs::remove_file(&file).unwrap();
    std::fs::write(place.path().join("main.wat"), r#"(module (func (export "_start")))"#).unwrap();
    std::fs::write(place.path().join("none.wat"), r#"(module (func (export "zero")))"#).unwrap();
    std::fs::write(place.path().join("bad.wat"), "(module (func").unwrap();
    std::fs::create_dir(place.path().join("target")).unwrap();
    std::fs::write(place.path().join("target/built.wat"), "(module)").unwrap();
    let shown = printed(&run_in(place.path(), &["init", "--dry-run"]));
    assert!(!file.exists());
    let output = run_in(place.path(), &["init"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(
        printed(&output).starts_with("written to pessimum.toml: 1 target, and 4 more as comments"),
        "{}",
        printed(&output)
    );
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, shown);
    for part in [
        "# bad.wat was left out: ",
        "# [target.bad]\n# program = \"bad.wat\"\n",
        "# [target.main]\n# program = \"main.wat\"\n",
        "\n[target.zero]\nprogram = \"none.wat\"\ncall = \"zero()\"\n",
        "# [target.f]\n# program = \"src/f.wat\"\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("built"));
    let output = run_in(place.path(), &["check"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", printed(&output), told(&output));
}

/// Sources that compile give calls with lengths.
#[test]
fn init_reads_the_functions_of_sources() {
    if pessimum_testkit::tools::clang().is_none() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "clang is not on the machine");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let source = "void sort(int *a, int n) { for (int i = 1; i < n; i++) if (a[i] < a[i - 1]) a[i] = 0; }\n";
    for name in ["one.c", "two.c"] {
        std::fs::write(place.path().join(name), source).unwrap();
    }
    let text = printed(&run_in(place.path(), &["init", "--dry-run"]));
    let one = "[target.sort]\nprogram = \"one.c\"\ncall = \"sort(i32[n], n)\"\nsize = 16\n";
    assert!(text.contains(one) && text.contains("[target.two-sort]\nprogram = \"two.c\"\n"), "{text}");
}

fn cargo_pessimum(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-pessimum"));
    command.env_remove("PESSIMUM").current_dir(directory).arg("pessimum").args(words).output().unwrap()
}

/// A workspace of two packages.
fn workspace() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = place.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"3\"\n");
    for name in ["one", "two"] {
        let manifest = format!("[package]\nname = \"package-{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        write(&format!("{name}/Cargo.toml"), &manifest);
        let source =
            format!("pub fn {name}(list: &[u8]) -> u32 {{ list.iter().filter(|byte| **byte == 7).count() as u32 }}\n");
        write(&format!("{name}/src/lib.rs"), &source);
    }
    let one = place.path().join("one");
    (place, one)
}

#[test]
fn cargo_pessimum_searches_the_package_here_or_the_named_one() {
    let (place, one) = workspace();
    if told(&cargo_pessimum(&one, &["inspect"])).contains("rustup target add") {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "no Rust for WebAssembly on the machine");
        return;
    }
    let output = cargo_pessimum(&one.join("src"), &["worst", "one", "--size", "3", "--paths", "20", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["module"], &found["call"]), (&"..".into(), &"one(u8[n], n)".into()));
    let output = cargo_pessimum(place.path(), &["inspect", "-p", "package-two"]);
    assert!(printed(&output).contains("--call 'two(u8[n], n)'"), "{}{}", printed(&output), told(&output));
    let output = cargo_pessimum(place.path(), &["inspect", "-p", "package-three"]);
    assert!(
        told(&output).contains("no package `package-three`; there are package-one, package-two"),
        "{}",
        told(&output)
    );
    let output =
        cargo_pessimum(&one, &["worst", "one", "--size", "3", "--paths", "20", "--fail-above", "1", "--quiet"]);
    assert_eq!(output.status.code(), Some(3), "the exit code is that of pessimum");
    assert!(printed(&cargo_pessimum(&one, &["--help"])).contains("Usage: cargo pessimum COMMAND"));
}
