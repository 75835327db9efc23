//! Which functions of a program tests can call one after the other, and how such tests are written in its language.
//!
//! The declarations are guessed from the source or from debug information, can be printed (`pessimum inspect --api`) and
//! edited. What a call looks like in the user's language is known by the function's name, so an edited declaration may leave
//! functions out and limit the numbers of others.

use anyhow::Result;
use pessimum_report::text::printable;

use crate::cache::Hidden;
use crate::calling::{Access, Declared, How, Passed};
use crate::calls::Calls;
use crate::declarations::declarations;
use crate::language::Language;
use crate::load::load_with_bytes;
use crate::suite::{Case, Emitted};
use crate::wanted::Wanted;

/// The functions of a program that tests can call.
pub struct Interface {
    /// The module that exports them.
    pub module: Vec<u8>,
    /// The functions, in the order of the source where that is known.
    pub functions: Vec<Declared>,
    /// Functions that cannot be called, with the reason.
    pub left_out: Vec<Hidden>,
    language: Option<&'static dyn Language>,
}

/// Compiles what is wanted for sequences of calls, or reads it, and finds its functions.
pub fn interface(wanted: &Wanted<'_>) -> Result<Interface> {
    let wanted = Wanted { sequences: true, listed: true, ..*wanted };
    let (module, bytes, compiled) = load_with_bytes(&wanted)?;
    let language = compiled.as_ref().map(|compiled| compiled.language);
    let hidden = compiled.as_ref().map_or(&[][..], |compiled| &compiled.about.hidden);
    let known = compiled.as_ref().and_then(|compiled| compiled.language.declared(&compiled.about));
    let (functions, mut left_out) = match known {
        Some(declared) => (declared.to_vec(), Vec::new()),
        None => {
            let calls = Calls::new(&module, compiled.as_ref());
            declarations(&module, &calls, |call| language.map_or(How::Unknown, |language| language.test_call(call)))
        }
    };
    left_out.extend_from_slice(hidden);
    Ok(Interface { module: bytes, functions, left_out, language })
}

impl Interface {
    /// Writes tests in the language of the source. `Ok(None)` where no tests are written in it.
    pub fn write_tests(&self, wanted: &Wanted<'_>, cases: &[Case]) -> Result<Option<Emitted>> {
        let is_known = self.functions.iter().any(|function| function.how != How::Unknown);
        match self.language.filter(|_| is_known) {
            Some(language) => language.write_tests(&self.functions, wanted, cases),
            None => Ok(None),
        }
    }

    /// Whether a function borrows something exclusively, so that it must not be passed the same object twice.
    pub fn is_exclusive(&self, name: &str) -> bool {
        let how = self.functions.iter().find(|function| function.name == name).map(|function| &function.how);
        let Some(How::Rust(call)) = how else { return false };
        call.passed.iter().any(|passed| matches!(passed, Passed::Handle(Access::Mutable)))
    }

    /// The declarations, one in each line, and as remarks what there is besides.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for function in &self.functions {
            text += &format!("{}\n", printable(&function.declaration));
        }
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for hidden in &self.left_out {
            match reasons.iter_mut().find(|(why, _)| *why == hidden.why) {
                Some((_, names)) => names.push(&hidden.name),
                None => reasons.push((&hidden.why, vec![&hidden.name])),
            }
        }
        for (why, names) in reasons {
            text += &format!("# {}: {}\n", printable(&names.join(", ")), printable(why));
        }
        text
    }
}
