//! Which call is meant, where `--call` only names a function or says nothing.

use anyhow::{Result, bail};
use pessimum_input::Signature;
use pessimum_languages::{Calls, load};
use pessimum_report::names::listed;

use crate::flags::{CallFlag, SubjectFlags};
use crate::output::tell;
use crate::python;

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
