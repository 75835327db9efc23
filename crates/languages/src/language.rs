//! What is asked of a source language.

use std::path::Path;

use anyhow::Result;
use pessimum_input::Signature;

use crate::cache::{About, Cache, Hidden};
use crate::calling::{CCall, Declared, How};
use crate::suite::{Case, Emitted};
use crate::values::{Datum, Form};
use crate::wanted::Wanted;

/// A language whose sources are compiled.
pub trait Language: Sync {
    /// Whether this is one of its sources; `ending` is the extension of the name.
    fn is_source(&self, path: &Path, ending: &str) -> bool;

    /// Builds a module with source lines. Says what is known about its functions, too.
    fn build(&self, wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)>;

    /// The author's functions among those that a module exports.
    fn functions<'m>(&self, about: &About, exported: Vec<&'m str>) -> Vec<&'m str> {
        exported.into_iter().filter(|name| about.functions.iter().any(|own| own == name)).collect()
    }

    /// Whether a function that cannot be called is worth mentioning: of some kinds there are many.
    fn is_mentioned(&self, _hidden: &Hidden) -> bool {
        true
    }

    /// Refuses a call that does not fit the types of its function, which has so many parameters. `hint` is the call that follows
    /// from them.
    fn check_call(&self, _wanted: &Wanted<'_>, _call: &Signature, _hint: &str, _parameters: usize) -> Result<()> {
        Ok(())
    }

    /// Why the module has no such function, where the source mentions one.
    fn why_missing(&self, _source: &Path, _function: &str) -> Option<String> {
        None
    }

    /// What is wrong with a source that has no function to call.
    fn why_none(&self) -> &'static str;

    /// What to add to a list of all functions when another one was named.
    fn besides(&self) -> &'static str {
        ""
    }

    /// Whether `--with` can choose types for parameters.
    fn has_type_parameters(&self) -> bool {
        false
    }

    /// Whether `--with` can choose how much room there is for collections inside other values.
    fn has_collections(&self) -> bool {
        false
    }

    /// The functions that tests can call one after the other, where they are known from the source; otherwise they are guessed
    /// from debug information.
    fn declared<'a>(&self, _about: &'a About) -> Option<&'a [Declared]> {
        None
    }

    /// How tests call a function of which debug information says how it is called in C.
    fn test_call(&self, _call: CCall) -> How {
        How::Unknown
    }

    /// Writes tests of these functions. `None` where no tests are written in this language.
    fn write_tests(&self, _functions: &[Declared], _wanted: &Wanted<'_>, _cases: &[Case]) -> Result<Option<Emitted>> {
        Ok(None)
    }

    /// The section of a module in which the language's values are described.
    fn values_section(&self) -> Option<&'static str> {
        None
    }

    /// Writes a value for a reader; `None` where the form does not fit the numbers.
    fn write_value(&self, _form: &Form, _value: &Datum) -> Option<String> {
        None
    }
}
