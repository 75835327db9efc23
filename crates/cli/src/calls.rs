//! What to write after `--call`: from the types of a function, where its author has not said it.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use pessimum_session::names::listed;
use pessimum_wasm::call::Signature;
use pessimum_wasm::prototypes::{Doubt, Prototype, Prototypes};
use pessimum_wasm::{ExternKind, Module};

use crate::compile::Compiled;
use crate::flags::{CallFlag, SubjectFlags};
use crate::output::tell;
use crate::python;
use crate::subject::load;

/// The functions of a module that somebody may want to call, with how to call them.
pub struct Calls<'a> {
    module: &'a Module,
    compiled: Option<&'a Compiled>,
    prototypes: Prototypes,
}

impl<'a> Calls<'a> {
    pub fn new(module: &'a Module, compiled: Option<&'a Compiled>) -> Calls<'a> {
        Calls { module, compiled, prototypes: Prototypes::of(module) }
    }

    /// The author's functions: of a source file those in it, otherwise whatever is exported and does not belong to a
    /// language's runtime.
    pub fn functions(&self) -> Vec<&'a str> {
        let exports = self.module.exports().iter().filter(|export| export.kind == ExternKind::Function);
        let names = exports.map(|export| export.name.as_str());
        match self.compiled {
            // In the order of the source, where that is known.
            Some(compiled) if compiled.is_rust() => {
                let exported: BTreeSet<&str> = names.collect();
                let own = compiled.about.functions.iter().filter_map(|own| exported.get(own.as_str()));
                own.copied().collect()
            }
            Some(compiled) => names.filter(|name| compiled.about.functions.iter().any(|own| own == name)).collect(),
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
    fn whole_name(&self, name: &str) -> Option<String> {
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
        let name = if name.contains('(') { format!("{name:?}") } else { name.to_string() };
        Ok(format!("{name}({})", arguments.join(", ")))
    }
}

impl Calls<'_> {
    /// What was read off names in the call of a function, and what to write if that is wrong.
    fn doubt(&self, name: &str, call: &str) -> Option<String> {
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

/// Completes a `--call` that only names a function, and finds the function where nothing says what to run and there is
/// only one. Says what it has chosen: lengths are guessed from names.
pub fn settle(flags: &mut SubjectFlags) -> Result<()> {
    if python::concerns(&flags.module)? {
        return python::settle(flags);
    }
    let bare = flags.call.as_ref().and_then(CallFlag::wasm).filter(|call| call.is_bare()).map(|call| call.name.clone());
    let says_nothing = flags.call.is_none()
        && flags.entry.is_none()
        && flags.stdin.is_none()
        && flags.arg.is_empty()
        && flags.file.is_empty();
    if bare.is_none() && !says_nothing {
        return Ok(());
    }
    let path = flags.module.display().to_string();
    let (module, compiled) = load(&flags.wanted())?;
    let calls = Calls::new(&module, compiled.as_ref());
    let bare = bare.map(|name| calls.whole_name(&name).unwrap_or(name));
    let text = match bare {
        Some(name) => match calls.call(&name) {
            Ok(text) => text,
            Err(why) if module.export(&name).is_some() => {
                bail!("{path}: `{name}` has to be called with its arguments, as in --call 'sort(i32[n], n)': {why}")
            }
            // What is wrong with the name is said where it is used.
            Err(_) => {
                flags.call = Some(CallFlag::Wasm(Signature::parse(&format!("{name}()"))?));
                return Ok(());
            }
        },
        None if module.export("_start").is_some() => return Ok(()),
        None => match only_call(&path, &calls)? {
            Some(text) => text,
            None => return Ok(()),
        },
    };
    tell(&format!("calling {text}"));
    let signature = Signature::parse(&text)?;
    if let Some(doubt) = calls.doubt(&signature.name, &text) {
        tell(&doubt);
    }
    flags.call = Some(CallFlag::Wasm(signature));
    Ok(())
}

/// The call of the only function; none where there is no function at all.
fn only_call(path: &str, calls: &Calls<'_>) -> Result<Option<String>> {
    let functions = calls.functions();
    let [only] = functions[..] else {
        if functions.is_empty() {
            return Ok(None);
        }
        let known: Vec<String> = functions.iter().filter_map(|name| calls.call(name).ok()).collect();
        if known.is_empty() {
            let functions = listed(&functions);
            bail!(
                "{path}: say which function to call with --call, as in --call 'sort(i32[n], n)'; there are {functions}"
            );
        }
        const SHOWN: usize = 20;
        let mut text = format!("{path}: say which function to call:");
        for call in known.iter().take(SHOWN) {
            text += &format!("\n  --call '{call}'");
        }
        if known.len() > SHOWN {
            text += &format!("\n  and {} more, which `pessimum inspect {path}` lists", known.len() - SHOWN);
        }
        bail!(text);
    };
    match calls.call(only) {
        Ok(text) => Ok(Some(text)),
        Err(why) => bail!("{path}: `{only}` has to be called with --call, as in --call 'sort(i32[n], n)': {why}"),
    }
}
