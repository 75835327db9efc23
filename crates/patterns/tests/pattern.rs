//! Patterns: what small inputs of known programs lead to, and code that writes the same bytes as the generator.

use std::path::Path;
use std::process::Command;

use pessimum_patterns::code::{Coded, Form, Language, code, written};
use pessimum_patterns::{
    Atom, Effort, Example, Filling, List, Material, Number, Pattern, Runner, Segment, Sequence, Slack, Slot, Times,
    Trial, synthesise,
};
use pessimum_search::program::Variable;
use pessimum_term::VariableId;

fn bytes(count: usize) -> Slot {
    let variable = Variable::unlimited(VariableId(0), 8);
    Slot { count, scalar: false, text: true, number: Number::Unsigned, variable }
}

fn numbers(count: usize) -> Slot {
    let full = Variable::unlimited(VariableId(0), 32);
    let variable = Variable { signed: true, low: 1 << 31, high: (1 << 31) - 1, ..full };
    Slot { count, scalar: false, text: false, number: Number::Signed, variable }
}

/// A program in Rust: the cost of an input, and where it is spent.
struct Native {
    slot: fn(usize) -> Slot,
    cost: fn(&[u64]) -> Vec<u64>,
}

impl Runner for Native {
    fn slots(&self, size: u64) -> Option<Vec<Slot>> {
        Some(vec![(self.slot)(size as usize)])
    }

    fn run(&mut self, _size: u64, values: Vec<u64>, instructions: u64) -> Trial {
        let arms = (self.cost)(&values);
        let cost: u64 = arms.iter().sum::<u64>() + 1;
        Trial { cost: cost.min(instructions), instructions: cost.min(instructions), cut: cost > instructions, arms }
    }

    fn is_spent(&self) -> bool {
        false
    }
}

fn effort() -> Effort {
    Effort { induced: 4000, evolved: 1500, patience: 800, instructions: 400_000_000, seed: 1 }
}

/// What the patterns that are found for a program cost at a size.
fn found(program: &mut Native, examples: &[&str], texts: &[&str], size: u64) -> Vec<u64> {
    let examples = examples.iter().map(|text| Example {
        size: text.len() as u64,
        values: text.bytes().map(u64::from).collect(),
        cost: (program.cost)(&text.bytes().map(u64::from).collect::<Vec<u64>>()).iter().sum(),
    });
    let texts = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    let material = Material { examples: examples.collect(), texts };
    let candidates = synthesise(program, &material, 16, &effort());
    let slots = program.slots(size).unwrap();
    candidates.iter().map(|found| (program.cost)(&found.pattern.at(size, &slots)).iter().sum()).collect()
}

/// Each `)` walks back to the beginning of its depth: quadratic only for deep nesting that is closed.
fn nesting(values: &[u64]) -> Vec<u64> {
    let (mut depth, mut walked) = (0u64, 0);
    for &value in values {
        match value as u8 {
            b'(' => depth += 1,
            b')' if depth > 0 => {
                walked += depth;
                depth -= 1;
            }
            _ => return vec![values.len() as u64, walked],
        }
    }
    vec![values.len() as u64, walked]
}

#[test]
fn nesting_is_pumped_in_two_places() {
    let mut program = Native { slot: bytes, cost: nesting };
    let costs = found(&mut program, &["((((((()))))))(", "(((())))"], &[], 1000);
    assert!(costs[0] >= 120_000, "n^2/8 is 125,000: {costs:?}");
}

/// Names up to a `;`, each compared with all before it, after a word that must be there.
fn names(values: &[u64]) -> Vec<u64> {
    let text: Vec<u8> = values.iter().map(|&value| value as u8).collect();
    let Some(rest) = text.strip_prefix(b"let ") else { return vec![1, 0] };
    let mut known: Vec<&[u8]> = Vec::new();
    let mut compared = 0;
    for name in rest.split(|&byte| byte == b';') {
        match known.iter().position(|other| *other == name) {
            Some(at) => compared += at as u64,
            None => {
                compared += known.len() as u64;
                known.push(name);
            }
        }
    }
    vec![text.len() as u64, compared]
}

#[test]
fn distinct_names_are_made_after_a_prefix() {
    let mut program = Native { slot: bytes, cost: names };
    let costs = found(&mut program, &["let a;b;c;d;e;f;", "let x;y;z"], &["let "], 4000);
    // Names of up to three letters and a semicolon: a thousand names.
    assert!(costs[0] > 400_000, "{costs:?}");
}

/// Two loops that no input feeds at the same time.
fn two_causes(values: &[u64]) -> Vec<u64> {
    let count = |byte: u8| values.iter().filter(|&&value| value == u64::from(byte)).count() as u64;
    vec![values.len() as u64, count(b'a').pow(2), count(b'b').pow(2) / 2]
}

#[test]
fn different_causes_are_kept_apart() {
    let mut program = Native { slot: bytes, cost: two_causes };
    let costs = found(&mut program, &["aaaaaaaabbbbbbbb"], &[], 1000);
    assert!(costs.len() >= 2 && costs[0] == 1_001_000 && costs[1] == 501_000, "{costs:?}");
}

/// Insertion sort: shifts.
fn shifts(values: &[u64]) -> Vec<u64> {
    let signed: Vec<i32> = values.iter().map(|&value| value as u32 as i32).collect();
    let mut shifts = 0;
    for i in 0..signed.len() {
        shifts += signed[..i].iter().filter(|&&other| other > signed[i]).count() as u64;
    }
    vec![signed.len() as u64, shifts]
}

#[test]
fn orders_are_recognised() {
    let mut program = Native { slot: numbers, cost: shifts };
    let example = |values: &[i32]| Example {
        size: values.len() as u64,
        values: values.iter().map(|&value| u64::from(value as u32)).collect(),
        cost: 1,
    };
    let material = Material { examples: vec![example(&[9, 7, 7, 3, 1, -5, -6, -100])], texts: Vec::new() };
    let candidates = synthesise(&mut program, &material, 8, &effort());
    let values = candidates[0].pattern.at(300, &[numbers(300)]);
    assert!(shifts(&values)[1] >= 44_000, "n(n-1)/2 is 44,850: {:?}", candidates[0].pattern);
}

/// The same seed gives the same generators.
#[test]
fn synthesis_can_be_repeated() {
    let patterns = || {
        let mut program = Native { slot: bytes, cost: nesting };
        let example = Example { size: 4, values: b"(())".map(u64::from).to_vec(), cost: 9 };
        let material = Material { examples: vec![example], texts: Vec::new() };
        let small = Effort { evolved: 300, ..effort() };
        synthesise(&mut program, &material, 4, &small).into_iter().map(|found| found.pattern).collect::<Vec<Pattern>>()
    };
    assert_eq!(patterns(), patterns());
}

fn values(text: &str) -> Atom {
    Atom::Values(text.bytes().map(i64::from).collect())
}

fn segment(block: Vec<Atom>, times: Times) -> Segment {
    Segment { block, times }
}

/// A pattern, its slots at a size, their lengths and the form of the input.
type Construct = (Pattern, fn(usize) -> Vec<Slot>, Vec<(u64, i64)>, Form);

/// Patterns that use everything that the language has, with the form of their input.
fn every_construct() -> Vec<Construct> {
    let text = |segments: Vec<Segment>, slack| Pattern { slots: vec![Filling::List(List { segments, slack })] };
    let one_text: fn(usize) -> Vec<Slot> = |n| vec![bytes(n)];
    let number = |times, base, step| Atom::Number(Sequence::Straight { times, base, step });
    let name = Atom::Name { first: b'a'.into(), letters: 26, width: 1 };
    let wide = Atom::Name { first: b'0'.into(), letters: 10, width: 3 };
    let list = |segments, slack| Filling::List(List { segments, slack });
    vec![
        (
            text(
                vec![
                    segment(vec![values("<\n")], Times::Fixed(1)),
                    segment(vec![values("("), name], Times::Share(2)),
                    segment(vec![values("x"), Atom::Decimal], Times::Share(1)),
                    segment(vec![values("\\\"")], Times::Fixed(2)),
                ],
                Slack::Pad(1, b' '.into()),
            ),
            one_text,
            vec![(1, 0)],
            Form::Raw,
        ),
        (
            text(vec![segment(vec![wide, values(",")], Times::Share(1))], Slack::More(0)),
            one_text,
            vec![(1, 0)],
            Form::Raw,
        ),
        (
            Pattern {
                slots: vec![
                    list(
                        vec![
                            segment(vec![number(0, 0, 1), number(2, -1, -1)], Times::Share(1)),
                            segment(vec![Atom::Number(Sequence::Middle)], Times::Share(3)),
                            segment(vec![Atom::Values(vec![-7, 1 << 30])], Times::Fixed(1)),
                        ],
                        Slack::More(1),
                    ),
                    Filling::Scalar { per_size: 2, base: -3 },
                    list(
                        vec![
                            segment(
                                vec![Atom::Number(Sequence::Modular { base: 3, step: 7, modulus: 0 })],
                                Times::Share(1),
                            ),
                            segment(vec![number(1, -1, -1)], Times::Share(1)),
                        ],
                        Slack::More(0),
                    ),
                ],
            },
            |n| {
                let scalar = Slot { count: 1, scalar: true, ..numbers(1) };
                let variable = Variable { low: 5, high: 20, ..Variable::unlimited(VariableId(0), 8) };
                vec![numbers(n), scalar, Slot { variable, ..bytes(2 * n + 1) }]
            },
            vec![(1, 0), (0, 1), (2, 1)],
            Form::Json(vec![Some(0), None, Some(1), Some(2)]),
        ),
        (
            Pattern { slots: vec![list(vec![segment(vec![number(0, 2, 2)], Times::Share(1))], Slack::More(0))] },
            |n| {
                let variable = Variable { low: 5, high: 20, ..Variable::unlimited(VariableId(0), 8) };
                vec![Slot { variable, ..bytes(n) }]
            },
            vec![(1, 0)],
            Form::Json(vec![Some(0)]),
        ),
    ]
}

/// Runs a program in the language; none where there is no compiler or interpreter for it.
fn run(language: Language, text: &str, place: &Path, sizes: &[usize]) -> Option<Vec<Vec<u8>>> {
    let source = place.join(format!("pattern.{}", language.extension()));
    let binary = place.join(format!("pattern-{}", language.extension()));
    std::fs::write(&source, text).unwrap();
    let compiled = match language {
        Language::Python => None,
        Language::Rust => {
            Some(Command::new("rustc").arg("--edition=2021").arg("-o").arg(&binary).arg(&source).output())
        }
        Language::C => Some(Command::new("cc").arg("-std=c99").arg("-o").arg(&binary).arg(&source).output()),
    };
    match compiled {
        Some(Ok(output)) => {
            assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
        }
        Some(Err(_)) => return None,
        None => {}
    }
    let mut written = Vec::new();
    for size in sizes {
        let mut command = match language {
            Language::Python => {
                let mut python = Command::new("python3");
                python.arg(&source);
                python
            }
            Language::Rust | Language::C => Command::new(&binary),
        };
        let output = command.arg(size.to_string()).output().ok()?;
        assert!(output.status.success(), "{language:?} at {size}: {}", String::from_utf8_lossy(&output.stderr));
        written.push(output.stdout);
    }
    Some(written)
}

/// The programs write the same bytes as the generator, at sizes at which everything fits and at which hardly anything does.
#[test]
fn code_writes_what_the_generator_gives() {
    let place = tempfile::tempdir().unwrap();
    let sizes = [0, 1, 7, 50, 333];
    let mut missing = Vec::new();
    for (pattern, slots, lengths, form) in every_construct() {
        for language in Language::ALL {
            let at_any = slots(100);
            let coded = Coded { pattern: &pattern, slots: &at_any, lengths: &lengths, form: &form, words: "some" };
            let text = code(&coded, language).expect("all of these have code");
            let Some(outputs) = run(language, &text, place.path(), &sizes) else {
                missing.push(language);
                continue;
            };
            for (size, output) in sizes.iter().zip(outputs) {
                let slots = slots(*size);
                let expected = written(&form, &slots, &pattern.at(*size as u64, &slots));
                assert_eq!(
                    String::from_utf8_lossy(&output),
                    String::from_utf8_lossy(&expected),
                    "{language:?} at {size}: {pattern:?}"
                );
            }
        }
    }
    if !missing.is_empty() {
        eprintln!("not run, because their compilers are missing: {missing:?}");
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{missing:?}");
    }
}
