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

/// What `--help` says fits, too, but for examples, which are to be copied, and lists of what a flag can be.
#[test]
fn help_fits() {
    let is_flexible = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("$ ")
            && !line.starts_with("pessimum ")
            && !line.starts_with("- ")
            && !line.contains("[possible values")
    };
    for command in [&["--help"][..], &["worst", "--help"], &["run", "--help"], &["run", "-h"], &["curve", "--help"]] {
        for columns in [80, 60] {
            let text = output(command, columns, "help");
            let described = text.split("\nExamples:").next().unwrap();
            // A line of clap's own.
            let described = described.replace("Print this message or the help of the given subcommand(s)", "");
            let long: Vec<&str> =
                described.lines().filter(is_flexible).filter(|line| line.chars().count() > columns).collect();
            assert_eq!(long, Vec::<&str>::new(), "{command:?} in {columns} columns");
        }
    }
}
