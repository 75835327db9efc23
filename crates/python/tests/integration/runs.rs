//! Runs of ordinary programs: what they cost, how they end, and that symbolic runs see the same.

use crate::common::{Subject, interpreter, interpreters};
use pessimum_outcome::{CostModel, Costs, End};
use pessimum_python::{NoteKind, Wanted};
use pessimum_search::program::{PathLimits, Program as _};
use pessimum_search::random::Random;
use pessimum_search::search::Settings;
use pessimum_search::strategy::{ArmOrder, Exhaustive, Order};
use pessimum_term::Witness;
use pessimum_testkit::oracle;

const SORT: &str = "
def sort(xs):
    for i in range(1, len(xs)):
        j = i
        while j > 0 and xs[j - 1] > xs[j]:
            xs[j - 1], xs[j] = xs[j], xs[j - 1]
            j -= 1
    return xs
";

#[test]
fn an_insertion_sort_has_its_paths() {
    for python in interpreters() {
        let subject = Subject::new(python, SORT);
        let program = subject.program("sort(int[n])", 4);
        let order = Order::Depth(ArmOrder::TrueFirst);
        let result = oracle_of(&program, &mut Exhaustive::new(order));
        // One path for each permutation.
        assert_eq!((result.paths, result.complete), (24, true), "{}", python.display());
        let greatest = CostModel::Lines.of(&result.extremes.unwrap().greatest);
        let reversed = program.replay(&Witness::new(vec![4, 3, 2, 1]), &PathLimits::default());
        assert_eq!((greatest, reversed.end), (reversed.costs.lines, End::Returned));
    }
}

fn oracle_of(
    program: &pessimum_python::PythonProgram,
    strategy: &mut Exhaustive,
) -> pessimum_search::search::SearchResult {
    oracle::visited(program, Settings::default(), strategy).1
}

#[test]
fn a_run_shows_what_it_does() {
    let Some(python) = interpreter() else { return };
    let subject = Subject::new(&python, "def f(x):\n    print('x is', x)\n    return [x, x + 1]\n");
    let program = subject.program_with("f(int)", 0, Wanted { opcodes: true });
    let ran = program.run(&Witness::new(vec![41]), &PathLimits::default());
    assert_eq!((ran.returned.as_deref(), ran.printed.as_str()), (Some("[41, 42]"), "x is 41\n"));
    assert_eq!((ran.costs.lines, ran.costs.calls, ran.costs.depth, ran.end), (2, 1, 1, End::Returned));
    assert!(ran.costs.instructions > 5 && ran.explained.is_none());
    assert_eq!(program.show(&Witness::new(vec![u64::from(u32::MAX)])), "f(-1)");
}

/// Functions that use much of the language at once, and how they are called.
const FUNCTIONS: &[(&str, &str)] = &[
    (
        "def f(xs):\n    def total():\n        yield from (x for x in xs if x > 3)\n    d = {}\n    for i, x in enumerate(total()):\n        d.setdefault(x % 3, []).append(i)\n    return sorted(d.items(), key=lambda kv: -len(kv[1]))\n",
        "f(int[6] in 0..=9)",
    ),
    (
        "import heapq, bisect\ndef f(xs, s):\n    heapq.heapify(xs)\n    out = []\n    while xs:\n        bisect.insort(out, heapq.heappop(xs))\n    return out, [w.title() for w in s.split()], s.partition(' ')\n",
        "f(int[5], str[8] in 'a'..='c' | ' ')",
    ),
    (
        "class Stack:\n    def __init__(self): self.items = []\n    def __len__(self): return len(self.items)\n    def push(self, x):\n        self.items.append(x)\n        return self\n    def __enter__(self): return self\n    def __exit__(self, *_): return True\ndef f(s):\n    with Stack() as stack:\n        for c in s:\n            match c:\n                case '(' | '[': stack.push(c)\n                case ')' | ']':\n                    if not stack or stack.items.pop() != {')': '(', ']': '['}[c]:\n                        raise SyntaxError(c)\n                case _: continue\n        return len(stack) == 0\n    return None\n",
        "f(str[7] in '(' | ')' | '[' | ']' | 'x')",
    ),
    (
        "def f(a, b, x):\n    try:\n        while b:\n            a, b = b, a % b\n        return a // (x - 3)\n    except ZeroDivisionError as error:\n        return str(error)\n    finally:\n        a = 1\n",
        "f(int in 0..=500, int in -50..=500, int in 0..=6)",
    ),
    (
        "def f(data, flag):\n    value = 0\n    for byte in data:\n        value = value << 7 | byte & 0x7f\n        if not byte & 0x80: break\n    else:\n        raise ValueError('unfinished')\n    return f'{value:x}' if flag else value ** 2\n",
        "f(bytes[4], bool)",
    ),
    (
        "def f(x, y):\n    best = max(x, y, key=abs)\n    n = 0\n    while best > 1.0 and n < 20:\n        best /= 2\n        n += 1\n    return n, int(x) if -1e6 < x < 1e6 else None, x < y\n",
        "f(float in -1000.0..=1000.0, float in -10.0..=10.0)",
    ),
    (
        "from functools import lru_cache\n@lru_cache(None)\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef f(d, t):\n    seen = set()\n    for k, v in d.items():\n        if v in seen or k in t: return fib(v & 7)\n        seen.add(v)\n    return sum(d.values())\n",
        "f(dict(int in 0..=9: int in 0..=9)[4], tuple(int in 0..=9, int in 0..=9))",
    ),
    ("def f(n):\n    return 1 if n < 1 else n * f(n - 1)\n", "f(int in 0..=60)"),
    ("def f(n):\n    return f(n + 1) if n else 0\n", "f(int in 0..=1)"),
];

#[test]
fn plain_and_symbolic_runs_of_random_inputs_cost_the_same() {
    for python in interpreters() {
        for (text, call) in FUNCTIONS {
            let subject = Subject::new(python, text);
            let program = subject.program(call, 0);
            let limits = PathLimits { instructions: 5000, ..PathLimits::default() };
            let mut follower = oracle::Follower::new(&program, limits);
            let mut random = Random::new(5);
            let mut ends = std::collections::BTreeSet::new();
            for _ in 0..12 {
                let input = random.witness(&program.variables());
                let replay = program.replay(&input, &limits);
                let (_, costs, end) = follower.trace(&input).unwrap();
                let expected = (Costs { decisions: costs.decisions, ..replay.costs }, replay.end);
                assert_eq!((costs, end), expected, "{}: {}", python.display(), program.show(&input));
                assert_eq!(program.replay(&input, &limits), replay);
                ends.insert(end);
            }
            assert!(!ends.contains(&End::Unsupported), "{call}: {:?}", program.notes(NoteKind::LeftOut));
        }
    }
}
