//! `pessimum compare`: the worst case of two versions of a program.

mod side;
mod text;
mod tree;
mod version;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::CommandFactory as _;
use pessimum_report::certainty;
use pessimum_report::compare::{ComparedPoint, Comparison, moved};
use pessimum_report::curve::MissingSize;
use pessimum_report::gate::{Check, Gate, Rule, Verdict};
use pessimum_report::text::json_text;

use crate::child::{self, flag};
use crate::files::write_atomically;
use crate::flags::{Arguments, ClassLimit, CompareFlags, SubjectFlags, check_prices, usual_time};
use crate::interrupt::Interrupt;
use crate::output::{print, print_finding, print_json_finding, tell};
use crate::place::Place;
use crate::{gate, strategy, worst};
use side::{Ends, Side, exchange};
use version::{Version, versions};

/// The file with the comparison.
const FILE: &str = "compare.json";

/// Flags that are not simply handed on to the search of each side.
const OWN: [&str; 12] = [
    "program",
    "sizes",
    "fail_above_ratio",
    "fail_above_class",
    "budget",
    "paths",
    "out",
    "junit",
    "sarif",
    "json",
    "quiet",
    "log_queries",
];

/// Returns the exit code.
pub fn compare(flags: &CompareFlags) -> Result<u8> {
    let usual = &flags.worst;
    check_prices(&usual.subject, usual.maximised)?;
    if flags.sizes.is_none() {
        strategy::check(usual)?;
    }
    let (subject, program) = (&usual.subject, flags.program.as_deref());
    let [a, b] = versions(&subject.module, &flags.other, program, &subject.cflags)?;
    let owner = Place::with_room(&directory(flags, &b), 0)?;
    let out = owner.directory().to_path_buf();
    let here = std::env::current_dir().context("the current directory")?;
    let interrupt = Interrupt::listen()?;
    let began = Instant::now();
    let (mut sides, mut ends) = (Vec::new(), Ends::Usual);
    for (letter, version) in [("A", a), ("B", b)] {
        let place = here.join(&out).join(letter.to_lowercase());
        let words = words(flags, &version, letter, &place, &here)?;
        ends = Ends::of(&words);
        if !is_silent(flags) {
            tell(&format!("{letter} is {}", version.label));
        }
        let ended = child::run(&words, version.directory.as_deref(), false)?;
        let is_interrupted = interrupt.is_heard();
        if ended.code != 0 && is_interrupted {
            bail!("interrupted with Ctrl-C while {letter} ({}) was searched: nothing to compare", version.label);
        }
        if ended.code != 0 {
            bail!("{letter} ({}) could not be searched", version.label);
        }
        // Ctrl-C ends a search with the best so far; what is there of both versions is compared.
        if is_interrupted && sides.is_empty() {
            let (label, place) = (&version.label, out.join(letter.to_lowercase()));
            bail!(
                "interrupted with Ctrl-C while {letter} ({label}) was searched: nothing to compare it with. What it found is in {}",
                place.display()
            );
        }
        if is_interrupted {
            tell(&format!("note: interrupted with Ctrl-C: {letter} ({}) was searched for less time", version.label));
        }
        sides.push(Side::read(version, letter, place, flags.sizes.is_some(), usual.subject.python.clone())?);
    }
    let (Some(mut b), Some(mut a)) = (sides.pop(), sides.pop()) else { bail!("nothing was searched") };
    let not_exchanged = exchange(&mut a, &mut b, ends)?;
    let mut failed = Vec::new();
    failed.extend(owner.failure());
    failed.extend(a.save().err());
    failed.extend(b.save().err());
    let result = comparison(flags, &a, &b, not_exchanged, began.elapsed());
    let printed = match usual.results.json {
        true => print_json_finding(&result),
        false => print_finding(&text::text(flags, &result)),
    };
    let saved = json_text(&result).context("JSON");
    failed.extend(saved.and_then(|text| write_atomically(&out.join(FILE), text.as_bytes())).err());
    let checks = checks(flags, &result, &b);
    let verdicts = Gate {
        subject: format!("{} and {}", result.a.label, result.b.label),
        module: b.version.program.display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        elapsed_s: result.elapsed_s,
        checks: checks.clone(),
    };
    failed.extend(gate::write_as(usual.results.junit.as_deref(), usual.results.sarif.as_deref(), &verdicts).err());
    if printed.is_ok() && failed.is_empty() && !usual.results.json {
        print(&text::afterwards(&result, &out))?;
    }
    failed.extend(printed.err());
    // What has no verdict does not pass.
    let unknown = checks.iter().filter(|check| check.verdict == Verdict::Unknown);
    failed.extend(unknown.map(|check| anyhow::anyhow!("{}", check.message)));
    drop(owner);
    Ok(worst::exit_code(checks.iter().any(|check| check.verdict == Verdict::Failed), failed))
}

/// Whether nothing is to be told while the searches run.
fn is_silent(flags: &CompareFlags) -> bool {
    flags.worst.results.json || flags.worst.search.quiet
}

/// The directory that `--out` names, or one named after B.
fn directory(flags: &CompareFlags, b: &Version) -> PathBuf {
    if let Some(out) = &flags.worst.results.out {
        return out.clone();
    }
    let usual = worst::directory_of(None, &SubjectFlags { module: b.named.clone(), ..flags.worst.subject.clone() });
    let name = usual.file_name().unwrap_or_default().to_string_lossy().into_owned();
    usual.with_file_name(format!("compare-{name}"))
}

/// The command line that searches one side.
fn words(flags: &CompareFlags, version: &Version, letter: &str, place: &Path, here: &Path) -> Result<Vec<OsString>> {
    let mut all = Arguments::command();
    let matches = all.get_matches_mut();
    let (command, matches) = match matches.subcommand().map(|(name, matches)| (all.find_subcommand(name), matches)) {
        Some((Some(command), matches)) => (command, matches),
        _ => bail!("this command line is not one of `compare`"),
    };
    let mut words: Vec<OsString> = vec![if flags.sizes.is_some() { "curve".into() } else { "worst".into() }];
    let other_place = version.directory.as_ref().map(|_| here);
    words.extend(child::given(command, matches, &OWN, other_place));
    if let Some(sizes) = &flags.sizes {
        let sizes: Vec<String> = sizes.0.iter().map(u64::to_string).collect();
        words.push(flag("sizes", sizes.join(",")));
        words.push(flag("chart", "none"));
    }
    let usual = &flags.worst;
    if let Some(paths) = usual.results.paths {
        words.push(flag("paths", (paths / 2).max(1).to_string()));
    }
    words.push(match usual_time(usual.search.budget, usual.results.paths) {
        Some(time) => flag("budget", format!("{}ms", (time / 2).as_millis())),
        None => flag("budget", "none"),
    });
    if let Some(queries) = &usual.search.log_queries {
        words.push(flag("log-queries", here.join(queries).join(letter.to_lowercase())));
    }
    words.push(flag("out", place));
    if is_silent(flags) {
        words.push("--quiet".into());
    }
    // A name that starts with a dash is no option.
    words.push("--".into());
    words.push(version.program.clone().into());
    Ok(words)
}

/// The functions that are kept.
const KEPT: usize = 20;

fn comparison(
    flags: &CompareFlags,
    a: &Side,
    b: &Side,
    not_exchanged: Option<String>,
    elapsed: Duration,
) -> Comparison {
    let mut points: Vec<ComparedPoint> = Vec::new();
    for point in &a.points {
        if let Some(other) = b.at(point.size()) {
            points.push(ComparedPoint::new(point.size(), point.compared(), other.compared()));
        }
    }
    let mut missing: Vec<MissingSize> = a.missing.iter().chain(&b.missing).cloned().collect();
    missing.sort_by_key(|missing| missing.size);
    missing.dedup_by_key(|missing| missing.size);
    let last = points.last().and_then(|point| Some((a.at(point.size)?, b.at(point.size)?)));
    let mut moved = last.map(|(a, b)| moved(&a.saved.result.functions, &b.saved.result.functions)).unwrap_or_default();
    moved.truncate(KEPT);
    Comparison {
        a: a.compared(),
        b: b.compared(),
        cost: flags.worst.maximised.cost.name().to_string(),
        strategy: flags.worst.strategy.clone(),
        seed: flags.worst.search.seed,
        ratio: points.last().and_then(|point| point.ratio),
        points,
        moved,
        not_exchanged,
        missing,
        elapsed_s: elapsed.as_secs_f64(),
    }
}

/// What the limits say.
fn checks(flags: &CompareFlags, result: &Comparison, b: &Side) -> Vec<Check> {
    let mut checks = Vec::new();
    for point in &result.points {
        let at = point.size.map(|size| format!(" at n = {size}")).unwrap_or_default();
        let (a_cost, b_cost, model) = (point.a.cost, point.b.cost, &result.cost);
        let above = flags.fail_above_ratio.is_some_and(|most| point.is_above(most));
        let mut message = format!(
            "the worst case{at} costs {b_cost} {model} in {}, and {a_cost} in {}",
            result.b.label, result.a.label
        );
        if let Some(most) = flags.fail_above_ratio {
            let times =
                point.ratio.map_or("more than any number of times".to_string(), |ratio| format!("{ratio:.3} times"));
            let not = if above { "" } else { "not " };
            message += &format!(": {times}, {not}above --fail-above-ratio {most}");
        }
        checks.push(Check {
            name: format!("worst case{at} beside the old version"),
            rule: Rule::WorstCase,
            verdict: if above { Verdict::Failed } else { Verdict::Passed },
            message,
            model: result.cost.clone(),
            cost: Some(b_cost),
            limit: flags.fail_above_ratio.map(|most| (most * a_cost as f64) as u64),
            size: point.size,
            elapsed_s: 0.0,
            place: b.at(point.size).and_then(|point| gate::place(&point.saved.result)),
        });
    }
    let class = |growth: &Option<pessimum_report::fit::Growth>| growth.as_ref().and_then(|growth| growth.class);
    let Some(limit) = flags.fail_above_class else { return checks };
    let most = match limit {
        ClassLimit::Class(class) => Ok((class, class.to_string())),
        ClassLimit::Same => class(&result.a.growth).map(|class| (class, format!("same ({class})"))).ok_or(&result.a),
    };
    let (verdict, message) = match (most, class(&result.b.growth).ok_or(&result.b)) {
        (Ok((most, named)), Ok(found)) => {
            let above = found.is_above(most);
            let not = if above { "" } else { "not " };
            let verdict = if above { Verdict::Failed } else { Verdict::Passed };
            let grows = format!("what was found of {} {}", result.b.label, certainty::grows_like(found));
            (verdict, format!("{grows}, {not}above --fail-above-class {named}"))
        }
        (Err(version), _) | (_, Err(version)) => {
            let why = version.growth.as_ref().and_then(|growth| growth.why_not.as_deref()).unwrap_or("not enough data");
            (Verdict::Unknown, format!("--fail-above-class: the class of {} is not known: {why}", version.label))
        }
    };
    checks.push(Check {
        name: "growth of the worst case beside the old version".to_string(),
        rule: Rule::Growth,
        verdict,
        message,
        model: result.cost.clone(),
        cost: None,
        limit: None,
        size: None,
        elapsed_s: 0.0,
        place: None,
    });
    checks
}
