"""An engine that follows values, and the comparison of plain and symbolic runs.

A program runs with plain values and, rewritten, with proxies. Both must give
the same. Then every other input of a small domain that satisfies the decisions
of the symbolic run must take the same path through the program: the plain
function gives what the symbolic result is worth under that input.
"""

import itertools
import math
import struct
import sys

from worker import nodes, numbers, rewrite, texts

rewrite.install_names()


class Follower:
    """Takes the arms of the values in `nodes.world`, and keeps the decisions."""

    def __init__(self):
        self.decisions = []    # (kind, node, value)
        self.notes = []

    def _decide(self, kind, node):
        value = nodes.evaluate(node)
        if node.op not in nodes.CONDITIONS:
            assert node.lo <= value <= node.hi, (node, node.lo, value, node.hi)
            assert nodes.MIN <= value <= nodes.MAX
        self.decisions.append((kind, node, value))
        return value

    def branch(self, node):
        assert node.op in nodes.CONDITIONS and node.lo != node.hi
        return self._decide("branch", node) == 1

    def check(self, node):
        assert node.op in nodes.CONDITIONS and node.lo != node.hi
        return self._decide("check", node) == 1

    def choose(self, node):
        assert node.op not in nodes.CONDITIONS and node.op not in nodes.FLOATS
        return self._decide("choose", node)

    def note(self, reason):
        self.notes.append(reason)

    def holds(self):
        """Whether the decisions are those of the values in `nodes.world`."""
        return all(nodes.evaluate(node) == value for _, node, value in self.decisions)


def set_world(values):
    nodes.world.values = values
    nodes.world.epoch += 1


def begin(values):
    nodes.reset()
    follower = Follower()
    nodes.attach(follower)
    set_world(values)
    return follower


def flat(argument):
    """The variables of a plain argument."""
    if isinstance(argument, str):
        return [ord(c) for c in argument]
    if isinstance(argument, (bytes, bytearray)):
        return list(argument)
    if isinstance(argument, (list, tuple)):
        return [v for item in argument for v in flat(item)]
    return [int(argument) if isinstance(argument, bool) else argument]


def proxy(argument, bounds, counter):
    """The argument with proxies for its variables."""
    if isinstance(argument, (str, bytes, bytearray)):
        codes = []
        for _ in argument:
            at = next(counter)
            codes.append(nodes.variable(at, *bounds[at]))
        if isinstance(argument, str):
            return texts.text(codes)
        return texts.data(codes) if isinstance(argument, bytes) else texts.array(codes)
    if isinstance(argument, (list, tuple)):
        return type(argument)(proxy(item, bounds, counter) for item in argument)
    at = next(counter)
    if isinstance(argument, bool):
        return numbers.truth(nodes.condition_variable(at))
    if isinstance(argument, float):
        return numbers.real(nodes.float_variable(at))
    return numbers.whole(nodes.variable(at, *bounds[at]))


def exact(value):
    """A value so that two are equal only if they look the same."""
    kind = type(value)
    if issubclass(kind, numbers.Symbolic):
        value = numbers.peek(value)
        kind = type(value)
    if kind in (list, tuple, set, frozenset):
        items = [exact(item) for item in value]
        return kind.__name__, sorted(items, key=repr) if kind in (set, frozenset) else items
    if kind is dict:
        return "dict", [(exact(key), exact(item)) for key, item in value.items()]
    if kind is float:
        return "float", "nan" if value != value else struct.pack("<d", value)
    if kind.__module__ == "builtins":
        return kind.__name__, repr(value)
    return kind.__name__, sorted((key, exact(item)) for key, item in vars(value).items()) \
        if hasattr(value, "__dict__") else repr(value)


class Run:
    """What a call gave."""

    def __init__(self, function, arguments):
        try:
            self.result, self.error = function(*arguments), None
        except (Exception, RecursionError) as error:
            self.result, self.error = None, error

    def outcome(self):
        if self.error is not None:
            # Messages may be made late.
            return type(self.error).__name__, str(self.error)
        return exact(self.result)


class Program:
    def __init__(self, source, name="f"):
        plain, symbolic = {}, {}
        exec(compile(source, "<program>", "exec", dont_inherit=True), plain)
        exec(rewrite.compile_source(source, "<program>"), symbolic)
        self.source = source
        self.plain, self.symbolic = plain[name], symbolic[name]

    def lines(self, arguments):
        """The lines of a plain run."""
        lines = []

        def local(frame, event, argument):
            lines.append(frame.f_lineno)
            return local

        def each(frame, event, argument):
            return local if frame.f_code.co_filename == "<program>" else None

        sys.settrace(each)
        try:
            Run(self.plain, arguments)
        finally:
            sys.settrace(None)
        return lines


def compare(test, program, arguments, domain, limit=300):
    """Compares a plain and a symbolic run, and the latter with the plain runs
    of other inputs on its path. `domain` gives the inputs: lists of arguments
    of the same shape. Returns the follower and how many inputs shared the path."""
    inputs = [flat(other) for other in domain]
    columns = list(zip(flat(arguments), *inputs))
    bounds = [(min(column), max(column)) if not isinstance(column[0], float) else (0, 1)
              for column in columns]
    values = flat(arguments)
    follower = begin(values)
    place = f"{program.source}\nwith {arguments!r}"
    run = Run(program.symbolic, proxy(list(arguments), bounds, itertools.count()))
    expected = Run(program.plain, copied(arguments)).outcome()
    test.assertEqual(run.outcome(), expected, place)
    test.assertTrue(follower.holds(), place)
    path = program.lines(copied(arguments))
    # The message of an exception may have needed decisions of its own.
    shared = 0
    for other, flattened in zip(domain[:limit], inputs):
        set_world(flattened)
        if not follower.holds():
            continue
        shared += 1
        test.assertEqual(program.lines(copied(other)), path, f"{place} and {other!r}")
        given = Run(program.plain, copied(other)).outcome()
        if expected[0] == given[0] and run.error is not None:
            continue
        test.assertEqual(run.outcome(), given, f"{place} and {other!r}")
    return follower, shared


def copied(arguments):
    """Arguments that a program may change."""
    return [bytearray(x) if isinstance(x, bytearray) else
            copied(x) if isinstance(x, list) else x for x in arguments]
