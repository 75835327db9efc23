//! `pessimum shrink`: a saved worst input made simpler at the same cost.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use pessimum_program::WasmProgram;
use pessimum_report::result::{Cost, RandomInputs, WorstResult};
use pessimum_search::budget::Cancel;
use pessimum_search::cost::CostModel;
use pessimum_search::program::{End, PathLimits, Program as _};
use pessimum_search::shrink::{Keeper, Look, Part, shortened, simplify};
use pessimum_term::Witness;
use pessimum_wasm::call::{Bounds, Group, GuestValue, InputPlan, Kind, Length};
use pessimum_wasm::{Concrete, Process, ProcessEvent};
use serde_json::json;

use crate::compare::random_inputs;
use crate::files::make_directory;
use crate::flags::{ShrinkFlags, ShrinkKeep, SubjectFlags, own_words};
use crate::output::{Table, counted, grouped, print, print_json, seconds};
use crate::replay::{Saved, all_costs, kept, look};
use crate::search::{self, cancelled_by_ctrl_c};
use crate::shape::input_lines;
use crate::subject::{Source, input};
use crate::worst::save;

/// Where --budget and --paths say nothing.
const USUAL_TIME: Duration = Duration::from_secs(5);

/// Sizes above this are not shortened one element at a time from every place.
const MOST_PLACES: usize = 64;

pub fn shrink(flags: &ShrinkFlags) -> Result<()> {
    let saved = Saved::read(&flags.saved)?;
    let result: WorstResult = serde_json::from_value(saved.json.clone())
        .with_context(|| format!("{}: not a result of `pessimum worst`", saved.file.display()))?;
    let cost = CostModel::parse(&result.cost.model)
        .with_context(|| format!("{}: no cost is named `{}`", saved.file.display(), result.cost.model))?;
    let subject = &saved.flags;
    let source = Source::read(subject)?;
    let program = search::program(&source, subject, subject.size)?;
    let (witness, _) = input(program.subject(), Some(&saved.file))?;
    let time = match (flags.budget, flags.paths) {
        (Some(given), _) => given.0,
        (None, Some(_)) => None,
        (None, None) => Some(USUAL_TIME),
    };
    let spending = Spending { began: Instant::now(), time, most: flags.paths, runs: 0, cancel: cancelled_by_ctrl_c()? };
    let mut work = Shrinking::start(program, witness, cost, search::limits(subject), spending)?;
    if work.bar < result.cost.value {
        bail!(
            "{}: this input costs {} {cost} now, not {} as saved: the module or its flags have changed",
            saved.file.display(),
            grouped(work.bar),
            grouped(result.cost.value)
        );
    }
    let mut shortening = flags.shorter.then(|| Shortening::new(flags, subject, &result, cost)).transpose()?;
    let mut flags_now = shortening.as_ref().map_or_else(|| subject.words(), |shortening| shortening.words());
    let finished = loop {
        let finished = work.simplify();
        let Some(shortening) = &mut shortening else { break finished };
        let before = flags_now;
        shortening.shorten(&mut work)?;
        flags_now = shortening.words();
        if flags_now == before {
            break finished && !work.spending.is_spent();
        }
    };
    let (size, random) = match shortening {
        Some(shortening) => (shortening.size_flag(), shortening.random),
        None => (result.size, result.random.clone()),
    };
    let directory = flags.out.clone().unwrap_or_else(|| saved.directory().join("shrunk"));
    let shrunk = work.result(&result, size, flags_now, random)?;
    let changed = shrunk.input != result.input || shrunk.arguments != result.arguments;
    make_directory(&directory)?;
    let witness = Witness::new(work.values.clone());
    let written = save(&directory, &work.program, &witness, &shrunk)?;
    if flags.json {
        return print_json(&json!({
            "before": { "input": result.input, "size": result.size, "cost": result.cost },
            "after": { "input": shrunk.input, "size": shrunk.size, "cost": shrunk.cost },
            "changed": changed,
            "finished": finished,
            "runs": work.spending.runs,
            "elapsed_s": work.spending.began.elapsed().as_secs_f64(),
            "directory": directory.display().to_string(),
        }));
    }
    print(&text(&result, &shrunk, changed, finished, &work.spending, &directory, &written))
}

fn text(
    before: &WorstResult,
    after: &WorstResult,
    changed: bool,
    finished: bool,
    spending: &Spending,
    directory: &Path,
    written: &[PathBuf],
) -> String {
    let shortened = before.arguments != after.arguments;
    let size = |result: &WorstResult| match result.size {
        Some(size) if shortened => format!("n = {size}: "),
        _ => String::new(),
    };
    let model =
        if before.cost.model == CostModel::User.name() { "(the program's own cost)" } else { &before.cost.model };
    let cost = |result: &WorstResult| format!("{} {model}", grouped(result.cost.value));
    let mut table = Table::default();
    for (name, result) in [("before", before), ("after", after)] {
        for (index, line) in input_lines(&result.input, result.call.as_deref()).into_iter().enumerate() {
            match index {
                0 => table.text(name, size(result) + &line),
                _ => table.text("", line),
            }
        }
    }
    table.text(
        "cost",
        match (before.cost.value == after.cost.value, !shortened) {
            (true, _) => format!("{}, as before", cost(after)),
            (false, true) => format!("{}, which is more than before ({})", cost(after), grouped(before.cost.value)),
            (false, false) => format!("{}; before it was {}", cost(after), grouped(before.cost.value)),
        },
    );
    if shortened && let (Some(then), Some(now)) = (ratio(before), ratio(after)) {
        table.text("", format!("{now:.2} times the random average of this size; before it was {then:.2} times"));
    }
    table.text("end", &after.end);
    let (runs, elapsed) = (counted(spending.runs, "run", "runs"), seconds(spending.began.elapsed().as_secs_f64()));
    table.text(
        "tried",
        match (finished, changed) {
            (true, true) => format!("{runs} in {elapsed}: nothing simpler is left to try"),
            (true, false) => format!("{runs} in {elapsed}: nothing simpler was found"),
            (false, _) => format!("{runs} in {elapsed}, then the budget was spent: more with --budget or --paths"),
        },
    );
    let names: Vec<String> = written.iter().map(|name| name.display().to_string()).collect();
    let place = directory.display();
    table.render()
        + &format!("\nwritten to {place}: {}\n", names.join(", "))
        + &format!("next: pessimum replay {place}  runs it again and shows where its cost is\n")
}

/// How many times the average of random inputs.
fn ratio(result: &WorstResult) -> Option<f64> {
    let average = result.random.as_ref()?.average;
    (average > 0.0).then_some(result.cost.value as f64 / average)
}

/// What runs have been made, and whether there may be more.
struct Spending {
    began: Instant,
    time: Option<Duration>,
    most: Option<u64>,
    runs: u64,
    cancel: Cancel,
}

impl Spending {
    fn is_spent(&self) -> bool {
        self.time.is_some_and(|time| self.began.elapsed() >= time)
            || self.most.is_some_and(|most| self.runs >= most)
            || self.cancel.is_cancelled()
    }
}

/// The input as it is now, and what it has to keep.
struct Shrinking {
    program: WasmProgram,
    values: Vec<u64>,
    parts: Vec<Part>,
    cost: CostModel,
    /// Of each candidate's run.
    limits: PathLimits,
    /// The least cost allowed: the greatest seen, so that a dearer input found on the way is not lost.
    bar: u64,
    end: End,
    spending: Spending,
}

impl Shrinking {
    fn start(
        program: WasmProgram,
        witness: Witness,
        cost: CostModel,
        limits: PathLimits,
        spending: Spending,
    ) -> Result<Shrinking> {
        let replay = program.replay(&witness, &limits);
        if replay.end == End::AssumptionViolated {
            bail!("the program does not accept this input (any more)");
        }
        let parts = parts(program.subject().plan(), &asked(&program, &witness)?);
        // A run that goes on for much longer ends in another way than this one; nobody need wait for it.
        let most = replay.costs.instructions.saturating_mul(2).saturating_add(1_000_000);
        let shorter = PathLimits { instructions: limits.instructions.min(most), ..limits };
        let limits = if matches!(replay.end, End::Limit(_)) { limits } else { shorter };
        let values = witness.values().to_vec();
        let mut work = Shrinking { program, values, parts, cost, limits, bar: 0, end: replay.end, spending };
        work.bar = work.cost_of(&witness).context("the program does not accept this input (any more)")?;
        Ok(work)
    }

    /// The cost, if the run ends as it should.
    fn cost_of(&self, witness: &Witness) -> Option<u64> {
        let replay = self.program.replay(witness, &self.limits);
        if replay.end != self.end {
            return None;
        }
        match self.cost {
            CostModel::Decisions => Some(self.cost.of(&all_costs(&self.program, witness, self.limits)?)),
            cost => Some(cost.of(&replay.costs)),
        }
    }

    /// Whether nothing simpler was left to try.
    fn simplify(&mut self) -> bool {
        let shrunk = simplify(self.values.clone(), self.parts.clone(), self);
        (self.values, self.parts) = (shrunk.values, shrunk.parts);
        shrunk.finished
    }

    fn result(
        &self,
        before: &WorstResult,
        size: Option<u64>,
        arguments: Vec<String>,
        random: Option<RandomInputs>,
    ) -> Result<WorstResult> {
        let witness = Witness::new(self.values.clone());
        let replayed = look(&self.program, &witness)?;
        let costs = all_costs(&self.program, &witness, self.limits).context("a kept input does not run any more")?;
        Ok(WorstResult {
            size,
            cost: Cost { model: before.cost.model.clone(), value: self.cost.of(&costs) },
            costs: serde_json::json!(costs),
            input: self.program.subject().plan().encode(&witness, &replayed.asked),
            end: replayed.end,
            random,
            hottest: replayed.hottest,
            functions: kept(&replayed.profile.functions),
            lines: kept(&replayed.profile.lines),
            command: own_words(),
            arguments,
            ..before.clone()
        })
    }
}

impl Keeper for Shrinking {
    fn keeps(&mut self, values: &[u64]) -> Option<Vec<Part>> {
        self.spending.runs += 1;
        let witness = Witness::new(values.to_vec());
        let cost = self.cost_of(&witness).filter(|&cost| cost >= self.bar)?;
        let asked = asked(&self.program, &witness).ok()?;
        self.bar = cost;
        Some(parts(self.program.subject().plan(), &asked))
    }

    fn asks(&self) -> bool {
        asks(&self.program)
    }

    fn is_spent(&self) -> bool {
        self.spending.is_spent()
    }
}

fn asks(program: &WasmProgram) -> bool {
    program.subject().module().imports().iter().any(|import| import.module == "pessimum")
}

/// What the program asks for by itself on this input.
fn asked(program: &WasmProgram, witness: &Witness) -> Result<Vec<GuestValue>> {
    if !asks(program) {
        return Ok(Vec::new());
    }
    let mut process = Process::<Concrete>::new(program.subject())?;
    let mut domain = Concrete { witness: witness.clone() };
    match process.run(&mut domain) {
        ProcessEvent::End(_) => Ok(process.asked().to_vec()),
        event => bail!("a concrete run stopped with {event:?}; this is a defect of Pessimum"),
    }
}

/// The input as the shrinker sees it. Bytes of texts, files and standard input are text; all else is numbers.
fn parts(plan: &InputPlan, asked: &[GuestValue]) -> Vec<Part> {
    let is_text = |group: &Group| {
        let buffer = plan.arguments.iter().any(|argument| match argument {
            pessimum_wasm::call::Argument::Buffer(other) | pessimum_wasm::call::Argument::Scalar(other) => {
                other.first == group.first && other.count == group.count
            }
            _ => false,
        });
        !buffer
    };
    let mut parts: Vec<Part> = plan.groups().map(|group| part(group, is_text(group))).collect();
    for value in asked {
        let count = value.bytes.unwrap_or(1);
        let kind = if value.bytes.is_some() { Kind::U8 } else { value.kind };
        parts.push(part(&Group { first: value.first.0, count, kind, bounds: None }, false));
    }
    parts
}

fn part(group: &Group, text: bool) -> Part {
    let width = group.kind.width();
    let (least, most) = match group.kind {
        Kind::Bool => (0, 1),
        kind if kind.is_signed() => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        _ => (0, (1i128 << width) - 1),
    };
    let look = match (group.kind.is_float(), text, group.bounds) {
        (true, _, Some(Bounds::Float { low, high })) => Look::Float { range: Some((low, high)) },
        (true, ..) => Look::Float { range: None },
        (_, true, Some(Bounds::Unsigned { low, high })) => Look::Text { low: low as u8, high: high as u8 },
        (_, true, _) => Look::Text { low: 0, high: 255 },
        (_, _, Some(Bounds::Signed { low, high })) => {
            Look::Integer { signed: true, low: low.into(), high: high.into() }
        }
        (_, _, Some(Bounds::Unsigned { low, high })) => {
            Look::Integer { signed: false, low: low.into(), high: high.into() }
        }
        _ => Look::Integer { signed: group.kind.is_signed(), low: least, high: most },
    };
    Part { first: group.first as usize, count: group.count as usize, width, look }
}

/// The search for the smallest size.
struct Shortening {
    flags: SubjectFlags,
    keep: ShrinkKeep,
    cost: CostModel,
    seed: u64,
    size: usize,
    /// Whether the size is `--size`; otherwise it is the number of `--stdin`.
    is_flag: bool,
    /// Text of `--stdin` after its number.
    stdin_rest: String,
    /// Cost against the random average, to be kept with [`ShrinkKeep::Ratio`].
    ratio: f64,
    /// Of the size reached.
    random: Option<RandomInputs>,
}

impl Shortening {
    fn new(flags: &ShrinkFlags, subject: &SubjectFlags, result: &WorstResult, cost: CostModel) -> Result<Shortening> {
        let stdin = subject.stdin.as_ref().map(|length| length.text().to_string()).unwrap_or_default();
        let digits = stdin.len() - stdin.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let fixed = stdin[..digits].parse::<usize>().ok();
        let plain = stdin[digits..].trim().is_empty() || stdin[digits..].trim_start().starts_with("in ");
        let (size, is_flag) = match (subject.size, fixed) {
            (Some(size), _) => (usize::try_from(size).context("--size")?, true),
            (None, Some(length)) if plain => (length, false),
            _ => bail!("--shorter needs an input whose length can change: --size, or a number after --stdin"),
        };
        let ratio = match (flags.keep, ratio(result)) {
            (ShrinkKeep::Cost, _) => 0.0,
            (ShrinkKeep::Ratio, Some(ratio)) => ratio,
            (ShrinkKeep::Ratio, None) => bail!("--keep ratio: the result has no average of random inputs"),
        };
        Ok(Shortening {
            flags: subject.clone(),
            keep: flags.keep,
            cost,
            seed: result.seed,
            size,
            is_flag,
            stdin_rest: stdin[digits..].to_string(),
            ratio,
            random: result.random.clone(),
        })
    }

    fn words(&self) -> Vec<String> {
        self.flags.words()
    }

    fn size_flag(&self) -> Option<u64> {
        self.flags.size
    }

    /// The same program with another size.
    fn at(&self, size: usize) -> Result<(SubjectFlags, WasmProgram)> {
        let mut flags = self.flags.clone();
        if self.is_flag {
            flags.size = Some(size as u64);
        } else {
            let text = format!("{size}{}", self.stdin_rest);
            flags.stdin = Some(Length::parse(&text).map_err(|error| anyhow::anyhow!("--stdin: {error}"))?);
        }
        let program = {
            let source = Source::read(&flags)?;
            search::program(&source, &flags, flags.size)?
        };
        Ok((flags, program))
    }

    /// Takes away elements, half of them first, as long as what is to be kept is kept.
    fn shorten(&mut self, work: &mut Shrinking) -> Result<()> {
        let mut step = self.size / 2;
        while step >= 1 && self.size > 1 && !work.spending.is_spent() {
            step = step.min(self.size - 1);
            if !self.take_away(step, work)? {
                step /= 2;
            }
        }
        Ok(())
    }

    /// Tries inputs with this many elements less; whether one was taken.
    fn take_away(&mut self, step: usize, work: &mut Shrinking) -> Result<bool> {
        let smaller = self.size - step;
        // A size that the program or the call does not allow is no smaller size.
        let Ok((flags, program)) = self.at(smaller) else { return Ok(false) };
        let old = std::mem::replace(&mut work.program, program);
        let plan = work.program.subject().plan();
        let mut counts: Vec<usize> = plan.groups().map(|group| group.count as usize).collect();
        // What the program asks for by itself is not known before the run: in proportion.
        for part in work.parts.iter().skip(counts.len()) {
            counts.push(if part.count > 1 { (part.count * smaller).div_ceil(self.size) } else { 1 });
        }
        let mut random = None;
        let stride = step.max(self.size.div_ceil(MOST_PLACES));
        let mut places: Vec<usize> = (0..=smaller).step_by(stride).collect();
        if places.last() != Some(&smaller) {
            places.push(smaller);
        }
        // The end first: what is read last matters least, and the place is the same at every size.
        places.reverse();
        for offset in places {
            if work.spending.is_spent() {
                break;
            }
            work.spending.runs += 1;
            let values = shortened(&work.values, &work.parts, &counts, (self.size, smaller, offset));
            let witness = Witness::new(values.clone());
            let Some(cost) = work.cost_of(&witness) else { continue };
            let asked = asked(&work.program, &witness)?;
            if random.is_none() && self.keep == ShrinkKeep::Ratio {
                random = random_inputs(&work.program, &asked, self.cost, work.limits, self.seed);
            }
            let kept = match (self.keep, &random) {
                (ShrinkKeep::Cost, _) => cost >= work.bar,
                (ShrinkKeep::Ratio, Some(random)) => cost as f64 >= self.ratio * random.average,
                (ShrinkKeep::Ratio, None) => false,
            };
            if !kept {
                continue;
            }
            work.parts = parts(work.program.subject().plan(), &asked);
            (work.values, work.bar) = (values, cost);
            self.random = match random {
                Some(random) => Some(random),
                None => random_inputs(&work.program, &asked, self.cost, work.limits, self.seed),
            };
            (self.size, self.flags) = (smaller, flags);
            return Ok(true);
        }
        work.program = old;
        Ok(false)
    }
}
