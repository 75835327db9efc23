//! Values as the language of the source writes them.

use pessimum_input::Signature;
use pessimum_term::Witness;
use pessimum_wasm::Subject;

use crate::Target;
use crate::plan::{StartPlan, SubjectPlan};

/// The arguments of a call as its author would write them, where the module knows that; none where they are what
/// `--input` takes.
pub fn arguments(program: &Target, plan: &SubjectPlan, input: &Witness) -> Option<Vec<String>> {
    program.written(plan, input)
}

/// The same of a module whose input is laid out.
pub fn of_subject(subject: &Subject, plan: &SubjectPlan, input: &Witness) -> Option<Vec<String>> {
    let StartPlan::Call(call) = &plan.start else { return None };
    pessimum_languages::arguments(subject.module(), &Signature::parse(call).ok()?.name, subject.plan(), input)
}
