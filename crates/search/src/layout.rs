//! The layout of an input as a search sees it: variables with their ranges, and the conditions between them.

use crate::variable::Variable;
use pessimum_input::{Group, InputPlan, Rule};
use pessimum_term::{Arena, BinaryOp, TermId, VariableId};

/// The variables of an input, in order.
pub fn variables(plan: &InputPlan) -> Vec<Variable> {
    let of_group = |group: &Group| {
        let one = variable(group);
        group.variables().map(move |id| Variable { id, ..one.clone() })
    };
    let mut variables = Vec::with_capacity(plan.variables());
    plan.groups().for_each(|group| variables.extend(of_group(group)));
    variables
}

/// What an input has to satisfy besides the ranges of its variables: texts in UTF-8 are conditions on neighbours.
pub fn preconditions(plan: &InputPlan, arena: &mut Arena) -> Vec<TermId> {
    plan.utf8_rules().iter().filter_map(|rule| utf8_condition(arena, rule)).collect()
}

/// The first variable of a group, as the search sees it.
pub fn variable(group: &Group) -> Variable {
    let (kind, width) = (group.kind, group.kind.width());
    let full = Variable { signed: kind.is_signed(), ..Variable::unlimited(VariableId(group.first), width) };
    match group.ranges() {
        Some(ranges) => {
            let pieces: Vec<(u64, u64)> = ranges.iter().map(|range| range.ends(kind)).collect();
            Variable { float: kind.is_float(), ..full }.limited_to(&pieces)
        }
        None if full.signed => Variable { low: 1 << (width - 1), high: (1 << (width - 1)) - 1, ..full },
        None => full,
    }
}

/// A rule of UTF-8 as a term; none where the ranges of bytes say it already.
fn utf8_condition(arena: &mut Arena, rule: &Rule) -> Option<TermId> {
    /// The greatest byte of UTF-8, to which the variables are limited.
    const MOST: u8 = 0xf4;
    let at_least = |arena: &mut Arena, id: VariableId, value: u8| {
        let (byte, value) = (arena.variable(id, 8), arena.constant(8, value.into()));
        arena.binary(BinaryOp::LeU, value, byte)
    };
    let within = |arena: &mut Arena, (id, low, high): (VariableId, u8, u8)| {
        let above = at_least(arena, id, low);
        if high >= MOST {
            return above;
        }
        let beyond = at_least(arena, id, high + 1);
        let below = arena.not(beyond);
        if low == 0 { below } else { arena.binary(BinaryOp::And, above, below) }
    };
    Some(match *rule {
        Rule::Never(_, low, _) if low > MOST => return None,
        Rule::Never(id, low, high) => {
            let inside = within(arena, (id, low, high));
            arena.not(inside)
        }
        Rule::Then(one, other) => {
            let (one, other) = (within(arena, one), within(arena, other));
            let not = arena.not(one);
            arena.binary(BinaryOp::Or, not, other)
        }
        Rule::Continues(id, leads) => {
            let inside = within(arena, (id, 0x80, 0xbf));
            let mut holds = arena.not(inside);
            for (lead, least) in leads.into_iter().flatten() {
                let begun = at_least(arena, lead, least);
                holds = arena.binary(BinaryOp::Or, holds, begun);
            }
            holds
        }
    })
}
