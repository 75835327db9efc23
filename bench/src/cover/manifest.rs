//! The list of programs, `programs.toml`.

use std::path::PathBuf;

use serde::Deserialize;

use crate::args::root;

/// One program and how it is searched.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name in the table.
    pub name: String,
    /// The source, from the root of the repository.
    pub source: PathBuf,
    /// The function that takes a pointer to bytes and their number.
    pub function: String,
    /// The most bytes that an input has.
    pub size: usize,
}

impl Program {
    /// The source file.
    pub fn file(&self) -> PathBuf {
        root().join(&self.source)
    }

    /// Whether it is C++; otherwise it is C.
    pub fn is_cpp(&self) -> bool {
        self.source.extension().is_some_and(|ending| ending == "cpp")
    }

    /// What is called and what is input, as for `--call`: the length is part of the input, as it is for a fuzzer.
    pub fn call(&self) -> String {
        format!("{}(u8[n], u32 in 0..=n)", self.function)
    }

    /// An input in the form of `--input`.
    pub fn json(&self, bytes: &[u8]) -> serde_json::Value {
        let used = &bytes[..bytes.len().min(self.size)];
        let mut all = used.to_vec();
        all.resize(self.size, 0);
        serde_json::json!([all, used.len()])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::manifest::{directory, read};

    #[test]
    fn every_program_has_a_name_of_its_own_and_defines_its_function() {
        let programs: Vec<Program> = read(&directory("cover")).unwrap();
        let names: BTreeSet<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names.len(), programs.len());
        for program in &programs {
            let text = std::fs::read_to_string(program.file()).unwrap();
            assert!(text.contains(&format!(" {}(", program.function)), "{}", program.name);
        }
    }

    #[test]
    fn inputs_are_cut_and_padded() {
        let (source, function) = (PathBuf::from("x.c"), "f".to_string());
        let program = Program { name: "x".into(), source, function, size: 3 };
        assert_eq!(program.json(b"ab").to_string(), "[[97,98,0],2]");
        assert_eq!(program.json(b"abcd").to_string(), "[[97,98,99],3]");
        assert_eq!(program.call(), "f(u8[n], u32 in 0..=n)");
    }
}
