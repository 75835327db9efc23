//! `pessimum curve` on programs whose worst case is known as a formula, and what it leaves behind.

use std::path::{Path, PathBuf};
use std::process::Command;

use pessimum_report::curve::CurveResult;
use serde_json::Value;

fn pessimum() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pessimum"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

fn curve(name: &str, flags: &[&str]) -> (CurveResult, PathBuf) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("curve").join(name);
    let _ = std::fs::remove_dir_all(&out);
    let output = pessimum().arg("curve").args(flags).arg("--json").arg("--out").arg(&out).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let result: CurveResult = serde_json::from_slice(&output.stdout).unwrap();
    let saved: CurveResult = serde_json::from_slice(&std::fs::read(out.join("curve.json")).unwrap()).unwrap();
    assert_eq!(result, saved, "{name}: curve.json is what --json prints");
    (result, out)
}

/// The formulas of subjects/subjects.toml, found by search: the cost at every size, and the class.
#[test]
fn known_formulas_are_found() {
    let factorial = |n: u64| {
        let s = (1..n).fold(2, |s, k| 2 * n + 3 + k * s);
        n + 1 + s
    };
    let merge = |n: u64| {
        let c = u64::from(n.next_power_of_two().ilog2());
        5 * (n * c + n - (1 << c)) + 12 * n - 11
    };
    /// Module, call, cost, sizes, paths, class, formula.
    type Case<'c> = (&'c str, &'c str, &'c str, &'c str, &'c str, &'c str, &'c dyn Fn(u64) -> u64);
    let cases: [Case<'_>; 8] = [
        ("ese/alternate_0", "alternate_0(i32[n], n)", "user", "5..60", "800", "n", &|n| 6 * n + 1),
        ("ese/is_palindrome", "is_palindrome(i32[n], n)", "user", "5..60", "300", "n", &|n| 2 * n + 2),
        ("ese/merge_sort", "merge_sort(i32[n], n, out i32[3*n])", "user", "4,8,16,32,64", "800", "n log n", &merge),
        ("pyse/bst_build", "build(i32[n], n, out i32[3*n])", "decisions", "5..40", "60", "n^2", &|n| n * (n - 1) / 2),
        ("own/insertion_sort", "sort(i32[n], n)", "decisions", "5..40", "60", "n^2", &|n| n * (n - 1) / 2),
        (
            "wise/dijkstra",
            "dijkstra(i32[n*n] in 0..=1000000, n, out i32[2*n])",
            "branches",
            "3..20",
            "30",
            "n^2",
            &|n| 5 * n * n + 5 * n + 2,
        ),
        (
            "wise/bellman_ford",
            "bellman_ford(i32[n*n-n] in -10000..=10000, n, out i32[n*n+2*n])",
            "branches",
            "2..8",
            "300",
            "n^3",
            &|n| 4 * n * n * n + 2 * n * n + 6 * n + 3,
        ),
        ("wise/tsp", "tsp(i32[n*n] in 0..=1000000, n, out i32[n])", "branches", "2..6", "30", "n!", &factorial),
    ];
    for (name, call, cost, sizes, paths, class, formula) in cases {
        let module = format!("subjects/{name}.wasm");
        let flags = [&module, "--call", call, "--cost", cost, "--sizes", sizes, "--paths", paths];
        let (result, _) = curve(&name.replace('/', "-"), &flags);
        let found: Vec<(u64, u64)> = result.points.iter().map(|point| (point.size, point.cost)).collect();
        let known: Vec<(u64, u64)> = found.iter().map(|&(n, _)| (n, formula(n))).collect();
        assert_eq!(found, known, "{name}");
        assert_eq!(
            result.worst.class.map(|class| class.to_string()).as_deref(),
            Some(class),
            "{name}: {:?}",
            result.worst
        );
        assert!(result.missing.is_empty(), "{name}");
    }
}

/// Every size can be replayed by itself, and its input costs what the curve says.
#[test]
fn every_size_can_be_replayed() {
    let flags = ["subjects/own/json.wasm", "--stdin", "2*n", "--sizes", "2..6", "--paths", "200"];
    let (result, out) = curve("replay", &flags);
    assert_eq!(result.points.iter().map(|point| point.size).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
    for point in &result.points {
        let output = pessimum().args(["replay", "--json"]).arg(out.join(&point.directory)).output().unwrap();
        let replayed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(replayed["cost"]["value"], point.cost, "n = {}", point.size);
        assert_eq!(replayed["input"], point.input, "n = {}", point.size);
        assert!(out.join(&point.directory).join("stdin.bin").is_file(), "n = {}", point.size);
    }
}

/// A seed and a number of paths fix everything but times; another seed is another search.
#[test]
fn runs_can_be_repeated() {
    let run = |name: &str, seed: &str| {
        let call = ["subjects/ese/quicksort_jdk.wasm", "--call", "sort(i32[n], n)", "--cost", "user"];
        let (mut result, _) =
            curve(name, &[&call[..], &["--sizes", "6..30", "--paths", "150", "--seed", seed]].concat());
        result.elapsed_s = 0.0;
        for point in &mut result.points {
            point.elapsed_s = 0.0;
        }
        result
    };
    let first = run("repeat-1", "7");
    assert_eq!(first, run("repeat-2", "7"));
    assert_ne!(first.points, run("repeat-3", "8").points);
}

/// A curve spends more of its time on sizes that lag, and has no cost below that of a smaller size.
#[test]
fn time_that_is_left_goes_to_sizes_that_lag() {
    let call = ["subjects/ese/quicksort_jdk.wasm", "--call", "sort(i32[n], n)", "--strategy", "ga"];
    // Until the time is enough for a second round.
    let (result, out) = ["4s", "16s", "64s"]
        .into_iter()
        .map(|budget| curve("more", &[&call[..], &["--sizes", "6,8,12,16,24", "--budget", budget]].concat()))
        .find(|(_, out)| std::fs::read_to_string(out.join("curve.jsonl")).unwrap().contains("\"event\":\"more\""))
        .expect("there is a second round");
    assert!(result.points.is_sorted_by_key(|point| point.cost), "{:?}", result.points);
    assert!(result.points.iter().all(|point| point.random.is_some()));
    for point in &result.points {
        let saved = std::fs::read(out.join(&point.directory).join("result.json")).unwrap();
        let saved: Value = serde_json::from_slice(&saved).unwrap();
        assert_eq!(saved["cost"]["value"], point.cost, "n = {}", point.size);
    }
}
