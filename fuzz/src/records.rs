//! Damaged and made-up results, curves, plans and journals: what a stranger's directory may contain.
//!
//! Whatever is read must not end the process, must mean the same when it is written and read again, and must not be
//! accepted if it says what a plan may not say. Nothing is ever written outside the directory that was read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pessimum_report::curve::{CurveResult, growths};
use pessimum_report::html::{Report, page};
use pessimum_search::watch::Standing;
use pessimum_session::RunPython;
use pessimum_session::files::{checksum, fingerprint};
use pessimum_session::journal::{Journal, NAME as JOURNAL, Past, Plan};
use pessimum_session::owner::Owner;
use pessimum_session::plan::SubjectPlan;
use pessimum_session::saved::{MODULE, PlannedResult, RESULT, Saved, parse, result_files, saved_source, write_files};
use pessimum_term::Witness;
use pessimum_term::random::Random;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::Target;
use crate::mutate;

/// Small, with one exported function `sort(i32, i32)`.
const MODULE_BYTES: &[u8] = include_bytes!("../../subjects/own/insertion_sort.wasm");

/// Tries result.json, curve.json, plans and journal.jsonl.
pub struct Records {
    /// Holds `inside` and nothing else.
    outside: TempDir,
    inside: PathBuf,
    read: u64,
    refused: u64,
    saved: u64,
    journals: u64,
    journals_refused: u64,
}

impl Default for Records {
    fn default() -> Records {
        let outside = tempfile::Builder::new().prefix("pessimum-fuzz-").tempdir().expect("a temporary directory");
        let inside = outside.path().join("inside");
        std::fs::create_dir(&inside).expect("a directory of our own");
        Records { outside, inside, read: 0, refused: 0, saved: 0, journals: 0, journals_refused: 0 }
    }
}

impl Target for Records {
    const NAME: &'static str = "records";

    fn case(&mut self, seed: u64) -> Result<(), String> {
        let mut random = Random::new(seed);
        match random.index(8) {
            0..4 => self.result(&mut random),
            4 => self.curve(&mut random),
            _ => self.journal(&mut random),
        }?;
        self.nothing_outside()
    }

    fn summary(&self) -> String {
        let Records { read, refused, saved, journals, journals_refused, .. } = self;
        format!(
            "{read} results and curves accepted ({saved} of them run and saved again) and {refused} refused, {journals} \
             journals accepted and {journals_refused} refused"
        )
    }
}

impl Records {
    /// A result with its plan: made up, then damaged as JSON or as bytes.
    fn result(&mut self, random: &mut Random) -> Result<(), String> {
        let mut value = result(random);
        let mut strange = Vec::new();
        if random.index(8) > 0 {
            strange = mutate::json(&mut value, random);
        }
        let (bytes, exact) = self.printed(&value, random);
        let parsed = parse(&bytes);
        let planned = match parsed {
            Err(error) => {
                self.refused += 1;
                return if error.to_string().is_empty() { Err("a refusal without a word".into()) } else { Ok(()) };
            }
            Ok(planned) => planned,
        };
        self.read += 1;
        // A plan with a key that plans never have may be meant for another version, or for nobody.
        let in_plan = |pointer: &&String| pointer.as_str() == "/plan" || pointer.starts_with("/plan/");
        let free = |pointer: &&String| !pointer.starts_with("/plan/weights/prices");
        let still = |pointer: &&String| value.pointer(pointer).is_some_and(|object| object["surplus"] != Value::Null);
        if exact && let Some(pointer) = strange.iter().filter(in_plan).filter(free).find(still) {
            return Err(format!("a plan with an unknown key at {pointer} is accepted: {value}"));
        }
        same_again(&planned)?;
        no_markup(&page(&Report { worst: Some(&planned.result), ..Report::default() }))?;
        self.run(&bytes, planned, random)
    }

    /// Runs what a result says and saves it again, as `replay` and `shrink` do.
    fn run(&mut self, bytes: &[u8], planned: PlannedResult, random: &mut Random) -> Result<(), String> {
        std::fs::write(self.inside.join(RESULT), bytes).map_err(|error| error.to_string())?;
        let module = if random.index(8) == 0 { crate::damage(MODULE_BYTES, random) } else { MODULE_BYTES.to_vec() };
        std::fs::write(self.inside.join(MODULE), &module).map_err(|error| error.to_string())?;
        let saved = Saved::read(&self.inside).map_err(|error| format!("read from bytes, refused on disk: {error}"))?;
        let Ok(source) = saved.source(&RunPython::default()) else { return Ok(()) };
        if planned.plan.module.fingerprint != fingerprint(&module) {
            return Err(format!("a module is taken for another one: {:?}", planned.plan.module));
        }
        let size = planned.plan.size;
        // Sizes are the user's own affair; here they would take all the memory.
        if size.is_some_and(|size| size > 100_000) {
            return Ok(());
        }
        let Ok(program) = source.program(size) else { return Ok(()) };
        let Ok((witness, _)) = program.plan().decode(&planned.result.input) else { return Ok(()) };
        let files = result_files(&*program, &planned, &witness);
        let names = files.and_then(|files| write_files(&self.inside, &files));
        let names = names.map_err(|error| error.to_string())?;
        self.saved += 1;
        for name in &names {
            let plain = name.components().count() == 1 && name.file_name().is_some_and(|file| file == name.as_os_str());
            if !plain || !self.inside.join(name).is_file() {
                return Err(format!("saved as {name:?}"));
            }
        }
        let again = Saved::read(&self.inside).map_err(|error| format!("saved and refused: {error}"))?;
        match again.plan == planned.plan {
            true => Ok(()),
            false => Err(format!("the plan was {:?} and is {:?}", planned.plan, again.plan)),
        }
    }

    fn curve(&mut self, random: &mut Random) -> Result<(), String> {
        let mut value = curve(random);
        mutate::json(&mut value, random);
        let (bytes, _) = self.printed(&value, random);
        let Ok(curve) = serde_json::from_slice::<CurveResult>(&bytes) else {
            self.refused += 1;
            return Ok(());
        };
        self.read += 1;
        let text = serde_json::to_string(&curve).map_err(|error| error.to_string())?;
        let again: CurveResult = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        if again != curve {
            return Err(format!("a curve reads back differently: {text}"));
        }
        growths(&curve.points);
        no_markup(&page(&Report { curve: Some(&curve), ..Report::default() }))
    }

    /// A journal whose lines were dropped, repeated, exchanged or damaged; those with a new text get a new checksum, as
    /// a forger would give them.
    fn journal(&mut self, random: &mut Random) -> Result<(), String> {
        let mut lines = journal(random);
        for _ in 0..random.index(4) {
            let at = random.index(lines.len());
            match random.index(4) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines.swap(at, 0),
                _ => {
                    mutate::json(&mut lines[at], random);
                }
            }
            if lines.is_empty() {
                break;
            }
        }
        let mut bytes: Vec<u8> = lines.iter().flat_map(|line| signed(line).into_bytes()).collect();
        if random.index(3) == 0 && !bytes.is_empty() {
            bytes = crate::damage(&bytes, random);
        }
        std::fs::write(self.inside.join(JOURNAL), &bytes).map_err(|error| error.to_string())?;
        let Ok(past) = Past::read(&self.inside) else {
            self.journals_refused += 1;
            return Ok(());
        };
        self.journals += 1;
        let plan = past.plan.clone().ok_or("a journal without a plan is accepted")?;
        let text = serde_json::to_string(&plan).map_err(|error| error.to_string())?;
        let again: Plan = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        if again != plan {
            return Err(format!("the plan of a journal reads back differently: {text}"));
        }
        // What resuming does first, apart from the search itself.
        let _ = saved_source(plan.subject.clone(), &self.inside, &RunPython::default());
        if random.index(4) > 0 {
            return Ok(());
        }
        let on = |error: pessimum_session::Error| format!("a journal that was read cannot go on: {error}");
        let owner = Owner::of(&self.inside, "fuzzing").map_err(on)?;
        let mut journal = Journal::go_on(&owner, &past, &past.left).map_err(on)?;
        let (elapsed, paths) = (Duration::from_millis(random.below(100_000)), random.below(1 << 40));
        let steps = [(elapsed.as_secs_f64(), paths, random.bits())];
        journal.best(elapsed, &steps, &Witness::new(vec![random.bits()]), Standing::Wanted).map_err(on)?;
        journal.end(elapsed, paths, "time", false).map_err(on)?;
        drop(journal);
        let after = Past::read(&self.inside).map_err(|error| format!("unreadable after going on: {error}"))?;
        let kept = after.progress.len() == past.progress.len() + 1 && after.progress.starts_with(&past.progress);
        match kept && after.parts == past.parts + 1 && after.plan == past.plan && after.note.is_none() {
            true => Ok(()),
            false => Err(format!("going on changed what was there: {past:?} became {after:?}")),
        }
    }

    /// The bytes of a value, damaged in one case out of four, and whether they are not.
    fn printed(&self, value: &Value, random: &mut Random) -> (Vec<u8>, bool) {
        let bytes = value.to_string().into_bytes();
        match random.index(4) {
            0 => (crate::damage(&bytes, random), false),
            _ => (bytes, true),
        }
    }

    /// Everything that was written is below the directory.
    fn nothing_outside(&self) -> Result<(), String> {
        let names = |path: &Path| -> BTreeSet<PathBuf> {
            let entries = std::fs::read_dir(path).into_iter().flatten();
            entries.flatten().map(|entry| PathBuf::from(entry.file_name())).collect()
        };
        if names(self.outside.path()) != BTreeSet::from([PathBuf::from("inside")]) {
            return Err(format!("{:?} lie outside the directory", names(self.outside.path())));
        }
        match Path::new(mutate::OUTSIDE).exists() {
            true => Err("a file lies where only a saved result said so".to_string()),
            false => Ok(()),
        }
    }
}

/// A result means the same when it is written and read again.
fn same_again(planned: &PlannedResult) -> Result<(), String> {
    let text = serde_json::to_string(planned).map_err(|error| error.to_string())?;
    let again = parse(text.as_bytes()).map_err(|error| format!("written and refused: {error}: {text}"))?;
    let after = serde_json::to_string(&again).map_err(|error| error.to_string())?;
    let plan: &SubjectPlan = &again.plan;
    match after == text && *plan == planned.plan {
        true => Ok(()),
        false => Err(format!("reads back differently: {text} became {after}")),
    }
}

/// Texts of a result never become elements of a page.
fn no_markup(page: &str) -> Result<(), String> {
    match page.contains("<pwn") {
        true => Err("a text of the result is an element of the page".to_string()),
        false => Ok(()),
    }
}

/// A line of a journal, with the checksum that belongs to it.
fn signed(line: &Value) -> String {
    let text = line.to_string();
    let open = text.strip_suffix('}').unwrap_or(&text);
    format!("{open},\"check\":\"{:016x}\"}}\n", checksum([text.as_bytes()]))
}

fn word(random: &mut Random) -> String {
    match random.index(3) {
        0 => random.pick(&mutate::NASTY).to_string(),
        _ => random.pick(&["sort", "sort.c", "a b.wasm", "main", "returned", "auto", "time"]).to_string(),
    }
}

fn subject_plan(random: &mut Random) -> Value {
    let call = random.pick(&["sort(i32[n], n)", "sort(i32[4] in 0..100, 4)", "sort(i32, 0)", "sort(out i32[n], n)"]);
    let mut plan = json!({
        "module": { "name": word(random), "fingerprint": fingerprint(MODULE_BYTES) },
        "start": { "call": call },
        "limits": { "instructions": random.below(100_000), "memory": 1 << 24, "depth": 100 },
    });
    if random.coin() {
        plan["size"] = json!(random.below(8));
    }
    if random.index(4) == 0 {
        plan["module"]["named_file"] = json!(fingerprint(b"x"));
    }
    if random.index(4) == 0 {
        plan["stdin"] = json!(random.pick(&["n", "8 in 'a'..='z'", "n * 2"]));
        plan["environment"] = json!([format!("A={}", word(random))]);
        plan["arguments"] = json!([{ "literal": word(random) }, { "input": "str[3]" }]);
        plan["files"] = json!([{ "input": { "name": word(random), "length": "4" } }]);
    }
    if random.index(8) == 0 {
        plan["weights"] = json!({ "prices": { "i32.add": random.below(9) }, "default": 1 });
    }
    if random.index(8) == 0 {
        let copy = json!({ "name": word(random), "path": word(random), "fingerprint": fingerprint(b"") });
        plan["files"] = json!([{ "copy": copy }]);
    }
    plan
}

fn result(random: &mut Random) -> Value {
    let plan = subject_plan(random);
    let n = plan["size"].as_u64().unwrap_or(4);
    let input: Vec<u64> = (0..n).map(|_| random.below(100)).collect();
    let mut input = match plan["start"]["call"].as_str() {
        Some("sort(i32, 0)") => json!([random.below(100), 0]),
        Some(call) if call.starts_with("sort(out") => json!([null, n]),
        Some(call) if call.starts_with("sort(i32[4]") => json!([[1, 2, 3, 4], 4]),
        _ => json!([input, n]),
    };
    if plan.get("stdin").is_some() {
        let name = plan["files"][0]["input"]["name"].as_str().unwrap_or_default().to_string();
        input = json!({ "arguments": input, "files": { name: "00010203" } });
    }
    let mut count = || random.below(1 << 20);
    json!({
        "module": "sort.wasm", "call": "sort(i32[n], n)", "size": n, "strategy": "auto", "seed": 1,
        "cost": { "model": "instructions", "value": count() },
        "costs": {
            "instructions": count(), "branches": count(), "decisions": count(), "calls": 1, "depth": 1,
            "memory": 65536, "user": 0, "hits": count(), "weighted": null,
        },
        "input": input, "end": "returned", "paths": count(), "decisions": count(),
        "solver": {
            "queries": count(), "unknown": 0,
            "layers": { "order": { "queries": 2, "sat": 1, "unsat": 1, "gave_up": 0, "time_s": 0.5 } },
        },
        "complete": true, "stopped": "finished", "elapsed_s": 0.25, "progress": [[0.125, 1, 40], [0.5, 3, count()]],
        "ends": { "returned": 2 }, "random": { "inputs": 3, "average": 1.5, "highest": 2, "nearest": [0, 1] },
        "hottest": [{ "site": "sort", "count": 2 }],
        "functions": [{ "name": "sort", "calls": 1, "own": 30, "total": 40 }], "lines": [], "policy": ["a word"],
        "arguments": ["sort.wasm"], "command": ["worst", "sort.wasm"], "plan": plan,
        "resumed": { "parts": 1, "paths": 2, "elapsed_s": 0.5 },
    })
}

fn curve(random: &mut Random) -> Value {
    let points: Vec<Value> = (1..=random.below(6))
        .map(|i| {
            json!({
                "size": 4 * i, "cost": 16 * i * i, "random": { "inputs": 3, "average": 2.5, "highest": 4 },
                "complete": random.coin(), "late_gain": 0.0, "paths": 10, "reached_at": 3, "stopped": "paths",
                "elapsed_s": 0.5, "end": "returned", "input": [[1], 1], "directory": format!("n-{}", 4 * i),
            })
        })
        .collect();
    let numbers: Vec<(u64, f64)> = (1..=4u64).map(|i| (4 * i, (16 * i * i) as f64)).collect();
    let growth = serde_json::to_value(pessimum_report::fit::fit(&numbers)).unwrap_or(Value::Null);
    json!({
        "module": "sort.wasm", "call": null, "strategy": "auto", "seed": 1, "cost": "instructions", "points": points,
        "worst": growth, "random": growth, "missing": [{ "size": 64, "why": word(random) }], "elapsed_s": 1.5,
        "arguments": ["sort.wasm"],
    })
}

/// The lines of a journal as searches write them.
fn journal(random: &mut Random) -> Vec<Value> {
    let search = json!({ "cost": "branches", "seed": 3, "strategy": "auto" });
    let mut plan = json!({ "subject": subject_plan(random), "search": search });
    if random.coin() {
        plan["fail_above"] = json!(random.below(1000));
    }
    let mut lines = vec![json!({ "event": "search", "version": "0.1.0", "plan": plan })];
    let (mut seconds, mut paths, mut cost) = (0.0, 0, 0);
    for _ in 0..1 + random.index(3) {
        let budget = random.coin().then(|| random.below(1000));
        lines.push(json!({ "event": "part", "paths": budget, "seconds": random.coin().then_some(60.0) }));
        for _ in 0..random.index(5) {
            (seconds, paths, cost) = (seconds + 0.25, paths + random.below(50), cost + 1 + random.below(50));
            lines.push(match random.coin() {
                true => json!({ "event": "best", "steps": [[seconds, paths, cost]], "input": [random.bits(), 2] }),
                false => json!({ "event": "alive", "seconds": seconds, "paths": paths }),
            });
        }
        if random.coin() {
            lines.push(json!({
                "event": "end", "seconds": seconds, "paths": paths, "stopped": "time", "complete": random.coin(),
            }));
        }
    }
    lines
}
