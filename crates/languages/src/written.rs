//! What a module says about how the values of its functions are written.

use std::collections::BTreeSet;

use pessimum_input::{Argument, InputPlan};
use pessimum_term::Witness;
use pessimum_wasm::Module;

use crate::compiled::LANGUAGES;
use crate::language::Language;
use crate::values::{Scalar, Values, datum, numbers, places, texts as mark};

/// A longer section is not looked at: it is nothing that we made.
const LONGEST_SECTION: usize = 4 << 20;

/// The arguments of a call of this function as its author would write them, where the module knows that; none where they
/// are what `--input` takes. `plan` is the input that the call is passed.
pub fn arguments(module: &Module, function: &str, plan: &InputPlan, input: &Witness) -> Option<Vec<String>> {
    let (language, all) = of_module(module)?;
    let known = all.get(function)?;
    let given: Vec<Vec<Scalar>> =
        plan.arguments.iter().map(|argument| numbers(argument, input)).collect::<Option<_>>()?;
    let mut given = given.iter().map(Vec::as_slice);
    let texts: Vec<String> = known
        .iter()
        .map(|one| language.write_value(&one.form, &datum(&one.outline, &mut given)?))
        .collect::<Option<_>>()?;
    given.next().is_none().then_some(texts)
}

/// Marks the bytes in a call of this function that are texts inside other values.
pub fn mark_texts(module: &Module, name: &str, plan: &mut InputPlan) {
    let Some(known) = of_module(module).and_then(|(_, mut all)| all.remove(name)) else { return };
    let Some(places) = plan.arguments.iter().map(places).collect::<Option<Vec<_>>>() else { return };
    let mut places = places.iter().map(Vec::as_slice);
    let mut texts = BTreeSet::new();
    for one in &known {
        let Some(datum) = datum(&one.outline, &mut places) else { return };
        mark(&one.form, &datum, &mut texts);
    }
    for group in plan.arguments.iter_mut().flat_map(Argument::groups_mut) {
        group.text = texts.contains(&group.first);
    }
}

/// What a module says about the values of its functions, and in which language; none where it has no such section, or one
/// that is damaged.
fn of_module(module: &Module) -> Option<(&'static dyn Language, Values)> {
    let find = |language: &'static dyn Language| {
        let name = language.values_section()?;
        let section = module.custom_sections().iter().find(|section| section.name == name)?;
        let values = (section.data.len() <= LONGEST_SECTION).then(|| serde_json::from_slice(&section.data).ok());
        Some((language, values.flatten()?))
    };
    LANGUAGES.into_iter().find_map(find)
}
