//! Every rewrite rule: where it applies, where it does not, and that it never changes a value.

use std::collections::{BTreeMap, BTreeSet};

use pessimum_term::{Arena, Evaluator, Node, TermId, VariableId, Variables, Witness, ops};
use pessimum_testkit::rules::{self, Expression, Operands};

/// Pairs of constants: all of them for the narrowest widths, otherwise corners and some in between.
fn constants(width: u32) -> Vec<(u64, u64)> {
    let all = ops::mask(width);
    let chosen: Vec<u64> = if width <= 3 {
        (0..=all).collect()
    } else {
        let top = 1u64 << (width - 1);
        let mut chosen = vec![0, 1, 2, 3, 5, 6, top - 1, top, top + 1, all / 3, all / 5 * 2, all - 1, all];
        chosen.iter_mut().for_each(|value| *value &= all);
        chosen
    };
    chosen.iter().flat_map(|&c| chosen.iter().map(move |&d| (c, d))).collect()
}

fn rules_applied(expression: &Expression) -> Vec<&'static str> {
    let mut arena = Arena::new();
    arena.record_rules();
    expression.build(&mut arena);
    arena.record_rules()
}

#[test]
fn every_rule_has_a_case() {
    let names: BTreeSet<_> = pessimum_term::rewrite_rules().collect();
    let cases = rules::all();
    let tested: BTreeSet<_> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names, tested);
    assert_eq!(tested.len(), cases.len(), "a rule has two cases");
}

#[test]
fn rules_apply_where_they_should_and_nowhere_else() {
    let mut failures = BTreeSet::new();
    for case in rules::all() {
        let (mut widths, mut left_alone) = (0, 0);
        for width in (2..=9).chain([31, 32, 64]) {
            // By position of the expression: whether the rule applied for some constants.
            let mut applied = BTreeMap::new();
            for (c, d) in constants(width) {
                let operands = Operands { width, c, d };
                for (position, expression) in (case.applies)(&operands).iter().enumerate() {
                    *applied.entry(position).or_insert(false) |= rules_applied(expression).contains(&case.name);
                }
                for expression in (case.does_not_apply)(&operands) {
                    left_alone += 1;
                    if rules_applied(&expression).contains(&case.name) {
                        failures.insert(format!("{} applies to {expression:?}, width {width}", case.name));
                    }
                }
            }
            for (position, _) in applied.iter().filter(|(_, applied)| !**applied) {
                failures.insert(format!("{} does not apply to expression {position}, width {width}", case.name));
            }
            widths += !applied.is_empty() as u32;
        }
        assert!(widths >= 4 && left_alone > 0, "{} is hardly tested", case.name);
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The values of many inputs at once, by term.
struct Columns<'a> {
    arena: &'a Arena,
    columns: BTreeMap<TermId, Vec<u64>>,
}

impl Columns<'_> {
    fn fill(&mut self, term: TermId, inputs: &BTreeMap<VariableId, Vec<u64>>, count: usize) {
        if self.columns.contains_key(&term) {
            return;
        }
        for child in self.arena.children(term) {
            self.fill(child, inputs, count);
        }
        let width = self.arena.width(term);
        let of = |term: TermId| &self.columns[&term];
        let column = match self.arena.node(term) {
            Node::Constant(value) => vec![value; count],
            Node::Variable(variable) => inputs[&variable].clone(),
            Node::Unary(op, x) => {
                let from = self.arena.width(x);
                of(x).iter().map(|&x| ops::unary(op, from, width, x)).collect()
            }
            Node::Binary(op, x, y) => {
                let from = self.arena.width(x);
                of(x).iter().zip(of(y)).map(|(&x, &y)| ops::binary(op, from, x, y)).collect()
            }
            Node::Extract { of: x, low } => of(x).iter().map(|x| x >> low & ops::mask(width)).collect(),
            Node::Concat { high, low } => {
                let shift = self.arena.width(low);
                of(high).iter().zip(of(low)).map(|(high, low)| high << shift | low).collect()
            }
            Node::IfThenElse { condition, then, otherwise } => {
                (0..count).map(|i| if of(condition)[i] == 1 { of(then)[i] } else { of(otherwise)[i] }).collect()
            }
        };
        self.columns.insert(term, column);
    }
}

/// Compares the two terms on all inputs.
fn prove(name: &str, arena: &Arena, plain: TermId, rewritten: TermId, widths: &BTreeMap<VariableId, u32>) {
    const AT_ONCE: u64 = 1 << 13;
    let bits: u32 = widths.values().sum();
    let mut first = 0u64;
    while first < 1 << bits {
        let count = AT_ONCE.min((1 << bits) - first);
        let mut shift = 0;
        let mut inputs = BTreeMap::new();
        for (&variable, &width) in widths {
            let column = (first..first + count).map(|input| input >> shift & ops::mask(width)).collect();
            inputs.insert(variable, column);
            shift += width;
        }
        let mut columns = Columns { arena, columns: BTreeMap::new() };
        columns.fill(plain, &inputs, count as usize);
        columns.fill(rewritten, &inputs, count as usize);
        if let Some(at) = (0..count as usize).find(|&i| columns.columns[&plain][i] != columns.columns[&rewritten][i]) {
            panic!(
                "{name}: {} is not {} for {:?}",
                arena.display(plain),
                arena.display(rewritten),
                inputs.iter().map(|(variable, column)| (variable.0, column[at])).collect::<Vec<_>>()
            );
        }
        first += count;
    }
}

fn variable_widths(arena: &Arena, term: TermId) -> BTreeMap<VariableId, u32> {
    let mut found = BTreeMap::new();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if let Some(variable) = arena.as_variable(term) {
            found.insert(variable, arena.width(term));
        }
        pending.extend(arena.children(term));
    }
    found
}

#[test]
fn rules_keep_the_value_of_every_input_up_to_eight_bits() {
    // Three bytes are sixteen million inputs: with three operands, ordinary runs try six bits each.
    let most_bits = if std::env::var_os("PESSIMUM_SCALE").is_some() { 24 } else { 20 };
    for case in rules::all() {
        // Seven bits would show nothing that six and eight do not.
        for width in [2, 3, 4, 5, 6, 8] {
            // An expression without constants is the same for all pairs.
            let mut proved = BTreeSet::new();
            for (c, d) in constants(width) {
                let operands = Operands { width, c, d };
                for expression in (case.applies)(&operands).into_iter().chain((case.does_not_apply)(&operands)) {
                    if !proved.insert(format!("{expression:?}")) {
                        continue;
                    }
                    let mut arena = Arena::without_rewriting();
                    let plain = expression.build(&mut arena);
                    arena.set_rewriting(true);
                    let rewritten = expression.build(&mut arena);
                    let widths = variable_widths(&arena, plain);
                    if widths.values().sum::<u32>() > most_bits {
                        continue;
                    }
                    prove(case.name, &arena, plain, rewritten, &widths);
                }
            }
        }
    }
}

#[test]
fn rules_keep_values_of_chosen_wide_inputs() {
    for case in rules::all() {
        for width in [13, 32, 33, 64] {
            let corners = constants(width);
            for &(c, d) in &corners {
                let operands = Operands { width, c, d };
                for expression in (case.applies)(&operands) {
                    let mut arena = Arena::without_rewriting();
                    let plain = expression.build(&mut arena);
                    arena.set_rewriting(true);
                    let rewritten = expression.build(&mut arena);
                    let count = Variables::new().of(&arena, plain).last().map_or(0, |last| last.0 + 1);
                    // Corner values for all variables, each variable at a different place in the list.
                    for start in 0..13 {
                        let values = (0..count as usize).map(|v| corners[(start * 7 + v * 5) % corners.len()].1);
                        let mut evaluator = Evaluator::new(Witness::new(values.collect()));
                        let (a, b) = (evaluator.value(&arena, plain), evaluator.value(&arena, rewritten));
                        assert_eq!(a, b, "{}: {}", case.name, arena.display(plain));
                    }
                }
            }
        }
    }
}
