//! `pessimum compare`: files and revisions, exchanged inputs, limits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A fresh directory for one test, outside of this repository.
fn fresh() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn run(directory: &Path, words: &[&str]) -> Output {
    // Revisions get places in the cache, which is not to be that of whoever runs the tests.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-cache");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.env("XDG_CACHE_HOME", cache).current_dir(directory).args(words).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The comparison that these words print, and the exit code.
fn compared(directory: &Path, words: &[&str]) -> (Value, Option<i32>) {
    let words: Vec<&str> = ["compare", "--json"].iter().chain(words).copied().collect();
    let output = run(directory, &words);
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", told(&output)));
    (value, output.status.code())
}

/// A function that counts from the product of its argument's powers down to 0: `f(n)` costs in proportion to `n^power`.
fn counts(power: usize) -> String {
    let factors = "(local.set $i (i32.mul (local.get $i) (local.get $n)))".repeat(power);
    format!(
        r#"(module (func $f (export "f") (param $n i32) (local $i i32)
             (local.set $i (i32.const 1)) {factors}
             (loop (br_if 0 (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))))"#
    )
}

/// A function that counts down from 1,000 if a condition on its argument holds.
fn hides(condition: &str) -> String {
    format!(
        r#"(module (func (export "f") (param $x i32) (local $i i32)
             (if {condition} (then (local.set $i (i32.const 1000))
               (loop (br_if 0 (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))))))"#
    )
}

fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn classes_and_ratios_are_compared() {
    let place = fresh();
    write(place.path(), "old.wat", &counts(1));
    write(place.path(), "new.wat", &counts(2));
    let call = ["old.wat", "new.wat", "--call=f(n)", "--paths=40", "--sizes=4..200"];
    let (found, code) = compared(place.path(), &call);
    assert_eq!(code, Some(0), "there is no limit");
    assert_eq!((&found["a"]["growth"]["class"], &found["b"]["growth"]["class"]), (&"n".into(), &"n^2".into()));
    let points = found["points"].as_array().unwrap();
    assert!(points.len() > 5);
    let last = points.last().unwrap();
    let cost = |side: &str| last[side]["cost"].as_u64().unwrap();
    assert_eq!(found["ratio"].as_f64(), Some(cost("b") as f64 / cost("a") as f64));
    assert_eq!((last["size"].as_u64(), &found["moved"][0]["function"]), (Some(200), &"f".into()));
    let with = |flag: &str| {
        let words: Vec<&str> = call.iter().copied().chain([flag]).collect();
        compared(place.path(), &words).1
    };
    assert_eq!(with("--fail-above-class=same"), Some(3));
    assert_eq!(with("--fail-above-class=n^2"), Some(0));
    assert_eq!(with("--fail-above-ratio=1.05"), Some(3));
    assert_eq!(with("--fail-above-ratio=1000"), Some(0));
    let saved: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("pessimum-out/compare-new/compare.json")).unwrap())
            .unwrap();
    assert_eq!(saved["points"], found["points"]);
    // The other way round nothing is worse.
    let back = ["new.wat", "old.wat", "--call=f(n)", "--paths=40", "--sizes=4..200", "--fail-above-class=same"];
    assert_eq!(compared(place.path(), &back).1, Some(0));
}

#[test]
fn a_class_that_is_not_known_does_not_pass() {
    let place = fresh();
    write(place.path(), "old.wat", &counts(1));
    let words =
        ["compare", "old.wat", "old.wat", "--call=f(n)", "--paths=10", "--sizes=4,8", "--fail-above-class=same"];
    let output = run(place.path(), &words);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("is not known"), "{}", told(&output));
}

/// A search of the new version alone does not find its worst input, but that of the old version does.
#[test]
fn an_input_that_only_the_other_search_finds_is_taken_over() {
    let place = fresh();
    write(place.path(), "plain.wat", &hides("(i32.eq (local.get $x) (i32.const 123456789))"));
    // Steps that lose information, so that no layer of the solver can go back from the result to the argument.
    let (mut hashed, mut value) = ("(local.get $x)".to_string(), 123_456_789_u32);
    for _ in 0..6 {
        let ones = format!("(i32.popcnt (i32.mul {hashed} (i32.const -7)))");
        hashed = format!("(i32.add (i32.rem_u {hashed} (i32.const 1000003)) {ones})");
        value = (value % 1_000_003) + value.wrapping_mul(7_u32.wrapping_neg()).count_ones();
    }
    let rest = format!("(i32.eq (i32.rem_u (local.get $x) (i32.const 65521)) (i32.const {}))", 123_456_789 % 65_521);
    let hidden = hides(&format!("(i32.and (i32.eq {hashed} (i32.const {value})) {rest})"));
    write(place.path(), "hidden.wat", &hidden);
    let (found, _) = compared(place.path(), &["plain.wat", "hidden.wat", "--call=f(i32)", "--paths=20"]);
    let point = &found["points"][0];
    assert_eq!(point["b"]["input"], serde_json::json!([123456789]), "{point}");
    assert!(point["b"]["cost"].as_u64() > Some(4000));
    // What was saved is what was taken over.
    let output = run(place.path(), &["replay", "pessimum-out/compare-hidden/b", "--json"]);
    let replayed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(replayed["cost"]["value"], point["b"]["cost"]);
    let page = std::fs::read_to_string(place.path().join("pessimum-out/compare-hidden/b/report.html")).unwrap();
    assert!(page.contains("123456789"));
}

/// Compares these two without a limit, and interrupts it as a terminal does, all of its processes, once something was found
/// of one version.
#[cfg(unix)]
fn interrupted(directory: &Path, programs: [&str; 2], letter: &str) -> Output {
    use std::os::unix::process::CommandExt as _;
    use std::process::Stdio;
    let flags =
        ["--call=sort(i32[n], n)", "--size=40", "--strategy=exhaustive", "--budget=none", "--json", "--out=out"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(directory).arg("compare").args(programs).args(flags).process_group(0);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = directory.join("out").join(letter).join("journal.jsonl");
    while !std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"event\":\"best\"")) {
        assert!(child.try_wait().unwrap().is_none(), "the comparison has ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status().unwrap();
    assert!(kill.success());
    child.wait_with_output().unwrap()
}

/// Ctrl-C in the second search compares what is there; in the first one, what it found is kept.
#[cfg(unix)]
#[test]
fn ctrl_c_compares_what_is_there() {
    let sort = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/own/insertion_sort.wasm");
    let short = r#"(module (memory (export "memory") 1) (func (export "sort") (param i32 i32)))"#;
    let with_both = || {
        let place = fresh();
        write(place.path(), "short.wat", short);
        std::fs::copy(&sort, place.path().join("long.wasm")).unwrap();
        place
    };
    let place = with_both();
    let output = interrupted(place.path(), ["short.wat", "long.wasm"], "b");
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(
        told(&output).contains("note: interrupted with Ctrl-C: B (long.wasm) was searched for"),
        "{}",
        told(&output)
    );
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let point = &found["points"][0];
    assert!(point["b"]["cost"].as_u64() > point["a"]["cost"].as_u64(), "{found}");
    let output = run(place.path(), &["replay", "out/b", "--json"]);
    let replayed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(replayed["cost"]["value"], point["b"]["cost"]);

    let place = with_both();
    let output = interrupted(place.path(), ["long.wasm", "short.wat"], "a");
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("nothing to compare it with. What it found is in out/a"), "{}", told(&output));
    assert!(run(place.path(), &["replay", "out/a"]).status.success());
}

fn git(directory: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(directory)
        .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
        .args(words)
        .output()
        .expect("git");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with two commits and a change that is not committed: linear, quadratic, cubic.
fn repository() -> tempfile::TempDir {
    let place = fresh();
    let top = place.path();
    git(top, &["init", "--quiet"]);
    for power in [1, 2] {
        write(top, "src/f.wat", &counts(power));
        git(top, &["add", "."]);
        git(top, &["commit", "--quiet", "--message", &format!("power {power}")]);
    }
    write(top, "src/f.wat", &counts(3));
    place
}

#[test]
fn revisions_are_compared_without_touching_the_working_tree() {
    let place = repository();
    let top = place.path();
    // A hook would show that something was checked out.
    let hook = write(top, ".git/hooks/post-checkout", "#!/bin/sh\ntouch hooked\n");
    #[cfg(unix)]
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let state = |top: &Path| (git(top, &["status", "--porcelain"]), git(top, &["worktree", "list"]));
    let (before, index) = (state(top), std::fs::read(top.join(".git/index")).unwrap());
    let costs = |directory: &Path, words: &[&str]| -> (u64, u64) {
        let out = fresh();
        let out = format!("--out={}", out.path().display());
        let rest = ["--call=f(n)", "--size=10", "--paths=10", &out];
        let words: Vec<&str> = words.iter().chain(&rest).copied().collect();
        let (found, code) = compared(directory, &words);
        assert_eq!(code, Some(0));
        let cost = |side: &str| found["points"][0][side]["cost"].as_u64().unwrap();
        (cost("a"), cost("b"))
    };
    let (two, three) = costs(top, &["HEAD:src/f.wat", "src/f.wat"]);
    assert!(two > 100 && three > 1000);
    let (one, again) = costs(top, &["HEAD~1:src/f.wat", "HEAD:src/f.wat"]);
    assert!(one < two && again == two);
    assert_eq!(costs(top, &["HEAD", "src/f.wat"]), (two, three), "the path of the other side");
    assert_eq!(costs(top, &["HEAD~1", "HEAD", "--program=src/f.wat"]), (one, two));
    assert_eq!(costs(top, &["HEAD~1", ".", "--program=src/f.wat"]), (one, three));
    assert_eq!(costs(&top.join("src"), &["HEAD", "f.wat"]), (two, three), "as seen from a directory below");
    assert_eq!(costs(&top.join("src"), &["HEAD:src/f.wat", "f.wat"]), (two, three), "as git itself writes it");
    let absolute = top.join("src/f.wat");
    assert_eq!(costs(top, &["HEAD", absolute.to_str().unwrap()]), (two, three));
    std::fs::create_dir(top.join("new")).unwrap();
    assert_eq!(costs(&top.join("new"), &["HEAD", "../src/f.wat"]), (two, three), "from a directory that is not in it");
    assert_eq!(state(top), before);
    assert_eq!(std::fs::read(top.join(".git/index")).unwrap(), index);
    assert_eq!(std::fs::read_to_string(top.join("src/f.wat")).unwrap(), counts(3));
    assert!(!top.join("hooked").exists());
}

#[test]
fn what_is_no_version_is_refused_in_words() {
    let place = repository();
    let top = place.path();
    for (words, message) in [
        (&["nope", "src/f.wat"][..], "nope: there is no such file, and no such revision here"),
        (&["nope:f.wat", "src/f.wat"], "no revision `nope` here"),
        (&["HEAD:nope.wat", "src/f.wat"], "HEAD has no nope.wat"),
        (&["HEAD", "HEAD~1"], "say which program of the revision is meant"),
        (&["HEAD", "/"], "not in the repository"),
        (&["HEAD:src/f.wat", "HEAD", "--program=src/f.wat"], "give either `HEAD:PATH` or --program"),
        (&["src/f.wat", "src/f.wat", "--program=src/f.wat"], "is a file"),
        (&["src/f.wat", "src/f.wat", "--emit=json"], "--emit"),
        (&["src/f.wat", "src/f.wat", "--fail-above-ratio=x"], "a number above 0"),
        (&["src/f.wat", "src/f.wat", "--fail-above-class=n"], "--sizes"),
        (&["HEAD:src/f.wat", "src/f.wat", "--call=g(n)", "--size=3"], "A (HEAD:src/f.wat) could not be searched"),
    ] {
        let words: Vec<&str> = ["compare", "--paths=10"].iter().chain(words).copied().collect();
        let output = run(top, &words);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{words:?}");
        assert!(told(&output).contains(message), "{words:?}: {}", told(&output));
    }
}

#[test]
fn programs_with_different_inputs_are_still_compared() {
    let place = fresh();
    let of = |ty: &str| {
        format!(r#"(module (func (export "f") (param $x {ty}) (if ({ty}.eqz (local.get $x)) (then (nop)))))"#)
    };
    write(place.path(), "a.wat", &of("i32"));
    write(place.path(), "b.wat", &of("i64"));
    // One call for both would not fit; the types of a module are no calls, so it has to be given for each.
    let output = run(place.path(), &["compare", "a.wat", "b.wat", "--call=f(i32)", "--paths=10"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("B (b.wat) could not be searched"), "{}", told(&output));
}

#[test]
fn verdicts_are_written_for_ci_and_data_is_the_same_on_both_sides() {
    let place = repository();
    let top = place.path();
    // The file is in no revision: it is the user's data, and both sides read it.
    write(top, "data.txt", "1");
    let words = [
        "compare",
        "HEAD",
        "src/f.wat",
        "--call=f(n)",
        "--size=10",
        "--paths=10",
        "--file=d=data.txt",
        "--fail-above-ratio=1.05",
    ];
    let words: Vec<&str> = words.iter().copied().chain(["--junit=j.xml", "--sarif=s.json"]).collect();
    let output = run(top, &words);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("is above --fail-above-ratio 1.05") && text.contains("B is worse"), "{text}");
    assert!(text.lines().count() < 40, "a screen: {text}");
    let xml = std::fs::read_to_string(top.join("j.xml")).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("failure")).count(), 1);
    let sarif: Value = serde_json::from_slice(&std::fs::read(top.join("s.json")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "error");
}

/// Two directories with a dependency of the same name that costs 100 in one of them and 10 in the other, and in both a
/// function that uses it.
fn two_libraries() -> tempfile::TempDir {
    let place = fresh();
    for (directory, count) in [("old", 100), ("new", 10)] {
        let count = format!("#define COUNT {count}\nint work(int);\n");
        write(place.path(), &format!("{directory}/dep.h"), &count);
        let work = "int work(int x) { volatile int s = 0; for (int i = 0; i < COUNT; i++) s += x; return s; }\n";
        write(place.path(), &format!("{directory}/dep.c"), &format!("#include \"dep.h\"\n{work}"));
        write(place.path(), &format!("{directory}/h.c"), HARNESS);
        write(place.path(), &format!("{directory}/options"), "-DX -I.");
    }
    place
}

const HARNESS: &str = "#include \"dep.h\"\nint f(unsigned char x) { return work(x); }\n";

/// The worst costs of both sides, and what is said to come from the working tree.
fn costs(directory: &Path, words: &[&str]) -> ([u64; 2], [Value; 2]) {
    let words: Vec<&str> = words.iter().chain(&["--call=f(u8)", "--paths=10"]).copied().collect();
    let (found, code) = compared(directory, &words);
    assert_eq!(code, Some(0), "{words:?}");
    let cost = |side: &str| found["points"][0][side]["cost"].as_u64().unwrap();
    ([cost("a"), cost("b")], ["a", "b"].map(|side| found[side]["program_from_here"].clone()))
}

#[test]
fn the_options_of_each_side_are_those_of_its_own_directory() {
    if !crate::compiling::can_compile("asks.c") {
        return;
    }
    let place = two_libraries();
    let (top, new) = (place.path(), place.path().join("new"));
    let (expected, _) = costs(top, &["old", "new", "--program=h.c", "--cflags=dep.c"]);
    assert!(expected[0] > 5 * expected[1], "{expected:?}");
    let same = |directory: &Path, words: &[&str]| assert_eq!(costs(directory, words).0, expected, "{words:?}");
    same(&new, &["../old", "../new", "--program=h.c", "--cflags=dep.c"]);
    same(&new, &["../old", ".", "--program=h.c", "--cflags=dep.c -I."]);
    same(&new, &["../old/h.c", "h.c", "--cflags=dep.c"]);
    same(&new, &["../old/h.c", "h.c", "--cflags=dep.c @options"]);
    same(top, &["old/h.c", "new/h.c", "--cflags=dep.c -include dep.h"]);
    // Both sides have nothing of this name, so it is one file for both.
    write(top, "common/dep.h", "#define COUNT 7\nint work(int);\n");
    write(top, "a/h.c", "#include <dep.h>\nint f(unsigned char x) { return COUNT * x; }\n");
    write(top, "b/h.c", "#include <dep.h>\nint f(unsigned char x) { return COUNT * x; }\n");
    let (both, _) = costs(top, &["a/h.c", "b/h.c", "--cflags=-Icommon"]);
    assert_eq!(both[0], both[1]);
    // Nobody can say what is meant where only one of them has it.
    std::fs::remove_file(new.join("options")).unwrap();
    let output = run(top, &["compare", "old/h.c", "new/h.c", "--cflags=@options dep.c", "--call=f(u8)", "--paths=10"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("`options` is in old, but not in new"), "{}", told(&output));
}

#[test]
fn a_program_that_a_version_lacks_comes_from_the_working_tree() {
    if !crate::compiling::can_compile("asks.c") {
        return;
    }
    let place = two_libraries();
    let top = place.path();
    let (expected, none) = costs(top, &["old", "new", "--program=h.c", "--cflags=dep.c"]);
    assert_eq!(none, [Value::Null, Value::Null]);
    // It includes what lies beside it in each version, not here.
    write(top, "fuzz/h.c", &HARNESS.replace("dep.h", "../dep.h"));
    write(top, "dep.h", "#error the wrong one");
    write(top, "dep.c", "#error the wrong one");
    let here = Value::from("fuzz/h.c");
    let words = ["old", "new", "--program=fuzz/h.c", "--cflags=dep.c"];
    assert_eq!(costs(top, &words), (expected, [here.clone(), here.clone()]));
    assert!(!top.join("old/fuzz").exists(), "nothing is written into the directories");
    let words: Vec<&str> = ["compare"].into_iter().chain(words).chain(["--call=f(u8)", "--paths=10"]).collect();
    let text = String::from_utf8(run(top, &words).stdout).unwrap();
    assert_eq!(text.matches("it has no fuzz/h.c: that of the working tree is used").count(), 2, "{text}");
    // The same in revisions of a library, where the harness was never committed.
    let place = fresh();
    let top = place.path();
    git(top, &["init", "--quiet"]);
    let libraries = two_libraries();
    for version in ["old", "new"] {
        for name in ["dep.c", "dep.h"] {
            std::fs::copy(libraries.path().join(version).join(name), top.join(name)).unwrap();
        }
        git(top, &["add", "."]);
        git(top, &["commit", "--quiet", "--message", version]);
    }
    write(top, "fuzz/h.c", &HARNESS.replace("dep.h", "../dep.h"));
    let words = ["HEAD~1", "HEAD", "--program=fuzz/h.c", "--cflags=dep.c"];
    assert_eq!(costs(top, &words), (expected, [here.clone(), here.clone()]));
    let words = ["HEAD~1", ".", "--program=fuzz/h.c", "--cflags=dep.c"];
    assert_eq!(costs(top, &words), (expected, [here, Value::Null]));
}

/// A configuration that names commands wherever it can, each of which would leave a file behind.
#[cfg(unix)]
#[test]
fn nothing_that_a_repository_names_is_run() {
    let place = repository();
    let top = place.path();
    let ran = |name: &str| top.join("ran").join(name);
    std::fs::create_dir(top.join("ran")).unwrap();
    let command = |name: &str| format!("touch {}; cat", ran(name).display());
    for (key, name) in [
        ("remote.origin.uploadpack", "uploadpack"),
        ("core.fsmonitor", "fsmonitor"),
        ("core.sshCommand", "ssh"),
        ("core.pager", "pager"),
        ("core.editor", "editor"),
        ("diff.external", "diff"),
        ("credential.helper", "credential"),
        ("filter.x.smudge", "smudge"),
        ("filter.x.clean", "clean"),
        ("diff.x.textconv", "textconv"),
    ] {
        git(top, &["config", key, &command(name)]);
    }
    git(top, &["config", "alias.read-tree", &format!("!{}", command("alias"))]);
    for (key, value) in [("url", &*top.display().to_string()), ("promisor", "true"), ("fetch", "+refs/*:refs/x/*")] {
        git(top, &["config", &format!("remote.origin.{key}"), value]);
    }
    write(top, ".git/info/attributes", "* filter=x diff=x\n");
    let nothing_ran = || {
        let ran: Vec<_> = std::fs::read_dir(top.join("ran")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(ran.is_empty(), "{ran:?}");
    };
    let words = ["compare", "HEAD~1:src/f.wat", "HEAD:src/f.wat", "--call=f(n)", "--size=10", "--paths=10"];
    let output = run(top, &words);
    assert!(output.status.success(), "{}", told(&output));
    nothing_ran();
    // What is missing is not fetched.
    let blob = git(top, &["rev-parse", "HEAD~1:src/f.wat"]);
    let (start, rest) = blob.trim().split_at(2);
    std::fs::remove_file(top.join(".git/objects").join(start).join(rest)).unwrap();
    let output = run(top, &words);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("this clone lacks files of the revision"), "{}", told(&output));
    nothing_ran();
}
