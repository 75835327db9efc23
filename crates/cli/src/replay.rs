//! `pessimum replay`: a saved input again, with the places where its cost is; and the same for a fresh result.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Parser as _;
use pessimum_program::WasmProgram;
use pessimum_report::profile::Profile;
use pessimum_report::result::HotSite;
use pessimum_search::cost::{CostModel, Costs};
use pessimum_search::program::{PathLimits, Program, SiteId};
use pessimum_search::search::{Settings, path_of};
use pessimum_term::Witness;
use pessimum_wasm::call::GuestValue;
use serde_json::{Value, json};

use crate::flags::{Arguments, Command, ReplayFlags, SubjectFlags};
use crate::output::{Table, print, print_json, short};
use crate::profile::named;
use crate::search::{limits, program};
use crate::subject::{Source, input, read_json};

/// Sites shown in text.
const SHOWN: usize = 5;

/// Sites, functions and lines kept in JSON.
const KEPT: usize = 50;

/// What only a run with its machine at hand can tell.
pub struct Replayed {
    pub end: String,
    pub asked: Vec<GuestValue>,
    /// The most executed sites, most first.
    pub hottest: Vec<HotSite>,
    /// WASI functions that were called but are not provided, and how often.
    pub unsupported: Vec<(&'static str, u64)>,
    /// Where the cost is.
    pub profile: Profile,
}

/// The first of a list, which is in the order of importance: what is worth keeping.
pub fn kept<T: Clone>(list: &[T]) -> Vec<T> {
    list.iter().take(KEPT).cloned().collect()
}

/// Runs the program on this input and looks where it was.
pub fn look(program: &WasmProgram, witness: &Witness) -> Result<Replayed> {
    let subject = program.subject();
    let profile = subject.profile(witness.clone(), subject.limits())?;
    let mut counts: Vec<(u64, u32)> = profile.sites.iter().copied().zip(0..).collect();
    counts.retain(|(count, _)| *count > 0);
    counts.sort_by_key(|&(count, site)| (std::cmp::Reverse(count), site));
    let hot = |&(count, site): &(u64, u32)| HotSite { site: program.site_name(SiteId(site)), count };
    Ok(Replayed {
        end: profile.end.kind().to_string(),
        hottest: counts.iter().take(KEPT).map(hot).collect(),
        unsupported: profile.unsupported.iter().map(|(name, count)| (*name, *count)).collect(),
        profile: named(&profile, program),
        asked: profile.asked,
    })
}

/// The hottest sites as lines of text.
pub fn hottest_text(hottest: &[HotSite]) -> String {
    if hottest.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    for HotSite { site, count } in hottest.iter().take(SHOWN) {
        table.number(&format!("  {site}"), *count);
    }
    format!("\nhottest sites, with the number of times each was executed\n{}", table.render())
}

/// All costs of an input, decisions included.
pub fn all_costs(program: &WasmProgram, witness: &Witness, limits: PathLimits) -> Option<Costs> {
    let settings = Settings { limits, ..Settings::default() };
    path_of(program, &settings, witness).map(|path| path.costs)
}

/// The flags of a saved result, from its `arguments`.
pub fn saved_subject(words: &[String]) -> Result<SubjectFlags> {
    // They are those of `run`, which says what is wrong with them.
    let words = words.iter().map(String::as_str);
    match Arguments::try_parse_from(["pessimum", "run"].into_iter().chain(words)) {
        Ok(Arguments { command: Command::Run(run) }) => Ok(run.subject),
        Ok(_) => bail!("`arguments` does not start a program"),
        Err(error) => bail!("`arguments`: {error}"),
    }
}

/// A result on disk and the program that it is about.
pub struct Saved {
    pub file: PathBuf,
    pub json: Value,
    pub flags: SubjectFlags,
}

impl Saved {
    /// Reads what `pessimum worst` left behind: its directory, or the result in it.
    pub fn read(path: &Path) -> Result<Saved> {
        let file = if path.is_dir() { path.join("result.json") } else { path.to_path_buf() };
        if !file.exists() && path.join("curve.json").exists() {
            bail!("{0}: the results of a curve are in a directory for each size: {0}/n-SIZE", path.display());
        }
        let json = read_json(&file)?;
        let Some(words) = json["arguments"].as_array() else {
            let test = if json["cases"].is_array() { "; it is a regression test, which --check runs" } else { "" };
            bail!("{}: not a result of `pessimum worst`: it has no list `arguments`{test}", file.display());
        };
        let words: Vec<String> = words.iter().map(|word| word.as_str().unwrap_or_default().to_string()).collect();
        let flags = saved_subject(&words).with_context(|| file.display().to_string())?;
        Ok(Saved { file, json, flags })
    }

    /// Where the result is.
    pub fn directory(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }
}

pub fn replay(flags: &ReplayFlags) -> Result<()> {
    let Saved { file, json: saved, flags: subject } = &Saved::read(&flags.saved)?;
    let source = Source::read(subject)?;
    let program = program(&source, subject, subject.size)?;
    let (witness, _) = input(program.subject(), Some(file))?;
    let replayed = look(&program, &witness)?;
    let Some(costs) = all_costs(&program, &witness, limits(subject)) else {
        bail!("{}: the program does not accept this input (any more)", file.display());
    };
    let weighted = subject.weights.is_some();
    let model = saved["cost"]["model"].as_str().and_then(CostModel::parse).unwrap_or_default();
    let (then, now) = (saved["cost"]["value"].as_u64(), model.of(&costs));
    let encoded = program.subject().plan().encode(&witness, &replayed.asked);
    if flags.json {
        return print_json(&json!({
            "module": subject.module.display().to_string(),
            "call": crate::subject::started(subject),
            "size": subject.size,
            "cost": { "model": model.name(), "value": now, "saved": then },
            "costs": costs,
            "input": encoded,
            "end": replayed.end,
            "hottest": replayed.hottest,
        }));
    }
    let mut table = Table::default();
    table.text("input", short(&encoded));
    table.text("end", &replayed.end);
    table.text(
        "saved cost",
        match then {
            Some(then) if then == now => format!("{then} {model}: the same again"),
            Some(then) => format!("{then} {model}, but {now} now: the module or its flags have changed"),
            None => "none".to_string(),
        },
    );
    let mut text = table.render() + "\n";
    let mut table = Table::default();
    for model in CostModel::ALL {
        if model != CostModel::Weighted || weighted {
            table.number(model.name(), model.of(&costs));
        }
    }
    text += &table.render();
    text += &hottest_text(&replayed.hottest);
    print(&text)
}
