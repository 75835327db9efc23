//! What `curve` and `pattern` claim of programs whose growth is known, because it was written into them: terms that rule at small
//! sizes only, starts that rule, first branches that a search does not leave, runs that count nothing or do not end.

use std::path::{Path, PathBuf};

/// A program over `n` bytes. `$spin` takes 5 instructions for each of its turns, `$m` is n, and `$look` has a branch for each byte,
/// so that no search sees all paths.
fn module(body: &str, more: &str) -> String {
    format!(
        r#"(module
    (import "pessimum" "cost" (func $cost (param i64)))
    (memory (export "memory") 1)
    (func $spin (param $turns i64)
        (loop $next
            (local.set $turns (i64.sub (local.get $turns) (i64.const 1)))
            (br_if $next (i64.gt_s (local.get $turns) (i64.const 0)))))
    (func $look (param $at i32) (param $n i32)
        (loop $next
            (if (i32.gt_u (i32.load8_u (local.get $at)) (i32.const 64)) (then (nop)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (br_if $next (local.get $n))))
    {more}
    (func (export "f") (param $at i32) (param $n i32) (local $m i64) (local $i i32)
        (local.set $m (i64.extend_i32_u (local.get $n)))
        {body}))"#
    )
}

const LOOK: &str = "(call $look (local.get $at) (local.get $n))";
const SQUARE: &str = "(i64.mul (local.get $m) (local.get $m))";

fn spin(turns: &str) -> String {
    format!("(call $spin {turns})")
}

fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("classes").join(name);
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    place
}

/// Writes a module; returns its file and a directory for results.
fn written(name: &str, text: &str) -> (String, String) {
    let place = place(name);
    std::fs::write(place.join("f.wat"), text).unwrap();
    (place.join("f.wat").display().to_string(), place.join("out").display().to_string())
}

/// What a command prints, and its exit code.
fn pessimum(words: &[&str]) -> (String, Option<i32>) {
    let mut command = assert_cmd::Command::cargo_bin("pessimum").unwrap();
    let output = command.args(words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr);
    (text, output.status.code())
}

/// The row that says how the worst case grows, folded back onto one line.
fn headline(printed: &str) -> String {
    let mut lines =
        printed.lines().skip_while(|line| !line.starts_with("worst case ") && !line.starts_with("worst found "));
    let first = lines.next().unwrap_or_else(|| panic!("{printed}"));
    let rest = lines.take_while(|line| line.starts_with("   ") && !line.trim().starts_with("about "));
    let words = std::iter::once(first).chain(rest).flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

/// What `curve` says of a program at 8 to 128, with a few paths for each size.
fn curve(name: &str, text: &str, more: &[&str]) -> String {
    let (module, out) = written(name, text);
    let words = ["curve", &module, "--call", "f(u8[n], n)", "--chart", "none", "--quiet", "--out", &out];
    let usual = ["--sizes", "8,16,32,64,128", "--paths", "20"];
    let usual = if more.contains(&"--sizes") { &usual[2..] } else { &usual[..] };
    pessimum(&[&words[..], usual, more].concat()).0
}

#[test]
fn curves_claim_no_more_than_they_have_seen() {
    let both = |of: &str| format!("{LOOK} {}", spin(of));
    let linear_first = format!("(i64.add (i64.mul (local.get $m) (i64.const 280)) (i64.div_u {SQUARE} (i64.const 7)))");
    let start = "(i64.add (i64.const 3000) (i64.mul (local.get $m) (i64.const 2)))";
    let late =
        format!("(if (result i64) (i32.lt_u (local.get $n) (i32.const 300)) (then (local.get $m)) (else {SQUARE}))");
    let logarithm =
        "(i64.mul (i64.mul (local.get $m) (i64.const 9)) (i64.sub (i64.const 63) (i64.clz (local.get $m))))";
    let power = "(i64.shl (i64.const 1) (local.get $m))";
    let endless = "(if (i32.eq (i32.load8_u (local.get $at)) (i32.const 120)) (then (loop $ever (br $ever))))";
    let falling = "(i64.div_u (i64.const 40000) (local.get $m))";
    let cases: [(&str, String, &[&str], &str); 12] = [
        (
            "linear_first",
            both(&linear_first),
            &[],
            "worst found grows like n (linear), up to n = 128; the last sizes grow faster than that",
        ),
        (
            "linear_first_certain",
            spin(&linear_first),
            &[],
            "worst case grows like n (linear) at these sizes, up to n = 128; the last sizes grow faster than that",
        ),
        (
            "start_rules",
            both(start),
            &[],
            "worst found grows like n (linear), up to n = 128; lower terms are still 86 % of the cost there",
        ),
        ("quadratic_later", both(&late), &[], "worst found grows like n (linear), up to n = 128"),
        ("one_cost", spin("(i64.const 50)"), &[], "worst case grows like 1 (constant) at these sizes, up to n = 128"),
        (
            "no_growth",
            "(call $look (local.get $at) (i32.const 8))".to_string(),
            &[],
            "worst found no growth was found up to n = 128",
        ),
        ("certain", spin(SQUARE), &[], "worst case grows like n^2 (quadratic) at these sizes, up to n = 128"),
        ("searched", both(SQUARE), &[], "worst found grows like n^2 (quadratic), up to n = 128"),
        ("logarithm", both(logarithm), &[], "worst found grows like n log n (linearithmic), up to n = 128"),
        (
            "exponential",
            spin(power),
            &["--sizes", "4,5,6,7,8,9,10"],
            "worst case grows like 2^n (exponential) at these sizes, up to n = 10",
        ),
        (
            "counts_nothing",
            both(SQUARE),
            &["--cost", "user"],
            "worst found not known: nothing of the program was counted at any size",
        ),
        (
            "endless",
            endless.to_string(),
            &["--max-instructions", "9000"],
            "worst found not known: the run at n = 8 was cut off (never ends)",
        ),
    ];
    for (name, body, more, expected) in cases {
        let printed = curve(name, &module(&body, ""), more);
        let said = headline(&printed);
        assert!(said == expected || said.starts_with(&format!("{expected} nearest is")), "{name}: {said}\n{printed}");
    }
    let falls = curve("falling", &module(&both(falling), ""), &[]);
    assert_eq!(falls.matches("not settled: n = 8 costs more, ").count(), 4, "{falls}");
    assert!(falls.contains("5 sizes: 1 settled, 4 not settled"), "{falls}");
}

/// Every byte that is 7 costs n: the worst is `n` times that byte, n^2 in all.
fn sevens(turns: &str) -> String {
    format!(
        "(loop $each
            (if (i32.eq (i32.load8_u (i32.add (local.get $at) (local.get $i))) (i32.const 7)) (then {}))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $each (i32.lt_u (local.get $i) (local.get $n))))",
        spin(turns)
    )
}

fn pattern(module: &str, out: &str, more: &[&str]) -> String {
    let words = ["pattern", module, "--call", "f(u8[n], n)", "--quiet", "--out", out];
    pessimum(&[&words[..], more].concat()).0
}

/// What is limited is the call: `_initialize` takes half a million instructions before it.
#[test]
fn patterns_are_found_behind_a_long_start() {
    let start = r#"(func (export "_initialize") (call $spin (i64.const 100000)))"#;
    let (module, out) = written("start", &module(&sevens("(local.get $m)"), start));
    let printed = pattern(&module, &out, &["--sizes", "4,6,8", "--paths", "40"]);
    assert!(headline(&printed).starts_with("worst found grows like n^2 (quadratic), up to n = "), "{printed}");
}

/// Up to n = 24, bytes that depend on n cost far more than what grows, by amounts that follow no class.
#[test]
fn a_pattern_far_behind_the_search_has_no_class() {
    let wanted = "(i32.and (i32.add (i32.mul (i32.mul (local.get $i) (local.get $i)) (i32.const 37)) (i32.mul (local.get $n) (i32.const 91))) (i32.const 255))";
    let amount = "(i64.mul (i64.const 300) (i64.add (i64.const 1) (i64.rem_u (i64.mul (i64.const 7) (i64.mul (local.get $m) (local.get $m))) (i64.const 13))))";
    let secret = format!(
        "(block $out
            (br_if $out (i32.gt_u (local.get $n) (i32.const 24)))
            (loop $each
                (br_if $out (i32.ne (i32.load8_u (i32.add (local.get $at) (local.get $i))) {wanted}))
                {}
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $each (i32.lt_u (local.get $i) (local.get $n)))))
        (local.set $i (i32.const 0))",
        spin(amount)
    );
    let (module, out) = written("behind", &module(&(secret + &sevens("(i64.const 20)")), ""));
    let printed = pattern(&module, &out, &["--paths", "200"]);
    let said = headline(&printed);
    assert!(said.starts_with("worst found not known: at n = 24 the pattern costs 9"), "{printed}");
    assert!(said.contains("it is not the rule behind that; at least n (linear)"), "{printed}");
}

/// A linear term rules at the sizes of the curve, and the pattern is run far beyond them.
#[test]
fn curves_and_patterns_of_one_directory_read_each_other() {
    let turns = "(i64.add (i64.const 400) (local.get $m))";
    let (module, out) = written("each_other", &module(&sevens(turns), ""));
    let sizes = ["--sizes", "4,6,8,10,12,16"];
    let words =
        ["curve", &module, "--call", "f(u8[n], n)", "--chart", "none", "--quiet", "--out", &out, "--paths", "60"];
    let curve = |more: &[&str]| pessimum(&[&words[..], &sizes, more].concat());
    let (alone, code) = curve(&["--fail-above-class", "n"]);
    assert!(headline(&alone).starts_with("worst found grows like n (linear), up to n = 16"), "{alone}");
    assert!(alone.contains("inputs found grows like n, up to n = 16") && !alone.contains("worst case"), "{alone}");
    assert_eq!(code, Some(0), "{alone}");
    // The pattern is compared with the larger size that the curve searched.
    let found = pattern(&module, &out, &["--sizes", "4,6,8", "--paths", "40"]);
    assert!(headline(&found).starts_with("worst found grows like n^2 (quadratic), up to n = "), "{found}");
    let row = found.lines().find(|line| line.trim().starts_with("16 ")).unwrap();
    assert!(row.split_whitespace().nth(1).is_some_and(|searched| searched != "-"), "{found}");
    // And the curve no longer says that what it sees at its sizes is all.
    let (after, code) = curve(&["--fail-above-class", "n"]);
    assert!(headline(&after).starts_with("worst found grows like n^2 (quadratic), up to n = "), "{after}");
    assert!(after.contains("by the pattern n times") && after.contains("nearest is n (linear)"), "{after}");
    assert_eq!(code, Some(3), "{after}");
    assert!(Path::new(&out).join("pattern.json").exists());
    // Another program leaves nothing of it behind.
    std::fs::write(&module, other_module()).unwrap();
    let (other, _) = curve(&[]);
    assert!(other.contains("worst case") && !Path::new(&out).join("pattern.json").exists(), "{other}");
}

fn other_module() -> String {
    module(&spin("(local.get $m)"), "")
}
