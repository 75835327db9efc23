"""Proxies do what plain values do, and their decisions say so; see standin.py."""

import itertools
import math
import random
import subprocess
import sys
import unittest

from worker import nodes, numbers
from worker.tests.standin import Program, begin, compare, proxy

INTS = [-7, -3, -2, -1, 0, 1, 2, 3, 5, 8]
WIDE = [-2**63, -2**62, -2**53 - 1, -2**53, -2**31, -1, 0, 1, 3, 2**31, 2**53, 2**53 + 1,
        2**62 + 3, 2**63 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 0.1, 1e300, -1e300, 2.0**53, 2.0**63, math.inf,
          -math.inf, math.nan, 5e-324]


def expressions(test, parameters, bodies, domain, every=None, limit=300, seed=1):
    """Compares `return body` for a number of inputs of the domain."""
    generator = random.Random(seed)
    shared = 0
    for body in bodies:
        program = Program(f"def f({parameters}):\n    return {body}\n")
        chosen = domain if every is None or len(domain) <= every \
            else generator.sample(domain, every)
        others = domain if len(domain) <= limit else generator.sample(domain, limit)
        for arguments in chosen:
            with test.subTest(body, arguments=arguments):
                shared += compare(test, program, list(arguments),
                                  [list(other) for other in others] + [list(arguments)])[1]
    test.assertGreater(shared, len(bodies))


BINARY = ["+", "-", "*", "//", "%", "/", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=",
          "==", "!="]


class Integers(unittest.TestCase):
    def test_operators(self):
        bodies = [f"x {op} y" for op in BINARY] + ["divmod(x, y)", "x ** (y % 5)",
                  "pow(x, y & 3)", "x ** y if -4 < y < 4 and x else 0"]
        expressions(self, "x, y", bodies, list(itertools.product(INTS, INTS)), 25, 100)

    def test_operators_with_constants(self):
        bodies = [f"x {op} {k}" for op in BINARY for k in (-3, -1, 0, 1, 2, 7, 64)
                  if not (op == "<<" and k == 64)]
        bodies += [f"{k} {op} x" for op in BINARY for k in (-3, 0, 1, 6)]
        bodies += ["x ** 3", "2 ** x", "0 ** x", "x ** 0", "(-2) ** abs(x)", "pow(x, 3, 7)",
                   "pow(2, x, 5)", "pow(x, -1)"]
        expressions(self, "x", bodies, [(x,) for x in INTS], 6)

    def test_beyond_64_bits(self):
        bodies = [f"x {op} y" for op in BINARY if op not in ("<<", ">>")]
        bodies += ["x << (y & 7)", "x >> (y & 127)", "-x", "abs(x)", "~x", "x * x * x",
                   "x & 0xFFFFFFFFFFFFFFFF", "x % 2**64", "x // 2**64", "x // -2**64", "x % -2**70",
                   "x | 2**64", "x ^ -2**65", "x + 2**63", "x < 2**64", "x == 2**63",
                   "2**70 - x", "2**70 // (x or 1)", "2**70 % (x or 1)", "(x + y) // 2",
                   "x * 31 + y", "(x * 31 + y) % 1000003", "x & -2**70", "str(x)", "f'{x}'",
                   "(x + y) < 5", "(x + y) < 0", "(x - y) > 0", "(x * 3) <= y", "(x * y) % 7 if x * y > 3 else 0", "-x < y",
                   "x.bit_length()", "x.bit_count()", "divmod(x, y)", "-x // y", "2**64 >> (x & 63)"]
        expressions(self, "x, y", bodies, list(itertools.product(WIDE, WIDE)), 20, 120)

    def test_unary_and_methods(self):
        bodies = ["-x", "+x", "abs(x)", "~x", "not x", "bool(x)", "int(x)", "float(x)", "str(x)",
                  "repr(x)", "x.bit_length()", "x.bit_count()", "x.conjugate()", "x.real", "x.imag",
                  "x.numerator", "x.denominator", "x.as_integer_ratio()", "round(x)", "round(x, 2)",
                  "round(x, -1)", "hash(x)", "bin(x)", "hex(x)", "oct(x)", "complex(x)", "x.__class__",
                  "type(x) is int", "isinstance(x, int)", "isinstance(x, str)", "chr(x + 70)",
                  "chr(x)", "x.to_bytes(4, 'big', signed=True)", "(x).foo", "x()", "x[0]", "len(x)",
                  "x + 'a'", "'a' + x", "'a' * x", "[1] * x", "x * (1,)", "x < 'a'", "x == 'a'",
                  "x != None", "x @ 2", "x & 1.5", "[*range(x)]", "list(range(x, 5))",
                  "list(range(5, x, -2))", "[*range(0, 9, x)]", "range(x)[0]", "len(range(x))",
                  "x in range(1, 8, 2)", "x in range(8, -3, -3)", "3 in range(x)", "max(x, 2)",
                  "min(x, 2, key=abs)", "sum([x, x, 1])", "sum((x, 2), 5)", "sorted([3, x, 1])",
                  "sorted([3, x, -4], key=abs, reverse=True)", "any([x, 0])", "all([x, 1])",
                  "list(enumerate('ab', x))", "(x, 1) < (2, x)", "[x, 2] == [3, 2]", "{x: 1}.get(3)",
                  "{1: 'a', 3: 'b'}.get(x, 'c')", "{1: 'a', 3: 'b'}[x]", "x in {1, 2}", "x in [1, x]",
                  "x not in (1, 2)", "x in {1: 2}", "x in [None, 'a', 1.0]", "x in 'abc'", "x in {}",
                  "[10, 20, 30][x]", "'abc'[x]", "'abcdef'[x:]", "[1, 2, 3][:x]", "(1, 2, 3)[-1:x:-1]",
                  "1 < x < 5", "-2 <= x != 3", "x if x > 0 else -x", "x and 5", "x or 5", "x is True",
                  "x.is_integer()", "f'{x}|{x:>5}|{x!r}|{x:d}'", "'%d %s %r %5d' % (x, x, x, x)",
                  "'%s' % x", "'{} {0}'.format(x)", "'{0} {0:03d}'.format(x)", "'{a}'.format(a=x)",
                  "format(x, '')", "format(x, 'b')", "print(x)", "divmod(7, x)", "int(str(x))",
                  "list(map(abs, [x, 1]))", "[y for y in filter(None, [x, 1])]", "list(zip([x], [x]))",
                  "{x, 1, 2}", "len({x, 1})", "str([x])", "str((x, 'a'))", "bytes([x + 10])", "bytes([x])"]
        expressions(self, "x", bodies, [(x,) for x in INTS])

    def test_random_expressions(self):
        generator = random.Random(7)

        def make(depth):
            if depth == 0 or generator.random() < .2:
                return generator.choice(["x", "y", "x", "y", str(generator.randint(-4, 9))])
            kind = generator.random()
            if kind < .75:
                return f"({make(depth - 1)} {generator.choice(BINARY[:9] + BINARY[11:])} {make(depth - 1)})"
            if kind < .85:
                return f"({make(depth - 1)} if {make(depth - 1)} else {make(depth - 1)})"
            return generator.choice(["abs({})", "-{}", "~{}", "(not {})", "max({}, 3)", "int({})"]
                                    ).format(make(depth - 1))

        domain = list(itertools.product([-9, -2, -1, 0, 1, 3, 14], repeat=2))
        expressions(self, "x, y", [make(4) for _ in range(150)], domain, 6, 60)


class Truths(unittest.TestCase):
    def test_operators(self):
        bodies = [f"p {op} q" for op in BINARY] + [f"p {op} 2" for op in BINARY]
        bodies += [f"3 {op} p" for op in BINARY] + [f"True {op} p" for op in BINARY]
        bodies += ["not p", "-p", "+p", "abs(p)", "int(p)", "float(p)", "str(p)", "repr(p)", "hash(p)",
                   "p is True", "p is not False", "p and q", "p or q", "sum([p, q, True])", "f'{p}'",
                   "type(p)", "isinstance(p, int)", "type(p) is bool", "[1, 2][p]", "p.real",
                   "p + 1.5", "p == 1.0", "'ab' * p", "round(p)", "p.bit_length()", "p ** q",
                   "sorted([p, q])", "{True: 1}.get(p)", "p in [1]", "'%d' % p", "divmod(p, 2)",
                   "max(p, q)", "~p if False else 0", "bool(p)", "p.conjugate()", "p < 1", "p * 'a'"]
        expressions(self, "p, q", bodies, list(itertools.product([False, True], repeat=2)))

    def test_operators_on_decided_truths(self):
        operators = [*BINARY, "**"]
        bodies = [f"(p {op} p) if p else p" for op in operators]
        bodies += [f"(p {op} q) if p else (q {op} p)" for op in operators]
        bodies += [f"(p {op} q) if p and not q else (q {op} p)" for op in operators]
        bodies += ["divmod(q, p) if p else 0", "divmod(p, q) if q else 0"]
        expressions(self, "p, q", bodies, list(itertools.product([False, True], repeat=2)))

    def test_match(self):
        program = Program("def f(p, x):\n    match p:\n        case True: return 1\n"
                          "        case False:\n            match x:\n                case 0: return 2\n"
                          "                case int(n) if n > 2: return n\n"
                          "                case _: return 'other'\n")
        domain = [[p, x] for p in (True, False) for x in INTS]
        for arguments in domain:
            compare(self, program, arguments, domain)


class Floats(unittest.TestCase):
    def test_operators(self):
        operators = ["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "//", "%"]
        expressions(self, "x, y", [f"x {op} y" for op in operators],
                    list(itertools.product(FLOATS, FLOATS)), 30, 150)

    def test_mixed(self):
        operators = ["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="]
        bodies = [f"x {op} n" for op in operators] + [f"n {op} x" for op in operators]
        expressions(self, "x, n", bodies, list(itertools.product(FLOATS, WIDE)), 20, 100)
        ks = ["2**53", "2**53 + 1", "2**63", "-2**70 - 1", "10**400", "-10**400", "3", "True"]
        bodies = [f"x {op} {k}" for op in operators[4:] for k in ks]
        bodies += [f"x {op} {k}" for op in operators[:4] for k in ("7", "10**400")]
        expressions(self, "x", bodies, [(x,) for x in FLOATS])
        reals = ["0.5", "2.0**53", "2.0**63", "-1e300", "float('inf')", "float('nan')", "3.0", "-0.0"]
        bodies = [f"n {op} {k}" for op in operators for k in reals]
        expressions(self, "n", bodies, [(n,) for n in WIDE])

    def test_unary_and_methods(self):
        bodies = ["-x", "abs(x)", "not x", "int(x)", "float(x)", "bool(x)", "round(x)", "str(x)",
                  "x.is_integer()", "x.real", "x.imag", "x.hex()", "x.conjugate()", "hash(x) * 0",
                  "type(x)", "isinstance(x, float)", "x ** 2", "x & 1", "x + 'a'", "x + 1j",
                  "round(x, 1)", "f'{x:.2f} {x}'", "'%.3f' % x", "sum([x, x, 0.1])", "sum([0.1, x, 1])",
                  "sum([x] * 5, 0.5)", "sum((x, 1e16, 1.0, -1e16))", "max(x, 1.0)", "sorted([x, 1.0, 0.5])",
                  "x == x", "x in [1.0]", "divmod(x, 3)", "x.as_integer_ratio()", "x.foo", "[1, 2][x]"]
        expressions(self, "x", bodies, [(x,) for x in FLOATS])

    def test_math(self):
        names = ["sqrt", "floor", "ceil", "trunc", "fabs", "isnan", "isinf", "isfinite", "exp"]
        for values, kind in ((FLOATS, float), (WIDE, int)):
            for name in names:
                program = Program(f"import math\ndef f(x):\n    return math.{name}(x)\n")
                domain = [[x] for x in values]
                for arguments in domain:
                    compare(self, program, arguments, domain)


STRINGS = ["".join(p) for p in itertools.product("aB 1", repeat=3)]
ODD = ["".join(p) for p in itertools.product("a\t,-\u00df", repeat=3)]


class Texts(unittest.TestCase):
    METHODS = [
        "s.find('a')", "s.rfind('a')", "s.find('aa')", "s.index('1')", "s.rindex('B')", "s.count('a')",
        "s.count('aa')", "s.count('')", "s.find('a', 1)", "s.find('a', -1)", "s.find('', 5)",
        "s.find('a', 0, 2)", "s.split()", "s.split('a')", "s.split(None, 1)", "s.split('a', 1)",
        "s.rsplit()", "s.rsplit('a', 1)", "s.rsplit(None, 1)", "s.split('')", "s.splitlines()",
        "s.partition('a')", "s.rpartition('a')", "s.partition('')", "s.strip()", "s.lstrip('a ')",
        "s.rstrip('1')", "s.strip('aB')", "s.replace('a', 'xy')", "s.replace('', '-')",
        "s.replace('a', '', 1)", "s.replace('aa', 'b')", "s.replace('', '-', 2)", "'-'.join(s)",
        "s.join(['x', 'y'])", "''.join([s, 'x', s])", "s.join([1])", "''.join(c for c in s if c != 'a')",
        "s.startswith('a')", "s.startswith(('a', 'B1'))", "s.endswith('1')", "s.endswith(('a', ''))",
        "s.startswith('a', 1)", "s.startswith('', 4)", "s.endswith('a', 0, 2)", "s.startswith(1)",
        "s.removeprefix('a')", "s.removesuffix('a')", "s.removesuffix('')", "s.lower()", "s.upper()",
        "s.title()", "s.capitalize()", "s.swapcase()", "s.casefold()", "s.isalpha()", "s.isdigit()",
        "s.isalnum()", "s.isspace()", "s.isupper()", "s.islower()", "s.istitle()", "s.isidentifier()",
        "s.isdecimal()", "s.isnumeric()", "s.isprintable()", "s.isascii()", "s[1:].isdigit()",
        "s.zfill(5)", "s.center(6)", "s.center(7, '*')", "s.ljust(5, 'x')", "s.rjust(2)",
        "s.center(5, 'ab')", "s.expandtabs(4)", "s.translate({97: 'xx', 49: None, 66: 65})",
        "s.translate(str.maketrans('a1', 'z2'))", "s.encode()", "s.encode('ascii')", "s.encode('utf-16')",
        "ord(s[0])", "ord(s)", "chr(ord(s[0]) + 1)", "s[0]", "s[-1]", "s[5]", "s[::-1]", "s[1:]", "s[:-1]",
        "s['a']", "s + 'x'", "'x' + s", "s + 1", "s * 2", "2 * s", "s * -1", "len(s)", "list(s)",
        "s == 'a1B'", "s != 'aaa'", "s < 'aB'", "s >= 'a'", "s <= 'aB 1'", "'B' > s", "s < 1", "s == 1",
        "'a' in s", "'' in s", "s in 'xaaa1'", "1 in s", "'aB' not in s", "s in ('aaa', 'BBB')",
        "s in {'aaa', 'B 1'}", "s in {'aaa': 1}", "{'aaa': 1}.get(s, 2)", "{'aaa': 1}[s]", "hash(s) * 0",
        "int(s)", "int(s[2])", "int(s[1:])", "int(s, 16)", "int('1' + s[0], 16)", "int(s, 2)", "float(s)",
        "str(s)", "repr(s)", "f'{s}|{s!r}|{s:>5}'", "'%s-%r-%5s' % (s, s, s)", "'%s' % s", "'%d' % s",
        "'{} {x!r}'.format(s, x=s)", "'{0[1]}{1}'.format(s, 2)", "s.format(1)", "s % ()", "bool(s)",
        "not s", "s or 'x'", "sorted(s)", "sorted(s.split(), key=len)", "''.join(sorted(s))", "max(s)",
        "min(s, 'b')", "set(s)", "''.join(reversed(s))", "list(enumerate(s))", "list(zip(s, s[1:]))",
        "list(map(ord, s))", "list(map(str.upper, s))", "[*filter(str.isdigit, s)]", "str.lower(s)",
        "s.foo", "isinstance(s, str)", "type(s) is str", "s.__len__()", "s.encode().decode()",
        "sorted([s, 'a', 'B'])", "sorted([s, 'a', 'B'], key=str.lower)", "bytes(s, 'ascii')", "s.maketrans('a', 'b')",
        "any(c.isdigit() for c in s)", "dict.fromkeys(s)", "{c: s.count(c) for c in s}", "s is None", "iter(s).__next__()",
        "tuple(s)", "s.__contains__('a')", "'abc'.find(s[0])", "'a-b'.split(s[0])", "'aab'.replace(s[0], 'x')",
        "'aBa'.strip(s)", "'aB 1'.startswith(s)", "'aB1'.count(s[0])", "'x'.join([s[0], s[1]])",
        "'a1'.translate({97: s})", "'abc'.zfill(ord(s[0]) & 7)", "', '.join(s.split())", "ascii(s)",
        "s.lower() == s", "s.upper().lower() < s", "(s[0] + s[1]) == 'aB'", "s.split()[0] if s.split() else ''"]

    def test_methods(self):
        expressions(self, "s", self.METHODS, [(s,) for s in STRINGS], 12, 64)

    def test_methods_on_other_characters(self):
        expressions(self, "s", self.METHODS, [(s,) for s in ODD], 6, 80, seed=2)

    def test_every_character(self):
        bodies = ["s.lower()", "s.upper()", "s.title()", "s.swapcase()", "s.capitalize()", "s.casefold()", "s.split()",
                  "s.splitlines()", "s.strip()", "s.isidentifier()", "('a' + s).isidentifier()", "int(s, 36)",
                  "repr(s)", "('a' + s).title()", "('A' + s).istitle()", "('a' + s + 'b').splitlines(True)"]
        bodies += [f"s.{name}()" for name in ("isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower",
                                              "istitle", "isdecimal", "isnumeric", "isprintable", "isascii")]
        expressions(self, "s", bodies, [(chr(c),) for c in range(256)], 40)
        bodies = [body.replace("'a'", "b'a'").replace("'A'", "b'A'").replace("'b'", "b'b'") for body in bodies
                  if not any(name in body for name in ("casefold", "identifier", "isdecimal", "isnumeric", "printable"))]
        expressions(self, "s", bodies, [(bytes([c]),) for c in range(256)], 40)

    def test_overlapping_occurrences(self):
        words = [("".join(p),) for p in itertools.product("ab", repeat=4)]
        expressions(self, "s", ["s.count('aa')", "s.replace('aa', 'c')", "s.split('aa')", "s.rsplit('aa')",
                                "s.rfind('aa')", "s.replace('aa', 'aaa', 1)"], words)

    def test_symbolic_operands(self):
        bodies = ["s.find(t)", "s.rfind(t)", "s.count(t)", "s.split(t)", "s.replace(t, 'x')", "s == t",
                  "s < t", "s <= t", "t in s", "s + t", "s.strip(t)", "s.partition(t)", "s.startswith(t)",
                  "s.endswith((t, 'x'))", "t.join(s)", "s.removeprefix(t)", "s.center(5, t)", "sorted([s, t])",
                  "max(s, t)", "s.index(t)", "(s, 1) < (t, 2)", "{s: 1}.get(t)", "len({s, t})", "s.ljust(4, t)",
                  "f'{s}{t}'", "t * 2 in s", "s.replace('a', t)", "s.rsplit(t, 1)", "s.translate({97: t})"]
        domain = [(s, t) for s in ("aaa", "aba", "bab", "bbb", "aab") for t in "ab"]
        expressions(self, "s, t", bodies, domain)

    def test_symbolic_indices(self):
        bodies = ["s[i]", "s[i:j]", "s[j:i:-1]", "s.find('a', i)", "s.find('a', i, j)", "s[i:][:j]", "s * i",
                  "s.center(i)", "s.split('a', i)", "s.zfill(j)", "'abcd'[i]", "'abcd'[i:j]", "[1, 2, 3][i:j]",
                  "s.replace('a', 'x', i)", "s.count('a', j)", "s[i] == s[j]"]
        domain = [(s, i, j) for s in ("aba", "bab") for i in range(-4, 5) for j in (-1, 0, 2)]
        expressions(self, "s, i, j", bodies, domain, 25)

    def test_numbers_in_texts(self):
        words = ["".join(p) for p in itertools.product("0+-7_ ", repeat=3)]
        expressions(self, "s", ["int(s)", "int(s, 8)", "int(s, 0)", "int(s) + 1", "int(s.strip() or '0')",
                                "int('12' + s)", "int(s + '12345678901234567890')"],
                    [(w,) for w in words], 40)
        words = ["".join(p) for p in itertools.product("0xbfF9", repeat=3)]
        expressions(self, "s", ["int(s, 16)", "int(s, 2)", "int(s, 36)", "int(s, 37)", "int(s, base=16)"],
                    [(w,) for w in words], 40)


class Bytes(unittest.TestCase):
    def test_methods(self):
        bodies = ["d[0]", "d[1:]", "d.find(b'a')", "d.find(97)", "d.count(b'a')", "d.split(b'a')", "d.split()",
                  "d.strip()", "d.replace(b'a', b'xy')", "d.startswith(b'a')", "d.endswith((b'1', b'a'))",
                  "d.upper()", "d.lower()", "d.title()", "d.swapcase()", "d.capitalize()", "d.isdigit()",
                  "d.isalpha()", "d.isspace()", "d.islower()", "d.istitle()", "d.isascii()", "d.decode()",
                  "d.decode('latin-1')", "d.decode('ascii')", "d.hex()", "d + b'x'", "b'x' + d", "d * 2",
                  "d == b'aaa'", "d < b'b'", "d == 'aaa'", "97 in d", "b'a' in d", "300 in d", "'a' in d", "d[5]",
                  "list(d)", "sum(d)", "max(d)", "sorted(d)", "bytes(d)", "bytearray(d)", "bytes(reversed(d))",
                  "bytes([d[0], 1])", "bytes([d[0] + 200])", "int(d)", "int.from_bytes(d, 'big')",
                  "int.from_bytes(d, 'little', signed=True)", "hash(d) * 0", "len(d)", "d.join([b'x', d])",
                  "b'-'.join([d, b'y'])", "d.zfill(5)", "d.center(6, b'*')", "d.partition(b'a')", "repr(d)", "str(d)",
                  "d.splitlines()", "d.rsplit(b'a', 1)", "d.removeprefix(b'a')", "d.expandtabs()", "d + 'x'",
                  "d.translate(bytes(range(256)))", "b'%s' % d", "isinstance(d, bytes)", "type(d)", "d[::-1]",
                  "str(d, 'ascii')", "{b'aaa': 1}.get(d)", "d in {b'aaa'}", "bytes(b ^ 32 for b in d)"]
        domain = [(bytes(p),) for p in itertools.product(b"aB \xe9", repeat=3)]
        expressions(self, "d", bodies, domain, 12, 64)

    def test_bytearray(self):
        source = """def f(a, x):
    b = a
    a.append(x & 255)
    a.extend(b'xy')
    a[0] = 65
    a += b'z'
    a[1:2] = b'qq'
    del a[-1]
    c = a.copy()
    a.insert(1, 7)
    last = a.pop()
    a.reverse()
    if 97 in a:
        a.remove(97)
    if a[0] > 100:
        a.clear()
    return b is a, bytes(a), c, last, a == b, len(a), a.find(b'q'), isinstance(a, bytearray)
"""
        program = Program(source)
        domain = [[bytearray(p), x] for p in itertools.product(b"a\x80z", repeat=2) for x in (-1, 0, 97)]
        for arguments in domain:
            compare(self, program, arguments, domain)
        for line in ("a[5] = 1", "a[0] = x", "a.append(x)", "del a[7]", "a.pop(9)", "a.remove(x)", "hash(a)",
                     "a += 5", "a.extend([x])", "a[0:1] = [x, x]", "a *= 2"):
            program = Program(f"def f(a, x):\n    {line}\n    return a\n")
            domain = [[bytearray(b"ab"), x] for x in (-1, 0, 97, 256)]
            for arguments in domain:
                compare(self, program, arguments, domain)


class Programs(unittest.TestCase):
    """Whole functions, with every input of a small domain."""

    def check(self, source, domain, notes=None):
        program = Program(source)
        paths = set()
        for arguments in domain:
            follower, shared = compare(self, program, arguments, domain)
            self.assertGreater(shared, 0)
            paths.add(str([(node, value) for _, node, value in follower.decisions]))
            if notes is not None:
                self.assertEqual(sorted(set(follower.notes)), notes)
        return len(paths)

    def test_sorting(self):
        source = """def f(xs):
    xs = xs[:]
    for i in range(1, len(xs)):
        j = i
        while j > 0 and xs[j - 1] > xs[j]:
            xs[j - 1], xs[j] = xs[j], xs[j - 1]
            j -= 1
    return xs
"""
        domain = [[list(p)] for p in itertools.product(range(4), repeat=4)]
        # As many paths as there are ways to compare: 4! and no more.
        self.assertEqual(self.check(source, domain[::3], []), 24)

    def test_library(self):
        source = """import heapq, bisect, itertools, functools, collections, operator, copy
def f(xs):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
    order = [heapq.heappop(heap) for _ in xs]
    place = bisect.bisect_left(order, xs[0])
    runs = [(k, len(list(g))) for k, g in itertools.groupby(xs)]
    total = functools.reduce(operator.add, xs)
    sums = list(itertools.accumulate(xs))
    counts = collections.Counter(xs)
    deep = copy.deepcopy([xs, {1: xs[0]}])
    picked = list(itertools.takewhile(bool, xs))
    get = operator.itemgetter(0)(xs)
    return order, place, runs, total, sums, sorted(counts.items()), deep, picked, get, max(xs, default=0)
"""
        self.check(source, [[list(p)] for p in itertools.product(range(3), repeat=3)], [])

    def test_words(self):
        source = """def f(s):
    counts = {}
    for word in s.split():
        counts[word] = counts.get(word, 0) + 1
    best = max(counts, key=counts.get, default=None)
    return best, sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
"""
        self.check(source, [["".join(p)] for p in itertools.product("ab ", repeat=4)][::2], [])

    def test_classes(self):
        source = """import dataclasses, enum
class Color(enum.IntEnum):
    RED = 1
    BLUE = 2
@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 0
    def __bool__(self):
        return self.x > self.y
    def __str__(self):
        return f"<{self.x}>"
    def __hash__(self):
        return self.x
    def __index__(self):
        return self.y
    def __contains__(self, other):
        return other in (self.x, self.y)
    def __add__(self, other):
        return Point(self.x + other, self.y)
    __radd__ = __add__
class Odd(int):
    def __radd__(self, other):
        return "odd"
class Name(str):
    pass
def f(x, y):
    p, q = Point(x, y), Point(y, x)
    return (p < q, p == q, bool(p), str(p), {p: 1}[Point(x, y)], [1, 2, 3, 4][p & 0 if False else 1], x in p,
            sorted([p, q]), p + 1, 2 + p, x + Odd(3), Color.RED + x, x == Color.BLUE, Color.RED < x,
            f"{p} {q!s}", dataclasses.astuple(p), Name("ab") * x, f"{Name('q')}{x}", "%s" % p, [5, 6, 7][Point(0, x & 1)])
"""
        self.check(source, [[x, y] for x in range(-1, 3) for y in range(3)])

    def test_errors_that_are_caught(self):
        source = """def f(s, x):
    found = []
    for part in s.split(","):
        try:
            found.append(int(part))
        except ValueError as error:
            found.append("bad")
    try:
        found.append(10 // x)
    except ZeroDivisionError as error:
        found.append(str(error))
    try:
        return found, found[x]
    except IndexError as error:
        return found, repr(error)
"""
        self.check(source, [["".join(p), x] for p in itertools.product("1,a", repeat=3) for x in (-3, 0, 2)], [])

    def test_a_message_is_made_when_it_is_read(self):
        program = Program("def f(s):\n    try:\n        return int(s)\n    except ValueError as error:\n"
                          "        return str(error)\n")
        for word in ("abc", "1a2", "'\"\\"):
            domain = [[word], ["xyz"], ["123"]]
            compare(self, program, [word], domain)

    def test_decisions_are_few(self):
        """What C does in one branch is one decision."""
        for body, arguments, expected in (
                ("'yes' if s == 'abcd' else 'no'", ["abcd"], 1),
                ("'yes' if 'x' in s else 'no'", ["abcd"], 1),
                ("'yes' if s.isdigit() else 'no'", ["abcd"], 1),
                ("'yes' if s in ('ab', 'abcd', 'abce') else 'no'", ["abcd"], 1),
                ("s.upper().lower().title()", ["abcd"], 0),
                ("sum(map(int, s))", ["1234"], 4),
                ("s.count('a')", ["abca"], 0)):
            program = Program(f"def f(s):\n    return {body}\n")
            bounds = [(1, 127)] * 4
            follower = begin(list(map(ord, arguments[0])))
            program.symbolic(proxy(arguments[0], bounds, itertools.count()))
            self.assertEqual(len(follower.decisions), expected, body)


class Installed(unittest.TestCase):
    def test_with_rewritten_libraries(self):
        # In a process of its own: modules are imported anew.
        done = subprocess.run([sys.executable, "-B", "-m", "worker.tests.installed"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])


if __name__ == "__main__":
    unittest.main()
