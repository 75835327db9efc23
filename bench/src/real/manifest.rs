//! The list of programs, `programs.toml`, and what is known about them.

use std::path::PathBuf;

use serde::Deserialize;

use crate::manifest::directory;

/// One program and how it is searched.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name in the table.
    pub name: String,
    /// The file in `programs/`.
    pub source: String,
    /// Options for its compiler, as for `--cflags`.
    pub options: String,
    /// What is called and what is input, as for `--call`.
    pub call: String,
    /// `n` in the call.
    pub size: Option<u64>,
    /// The worst case as far as it is known.
    pub worst: Known,
}

/// A worst case that can be run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Where it comes from. "exhaustive" and "by hand" are arguments; "best of runs" is not.
    pub how: String,
    /// Instructions with the compilers that the head of the file names.
    pub cost: u64,
    /// The input, as for `--input`.
    pub input: String,
}

impl Known {
    /// Whether there is an argument that nothing costs more (or much more), rather than a search that found no better.
    pub fn is_argued(&self) -> bool {
        matches!(self.how.as_str(), "exhaustive" | "by hand")
    }
}

impl Program {
    /// The source file.
    pub fn file(&self) -> PathBuf {
        directory("real/programs").join(&self.source)
    }

    /// The language by the ending of its file: "c", "cpp" or "rs".
    pub fn language(&self) -> &str {
        self.source.rsplit('.').next().unwrap_or_default()
    }

    /// The words of a command line that say what is run.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![
            self.file().display().to_string(),
            format!("--cflags={}", self.options),
            format!("--call={}", self.call),
        ];
        words.extend(self.size.map(|size| format!("--size={size}")));
        words
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::manifest::read;
    use crate::real::measure::plan_of;

    #[test]
    fn every_program_has_a_source_a_call_and_an_input_that_fits_it() {
        let programs: Vec<Program> = read(&directory("real")).unwrap();
        assert!(programs.len() >= 24);
        let names: BTreeSet<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names.len(), programs.len(), "two programs have one name");
        for program in &programs {
            let source = std::fs::read_to_string(program.file());
            let source = source.unwrap_or_else(|error| panic!("{}: {error}", program.source));
            let (function, _) = program.call.split_once('(').unwrap();
            assert!(source.contains(&format!("{function}(")), "{}: no function {function}", program.source);
            let plan = plan_of(program).unwrap();
            let input = serde_json::from_str(&program.worst.input).unwrap();
            let decoded = plan.decode(&input).unwrap_or_else(|error| panic!("{}: {}", program.name, error.message));
            assert_eq!(decoded.0.values().len(), plan.variables as usize, "{}", program.name);
            let how = program.worst.how.as_str();
            assert!(matches!(how, "exhaustive" | "by hand" | "best of runs"), "{}: {how}", program.name);
        }
    }

    #[test]
    fn every_source_belongs_to_a_program() {
        let programs: Vec<Program> = read(&directory("real")).unwrap();
        let used: BTreeSet<String> = programs.into_iter().map(|program| program.source).collect();
        let there = std::fs::read_dir(directory("real/programs")).unwrap();
        let there: BTreeSet<String> = there.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(there, used);
    }
}
