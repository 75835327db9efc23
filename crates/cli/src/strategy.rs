//! From flags to a strategy, and what a strategy learnt on the way.

use std::path::Path;

use anyhow::{Context, Result};
use pessimum_search::policy::{Policy, SavedPolicy, Training};
use pessimum_search::program::Program;
use pessimum_search::strategy::{Auto, Ese, EseSettings, GuidedReport, SpfWca, Strategy, Wise, named};
use pessimum_session::plan::SearchPlan;

use crate::Usage;
use crate::files::write_atomically;
use crate::flags::{StrategyFlags, WorstFlags};

/// A strategy whose own report can be asked for afterwards.
pub enum Chosen {
    Wise(Wise),
    SpfWca(SpfWca),
    Auto(Auto),
    Other(Box<dyn Strategy>),
}

impl Chosen {
    pub fn strategy(&mut self) -> &mut dyn Strategy {
        match self {
            Chosen::Wise(wise) => wise,
            Chosen::SpfWca(spf_wca) => spf_wca,
            Chosen::Auto(auto) => auto,
            Chosen::Other(strategy) => strategy.as_mut(),
        }
    }

    /// What a search by policy did; none for other strategies.
    pub fn report(&self) -> Option<&GuidedReport> {
        match self {
            Chosen::Wise(wise) => wise.report.as_ref(),
            Chosen::SpfWca(spf_wca) => spf_wca.report.as_ref(),
            Chosen::Auto(_) | Chosen::Other(_) => None,
        }
    }

    /// Readies it for another size, with what it learnt: evolved policies and the worst input for `auto`, the learnt
    /// policy for `wise` and `spf-wca`, nothing for the others.
    pub fn carry_over(&mut self) {
        match self {
            Chosen::Wise(wise) => carry_policy(&mut wise.given, &wise.report),
            Chosen::SpfWca(spf_wca) => carry_policy(&mut spf_wca.given, &spf_wca.report),
            // Its lessons are kept where `learn` is set.
            Chosen::Auto(_) | Chosen::Other(_) => {}
        }
    }
}

/// A policy that nothing was learnt for is not kept: another size may teach more.
fn carry_policy(given: &mut Option<Policy>, report: &Option<GuidedReport>) {
    if let Some(report) = report
        && report.training.finished_sizes().next().is_some()
    {
        *given = Some(report.policy.clone());
    }
}

/// Checks that the flags fit the strategy. Touches no file.
pub fn check(flags: &WorstFlags) -> Result<()> {
    let StrategyFlags {
        threads,
        popsize,
        elitesize,
        mprob,
        lsperiod,
        lsattempts,
        train_sizes,
        train_share,
        history,
        context,
        policy,
        policy_out,
    } = &flags.options;
    let options: [(&str, bool, &[&str]); 12] = [
        ("threads", threads.is_some_and(|threads| threads > 1), &["auto"]),
        ("popsize", popsize.is_some(), &["ese"]),
        ("elitesize", elitesize.is_some(), &["ese"]),
        ("mprob", mprob.is_some(), &["ese"]),
        ("lsperiod", lsperiod.is_some(), &["ese"]),
        ("lsattempts", lsattempts.is_some(), &["ese"]),
        ("train-sizes", train_sizes.is_some(), &["wise", "spf-wca"]),
        ("train-share", train_share.is_some(), &["wise", "spf-wca"]),
        ("history", history.is_some(), &["spf-wca"]),
        ("context", context.is_some(), &["spf-wca"]),
        ("policy", policy.is_some(), &["wise", "spf-wca"]),
        ("policy-out", policy_out.is_some(), &["wise", "spf-wca"]),
    ];
    for (name, given, strategies) in options {
        if given && !strategies.contains(&flags.strategy.as_str()) {
            let known = strategies.join(" and ");
            return Err(Usage(format!("--{name} is for --strategy {known}, not {}", flags.strategy)).into());
        }
    }
    let learns = matches!(flags.strategy.as_str(), "wise" | "spf-wca") && policy.is_none();
    if learns && flags.subject.size.is_none() {
        let strategy = &flags.strategy;
        let hint = "write lengths in terms of n and give --size, as in `--stdin n --size 64`";
        return Err(Usage(format!("--strategy {strategy} learns at smaller sizes: {hint}")).into());
    }
    Ok(())
}

/// The strategy that the flags ask for; reads the saved policy, if one is named.
pub fn choose(flags: &WorstFlags, program: &dyn Program) -> Result<Chosen> {
    let options = &flags.options;
    let training = || {
        let usual = Training::default();
        Training {
            sizes: options.train_sizes.clone().unwrap_or(usual.sizes),
            share: options.train_share.unwrap_or(usual.share),
            ..usual
        }
    };
    let given = || options.policy.as_deref().map(|path| load(path, program)).transpose();
    Ok(match flags.strategy.as_str() {
        "wise" => Chosen::Wise(Wise { training: training(), given: given()?, report: None }),
        "spf-wca" => {
            let usual = SpfWca::default();
            Chosen::SpfWca(SpfWca {
                history: options.history.map_or(usual.history, usize::from),
                context: options.context.unwrap_or(usual.context),
                training: training(),
                given: given()?,
                report: None,
            })
        }
        "ese" => {
            let usual = EseSettings::default();
            let settings = EseSettings {
                popsize: options.popsize.map_or(usual.popsize, |n| n as usize),
                elitesize: options.elitesize.map_or(usual.elitesize, |n| n as usize),
                mprob: options.mprob.unwrap_or(usual.mprob),
                lsperiod: options.lsperiod.map_or(usual.lsperiod, |n| n as usize),
                lsattempts: options.lsattempts.map_or(usual.lsattempts, |n| n as usize),
                ..usual
            };
            Chosen::Other(Box::new(Ese { settings, ..Ese::default() }))
        }
        "auto" => {
            let threads = options.threads.map_or(1, usize::from);
            Chosen::Auto(Auto { threads, ..Auto::default() })
        }
        name => Chosen::Other(named(name).ok_or_else(|| Usage(format!("no strategy is named {name}")))?),
    })
}

fn load(path: &Path, program: &dyn Program) -> Result<Policy> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    let saved: SavedPolicy =
        serde_json::from_slice(&bytes).with_context(|| format!("{}: not a saved policy", path.display()))?;
    saved.load(program).with_context(name)
}

/// Saves a policy for `--policy`.
pub fn save(path: &Path, policy: &Policy, program: &dyn Program) -> Result<()> {
    let saved = SavedPolicy::new(policy, program);
    let mut text = serde_json::to_string_pretty(&saved).context("JSON")?;
    text.push('\n');
    write_atomically(path, text.as_bytes())
}

/// How the flags search, as data.
pub fn plan(flags: &WorstFlags) -> SearchPlan {
    SearchPlan {
        cost: flags.search.cost,
        seed: flags.search.seed,
        strategy: flags.strategy.clone(),
        options: Default::default(),
    }
}

/// Puts the plan of an earlier part in the place of what the flags say.
pub fn take_plan(flags: &mut WorstFlags, plan: &SearchPlan) -> Result<()> {
    flags.search.cost = plan.cost;
    flags.search.seed = plan.seed;
    flags.strategy = plan.strategy.clone();
    Ok(())
}

/// Whether the strategy learns a policy at sizes of its own before it searches.
pub fn learns(flags: &WorstFlags) -> bool {
    matches!(flags.strategy.as_str(), "wise" | "spf-wca") && flags.options.policy.is_none()
}
