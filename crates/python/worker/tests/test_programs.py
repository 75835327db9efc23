"""Random programs: plain and symbolic runs, and other inputs on the path."""

import itertools
import random
import re
import unittest

from worker.tests.standin import Program, compare


class Generator:
    """Makes a function of integers and a text, with loops that end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0

    def number(self, depth=2):
        pick = self.random.random()
        if depth == 0 or pick < .25:
            return self.random.choice(["a", "b", "c", "n", str(self.random.randint(-3, 9))])
        if pick < .65:
            operator = self.random.choice(["+", "-", "*", "//", "%", "&", "|", "^", ">>"])
            right = self.number(depth - 1)
            if operator == ">>":
                right = f"({right} & 7)"
            elif operator in ("//", "%") and self.random.random() < .7:
                right = f"({right} or 3)"
            return f"({self.number(depth - 1)} {operator} {right})"
        return self.fill(self.random.choice([
            "len(s)", "abs({n})", "max({n}, {n})", "min({n}, {n})", "s.find({t})", "ord(s[{n} % len(s)])",
            "len(xs)", "s.count({t})", "sum(xs)", "xs[{n} % 3]", "int({n} > {n})", "({n} if {n} > {n} else {n})",
            "len({t})", "d.get({n}, {n})", "(int(s) if s.isdigit() else {n})", "len(set(s))", "hash({n}) % 7",
            "xs.count({n})", "len(str({n}))", "({n}).bit_length()", "round({n})", "len({t}.split())",
            "{t}.rfind('b')", "divmod({n}, 4)[1]", "pow({n} % 5, 2)", "int({n} / 4)", "int({n} * 0.5)"]), depth - 1)

    def fill(self, template, depth):
        return re.sub(r"\{[nt]\}", lambda match: self.number(depth) if match.group() == "{n}"
                      else self.text(depth), template)

    def text(self, depth=2):
        if depth == 0 or self.random.random() < .4:
            return self.random.choice(["s", "u", "'ab'", "'1'", "''", "s", "'a'"])
        return self.fill(self.random.choice([
            "({t} + {t})", "{t}.upper()", "{t}.strip('a')", "{t}.replace('a', {t})", "{t}[1:]", "{t}[::-1]",
            "{t}.lower()", "''.join(sorted({t}))", "f'{s}{a}'", "str(a)", "'%s-%d' % ({t}, n)", "{t}.title()",
            "{t}.zfill(4)", "'-'.join([{t}, {t}])", "{t}.partition('b')[0]", "({t} * 2)[:5]", "'{}:{}'.format({t}, n)",
            "''.join(x for x in {t} if x not in {t})", "{t}[-1:]", "chr(65 + a % 26)"]), depth - 1)

    def condition(self):
        return self.fill(self.random.choice([
            "{n} < {n}", "{n} == {n}", "{n}", "not {n}", "{t} == {t}", "{t} < {t}", "{t} in {t}", "{n} in xs",
            "{t}.isdigit()", "{t}.startswith({t})", "{n} < {n} and {n} != {n}", "{n} >= {n} or {t}",
            "0 <= {n} < {n}", "xs == sorted(xs)", "any(x > {n} for x in xs)", "{n} in d", "{n} not in (1, 2, 3)",
            "isinstance({n}, int)", "{t}.endswith(('a', {t}))", "all(xs)", "{t}.isalpha()", "({n} > 1) is True",
            "bool({n}) == bool({n})", "({n}, {t}) < ({n}, {t})", "{n} / 2 < {n}"]), 1)

    def block(self, depth, indent):
        for _ in range(self.random.randint(1, 3)):
            pad = "    " * indent
            pick = self.random.random()
            if depth and pick < .25:
                self.lines.append(f"{pad}if {self.condition()}:")
                self.block(depth - 1, indent + 1)
                if self.random.random() < .5:
                    self.lines.append(f"{pad}else:")
                    self.block(depth - 1, indent + 1)
            elif depth and pick < .35:
                loop = self.random.choice([f"for c in range({self.number(1)} % 4):", "for c in xs[:3]:",
                                           "for c in map(ord, s):", f"for c in range(3, {self.number(0)} % 5, -1):"])
                self.lines.append(pad + loop)
                self.block(depth - 1, indent + 1)
            elif depth and pick < .42:
                self.loops += 1
                self.lines.append(f"{pad}k{self.loops} = 0")
                self.lines.append(f"{pad}while k{self.loops} < 3 and ({self.condition()}):")
                self.lines.append(f"{pad}    k{self.loops} += 1")
                self.block(depth - 1, indent + 1)
            elif depth and pick < .48:
                self.lines.append(f"{pad}try:")
                self.block(depth - 1, indent + 1)
                self.lines.append(f"{pad}except (ValueError, IndexError, ZeroDivisionError) as e:")
                self.lines.append(f"{pad}    n = len(str(e)) if n == 0 else 1")
            elif pick < .6:
                self.lines.append(f"{pad}u = ({self.text()})[:6]")
            elif pick < .67:
                self.lines.append(f"{pad}d[{self.number(1)}] = {self.number(1)}")
            elif pick < .74:
                self.lines.append(pad + self.random.choice([
                    f"xs[{self.number(1)} % 3] = {self.number(1)} % 100", "xs.sort()", "xs.reverse()",
                    "xs.sort(key=lambda x: -x)", f"xs.append({self.number(1)} % 50); xs.pop(0)"]))
            else:
                name = self.random.choice("abn")
                op = self.random.choice(["=", "=", "+=", "-=", "^="])
                self.lines.append(f"{pad}{name} {op} ({self.number()}) % 1009")

    def source(self):
        self.lines = ["def f(a, b, s):", "    c = n = 0", "    u = s", "    xs = [a, b, 5]", "    d = {1: 2}"]
        self.block(3, 1)
        self.block(2, 1)
        self.lines.append("    return a, b, c, n, u, xs, d")
        return "\n".join(self.lines) + "\n"


class RandomPrograms(unittest.TestCase):
    def test_random_programs(self):
        domain = [[a, b, s] for a in (-2, 0, 1, 7) for b in (-1, 2, 3)
                  for s in map("".join, itertools.product("a1B", repeat=2))]
        shared = decisions = 0
        generator = random.Random(3)
        for seed in range(600):
            program = Program(Generator(seed).source())
            for arguments in generator.sample(domain, 3):
                with self.subTest(seed=seed, arguments=arguments):
                    others = generator.sample(domain, 60) + [arguments]
                    # The bounds of the variables are those of the whole domain.
                    follower, count = compare(self, program, arguments, others + domain, len(others))
                    shared += count
                    decisions += len(follower.decisions)
        # The inputs share paths, so the comparison says something.
        self.assertGreater(shared, 3 * 600 + 1000)
        self.assertGreater(decisions, 5000)


if __name__ == "__main__":
    unittest.main()
