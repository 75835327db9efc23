//! Declarations of functions that tests may call in any order: `foo_add(Foo, i32, u8[n], n) -> bool`.
//!
//! ```text
//! declaration = name "(" [ parameter { "," parameter } ] ")" [ "->" result ]
//! parameter   = argument (see signature.rs) | [ "move" ] type
//! result      = kind | type | "digest"
//! type        = a word that begins with an upper-case letter
//! ```
//!
//! A value of such a type is a handle: a number that an earlier call returned, and that nothing here looks into. The sizes in
//! a declaration belong to one call: each call has its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::signature::{Handle, Signature};
use super::{Argument, InputPlan, Kind, SyntaxError};

/// What a declared function returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Result {
    /// A number of this kind.
    Number(Kind),
    /// A handle of this type.
    Handle(String),
    /// A number that stands for a value: equal values have equal ones. It means nothing to a reader.
    Digest,
}

/// A parsed declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    text: String,
    signature: Arc<Signature>,
    /// What the function returns; `None` if that is of no interest.
    pub result: Option<Result>,
}

/// A call of a declared function with what it is passed.
#[derive(Clone, Debug)]
pub struct LaidOut {
    /// The function's name.
    pub function: String,
    /// The calls that made its handles, in order.
    pub handles: Vec<usize>,
    /// Its other arguments, in order.
    pub arguments: Vec<Argument>,
    /// What it returns, as in [`Declaration::result`].
    pub result: Option<Result>,
}

impl Declaration {
    /// Parses one declaration.
    pub fn parse(text: &str) -> std::result::Result<Declaration, SyntaxError> {
        // A text among the arguments may contain an arrow, but then it is not followed by a single word.
        let is_word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let split = text.rsplit_once("->").filter(|(_, result)| is_word(result.trim()));
        let (call, result) = split.map_or((text, None), |(call, result)| (call, Some(result)));
        let signature = Signature::parse_declared(call).map_err(|error| SyntaxError { text: text.into(), ..error })?;
        let result = match result.map(str::trim) {
            None => None,
            Some("digest") => Some(Result::Digest),
            Some(word) => Some(match Kind::ALL.into_iter().find(|kind| kind.name() == word) {
                Some(kind) => Result::Number(kind),
                None if word.starts_with(char::is_uppercase) => Result::Handle(word.to_string()),
                None => {
                    let column = text.chars().count() - word.chars().count();
                    let kinds = Kind::ALL.map(Kind::name).join(" ");
                    let message = format!(
                        "`{word}` is no result: expected one of {kinds}, digest, or a type of handles, whose name begins \
                         with an upper-case letter"
                    );
                    return Err(SyntaxError { text: text.into(), column, message });
                }
            }),
        };
        Ok(Declaration { text: text.trim().to_string(), signature: Arc::new(signature), result })
    }

    /// The declarations of a file: one in each line, but for empty lines and remarks that begin with `#`. A mistake comes
    /// with the number of its line.
    pub fn parse_file(text: &str) -> std::result::Result<Vec<Declaration>, (usize, SyntaxError)> {
        let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        lines.map(|(number, line)| Declaration::parse(line).map_err(|error| (number, error))).collect()
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The call that it permits.
    pub fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    /// The handles that it wants, in order.
    pub fn handles(&self) -> impl Iterator<Item = &Handle> {
        (0..self.signature.arity()).filter_map(|argument| self.signature.handle(argument))
    }

    /// The names of its sizes, in order.
    pub fn sizes(&self) -> Vec<String> {
        self.signature.sizes().into_iter().collect()
    }

    /// Adds the arguments of a call to a plan. `sizes` are in the order of [`Declaration::sizes`]; `handles` are the
    /// indices of the calls that returned them, in the order of [`Declaration::handles`].
    pub fn lay_out(
        &self,
        plan: &mut InputPlan,
        sizes: &[u32],
        handles: &[usize],
    ) -> std::result::Result<(), SyntaxError> {
        let mut sizes: BTreeMap<String, u64> =
            self.sizes().into_iter().zip(sizes).map(|(name, &size)| (name, u64::from(size))).collect();
        let size = sizes.remove("n");
        let mut own = InputPlan { size, sizes, variables: plan.variables, ..InputPlan::default() };
        self.signature.lay_out(&mut own)?;
        for argument in &mut own.arguments {
            if let Argument::Returned(handle) = argument {
                *handle = handles.get(*handle).copied().unwrap_or(usize::MAX);
            }
        }
        plan.arguments.append(&mut own.arguments);
        plan.variables = own.variables;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_says_what_is_passed_and_returned() {
        let declared = Declaration::parse("list_add(List, move Node, u8[n], n, m) -> bool").unwrap();
        let handle = |ty: &str, moved| Handle { ty: ty.into(), moved };
        assert_eq!(declared.signature().name, "list_add");
        assert_eq!(declared.handles().cloned().collect::<Vec<_>>(), [handle("List", false), handle("Node", true)]);
        assert_eq!(declared.sizes(), ["m", "n"]);
        assert_eq!(declared.result, Some(Result::Number(Kind::Bool)));
        assert_eq!(Declaration::parse("list_new() -> List").unwrap().result, Some(Result::Handle("List".into())));
        assert_eq!(Declaration::parse("Ring::pop(Ring) -> digest").unwrap().result, Some(Result::Digest));
        assert_eq!(Declaration::parse("say(\"a -> b\")").unwrap().result, None);
    }

    #[test]
    fn calls_are_laid_out_one_after_the_other() {
        let declared = Declaration::parse("put(Map, u8[n], n, i32)").unwrap();
        let mut plan = InputPlan::default();
        declared.lay_out(&mut plan, &[3], &[0]).unwrap();
        declared.lay_out(&mut plan, &[2], &[1]).unwrap();
        assert_eq!((plan.arguments.len(), plan.variables), (8, 7));
        assert_eq!((&plan.arguments[0], &plan.arguments[4]), (&Argument::Returned(0), &Argument::Returned(1)));
        assert_eq!((&plan.arguments[2], &plan.arguments[6]), (&Argument::Integer(3), &Argument::Integer(2)));
        let firsts: Vec<u32> = plan.groups().map(|group| group.first).collect();
        assert_eq!(firsts, [0, 3, 4, 6]);
    }

    #[track_caller]
    fn refused(text: &str, message: &str) {
        assert_eq!(Declaration::parse(text).unwrap_err().to_string(), message);
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        refused(
            "f() -> lists",
            "`lists` is no result: expected one of i32 i64 f32 f64 bool i8 u8 i16 u16 u32 u64, digest, or a type of handles, \
             whose name begins with an upper-case letter\n  f() -> lists\n         ^",
        );
        refused(
            "f(move 3)",
            "expected a type of handles after `move`, as in `move List`, found `3`\n  f(move 3)\n         ^",
        );
        let error = Declaration::parse_file("# a list\nnew() -> List\n\nadd(List, )\n").unwrap_err();
        assert_eq!((error.0, error.1.column), (4, 10));
    }
}
