//! No class is stated of a Python program whose work in C grows faster than the costs that are counted, and classes stay
//! where it does not: functions whose class in time is known by how they are made.

use std::collections::BTreeMap;

use pessimum_python::{PythonCall, PythonProgram, PythonSettings, PythonSource, Wanted};
use pessimum_report::class::Class;
use pessimum_report::doubts::Uncounted;
use pessimum_report::fit::{Growth, fit};
use pessimum_report::work::{Operation, Work, judged};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_term::Witness;

/// A function of each kind: its call, its class in time, and whether its work in C is bounded by its lines, so that the
/// class is stated. Lists ascend from 0, texts are of the letter a.
const FUNCTIONS: &[(&str, &str, bool, &str)] = &[
    (
        "dedupe(int[n])",
        "n^2",
        false,
        "def dedupe(xs):\n out = []\n for x in xs:\n  if x not in out:\n   out.append(x)\n",
    ),
    ("grow(str[n])", "n^2", false, "def grow(s):\n out = ''\n for c in s:\n  out += c\n return out\n"),
    ("grow_bytes(bytes[n])", "n^2", false, "def grow_bytes(b):\n out = b''\n for c in b:\n  out = out + b'x'\n"),
    ("grow_tuple(int[n])", "n^2", false, "def grow_tuple(xs):\n out = ()\n for x in xs:\n  out += (x,)\n"),
    ("slices(str[n])", "n^2", false, "def slices(s):\n while s:\n  s = s[1:]\n"),
    ("first(int[n])", "n^2", false, "def first(xs):\n while xs:\n  xs.pop(0)\n"),
    ("front(int[n])", "n^2", false, "def front(xs):\n out = []\n for x in xs:\n  out.insert(0, x)\n"),
    ("cut(int[n])", "n^2", false, "def cut(xs):\n while xs:\n  del xs[0]\n"),
    ("ordered(int[n])", "n log n", false, "def ordered(xs):\n for x in xs:\n  pass\n return sorted(xs)\n"),
    ("counts(str[n])", "n^2", false, "def counts(s):\n k = 0\n for c in s:\n  k += s.count(c)\n return k\n"),
    ("replaces(str[n])", "n^2", false, "def replaces(s):\n for c in s:\n  s.replace('b', 'c')\n"),
    ("where(int[n])", "n^2", false, "def where(xs):\n for x in xs:\n  xs.index(x)\n"),
    (
        "powers(int[n])",
        "n^2",
        false,
        "def powers(xs):\n y = 3\n for x in xs:\n  y *= y\n  y %= 1 << 64 * len(xs)\n return y\n",
    ),
    ("raised(int[n])", "n^2", false, "def raised(xs):\n return 3 ** (100 * len(xs))\n"),
    ("matches(str[n])", "2^n", false, "import re\ndef matches(s):\n return re.match('(x+x+)+y', s)\n"),
    ("once(str[n])", "n", false, "def once(s):\n return s.count('a')\n"),
    ("equal(int[n])", "n^2", false, "def equal(xs):\n for x in xs:\n  xs == xs[:]\n"),
    ("sums(int[n])", "n^2", false, "def sums(xs):\n for x in xs:\n  sum(xs)\n"),
    ("prefix(int[n])", "n^2", false, "def prefix(xs):\n return [sum(xs[:i]) for i in range(len(xs))]\n"),
    (
        "turn(int[n])",
        "n^2",
        false,
        "from collections import deque\ndef turn(xs):\n q = deque(xs)\n for x in xs:\n  q.rotate(len(xs) // 2)\n",
    ),
    (
        "middle(int[n])",
        "n^2",
        false,
        "from collections import deque\ndef middle(xs):\n q = deque(xs)\n for x in xs:\n  q[len(q) // 2]\n",
    ),
    ("spread(int[n])", "n^2", false, "def spread(xs):\n out = []\n for x in xs:\n  out = [*out, x]\n"),
    ("written(str[n])", "n^2", false, "def written(s):\n out = ''\n for c in s:\n  out = f'{out}{c}'\n"),
    ("mapped(str[n])", "n^2", false, "def mapped(s):\n return list(map(s.count, s))\n"),
    (
        "heaped(int[n])",
        "n log n",
        false,
        "import heapq\ndef heaped(xs):\n h = []\n for x in xs:\n  heapq.heappush(h, -x)\n",
    ),
    (
        "orders(int[n])",
        "n!",
        false,
        "import itertools\ndef orders(xs):\n for x in xs:\n  pass\n return max(itertools.permutations(xs[:5])) if len(xs) < 9 else itertools.permutations(xs)\n",
    ),
    (
        "buffer(int[n])",
        "n^2",
        false,
        "class B:\n text = ''\ndef buffer(xs):\n b = B()\n for x in xs:\n  b.text += 'x'\n",
    ),
    ("hidden(int[n])", "n^2", false, "import operator\ndef hidden(xs):\n for x in xs:\n  operator.contains(xs, -1)\n"),
    ("plain(int[n])", "n", true, "def plain(xs):\n k = 0\n for x in xs:\n  k += x\n return k\n"),
    (
        "squared(int[n])",
        "n^2",
        true,
        "def squared(xs):\n k = 0\n for x in xs:\n  for y in xs:\n   k += x < y\n return k\n",
    ),
    (
        "squared_in(int[n])",
        "n^2",
        true,
        "def squared_in(xs):\n k = 0\n for x in xs:\n  for y in xs:\n   k += 1\n  k += x in xs\n return k\n",
    ),
    (
        "known(int[n])",
        "n",
        true,
        "def known(xs):\n seen = {}\n for x in xs:\n  if x not in seen:\n   seen[x] = 0\n  seen[x] += 1\n",
    ),
    (
        "known_set(int[n])",
        "n",
        true,
        "def known_set(xs):\n seen = set()\n for x in xs:\n  if x not in seen:\n   seen.add(x)\n",
    ),
    ("joined(str[n])", "n", true, "def joined(s):\n out = []\n for c in s:\n  out.append(c)\n return ''.join(out)\n"),
    (
        "extremes(int[n])",
        "n",
        true,
        "def extremes(xs):\n for x in xs:\n  pass\n return min(xs) + max(xs) + sum(xs) + len(xs)\n",
    ),
    (
        "queue(int[n])",
        "n",
        true,
        "from collections import deque\ndef queue(xs):\n q = deque(xs)\n while q:\n  q.popleft()\n",
    ),
    ("last(int[n])", "n", true, "def last(xs):\n while xs:\n  xs.pop()\n"),
    ("words(str[n])", "n", true, "def words(s):\n for w in s.split('b'):\n  pass\n for c in s.upper():\n  pass\n"),
    ("scan(str[n])", "n", true, "def scan(s):\n i = s.find('a')\n while i >= 0:\n  i = s.find('a', i + 1)\n"),
    (
        "letters(str[n])",
        "n",
        true,
        "def letters(s):\n k = 0\n for c in s:\n  if 'a' <= c <= 'z' or c in 'xyz':\n   k += 1\n return k\n",
    ),
    (
        "bytewise(bytes[n])",
        "n",
        true,
        "def bytewise(b):\n out = bytearray()\n for c in b:\n  out.append(c ^ 1)\n return bytes(out)\n",
    ),
    (
        "pairs(int[n])",
        "n",
        true,
        "def pairs(xs):\n k = 0\n for i, (x, y) in enumerate(zip(xs, xs)):\n  k += i * x * y\n return k\n",
    ),
    ("few(str[n])", "n", true, "import re\ndef few(s):\n k = 0\n for c in s:\n  if re.match('[a-z]', c):\n   k += 1\n"),
];

const SIZES: [u64; 7] = [4, 6, 8, 16, 32, 48, 64];

/// The growth of the lines of a call, judged by what was recorded.
fn growth(program: impl Fn(u64) -> PythonProgram, is_text: bool) -> (Option<Class>, Growth) {
    let limits = PathLimits::default();
    let mut runs: Vec<(u64, u64, Work)> = Vec::new();
    for size in SIZES {
        let program = program(size);
        let input = Witness::new((0..size).map(|at| if is_text { u64::from(b'a') } else { at }).collect());
        let lines = program.replay(&input, &limits).costs.lines;
        let told = program.work_while(&input, &limits, &mut || true).expect("it is recorded");
        let operation = |bounded| {
            move |handed: pessimum_python::Handed| Operation {
                operation: handed.operation,
                place: format!("{}:{}", handed.file, handed.line),
                times: handed.times,
                units: handed.units,
                bounded,
            }
        };
        let operations = told.unbounded.into_iter().map(operation(false));
        let operations = operations.chain(told.bounded.into_iter().map(operation(true))).collect();
        runs.push((size, lines, Work { total: told.total, operations }));
    }
    let points: Vec<(u64, f64)> = runs.iter().map(|(size, lines, _)| (*size, *lines as f64)).collect();
    let of_lines = fit(&points);
    let recorded: Vec<_> = runs.iter().map(|(size, lines, work)| (*size, *lines, work)).collect();
    (of_lines.class, judged(of_lines, &recorded))
}

#[test]
fn no_class_is_below_that_of_the_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (call, truth, stays, code) in FUNCTIONS {
        let file = directory.path().join("subject.py");
        std::fs::write(&file, code).unwrap();
        let source = match PythonSource::open(&PythonSettings::new(&file)) {
            Ok(source) => source,
            Err(error) => {
                assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{error}");
                println!("skipped: {error}");
                return;
            }
        };
        let parsed = PythonCall::parse(call, &source).unwrap();
        let program = |size| {
            let wanted = Wanted::default();
            PythonProgram::new(call.to_string(), &source, &parsed, Some(size), &BTreeMap::new(), wanted).unwrap()
        };
        let (of_lines, judged) = growth(program, !call.contains("int"));
        let truth: Class = truth.parse().unwrap();
        let stated = judged.class;
        let is_true = stated.is_none_or(|class| !truth.is_above(class));
        if !is_true || stated.is_some() != *stays || *stays && stated != Some(truth) {
            wrong.push(format!("{call}: lines {of_lines:?}, stated {stated:?}: {:?}", judged.why_not));
        }
        if let Some(uncounted) = &judged.uncounted {
            let at = match uncounted {
                Uncounted::Grows { place, .. } | Uncounted::Unbounded { place, .. } => place.as_str(),
                Uncounted::Unknown => "nowhere",
            };
            assert!(at.starts_with("subject.py:"), "{call}: {uncounted:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
