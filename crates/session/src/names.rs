//! Hints for subjects that cannot be run: what was probably meant, or what there is.

use std::fmt::Write;

pub use pessimum_report::names::{listed, nearest};
use pessimum_wasm::{NO_SIZE, SubjectError};

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
