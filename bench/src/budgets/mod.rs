//! Whether budgets are kept: commands on ordinary and hostile modules, each with two seconds, and how long they took.
//!
//! A command may take 5 % and 100 ms longer than its budget, plus its start-up: reading, checking and compiling the module,
//! and building the process. That is measured by a run of the same program that is cut off after its first instruction. Rows
//! with Ctrl-C have a minute, are interrupted after two seconds, and have to end within one more.
//!
//! What counts is the processor time that a command takes after its budget and its start-up, where the system tells it
//! (`/proc`): on a busy machine the wall clock says nothing, nor how much of it a process had. A row that is late is tried
//! twice more, its start-up too, and the best of the three counts.

mod generate;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use crate::args::{Programs, root};
use crate::clock;

const BUDGET: Duration = Duration::from_secs(2);

/// A program: its file, and the words that say how it is called.
struct Program {
    name: &'static str,
    file: PathBuf,
    call: Vec<&'static str>,
    /// The function as `--api` declares it, for suites.
    api: Option<&'static str>,
    /// An input that a search starts from.
    input: Option<PathBuf>,
}

impl Program {
    fn new(name: &'static str, file: PathBuf, call: Vec<&'static str>) -> Program {
        let api = call.first().and_then(|word| match *word {
            "--call=f(i32)" => Some("--api=f(i32) -> i32"),
            "--call=f(i32, i32)" | "--call=f(u8, u8)" => Some("--api=f(i32, i32) -> i32"),
            _ => None,
        });
        Program { name, file, call, api, input: None }
    }
}

/// Commands that search, with their own words.
const SEARCHES: [&[&str]; 12] = [
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
    &["cover"],
];

const DIJKSTRA: &str = "--call=dijkstra(i32[n*n] in 0..=1000000, n, out i32[2*n])";

/// Commands that are interrupted.
const INTERRUPTED: [&[&str]; 4] = [&["worst"], &["worst", "--strategy=exhaustive"], &["cover"], &["run"]];

/// Processor time that is no work: the system counts in hundredths of a second, and a process takes one to end.
const UNCOUNTED: Duration = Duration::from_millis(20);

/// Commands on a saved result.
const LATER: [&str; 3] = ["replay", "report", "shrink"];

/// Whether commands end with their budgets, on ordinary and hostile modules
#[derive(Args)]
pub struct Budgets {
    #[command(flatten)]
    rows: Programs,
}

impl Budgets {
    /// Prints the table; that a command was late is an error.
    pub fn run(self) -> Result<(), String> {
        let command = self.rows.command()?;
        let (scratch, _scratch) = self.rows.place()?;
        table(command, &scratch, |row| self.rows.wants(row))
    }
}

fn table(command: PathBuf, scratch: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<(), String> {
    let programs = programs(root(), scratch);
    let mut table = Table { command, rows: 0, repeated: 0, late: Vec::new(), scratch: scratch.to_path_buf() };
    println!(
        "{:<12} {:<34} {:>8} {:>9} {:>9} {:>6}  says",
        "program", "command", "start-up", "wall", "processor", "after"
    );
    for program in &programs {
        let wanted = |command: &str| is_wanted(&format!("{} {command}", program.name));
        let mut start_up = None;
        let mut row = |table: &mut Table, name: &str, words: Vec<String>| {
            if wanted(name) {
                table.row(program, name, words, &mut start_up);
            }
        };
        let out = scratch.join("out").join(program.name);
        for search in SEARCHES {
            row(&mut table, &search.join(" "), table_words(search, program, &out, &[]));
        }
        if program.call.iter().any(|word| word.contains('n')) && program.call.contains(&"--size") {
            row(&mut table, "curve", table_words(&["curve"], program, &out, &["--sizes=2..64"]));
            row(&mut table, "pattern", table_words(&["pattern"], program, &out, &["--sizes=4,6,8"]));
        }
        if let Some(input) = &program.input {
            let input = format!("--input={}", input.display());
            row(&mut table, "worst --input", table_words(&["worst"], program, &out, &[&input]));
        }
        if let Some(api) = program.api {
            let suite = ["suite".to_string(), program.file.display().to_string(), api.to_string()];
            row(&mut table, "suite", suite.into_iter().chain([format!("--out={}", out.display())]).collect());
        }
        let file = program.file.display().to_string();
        row(&mut table, "compare", table_words(&["compare", &file], program, &out, &[]));
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
    println!();
    for late in &table.late {
        println!("late: {late}");
    }
    println!("{} late of {} commands ({} were repeated)", table.late.len(), table.rows, table.repeated);
    if table.late.is_empty() { Ok(()) } else { Err("budgets were not kept".to_string()) }
}

/// The words of a search. Curves and patterns have sizes of their own.
fn table_words(command: &[&str], program: &Program, out: &Path, more: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = command.iter().map(|word| word.to_string()).collect();
    words.push(program.file.display().to_string());
    let mut call = program.call.iter();
    while let Some(&word) = call.next() {
        if word == "--size" && matches!(command[0], "curve" | "pattern") {
            call.next();
        } else {
            words.push(word.to_string());
        }
    }
    words.extend(more.iter().map(|word| word.to_string()));
    if matches!(command[0], "worst" | "curve" | "pattern" | "cover") {
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
        ("grows", vec![call]),
        ("copies", vec![call]),
        ("ackermann", vec!["--call=f(u8, u8)"]),
        ("fibonacci", vec!["--call=f(i32 in 0..200)"]),
    ] {
        programs.push(Program::new(name, hostile.join(format!("{name}.wat")), words));
    }
    for (name, call) in [("bytes", "--call=f(u8[1000000], 1000000)"), ("many bytes", "--call=f(u8[8000000], 8000000)")]
    {
        programs.push(Program::new(name, hostile.join("greatest.wat"), vec![call, "--max-search-memory=500M"]));
    }
    for (name, module) in [
        ("branches", generate::branches(975_000)),
        ("functions", generate::functions(1_000_000)),
        ("data", generate::data(50 << 20)),
        ("sites", generate::sites(200_000)),
        ("nested", generate::nested(1_000_000)),
    ] {
        let file = scratch.join(format!("{name}.wasm"));
        std::fs::write(&file, module).expect("the temporary directory can be written");
        programs.push(Program::new(name, file, vec![call]));
    }
    match with_lines(scratch) {
        Some(file) => programs.push(Program::new("lines", file, vec![call])),
        None => eprintln!("lines: clang is not there, so there is no module with debug information"),
    }
    let subjects = root.join("subjects");
    for (name, file, call) in [
        ("sort", "own/insertion_sort.wasm", vec!["--call=sort(i32[n], n)", "--size", "1000"]),
        ("dijkstra", "wise/dijkstra.wasm", vec![DIJKSTRA, "--size", "300"]),
        ("million", "wise/dijkstra.wasm", vec![DIJKSTRA, "--size", "1000"]),
        ("hashes", "own/hash_table.wasm", vec!["--call=fill(u8[6*n], n, out i32[2*n])", "--size", "300"]),
        ("json", "own/json.wasm", vec!["--stdin=n in ' '..='~'", "--size", "100000"]),
    ] {
        programs.push(Program::new(name, subjects.join(file), call));
    }
    // An input that takes long to be followed.
    let descending: Vec<String> = (0..1000).rev().map(|number| number.to_string()).collect();
    let input = scratch.join("descending.json");
    std::fs::write(&input, format!("[[{}], 1000]", descending.join(",")))
        .expect("the temporary directory can be written");
    if let Some(sort) = programs.iter_mut().find(|program| program.name == "sort") {
        sort.input = Some(input);
    }
    programs
}

/// A module with twenty thousand branches and its debug information; none without a compiler.
fn with_lines(scratch: &Path) -> Option<PathBuf> {
    let (source, module) = (scratch.join("lines.c"), scratch.join("lines.wasm"));
    std::fs::write(&source, generate::source(100, 200)).ok()?;
    let compile = |clang: &str| {
        let options = ["--target=wasm32", "-nostdlib", "-O0", "-g", "-Wl,--no-entry", "-Wl,--export=f", "-o"];
        let ran = Command::new(clang).args(options).args([&module, &source]).stderr(Stdio::null()).status();
        ran.is_ok_and(|status| status.success())
    };
    ["clang", "clang-19", "clang-18"].into_iter().any(compile).then_some(module)
}

struct Table {
    command: PathBuf,
    rows: u32,
    /// Rows that were late at first, and tried again.
    repeated: u32,
    late: Vec<String>,
    scratch: PathBuf,
}

impl Table {
    /// Runs the command, and interrupts it after this time if there is one. What it takes after `end` is told apart.
    fn run(&self, words: &[String], interrupt: Option<Duration>, end: Duration) -> Ran {
        let (out, err) = (self.scratch.join("stdout"), self.scratch.join("stderr"));
        let file = |path: &Path| std::fs::File::create(path).expect("the temporary directory can be written");
        let began = Instant::now();
        let mut command = Command::new(&self.command);
        command.args(words).current_dir(&self.scratch).stdin(Stdio::null());
        let mut child = command.stdout(file(&out)).stderr(file(&err)).spawn().expect("it can be run");
        let (mut interrupt, mut at_deadline) = (interrupt, None);
        // What a process has taken is told until somebody waits for it.
        let processor = loop {
            let used = clock::process(&child.id().to_string());
            if at_deadline.is_none() && began.elapsed() >= end {
                at_deadline = used.map(|process| process.time);
            }
            match used {
                Some(process) if process.is_over => break Some(process.time),
                None if child.try_wait().is_ok_and(|status| status.is_some()) => break None,
                _ => {}
            }
            if interrupt.is_some_and(|after| began.elapsed() >= after) {
                interrupt = None;
                // If it is over already, there is nobody to hear it.
                let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let status = child.wait().expect("it can be waited for");
        let took = began.elapsed();
        let text = [out, err].map(|path| std::fs::read(path).unwrap_or_default()).concat();
        let text = String::from_utf8_lossy(&text);
        let said = ["how sure", "feasible paths", "tried", "saved cost", "end", "written", "pessimum:"]
            .iter()
            .find_map(|key| text.lines().find(|line| line.starts_with(key)));
        let code = status.code().map_or("killed".to_string(), |code| code.to_string());
        let said = format!("{code}: {}", said.unwrap_or_default().chars().take(90).collect::<String>());
        let after = match (processor, at_deadline) {
            (Some(all), Some(then)) => all.saturating_sub(then),
            (Some(_), None) => Duration::ZERO,
            (None, _) => took.saturating_sub(end),
        };
        Ran { took, processor: processor.unwrap_or(took), after, said }
    }

    fn start_up(&self, program: &Program) -> Duration {
        let mut words = table_words(&["run"], program, Path::new(""), &[]);
        words.push("--max-instructions=1".to_string());
        self.run(&words, None, Duration::MAX).took
    }

    /// A short search whose result the later commands work on. Returns whether there is one.
    fn save(&self, program: &Program, out: &Path) -> bool {
        let mut words = table_words(&["worst"], program, out, &[]);
        words.push("--budget=500ms".to_string());
        self.run(&words, None, Duration::MAX);
        out.join("result.json").exists()
    }

    /// Runs a command, again where it is late, and prints its best.
    fn row(&mut self, program: &Program, name: &str, mut words: Vec<String>, start_up: &mut Option<Duration>) {
        let interrupt = name.ends_with("Ctrl-C").then_some(BUDGET);
        let budget = if interrupt.is_some() { 30 * BUDGET } else { BUDGET };
        words.push(format!("--budget={}ms", budget.as_millis()));
        let attempt = |start_up: Duration| match interrupt {
            Some(after) => self.run(&words, interrupt, after.max(start_up)),
            None => self.run(&words, None, BUDGET + start_up),
        };
        let allowed = match interrupt {
            Some(_) => Duration::from_secs(1),
            None => BUDGET / 20 + Duration::from_millis(100),
        };
        let is_late = |ran: &Ran| ran.after > allowed + UNCOUNTED;
        let mut ran = attempt(*start_up.get_or_insert_with(|| self.start_up(program)));
        let mut attempts = 1;
        while is_late(&ran) && attempts < 3 {
            let again = attempt(*start_up.insert(self.start_up(program)));
            ran = if again.after < ran.after { again } else { ran };
            attempts += 1;
        }
        let is_late = is_late(&ran);
        self.repeated += u32::from(attempts > 1);
        let [start_up, took, processor, after] =
            [start_up.unwrap_or_default(), ran.took, ran.processor, ran.after].map(|time| time.as_secs_f64());
        println!(
            "{:<12} {name:<34} {start_up:>7.2}s {took:>8.2}s {processor:>8.2}s {after:>5.2}s  {}",
            program.name, ran.said
        );
        let _ = std::io::stdout().flush();
        self.rows += 1;
        if is_late {
            let allowed = allowed.as_secs_f64();
            self.late.push(format!(
                "{} {name}: {after:.2} s of processor time after its end, not {allowed:.2}",
                program.name
            ));
        }
    }
}

/// What became of a command.
struct Ran {
    took: Duration,
    processor: Duration,
    /// Processor time after its end; where the system does not tell, how much later it was.
    after: Duration,
    said: String,
}
