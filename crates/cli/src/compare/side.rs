//! One side of a comparison: what its search found, and what it costs on the other side's inputs.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};
use pessimum_outcome::{CostModel, End};
use pessimum_report::compare::{ComparedCost, ComparedVersion};
use pessimum_report::curve::{CurveResult, MissingSize, growths};
use pessimum_report::text::json_text;
use pessimum_search::budget::Until;
use pessimum_session::files::{MAX_JSON, from_json, read_inside, write_atomically};
use pessimum_session::growth::directory_of;
use pessimum_session::language::Language;
use pessimum_session::replay::{all_costs, kept, look};
use pessimum_session::saved::{PlannedResult, Saved, result_files, write_files};
use pessimum_session::{RunPython, Source, Target, values, work};
use serde_json::Value;

use super::version::Version;
use crate::output::{grouped, tell};
use crate::report;

/// The file of a curve.
const CURVE: &str = "curve.json";

/// What was found about one version.
pub struct Side {
    pub version: Version,
    letter: &'static str,
    /// Where its results are.
    place: PathBuf,
    /// In ascending order of sizes.
    pub points: Vec<SidePoint>,
    pub missing: Vec<MissingSize>,
    curve: Option<CurveResult>,
}

/// One version at one size.
pub struct SidePoint {
    pub saved: Saved,
    /// What the input that the other version's search found costs here.
    on_other_input: Option<u64>,
    from_other: bool,
    /// How its program is run if it is Python.
    python: RunPython,
}

impl Side {
    /// Reads what the search of a version left in its directory.
    pub fn read(
        version: Version,
        letter: &'static str,
        place: PathBuf,
        is_curve: bool,
        python: Option<PathBuf>,
    ) -> Result<Side> {
        let python = RunPython { directory: version.directory.clone(), ..RunPython::of_own(python) };
        let point = |place: PathBuf| -> Result<SidePoint> {
            let (saved, python) = (Saved::read(&place)?, python.clone());
            Ok(SidePoint { saved, on_other_input: None, from_other: false, python })
        };
        let mut side = Side { version, letter, place, points: Vec::new(), missing: Vec::new(), curve: None };
        if !is_curve {
            side.points.push(point(side.place.clone())?);
            return Ok(side);
        }
        let bytes = read_inside(&side.place, CURVE, MAX_JSON)?;
        let curve: CurveResult = from_json(&bytes).with_context(|| side.place.display().to_string())?;
        for found in &curve.points {
            side.points.push(point(side.place.join(directory_of(found.size)))?);
        }
        side.missing = curve.missing.clone();
        side.curve = Some(curve);
        Ok(side)
    }

    /// What was found at a size.
    pub fn at(&self, size: Option<u64>) -> Option<&SidePoint> {
        self.points.iter().find(|point| point.size() == size)
    }

    /// What is said of it in the comparison.
    pub fn compared(&self) -> ComparedVersion {
        ComparedVersion {
            label: self.version.label.clone(),
            revision: self.version.revision.clone(),
            call: self.points.first().and_then(|point| point.saved.result.call.clone()),
            growth: self.curve.as_ref().map(|curve| curve.worst.clone()),
            program_from_here: self.version.from_here.as_ref().map(|path| path.display().to_string()),
            directory: self.letter.to_lowercase(),
        }
    }

    /// Writes down which inputs were taken over from the other side.
    pub fn save(&mut self) -> Result<()> {
        if self.points.iter().all(|point| !point.from_other) {
            return Ok(());
        }
        for point in self.points.iter().filter(|point| point.from_other) {
            point.save()?;
        }
        let Some(curve) = &mut self.curve else { return Ok(()) };
        for point in &mut curve.points {
            let taken = self.points.iter().find(|other| other.from_other && other.size() == Some(point.size));
            if let Some(SidePoint { saved, .. }) = taken {
                (point.cost, point.complete) = (saved.result.cost.value, saved.result.complete);
                (point.end, point.input) = (saved.result.end.clone(), saved.result.input.clone());
                point.work = None;
            }
        }
        let of = self.points.first().map(|point| &point.saved);
        let language = of.map_or(&Language::WASM, |saved| saved.plan.language());
        let cost = CostModel::parse(&curve.cost).unwrap_or_default();
        (curve.worst, curve.random) = work::judged(language, cost, &curve.points, growths(&curve.points));
        let text = json_text(curve).context("JSON")?;
        let python = self.points.first().map(|point| point.python.clone()).unwrap_or_default();
        write_atomically(&self.place.join(CURVE), text.as_bytes())?;
        let page = report::of_curve(&self.place, curve, &python, &Until::default())?;
        Ok(write_atomically(&self.place.join(report::FILE), page.as_bytes())?)
    }
}

/// Which runs the searches looked among, and so which inputs may be taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// A crash is no worst case where there is a run that ends otherwise.
    Usual,
    Any,
    Trapped,
}

impl Ends {
    /// By the flag `--end` among the words of a search.
    pub fn of(words: &[OsString]) -> Ends {
        match words.iter().find_map(|word| word.to_str()?.strip_prefix("--end=")) {
            Some("any") => Ends::Any,
            Some("trapped") => Ends::Trapped,
            _ => Ends::Usual,
        }
    }

    /// Whether a run that ended like this can take the place of one that ended like that.
    fn allow(self, end: &str, instead_of: &str) -> bool {
        match self {
            Ends::Any => true,
            Ends::Trapped => is_crash(end),
            Ends::Usual => !is_crash(end) || is_crash(instead_of),
        }
    }
}

/// Runs each side's worst inputs on the other, and takes over those that cost more there than what its own search found.
/// Returns why that was not possible, if it was not.
pub fn exchange(a: &mut Side, b: &mut Side, ends: Ends) -> Result<Option<String>> {
    let mut refused = None;
    for i in 0..a.points.len() {
        let size = a.points[i].size();
        let Some(k) = b.points.iter().position(|point| point.size() == size) else { continue };
        let inputs = [a.points[i].saved.result.input.clone(), b.points[k].saved.result.input.clone()];
        let calls = [a.points[i].call(), b.points[k].call()];
        for (point, letter, other) in
            [(&mut a.points[i], a.letter, &inputs[1]), (&mut b.points[k], b.letter, &inputs[0])]
        {
            if let Err(why) = point.take(other, letter, ends)? {
                refused.get_or_insert(match calls[0] == calls[1] {
                    true => format!("{letter} does not accept the worst input of the other: {why}"),
                    false => format!("they take different inputs: A is called as {}, and B as {}", calls[0], calls[1]),
                });
            }
        }
    }
    Ok(refused)
}

impl SidePoint {
    /// `n`.
    pub fn size(&self) -> Option<u64> {
        self.saved.result.size
    }

    /// What is run.
    fn call(&self) -> String {
        self.saved.result.call.clone().unwrap_or_else(|| "a command".to_string())
    }

    /// What is said of it in the comparison.
    pub fn compared(&self) -> ComparedCost {
        let result = &self.saved.result;
        ComparedCost {
            cost: result.cost.value,
            end: result.end.clone(),
            endless: result.endless,
            input: result.input.clone(),
            written: result.written.clone(),
            from_other: self.from_other,
            on_other_input: self.on_other_input,
            complete: result.complete,
            domain: result.domain.clone(),
            paths: result.paths,
            random: result.random.clone(),
        }
    }

    fn source(&self) -> Result<Source> {
        Ok(self.saved.source(&self.python)?)
    }

    fn program(&self) -> Result<Box<Target>> {
        Ok(self.source()?.program(self.saved.plan.size)?)
    }

    /// Runs an input of the other version, and takes it over if it costs more than the one that was found here. Inside is
    /// why it could not be run.
    fn take(&mut self, input: &Value, letter: &str, ends: Ends) -> Result<Result<(), String>> {
        let (source, program) = (self.source()?, self.program()?);
        let witness = match program.plan().decode(input) {
            Ok((witness, _)) => witness,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let model = CostModel::parse(&self.saved.result.cost.model).unwrap_or_default();
        let Some(costs) = all_costs(&*program, &witness, source.limits(), model) else {
            return Ok(Err("its assumptions do not hold".to_string()));
        };
        let cost = model.of(&costs);
        self.on_other_input = Some(cost);
        if cost <= self.saved.result.cost.value {
            return Ok(Ok(()));
        }
        let replayed = look(&*program, &witness, &source.limits(), u64::MAX, &Until::default());
        if !ends.allow(&replayed.end, &self.saved.result.end) {
            return Ok(Ok(()));
        }
        let result = &mut self.saved.result;
        if result.complete {
            let size = result.size.map(|size| format!(" at n = {size}")).unwrap_or_default();
            tell(&format!(
                "defect: every path of {letter}{size} was seen, the costliest at {}, but the other version's input costs {} \
                 there; please report this",
                grouped(result.cost.value),
                grouped(cost)
            ));
            result.complete = false;
        }
        (result.cost.value, result.costs) = (cost, costs);
        result.input = program.plan().encode(&witness, &replayed.asked);
        result.written = values::arguments(&*program, &self.saved.plan, &witness);
        (result.end, result.hottest) = (replayed.end, replayed.hottest);
        (result.functions, result.lines) = (kept(&replayed.profile.functions), kept(&replayed.profile.lines));
        // What C code was handed was recorded for another input.
        (result.profiled, result.work) = (replayed.profiled, None);
        self.from_other = true;
        Ok(Ok(()))
    }

    /// Writes its result again.
    fn save(&self) -> Result<()> {
        let program = self.program()?;
        let (witness, _) = program.plan().decode(&self.saved.result.input).context("its input")?;
        let planned = PlannedResult { result: self.saved.result.clone(), plan: self.saved.plan.clone() };
        let mut files = result_files(&*program, &planned, &witness)?;
        let limits = self.source()?.limits();
        let profile = look(&*program, &witness, &limits, u64::MAX, &Until::default()).profile;
        let page = report::of_worst(&*program, profile, &planned.result, limits, u64::MAX, &Until::default());
        files.push((report::FILE.to_string(), page.into_bytes()));
        write_files(self.saved.directory(), &files)?;
        Ok(())
    }
}

/// Whether a run that ended like this crashed the program.
fn is_crash(end: &str) -> bool {
    matches!(end.parse(), Ok(End::Trapped(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_are_taken_over_where_they_count() {
        let (returned, trapped) = ("returned", "trapped: unreachable");
        let words = |word: &str| Ends::of(&["worst".into(), word.into()]);
        assert!(words("--size=3").allow(returned, trapped) && words("--size=3").allow(trapped, trapped));
        assert!(!words("--end=returned").allow(trapped, returned));
        assert!(words("--end=any").allow(trapped, returned));
        assert!(words("--end=trapped").allow(trapped, trapped) && !words("--end=trapped").allow(returned, trapped));
    }
}
