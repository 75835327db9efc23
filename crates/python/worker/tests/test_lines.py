"""Rewritten sources have the line events of the originals, with plain values."""

import ast
import io
import os
import sys
import types
import unittest

from worker import rewrite

rewrite.install_names()

LIBRARY = os.path.dirname(os.__file__)


def trace(function, *arguments, **named):
    """What a function does: its result or exception, and the line events of
    all code that is not the worker's."""
    events = []
    worker = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    def local(frame, event, argument):
        if event == "line":
            events.append((frame.f_code.co_filename, frame.f_lineno))
        return local

    def each(frame, event, argument):
        return None if frame.f_code.co_filename.startswith(worker) else local

    before = sys.gettrace()
    sys.settrace(each)
    try:
        result = function(*arguments, **named)
    except Exception as error:
        result = type(error), str(error)
    finally:
        sys.settrace(before)
    return result, events


def modules(source, filename, name):
    """The module twice, from its source and from the rewritten one."""
    made = []
    for code in (compile(source, filename, "exec", dont_inherit=True),
                 rewrite.compile_source(source, filename)):
        module = types.ModuleType(name)
        module.__file__ = filename
        module.__package__ = name.rpartition(".")[0]
        before = sys.modules.get(name)
        sys.modules[name] = module
        try:
            exec(code, module.__dict__)
        finally:
            if before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = before
        made.append(module)
    return made


def same_events(test, first, second):
    for at, (one, two) in enumerate(zip(first, second)):
        if one != two:
            test.fail(f"event {at}: {first[at - 3:at + 4]} but {second[at - 3:at + 4]}")
    test.assertEqual(len(first), len(second))


SNIPPETS = '''"""A docstring."""
from __future__ import annotations
import functools, collections

class Base:
    "Docs."
    __private = 3
    def __init__(self, value):
        self.value = value
        self.__hidden = [value]
    def method(self, other, *, key=None):
        return (self.value + other, key,
                self.__hidden, self.__private)
    def __eq__(self, other):
        return self.value == other.value
    def __hash__(self):
        return hash(
            self.value)
    def __str__(self):
        return "Base(%s)" % (
            self.value,)
    def __bool__(self):
        return bool(
            self.value
        )
    @property
    def chained(self):
        return self

class Derived(Base):
    def __init__(self, value):
        super().__init__(
            value)
        self.kind = __class__.__name__
    def method(self, other, **rest):
        result = super().method(
            other,
            **rest)
        return result
    @functools.lru_cache(
        maxsize=None)
    def cached(self, n):
        return n * 2

def calls(n):
    total = (max(
        n,
        3)
        + min(n,
              5))
    text = str(
        n
    ).upper(
    ).lower()
    text = ("x"
            .join([text,
                   "y"])
            .replace("x",
                     "z")
            .strip())
    parts = dict(a=1,
                 b=len(
                     text))
    values = list(map(
        lambda x:
            x + 1,
        range(n)))
    return total, text, parts, values, print

def stars(*args, **named):
    return collections.OrderedDict(
        sorted(
            named.items(),
            key=lambda pair: pair[
                0])), max(
        *args,
        key=abs)

def members(n):
    found = [x for x in range(n)
             if x not in (1,
                          2)
             if x in {3, 4, 5,
                      6}]
    other = {x: y
             for x in found
             for y in [x]
             if y in
             found}
    if (n > 2 and
            n in [1, 2, 3,
                  4, 5] and
            n not in other):
        found.append(n)
    while n in (5, 6,
                7):
        n += 1
    flag = n in found
    both = 0 < n in found
    none = n is True, n is not False, (n
                                       > 2) is True
    return found, other, flag, both, none

def texts(n, name="x"):
    a = f"{n}"
    b = f"{n!r:>{n + 4}} and {name
}" if False else f"{n!r:>{n + 4}} {name}"
    c = (f"one {n}"
         f"two {name.upper()} "
         "three")
    d = "%s-%s" % (n, name)
    e = "%d %5.2f %s%%" % (
        n, 3.5,
        name)
    f = "<%s>%s|" % (
        name,
        n)
    g = "%(a)s %(b)d" % dict(
        a=name,
        b=n)
    h = f"""{n}
    {name
     } {f'{name + str(n)}'}
    """
    i = n % 3
    return a, b, c, d, e, f, g, h, i

def walrus(n):
    if (m := n * 2) > 4 and (k := len(
            str(m))):
        return m, k
    return [y := n, y ** 2]

def scopes():
    x = 1
    def inner():
        nonlocal x
        x += 1
        global made
        made = x
        return sorted(locals())
    names = inner()
    space = {}
    exec("z = len('abc')", space)
    y = eval("x + 1")
    del inner
    return names, space["z"], y, sorted(locals())

def matching(value):
    match value:
        case True:
            return "true"
        case 0 | 1:
            return "small"
        case int(n) if n in (
                5, 6):
            return "int", n
        case [a, *rest] if len(
                rest) > 1:
            return a, rest
        case {"k": v}:
            return v
        case Base(value=v):
            return "base", v
        case str():
            return value.upper()
        case _:
            return None

def tries(n):
    try:
        try:
            if n == 0:
                raise ValueError(
                    "bad %s" % n)
            return 10 // (n - 1)
        except ZeroDivisionError as error:
            return str(error)
        finally:
            n = len([n])
    except ValueError as error:
        return repr(
            error)
    else:
        return n

def generator(n):
    for i in range(n):
        got = yield (i,
                     str(i))
        if got in (None,
                   1):
            continue
    return n

def drive(n):
    return list(generator(n)), sum(x for x in range(n)
                                   if x % 2), any(x > 2
                                                  for x in range(n))

def deep(n):
    return 0 if n == 0 else deep(
        n - 1) + 1

def annotated(x: int = len("abc"), *, y: list[int] = None) -> str:
    z: dict[str, int] = dict(
        a=1)
    return x, y, z

async def coroutine():
    return len("abc")

def decorate(*names):
    def decorator(f):
        @functools.wraps(f)
        def wrapper(*args, **kw):
            return f(
                *args,
                **kw), names
        return wrapper
    return decorator

@decorate("a",
          "b")
def decorated(
    x,
    y=2,
):
    return x + y

def with_statement(n):
    import contextlib
    with contextlib.suppress(
            KeyError), contextlib.ExitStack() as stack:
        stack.callback(
            len, "x")
        return {}[n].foo(
            1).bar
    return n

def classes(n):
    made = Derived(n)
    return (made.method(1, key=2), str(made), bool(made), made.chained
            .chained.method(
                5), hash(made), made.cached(3), made.kind, made == Base(n))
'''


class Snippets(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        source = SNIPPETS
        if sys.version_info < (3, 12):
            source = source.replace('{name\n}" if False', '{name}" if False')
        cls.plain, cls.rewritten = modules(source, "<snippets>", "snippets")

    def compare(self, name, *arguments, **named):
        first = trace(getattr(self.plain, name), *arguments, **named)
        second = trace(getattr(self.rewritten, name), *arguments, **named)
        self.assertEqual(repr(first[0]), repr(second[0]))
        same_events(self, first[1], second[1])
        self.assertTrue(first[1])

    def test_functions(self):
        for name in ("calls", "members", "texts", "walrus", "matching", "tries", "drive",
                     "deep", "decorated", "with_statement", "classes"):
            for n in range(8):
                with self.subTest(name, n=n):
                    self.compare(name, n)

    def test_others(self):
        self.compare("stars", 1, -5, 3, b=1, a=2)
        self.compare("scopes")
        self.compare("annotated")
        self.assertEqual(self.plain.annotated.__annotations__,
                         self.rewritten.annotated.__annotations__)
        self.assertEqual(self.plain.__doc__, self.rewritten.__doc__)
        self.assertEqual(self.plain.Base.__doc__, self.rewritten.Base.__doc__)
        for value in (True, False, [1, 2, 3], {"k": 5}, "abc", None, 5):
            self.compare("matching", value)

    def test_the_depth_of_recursion_is_the_same(self):
        # Nothing stands between a Python function and the one it calls.
        limit = sys.getrecursionlimit()
        for module in (self.plain, self.rewritten):
            reached = 0
            try:
                while True:
                    module.deep(reached + 1)
                    reached += 1
                    if reached > 3 * limit:
                        self.fail("no limit")
            except RecursionError:
                pass
            if module is self.plain:
                plain = reached
        self.assertLessEqual(abs(plain - reached), 2)

    def test_names_do_not_show(self):
        self.assertEqual(set(vars(self.plain)), set(vars(self.rewritten)))


def static_lines(code):
    """The lines of a code object's instructions, in their order."""
    lines = []
    for _, _, line in code.co_lines():
        if line is not None and (not lines or lines[-1] != line):
            lines.append(line)
    return lines


def all_codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_codes(constant)


class Library(unittest.TestCase):
    """The standard library's modules."""

    def test_instructions_stand_on_the_lines_of_the_original(self):
        # The compiler lays blocks out by their size, so a few functions have
        # the same lines in another order; that every line is there and that
        # these are few is what can be said of all.
        total = other = 0
        for name in sorted(os.listdir(LIBRARY)):
            path = os.path.join(LIBRARY, name)
            if not name.endswith(".py"):
                continue
            with open(path, "rb") as file:
                source = file.read()
            plain = all_codes(compile(source, path, "exec", dont_inherit=True))
            rewritten = all_codes(rewrite.compile_source(source, path))
            for one, two in zip(plain, rewritten, strict=True):
                total += 1
                self.assertEqual(one.co_name, two.co_name)
                self.assertEqual(one.co_firstlineno, two.co_firstlineno)
                first, second = static_lines(one), static_lines(two)
                if first != second:
                    other += 1
                    self.assertEqual(set(first), set(second), (path, one.co_name))
        self.assertGreater(total, 5000)
        self.assertLess(other, total // 100)

    def compare(self, name, use):
        """Uses the module as it is and rewritten."""
        __import__(name)
        path = sys.modules[name].__file__
        with open(path, "rb") as file:
            source = file.read()
        plain, rewritten = modules(source, path, name)
        # Caches of regular expressions and the like are filled first.
        for module in (plain, rewritten):
            trace(use, module)
        first, second = trace(use, plain), trace(use, rewritten)
        self.assertEqual(repr(first[0])[:2000], repr(second[0])[:2000])
        same_events(self, first[1], second[1])
        self.assertGreater(sum(file == path for file, _ in first[1]), 5)

    def test_textwrap(self):
        text = "The quick brown fox -- jumped over the-lazy dog. " * 5
        self.compare("textwrap", lambda m: (
            m.wrap(text, 17), m.fill(text, 30, initial_indent="* ", max_lines=3),
            m.dedent("  a\n    b\n"), m.shorten(text, 25), m.indent("a\nb", "> ")))

    def test_difflib(self):
        a, b = "one two three four".split(), "one three five four six".split()
        self.compare("difflib", lambda m: (
            list(m.unified_diff(a, b)), list(m.ndiff(a, b)), list(m.context_diff(a, b)),
            m.get_close_matches("appel", ["ape", "apple", "peach"]),
            m.HtmlDiff().make_file(a, b)[:5000]))

    def test_heapq(self):
        def use(m):
            heap = [5, 2, 8, 1]
            m._heapify_max(heap) if hasattr(m, "_heapify_max") else m.heapify(heap)
            return (heap, m.nlargest(2, [3, 1, 4, 1, 5], key=lambda x: -x),
                    list(m.merge([1, 4], [2, 3], key=abs)), m.nsmallest(3, "heap"))
        self.compare("heapq", use)

    def test_json(self):
        value = {"a": [1, 2.5, None, True], "b": {"c": "\u20ac\n"}}
        self.compare("json.encoder", lambda m: list(
            m.JSONEncoder(indent=2).iterencode(value)) + [m.py_encode_basestring_ascii("a\u20ac")])
        self.compare("json.decoder", lambda m: m.JSONDecoder(
            object_pairs_hook=list).decode('{"a": [1, {"b": "x\\u0041"}]} '))

    def test_calendar(self):
        self.compare("calendar", lambda m: (
            m.TextCalendar().formatmonth(2024, 2), m.HTMLCalendar().formatmonth(2023, 3),
            m.isleap(2000), m.monthrange(2001, 2), m.setfirstweekday(3)))

    def test_statistics(self):
        self.compare("statistics", lambda m: (
            m.median([3, 1, 2]), m.mean([1, 2, 4]), m.stdev([1.5, 2.5, 4]), m.mode("aab"),
            m.quantiles([1, 2, 3, 4, 5])))

    def test_fractions(self):
        self.compare("fractions", lambda m: (
            str(m.Fraction("3/4") + m.Fraction(1, 3)), m.Fraction(0.5) < 1, round(m.Fraction(7, 3)),
            m.Fraction("1e-3").limit_denominator(10), m.Fraction(2) ** -2))

    def test_string(self):
        self.compare("string", lambda m: (
            m.Template("$a and ${b}").substitute(a=1, b=2), m.capwords("a b  c"),
            m.Formatter().format("{0!r:>5} {x[1]}", 3, x=[1, 2])))

    def test_argparse(self):
        def use(m):
            parser = m.ArgumentParser(prog="p", description="d " * 30)
            parser.add_argument("--x", type=int, default=3, help="help %(default)s")
            parser.add_argument("y", nargs="*", choices=["a", "b"])
            return parser.parse_args(["--x", "4", "a", "b"]), parser.format_help()
        self.compare("argparse", use)

    def test_configparser(self):
        def use(m):
            parser = m.ConfigParser()
            parser.read_string("[a]\nx = 1\ny = %(x)s2\n# no\n[b]\nz: t\n  u\n")
            out = io.StringIO()
            parser.write(out)
            return dict(parser["a"]), out.getvalue(), parser.has_option("a", "x")
        self.compare("configparser", use)

    def test_enum_and_dataclasses(self):
        def enums(m):
            color = m.Enum("Color", "RED GREEN")
            flag = m.Flag("F", "A B C")
            return repr(color.RED), list(color), repr(flag.A | flag.B), color["RED"]
        self.compare("enum", enums)

        def data(m):
            made = m.make_dataclass("P", [("x", int), ("y", int, m.field(default=2))], order=True)
            return made(1), made(1) < made(2), m.asdict(made(3)), m.replace(made(1), y=5)
        self.compare("dataclasses", data)

    def test_parsers(self):
        self.compare("ast", lambda m: m.unparse(ast.parse(SNIPPETS)))
        self.compare("html.parser", lambda m: m.HTMLParser().feed(
            "<a href='x'>b<br/>&amp;<!-- c --></a>"))
        self.compare("urllib.parse", lambda m: (
            m.urlsplit("http://a:b@c.d:80/e?f=g#h").geturl(), m.quote("a b/\u20ac"),
            m.parse_qs("a=1&b=2&a=3"), m.urljoin("http://a/b/c", "../d")))
        self.compare("shlex", lambda m: (m.split("a 'b c' \"d\\\"e\""), m.quote("a b")))
        self.compare("csv", lambda m: m.Sniffer().sniff("a;b\n1;2\n3;4\n").delimiter)
        self.compare("fnmatch", lambda m: (m.translate("a*[!b-d]?.[x]"), m.filter(
            ["ab", "cd"], "a*"), m.fnmatch("a", "b")))
        self.compare("tokenize", lambda m: list(m.generate_tokens(
            io.StringIO(SNIPPETS).readline)))
        self.compare("pprint", lambda m: m.pformat({"a": list(range(30)), "b": {1, 2}}, width=20))
        self.compare("email._header_value_parser", lambda m: (
            m.get_address_list("A B <a@b.c>, d@e")[0].all_mailboxes, m.get_domain("[1")))

    def test_numbers(self):
        self.compare("_pydecimal", lambda m: (
            m.Decimal("1.25") + m.Decimal(3), m.Decimal("2").sqrt(), str(m.Decimal("1E+5")),
            m.Decimal(7) // 2, m.Decimal("NaN").is_nan(), float(m.Decimal("1.5"))))
        self.compare("colorsys", lambda m: (m.rgb_to_hsv(.2, .4, .6), m.hls_to_rgb(.5, .5, .5),
                                            m.rgb_to_hls(.3, .1, .9)))
        self.compare("random", lambda m: (m.Random(3).sample(range(20), 5),
                                          m.Random(4).choices("abc", k=4)))
        self.compare("copy", lambda m: m.deepcopy({"a": [1, (2, [3])], "b": {4}}))
        self.compare("functools", lambda m: (m._c3_merge([[1, 2], [2]]), m.singledispatch(
            lambda x: x).dispatch(int)(3)))
        self.compare("graphlib", lambda m: list(m.TopologicalSorter(
            {1: {2, 3}, 2: {3}, 4: ()}).static_order()))


if __name__ == "__main__":
    unittest.main()
