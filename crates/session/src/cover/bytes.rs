//! Inputs as raw bytes, as fuzzers keep them.

use pessimum_input::{Argument, Content, Group, InputPlan};
use pessimum_term::Witness;

/// The parts of an input that are bytes, each with a name: arrays of bytes and texts of the call, standard input, words of
/// the command line, files. Fuzzers know inputs of one part only.
fn byte_parts(plan: &InputPlan) -> Vec<(String, Group)> {
    let mut parts = Vec::new();
    for (number, argument) in (1..).zip(&plan.arguments) {
        match argument {
            Argument::Text(group) => parts.push((format!("argument-{number}"), group.clone())),
            Argument::Buffer(group) if group.is_bytes() => {
                parts.push((format!("argument-{number}"), group.clone()));
            }
            _ => {}
        }
    }
    parts.extend(plan.stdin.clone().map(|group| ("stdin".to_string(), group)));
    let words = (1..).zip(&plan.command_line).map(|(number, content)| (format!("arg-{number}"), content));
    let files = (1..).zip(&plan.files).map(|(number, (_, content))| (format!("file-{number}"), content));
    parts.extend(words.chain(files).filter_map(|(name, content)| match content {
        Content::Input(group) => Some((name, group.clone())),
        Content::Fixed(_) => None,
    }));
    parts
}

/// The bytes of an input, by part. Numbers of other kinds are not bytes.
pub fn raw_parts(plan: &InputPlan, input: &Witness) -> Vec<(String, Vec<u8>)> {
    let bytes = |group: &Group| group.variables().map(|id| input.get(id) as u8).collect();
    byte_parts(plan).into_iter().map(|(name, group)| (name, bytes(&group))).collect()
}

/// The input with these bytes in its only part of bytes; everything else has its default. Bytes beyond the end of the
/// part are left out, missing ones have their default, and so have those that are not allowed. None if the input has no
/// such part, or several. Also says how many bytes the part has.
pub fn from_bytes(plan: &InputPlan, bytes: &[u8]) -> Option<(Witness, usize)> {
    match byte_parts(plan).as_slice() {
        [(_, group)] => Some((filled(plan, group, bytes), group.count as usize)),
        _ => None,
    }
}

/// The same with the bytes in the standard input, whatever else there is.
pub fn from_standard_input(plan: &InputPlan, bytes: &[u8]) -> Option<(Witness, usize)> {
    plan.stdin.as_ref().map(|group| (filled(plan, group, bytes), group.count as usize))
}

fn filled(plan: &InputPlan, group: &Group, bytes: &[u8]) -> Witness {
    let mut input = plan.default_witness();
    for (id, &byte) in group.variables().zip(bytes) {
        if group.allows(u64::from(byte)) {
            input.set(id, u64::from(byte));
        }
    }
    plan.repair(&mut input);
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_input::{Length, Signature};

    fn plan(call: &str, stdin: Option<&str>) -> InputPlan {
        let mut plan = InputPlan::new(Some(3));
        Signature::parse(call).unwrap().lay_out(&mut plan).unwrap();
        if let Some(length) = stdin {
            Length::parse(length).unwrap().lay_out_stdin(&mut plan).unwrap();
        }
        plan
    }

    #[test]
    fn bytes_become_inputs_and_inputs_bytes() {
        let one = plan("f(u8[n], i32, n)", None);
        let (input, length) = from_bytes(&one, b"abcdef").unwrap();
        assert_eq!((length, raw_parts(&one, &input)), (3, vec![("argument-1".to_string(), b"abc".to_vec())]));
        let (short, _) = from_bytes(&one, b"x").unwrap();
        assert_eq!(raw_parts(&one, &short)[0].1, b"x\0\0");
        let text = plan("f(str[n])", None);
        let (input, _) = from_bytes(&text, b"a\0c").unwrap();
        assert!(!raw_parts(&text, &input)[0].1.contains(&0), "a text has no zeros");
    }

    #[test]
    fn inputs_of_several_parts_are_no_raw_bytes() {
        assert!(from_bytes(&plan("f(i32[n], n)", None), b"abc").is_none());
        let two = plan("f(str[n])", Some("2"));
        assert!(from_bytes(&two, b"abc").is_none());
        let names: Vec<String> = raw_parts(&two, &two.default_witness()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["argument-1", "stdin"]);
    }
}
