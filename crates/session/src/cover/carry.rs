//! Inputs of one size as inputs of another: what reached something there may reach it, or more, when it is longer.

use pessimum_input::{Group, InputPlan};
use pessimum_term::Witness;

/// How an array is brought to another length.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// Its end is cut off, or defaults follow it.
    End,
    /// Its beginning is cut off, or defaults come before it: for what is read from its end.
    Beginning,
    /// It is repeated.
    Repeat,
}

/// An input laid out for one size as inputs for another, each different from the others. What is not allowed there has its
/// default.
pub fn carried(from: &InputPlan, to: &InputPlan, input: &Witness) -> Vec<Witness> {
    let mut made: Vec<Witness> = Vec::new();
    for manner in [Manner::End, Manner::Beginning, Manner::Repeat] {
        let mut values = Vec::new();
        for (old, new) in from.groups().zip(to.groups()) {
            let old: Vec<u64> = old.variables().map(|id| input.get(id)).collect();
            values.extend(brought(&old, new, manner));
        }
        // What the program asks for while it runs comes after everything that is laid out.
        values.extend(input.values().iter().skip(from.variables()));
        let mut one = Witness::new(values);
        to.repair(&mut one);
        if !made.contains(&one) {
            made.push(one);
        }
    }
    made
}

fn brought(old: &[u64], new: &Group, manner: Manner) -> Vec<u64> {
    let (count, default) = (new.count as usize, new.default_bits());
    let at = |index: usize| match manner {
        Manner::End => old.get(index).copied(),
        Manner::Beginning => (index + old.len()).checked_sub(count).and_then(|index| old.get(index).copied()),
        Manner::Repeat => old.get(index % old.len().max(1)).copied(),
    };
    (0..count).map(|index| at(index).filter(|&value| new.allows(value)).unwrap_or(default)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_input::Signature;

    fn plan(call: &str, size: u64) -> InputPlan {
        let mut plan = InputPlan::new(Some(size));
        Signature::parse(call).unwrap().lay_out(&mut plan).unwrap();
        plan
    }

    #[test]
    fn arrays_grow_and_shrink_at_either_end_or_repeat() {
        let of = |call: &str, from, to, values: &[u64]| -> Vec<Vec<u64>> {
            let made = carried(&plan(call, from), &plan(call, to), &Witness::new(values.to_vec()));
            made.into_iter().map(|input| input.values().to_vec()).collect()
        };
        let call = "f(i32, u8[n])";
        assert_eq!(of(call, 2, 5, &[7, 1, 2]), [[7, 1, 2, 0, 0, 0], [7, 0, 0, 0, 1, 2], [7, 1, 2, 1, 2, 1]]);
        assert_eq!(of(call, 3, 2, &[7, 1, 2, 3]), [vec![7, 1, 2], vec![7, 2, 3]], "the same twice is left out");
        assert_eq!(of(call, 0, 2, &[7]), [[7, 0, 0]], "nothing to repeat");
        let with_length = "f(u8[n] in 5..=9, i32 in 0..=n)";
        assert_eq!(of(with_length, 2, 1, &[6, 9, 2]), [[6, 0], [9, 0]], "a length that is too long");
        assert_eq!(of(with_length, 1, 2, &[6, 1, 40]), [vec![6, 5, 1, 40], vec![5, 6, 1, 40], vec![6, 6, 1, 40]]);
    }
}
