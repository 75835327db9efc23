//! Hints for names that were mistyped or are unknown: what was probably meant, or what there is.

use std::fmt::Write;

use pessimum_wasm::{NO_SIZE, SubjectError};

/// The known name that was probably meant, if one is close enough.
pub fn nearest<'n, S: AsRef<str>>(name: &str, known: &'n [S]) -> Option<&'n str> {
    let known = known.iter().map(AsRef::as_ref);
    let (distance, known) = known.map(|known| (strsim::osa_distance(name, known), known)).min()?;
    (distance <= 1 + name.chars().count() / 3).then_some(known)
}

/// The names as part of a sentence; if there are many, only the first ones.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "no function".to_string();
    }
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{}`", name.as_ref())).collect();
    let rest = names.len().saturating_sub(SHOWN);
    shown.join(", ") + &if rest > 0 { format!(" and {rest} more") } else { String::new() }
}

/// Why a subject cannot be run, and what to write instead.
pub fn with_hint(error: &SubjectError) -> String {
    let mut text = error.to_string();
    let hint = match error {
        SubjectError::NoExport { name, exported } => match nearest(name, exported) {
            Some(known) => format!("; did you mean `{known}`?"),
            None if exported.is_empty() => {
                "; the module exports no function; C functions are exported with `-Wl,--export=NAME`".to_string()
            }
            None => format!("; the module exports {}", listed(exported)),
        },
        SubjectError::NotACommand { exported } => {
            format!("; say what to run with --call or --entry. It exports {}", listed(exported))
        }
        SubjectError::NoFunction { name, known, .. } => match nearest(name, known) {
            Some(known) => format!("\ndid you mean `&{known}`?"),
            None => {
                let dropped = "a static function that nothing uses is dropped by the compiler: make it public";
                format!("\n{dropped}. The functions here: {}", listed(known))
            }
        },
        SubjectError::EntryWithParameters { .. } => "; use --call for this one".to_string(),
        _ => return text,
    };
    let _ = write!(text, "{hint}");
    text
}

/// How a run ended, with a hint if the program asked for its size in vain.
pub fn with_size_hint(end: &str) -> String {
    if end.contains(NO_SIZE) { format!("{end}; give it with --size") } else { end.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_close_enough_or_none() {
        let known = ["sort", "search", "n"];
        assert_eq!(nearest("srot", &known), Some("sort"));
        assert_eq!(nearest("serch", &known), Some("search"));
        assert_eq!(nearest("frobnicate", &known), None);
        assert_eq!(nearest::<&str>("sort", &[]), None);
    }

    #[test]
    fn many_names_are_cut() {
        let names: Vec<String> = (0..14).map(|i| format!("f{i}")).collect();
        assert!(listed(&names).ends_with("`f11` and 2 more"));
        assert_eq!(listed(&names[..1]), "`f0`");
        assert_eq!(listed::<&str>(&[]), "no function");
    }
}
