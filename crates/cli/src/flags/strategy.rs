//! The options of particular strategies as flags, made from what the strategies declare.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use pessimum_search::strategy::{OptionDeclaration, OptionKind, Purpose, options_for, strategies_for};

const HEADING: &str = "Options of particular strategies";

/// Options of some strategies only; the others refuse them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StrategyFlags {
    /// The options that were given, by name, as texts that were checked one by one.
    pub words: BTreeMap<&'static str, String>,
    /// The file of a saved policy.
    pub policy: Option<PathBuf>,
    /// The file for the policy that was applied.
    pub policy_out: Option<PathBuf>,
}

/// Those of the strategies that cover goals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverStrategyFlags(pub StrategyFlags);

/// The names that `--strategy` takes.
pub fn strategy_names(wanted: Purpose) -> PossibleValuesParser {
    PossibleValuesParser::new(strategies_for(wanted).map(|strategy| strategy.name))
}

fn flag(option: &'static OptionDeclaration) -> Arg {
    let default = option.default.map_or(String::new(), |default| format!(" [default: {default}]"));
    let help = format!("{}: {}{default}", option.strategies().join(", "), option.help);
    let arg = Arg::new(option.name).long(option.name).help(help).help_heading(HEADING);
    match option.kind {
        OptionKind::Switch => arg.action(ArgAction::SetTrue),
        kind if kind.is_file() => arg.value_name(option.value).value_parser(clap::value_parser!(PathBuf)),
        kind => {
            let checked = move |text: &str| kind.parse(text).map(|_| text.to_owned());
            arg.value_name(option.value).value_parser(checked)
        }
    }
}

impl StrategyFlags {
    fn read(&mut self, matches: &ArgMatches, wanted: Purpose) {
        for option in options_for(wanted) {
            let file = || matches.get_one::<PathBuf>(option.name).cloned();
            match option.kind {
                OptionKind::Policy => self.policy = file().or(self.policy.take()),
                OptionKind::PolicyOut => self.policy_out = file().or(self.policy_out.take()),
                OptionKind::Switch => {
                    if matches.get_flag(option.name) {
                        self.words.insert(option.name, "true".to_owned());
                    }
                }
                _ => {
                    if let Some(text) = matches.get_one::<String>(option.name) {
                        self.words.insert(option.name, text.clone());
                    }
                }
            }
        }
    }
}

impl Args for StrategyFlags {
    fn augment_args(command: Command) -> Command {
        command.args(options_for(Purpose::Cost).into_iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        StrategyFlags::augment_args(command)
    }
}

impl FromArgMatches for StrategyFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<StrategyFlags, Error> {
        let mut flags = StrategyFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.read(matches, Purpose::Cost);
        Ok(())
    }
}

impl Args for CoverStrategyFlags {
    fn augment_args(command: Command) -> Command {
        command.args(options_for(Purpose::Goals).into_iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        CoverStrategyFlags::augment_args(command)
    }
}

impl FromArgMatches for CoverStrategyFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<CoverStrategyFlags, Error> {
        let mut flags = CoverStrategyFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.read(matches, Purpose::Goals);
        Ok(())
    }
}
