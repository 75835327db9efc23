"""What stands in for builtins that would refuse a proxy or read it silently.

Each function here behaves as the builtin of its name for plain values, and
follows proxies where there is something to follow. Builtins that only use the
protocols of their arguments (len, abs, divmod, any, zip, heapq, bisect) need
nothing and are not here.
"""

import collections
import functools
import itertools
import math
import operator
import os
import sys

from . import characters, nodes
from .formats import format_of, repr_of, text_of
from .nodes import constant, decide, engine, fails, pin
from .numbers import (SymBool, SymFloat, SymInt, Symbolic, concrete, floating,
                      integer, real, truth, whole)
from .texts import (LateText, SymByteArray, SymBytes, SymStr, Text, array,
                    bytes_of_ints, data, lift, parse_int, text)

_NOTHING = object()


# ------------------------------------------------------------------ numbers

def _converted(value, names):
    """What the first of the methods gives, for a class written in Python: C
    would refuse a proxy from it."""
    for name in names:
        method = getattr(type(value), name, None)
        if type(method).__name__ == "function":
            return method(value)
    return _NOTHING


def int_(value=0, *rest, **named):
    kind = type(value)
    if (kind is str or kind is int) and not rest and not named:
        return int(value)
    if not issubclass(kind, Symbolic):
        if not rest and not named and kind.__module__ != "builtins":
            result = _converted(value, ("__int__", "__index__"))
            if issubclass(type(result), Symbolic):
                return integer(result)
            if result is not _NOTHING:
                return int(result) if type(result) is int else int(value)
        return int(value, *map(concrete, rest),
                   **{key: concrete(x) for key, x in named.items()})
    if issubclass(kind, Text):
        base = concrete(rest[0] if rest else named.get("base", 10))
        if type(base) is int and len(rest) < 2 and named.keys() <= {"base"}:
            return parse_int(value, base)
    elif not rest and not named:
        return integer(value) if kind is not LateText else int(concrete(value))
    return int(concrete(value), *map(concrete, rest), **named)


def float_(*arguments):
    if len(arguments) == 1:
        kind = type(arguments[0])
        if kind in (SymInt, SymBool, SymFloat):
            return floating(arguments[0])
        if issubclass(kind, Symbolic):
            engine.note("float of a text")
            return float(concrete(arguments[0]))
    return float(*arguments)


def bool_(*arguments):
    if len(arguments) == 1:
        kind = type(arguments[0])
        if kind is SymBool:
            return arguments[0]
        if kind is SymInt:
            return truth(nodes.negation(nodes.eq(arguments[0].node, constant(0))))
    return bool(*arguments)


def chr_(*arguments):
    if len(arguments) == 1 and type(arguments[0]) is SymInt:
        node = arguments[0].node
        if fails(nodes.negation(nodes.within(node, 0, sys.maxunicode))):
            return chr(-1)  # raises
        return text((node,))
    return chr(*arguments)


def ord_(*arguments):
    if len(arguments) == 1 and issubclass(type(arguments[0]), Text):
        codes = arguments[0].codes
        if len(codes) == 1:
            code = codes[0]
            return code if type(code) is int else whole(code)
        return ord(arguments[0].plain_of((120,) * len(codes)))  # raises
    return ord(*map(concrete, arguments))


def pow_(*arguments, **named):
    if len(arguments) == 2 and not named:
        return arguments[0] ** arguments[1]
    values = [*arguments, *named.values()]
    if any(issubclass(type(value), Symbolic) for value in values):
        engine.note("pow with a modulus")
        return pow(*map(concrete, arguments), **{k: concrete(x) for k, x in named.items()})
    return pow(*arguments, **named)


def sqrt(x):
    kind = type(x)
    if kind is SymInt or kind is SymFloat or kind is SymBool:
        if kind is SymBool:
            x = integer(x)
        node = floating(x).node if type(floating(x)) is SymFloat else None
        if node is not None:
            if fails(nodes.fcompare(nodes.FLT, node, nodes.float_constant(0.0))):
                return math.sqrt(-1.0)  # raises
            return real(nodes.fmake(nodes.FSQRT, node))
    return math.sqrt(x)


def fabs(x):
    return abs(floating(x)) if type(x) in (SymInt, SymFloat, SymBool) else math.fabs(x)


def isnan(x):
    if type(x) is SymFloat:
        return truth(nodes.negation(nodes.fcompare(nodes.FEQ, x.node, x.node)))
    return False if type(x) in (SymInt, SymBool) else math.isnan(x)


def isinf(x):
    if type(x) is SymFloat:
        return truth(nodes.fcompare(nodes.FEQ, nodes.fmake(nodes.FABS, x.node),
                                    nodes.float_constant(math.inf)))
    return False if type(x) in (SymInt, SymBool) else math.isinf(x)


def isfinite(x):
    if type(x) is SymFloat:
        return truth(nodes.fcompare(nodes.FLT, nodes.fmake(nodes.FABS, x.node),
                                    nodes.float_constant(math.inf)))
    return True if type(x) in (SymInt, SymBool) else math.isfinite(x)


def sum_(iterable, /, start=0):
    if type(iterable) in (list, tuple) and SymFloat not in map(type, iterable) \
            and type(start) is not SymFloat or isinstance(start, (str, bytes, bytearray)):
        return sum(iterable, start)
    # Items may be made by code of the program, and added by it: in turn.
    values = _each(iter(iterable))
    total = start
    for value in values:
        # Through 3.11 floats are added one by one; from 3.12 on the rounding
        # errors are added up, too, once the sum is a float.
        if type(total) in (float, SymFloat) and sys.version_info >= (3, 12):
            rest = [value, *values]
            if type(total) is float and SymFloat not in map(type, rest):
                return sum(rest, total)
            return _compensated(rest, total)
        total = total + value
    return total


def _each(values):
    """What an iterator gives, which a loop would ask for an iterator again."""
    while True:
        try:
            value = next(values)
        except StopIteration:
            return
        yield value


def _compensated(values, total):
    """The sum of floats as C makes it from 3.12 on."""
    kinds = set(map(type, values))
    if not kinds <= {float, SymFloat}:
        engine.note("sum of floats and other numbers")
        return sum(map(concrete, values), concrete(total))
    error = 0.0
    for value in values:
        result = total + value
        a, b, x = (_float_node(v) for v in (total, value, result))
        first = nodes.fmake(nodes.FADD, nodes.fmake(nodes.FSUB, a, x), b)
        second = nodes.fmake(nodes.FADD, nodes.fmake(nodes.FSUB, b, x), a)
        larger = nodes.fcompare(nodes.FLE, nodes.fmake(nodes.FABS, b),
                                nodes.fmake(nodes.FABS, a))
        error = error + real(nodes.fite(larger, first, second))
        total = result
    # An error that is no number says nothing: the sum itself has overflowed.
    if type(error) is float:
        return total + error if error and math.isfinite(error) else total
    size = nodes.fmake(nodes.FABS, error.node)
    counts = nodes.band(
        nodes.fcompare(nodes.FLT, size, nodes.float_constant(math.inf)),
        nodes.negation(nodes.fcompare(nodes.FEQ, size, nodes.float_constant(0.0))))
    return real(nodes.fite(counts, _float_node(total + error), _float_node(total)))


def _float_node(value):
    return value.node if type(value) is SymFloat else nodes.float_constant(value)


def from_bytes(value, byteorder="big", *, signed=False):
    if not issubclass(type(value), SymBytes):
        return int.from_bytes(value, concrete(byteorder), signed=concrete(signed))
    byteorder = concrete(byteorder)
    if byteorder not in ("big", "little") or signed:
        engine.note("int.from_bytes of signed bytes")
        return int.from_bytes(concrete(value), byteorder, signed=concrete(signed))
    result = 0
    for code in value.codes if byteorder == "big" else reversed(value.codes):
        result = result * 256 + SymBytes.element(code)
    return result


# -------------------------------------------------------------------- texts

def str_(*arguments, **named):
    if len(arguments) == 1 and not named:
        return text_of(arguments[0])
    if arguments and issubclass(type(arguments[0]), SymBytes):
        return arguments[0].decode(*arguments[1:], **named)
    return str(*map(concrete, arguments), **named)


def _bytes(real_type, make, arguments, named):
    if len(arguments) == 1 and not named:
        value = arguments[0]
        kind = type(value)
        if issubclass(kind, SymBytes):
            return make(value.codes)
        if kind is SymInt:
            return real_type(pin(value.node))
        if not issubclass(kind, Symbolic) and not isinstance(value, (str, bytes, bytearray, int,
                                                                     memoryview)):
            if type(value) not in (list, tuple):
                if hasattr(kind, "__bytes__") or hasattr(kind, "__index__") \
                        or not hasattr(kind, "__iter__"):
                    return real_type(value)
                value = list(value)
            if any(type(item) in (SymInt, SymBool) for item in value):
                return bytes_of_ints([integer(x) if type(x) is SymBool else x
                                      for x in value], make)
            return real_type(value)
    if arguments and type(arguments[0]) is SymStr and (len(arguments) > 1 or named):
        return make(SymBytes.codes_of(arguments[0].encode(*arguments[1:], **named)))
    return real_type(*map(concrete, arguments), **named)


def bytes_(*arguments, **named):
    return _bytes(bytes, data, arguments, named)


def bytearray_(*arguments, **named):
    return _bytes(bytearray, array, arguments, named)


def ascii_(value):
    return ascii(concrete(value))


_SILENT = frozenset((str, int, float, bool, bytes, type(None)))


def _shown_by_c(value, depth=4):
    """Whether C alone makes the text of a value, so that no code of the
    program would run."""
    kind = type(value)
    if kind in _SILENT or issubclass(kind, Symbolic):
        return True
    if depth and kind in (list, tuple, set, frozenset):
        return all(_shown_by_c(item, depth - 1) for item in value)
    if depth and kind is dict:
        return all(_shown_by_c(item, depth - 1) for pair in value.items() for item in pair)
    return False


def print_(*arguments, sep=" ", end="\n", file=None, flush=False):
    if file is None and sys.stdout is sys.__stdout__ and all(
            x is None or isinstance(x, str) for x in (sep, end)):
        # Nobody reads what a symbolic run prints; making a text of the input
        # for it would only lose what is known of it.
        for value in arguments:
            if not _shown_by_c(value):
                str(value)
        return
    print(*map(text_of, map(concrete, arguments)), sep=concrete(sep), end=concrete(end),
          file=file, flush=flush)


def write_nowhere(value):
    """sys.stdout.write."""
    return len(value)


# --------------------------------------------------------------- containers

def contains(item, container):
    """item in container: True, False or a SymBool."""
    kind = type(container)
    if issubclass(kind, Text):
        return truth(container.contains(item))
    mine = issubclass(type(item), Symbolic)
    if kind is list or kind is tuple:
        # With a plain item most containers are plain: look at the ends only.
        if mine or container and (issubclass(type(container[0]), Symbolic)
                                  or issubclass(type(container[-1]), Symbolic)):
            return _one_of(item, container)
    elif mine:
        if kind is str or kind is bytes or kind is bytearray:
            return truth(lift(container).contains(item))
        if kind in _HASHED or kind is collections.OrderedDict:
            # Equal values have equal hashes for the types that _one_of takes.
            if len(container) <= 256 and type(item).__hash__ is not None:
                return _one_of(item, container)
        elif kind is range and type(item) is SymInt:
            return _in_range(item.node, container)
        elif kind is Range:
            return container.contains(item)
    return item in container


_HASHED = frozenset((set, frozenset, dict, type({}.keys())))
_COMPARABLE = _SILENT | {SymInt, SymBool, SymFloat, SymStr, SymBytes}


def _one_of(item, container):
    """Whether the item equals a member, as one condition if it is sure that
    comparing runs no code of the program."""
    if type(item) not in _COMPARABLE:
        return item in container
    conditions = []
    for member in container:
        if member is item:
            conditions.append(True)
            break
        if type(member) not in _COMPARABLE:
            return item in container
        same = item == member
        if same is True:
            conditions.append(True)
            break
        if same is not False:
            conditions.append(same.node)
    return truth(nodes.some(conditions))


def _in_range(node, values):
    if not values:
        return False
    low, high = min(values[0], values[-1]), max(values[0], values[-1])
    if not nodes.MIN <= low and high <= nodes.MAX:
        return pin(node) in values
    condition = nodes.within(node, low, high)
    step = abs(values.step)
    if step != 1 and condition is not False:
        offset = nodes.sub(node, constant(low))
        if offset.lo < nodes.MIN or offset.hi > nodes.MAX:
            return pin(node) in values
        condition = nodes.band(condition, nodes.eq(
            nodes.mod(offset, constant(step)), constant(0)))
    return truth(condition)


def dict_get(mapping, key, default=None, /):
    if type(key) in _COMPARABLE and issubclass(type(key), Symbolic):
        # A key that is not there needs no value.
        if not contains(key, mapping):
            return default
    return dict.get(mapping, key, default)


def item(container, key):
    """container[key]"""
    if type(container) in _TABLES and issubclass(type(key), Symbolic) \
            and type(key) in _COMPARABLE and not contains(key, container):
        # A key that is not there needs no value either.
        raise KeyError(key)
    return container[key]


_TABLES = frozenset((dict, collections.OrderedDict))


class Range(Symbolic):
    """range() with a bound, start or step of the input: each round is a
    decision."""

    __slots__ = ("start", "stop", "step", "real")

    __class__ = property(lambda self: range)

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step
        self.real = None

    def concrete(self):
        if self.real is None:
            self.real = range(*map(concrete, (self.start, self.stop, self.step)))
        return self.real

    peek = concrete

    def __iter__(self):
        if self.real is not None:
            yield from self.real
            return
        value, stop, step = self.start, self.stop, self.step
        if step > 0:
            while value < stop:
                yield value
                value = value + step
        else:
            while value > stop:
                yield value
                value = value + step

    def __bool__(self):
        if self.real is not None:
            return bool(self.real)
        return bool(self.start < self.stop if self.step > 0 else self.start > self.stop)

    def contains(self, item):
        if type(item) in (int, SymInt) and self.step == 1:
            return (self.start <= item) & (item < self.stop)
        return item in self.concrete()

    def __contains__(self, item):
        return bool(self.contains(item))

    def __len__(self):
        return len(self.concrete())

    def __getitem__(self, key):
        return self.concrete()[key]

    def __reversed__(self):
        if self.step == 1:
            return iter(Range(self.stop - 1, self.start - 1, -1))
        return reversed(self.concrete())

    def __eq__(self, other):
        return self.concrete() == concrete(other)

    def __hash__(self):
        return hash(self.concrete())

    def __repr__(self):
        return repr(self.concrete())


Range.__name__ = Range.__qualname__ = "range"


def range_(*arguments):
    if not any(type(value) in (SymInt, SymBool) for value in arguments):
        return range(*arguments)
    values = [integer(x) if issubclass(type(x), Symbolic) else operator.index(x)
              for x in arguments]
    if len(values) == 1:
        return Range(0, values[0], 1)
    if len(values) == 2:
        return Range(*values, 1)
    if len(values) != 3:
        return range(*arguments)  # raises
    step = values[2]
    if type(step) is SymInt:
        if fails(nodes.eq(step.node, constant(0))):
            return range(0, 0, 0)  # raises
    elif step == 0:
        return range(0, 0, 0)  # raises
    return Range(*values)


# --------------------------------------------------------------- attributes

def type_(*arguments, **named):
    if len(arguments) == 1 and not named:
        return arguments[0].__class__ if issubclass(type(arguments[0]), Symbolic) \
            else type(arguments[0])
    return type(*arguments, **named)


def fspath(path):
    """os.fspath: a str stays what it is."""
    return path if type(path) in (SymStr, SymBytes) else os.fspath(path)


def with_names(function):
    """getattr and its like: the name has to be a real str."""
    def shim(*arguments):
        if len(arguments) > 1 and issubclass(type(arguments[1]), Symbolic):
            arguments = (arguments[0], concrete(arguments[1]), *arguments[2:])
        return function(*arguments)
    return shim


def decided(value):
    """The operand of `is True` and `is False`."""
    return decide(value.node) if type(value) is SymBool else value


# There is one object for each of these integers, and one for each of the first characters.
SMALL, FIRST = (-5, 256), 256


def same(a, b):
    """a is b. Of equal values it depends on the interpreter whether they are one
    object; what CPython says of those that come from different places is said here."""
    if a is b:
        return True
    kind, other = type(a), type(b)
    if not (issubclass(kind, Symbolic) or issubclass(other, Symbolic)):
        return False
    if SymBool in (kind, other):
        return {kind, other} <= {SymBool, bool} and bool(a == b)
    if SymInt in (kind, other):
        if not {kind, other} <= {SymInt, int}:
            return False
        small = [nodes.within(x.node, *SMALL) if type(x) is SymInt else SMALL[0] <= x <= SMALL[1]
                 for x in (a, b)]
        return False not in small and bool(a == b) and bool(truth(nodes.every(small)))
    if SymStr in (kind, other) and {kind, other} <= {SymStr, str} and len(a) == len(b) == 1:
        return bool(a == b) and bool(ord_(a) < FIRST)
    return False


def settled(value):
    """What a method that C calls may return: a real value."""
    return concrete(value) if issubclass(type(value), Symbolic) else value
