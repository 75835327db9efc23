//! What a user meets first with programs of his own: whose cost it is, why a program crashed, and results of the simplest
//! functions there are. Compilers that are not on the machine are reported; with PESSIMUM_REQUIRE_TOOLS=1 the tests fail.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

/// Runs `worst` on a source file; its text, and result.json. None without a compiler.
fn worst(name: &str, words: &[&str]) -> Option<(String, Value)> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whose").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let mut command = Command::cargo_bin("pessimum").unwrap();
    command.current_dir(sources()).env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("whose-cache"));
    command.arg("worst").args(words).arg("--quiet").arg("--out").arg(&directory);
    let output = command.output().unwrap();
    let (text, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    if errors.contains("install") && std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none() {
        eprintln!("not tested, no compiler: {errors}");
        return None;
    }
    assert!(output.status.success(), "{errors}");
    let result = std::fs::read(directory.join("result.json")).unwrap();
    Some((text, serde_json::from_slice(&result).unwrap()))
}

/// The rows of one kind in the table of where the cost is.
fn rows<'t>(text: &'t str, kind: &str) -> Vec<&'t str> {
    let from = text.lines().skip_while(|line| !line.starts_with(&format!("  {kind}")));
    let rows: Vec<&str> = from.take_while(|line| line.starts_with("  ")).collect();
    let end = rows.iter().skip(1).position(|line| !line.starts_with("     ")).map_or(rows.len(), |end| end + 1);
    rows[..end].to_vec()
}

#[test]
fn the_users_code_comes_before_libraries_and_fits_a_terminal() {
    let Some((text, result)) =
        worst("groups", &["groups.cpp", "--call", "count(u8[n], n)", "--size", "12", "--paths", "200"])
    else {
        return;
    };
    // The directory of this test may be anywhere.
    let shown = text.split("written to").next().unwrap();
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(rows(&text, "functions")[0].contains(" count "), "{text}");
    assert!(rows(&text, "libraries").iter().any(|row| row.contains("libc++, by count")), "{text}");
    assert!(rows(&text, "lines").iter().all(|row| row.contains("groups.cpp:")), "{text}");
    // Everything is somebody's.
    let own = |list: &str| result[list].as_array().unwrap().iter().map(|row| row["own"].as_u64().unwrap()).sum::<u64>();
    let users: u64 = result["functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["library"].is_null())
        .map(|row| row["own"].as_u64().unwrap())
        .sum();
    assert_eq!(users + own("libraries"), result["costs"]["instructions"].as_u64().unwrap());
    let first = &result["functions"][0];
    assert_eq!(
        (first["name"].as_str(), first["total"].as_u64()),
        (Some("count"), result["costs"]["instructions"].as_u64())
    );
}

#[test]
fn a_line_has_the_cost_of_what_it_calls_and_recursion_counts_once() {
    let words =
        ["quicksort.c", "--call", "quicksort(i32[n], 0, n-1)", "--size", "12", "--paths", "300", "--cflags", "-O0"];
    let Some((text, result)) = worst("quicksort", &words) else { return };
    let all = result["costs"]["instructions"].as_u64().unwrap();
    let lines = result["lines"].as_array().unwrap();
    let of = |line: u64| lines.iter().find(|row| row["line"] == line).unwrap_or_else(|| panic!("line {line}: {text}"));
    // The loop of `partition` is where the time goes, not the line that calls it.
    assert!(lines[0]["line"].as_u64().unwrap() <= 9, "{text}");
    let call = of(12);
    assert!(call["instructions"].as_u64().unwrap() * 10 < call["total"].as_u64().unwrap(), "{text}");
    for row in lines {
        let (own, total) = (row["instructions"].as_u64().unwrap(), row["total"].as_u64().unwrap());
        assert!(own <= total && total <= all, "{row}");
    }
    // Eleven calls of `partition` for twelve numbers in order; lines in it are executed as often as they are.
    assert!(call["times"].as_u64().unwrap() <= 11, "{text}");
}

/// What the compiler moved into its caller, without a line of its own, is not charged to the line of the call.
#[test]
fn inlined_code_is_not_charged_to_the_line_that_calls_it() {
    let words = ["quicksort.c", "--call", "quicksort(i32[n], 0, n-1)", "--size", "12", "--paths", "300"];
    let Some((text, result)) = worst("inlined", &words) else { return };
    let functions: Vec<&str> =
        result["functions"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(functions, ["quicksort"], "nothing else is left to call: {text}");
    let lines = result["lines"].as_array().unwrap();
    let hottest = lines.iter().max_by_key(|row| row["instructions"].as_u64()).unwrap();
    assert!((4..=6).contains(&hottest["line"].as_u64().unwrap()), "the loop of `partition`: {text}");
    // The call of it is made eleven times for twelve numbers.
    let call = lines.iter().find(|row| row["line"] == 12);
    assert!(call.is_none_or(|row| row["times"].as_u64().unwrap() <= 11), "{text}");
}

/// A `&str` is always text: random inputs are, too, and nobody is charged for checking it.
#[test]
fn texts_of_rust_are_compared_with_random_texts() {
    let words = ["library.rs", "--call", "balanced(utf8[n], n)", "--size", "6", "--paths", "100"];
    let Some((text, result)) = worst("text", &words) else { return };
    assert_eq!((&result["random"]["inputs"], &result["end"]), (&1000.into(), &"returned".into()), "{text}");
    assert!(result["cost"]["value"].as_u64() >= result["random"]["highest"].as_u64(), "{text}");
    assert_eq!(result["ends"].get("trapped"), None, "{}", result["ends"]);
    assert!(!result["functions"].to_string().contains("utf8"), "{}", result["functions"]);
}

#[test]
fn a_crash_is_explained_in_the_programs_own_words() {
    if let Some((text, result)) = worst("pick", &["pick.rs", "--stdin", "4", "--paths", "300"]) {
        assert!(text.contains("\nend          returned"), "{text}");
        assert!(
            text.replace("\n             ", " ").contains("index out of bounds: the len is 4 but the index is 4"),
            "{text}"
        );
        assert!(result["trapped"]["at"].as_str().unwrap().contains("pick.rs:7"), "{}", result["trapped"]);
        assert_eq!(result["end"], "returned");
    }
    if let Some((text, result)) =
        worst("letters", &["letters.c", "--call", "sum(u8[n], n)", "--size", "3", "--paths", "300"])
    {
        assert!(result["trapped"]["why"].as_str().unwrap().starts_with("bad letter at "), "{text}");
        assert_eq!(result["trapped"]["at"].as_str().unwrap(), "sum (letters.c:7)", "{text}");
        assert!(result["trapped"]["cost"].as_u64() > result["cost"]["value"].as_u64(), "{text}");
        // Only runs that return are compared with one that does.
        assert!(result["random"]["highest"].as_u64() <= result["cost"]["value"].as_u64(), "{text}");
    }
}

#[test]
fn whatever_was_run_takes_part() {
    for call in ["countdown(u32)", "fact(i32)", "is_prime(u32)"] {
        let words = ["simple.c", "--call", call, "--paths", "20", "--max-instructions", "2000000"];
        let Some((text, result)) = worst("simple", &words) else { return };
        let cost = result["cost"]["value"].as_u64().unwrap();
        assert!(cost >= result["random"]["highest"].as_u64().unwrap_or(0), "{text}");
        assert!(cost > 1_000_000, "{text}");
    }
    let words = ["simple.c", "--call", "fib(u32 in 0..=20)", "--paths", "60"];
    let Some((text, result)) = worst("simple", &words) else { return };
    assert_eq!(result["input"], serde_json::json!([20]), "{text}");
}
