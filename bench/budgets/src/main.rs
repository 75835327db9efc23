//! Whether budgets are kept: commands on ordinary and hostile modules, each with two seconds, and how long they took.
//!
//! `cargo build --release -p pessimum && cargo run --release -p bench-budgets [-- TEXT...]` prints a table; words after
//! the dashes select the rows that contain one of them. A command may take 5 % and 100 ms longer than its budget, plus
//! its start-up: reading, checking and compiling the module, and building the process. That is measured by a run of the
//! same program that is cut off after its first instruction. Rows with Ctrl-C have a minute, are interrupted after two
//! seconds, and have to end within one more.

mod generate;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BUDGET: Duration = Duration::from_secs(2);

/// A program: its file, and the words that say how it is called.
struct Program {
    name: &'static str,
    file: PathBuf,
    call: Vec<&'static str>,
}

/// Commands that search, with their own words.
const SEARCHES: [&[&str]; 11] = [
    &["worst"],
    &["worst", "--strategy=exhaustive"],
    &["worst", "--strategy=bfs"],
    &["worst", "--strategy=random"],
    &["worst", "--strategy=ese"],
    &["worst", "--strategy=ga"],
    &["worst", "--strategy=wise"],
    &["worst", "--strategy=spf-wca"],
    &["worst", "--cost=decisions"],
    &["worst", "--threads=2"],
    &["paths"],
];

const DIJKSTRA: &str = "--call=dijkstra(i32[n*n] in 0..=1000000, n, out i32[2*n])";

/// Commands that are interrupted.
const INTERRUPTED: [&[&str]; 3] = [&["worst"], &["worst", "--strategy=exhaustive"], &["run"]];

/// Commands on a saved result.
const LATER: [&str; 3] = ["replay", "report", "shrink"];

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let command = root.join("target/release/pessimum");
    if !command.exists() {
        eprintln!("{}: not there; `cargo build --release -p pessimum` makes it", command.display());
        std::process::exit(1);
    }
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let programs = programs(&root, scratch.path());
    let mut table = Table { command, rows: 0, late: Vec::new(), scratch: scratch.path().to_path_buf() };
    println!("{:<12} {:<34} {:>8} {:>9} {:>6}  says", "program", "command", "start-up", "wall", "over");
    for program in &programs {
        let wanted = |command: &str| {
            only.is_empty() || only.iter().any(|text| format!("{} {command}", program.name).contains(text.as_str()))
        };
        let mut start_up = None;
        let mut row = |table: &mut Table, name: &str, words: Vec<String>| {
            if wanted(name) {
                let start_up = *start_up.get_or_insert_with(|| table.start_up(program));
                table.row(program, name, words, start_up);
            }
        };
        let out = scratch.path().join("out").join(program.name);
        for search in SEARCHES {
            row(&mut table, &search.join(" "), table_words(search, program, &out, &[]));
        }
        if program.call.iter().any(|word| word.contains('n')) && program.call.contains(&"--size") {
            row(&mut table, "curve", table_words(&["curve"], program, &out, &["--sizes=2..64"]));
        }
        row(&mut table, "run", table_words(&["run"], program, &out, &[]));
        for command in INTERRUPTED {
            let name = format!("{} Ctrl-C", command.join(" "));
            row(&mut table, &name, table_words(command, program, &out, &[]));
        }
        if LATER.iter().any(|name| wanted(name)) && table.save(program, &out) {
            for name in LATER {
                row(&mut table, name, vec![name.to_string(), out.display().to_string()]);
            }
        }
    }
    println!("\n{} commands, {} of them late", table.rows, table.late.len());
    for late in &table.late {
        println!("late: {late}");
    }
    std::process::exit(i32::from(!table.late.is_empty()));
}

/// The words of a search. A curve has sizes of its own.
fn table_words(command: &[&str], program: &Program, out: &Path, more: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = command.iter().map(|word| word.to_string()).collect();
    words.push(program.file.display().to_string());
    let mut call = program.call.iter();
    while let Some(&word) = call.next() {
        if word == "--size" && command == ["curve"] {
            call.next();
        } else {
            words.push(word.to_string());
        }
    }
    words.extend(more.iter().map(|word| word.to_string()));
    if matches!(command[0], "worst" | "curve") {
        words.push(format!("--out={}", out.display()));
    }
    words
}

fn programs(root: &Path, scratch: &Path) -> Vec<Program> {
    let mut programs = Vec::new();
    let hostile = root.join("bench/budgets/programs");
    let call = "--call=f(i32)";
    for (name, words) in [
        ("memset", vec![call]),
        ("gibibyte", vec![call]),
        ("tables", vec![call]),
        ("start", vec![call]),
        ("endless", vec![call]),
        ("counting", vec![call]),
        ("terms", vec!["--call=f(i64)"]),
        ("collatz", vec!["--call=f(u8)"]),
        ("recursion", vec![call]),
        ("floats", vec!["--call=f(f64)"]),
        ("prime", vec![call]),
        ("factors", vec!["--call=f(i64, i64)"]),
        ("indirect", vec!["--call=f(i32, i32)"]),
        ("tree", vec!["--call=f(i64)"]),
        ("writes", vec![call]),
        ("asks", vec!["--entry=f"]),
        ("refuses", vec![call]),
    ] {
        programs.push(Program { name, file: hostile.join(format!("{name}.wat")), call: words });
    }
    for (name, module) in [
        ("branches", generate::branches(975_000)),
        ("functions", generate::functions(1_000_000)),
        ("data", generate::data(50 << 20)),
        ("sites", generate::sites(200_000)),
    ] {
        let file = scratch.join(format!("{name}.wasm"));
        std::fs::write(&file, module).expect("the temporary directory can be written");
        programs.push(Program { name, file, call: vec![call] });
    }
    let subjects = root.join("subjects");
    for (name, file, call) in [
        ("sort", "own/insertion_sort.wasm", vec!["--call=sort(i32[n], n)", "--size", "1000"]),
        ("dijkstra", "wise/dijkstra.wasm", vec![DIJKSTRA, "--size", "300"]),
        ("million", "wise/dijkstra.wasm", vec![DIJKSTRA, "--size", "1000"]),
        ("hashes", "own/hash_table.wasm", vec!["--call=fill(u8[6*n], n, out i32[2*n])", "--size", "300"]),
        ("json", "own/json.wasm", vec!["--stdin=n in ' '..='~'", "--size", "100000"]),
    ] {
        programs.push(Program { name, file: subjects.join(file), call });
    }
    programs
}

struct Table {
    command: PathBuf,
    rows: u32,
    late: Vec<String>,
    scratch: PathBuf,
}

impl Table {
    /// Runs the command, and interrupts it after this time if there is one; returns how long it took, and its last words.
    fn run(&self, words: &[String], interrupt: Option<Duration>) -> (Duration, String) {
        let began = Instant::now();
        let mut command = Command::new(&self.command);
        command.args(words).current_dir(&self.scratch).stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
        if let Some(after) = interrupt {
            std::thread::sleep(after);
            // If it is over already, there is nobody to hear it.
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        }
        let ran = child.wait_with_output().expect("it can be waited for");
        let took = began.elapsed();
        let text = [ran.stdout, ran.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let said = ["how sure", "feasible paths", "tried", "saved cost", "end", "written", "pessimum:"]
            .iter()
            .find_map(|key| text.lines().find(|line| line.starts_with(key)));
        let code = ran.status.code().map_or("killed".to_string(), |code| code.to_string());
        (took, format!("{code}: {}", said.unwrap_or_default().chars().take(90).collect::<String>()))
    }

    fn start_up(&self, program: &Program) -> Duration {
        let mut words = table_words(&["run"], program, Path::new(""), &[]);
        words.push("--max-instructions=1".to_string());
        self.run(&words, None).0
    }

    /// A short search whose result the later commands work on. Returns whether there is one.
    fn save(&self, program: &Program, out: &Path) -> bool {
        let mut words = table_words(&["worst"], program, out, &[]);
        words.push("--budget=500ms".to_string());
        self.run(&words, None);
        out.join("result.json").exists()
    }

    fn row(&mut self, program: &Program, name: &str, mut words: Vec<String>, start_up: Duration) {
        let interrupt = name.ends_with("Ctrl-C").then_some(BUDGET);
        let budget = if interrupt.is_some() { 30 * BUDGET } else { BUDGET };
        words.push(format!("--budget={}ms", budget.as_millis()));
        let (took, said) = self.run(&words, interrupt);
        let most = match interrupt {
            Some(after) => after.max(start_up) + Duration::from_secs(1),
            None => BUDGET + BUDGET / 20 + Duration::from_millis(100) + start_up,
        };
        let over = took.saturating_sub(most);
        let mark = if over.is_zero() { "" } else { "LATE" };
        println!(
            "{:<12} {name:<34} {:>7.2}s {:>8.2}s {mark:>6}  {said}",
            program.name,
            start_up.as_secs_f64(),
            took.as_secs_f64()
        );
        let _ = std::io::stdout().flush();
        self.rows += 1;
        if !over.is_zero() {
            self.late.push(format!("{} {name}: {:.2} s", program.name, took.as_secs_f64()));
        }
    }
}
