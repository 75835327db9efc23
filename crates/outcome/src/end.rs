//! How a run ended.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How a run ended. Saved results contain the text that an end is displayed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// The function returned.
    Returned,
    /// The program ended itself with this code (WASI `proc_exit`).
    Exited(u32),
    /// The program trapped.
    Trapped(Trap),
    /// A limit stopped the run; its costs are those up to that point.
    Limit(Limit),
    /// The whole state of the program came back, so that it goes round for ever; its costs are those up to that point.
    NeverEnds,
    /// The program's own assumptions do not hold for this input, so the program is not meant for it.
    AssumptionViolated,
    /// The program did something that the front end does not support.
    Unsupported,
}

impl End {
    /// Whether this counts as a run of the program: it ended, or would continue beyond a limit.
    pub fn is_a_run(self) -> bool {
        !matches!(self, End::AssumptionViolated | End::Unsupported)
    }

    /// Whether nobody has seen the end of the run although it had all that a run may take, or there is none. Such a run is
    /// worse than every run that ended, whatever both cost. (What the end of the budget or somebody else cut had not had
    /// that, and says nothing about the program.)
    pub fn is_endless(self) -> bool {
        matches!(self, End::NeverEnds | End::Limit(Limit::Instructions | Limit::Time))
    }

    /// Whether something stopped the run while it went on: its costs are the least that it costs.
    pub fn is_cut(self) -> bool {
        matches!(self, End::NeverEnds | End::Limit(_)) && !self.is_crash()
    }

    /// Whether the program crashed: it trapped, or exhausted the call stack, or exited as `abort` does where there are
    /// signals. A run that another limit cut off did not: it goes on.
    pub fn is_crash(self) -> bool {
        matches!(self, End::Trapped(_) | End::Limit(Limit::Depth) | End::Exited(ABORTED))
    }
}

/// The exit code of a program that `abort` ended: 128 and the number of the signal SIGABRT.
const ABORTED: u32 = 134;

/// Among which runs a search looks for the costliest. Runs that a limit cut off are among those that return: they go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// Those that return, or those that crash if none was found that returns.
    #[default]
    ReturnedFirst,
    /// Those that return.
    Returned,
    /// All of them.
    Any,
    /// Those that crash.
    Trapped,
}

impl Ends {
    /// Whether a run that ended so is looked for (`Some(true)`), does if there is no other (`Some(false)`), or is not.
    pub fn wants(self, end: End) -> Option<bool> {
        match (self, end.is_crash()) {
            (Ends::Any, _) | (Ends::ReturnedFirst | Ends::Returned, false) | (Ends::Trapped, true) => Some(true),
            (Ends::ReturnedFirst, true) => Some(false),
            (Ends::Returned, true) | (Ends::Trapped, false) => None,
        }
    }

    /// Whether this is the default, which plans leave out.
    pub fn is_default(&self) -> bool {
        *self == Ends::default()
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Returned => f.write_str("returned"),
            End::Exited(code) => write!(f, "exited: {code}"),
            End::Trapped(trap) => write!(f, "trapped: {trap}"),
            End::Limit(limit) => write!(f, "limit: {limit}"),
            End::NeverEnds => f.write_str("never ends"),
            End::AssumptionViolated => f.write_str("assumption violated"),
            End::Unsupported => f.write_str("unsupported"),
        }
    }
}

/// A text that no end is displayed as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEnd(String);

impl fmt::Display for UnknownEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no run ends with {:?}", self.0)
    }
}

impl std::error::Error for UnknownEnd {}

impl FromStr for End {
    type Err = UnknownEnd;

    fn from_str(text: &str) -> Result<End, UnknownEnd> {
        let found = match text.split_once(": ") {
            None => [End::Returned, End::NeverEnds, End::AssumptionViolated, End::Unsupported]
                .into_iter()
                .find(|end| end.to_string() == text),
            Some(("exited", code)) => code.parse().ok().map(End::Exited),
            Some(("trapped", name)) => Trap::named(name).map(End::Trapped),
            Some(("limit", name)) => Limit::named(name).map(End::Limit),
            Some(_) => None,
        };
        found.ok_or_else(|| UnknownEnd(text.to_string()))
    }
}

impl Serialize for End {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for End {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<End, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

macro_rules! named {
    ($(#[$meta:meta])* $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$doc])* $variant,)* }

        impl $type {
            /// All of them.
            pub const ALL: &[$type] = &[$($type::$variant,)*];

            /// The name in results and messages.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }

            /// The one with this name.
            pub fn named(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|known| known.name() == name)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// Why a program trapped. The names are those of the official WebAssembly test suite, where it has one.
    Trap {
        /// The instruction `unreachable`.
        Unreachable = "unreachable",
        /// Division or remainder by zero.
        DivideByZero = "integer divide by zero",
        /// A signed quotient, or a float converted to an integer, that does not fit.
        IntegerOverflow = "integer overflow",
        /// A NaN converted to an integer.
        InvalidConversion = "invalid conversion to integer",
        /// A memory access beyond the end.
        MemoryOutOfBounds = "out of bounds memory access",
        /// A table access beyond the end.
        TableOutOfBounds = "out of bounds table access",
        /// An indirect call with an index beyond the end of its table.
        UndefinedElement = "undefined element",
        /// An indirect call to a null element.
        UninitializedElement = "uninitialized element",
        /// An indirect call to a function of another type.
        IndirectCallType = "indirect call type mismatch",
        /// An exception that no function on the call stack catches.
        UncaughtException = "uncaught exception",
        /// A null reference thrown as an exception.
        NullException = "null exception reference",
        /// An exception of Python that nothing caught.
        Exception = "exception",
        /// A function of the host gave up, or the program reported its own failure; whoever ran it knows the message.
        Host = "failed",
    }
}

named! {
    /// Which limit stopped a run.
    Limit {
        /// Executed instructions.
        Instructions = "instructions",
        /// Recorded decisions.
        Decisions = "decisions",
        /// Nested calls.
        Depth = "depth",
        /// Bytes of linear memory.
        Memory = "memory",
        /// Elements of a table.
        TableElements = "table elements",
        /// Bytes of terms and paths that a search keeps. Only symbolic runs meet it.
        SearchMemory = "search memory",
        /// Seconds of one run. What is counted cannot say how long a run takes that is inside code that is not counted.
        Time = "time of the run",
        /// The search was over, or a run of less use than others had taken long enough: nothing is known about its end.
        Budget = "end of the budget",
        /// The process that ran the program was killed by somebody else.
        Worker = "killed worker",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_reads_back_from_its_text() {
        let traps = Trap::ALL.iter().map(|&trap| End::Trapped(trap));
        let limits = Limit::ALL.iter().map(|&limit| End::Limit(limit));
        let others = [End::Returned, End::Exited(0), End::Exited(u32::MAX), End::NeverEnds, End::AssumptionViolated];
        for end in others.into_iter().chain([End::Unsupported]).chain(traps).chain(limits) {
            let json = serde_json::to_string(&end).unwrap();
            assert_eq!(json, format!("\"{end}\""));
            assert_eq!(serde_json::from_str::<End>(&json).unwrap(), end);
        }
    }

    #[test]
    fn a_run_that_was_cut_off_goes_on_but_an_exhausted_stack_is_a_crash() {
        let crashes = [End::Trapped(Trap::Unreachable), End::Limit(Limit::Depth), End::Exited(134)];
        let others = [End::Returned, End::Exited(1), End::Limit(Limit::Instructions), End::Limit(Limit::Memory)];
        for (ends, of_crash, of_others) in [
            (Ends::ReturnedFirst, Some(false), Some(true)),
            (Ends::Returned, None, Some(true)),
            (Ends::Any, Some(true), Some(true)),
            (Ends::Trapped, Some(true), None),
        ] {
            assert!(crashes.iter().all(|&end| ends.wants(end) == of_crash), "{ends:?}");
            assert!(others.iter().all(|&end| ends.wants(end) == of_others), "{ends:?}");
        }
    }

    #[test]
    fn a_run_is_endless_only_if_it_had_all_that_a_run_may_take() {
        let endless = [End::NeverEnds, End::Limit(Limit::Instructions), End::Limit(Limit::Time)];
        let says_nothing = [End::Limit(Limit::Budget), End::Limit(Limit::Worker), End::Limit(Limit::SearchMemory)];
        assert!(endless.iter().all(|end| end.is_endless() && end.is_cut() && end.is_a_run()));
        assert!(says_nothing.iter().all(|end| !end.is_endless() && end.is_cut()));
        assert!(![End::Returned, End::Limit(Limit::Depth)].iter().any(|end| end.is_endless() || end.is_cut()));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "Returned", "exited", "exited: -1", "trapped: nothing", "limit: sky", "lost: depth"] {
            assert_eq!(text.parse::<End>(), Err(UnknownEnd(text.to_string())));
        }
    }
}
