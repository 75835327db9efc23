//! `bench tables`: the same runs give the same summary, in one call or in several.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// Runs a bench and returns its summary.
fn run(out: &Path, words: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    let output = command.arg("tables").args(words).args(["--json", "--out"]).arg(out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a part of Table V and returns its summary without times.
fn bench(out: &Path, seeds: &str, jobs: &str) -> Value {
    let words = ["ese-table5", "--only", "palindrome at 10,palindrome at 100", "--paths", "300"];
    let choice = ["--strategies", "auto,ese,random,wise", "--seeds", seeds, "--jobs", jobs];
    let mut summary = run(out, &[&words[..], &choice].concat());
    let saved: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary, saved);
    for row in summary["rows"].as_array_mut().unwrap() {
        row["seconds"] = Value::Null;
    }
    summary
}

#[test]
fn a_bench_goes_on_where_it_stopped() {
    let whole = bench(&directory("whole"), "2", "2");
    assert_eq!(whole["runs_done"], 2 * 2 * 4);
    let parts = directory("parts");
    bench(&parts, "1", "1");
    let runs = parts.join("runs.jsonl");
    let first = std::fs::read_to_string(&runs).unwrap();
    assert_eq!(first.lines().count(), 2 * 4);
    // A run whose line was cut off by a crash is repeated, the others are not.
    let kept = first.lines().count() - 1;
    let cut: usize = first.lines().take(kept).map(|line| line.len() + 1).sum::<usize>() + 10;
    std::fs::write(&runs, &first[..cut]).unwrap();
    assert_eq!(bench(&parts, "2", "1"), whole);
    let second = std::fs::read_to_string(&runs).unwrap();
    assert!(second.starts_with(&first[..cut - 10]), "finished runs stay");
    // And nothing is left to do.
    assert_eq!(bench(&parts, "2", "1"), whole);
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), second);
    let csv = std::fs::read_to_string(parts.join("summary.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 4);
}

#[test]
fn numbers_stand_beside_the_published_ones() {
    let summary = bench(&directory("published"), "2", "1");
    let rows = summary["rows"].as_array().unwrap();
    let ese = rows.iter().find(|row| row["size"] == 100 && row["variant"] == "ese").unwrap();
    assert_eq!(ese["optimum"], 202);
    assert_eq!(ese["reference"], 202);
    assert_eq!(ese["published"], 202);
    assert!(ese["a12"].is_null());
    let random = rows.iter().find(|row| row["size"] == 100 && row["variant"] == "random").unwrap();
    assert_eq!(random["published"], 37);
    assert!(random["best"].as_u64().unwrap() < 202);
    assert!(random["a12"].as_f64().unwrap() <= 0.5);
}

/// The lines of a strategy, each with the values of these fields.
fn cells<'s>(summary: &'s Value, variant: &str, fields: &[&str]) -> Vec<(String, Vec<&'s Value>)> {
    let rows = summary["rows"].as_array().unwrap().iter().filter(|row| row["variant"] == variant);
    let name = |row: &Value| format!("{} {}", row["subject"].as_str().unwrap(), row["size"]);
    rows.map(|row| (name(row), fields.iter().map(|field| &row[*field]).collect())).collect()
}

/// ESE, Table V: with arm 0 first, DFS, and WISE and SPF-WCA on `dfs`, give the published costs to the line. Budgets are
/// in paths, so that they are the same on every machine; these rows need few.
#[test]
fn depth_first_columns_of_table_v_are_exact() {
    let check = |summary: &Value, variant: &str, count: usize| {
        let cells = cells(summary, variant, &["best", "published"]);
        assert_eq!(cells.len(), count);
        for (name, cell) in cells {
            assert_eq!(cell[0], cell[1], "{variant} on {name}");
        }
    };
    let merge_sort = "merge_sort at 50,merge_sort at 75,merge_sort at 100";
    let only = format!("is_palindrome,{merge_sort},ese/dfs at 3,ese/dfs at 7,ese/dfs at 10,ese/bfs");
    let words = ["ese-table5", "--strategies", "dfs", "--only", &only, "--paths", "5000", "--seeds", "1"];
    check(&run(&directory("dfs"), &words), "dfs", 14);
    let only = "ese/dfs at 3,ese/dfs at 7,ese/dfs at 10";
    let words = ["ese-table5", "--strategies", "wise,spf-wca", "--only", only, "--paths", "30000", "--seeds", "1"];
    let summary = run(&directory("guided"), &words);
    check(&summary, "wise", 3);
    check(&summary, "spf-wca", 3);
    let settings = summary["settings"].as_array().unwrap();
    assert!(settings.iter().any(|entry| entry[1] == "spf-wca --history 0 --order 0"), "{settings:?}");
}

/// PySE, Table II: infeasible executions count, and the sites of its WISE are source lines. TSP at V = 4 has 720 feasible
/// paths and 8 infeasible ones, Dijkstra 155 and 682.
#[test]
fn executions_of_pyses_table_ii_are_exact() {
    let only = "boyer_moore at 3,boyer_moore at 10,boyer_moore at 20,tsp_heuristic at 3,tsp_heuristic at 4,\
                dijkstra_heap at 3,dijkstra_heap at 4";
    let words = ["pyse-table2", "--strategies", "exhaustive,wise", "--only", only, "--paths", "20000", "--seeds", "1"];
    let summary = run(&directory("pyse"), &words);
    for variant in ["exhaustive", "wise"] {
        let cells = cells(&summary, variant, &["paths", "published_paths", "best", "reference", "finished"]);
        assert_eq!(cells.len(), 7);
        for (name, cell) in cells {
            assert_eq!(cell[0].as_f64(), cell[1].as_f64(), "{variant} on {name}");
            assert_eq!((cell[2], cell[4]), (cell[3], &Value::Bool(true)), "{variant} on {name}");
        }
    }
    let infeasible = cells(&summary, "exhaustive", &["infeasible"]);
    assert_eq!(infeasible.last().unwrap().1[0].as_f64(), Some(682.0));
}

/// PySE's own columns count executions up to the longest path, without those of pre-training; a run that misses it is
/// more than any number.
#[test]
fn pyses_columns_count_executions_until_the_longest_path() {
    let strategies = ["pyse", "pyse scaled", "pyse one pass", "pyse decisions"];
    let words = ["pyse-table2", "--strategies", "pyse,pyse*", "--seeds", "3", "--paths", "300"];
    let summary = run(&directory("learnt"), &[&words[..], &["--only", "boyer_moore at 5,boyer_moore at 10"]].concat());
    for variant in strategies {
        let cells = cells(&summary, variant, &["paths", "reached", "best", "reference"]);
        assert_eq!(cells.len(), 2, "{variant}");
        for (name, cell) in cells {
            // There are 4 and 40 executions.
            assert!((1.0..=40.0).contains(&cell[0].as_f64().unwrap()), "{variant} on {name}: {}", cell[0]);
            assert_eq!((cell[1].as_u64(), cell[2]), (Some(3), cell[3]), "{variant} on {name}");
        }
    }
    let words = ["pyse-table2", "--strategies", "pyse", "--seeds", "3", "--paths", "2", "--only", "boyer_moore at 30"];
    let summary = run(&directory("missed"), &words);
    let cells = cells(&summary, "pyse", &["paths", "seconds", "reached"]);
    assert_eq!(cells[0].1, [&Value::Null, &Value::Null, &Value::from(0)]);
}

/// Fitnex, Table 2: the paths until a statement is reached, a run that misses it counting as all of its 1,000 paths, and the
/// mean of random's paths over those of the others.
#[test]
fn fitnexs_table_2_counts_paths_until_a_target() {
    let strategies = "pex with fitnex,random,iterative deepening,fitnex alone";
    let words = ["fitnex-table2", "--strategies", strategies, "--seeds", "1"];
    let only = ["--only", "test_loop,loops:longest_run,arithmetic:mixed"];
    let summary = run(&directory("fitnex"), &[&words[..], &only].concat());
    assert_eq!((&summary["budget_paths"], &summary["budget_s"]), (&Value::from(1000), &Value::Null));
    let paths = |variant: &str| -> Vec<(f64, u64)> {
        let cells = cells(&summary, variant, &["paths", "reached"]);
        cells.iter().map(|(_, cell)| (cell[0].as_f64().unwrap(), cell[1].as_u64().unwrap())).collect()
    };
    let (guided, random) = (paths("pex with fitnex"), paths("random"));
    assert_eq!((random.len(), random[0]), (3, (1000.0, 0)), "random does not reach the end of TestLoop");
    assert!(guided.iter().all(|&(paths, reached)| paths < 200.0 && reached == 1), "{guided:?}");
    let ratios = random.iter().zip(&guided).map(|((random, _), (guided, _))| random / guided);
    let improvements = summary["improvements"].as_array().unwrap();
    let of = |name: &str| improvements.iter().find(|improvement| improvement["variant"] == name).unwrap();
    let improvement = of("pex with fitnex");
    assert!((improvement["mean"].as_f64().unwrap() - ratios.sum::<f64>() / 3.0).abs() < 1e-9, "{improvement}");
    assert_eq!((&improvement["published"], &improvement["reached"]), (&Value::from(5.2), &Value::from(3)));
    assert_eq!(of("random")["mean"], 1.0);
    assert_eq!(of("fitnex alone")["published"], Value::Null);
}

/// EvoSuite, Figure 1: with dynamic symbolic execution the genetic search covers Foo and Bar, and alone it does not. Executions
/// are counted, so that a second bench makes the same runs.
#[test]
fn evosuites_table_2_counts_branches() {
    let words = ["evosuite-table2", "--only", "foo_bar", "--paths", "4000", "--seeds", "1"];
    let out = directory("evosuite");
    let summary = run(&out, &words);
    assert_eq!((&summary["budget_paths"], &summary["budget_s"]), (&Value::from(4000), &Value::Null));
    let share = |variant: &str| {
        let cells = cells(&summary, variant, &["coverage", "goals", "runs"]);
        assert_eq!((cells.len(), cells[0].1[1].as_u64(), cells[0].1[2].as_u64()), (1, Some(8), Some(1)), "{variant}");
        cells[0].1[0].as_f64().unwrap()
    };
    assert!(share("ga") < 0.8, "{}", share("ga"));
    for variant in ["ga+dse", "ga+dse avm", "auto"] {
        assert_eq!(share(variant), 1.0, "{variant}");
    }
    let comparisons = summary["comparisons"].as_array().unwrap();
    let of = |ours: &str, theirs: &str| {
        comparisons.iter().find(|pair| pair["ours"] == ours && pair["theirs"] == theirs).unwrap()
    };
    for (ours, theirs, a12) in [("ga+dse", "ga", 1.0), ("auto", "ga", 1.0), ("auto", "ga+dse", 0.5)] {
        let comparison = of(ours, theirs);
        assert_eq!((&comparison["all"]["mean_a12"], &comparison["all"]["rows"]), (&a12.into(), &1.into()), "{ours}");
        assert_eq!(comparison["all"], comparison["with_values"], "{ours}: the row has branches on values");
    }
    assert_eq!(of("ga+dse avm", "ga")["published_mean_a12"], 0.62);
    assert_eq!(of("auto", "ga+dse")["all"]["symmetry_p"], Value::Null, "no A12 is off the centre");
    let curve = std::fs::read_to_string(out.join("time.csv")).unwrap();
    assert!(curve.starts_with("variant,seconds,branches_covered\nga,"), "{curve}");
    assert!(out.join("time.svg").is_file());
    let untimed = |out: &Path| -> Vec<Value> {
        let text = std::fs::read_to_string(out.join("runs.jsonl")).unwrap();
        let runs = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let kept = ["variant", "seed", "cost", "paths", "paths_to_best", "queries", "stopped"];
        runs.map(|run| Value::from_iter(kept.map(|key| run[key].clone()))).collect()
    };
    let again = directory("evosuite again");
    run(&again, &[&words[..], &["--strategies", "ga+dse,auto"]].concat());
    assert_eq!(untimed(&out)[2..], untimed(&again));
}

/// `--total` leaves what does not fit for another call.
#[test]
fn a_bench_ends_with_its_time() {
    let out = directory("total");
    let words = ["ese-table5", "--strategies", "random", "--only", "is_palindrome", "--paths", "50", "--seeds", "1"];
    let none = run(&out, &[&words[..], &["--total", "0s"]].concat());
    assert_eq!((&none["runs_done"], &none["runs_wanted"]), (&Value::from(0), &Value::from(4)));
    assert_eq!(run(&out, &words)["runs_done"], 4);
}

/// WISE, Table 1: exhaustive paths, averages of random inputs and N* of two subjects.
#[test]
fn columns_of_wises_table_1_are_those_of_the_paper() {
    let words = ["wise-table1", "--strategies", "exhaustive,average,n-star,wise", "--seeds", "1", "--paths", "4000"];
    let summary = run(&directory("wise"), &[&words[..], &["--only", "bst_search"]].concat());
    for (name, cell) in cells(&summary, "exhaustive", &["paths", "published_paths", "finished"]) {
        if cell[2] == &Value::Bool(true) {
            assert_eq!(cell[0].as_f64(), cell[1].as_f64(), "{name}");
        }
    }
    let averages = cells(&summary, "average", &["average", "published_average"]);
    assert_eq!(averages.len(), 9);
    for (name, cell) in averages {
        let (ours, theirs) = (cell[0].as_f64().unwrap(), cell[1].as_f64().unwrap());
        assert!((ours - theirs).abs() <= 0.02 * theirs, "{name}: {ours} {theirs}");
    }
    let star = cells(&summary, "n-star", &["best", "published"]);
    assert_eq!(star.len(), 1, "one for the subject");
    assert_eq!(star[0].1[0], star[0].1[1]);
}

/// A policy that permits no path is applied again with every arm open, and this is no result of the algorithm.
#[test]
fn an_opened_policy_is_shown() {
    let only = "dijkstra_heap at 4,dijkstra_heap at 6";
    let words = ["pyse-table2", "--strategies", "spf-wca", "--only", only, "--paths", "3000", "--seeds", "1"];
    let out = directory("opened");
    let summary = run(&out, &words);
    let opened: Vec<u64> =
        cells(&summary, "spf-wca", &["opened"]).iter().map(|(_, cell)| cell[0].as_u64().unwrap()).collect();
    assert_eq!(opened, [0, 1]);
    let csv = std::fs::read_to_string(out.join("summary.csv")).unwrap();
    assert!(csv.starts_with("subject,size,paper_size,variant,runs,failed,without_path,opened,"), "{csv}");
}

/// Figure 2: 16 settings, as bars and over time, with the published means beside ours.
#[test]
fn figures_are_drawn() {
    let out = directory("figure");
    run(&out, &["ese-figure2", "--only", "bfs,is_palindrome", "--paths", "60", "--seeds", "1"]);
    let end = std::fs::read_to_string(out.join("figure.csv")).unwrap();
    assert_eq!(end.lines().count(), 1 + 16);
    for line in end.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(cells[1..].iter().all(|cell| (0.0..=1.0).contains(&cell.parse::<f64>().unwrap())), "{line}");
    }
    for name in ["figure.svg", "time.svg"] {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        assert!(text.starts_with("<svg xmlns=") && text.trim_end().ends_with("</svg>"), "{name}");
    }
    // Best costs never fall.
    let time = std::fs::read_to_string(out.join("time.csv")).unwrap();
    let mut last = (String::new(), 0.0);
    for line in time.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let value: f64 = cells[2].parse().unwrap();
        assert!(cells[0] != last.0 || value >= last.1, "{line}");
        last = (cells[0].to_string(), value);
    }
}

#[test]
fn all_makes_every_table_that_has_the_row() {
    let out = directory("all");
    let summaries =
        run(&out, &["all", "--only", "ese/kmp at 100", "--strategies", "auto,ese", "--paths", "20", "--seeds", "1"]);
    let names: Vec<&str> =
        summaries.as_array().unwrap().iter().map(|summary| summary["table"].as_str().unwrap()).collect();
    assert_eq!(names, ["ese-table3", "ese-table5", "ablation"]);
    assert!(names.iter().all(|name| out.join(name).join("summary.csv").is_file()));
}

/// Table V in the paper's own language: lines are those that the interpreter counts, known optima are reached, and the
/// runs are not taken for those of WebAssembly.
#[test]
fn table_v_is_made_in_python_too() {
    let version = ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"];
    if !Command::new("python3").args(version).status().is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "no Python from 3.10 on");
        return;
    }
    let out = directory("python");
    let only = "alternate_0 at 10,is_palindrome at 10,memory_fill:18 at 10,ese/dfs at 3,ese/bfs at 3";
    let words = ["ese-table5", "--only", only, "--strategies", "auto,dfs", "--paths", "1500", "--seeds", "1"];
    let summary = run(&out, &[&words[..], &["--language", "python"]].concat());
    assert_eq!(summary["language"], "python");
    for variant in ["auto", "dfs"] {
        let cells = cells(&summary, variant, &["best", "optimum", "failed"]);
        assert_eq!(cells.len(), 5);
        for (name, cell) in cells {
            assert_eq!((cell[0], cell[2]), (cell[1], &Value::from(0)), "{variant} on {name}");
        }
    }
    let again = run(&out, &words);
    assert_eq!((&again["language"], &again["runs_done"]), (&Value::from("wasm"), &Value::from(10)));
    assert_eq!(std::fs::read_to_string(out.join("runs.jsonl")).unwrap().lines().count(), 20);
}

#[test]
fn what_no_table_has_is_named() {
    let out = directory("errors");
    for (words, why) in [
        ("ese-table4", "tip: a similar value exists: 'ese-table5'"),
        (
            "pyse-table2|--strategies|magic",
            "--strategies: magic is not in pyse-table2; it has auto, exhaustive, random",
        ),
        ("wise-table1|--language|python", "no program of wise-table1 is there in Python; use ese-table3, ese-figure2"),
        ("ese-table5|--only|quicksand", "matches no row of ese-table5; rows have names like `ese/alternate_0 at 10`"),
        ("wise-table1|--only|tsp at 9|--strategies|n-star", "nothing of wise-table1 is left"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        let output = command.arg("tables").args(words.split('|')).arg("--out").arg(&out).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{words}: {said}");
    }
}
