//! What was costly at one size, made into inputs of another: searches at single sizes miss now and then what those at
//! other sizes found, and then the costs of a curve jump.

use pessimum_input::{Group, InputPlan};
use pessimum_search::layout::variable;
use pessimum_term::Witness;
use serde_json::Value;

/// How the elements of an array become those of a longer or shorter one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Each element several times: keeps proportions.
    Stretched,
    /// All of them over and over: keeps a pattern.
    Repeated,
    /// Only the middle over and over, between a beginning and an end.
    Filled,
    /// The last element over and over.
    Continued,
    /// Numbers of the same order without ties, as the longer array of a sort needs them.
    Ranked,
    /// The beginning, and after it what a variable has if nobody says otherwise.
    Begun,
}

const WAYS: [Way; 6] = [Way::Stretched, Way::Repeated, Way::Filled, Way::Continued, Way::Ranked, Way::Begun];

/// Inputs for `to`, made of an input for `from`, which is the same call at another size. Each array is changed by
/// itself, and single values stay. There are none if the input does not belong to `from`.
pub fn resized(from: &InputPlan, input: &Value, to: &InputPlan) -> Vec<Witness> {
    let Ok((witness, _)) = from.decode(input) else { return Vec::new() };
    let groups: Vec<(&Group, &Group)> = from.groups().zip(to.groups()).collect();
    let mut inputs: Vec<Witness> = Vec::new();
    for way in WAYS {
        let mut made = to.default_witness();
        for (old, new) in &groups {
            let values: Vec<u64> = old.variables().map(|id| witness.get(id)).collect();
            for (id, value) in new.variables().zip(way.resize_rows(&values, old, new)) {
                made.set(id, if new.allows(value) { value } else { new.default_bits() });
            }
        }
        to.repair(&mut made);
        if !inputs.contains(&made) {
            inputs.push(made);
        }
    }
    inputs
}

impl Way {
    /// The values as elements of this group. Rows, and what a record has of one kind, stay together: each is resized by
    /// itself, then their number.
    fn resize_rows(self, values: &[u64], from: &Group, to: &Group) -> Vec<u64> {
        let (old, new) = (from.row as usize, to.row as usize);
        if old <= 1 && new <= 1 {
            return self.resize(values, to);
        }
        if old == 0 || new == 0 {
            return vec![to.default_bits(); to.count as usize];
        }
        let one_row = Group { count: to.row, row: 1, ..to.clone() };
        let rows: Vec<Vec<u64>> = values.chunks(old).map(|row| self.resize(row, &one_row)).collect();
        let count = to.count as usize / new;
        if rows.is_empty() || rows.len() == count {
            return rows.concat();
        }
        // Whole rows have no order in which others would be between them.
        let way = if self == Way::Ranked { Way::Stretched } else { self };
        let default = vec![to.default_bits(); new];
        (0..count).flat_map(|i| way.source(i, rows.len(), count).map_or(&default, |i| &rows[i]).clone()).collect()
    }

    /// The values as elements of this group, which is one row.
    fn resize(self, values: &[u64], group: &Group) -> Vec<u64> {
        let (old, new) = (values.len(), group.count as usize);
        if old == 0 || old == new {
            return values.to_vec();
        }
        if self == Way::Ranked {
            return ranked(values, group);
        }
        let element = |i: usize| self.source(i, old, new).map_or_else(|| group.default_bits(), |from| values[from]);
        (0..new).map(element).collect()
    }

    /// Which of `old` elements becomes the one with this number of `new` ones; none for the default.
    fn source(self, i: usize, old: usize, new: usize) -> Option<usize> {
        let quarter = old / 4;
        match self {
            Way::Stretched => Some(i * old / new),
            Way::Repeated => Some(i % old),
            Way::Filled if i < quarter => Some(i),
            Way::Filled if new - i <= quarter => Some(old - (new - i)),
            Way::Filled => Some(quarter + (i - quarter) % (old - 2 * quarter)),
            Way::Continued => Some(i.min(old - 1)),
            Way::Begun | Way::Ranked => Some(i).filter(|&i| i < old),
        }
    }
}

/// Numbers in the order of the values, the new ones between them, spread so that neighbours differ where the group has
/// room for it.
fn ranked(values: &[u64], group: &Group) -> Vec<u64> {
    let (width, last) = (group.kind.width(), values.len() - 1);
    // Floats are compared by their bits, which is the order of positive ones.
    let number = |value: u64| ((value << (64 - width)) as i64) >> (64 - width);
    let mut sorted: Vec<i64> = values.iter().map(|&value| number(value)).collect();
    sorted.sort_unstable();
    let rank = |i: usize| sorted.partition_point(|&other| other < number(values[i])) as u128;
    let steps = (group.count as usize).saturating_sub(1).max(1);
    let spread = |i: usize| {
        let (left, part) = (i * last / steps, (i * last % steps) as u128);
        rank(left) * (steps as u128 - part) + rank((left + 1).min(last)) * part
    };
    let limited = variable(group);
    let is_limited = group.bounds.is_some() && !group.kind.is_float();
    let room = if is_limited { limited.span() } else { u64::MAX >> (65 - width) };
    let most = (last * steps).max(1) as u128;
    let scaled = |number: u128| if most > u128::from(room) { number * u128::from(room) / most } else { number };
    let bits = |number: u128| match is_limited {
        true => limited.at(scaled(number) as u64),
        false => scaled(number) as u64 & (u64::MAX >> (64 - width)),
    };
    (0..group.count as usize).map(|i| bits(spread(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_input::{Argument, Bounds, Kind, Signature};
    use serde_json::json;

    fn plan(counts: &[u32], kind: Kind, bounds: Option<Bounds>) -> InputPlan {
        let mut plan = InputPlan::new(None);
        for &count in counts {
            let group = Group { bounds, ..Group::new(plan.variables, count, kind) };
            plan.arguments.push(if count == 1 { Argument::Scalar(group) } else { Argument::Buffer(group) });
            plan.variables += count;
        }
        plan
    }

    fn made(from: &InputPlan, input: &Value, to: &InputPlan) -> Vec<Vec<u64>> {
        let listed = |witness: &Witness| to.groups().flat_map(Group::variables).map(|id| witness.get(id)).collect();
        resized(from, input, to).iter().map(listed).collect()
    }

    #[test]
    fn each_array_is_changed_by_itself() {
        let (from, to) = (plan(&[4, 1, 2], Kind::U8, None), plan(&[8, 1, 4], Kind::U8, None));
        let inputs = made(&from, &json!([[1, 2, 3, 4], 9, [5, 6]]), &to);
        assert_eq!(inputs[0], [1, 1, 2, 2, 3, 3, 4, 4, 9, 5, 5, 6, 6], "stretched");
        assert_eq!(inputs[1], [1, 2, 3, 4, 1, 2, 3, 4, 9, 5, 6, 5, 6], "repeated");
        assert_eq!(inputs[2], [1, 2, 3, 2, 3, 2, 3, 4, 9, 5, 6, 5, 6], "the middle repeated");
        assert_eq!(inputs[3], [1, 2, 3, 4, 4, 4, 4, 4, 9, 5, 6, 6, 6], "continued");
        assert_eq!(inputs[5], [1, 2, 3, 4, 0, 0, 0, 0, 9, 5, 6, 0, 0], "filled up");
        assert!(resized(&from, &json!("nothing of the kind"), &to).is_empty());
    }

    fn of_call(call: &str, size: u64) -> InputPlan {
        let mut plan = InputPlan::new(Some(size));
        Signature::parse(call).unwrap().lay_out(&mut plan).unwrap();
        plan
    }

    /// Records stay whole: what was one record is one record in the longer array.
    #[test]
    fn records_and_rows_stay_together() {
        let (from, to) = (of_call("f({u8, u8[2]}[n])", 2), of_call("f({u8, u8[2]}[n])", 4));
        let inputs = resized(&from, &json!([[[1, [2, 3]], [4, [5, 6]]]]), &to);
        let shown = |witness: &Witness| to.encode(witness, &[]);
        assert_eq!(shown(&inputs[0]), json!([[[1, [2, 3]], [1, [2, 3]], [4, [5, 6]], [4, [5, 6]]]]), "stretched");
        assert_eq!(shown(&inputs[1]), json!([[[1, [2, 3]], [4, [5, 6]], [1, [2, 3]], [4, [5, 6]]]]), "repeated");
        let (from, to) = (of_call("f(u8[n][n])", 2), of_call("f(u8[n][n])", 4));
        let inputs = resized(&from, &json!([[[1, 2], [3, 4]]]), &to);
        let stretched = json!([[[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]]]);
        assert_eq!(to.encode(&inputs[0], &[]), stretched, "a matrix grows in both directions");
    }

    #[test]
    fn values_of_unions_stay_in_them() {
        let call = "f(u8[n] in 1..=3 | 9 | 20..=22)";
        let (from, to) = (of_call(call, 3), of_call(call, 7));
        let inputs = made(&from, &json!([[21, 9, 2]]), &to);
        assert!(inputs.iter().flatten().all(|value| [1, 2, 3, 9, 20, 21, 22].contains(value)), "{inputs:?}");
        assert_eq!(inputs[inputs.len() - 2], [22, 21, 20, 9, 3, 2, 1], "ranked");
    }

    #[test]
    fn an_order_stays_without_ties() {
        let (from, to) = (plan(&[3], Kind::I32, None), plan(&[7], Kind::I32, None));
        let inputs = made(&from, &json!([[5, -1, -2_000_000_000]]), &to);
        let ranked = &inputs[inputs.len() - 2];
        assert!(ranked.is_sorted_by(|one, other| one > other), "{ranked:?}");
        let shorter = made(&to, &json!([[7, 6, 5, 4, 3, 2, 1]]), &from);
        assert!(shorter.iter().all(|input| input.len() == 3) && shorter[0] == [7, 5, 3], "{shorter:?}");
    }

    #[test]
    fn values_stay_within_their_bounds() {
        let bounds = Some(Bounds::Unsigned { low: 3, high: 5 });
        let (from, to) = (plan(&[3], Kind::U8, bounds), plan(&[9], Kind::U8, bounds));
        for input in made(&from, &json!([[5, 4, 3]]), &to) {
            assert!(input.iter().all(|value| (3..=5).contains(value)), "{input:?}");
        }
    }
}
