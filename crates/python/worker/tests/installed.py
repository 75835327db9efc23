"""Programs that use libraries, which are rewritten when they are imported."""

import itertools
import unittest

from worker import rewrite
from worker.tests.standin import Program, compare

rewrite.install()


class Libraries(unittest.TestCase):
    def check(self, source, domain, *notes):
        """Compares all inputs; what became concrete includes `notes`, or is
        nothing if none are given."""
        program = Program(source)
        found = set()
        for arguments in domain:
            follower, shared = compare(self, program, arguments, domain)
            self.assertGreater(shared, 0)
            found.update(follower.notes)
        if notes:
            self.assertLessEqual(set(notes), found)
        else:
            self.assertEqual(found, set())

    def test_foreign_types(self):
        self.check("""import decimal, fractions, re, math, struct, json
def f(x, s):
    d = decimal.Decimal(3)
    return (d + x, x * d, x < d, fractions.Fraction(x, 3) + x, re.sub("a", "b", s), bool(re.match("a", s)),
            math.gcd(x, 12), struct.pack("<i", x), json.dumps([x, s]), s.encode("utf-16"), pow(x, 2, 5),
            math.sin(x) < 2, re.findall("[a-b]+", s + "ab"))
""", [[x, s] for x in (-2, 0, 4) for s in ("ab", "ba", "cc")], "Pattern.sub", "math.gcd")

    def test_modules_are_rewritten(self):
        import fnmatch, heapq, os, textwrap
        for function in (textwrap.wrap, heapq.merge, fnmatch.translate, os.path.join):
            self.assertIn("@pick", function.__code__.co_names, function)

    def test_text_modules(self):
        words = [["".join(p)] for p in itertools.product("a*/ ", repeat=2)]
        self.check("""import fnmatch, string, os.path
def f(s):
    return fnmatch.translate(s), os.path.join("a", s), os.path.splitext(s + ".x"), string.capwords(s)
""", words)
        self.check("""import textwrap
def f(s):
    return textwrap.indent(s, "> "), textwrap.wrap(s + " word", 4)
""", words, "Pattern.split")

    def test_json_without_c(self):
        self.check("""import json.decoder, json.scanner
def f(s):
    decoder = json.decoder.JSONDecoder()
    decoder.parse_object = json.decoder.JSONObject
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    try:
        return decoder.decode(s)
    except ValueError as error:
        return type(error).__name__
""", [["".join(p)] for p in itertools.product('[1",]', repeat=3)][::3], "Pattern.match")

    def test_pure_modules(self):
        self.check("""import heapq, statistics, calendar, colorsys, collections, functools, copy, bisect
def f(x, y):
    cache = functools.lru_cache(None)(lambda k: k + 1)
    return (list(heapq.merge([x, 3], [y, 2])), statistics.median([x, y, 1]), calendar.isleap(x * 100 + y),
            heapq.nsmallest(2, [x, y, 1]), collections.deque([x, y], 1)[0], cache(x), bisect.insort([1], x),
            collections.ChainMap({1: 2}, {2: 3}).get(x), copy.copy([x]), heapq.nlargest(1, [x, y], key=abs))
""", [[x, y] for x in range(-1, 4) for y in range(3)])


if __name__ == "__main__":
    unittest.main()
