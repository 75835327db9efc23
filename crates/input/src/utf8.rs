//! Bytes that are UTF-8 together: which inputs are, and the nearest one that is.
//!
//! Whether a byte may stand where it does depends on the three bytes before it at most, so validity is a conjunction of
//! conditions on neighbours ([`Rule`]), which a search takes as its precondition.

use super::{Group, InputPlan};
use pessimum_term::{VariableId, Witness};

/// First and last byte of the multi-byte sequences that begin with `lead`, in their second byte; and their length. See
/// table 3-7 of the Unicode standard.
fn sequence(lead: u8) -> Option<(usize, u8, u8)> {
    Some(match lead {
        0xc2..=0xdf => (2, 0x80, 0xbf),
        0xe0 => (3, 0xa0, 0xbf),
        0xed => (3, 0x80, 0x9f),
        0xe1..=0xef => (3, 0x80, 0xbf),
        0xf0 => (4, 0x90, 0xbf),
        0xf4 => (4, 0x80, 0x8f),
        0xf1..=0xf3 => (4, 0x80, 0xbf),
        _ => return None,
    })
}

/// A condition on neighbouring bytes: what must hold of one byte if another one is in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// This byte is not from the first to the second value.
    Never(VariableId, u8, u8),
    /// If the first byte is in its range, the second one is in its own.
    Then((VariableId, u8, u8), (VariableId, u8, u8)),
    /// If this byte is a continuation, one of these is at least so much.
    Continues(VariableId, [Option<(VariableId, u8)>; 3]),
}

impl InputPlan {
    /// Whether some bytes must be UTF-8.
    pub fn has_utf8(&self) -> bool {
        self.groups().any(|group| group.utf8)
    }

    /// Whether the bytes that must be UTF-8 are.
    pub fn is_utf8(&self, input: &Witness) -> bool {
        self.groups().filter(|group| group.utf8).all(|group| {
            let bytes: Vec<u8> = group.variables().map(|id| input.get(id) as u8).collect();
            std::str::from_utf8(&bytes).is_ok()
        })
    }

    /// Makes the bytes that must be UTF-8 so. What is valid stays; most other bytes become ASCII, some the beginning of a
    /// longer character, so that random inputs have a few of these.
    pub fn repair(&self, input: &mut Witness) {
        for group in self.groups().filter(|group| group.utf8) {
            let mut bytes: Vec<u8> = group.variables().map(|id| input.get(id) as u8).collect();
            let mut at = 0;
            while let Err(error) = std::str::from_utf8(&bytes[at..]) {
                at += error.valid_up_to();
                at += repaired(&mut bytes[at..], group.default_bits() as u8);
            }
            for (id, byte) in group.variables().zip(bytes) {
                input.set(id, byte.into());
            }
        }
    }

    /// The conditions under which the bytes that must be UTF-8 are. Each is about at most four neighbours.
    pub fn utf8_rules(&self) -> Vec<Rule> {
        self.groups().filter(|group| group.utf8).flat_map(rules).collect()
    }
}

/// Makes the invalid beginning of a text valid; says how many bytes are done with.
fn repaired(bytes: &mut [u8], least: u8) -> usize {
    let lead = bytes[0];
    if let Some((length, low, high)) = sequence(lead)
        && length <= bytes.len()
        && lead.is_multiple_of(4)
    {
        let fitting = |byte: u8, low: u8, high: u8| low + (byte & 0x3f) % (high - low + 1);
        bytes[1] = fitting(bytes[1], low, high);
        bytes[2..length].iter_mut().for_each(|byte| *byte = fitting(*byte, 0x80, 0xbf));
        return length;
    }
    bytes[0] = (lead & 0x7f).max(least);
    1
}

fn rules(group: &Group) -> Vec<Rule> {
    let (first, end) = (group.first, group.first + group.count);
    let before = |id: u32, back: u32| id.checked_sub(back).filter(|&other| other >= first).map(VariableId);
    let mut rules = Vec::new();
    for id in first..end {
        let this = VariableId(id);
        rules.push(Rule::Never(this, 0xc0, 0xc1));
        // What begins in the last places has no room.
        let most = match end - id {
            1 => 0xc0,
            2 => 0xe0,
            3 => 0xf0,
            _ => 0xf5,
        };
        rules.push(Rule::Never(this, most, 0xff));
        for (back, least) in [(1, 0xc0), (2, 0xe0), (3, 0xf0)] {
            if let Some(lead) = before(id, back) {
                rules.push(Rule::Then((lead, least, 0xff), (this, 0x80, 0xbf)));
            }
        }
        if let Some(lead) = before(id, 1) {
            for (value, low, high) in [(0xe0, 0xa0, 0xff), (0xed, 0, 0x9f), (0xf0, 0x90, 0xff), (0xf4, 0, 0x8f)] {
                rules.push(Rule::Then((lead, value, value), (this, low, high)));
            }
        }
        let leads = [(1, 0xc0), (2, 0xe0), (3, 0xf0)];
        rules.push(Rule::Continues(this, leads.map(|(back, least)| Some((before(id, back)?, least)))));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;
    use pessimum_term::random::Random;

    fn plan(call: &str, size: u64) -> InputPlan {
        let mut plan = InputPlan::new(Some(size));
        Signature::parse(call).unwrap().lay_out(&mut plan).unwrap();
        plan
    }

    fn holds(rule: &Rule, input: &Witness) -> bool {
        let within = |(id, low, high): (VariableId, u8, u8)| (u64::from(low)..=high.into()).contains(&input.get(id));
        match *rule {
            Rule::Never(id, low, high) => !within((id, low, high)),
            Rule::Then(one, other) => !within(one) || within(other),
            Rule::Continues(id, leads) => {
                !within((id, 0x80, 0xbf)) || leads.iter().flatten().any(|&(lead, least)| within((lead, least, 0xff)))
            }
        }
    }

    /// Every sequence of up to four bytes out of those at which the rules change.
    #[test]
    fn the_rules_are_those_of_utf8() {
        let edges = [
            0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
            0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
        ];
        for length in 0..=4u32 {
            let plan = plan("f(utf8[n])", length.into());
            let rules = plan.utf8_rules();
            let mut valid = 0;
            for number in 0..edges.len().pow(length) {
                let bytes: Vec<u64> = (0..length).map(|at| edges[number / edges.len().pow(at) % edges.len()]).collect();
                let input = Witness::new(bytes);
                let is_valid = plan.is_utf8(&input);
                assert_eq!(rules.iter().all(|rule| holds(rule, &input)), is_valid, "{:x?}", input.values());
                valid += u32::from(is_valid);
            }
            assert!(valid > 0);
        }
    }

    #[test]
    fn repaired_bytes_are_valid_and_valid_ones_stay() {
        let mut random = Random::new(7);
        for call in ["f(utf8[n])", "f(str utf8[n])"] {
            let plan = plan(call, 40);
            let (mut wide, mut all) = (0, 0);
            for _ in 0..300 {
                let mut input = Witness::new((0..40).map(|_| 1 + random.below(0xf4)).collect());
                plan.repair(&mut input);
                assert!(plan.is_utf8(&input), "{:x?}", input.values());
                assert!(plan.groups().all(|group| group.variables().all(|id| group.allows(input.get(id)))));
                wide += input.values().iter().filter(|&&byte| byte >= 0x80).count();
                all += input.values().len();
                let again = input.clone();
                plan.repair(&mut input);
                assert_eq!(input, again);
            }
            assert!(wide * 20 > all && wide * 2 < all, "{wide} of {all} bytes belong to longer characters");
        }
        let mut text = Witness::new("a\u{e9}\u{20ac}\u{1f600}".bytes().map(u64::from).collect());
        let before = text.clone();
        plan("f(utf8[n])", 10).repair(&mut text);
        assert_eq!(text, before);
    }
}
