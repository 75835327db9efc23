//! What to write after `--call`: from the types of a function, where its author has not said it.

use pessimum_wasm::{ExternKind, Module};

use crate::compiled::Compiled;
use crate::prototypes::{Doubt, Prototype, Prototypes};
use crate::toolchain::exports::call_text;

/// The functions of a module that somebody may want to call, with how to call them.
pub struct Calls<'a> {
    module: &'a Module,
    compiled: Option<&'a Compiled>,
    prototypes: Prototypes,
}

impl<'a> Calls<'a> {
    /// Of a module, and what is known about it where it was compiled from a source.
    pub fn new(module: &'a Module, compiled: Option<&'a Compiled>) -> Calls<'a> {
        Calls { module, compiled, prototypes: Prototypes::of(module) }
    }

    /// The author's functions: of a source file those in it, otherwise whatever is exported and does not belong to a
    /// language's runtime.
    pub fn functions(&self) -> Vec<&'a str> {
        let exports = self.module.exports().iter().filter(|export| export.kind == ExternKind::Function);
        let names = exports.map(|export| export.name.as_str());
        match self.compiled {
            Some(compiled) => compiled.language.functions(&compiled.about, names.collect()),
            None => names.filter(|name| !is_runtime(name)).collect(),
        }
    }

    /// The author's functions that cannot be called, each with the reason.
    pub fn hidden(&self) -> Vec<(&'a str, &'a str)> {
        let hidden = self.compiled.into_iter().flat_map(Compiled::hidden);
        hidden.map(|hidden| (hidden.name.as_str(), hidden.why.as_str())).collect()
    }

    /// The name of the only function whose name ends with this one, which leaves out its modules, its type, or what its
    /// template is made for.
    pub fn whole_name(&self, name: &str) -> Option<String> {
        if self.module.export(name).is_some() {
            return None;
        }
        let (ending, template) = (format!("::{name}"), format!("{name}<"));
        let is_it = |whole: &&str| {
            let plain = whole.split('<').next().unwrap_or_default();
            whole.ends_with(&ending) || whole.starts_with(&template) || plain.ends_with(&ending)
        };
        let mut found = self.functions().into_iter().filter(is_it);
        found.next().filter(|_| found.next().is_none()).map(str::to_string)
    }

    /// The call of a function, or why there is none.
    pub fn call(&self, name: &str) -> Result<String, String> {
        if let Some(call) = self.compiled.and_then(|compiled| compiled.about.calls.get(name)) {
            return Ok(call.clone());
        }
        if let Some(refused) = self.compiled.and_then(|compiled| compiled.about.refused.get(name)) {
            return Err(refused.why.clone());
        }
        let export = self.module.export(name).filter(|export| export.kind == ExternKind::Function);
        let Some(export) = export else { return Err(format!("no function `{name}` is exported")) };
        let parameters = &self.module.function_type(export.index).params;
        let expected =
            |prototype: &Prototype| prototype.parameters.len() + usize::from(prototype.returned_in_memory().is_some());
        let arguments = match self.prototypes.get(name) {
            Some(prototype) if expected(prototype) == parameters.len() => {
                prototype.arguments(None, &self.prototypes).map_err(|refused| refused.to_string())?
            }
            Some(_) => {
                return Err(
                    "it has parameters that are passed in several parts (`long double`, `__int128`, or any number \
                            of them after `...`): write a small function that takes plain numbers and calls this one"
                        .to_string(),
                );
            }
            None if parameters.is_empty() => Vec::new(),
            None => {
                let types: Vec<String> = parameters.iter().map(ToString::to_string).collect();
                let numbers = format!("{name}({})", types.join(", "));
                return Err(format!(
                    "the module does not say which of its parameters are arrays; `{numbers}` would pass numbers"
                ));
            }
        };
        Ok(call_text(name, &arguments.join(", ")))
    }
}

impl Calls<'_> {
    /// What was read off names in the call of a function, and what to write if that is wrong.
    pub fn doubt(&self, name: &str, call: &str) -> Option<String> {
        let prototype = self.prototypes.get(name)?;
        // Code of ours around a function has parameters of its own.
        if self.compiled.is_some_and(|compiled| compiled.about.wrapped.contains_key(name)) {
            return None;
        }
        let Doubt { guessed, instead } = prototype.doubt(&self.prototypes)?;
        let instead = format!("{}({})", call.split_once('(')?.0, instead.join(", "));
        let sizes = if instead.contains("n*m") { " --size n=4,m=6" } else { "" };
        Some(format!("guessed from types and names: {guessed}; if that is wrong, write --call '{instead}'{sizes}"))
    }
}

/// Exports of compilers and linkers that are no functions of the program.
fn is_runtime(name: &str) -> bool {
    const ALLOCATORS: [&str; 6] = ["malloc", "free", "calloc", "realloc", "cabi_realloc", "aligned_alloc"];
    name.starts_with('_') || ALLOCATORS.contains(&name)
}
