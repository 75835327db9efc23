//! The language of calls: types, hints, mistakes, and how inputs look.

use std::collections::BTreeMap;

use crate::common::{Subject, interpreter};
use pessimum_outcome::End;
use pessimum_python::{NoteKind, PythonCall, PythonError, PythonProgram, PythonSettings, PythonSource, Wanted};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::random::Random;
use serde_json::json;

const TEXT: &str = "
from collections import deque, namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, Sequence

@dataclass
class Point:
    x: int
    name: str
    tags: list = field(default_factory=list)

class Pair(NamedTuple):
    a: int
    b: list[int]

@dataclass
class Node:
    next: 'Node'

def hinted(xs: list[int], s: str, d: dict[str, int], deep: list[list[float]]) -> int:
    return len(xs) + len(s) + len(d) + len(deep)

def more(a: Sequence[tuple[int, bool]], b: set[int], c: Optional[bytes], *, key: tuple[int, ...], z=3) -> None:
    return [a, b, c, key, z]

def points(ps: list[Point], pair: Pair): return ps, pair

def endless(x: Node): pass

def bare(a, b): return a

def strange(a: object): return a

def show(*values, **named): return values, named
";

#[test]
fn types_come_from_hints() {
    let Some(python) = interpreter() else { return };
    let subject = Subject::new(&python, TEXT);
    let suggested = |name: &str| {
        let function = subject.source.functions().iter().find(|function| function.name == name).unwrap();
        (function.suggested_call.clone(), function.notes.clone())
    };
    assert_eq!(suggested("hinted").0.unwrap(), "hinted(int[n], str[n], dict(str[4]: int)[n], float[n][4])");
    assert!(suggested("hinted").1.contains(&"what is inside `d` has length 4".to_string()));
    assert_eq!(
        suggested("more").0.unwrap(),
        "more(tuple(int, bool)[n], set(int)[n], bytes[n], key=tuple(int, ...)[n])"
    );
    assert_eq!(suggested("points").0.unwrap(), "points(Point[n], Pair)");
    assert!(suggested("bare").0.unwrap_err().contains("`a` has no type hint"));
    assert!(suggested("strange").0.unwrap_err().contains("no type that inputs can be made of"));
    for name in ["hinted", "more", "points"] {
        let program = subject.program(name, 3);
        let replay = program.replay(&program.plan().default_witness(), &PathLimits::default());
        assert_eq!(replay.end, End::Returned, "{name}: {:?}", program.notes(NoteKind::LeftOut));
    }
    let hints = PythonCall::parse("hinted", &subject.source).unwrap();
    assert!(hints.sizes().iter().eq(["n"]) && !hints.notes().is_empty());
    let program = subject.program("points(Point[2], Pair)", 0);
    let shown = program.show(&program.plan().default_witness());
    assert_eq!(
        shown,
        r"points([Point(x=0, name='\x01\x01\x01\x01'), Point(x=0, name='\x01\x01\x01\x01')], Pair(a=0, b=[0, 0, 0, 0]))"
    );
}

/// What Python sees of an argument is what the text of it says, for every kind of value.
#[test]
fn arguments_are_what_their_text_says() {
    let Some(python) = interpreter() else { return };
    let subject = Subject::new(&python, TEXT);
    let mut random = Random::new(1);
    for call in [
        "show(int, int in 0..=255, int in -300..=3, int in 0..=4294967295, int in -9223372036854775808..=9223372036854775807)",
        "show(bool, bool[3], float, float in 0.0..=1.0, float[2])",
        "show(str[5], str[4] in 'a'..='z' | ' ', str[3] in 0x100..=0x2ff, str[2] in 0x10000..=0x1ffff, str[3][2])",
        "show(bytes[4], bytearray[3], bytes[2][3] in 0..=9)",
        "show(int[n], int[n][2], int[2][0], int[n + 1] in 0..n)",
        "show(tuple(int, str[2]), tuple(int,), tuple(int, ...)[1], tuple(int, bool)[2], tuple())",
        "show(set(int in 0..=3)[n], frozenset(int)[2], deque(int)[2], set(int)[0])",
        "show(dict(str[2]: int[2])[n], dict(int: tuple(bool, float in 0.0..=1.0))[2])",
        "show(Point, Pair[2], key=3, other=int)",
        "show(n, 2 * n + 1, -3, 1.5, 'it''s', \"a\", b'x\\x00', None, True, [1, [2, 'x']], {'a': (1,)}, (1, 2))",
    ] {
        let program = subject.program(call, 3);
        for _ in 0..5 {
            let input = random.witness(&program.variables());
            let ran = program.run(&input, &PathLimits::default());
            assert_eq!(ran.end, End::Returned, "{call}: {ran:?}");
            let arguments = program.arguments_text(&input);
            let text = format!("({})", arguments.join(", "));
            let (positional, named): (Vec<String>, Vec<String>) = arguments
                .into_iter()
                .partition(|argument| !argument.starts_with("key=") && !argument.starts_with("other="));
            let values = format!("({}{})", positional.join(", "), if positional.len() == 1 { "," } else { "" });
            let named: Vec<String> =
                named.iter().map(|text| text.replacen('=', "': ", 1)).map(|t| format!("'{t}")).collect();
            let expected = same(&python, &format!("({values}, {{{}}})", named.join(", ")), &ran.returned.unwrap());
            assert!(expected, "{call}: {text}");
            // The JSON form reads back.
            let json = program.plan().encode(&input, &[]);
            assert_eq!(program.plan().decode(&json).unwrap().0, input, "{call}: {json}");
        }
    }
}

/// Whether Python thinks that two texts show the same value.
fn same(python: &std::path::Path, one: &str, other: &str) -> bool {
    let program = "import sys\nfrom collections import deque, namedtuple\nclass Point:\n    def __init__(self, **k): self.k = {n: v for n, v in k.items() if n != 'tags'}\n    def __repr__(self): return f'Point({self.k})'\nPair = namedtuple('Pair', 'a b')\nnan = float('nan'); inf = float('inf')\na, b = sys.argv[1:]\nx, y = eval(a), eval(b)\nsys.exit(repr(x) != repr(y) and x != y)";
    let output = std::process::Command::new(python).args(["-c", program, one, other]).output().unwrap();
    if !output.status.success() {
        println!("{one}\n{other}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success()
}

#[test]
fn texts_are_texts_in_json() {
    let Some(python) = interpreter() else { return };
    let subject = Subject::new(&python, TEXT);
    let program = subject.program("show(str[3] in 0x20..=0x2ff, str[2][2] in 'a'..='z', int)", 0);
    let input = json!(["aéb", ["xy", "zz"], -7]);
    let (witness, _) = program.plan().decode(&input).unwrap();
    assert_eq!(program.plan().encode(&witness, &[]), input);
    assert_eq!(program.arguments_text(&witness), [r"'a\xe9b'", "['xy', 'zz']", "-7"]);
    for wrong in
        [json!(["ab", ["xy", "zz"], 0]), json!(["abc", ["xy", "z!"], 0]), json!(["ab\u{4e00}", ["xy", "zz"], 0])]
    {
        assert!(program.plan().decode(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let Some(python) = interpreter() else { return };
    let subject = Subject::new(&python, TEXT);
    let refused = |call: &str, wanted: &str| {
        let error = PythonCall::parse(call, &subject.source)
            .and_then(|call| {
                PythonProgram::new(String::new(), &subject.source, &call, Some(3), &BTreeMap::new(), Wanted::default())
            })
            .map(|_| ())
            .expect_err(call);
        assert!(error.to_string().contains(wanted), "{call}: {error}");
    };
    refused("nothing(int)", "subject.py has no function `nothing`; it has: hinted, more");
    refused("", "several functions");
    refused("bare", "`a` has no type hint; write the types of the arguments, as in `--call 'bare(int[n], int[n])'`");
    refused("bare(int)", "`bare` needs an argument for `b`");
    refused("bare(int, int, int)", "`bare` takes 2 arguments, not 3\n  bare(int, int, int)\n                 ^");
    refused("bare(int, c=int)", "`bare` has no parameter `c`");
    refused("bare(str, int)", "expected `[` and the length of the str, found `,`");
    refused("bare(list, int)", "a list of n integers is written `int[n]`");
    refused("bare(int[n], strin)", "`strin` stands for a size that was not given");
    refused("bare(int in 0..=1.5, int)", "1.5 is not a whole number");
    refused("bare(int in 5..=1, int)", "no value lies in this range");
    refused("bare(int in 0..=18446744073709551615, int)", "goes beyond 64 bits");
    refused("bare(str[3] in 0..=0xffff, int)", "are no characters");
    refused("bare(int[0 - 1], int)", "it cannot be negative");
    refused("bare(int[1000000][1000000], int)", "more than 16777216");
    refused("bare(Nothing, int)", "has no class `Nothing`");
    refused("endless", "contains itself");
    refused("bare(int, @)", "has no meaning here");
    refused("bare(int, {1: }, 2)", "neither a type nor a constant");
    refused("bare(int, 'x)", "no closing quote");
    let directory = tempfile::tempdir().unwrap();
    let absent = PythonSource::open(&PythonSettings::new(directory.path().join("no.py"))).map(|_| ());
    assert!(matches!(absent, Err(PythonError::File(_))), "{absent:?}");
    let settings =
        PythonSettings { python: Some("/no/such/python".into()), ..PythonSettings::new(subject.source.file()) };
    assert!(matches!(PythonSource::open(&settings).map(|_| ()), Err(PythonError::Interpreter(_))));
}

#[test]
fn an_old_interpreter_is_refused_with_its_version() {
    let Some(home) = std::env::var_os("HOME") else { return };
    let versions = std::path::Path::new(&home).join(".pyenv/versions");
    for old in ["2.7.18", "3.6.15", "3.9.18"] {
        let python = versions.join(old).join("bin/python");
        if !python.is_file() {
            continue;
        }
        let error = Subject::open(&python, "def f(x): return x\n", std::time::Duration::from_secs(20));
        match error.map(|_| ()).map_err(|(_, error)| error) {
            Err(PythonError::TooOld { version, .. }) => assert_eq!(version, old),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn packages_and_modules_beside_the_file_are_found_and_start_fresh() {
    let Some(python) = interpreter() else { return };
    let directory = tempfile::tempdir().unwrap();
    let package = directory.path().join("outer/inner");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(directory.path().join("outer/__init__.py"), "").unwrap();
    std::fs::write(package.join("__init__.py"), "COUNT = []\n").unwrap();
    std::fs::write(package.join("other.py"), "SEEN = []\ndef see(x):\n    SEEN.append(x)\n    return len(SEEN)\n")
        .unwrap();
    let file = package.join("mod.py");
    std::fs::write(&file, "from .other import see\nfrom outer import inner\nimport random\ndef f(x):\n    inner.COUNT.append(x)\n    return [see(x), len(inner.COUNT), __name__, random.random()]\n").unwrap();
    let source = PythonSource::open(&PythonSettings { python: Some(python), ..PythonSettings::new(&file) }).unwrap();
    assert_eq!((source.module(), source.files().len()), ("outer.inner.mod", 4));
    let call = PythonCall::parse("f(int)", &source).unwrap();
    let program = PythonProgram::new("f".into(), &source, &call, None, &BTreeMap::new(), Wanted::default()).unwrap();
    let first = program.run(&Default::default(), &PathLimits::default()).returned.unwrap();
    assert!(first.starts_with("[1, 1, 'outer.inner.mod', 0."), "{first}");
    for _ in 0..3 {
        assert_eq!(program.run(&Default::default(), &PathLimits::default()).returned.unwrap(), first);
    }
}
