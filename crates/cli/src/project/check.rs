//! `pessimum check`: every target of `pessimum.toml`, with its verdict.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use pessimum_report::certainty;
use pessimum_report::class::Class;
use pessimum_report::curve::CurveResult;
use pessimum_report::gate::{Check, Gate, Place, Rule, Verdict};
use pessimum_report::result::WorstResult;
use pessimum_report::text::{command_line, printable, shell_word};
use pessimum_session::files::{MAX_JSON, from_json, read_inside};
use pessimum_session::growth::directory_of;
use pessimum_session::names::{listed, nearest};
use pessimum_session::saved::Saved;
use serde_json::{Value, json};

use super::file::{Project, Target, find};
use crate::flags::{CheckFlags, Command};
use crate::interrupt::Interrupt;
use crate::output::{Color, Style, counted, grouped, print, print_json};
use crate::{EXIT_ABOVE, EXIT_FAILED, child, gate};

/// Returns the exit code.
pub fn check(flags: &CheckFlags) -> Result<u8> {
    let path = match &flags.config {
        Some(path) => path.clone(),
        None => find()?,
    };
    let project = Project::read(&path)?;
    let targets = chosen(&project, &flags.names)?;
    if flags.list {
        return list(&project, &targets).map(|()| 0);
    }
    let interrupt = Interrupt::listen()?;
    let style = Style::of(Color::Auto, &std::io::stdout());
    let width = targets.iter().map(|target| target.name.chars().count()).max().unwrap_or(0);
    let began = Instant::now();
    let mut done: Vec<Checked> = Vec::new();
    for target in targets {
        if interrupt.is_heard() {
            done.push(Checked::not_run(target, "Ctrl-C was pressed before it was searched"));
            continue;
        }
        let waiting = announce(&target.name, flags.json);
        let checked = checked(&project, target);
        if waiting {
            // Nobody is told twice: the line gives way to the verdict.
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        if !flags.json {
            let word = match checked.verdict {
                Verdict::Passed => style.good("ok    "),
                Verdict::Failed => style.bad("FAILED"),
                Verdict::Unknown => style.bad("ERROR "),
            };
            let name = printable(&checked.name);
            let mut text = String::new();
            for (index, line) in checked.message.lines().enumerate() {
                match index {
                    0 => text += &format!("{name:<width$}  {word}  {line}\n"),
                    _ => text += &format!("{:width$}          {line}\n", ""),
                }
            }
            print(&text)?;
        }
        done.push(checked);
    }
    finish(flags, &path, &done, began)
}

fn finish(flags: &CheckFlags, path: &Path, done: &[Checked], began: Instant) -> Result<u8> {
    let count = |verdict: Verdict| done.iter().filter(|checked| checked.verdict == verdict).count() as u64;
    let (failed, errors) = (count(Verdict::Failed), count(Verdict::Unknown));
    match flags.json {
        true => {
            let targets: Vec<&Value> = done.iter().map(|checked| &checked.json).collect();
            print_json(&json!({
                "file": path.display().to_string(), "targets": targets, "failed": failed, "errors": errors,
                "elapsed_s": began.elapsed().as_secs_f64(),
            }))?;
        }
        false => {
            let checked = counted(done.len() as u64, "target", "targets");
            let errors = if errors > 0 { format!(", {errors} could not be checked") } else { String::new() };
            print(&format!("{checked} checked, {failed} above a limit{errors}\n"))?;
        }
    }
    let verdicts = Gate {
        subject: path.display().to_string(),
        module: path.display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        elapsed_s: began.elapsed().as_secs_f64(),
        checks: done.iter().flat_map(|checked| checked.checks.clone()).collect(),
    };
    gate::write_as(flags.junit.as_deref(), flags.sarif.as_deref(), &verdicts)?;
    Ok(match (failed, errors) {
        (1.., _) => EXIT_ABOVE,
        (0, 1..) => EXIT_FAILED,
        (0, 0) => 0,
    })
}

/// The targets of these names; all without names.
fn chosen<'p>(project: &'p Project, names: &[String]) -> Result<Vec<&'p Target>> {
    let known: Vec<&str> = project.targets.iter().map(|target| target.name.as_str()).collect();
    for name in names {
        if !known.iter().any(|known| matches(name, known)) {
            match nearest(name, &known) {
                Some(near) => bail!("{}: no target `{name}`; did you mean `{near}`?", project.path.display()),
                None => bail!("{}: no target `{name}`; there are {}", project.path.display(), listed(&known)),
            }
        }
    }
    let wanted = |target: &&Target| names.is_empty() || names.iter().any(|name| matches(name, &target.name));
    Ok(project.targets.iter().filter(wanted).collect())
}

/// Whether a name is one that a pattern describes; `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| matches(rest, &name[at..]))
        }),
    }
}

fn list(project: &Project, targets: &[&Target]) -> Result<()> {
    let place = match project.directory.as_path() {
        here if here == Path::new(".") => String::new(),
        place => format!("cd {} && ", shell_word(&place.display().to_string())),
    };
    let mut text = String::new();
    for target in targets {
        let words: Vec<String> = std::iter::once("pessimum".to_string()).chain(target.words.iter().cloned()).collect();
        text += &format!("{}: {place}{}\n", target.name, command_line(&words));
    }
    print(&text)
}

/// Says on a terminal what takes so long.
fn announce(name: &str, is_json: bool) -> bool {
    let shown = !is_json && std::io::stderr().is_terminal() && std::io::stdout().is_terminal();
    if shown {
        let _ = write!(std::io::stderr(), "checking {} ...", printable(name));
        let _ = std::io::stderr().flush();
    }
    shown
}

/// A target that was searched, or could not be.
struct Checked {
    name: String,
    verdict: Verdict,
    /// A line, or more if something went wrong.
    message: String,
    checks: Vec<Check>,
    json: Value,
}

impl Checked {
    fn not_run(target: &Target, why: &str) -> Checked {
        let check = Check {
            name: target.name.clone(),
            rule: Rule::WorstCase,
            verdict: Verdict::Unknown,
            message: format!("{}: {why}", target.name),
            model: String::new(),
            cost: None,
            limit: None,
            size: None,
            elapsed_s: 0.0,
            place: None,
        };
        Checked::new(target, Verdict::Unknown, why.to_string(), vec![check], json!({}))
    }

    fn new(target: &Target, verdict: Verdict, message: String, checks: Vec<Check>, mut found: Value) -> Checked {
        let word = match verdict {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Unknown => "error",
        };
        found["name"] = json!(target.name);
        found["verdict"] = json!(word);
        found["message"] = json!(message);
        found["directory"] = json!(target.out().display().to_string());
        found["command"] = json!(target.words);
        Checked { name: target.name.clone(), verdict, message, checks, json: found }
    }
}

/// Searches a target.
fn checked(project: &Project, target: &Target) -> Checked {
    let mut words: Vec<_> = target.words.iter().map(std::ffi::OsString::from).collect();
    words.insert(1, "--quiet".into());
    let found = child::run(&words, Some(&project.directory), true).and_then(|ended| match ended.code {
        0 | EXIT_ABOVE => found(project, target),
        _ => bail!("{}", without_our_name(&ended.told)),
    });
    found.unwrap_or_else(|error| Checked::not_run(target, &format!("{error:#}")))
}

/// What a command told, without its name before each line.
fn without_our_name(told: &str) -> String {
    let lines: Vec<&str> = told.lines().map(|line| line.strip_prefix("pessimum: ").unwrap_or(line)).collect();
    if lines.is_empty() { "it could not be searched".to_string() } else { lines.join("\n") }
}

/// What a search left in its directory.
fn found(project: &Project, target: &Target) -> Result<Checked> {
    let place = project.directory.join(target.out());
    let hottest = |result: &WorstResult| {
        let mut found = Place::hottest(result, &|file| project.directory.join(file).is_file())?;
        // As seen from here.
        let from_here = project.directory.join(&found.file);
        if project.directory != Path::new(".") && from_here.is_file() {
            found.file = from_here.display().to_string();
        }
        Some(found)
    };
    let version = env!("CARGO_PKG_VERSION");
    let (gate, message, json) = match &target.command {
        Command::Worst(flags) => {
            let result = Saved::read(&place)?.result;
            let gate = Gate::of_worst(&result, flags.fail_above, hottest(&result), version);
            let json = json!({
                "cost": result.cost, "size": result.size, "limit": flags.fail_above, "complete": result.complete,
                "input": result.input, "elapsed_s": result.elapsed_s,
            });
            (gate, of_worst(&result, flags.fail_above), json)
        }
        Command::Curve(flags) => {
            let bytes = read_inside(&place, "curve.json", MAX_JSON)?;
            let result: CurveResult = from_json(&bytes).context("curve.json")?;
            let mut places = Vec::new();
            for point in &result.points {
                places.push(hottest(&Saved::read(&place.join(directory_of(point.size)))?.result));
            }
            let (limit, class) = (flags.worst.fail_above, flags.fail_above_class);
            let known = result.verdict();
            let gate = Gate::of_curve(&result, &known, limit, class, places, version);
            let points: Vec<Value> =
                result.points.iter().map(|point| json!({ "size": point.size, "cost": point.cost })).collect();
            let json = json!({
                "class": known.grown.map(|grown| grown.class), "class_limit": class, "limit": limit, "model": result.cost,
                "points": points, "elapsed_s": result.elapsed_s,
            });
            let message = of_curve(&result, &known, limit, class);
            (gate, message, json)
        }
        _ => bail!("not a search"),
    };
    let mut checks = gate.checks;
    for check in &mut checks {
        check.name = format!("{}: {}", target.name, check.name);
        check.message = format!("{}: {}", target.name, check.message);
    }
    let has = |verdict| checks.iter().any(|check| check.verdict == verdict);
    let verdict = match (has(Verdict::Failed), has(Verdict::Unknown)) {
        (true, _) => Verdict::Failed,
        (false, true) => Verdict::Unknown,
        (false, false) => Verdict::Passed,
    };
    Ok(Checked::new(target, verdict, message, checks, json))
}

/// The limit of a cost in words.
fn limit(cost: u64, endless: bool, most: Option<u64>) -> String {
    match most {
        Some(most) if cost > most || endless => format!(", above {}", grouped(most)),
        Some(most) => format!(", not above {}", grouped(most)),
        None => ", no limit".to_string(),
    }
}

fn of_worst(result: &WorstResult, most: Option<u64>) -> String {
    let at = result.size.map(|size| format!(" at n = {size}")).unwrap_or_default();
    let sure = certainty::in_brackets(result.complete, result.domain.as_deref());
    let end = if result.end == "returned" { String::new() } else { format!("; {}", printable(&result.end)) };
    let cost = result.cost.value;
    format!("{} {}{at}{}{sure}{end}", grouped(cost), result.cost.model, limit(cost, result.endless, most))
}

fn of_curve(
    result: &CurveResult,
    known: &pessimum_report::grown::Verdict,
    most: Option<u64>,
    class: Option<Class>,
) -> String {
    let mut text = match &known.grown {
        Some(grown) => certainty::grows(grown, grown.class),
        None => format!("how it grows is {}", certainty::not_known(known)),
    };
    match class.map(|class| (class, known.is_above(class))) {
        Some((most, Some(true))) => text += &format!(", above {most}"),
        Some((most, Some(false))) => text += &format!(", not above {most}"),
        None if most.is_none() => text += ", no limit",
        _ => {}
    }
    let highest = result.points.iter().max_by_key(|point| point.cost);
    if let Some(point) = highest {
        let limit = most.map(|_| limit(point.cost, point.endless, most)).unwrap_or_default();
        text += &format!("; {} {} at n = {}{limit}", grouped(point.cost), result.cost, point.size);
    }
    for missing in &result.missing {
        text += &format!("\nn = {} is missing: {}", missing.size, missing.why);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, is) in [
            ("sort", "sort", true),
            ("sort", "sorted", false),
            ("sort*", "sorted", true),
            ("*-growth", "heap-growth", true),
            ("*-growth", "growth", false),
            ("a*b*c", "a-b-b-c", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} {name}");
        }
    }
}
