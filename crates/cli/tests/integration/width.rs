//! What commands print fits the terminal: no line is longer, except where a path or a single word is.

use std::path::Path;

fn output(words: &[&str], columns: usize, name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("width").join(name);
    let mut command = assert_cmd::Command::cargo_bin("pessimum").unwrap();
    command.current_dir(root).env("COLUMNS", columns.to_string()).args(words);
    if ["worst", "curve", "cover"].contains(&words[0]) {
        command.arg("--out").arg(out);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Lines that are longer than this, without those that say where something is: they have to be copied as they are.
fn too_long(text: &str, columns: usize) -> Vec<&str> {
    let shown = text.split("\nwritten to ").next().unwrap_or_default().lines();
    let long = |line: &&str| {
        let last = line.rfind(' ').map_or(0, |at| line[..at].trim_end().chars().count());
        line.chars().count() > columns && last > columns / 2
    };
    // The block that shows where the cost is has columns of its own.
    shown.take_while(|line| !line.starts_with("where the cost is")).filter(long).collect()
}

#[test]
fn every_line_fits() {
    let sort = ["subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)"];
    let json = ["subjects/own/json.wasm", "--stdin", "40"];
    let cases: [(&str, Vec<&str>); 9] = [
        ("sort", [&["worst"], &sort[..], &["--size", "40", "--paths", "60"]].concat()),
        ("json", [&["worst"], &json[..], &["--paths", "200"]].concat()),
        ("wise", [&["worst"], &sort[..], &["--size", "12", "--paths", "300", "--strategy", "wise"]].concat()),
        (
            "slices",
            vec![
                "worst",
                "subjects/own/slices.wasm",
                "--call",
                "sort_slice(i32[n], n)",
                "--size",
                "8",
                "--paths",
                "60",
            ],
        ),
        ("curve", [&["curve"], &sort[..], &["--sizes", "4,8,16,32,64,128", "--paths", "40"]].concat()),
        ("decisions", [&["curve"], &json[..1], &["--stdin", "n", "--sizes", "4,8,12,16,20", "--paths", "60"]].concat()),
        ("cover", [&["cover"], &json[..], &["--paths", "100"]].concat()),
        ("paths", [&["paths"], &sort[..], &["--size", "3"]].concat()),
        ("inspect", vec!["inspect", json[0]]),
    ];
    for (name, words) in &cases {
        // A table of three shares for each file has no narrow form.
        let narrow = if *name == "cover" { 80 } else { 40 };
        for columns in [80, narrow] {
            let text = output(words, columns, name);
            assert_eq!(too_long(&text, columns), Vec::<&str>::new(), "{words:?} in {columns} columns:\n{text}");
        }
    }
}

/// A chart is as wide as there is room, and whole.
#[test]
fn a_chart_is_not_wrapped() {
    let words = ["curve", "subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)"];
    let words = [&words[..], &["--sizes", "4,8,16,32,64", "--paths", "40"]].concat();
    for (columns, width) in [(200, 64), (80, 64), (40, 30)] {
        let text = output(&words, columns, "chart");
        let floor = text.lines().find(|line| line.ends_with("+ n")).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(floor.trim_start().chars().count(), width + 3, "{columns}: {floor}");
    }
}

/// What `-h` and `--help` say fits, too, examples included; only a single word may be longer.
#[test]
fn help_fits() {
    let help = output(&["--help"], 80, "help");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What a command does may go on below it.
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 15 && names.contains(&"worst"), "{names:?}");
    for name in std::iter::once(None).chain(names.into_iter().filter(|name| *name != "help").map(Some)) {
        for flag in ["-h", "--help"] {
            let command: Vec<&str> = name.into_iter().chain([flag]).collect();
            for columns in [80, 60] {
                let text = output(&command, columns, "help");
                let is_word = |line: &str| line.split_whitespace().filter(|word| *word != "\\").count() == 1;
                let long = text.lines().filter(|line| line.chars().count() > columns && !is_word(line));
                assert_eq!(long.collect::<Vec<&str>>(), Vec::<&str>::new(), "{command:?} in {columns} columns");
            }
        }
    }
    let output =
        assert_cmd::Command::cargo_bin("cargo-pessimum").unwrap().args(["pessimum", "--help"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("cargo pessimum worst") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
}
