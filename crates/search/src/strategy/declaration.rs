//! What a strategy declares about itself. Flags, help, checks and benchmarks are all made from these declarations.

use super::pex::Expression;
use super::{STRATEGIES, Strategy};
use crate::policy::LearntPolicy;
use std::collections::BTreeMap;
use std::fmt;

/// One strategy: its name, its options and how it is made from them.
#[derive(Debug)]
pub struct Declaration {
    /// The name on the command line and in results.
    pub name: &'static str,
    /// One line for human readers.
    pub summary: &'static str,
    /// Where it was published; none for our own.
    pub citation: Option<&'static str>,
    /// Its own options. An option of the same name in two strategies is the same option.
    pub options: &'static [OptionDeclaration],
    /// Whether it learns a policy at smaller sizes before it searches, unless it is given one.
    pub learns: bool,
    /// What it can be asked for.
    pub purpose: Purpose,
    /// Whether the number of paths that it visits is a result in itself, so that it must not be stopped early.
    pub counts_paths: bool,
    /// Makes it. Fails if options contradict each other.
    pub make: fn(&Options) -> Result<Box<dyn Strategy>, String>,
}

/// What a strategy can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The highest cost.
    Cost,
    /// Goals.
    Goals,
    /// Both.
    Either,
}

impl Purpose {
    /// Whether a strategy with this purpose can be asked for that.
    pub fn serves(self, wanted: Purpose) -> bool {
        self == wanted || self == Purpose::Either
    }
}

/// One option of a strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionDeclaration {
    /// The name of the flag, without its dashes.
    pub name: &'static str,
    /// What the value is called in help.
    pub value: &'static str,
    /// Which values it may have.
    pub kind: OptionKind,
    /// The value if none is given, as text; none if the strategy then does something else, which the help explains.
    pub default: Option<&'static str>,
    /// A value that asks for nothing special: strategies without this option accept it too.
    pub neutral: Option<&'static str>,
    /// One line for human readers.
    pub help: &'static str,
}

/// The values that an option may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// A whole number in a range, ends included.
    Count {
        /// The least.
        least: u64,
        /// The greatest.
        most: u64,
    },
    /// A number from 0 to 1.
    Probability,
    /// Sizes, as in `2,3,4` or `2..6` (ends included), sorted and without duplicates, whatever the text says.
    Sizes,
    /// One of these words.
    Word(&'static [&'static str]),
    /// On (given) or off.
    Switch,
    /// A composition of frontiers.
    Frontier,
    /// A policy that was saved before. The caller reads the file; [`Options::policy`] has what was in it.
    Policy,
    /// Where the caller saves the policy of the [`super::StrategyReport`].
    PolicyOut,
}

/// A checked value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// Of [`OptionKind::Count`].
    Count(u64),
    /// Of [`OptionKind::Probability`].
    Probability(f64),
    /// Of [`OptionKind::Sizes`].
    Sizes(Vec<u32>),
    /// Of [`OptionKind::Word`].
    Word(&'static str),
    /// Of [`OptionKind::Switch`].
    Switch,
    /// Of [`OptionKind::Frontier`], as it was given.
    Frontier(String),
}

/// Sizes that one range may stand for.
const MOST_SIZES: u32 = 1000;

impl OptionKind {
    /// Whether its value is the name of a file, which is the caller's business.
    pub fn is_file(self) -> bool {
        matches!(self, OptionKind::Policy | OptionKind::PolicyOut)
    }

    /// The value that this text stands for, or what is wrong with it.
    pub fn parse(self, text: &str) -> Result<OptionValue, String> {
        match self {
            OptionKind::Count { least, most } => match text.parse() {
                Ok(count) if (least..=most).contains(&count) => Ok(OptionValue::Count(count)),
                Ok(count) => Err(format!("{count} is not in {least}..={most}")),
                Err(_) => Err(format!("expected a whole number from {least} to {most}")),
            },
            OptionKind::Probability => match text.parse() {
                Ok(value) if (0.0..=1.0).contains(&value) => Ok(OptionValue::Probability(value)),
                _ => Err("expected a number from 0 to 1".to_owned()),
            },
            OptionKind::Sizes => parse_sizes(text).map(OptionValue::Sizes),
            OptionKind::Word(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Ok(OptionValue::Word(word)),
                None => Err(format!("expected {}", words.join(" or "))),
            },
            OptionKind::Switch => match text {
                "true" => Ok(OptionValue::Switch),
                _ => Err("expected no value".to_owned()),
            },
            OptionKind::Frontier => Expression::parse(text).map(|_| OptionValue::Frontier(text.to_owned())),
            OptionKind::Policy | OptionKind::PolicyOut => Err("the name of a file is not a value".to_owned()),
        }
    }
}

fn parse_sizes(text: &str) -> Result<Vec<u32>, String> {
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| format!("`{}` is not a size", text.trim()));
    let mut sizes = match text.split_once("..") {
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
            if first > last || last - first >= MOST_SIZES {
                return Err(format!("expected the smaller size first, and at most {MOST_SIZES} sizes"));
            }
            (first..=last).collect()
        }
        None => text.split(',').map(number).collect::<Result<Vec<u32>, String>>()?,
    };
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

impl OptionDeclaration {
    /// A whole number from `least` to the greatest of 32 bits.
    pub const fn count(name: &'static str, least: u64, default: &'static str, help: &'static str) -> OptionDeclaration {
        let kind = OptionKind::Count { least, most: u32::MAX as u64 };
        OptionDeclaration { name, value: "N", kind, default: Some(default), neutral: None, help }
    }

    /// A number from 0 to 1.
    pub const fn probability(name: &'static str, default: &'static str, help: &'static str) -> OptionDeclaration {
        let kind = OptionKind::Probability;
        OptionDeclaration { name, value: "P", kind, default: Some(default), neutral: None, help }
    }

    /// The names of the strategies that have this option.
    pub fn strategies(&self) -> Vec<&'static str> {
        let have = |strategy: &&Declaration| strategy.option(self.name).is_some();
        STRATEGIES.iter().filter(have).map(|strategy| strategy.name).collect()
    }
}

impl Declaration {
    /// The strategy of this name.
    pub fn of(name: &str) -> Option<&'static Declaration> {
        STRATEGIES.iter().find(|strategy| strategy.name == name)
    }

    /// Its option of this name.
    pub fn option(&self, name: &str) -> Option<&'static OptionDeclaration> {
        self.options.iter().find(|option| option.name == name)
    }

    /// Its option of this name; none if the value is one that every strategy accepts. Refuses options of other
    /// strategies.
    pub fn accept(&self, name: &str, text: &str) -> Result<Option<&'static OptionDeclaration>, String> {
        if let Some(option) = self.option(name) {
            return Ok(Some(option));
        }
        match all_options().into_iter().find(|option| option.name == name) {
            Some(option) if option.neutral == Some(text) => Ok(None),
            Some(option) => {
                Err(format!("--{name} is for --strategy {}, not {}", option.strategies().join(" and "), self.name))
            }
            None => Err(format!("no strategy has an option --{name}")),
        }
    }

    /// The strategy with these options. Refuses a policy of another strategy.
    pub fn make(&self, options: &Options) -> Result<Box<dyn Strategy>, String> {
        if let Some(learner) = options.policy.as_ref().map(LearntPolicy::strategy).filter(|name| *name != self.name) {
            return Err(format!("the policy is one of --strategy {learner}, not {}", self.name));
        }
        (self.make)(options)
    }

    /// Whether it needs the program at smaller sizes to learn from.
    pub fn needs_sizes(&self, policy_given: bool) -> bool {
        self.learns && !policy_given
    }
}

/// The strategies that can be asked for this, in the order of the command line's help.
pub fn strategies_for(wanted: Purpose) -> impl Iterator<Item = &'static Declaration> {
    STRATEGIES.iter().filter(move |strategy| strategy.purpose.serves(wanted))
}

/// Every option of every strategy, once each, in the order of their first declarations.
pub fn all_options() -> Vec<&'static OptionDeclaration> {
    options_of(STRATEGIES.iter())
}

/// The options of the strategies that can be asked for this.
pub fn options_for(wanted: Purpose) -> Vec<&'static OptionDeclaration> {
    options_of(strategies_for(wanted))
}

fn options_of(strategies: impl Iterator<Item = &'static Declaration>) -> Vec<&'static OptionDeclaration> {
    let mut options: Vec<&'static OptionDeclaration> = Vec::new();
    for option in strategies.flat_map(|strategy| strategy.options) {
        if options.iter().all(|known| known.name != option.name) {
            options.push(option);
        }
    }
    options
}

/// Checked values of a strategy's options; those that were not given have their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    values: BTreeMap<&'static str, OptionValue>,
    /// The policy to apply instead of learning one.
    pub policy: Option<LearntPolicy>,
}

impl Options {
    /// From names and texts, as given on a command line or in saved data. Refuses what is not this strategy's.
    pub fn of<'w>(
        strategy: &Declaration,
        words: impl IntoIterator<Item = (&'w str, &'w str)>,
    ) -> Result<Options, String> {
        let mut options = Options::default();
        for (name, text) in words {
            if let Some(option) = strategy.accept(name, text)? {
                let value = option.kind.parse(text).map_err(|error| format!("--{name} {text}: {error}"))?;
                options.values.insert(option.name, value);
            }
        }
        Ok(options)
    }

    fn value(&self, option: &OptionDeclaration) -> Result<Option<OptionValue>, String> {
        match (self.values.get(option.name), option.default) {
            (Some(value), _) => Ok(Some(value.clone())),
            (None, Some(default)) => option.kind.parse(default).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Whether a value was given.
    pub fn is_given(&self, option: &OptionDeclaration) -> bool {
        self.values.contains_key(option.name)
    }

    /// A count.
    pub fn count(&self, option: &OptionDeclaration) -> Result<usize, String> {
        match self.value(option)? {
            Some(OptionValue::Count(count)) => {
                usize::try_from(count).map_err(|_| format!("--{}: too many", option.name))
            }
            _ => Err(not_declared(option, "count")),
        }
    }

    /// A number from 0 to 1.
    pub fn probability(&self, option: &OptionDeclaration) -> Result<f64, String> {
        match self.value(option)? {
            Some(OptionValue::Probability(value)) => Ok(value),
            _ => Err(not_declared(option, "probability")),
        }
    }

    /// Sizes, if they were given.
    pub fn sizes(&self, option: &OptionDeclaration) -> Result<Option<Vec<u32>>, String> {
        match self.value(option)? {
            None => Ok(None),
            Some(OptionValue::Sizes(sizes)) => Ok(Some(sizes)),
            Some(_) => Err(not_declared(option, "list of sizes")),
        }
    }

    /// One of the option's words.
    pub fn word(&self, option: &OptionDeclaration) -> Result<&'static str, String> {
        match self.value(option)? {
            Some(OptionValue::Word(word)) => Ok(word),
            _ => Err(not_declared(option, "word")),
        }
    }

    /// One of the option's words, if one was given.
    pub fn given_word(&self, option: &OptionDeclaration) -> Result<Option<&'static str>, String> {
        match self.value(option)? {
            None => Ok(None),
            Some(OptionValue::Word(word)) => Ok(Some(word)),
            Some(_) => Err(not_declared(option, "word")),
        }
    }

    /// A composition of frontiers, if one was given.
    pub fn frontier(&self, option: &OptionDeclaration) -> Result<Option<Expression>, String> {
        match self.value(option)? {
            None => Ok(None),
            Some(OptionValue::Frontier(text)) => Expression::parse(&text).map(Some),
            Some(_) => Err(not_declared(option, "composition of frontiers")),
        }
    }

    /// Whether a switch is on.
    pub fn switch(&self, option: &OptionDeclaration) -> Result<bool, String> {
        match self.value(option)? {
            None => Ok(false),
            Some(OptionValue::Switch) => Ok(true),
            Some(_) => Err(not_declared(option, "switch")),
        }
    }

    /// The values that were given, as texts, which is how saved data keep them.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        self.values.iter().map(|(name, value)| (*name, value.to_string()))
    }
}

fn not_declared(option: &OptionDeclaration, kind: &str) -> String {
    format!("--{} is not declared as a {kind} with a default", option.name)
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Count(count) => write!(f, "{count}"),
            OptionValue::Probability(value) => write!(f, "{value}"),
            OptionValue::Sizes(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                f.write_str(&sizes.join(","))
            }
            OptionValue::Word(word) => f.write_str(word),
            OptionValue::Switch => f.write_str("true"),
            OptionValue::Frontier(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything in a declaration works: defaults parse, strategies can be made, names are unique.
    #[test]
    fn declarations_are_sound() {
        for (index, strategy) in STRATEGIES.iter().enumerate() {
            assert!(STRATEGIES[..index].iter().all(|other| other.name != strategy.name), "{}", strategy.name);
            strategy.make(&Options::default()).unwrap_or_else(|error| panic!("{}: {error}", strategy.name));
            for option in strategy.options {
                let same = all_options().into_iter().find(|other| other.name == option.name);
                assert_eq!(same, Some(option), "one name is one option");
                for text in option.default.iter().chain(&option.neutral) {
                    let value = option.kind.parse(text).unwrap_or_else(|error| panic!("{}: {error}", option.name));
                    assert_eq!(value.to_string(), *text, "--{}", option.name);
                    let options = Options::of(strategy, [(option.name, *text)]).unwrap();
                    strategy.make(&options).unwrap_or_else(|error| panic!("{}: {error}", strategy.name));
                }
            }
        }
    }

    #[test]
    fn options_of_other_strategies_are_refused() {
        let (dfs, ese) = (Declaration::of("dfs").unwrap(), Declaration::of("ese").unwrap());
        let refused = |strategy, name, text| Options::of(strategy, [(name, text)]).unwrap_err();
        assert_eq!(refused(dfs, "popsize", "20"), "--popsize is for --strategy ese, not dfs");
        assert_eq!(refused(ese, "train-sizes", "2"), "--train-sizes is for --strategy wise and spf-wca, not ese");
        assert_eq!(refused(dfs, "order", "2"), "--order 2: expected random or 0 or 1");
        assert_eq!(refused(ese, "threads", "2"), "--threads is for --strategy auto, not ese");
        assert_eq!(refused(ese, "popsize", "0"), "--popsize 0: 0 is not in 1..=4294967295");
        assert_eq!(refused(ese, "mprob", "1.5"), "--mprob 1.5: expected a number from 0 to 1");
        assert_eq!(refused(ese, "pop", "1"), "no strategy has an option --pop");
        assert_eq!(Options::of(ese, [("threads", "1")]), Ok(Options::default()));
        let options = Options::of(ese, [("popsize", "20"), ("mprob", "0.5")]).unwrap();
        let texts: Vec<_> = options.texts().collect();
        assert_eq!(texts, [("mprob", "0.5".to_owned()), ("popsize", "20".to_owned())]);
    }

    #[test]
    fn sizes_are_sorted_and_deduplicated() {
        let sizes = |text| OptionKind::Sizes.parse(text).map(|value| value.to_string());
        assert_eq!(sizes("3,1,2,3"), Ok("1,2,3".to_owned()));
        assert_eq!(sizes("2..=4"), Ok("2,3,4".to_owned()));
        assert!(sizes("4..2").is_err() && sizes("2,x").is_err() && sizes("1..1001").is_err());
    }
}
