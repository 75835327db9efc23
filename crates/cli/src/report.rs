//! `report.html`: made when a search ends, and by `pessimum report` from what it left behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_outcome::CostModel;
use pessimum_report::curve::CurveResult;
use pessimum_report::html::{AverageRun, PatternOf, Report, Runs, SourceFile, page};
use pessimum_report::pattern::PatternResult;
use pessimum_report::profile::{Profile, Unit};
use pessimum_report::result::WorstResult;
use pessimum_report::text::sentence;
use pessimum_search::budget::Until;
use pessimum_search::program::PathLimits;
use pessimum_session::baseline::random_input;
use pessimum_session::files::{MAX_JSON, from_json, plain, read_inside};
use pessimum_session::growth::directory_of;
use pessimum_session::replay::look;
use pessimum_session::result::raw_inputs;
use pessimum_session::saved::{RESULT, Saved};
use pessimum_session::{RunPython, Target};

use crate::files::write_atomically;
use crate::flags::ReportFlags;
use crate::interrupt::Interrupt;
use crate::output::{counted, grouped, print};
use crate::pattern;

/// The name of a saved curve.
const CURVE: &str = "curve.json";

/// The name of a saved input.
const INPUT: &str = "input.json";

/// The file's name.
pub const FILE: &str = "report.html";

/// Makes the report again from what is in a directory.
pub fn report(flags: &ReportFlags) -> Result<()> {
    let directory = &flags.saved;
    let curve: Option<CurveResult> = saved_curve(directory)?;
    let mut worst = saved(directory)?;
    if worst.is_none() {
        worst = curve.as_ref().map(|curve| largest(directory, curve)).transpose()?.flatten();
    }
    let pattern = saved_pattern(directory, &flags.python.run())?;
    if worst.is_none() && curve.is_none() && pattern.is_none() {
        let place = directory.display();
        bail!("{place}: no result.json and no curve.json; `pessimum worst` and `pessimum curve` write them");
    }
    let interrupt = Interrupt::listen()?;
    let python = flags.python.run();
    let mut places = vec![directory.clone()];
    places.extend_from_slice(&flags.sources);
    let until = interrupt.until(flags.budget.and_then(|time| time.0), 0);
    let html = from_saved(worst.as_ref(), curve.as_ref(), pattern.as_ref(), &places, &python, &until);
    let file = directory.join(FILE);
    write_atomically(&file, html.as_bytes())?;
    print(&format!("written: {} ({})\n", file.display(), counted(html.len() as u64, "byte", "bytes")))
}

/// The curve in this directory; none where there is none.
fn saved_curve(directory: &Path) -> Result<Option<CurveResult>> {
    let file = directory.join(CURVE);
    if plain(&file)?.is_none() {
        return Ok(None);
    }
    let bytes = read_inside(directory, CURVE, MAX_JSON)?;
    from_json(&bytes).map(Some).with_context(|| format!("{}: not a saved curve", file.display()))
}

/// The result in this directory; none where there is none.
fn saved(directory: &Path) -> Result<Option<Saved>> {
    match plain(&directory.join(RESULT))? {
        Some(_) => Ok(Some(Saved::read(directory)?)),
        None => Ok(None),
    }
}

/// The result at the largest size of a curve, whose input and profile stand for the others.
fn largest(directory: &Path, curve: &CurveResult) -> Result<Option<Saved>> {
    // The name is made here and not taken from the file, so nothing outside the directory is read.
    let Some(place) = curve.points.last().map(|point| directory.join(directory_of(point.size))) else {
        return Ok(None);
    };
    match place.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => saved(&place),
        _ => Ok(None),
    }
}

/// The report of a curve, beside the results of its sizes in this directory. Runs are shown up to where they get in this
/// time.
pub fn of_curve(directory: &Path, curve: &CurveResult, python: &RunPython, until: &Until) -> Result<String> {
    let places = [directory_of_module(&curve.module)];
    let pattern = saved_pattern(directory, python)?;
    Ok(from_saved(largest(directory, curve)?.as_ref(), Some(curve), pattern.as_ref(), &places, python, until))
}

/// The report of patterns without searches: growth with a value.
pub fn of_pattern(directory: &Path, python: &RunPython) -> Result<String> {
    let pattern = saved_pattern(directory, python)?;
    Ok(from_saved(None, None, pattern.as_ref(), &[], python, &Until::default()))
}

/// Patterns, and the first one's input at a size at which it can be seen as a whole.
type Drawn = (PatternResult, Option<(u64, serde_json::Value)>);

/// The patterns in this directory; none where there are none.
fn saved_pattern(directory: &Path, python: &RunPython) -> Result<Option<Drawn>> {
    /// The size of the picture.
    const SHOWN: u64 = 64;
    if plain(&directory.join(pattern::FILE))?.is_none() {
        return Ok(None);
    }
    let saved = pattern::saved(directory)?;
    let input = saved.input(directory, SHOWN, python);
    Ok(Some((saved.result, input.map(|input| (SHOWN, input)))))
}

/// What takes the time that a search did not have.
const AGAIN: &str = "`pessimum report` on the directory of this result takes the time and shows all of it";

/// Says that only the beginning of the worst run is shown.
fn only_the_beginning(profiled: u64, result: &WorstResult) -> String {
    let (profiled, all) = (grouped(profiled), grouped(result.costs.steps()));
    let unit = Unit::of(&result.costs).name();
    format!(
        "Call graphs, branches and source lines cover the first {profiled} of the {all} {unit} of the worst run, \
         which is long for the time that there was; {AGAIN}."
    )
}

/// The report of a search that has just ended, with the profile of its worst run. At most `most` instructions of the
/// average run are profiled, and no longer than this.
pub fn of_worst(
    program: &Target,
    worst: Profile,
    result: &WorstResult,
    limits: PathLimits,
    most: u64,
    until: &Until,
) -> String {
    let mut warnings: Vec<String> =
        result.profiled.iter().map(|&profiled| only_the_beginning(profiled, result)).collect();
    let places = [directory_of_module(&result.module)];
    let runs = runs(program, worst, result, limits, most, &places, until);
    if runs.average.is_none() && result.random.as_ref().is_some_and(|random| random.nearest.is_some()) {
        warnings.push(format!("The run of an average input is missing because it is long, too; {AGAIN}."));
    }
    let input_files = input_files(program, &result.input, "");
    page(&Report { worst: Some(result), curve: None, runs: Some(runs), input_files, pattern: None, warnings })
}

/// Source files are looked for in these places and in the current directory.
fn from_saved(
    worst: Option<&Saved>,
    curve: Option<&CurveResult>,
    pattern: Option<&Drawn>,
    places: &[PathBuf],
    python: &RunPython,
    until: &Until,
) -> String {
    let mut warnings = Vec::new();
    let within = match (curve, worst.and_then(|saved| saved.result.size)) {
        (Some(_), Some(size)) => format!("{}/", directory_of(size)),
        _ => String::new(),
    };
    let mut input_files = vec![format!("{within}{INPUT}")];
    let runs = worst.and_then(|saved| match again(saved, places, &within, python, until) {
        Ok((runs, files, notes)) => {
            warnings.extend(notes);
            input_files = files;
            Some(runs)
        }
        Err(error) => {
            warnings.push(format!(
                "The program could not be run again, so its call graphs and source lines are missing: {error:#}."
            ));
            None
        }
    });
    let pattern = pattern.map(|(result, input)| PatternOf { result, input: input.clone() });
    page(&Report { worst: worst.map(|saved| &saved.result), curve, runs, input_files, pattern, warnings })
}

/// The names of the files that hold an input, in the directory `within` of the report.
fn input_files(program: &Target, input: &serde_json::Value, within: &str) -> Vec<String> {
    let raw = program.plan().decode(input).map(|(witness, _)| raw_inputs(program, &witness));
    let raw = raw.into_iter().flatten().map(|(name, _)| name);
    [INPUT.to_string()].into_iter().chain(raw).map(|name| format!("{within}{name}")).collect()
}

/// Runs the worst input of a saved result again, as far as it gets in this time. The other values are the files that hold
/// it, and notes to the reader: what has changed, and what is missing.
fn again(
    saved: &Saved,
    places: &[PathBuf],
    within: &str,
    python: &RunPython,
    until: &Until,
) -> Result<(Runs, Vec<String>, Vec<String>)> {
    let (source, result) = (saved.source(python)?, &saved.result);
    let program = source.program(saved.plan.size)?;
    let (witness, _) = program.plan().decode(&result.input).context("its input")?;
    let limits = source.limits();
    let model = CostModel::parse(&result.cost.model).unwrap_or_default();
    let replayed = look(&*program, &witness, &limits, u64::MAX, until);
    let now = match (model, replayed.profiled) {
        // A concrete run does not know its decisions, and part of a run not all of its costs.
        (CostModel::Decisions, _) | (_, Some(_)) => result.cost.value,
        (model, None) => model.of(&replayed.costs),
    };
    let changed = match now == result.cost.value {
        true => saved.changed().map(|note| sentence(&format!("{note}."))),
        false => {
            let (now, then) = (grouped(now), grouped(result.cost.value));
            Some(format!("The worst input costs {now} {model} now, but {then} when it was found."))
        }
    };
    let missing = replayed.profiled.map(|profiled| only_the_beginning(profiled, result));
    let notes = changed.into_iter().chain(missing).collect();
    let files = input_files(&*program, &result.input, within);
    Ok((runs(&*program, replayed.profile, result, limits, u64::MAX, places, until), files, notes))
}

/// The worst run beside an average one; the latter only where it is not longer than `most` instructions.
fn runs(
    program: &Target,
    worst: Profile,
    result: &WorstResult,
    limits: PathLimits,
    most: u64,
    places: &[PathBuf],
    until: &Until,
) -> Runs {
    let nearest = result.random.as_ref().and_then(|random| random.nearest);
    // To name the lines of a second run takes as long as those of the first, however short both are.
    let average = nearest.filter(|_| until.go_on()).and_then(|(draw, cost)| {
        let witness = random_input(program, result.seed, draw, until)?;
        let run = look(program, &witness, &limits, most, until);
        run.profiled.is_none().then_some(AverageRun { profile: run.profile, cost })
    });
    let names = worst.lines.iter().map(|line| line.file.as_str()).collect();
    let sources = sources(names, Path::new(&result.module), places);
    Runs { worst, average, sources }
}

/// The longest source file that is read, in bytes.
const MAX_SOURCE: u64 = 4 << 20;

/// Extensions of files with source text. A module names the files that end up in its report, and it may lie: without
/// this, and without the check of places below, a report could contain somebody's keys.
const SOURCE_NAMES: [&str; 25] = [
    "c", "h", "cc", "cp", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "inc", "ipp", "rs", "zig", "ts", "wat", "wast",
    "go", "swift", "d", "f90", "nim", "s", "S", "py",
];

/// The texts of the source files that debug information names, as far as they are below one of the places or the current
/// directory. Their names may be relative to a directory above that of the module: many are compiled from there.
pub fn sources(names: BTreeSet<&str>, module: &Path, places: &[PathBuf]) -> Vec<SourceFile> {
    let places: Vec<PathBuf> = std::env::current_dir().into_iter().chain(places.iter().cloned()).collect();
    let mut bases = places.clone();
    bases.extend(module.canonicalize().unwrap_or_default().ancestors().skip(1).take(3).map(Path::to_path_buf));
    let found = names.into_iter().filter_map(|name| {
        let text = source_text(Path::new(name), &bases, &places)?;
        Some(SourceFile { name: name.to_string(), text })
    });
    found.collect()
}

/// The directory of a module or source file that the user named; a package is one itself.
pub fn directory_of_module(module: &str) -> PathBuf {
    let module = Path::new(module);
    let directory = if module.is_dir() { Some(module) } else { module.parent() };
    directory.filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}

/// The text of a file below one of the places; none if the file is elsewhere, missing, or not text. Links are followed
/// before that is decided. The root of the file system is no such place: everything is below it.
fn source_text(name: &Path, bases: &[PathBuf], places: &[PathBuf]) -> Option<String> {
    let extension = name.extension()?.to_str()?;
    if !SOURCE_NAMES.contains(&extension) {
        return None;
    }
    for base in bases {
        // An absolute name stays as it is.
        let Ok(path) = base.join(name).canonicalize() else { continue };
        let is_inside = |place: &PathBuf| {
            place.canonicalize().is_ok_and(|place| place.parent().is_some() && path.starts_with(place))
        };
        let inside = places.iter().any(is_inside);
        let Ok(metadata) = path.metadata() else { continue };
        if !inside || !metadata.is_file() || metadata.len() > MAX_SOURCE {
            continue;
        }
        if let Ok(text) = std::fs::read_to_string(&path)
            && !text.contains('\0')
        {
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What debug information names is read only where it is source text below one of the places.
    #[test]
    fn only_sources_nearby_are_read() {
        let base = std::env::temp_dir().join(format!("pessimum-sources-{}", std::process::id()));
        let project = base.join("project");
        std::fs::create_dir_all(project.join("src")).unwrap();
        for (name, text) in
            [("project/src/a.c", "int a;"), ("secret.c", "key"), ("project/key", "key"), ("project/b.c", "\0")]
        {
            std::fs::write(base.join(name), text).unwrap();
        }
        let places = [project.clone()];
        let read = |name: &str| source_text(Path::new(name), &places, &places);
        assert_eq!(read("src/a.c").as_deref(), Some("int a;"));
        assert_eq!(read("./src/../src/a.c").as_deref(), Some("int a;"));
        assert_eq!(read(project.join("src/a.c").to_str().unwrap()).as_deref(), Some("int a;"));
        let outside =
            ["../secret.c", base.join("secret.c").to_str().unwrap(), "key", "b.c", "src", "none.c", "/etc/passwd"]
                .map(read);
        assert_eq!(outside, [const { None::<String> }; 7]);
        let above = |name: &str| source_text(Path::new(name), &[project.clone(), base.clone()], &places);
        assert_eq!(above("project/src/a.c").as_deref(), Some("int a;"), "named from above, but below a place");
        assert_eq!(above("secret.c"), None, "above the place");
        assert_eq!(source_text(&project.join("src/a.c"), &places, &[PathBuf::from("/")]), None, "all of the disk");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(base.join("secret.c"), project.join("link.c")).unwrap();
            assert_eq!(read("link.c"), None);
        }
        std::fs::remove_dir_all(&base).unwrap();
    }
}
