//! Which functions of a program tests can call one after the other, and how such tests are written in its language.
//!
//! The declarations are guessed from the source or from debug information, can be printed (`pessimum inspect --api`) and
//! edited. What a call looks like in the user's language is known by the function's name, so an edited declaration may leave
//! functions out and limit the numbers of others.

mod c;
mod c_tests;
mod emit;
pub(crate) mod how;
mod looks;
mod rust;

use anyhow::Result;
use pessimum_report::text::printable;
use pessimum_wasm::Module;

use crate::{Hidden, Wanted, load_with_bytes};
pub use emit::{Case, Emitted, emit};
pub use how::Declared;
use how::{Access, How, Passed};

/// The functions of a program that tests can call.
pub struct Interface {
    /// The module that exports them.
    pub module: Vec<u8>,
    /// The functions, in the order of the source where that is known.
    pub functions: Vec<Declared>,
    /// Functions that cannot be called, with the reason.
    pub left_out: Vec<Hidden>,
}

/// Compiles what is wanted for sequences of calls, or reads it, and finds its functions.
pub fn interface(wanted: &Wanted<'_>) -> Result<Interface> {
    let wanted = Wanted { sequences: true, listed: true, ..*wanted };
    let (module, bytes, compiled) = load_with_bytes(&wanted)?;
    let (functions, left_out) = match &compiled {
        Some(compiled) if compiled.is_rust() => (compiled.about.declared.clone(), compiled.about.hidden.clone()),
        compiled => guessed(&module, compiled.as_ref()),
    };
    Ok(Interface { module: bytes, functions, left_out })
}

/// The functions of a module whose types are known from its debug information.
fn guessed(module: &Module, compiled: Option<&crate::Compiled>) -> (Vec<Declared>, Vec<Hidden>) {
    let calls = crate::Calls::new(module, compiled);
    let (functions, mut left_out) = c::declarations(module, &calls, compiled.is_some_and(|compiled| compiled.is_c()));
    if let Some(compiled) = compiled {
        left_out.extend(compiled.about.hidden.iter().cloned());
    }
    (functions, left_out)
}

impl Interface {
    /// Whether the functions are those of a Rust crate.
    pub fn is_rust(&self) -> bool {
        self.functions.iter().any(|function| matches!(function.how, How::Rust(_)))
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
