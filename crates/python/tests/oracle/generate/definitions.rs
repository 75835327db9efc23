//! What a program defines before its function: helpers, a generator, a recursive function, a class, a context manager.

use super::{Kind, Writer};

/// What may be imported, and the expressions that it brings.
const LIBRARIES: &[(&str, &[(Kind, &str)])] = &[
    (
        "import itertools",
        &[
            (Kind::List, "list(itertools.chain($l, $t))[:6]"),
            (Kind::List, "list(itertools.accumulate($l))"),
            (Kind::List, "list(itertools.islice($l, $n & 3))"),
            (Kind::List, "list(itertools.takewhile(lambda @: ?c, $l))"),
            (Kind::List, "[len(list(b)) for a, b in itertools.groupby($l)]"),
            (Kind::List, "[a * b for a, b in itertools.pairwise($l)]"),
            (Kind::Integer, "sum(a > b for a, b in itertools.combinations($l, 2))"),
            (Kind::Integer, "sum(a == b for a, b in itertools.product($t, repeat=2))"),
            (Kind::Integer, "sum(a - b for a, b in itertools.zip_longest($l, $t, fillvalue=$k))"),
        ],
    ),
    (
        "import functools",
        &[
            (Kind::Integer, "functools.reduce(lambda a, b: a * 2 + b, $l, $i)"),
            (Kind::Integer, "functools.partial(max, $i)($n)"),
            (Kind::List, "sorted($l, key=functools.cmp_to_key(lambda a, b: b - a))"),
        ],
    ),
    (
        "from collections import Counter, defaultdict, deque, OrderedDict",
        &[
            (Kind::Integer, "Counter($l)[$n]"),
            (Kind::Integer, "Counter($s).most_common(1)[0][1]"),
            (Kind::Dict, "dict(Counter($l))"),
            (Kind::Dict, "defaultdict(int, $d)"),
            (Kind::Dict, "OrderedDict($d)"),
            (Kind::Integer, "defaultdict(lambda: $k, $d)[$n]"),
            (Kind::List, "list(deque($l, 2))"),
            (Kind::Integer, "deque($l).popleft()"),
        ],
    ),
    (
        "import heapq, bisect, operator",
        &[
            (Kind::Integer, "bisect.bisect_left(sorted($l), $n)"),
            (Kind::Integer, "bisect.bisect(sorted($t), $n)"),
            (Kind::List, "heapq.nsmallest(2, $l)"),
            (Kind::List, "heapq.nlargest(2, $l, key=lambda @: ?i)"),
            (Kind::List, "list(heapq.merge(sorted($l), sorted($t)))[:6]"),
            (Kind::Integer, "operator.sub($i, $n)"),
            (Kind::List, "sorted($d.items(), key=operator.itemgetter(1))[0][:1]"),
        ],
    ),
    (
        "import math, string",
        &[
            (Kind::Integer, "math.gcd($n, $k)"),
            (Kind::Integer, "math.isqrt($n & 63)"),
            (Kind::Integer, "math.floor($f)"),
            (Kind::Integer, "math.ceil($f)"),
            (Kind::Integer, "math.prod($l)"),
            (Kind::Float, "math.sqrt($n & 15)"),
            (Kind::Integer, "string.digits.find($s)"),
            (Kind::Truth, "math.isclose($f, $n)"),
        ],
    ),
];

const ITEMS: &str = "    def push(self, value):
        self.items.append(value)
        return self

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        yield from self.items[:4]

    def __getitem__(self, at):
        return self.items[at]

    def __contains__(self, value):
        return value == self.a or value in self.items
";

const MORE: &str = "    def __setitem__(self, at, value):
        self.items[at] = value

    def __delitem__(self, at):
        del self.items[at]

    def put(self, at, value):
        self[at % 2] = value
        if value > 2: del self[0]
        return self

class Steps:
    def __init__(self, a, b):
        self.a, self.b = a % 5, b

    def __iter__(self):
        return self

    def __next__(self):
        self.a -= 1
        if self.a < 0 or self.b == self.a:
            raise StopIteration
        return self.a + self.b

def twice(function):
    def inner(*given, **named):
        first = function(*given, **named)
        return first if first < 0 else function(first)
    return inner

@twice
def doubled(a):
    return a * 2 - 3

";

impl Writer {
    /// Libraries, of which most programs use none: their lines cannot be compared.
    pub fn imports(&mut self) {
        self.text.push_str("class Odd(Exception):\n    pass\n\n");
        if self.random.chance(0.25) {
            let (statement, forms) = self.random.pick(LIBRARIES);
            self.text = format!("{statement}\n\n{}", self.text);
            self.added.extend(forms.iter().map(|&(kind, form)| (kind, form.to_string())));
        }
    }

    pub fn definitions(&mut self) {
        self.helper();
        if self.random.chance(0.5) {
            self.generator();
        }
        if self.random.chance(0.5) {
            self.recursion();
        }
        match self.random.below(8) {
            0..=4 => self.class(),
            5 => self.dataclass(),
            _ => {}
        }
        self.context();
    }

    /// A function's head, statements and last value. What is known outside is not inside, but for what was added.
    fn function(&mut self, indent: usize, head: &str, parameters: &[&str], first: &str, statements: usize, last: &str) {
        self.indent = indent;
        self.line(head);
        self.indent = indent + 1;
        let outer = std::mem::take(&mut self.names);
        let added = self.added.len();
        for &parameter in parameters {
            self.name(parameter, Kind::Integer, false);
        }
        self.may_count = indent == 0;
        if self.may_count {
            self.line("global TOTAL");
        }
        for line in first.lines() {
            let line = self.filled(line, 1);
            self.line(&line);
        }
        self.fuel = statements;
        while self.fuel > 0 {
            self.statement();
        }
        let last = self.filled(last, 2);
        self.line(&last);
        self.text.push('\n');
        self.names = outer;
        self.added.truncate(added);
        self.may_count = true;
        self.indent = 0;
    }

    fn add(&mut self, forms: &[(Kind, &str)]) {
        self.added.extend(forms.iter().map(|&(kind, form)| (kind, form.to_string())));
    }

    fn helper(&mut self) {
        self.function(0, "def helper(a, b=2):", &["a", "b", "n"], "n = 1", 3, "return $i");
        self.add(&[
            (Kind::Integer, "helper($i, $i)"),
            (Kind::Integer, "helper($i)"),
            (Kind::Integer, "helper(b=$n, a=$i)"),
        ]);
    }

    fn generator(&mut self) {
        self.in_generator = true;
        self.function(0, "def gen(a, b=1):", &["a", "b", "n"], "n = 0\nyield $i", 4, "return $i");
        self.in_generator = false;
        self.has_generator = true;
        self.add(&[
            (Kind::List, "list(gen($i))"),
            (Kind::List, "[?i for @ in gen($i, $n) if ?c]"),
            (Kind::Integer, "sum(gen($n, $i))"),
            (Kind::Integer, "next(gen($i))"),
            (Kind::Integer, "max(gen($i), default=0)"),
            (Kind::Truth, "any(gen($i))"),
            (Kind::Truth, "$n in gen($i)"),
            (Kind::Set, "set(gen($i, $i))"),
            (Kind::Tuple, "(*gen($n), $k)[:5]"),
        ]);
    }

    fn recursion(&mut self) {
        self.function(
            0,
            "def rec(a, left=3):",
            &["a", "left", "n"],
            "n = 0\nif left <= 0 or $c: return $i",
            2,
            "return $i + rec($i, left - 1) if $c else max(rec($n, left - 1), rec($k, left - 2))",
        );
        self.add(&[(Kind::Integer, "rec($i)"), (Kind::Integer, "rec($n, $n & 3)")]);
    }

    fn class(&mut self) {
        self.text.push_str("class Base:\n    limit = 3\n\n");
        self.function(1, "def shared(self, a):", &["a", "n", "self.a"], "n = self.limit", 1, "return $i");
        self.text.push_str("    @classmethod\n    def made(cls, a):\n        return cls(a, cls.limit)\n\n");
        self.text.push_str("    @staticmethod\n");
        self.function(1, "def free(a):", &["a"], "n = 0", 0, "return $i");
        self.text.push_str("class Box(Base):\n    __match_args__ = ('a', 'b')\n\n");
        let first = "self.a = $i\nself.b = b\nself.items = [b]\nn = 0";
        self.function(1, "def __init__(self, a, b=0):", &["a", "b"], first, 0, "self.c = $i");
        let own = ["self.a", "self.b", "n"];
        let with = |more: &'static str| ["self.a", "self.b", "n", more];
        self.function(1, "def method(self, x):", &with("x"), "n = x", 2, "return $i");
        self.text.push_str("    @property\n");
        self.function(1, "def size(self):", &own, "n = 1", 1, "return $i");
        self.text.push_str("    @size.setter\n");
        self.function(1, "def size(self, x):", &with("x"), "n = 0\nif $c: raise ValueError('size')", 0, "self.a = $i");
        self.function(1, "def shared(self, a):", &["a", "self.b"], "n = super().shared(a)", 0, "return n + $i");
        self.function(
            1,
            "def __lt__(self, other):",
            &["self.a", "self.b", "other.a", "other.b"],
            "n = 0",
            0,
            "return $c",
        );
        self.function(
            1,
            "def __eq__(self, other):",
            &["self.a", "other.a"],
            "if not isinstance(other, Box): return NotImplemented",
            0,
            "return self.a == other.a and $c",
        );
        self.text.push_str("    def __hash__(self):\n        return hash(self.a)\n\n");
        self.function(1, "def __add__(self, other):", &["self.a", "other.b"], "n = 0", 0, "return Box($i, self.b)");
        self.function(1, "def __bool__(self):", &["self.a", "self.b"], "n = 0", 0, "return bool($c)");
        self.text.push_str("    def __repr__(self):\n        return f'<{self.a}>'\n\n");
        self.text.push_str("    def __call__(self, x=1):\n        self.b += x\n        return self.b\n\n");
        self.text.push_str(ITEMS);
        self.text.push_str("\n    def __getattr__(self, name):\n        if name[:1] != 'm': raise AttributeError(name)\n        return self.b\n\n");
        self.text.push_str(MORE);
        self.class = "Box";
        self.add(&[
            (Kind::Object, "Box($i)"),
            (Kind::Object, "Box($i, $n)"),
            (Kind::Object, "$o.put($n, $i)"),
            (Kind::Integer, "sum(Steps($n, $k))"),
            (Kind::List, "list(Steps($n, $i))[:6]"),
            (Kind::Integer, "$o.missing"),
            (Kind::Integer, "twice(lambda a: $n - a)($i)"),
            (Kind::Integer, "doubled($i)"),
            (Kind::Object, "Box.made($i)"),
            (Kind::Object, "$o.push($i)"),
            (Kind::Object, "($o + $o)"),
            (Kind::Object, "max($o, $o)"),
            (Kind::Object, "min([$o, $o], key=lambda a: a.b)"),
            (Kind::Integer, "$o.a"),
            (Kind::Integer, "$o.size"),
            (Kind::Integer, "$o.method($i)"),
            (Kind::Integer, "$o.shared($i)"),
            (Kind::Integer, "Box.free($i)"),
            (Kind::Integer, "$o($i)"),
            (Kind::Integer, "$o[$n]"),
            (Kind::Integer, "len($o)"),
            (Kind::Integer, "len({$o, $o})"),
            (Kind::Integer, "{$o: $i}.get($o, $k)"),
            (Kind::Integer, "getattr($o, 'other', $i)"),
            (Kind::List, "list($o)"),
            (Kind::List, "[a.a for a in sorted([$o, $o])]"),
            (Kind::List, "[a for a in $o if a > $k]"),
            (Kind::Text, "str($o)"),
            (Kind::Text, "f'{$o}'"),
            (Kind::Truth, "$o < $o"),
            (Kind::Truth, "$o > $o"),
            (Kind::Truth, "$o == $o"),
            (Kind::Truth, "$o != $n"),
            (Kind::Truth, "$n in $o"),
            (Kind::Truth, "bool($o)"),
            (Kind::Truth, "hasattr($o, 'size')"),
            (Kind::Truth, "isinstance($o, Base)"),
            (Kind::Truth, "$o in [$o]"),
        ]);
    }

    fn dataclass(&mut self) {
        self.text = format!("from dataclasses import dataclass, field\n\n{}", self.text);
        let options = self.random.pick(&[
            "(order=True)",
            "(frozen=True)",
            "(eq=True, unsafe_hash=True)",
            "(slots=True, order=True)",
        ]);
        self.text.push_str(&format!("@dataclass{options}\nclass Pair:\n    a: int\n    b: int = 1\n    items: list = field(default_factory=list, compare=False)\n\n"));
        self.function(1, "def method(self, x):", &["self.a", "self.b", "x", "n"], "n = x", 1, "return $i");
        self.class = "Pair";
        self.add(&[
            (Kind::Object, "Pair($i)"),
            (Kind::Object, "Pair($i, $n)"),
            (Kind::Object, "Pair(b=$i, a=$n)"),
            (Kind::Integer, "$o.a"),
            (Kind::Integer, "$o.method($i)"),
            (Kind::Integer, "len({$o, $o})"),
            (Kind::Text, "repr($o)"),
            (Kind::Truth, "$o == $o"),
            (Kind::Truth, "$o < $o"),
        ]);
    }

    fn context(&mut self) {
        let libraries = self.random.chance(0.15);
        if libraries {
            self.text = format!("from contextlib import contextmanager, suppress\n\n{}", self.text);
            self.text.push_str("@contextmanager\ndef guard(a):\n    try:\n        yield a + 1\n    except ValueError:\n        if a > 1: raise\n    finally:\n        len(WORD)\n\n");
        } else {
            self.text.push_str("class guard:\n    def __init__(self, a):\n        self.a = a\n\n    def __enter__(self):\n        return self.a + 1\n\n    def __exit__(self, kind, error, trace):\n        if kind is ZeroDivisionError:\n            return self.a > 0\n        return kind is not None and issubclass(kind, LookupError) and self.a != 2\n\n");
        }
    }
}
