//! From flags to a strategy, and saved policies.

use std::path::Path;

use anyhow::{Context, Result};
use pessimum_outcome::{CostModel, Ends};
use pessimum_search::policy::{LearntPolicy, SavedPolicy};
use pessimum_search::program::Program;
use pessimum_search::strategy::{Declaration, OptionKind, Options, all_options};
use pessimum_session::files::from_json;
use pessimum_session::plan::SearchPlan;

use crate::files::write_atomically;
use crate::flags::{CoverFlags, StrategyFlags, WorstFlags};
use pessimum_languages::Usage;

/// What the strategy of this name declares.
fn declaration(name: &str) -> Result<&'static Declaration> {
    Ok(Declaration::of(name).ok_or_else(|| Usage(format!("no strategy is named {name}")))?)
}

/// The options of the strategy of this name, except those in files.
fn options(name: &str, flags: &StrategyFlags) -> Result<Options> {
    let words = flags.words.iter().map(|(name, text)| (*name, text.as_str()));
    Ok(Options::of(declaration(name)?, words).map_err(Usage)?)
}

/// Whether the strategy learns at sizes of its own before it searches.
pub fn learns(flags: &WorstFlags) -> bool {
    Declaration::of(&flags.strategy).is_some_and(|strategy| strategy.needs_sizes(flags.options.policy.is_some()))
}

/// Checks that the flags fit the strategy. Touches no file.
pub fn check(flags: &WorstFlags) -> Result<()> {
    options(&flags.strategy, &flags.options)?;
    for (name, file) in [("policy", &flags.options.policy), ("policy-out", &flags.options.policy_out)] {
        if file.is_some() {
            declaration(&flags.strategy)?.accept(name, "").map_err(Usage)?;
        }
    }
    if learns(flags) && flags.subject.n().is_none() {
        let strategy = &flags.strategy;
        let hint = "write lengths in terms of n and give --size, as in `--stdin n --size 64`";
        return Err(Usage(format!("--strategy {strategy} learns at smaller sizes: {hint}")).into());
    }
    let sizes = all_options().into_iter().filter(|option| option.kind == OptionKind::Sizes);
    let given = sizes.map(|option| option.name).find(|name| flags.options.words.contains_key(name));
    if let Some(name) = given.filter(|_| flags.subject.n().is_none()) {
        return Err(Usage(format!("--{name} is for programs with --size, whose lengths are in terms of n")).into());
    }
    Ok(())
}

/// The search that the flags describe, as data. Reads the saved policy, if one is named.
pub fn plan(flags: &WorstFlags) -> Result<SearchPlan> {
    let texts = options(&flags.strategy, &flags.options)?;
    Ok(SearchPlan {
        cost: flags.maximised.cost,
        ends: flags.end.map_or(Ends::default(), Ends::from),
        seed: flags.search.seed,
        strategy: flags.strategy.clone(),
        options: texts.texts().map(|(name, text)| (name.to_string(), text)).collect(),
        policy: flags.options.policy.as_deref().map(load).transpose()?,
    })
}

/// The search for goals that the flags describe, as data. Touches no file.
pub fn cover_plan(flags: &CoverFlags) -> Result<SearchPlan> {
    let options = options(&flags.strategy, &flags.options.0)?;
    declaration(&flags.strategy)?.make(&options).map_err(Usage)?;
    Ok(SearchPlan {
        // No search for goals looks at a cost.
        cost: CostModel::default(),
        ends: Ends::default(),
        seed: flags.search.seed,
        strategy: flags.strategy.clone(),
        options: options.texts().map(|(name, text)| (name.to_string(), text)).collect(),
        policy: None,
    })
}

fn load(path: &Path) -> Result<SavedPolicy> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    from_json(&bytes).with_context(|| format!("{}: not a saved policy", path.display()))
}

/// Saves a policy for `--policy`.
pub fn save(path: &Path, policy: &LearntPolicy, program: &dyn Program) -> Result<()> {
    let saved = SavedPolicy::new(policy, program);
    let mut text = serde_json::to_string_pretty(&saved).context("JSON")?;
    text.push('\n');
    write_atomically(path, text.as_bytes())
}
