//! Human-readable names, checked on the committed subjects.

use std::path::Path;

use pessimum_wasm::names::{Names, SourceLines, demangle, is_instruction};
use wasmparser::{Operator, Parser, Payload};

fn subject(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Function index and file offset of every conditional branch. (Other operators may have no line: a function's entry,
/// for example.)
fn branches(module: &[u8]) -> Vec<(u32, u64)> {
    let (mut function, mut found) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload.unwrap() {
            Payload::ImportSection(section) => function += section.into_imports().count() as u32,
            Payload::CodeSectionEntry(body) => {
                let mut operators = body.get_operators_reader().unwrap();
                while !operators.eof() {
                    let offset = operators.original_position();
                    if matches!(operators.read().unwrap(), Operator::If { .. } | Operator::BrIf { .. }) {
                        found.push((function, offset));
                    }
                }
                function += 1;
            }
            _ => {}
        }
    }
    found
}

#[test]
fn mangled_names_are_read_as_written() {
    let cases = [
        ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
        ("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"),
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"),
        ("_Z4sortPii", "sort"),
        ("plain_c_name", "plain_c_name"),
        ("_Znot_mangled", "_Znot_mangled"),
        ("", ""),
    ];
    for (mangled, expected) in cases {
        assert_eq!(demangle(mangled), expected);
    }
}

#[test]
fn every_branch_of_a_c_subject_has_its_source_line() {
    let module = subject("own/insertion_sort.wasm");
    let (names, lines) = (Names::read(&module), SourceLines::read(&module));
    let source = String::from_utf8(subject("own/insertion_sort.c")).unwrap();
    let branches = branches(&module);
    assert!(branches.len() > 2);
    for (function, offset) in branches {
        assert_eq!(names.function(function), "sort");
        let line = lines.line(offset).unwrap_or_else(|| panic!("no line for the branch at {offset:#x}"));
        assert!(line.file.ends_with("insertion_sort.c"), "{line}");
        let text = source.lines().nth(line.line as usize - 1).unwrap_or_else(|| panic!("no such line: {line}"));
        assert!(["if", "for", "while", "&&"].iter().any(|word| text.contains(word)), "{line}: {text}");
    }
    assert_eq!(names.function(1000), "func[1000]");
}

/// Damaged modules give fewer names, never a panic.
#[test]
fn damaged_modules_do_not_panic() {
    let module = subject("own/insertion_sort.wasm");
    let mut state = 7u64;
    for round in 0..3000 {
        let mut damaged = module.clone();
        for _ in 0..1 + round % 8 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] ^= 1 << (state & 7);
        }
        if round % 3 == 0 {
            damaged.truncate((state >> 20) as usize % module.len());
        }
        let names = Names::read(&damaged);
        let lines = SourceLines::read(&damaged);
        for offset in (0..damaged.len() as u64).step_by(13) {
            let _ = lines.line(offset);
        }
        let _ = names.function(0);
    }
}

#[test]
fn instruction_names_are_known() {
    for name in ["i32.add", "local.get", "br_if", "call_indirect", "memory.fill", "i64.extend_i32_s", "select", "nop"] {
        assert!(is_instruction(name), "{name}");
    }
    for name in ["i32_add", "br.if", "i32.addd", "i32", "", "default", "call.indirect", "i32..add"] {
        assert!(!is_instruction(name), "{name}");
    }
}
