//! What there is to be reached in a program, by number and by name.

use crate::decision::{Arm, SiteId};
use pessimum_outcome::Trap;
use std::collections::BTreeMap;
use std::fmt;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line {
    /// The path as the compiler recorded it.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// Something that a run may reach. Names become goals by [`Places::named`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    /// An arm of a conditional branch, whether its condition depends on the input or not.
    Arm(SiteId, Arm),
    /// A call of a function, by its index in [`Places::functions`].
    Function(u32),
    /// A source line, by its index in [`Places::lines`].
    Line(u32),
    /// An end in this trap.
    Trap(Trap),
}

/// What there is to be reached in a program. Goals and observations refer to functions and lines by their index in
/// these lists, so both use the same numbering.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The arms of all conditional branches, in ascending order.
    pub arms: Vec<(SiteId, Arm)>,
    /// The names of the functions.
    pub functions: Vec<String>,
    /// The source lines that have code, in ascending order; empty without debug information.
    pub lines: Vec<Line>,
    /// Where each site is, by its number.
    pub sites: Vec<Place>,
    /// Whether a run can call each function at all, as far as the code says, by its index in `functions`.
    pub callable: Vec<bool>,
    /// The line where each function's own text begins, by its index in `functions`; none where it is not known.
    pub beginnings: Vec<Option<u32>>,
    /// The functions with code of each line, by its index in `lines`: several where it was inlined or is generic.
    pub line_functions: Vec<Vec<u32>>,
    /// Arms of tables that lead to the same place as an earlier arm of the same table, and that arm. A `switch` over
    /// characters has few places and hundreds of arms.
    pub twins: BTreeMap<(SiteId, Arm), Arm>,
    /// The arms that may lead to a place where runs trap, and how many more branches are on the shortest way to it. Empty for
    /// front ends that do not know.
    pub traps: BTreeMap<(SiteId, Arm), u32>,
}

/// Where a branch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The function that contains its code, by its index in [`Places::functions`].
    pub function: u32,
    /// The source line, by its index in [`Places::lines`]; where code was inlined, that of the inlined function.
    pub line: Option<u32>,
}

impl Places {
    /// Every arm of every conditional branch.
    pub fn arm_goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.arms.iter().map(|&(site, arm)| Goal::Arm(site, arm))
    }

    /// Every function.
    pub fn function_goals(&self) -> impl Iterator<Item = Goal> + '_ {
        (0..).zip(&self.functions).map(|(index, _)| Goal::Function(index))
    }

    /// Every source line that has code.
    pub fn line_goals(&self) -> impl Iterator<Item = Goal> + '_ {
        (0..).zip(&self.lines).map(|(index, _)| Goal::Line(index))
    }

    /// The goals that a text names: a source line as `FILE:LINE`, otherwise a function. There are several if
    /// functions share a name, as instances of a generic one do.
    pub fn named(&self, text: &str) -> Result<Vec<Goal>, UnknownPlace> {
        let line = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        match line {
            Some((file, line)) if !self.functions.iter().any(|name| name == text) => {
                Ok(vec![Goal::Line(self.line(file, line)?)])
            }
            _ => Ok(self.functions_named(text)?.into_iter().map(Goal::Function).collect()),
        }
    }

    /// The functions of this name, by index; if there is none, those whose path ends in it (`sort` for `list::sort`).
    pub fn functions_named(&self, name: &str) -> Result<Vec<u32>, UnknownPlace> {
        let matching = |fits: &dyn Fn(&str) -> bool| -> Vec<u32> {
            (0..).zip(&self.functions).filter(|(_, known)| fits(known)).map(|(index, _)| index).collect()
        };
        let exact = matching(&|known| known == name);
        let found = if exact.is_empty() { matching(&|known| is_tail(known, "::", name)) } else { exact };
        if found.is_empty() {
            let candidates = nearest(name, "::", self.functions.iter().map(String::as_str));
            return Err(UnknownPlace::Function { name: name.to_owned(), candidates });
        }
        Ok(found)
    }

    /// A source line, by index. The file is the recorded path or its last components.
    pub fn line(&self, file: &str, line: u32) -> Result<u32, UnknownPlace> {
        if self.lines.is_empty() {
            return Err(UnknownPlace::NoLines);
        }
        let mut files: Vec<&str> = self.lines.iter().map(|line| line.file.as_str()).collect();
        files.dedup();
        let exact = files.iter().copied().find(|&known| known == file);
        let matching: Vec<&str> = match exact {
            Some(exact) => vec![exact],
            None => files.iter().copied().filter(|known| is_tail(known, "/", file)).collect(),
        };
        let recorded = match matching[..] {
            [recorded] => recorded,
            [] => {
                let candidates = nearest(file, "/", files.into_iter());
                return Err(UnknownPlace::File { name: file.to_owned(), candidates });
            }
            _ => {
                let candidates = matching.into_iter().map(str::to_owned).collect();
                return Err(UnknownPlace::Ambiguous { name: file.to_owned(), candidates });
            }
        };
        let wanted = Line { file: recorded.to_owned(), line };
        self.lines.binary_search(&wanted).map(|index| index as u32).map_err(|above| {
            let own =
                |index: Option<usize>| index.and_then(|index| self.lines.get(index)).filter(|l| l.file == recorded);
            let (below, above) = (own(above.checked_sub(1)), own(Some(above)));
            let near = below.into_iter().chain(above).map(|line| line.line).collect();
            UnknownPlace::Line { file: wanted.file, line, near }
        })
    }
}

/// Whether a name with separators ends in these components.
fn is_tail(name: &str, separator: &str, tail: &str) -> bool {
    name.strip_suffix(tail).is_some_and(|head| head.ends_with(separator))
}

/// The few known names that are most like this one, the most similar first. A name may stand for the last component of
/// another.
fn nearest<'a>(name: &str, separator: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    const SHOWN: usize = 5;
    let distance = |known: &str| {
        let last = known.rsplit(separator).next().unwrap_or(known);
        strsim::osa_distance(name, known).min(strsim::osa_distance(name, last))
    };
    let mut known: Vec<(usize, &str)> = known.map(|known| (distance(known), known)).collect();
    known.sort_unstable();
    known.dedup();
    known.into_iter().take(SHOWN).map(|(_, known)| known.to_owned()).collect()
}

/// A text that names no place of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownPlace {
    /// No function has this name.
    Function {
        /// The name.
        name: String,
        /// The names most like it.
        candidates: Vec<String>,
    },
    /// The program has no debug information.
    NoLines,
    /// No source file has this name.
    File {
        /// The name.
        name: String,
        /// The paths most like it.
        candidates: Vec<String>,
    },
    /// Several source files have this name.
    Ambiguous {
        /// The name.
        name: String,
        /// Their paths.
        candidates: Vec<String>,
    },
    /// The line has no code.
    Line {
        /// The path as recorded.
        file: String,
        /// The line.
        line: u32,
        /// The lines before and after it that have code.
        near: Vec<u32>,
    },
}

impl fmt::Display for UnknownPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |f: &mut fmt::Formatter<'_>, candidates: &[String]| match candidates {
            [] => Ok(()),
            _ => write!(f, "; the most similar: {}", candidates.join(", ")),
        };
        match self {
            UnknownPlace::Function { name, candidates } => {
                write!(f, "no function `{name}`")?;
                known(f, candidates)
            }
            UnknownPlace::NoLines => {
                f.write_str("the program has no debug information, so no source line is known; compile it with -g")
            }
            UnknownPlace::File { name, candidates } => {
                write!(f, "no source file `{name}`")?;
                known(f, candidates)
            }
            UnknownPlace::Ambiguous { name, candidates } => {
                write!(f, "several source files end in `{name}`: {}", candidates.join(", "))
            }
            UnknownPlace::Line { file, line, near } => {
                write!(f, "{file}:{line} has no code")?;
                let near: Vec<String> = near.iter().map(u32::to_string).collect();
                if near.is_empty() { Ok(()) } else { write!(f, "; the nearest lines with code: {}", near.join(", ")) }
            }
        }
    }
}

impl std::error::Error for UnknownPlace {}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        let line = |file: &str, line| Line { file: file.to_owned(), line };
        let lines = vec![line("a/list.c", 3), line("a/list.c", 9), line("b/list.c", 4), line("src/main.c", 7)];
        let functions = ["main", "list::sort", "list::sort", "tree::insert", "at:12"].map(str::to_owned).to_vec();
        Places { arms: vec![(SiteId(0), Arm::TRUE)], functions, lines, ..Places::default() }
    }

    #[track_caller]
    fn refused(text: &str, message: &str) {
        assert_eq!(places().named(text).unwrap_err().to_string(), message);
    }

    #[test]
    fn places_are_found_by_name() {
        let places = places();
        assert_eq!(places.named("main"), Ok(vec![Goal::Function(0)]));
        assert_eq!(places.named("sort"), Ok(vec![Goal::Function(1), Goal::Function(2)]));
        assert_eq!(places.named("tree::insert"), Ok(vec![Goal::Function(3)]));
        assert_eq!(places.named("at:12"), Ok(vec![Goal::Function(4)]), "a function may look like a line");
        assert_eq!(places.named("main.c:7"), Ok(vec![Goal::Line(3)]));
        assert_eq!(places.named("a/list.c:9"), Ok(vec![Goal::Line(1)]));
        assert_eq!(places.arm_goals().collect::<Vec<_>>(), [Goal::Arm(SiteId(0), Arm::TRUE)]);
        assert_eq!(places.function_goals().count() + places.line_goals().count(), 9);
    }

    #[test]
    fn names_that_do_not_exist_bring_candidates() {
        refused("mian", "no function `mian`; the most similar: main, list::sort, at:12, tree::insert");
        refused("ort", "no function `ort`; the most similar: list::sort, main, tree::insert, at:12");
        refused("min.c:7", "no source file `min.c`; the most similar: src/main.c, a/list.c, b/list.c");
        refused("list.c:3", "several source files end in `list.c`: a/list.c, b/list.c");
        refused("a/list.c:5", "a/list.c:5 has no code; the nearest lines with code: 3, 9");
        refused("src/main.c:1", "src/main.c:1 has no code; the nearest lines with code: 7");
        let without = Places { lines: Vec::new(), ..places() };
        assert_eq!(without.line("a/list.c", 3), Err(UnknownPlace::NoLines));
    }
}
