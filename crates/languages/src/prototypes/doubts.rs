//! Which lengths in a call are a guess that may be wrong, and the call to write instead.

use super::calls::{FIRST, LAST};
use super::{Prototype, Prototypes, Type};

/// What was read off names, in words, and the arguments to write if it is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// `n` is the length of `values`.
    pub guessed: String,
    /// For all parameters.
    pub instead: Vec<String>,
}

impl Prototype {
    /// What somebody who reads the call has to check; none where each length follows its array, which is usual, or where its
    /// type says that it is one.
    pub fn doubt(&self, others: &Prototypes) -> Option<Doubt> {
        let arguments = self.arguments(None, others).ok()?;
        // A result in memory comes before the parameters.
        let first = arguments.len().checked_sub(self.parameters.len())?;
        let mut instead = arguments.clone();
        let mut guessed = Vec::new();
        let name = |at: usize| format!("`{}`", self.parameters[at].name);
        for at in 0..self.parameters.len() {
            let place = first + at;
            if let Some([rows, columns]) = self.dimensions(at) {
                guessed.push(format!("{} and {} are the rows and columns of {}", name(rows), name(columns), name(at)));
                instead[place] = instead[place].replace("[n*n]", "[n*m]");
                instead[first + rows] = "n".to_string();
                instead[first + columns] = "m".to_string();
                continue;
            }
            let is_named = self.has_length(at) || at.checked_sub(1).is_some_and(|before| self.names_next_array(before));
            let is_open = matches!(self.parameters[at].ty.plain(), Type::Pointer(_)) && !is_named;
            if is_open && !arguments[place].starts_with("str") && arguments[place].contains("[n]") {
                guessed.push(format!("{} has n elements", name(at)));
                instead[place] = instead[place].replacen("[n]", "[16]", 1);
            }
            let Type::Number { kind, is_size: false, .. } = self.parameters[at].ty.plain() else { continue };
            let word = self.parameters[at].name.as_str();
            let is_dimension = |array: usize| self.dimensions(array).is_some_and(|both| both.contains(&at));
            if (0..self.parameters.len()).any(is_dimension) {
                continue;
            }
            let array = |at: usize| matches!(self.parameters[at].ty.plain(), Type::Pointer(_));
            let behind = at.checked_sub(1).filter(|before| array(*before));
            match self.number_after(at) {
                Some("n") if behind.is_some() => {}
                Some("n") => {
                    let of = (0..at).rev().find(|before| array(*before)).map(name).unwrap_or_default();
                    guessed.push(format!("{} is the length of {of}", name(at)));
                    instead[place] = kind.to_string();
                }
                Some(place_in) if FIRST.contains(&word) || LAST.contains(&word) => {
                    guessed.push(format!("{} is {place_in}", name(at)));
                    instead[place] = format!("{kind} in 0..n");
                }
                Some(_) => {}
                None if self.is_length_before(at) => {
                    guessed.push(format!("{} is the length of {}", name(at), name(at + 1)));
                    instead[place] = kind.to_string();
                }
                None if self.names_next_array(at) => {
                    guessed.push(format!("{} is at most the length of {}", name(at), name(at + 1)));
                    instead[place] = kind.to_string();
                }
                None => {}
            }
        }
        (!guessed.is_empty()).then(|| Doubt { guessed: guessed.join(", "), instead })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Member, Parameter};
    use super::*;
    use pessimum_input::Kind;

    fn doubt(parameters: &[(&str, bool)]) -> Option<(String, String)> {
        let number = |is_size| Type::Number { kind: Kind::I32, is_size, is_char: false, name: "int".to_string() };
        let ty = |is_array: bool| if is_array { Type::Pointer(Box::new(number(false))) } else { number(false) };
        let parameter = |(name, array): &(&str, bool)| Parameter { name: name.to_string(), ty: ty(*array) };
        let prototype = Prototype {
            path: "f".to_string(),
            symbol: "f".to_string(),
            file: String::new(),
            line: 0,
            member: Member::Free,
            is_public: true,
            is_defined: true,
            parameters: parameters.iter().map(parameter).collect(),
            result: Type::Void,
        };
        let Doubt { guessed, instead } = prototype.doubt(&Prototypes::default())?;
        Some((guessed, instead.join(", ")))
    }

    #[test]
    fn unusual_lengths_are_said() {
        assert_eq!(doubt(&[("a", true), ("n", false), ("k", false)]), None);
        let said = |words: &str, instead: &str| Some((words.to_string(), instead.to_string()));
        assert_eq!(doubt(&[("n", false), ("a", true)]), said("`n` is the length of `a`", "i32, i32[n]"));
        assert_eq!(
            doubt(&[("n", false), ("a", true), ("m", false)]),
            said("`n` is at most the length of `a`", "i32, i32[n], n")
        );
        assert_eq!(
            doubt(&[("a", true), ("key", false), ("count", false)]),
            said("`count` is the length of `a`", "i32[n], i32, i32")
        );
        assert_eq!(
            doubt(&[("a", true), ("lo", false), ("hi", false)]),
            said("`lo` is 0, `hi` is n-1", "i32[n], i32 in 0..n, i32 in 0..n")
        );
        assert_eq!(doubt(&[("a", true)]), said("`a` has n elements", "i32[16]"));
        assert_eq!(
            doubt(&[("grid", true), ("rows", false), ("cols", false)]),
            said("`rows` and `cols` are the rows and columns of `grid`", "i32[n*m], n, m")
        );
    }
}
