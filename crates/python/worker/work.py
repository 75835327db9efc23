"""What C code is handed in a recorded run, which costs in lines do not show.

recorded.py puts these functions into a program, around every operation and every
call. Each tells `recorder` an upper bound of what C has to touch: elements, bytes,
or pairs of digits of large integers. What takes the same time whatever it is given
is left out: it is paid for by the line that it stands on.
"""

import array
import bisect
import collections
import functools
import heapq
import itertools
import math
import operator
import sys
import types

from .trace import OWN

# So much is looked at below the surface of a structure; how long it is itself is known anyway.
MOST = 1 << 14

# An integer of at most this many bits takes the same time as any other.
WORD = 64
DIGIT = 30


# ------------------------------------------------------------------- sizes

_lengths = {kind: kind.__len__ for kind in (
    str, bytes, bytearray, memoryview, list, tuple, dict, set, frozenset, collections.deque, range, array.array,
    type({}.keys()), type({}.values()), type({}.items()), collections.OrderedDict, types.MappingProxyType)}
_BASES = (str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque, array.array)
_TEXTS = (str, bytes, bytearray, memoryview)


def digits(number):
    """Of an integer that is longer than a word; 0 for others."""
    bits = int.bit_length(number)
    return bits // DIGIT if bits > WORD else 0


def length(value):
    """Elements of a container of C, characters of a text; 0 for everything else."""
    found = _lengths.get(type(value))
    if found is not None:
        return found(value)
    if isinstance(value, _BASES):
        for base in _BASES:
            if isinstance(value, base):
                return base.__len__(value)
    if isinstance(value, int):
        return digits(value)
    kind = type(value)
    method = getattr(kind, "__len__", None)
    if method is not None and type(method) is types.WrapperDescriptorType:
        # A container of some library in C.
        try:
            return method(value)
        except Exception:
            return 0
    return 0


def deep(value):
    """The same with everything that is in it."""
    total, todo, seen = 0, [value], set()
    while todo and total < MOST:
        value = todo.pop()
        total += length(value)
        if isinstance(value, dict):
            items = itertools.chain(dict.keys(value), dict.values(value))
        elif isinstance(value, (list, tuple, set, frozenset, collections.deque)):
            items = type(value).__iter__(value) if type(value) in _lengths else \
                next(base for base in _BASES if isinstance(value, base)).__iter__(value)
        else:
            # The attributes of an object, which C can reach.
            items = getattr(value, "__dict__", None)
            if type(items) is not dict or isinstance(value, (type, types.ModuleType, types.FunctionType)):
                continue
            items = items.values()
        if id(value) in seen:
            continue
        seen.add(id(value))
        todo.extend(item for item in itertools.islice(items, MOST)
                    if type(item) not in _FLAT and (type(item) is not int or digits(item)))
    return total


_FLAT = frozenset((bool, float, type(None), complex, types.FunctionType, types.BuiltinFunctionType, type))


def key(value):
    """What hashing and comparing a key takes."""
    kind = type(value)
    if kind is tuple or kind is frozenset:
        return deep(value)
    return length(value) if isinstance(value, (str, bytes, int)) else 0


def decimal(number):
    """What it takes to write an integer in decimals, or to read one."""
    return digits(number) ** 2


# ---------------------------------------------------------------- recorder

class Recorder:
    def __init__(self):
        self.owns = lambda filename: False
        self.own = {}
        self.active = False
        self.begin()

    def begin(self):
        self.total = 0
        self.bounded = {}    # (operation, file, line): [times, units]
        self.unbounded = {}  # the same: [times, greatest size]

    def follow(self, tracer):
        """What does not count is not recorded either."""
        pause, resume = tracer.pause, tracer.resume

        def paused():
            self.active = False
            pause()

        def resumed():
            resume()
            self.active = True

        tracer.pause, tracer.resume = paused, resumed

    def place(self):
        """The line of the user's own that is executed, or else the innermost line."""
        frame = sys._getframe(2)
        inner = None
        for _ in range(200):
            if frame is None:
                break
            filename = frame.f_code.co_filename
            if not filename.startswith(OWN):
                mine = self.own.get(filename)
                if mine is None:
                    # Whether it is asks the library, whose own work is nobody's.
                    self.active = False
                    mine = self.own[filename] = self.owns(filename)
                    self.active = True
                if mine:
                    return filename, frame.f_lineno
                inner = inner or (filename, frame.f_lineno)
            frame = frame.f_back
        return inner or ("", 0)

    def add(self, operation, units):
        """C has touched at most so much."""
        if units > 1 and self.active:
            self.total += units
            told = self.bounded.setdefault((operation, *self.place()), [0, 0])
            told[0] += 1
            told[1] += units

    def add_unbounded(self, operation, size):
        """C was handed so much, and what it does with that is not known."""
        if size > 1 and self.active:
            told = self.unbounded.setdefault((operation, *self.place()), [0, 0])
            told[0] += 1
            told[1] = max(told[1], size)

    def result(self, shorten):
        def rows(table):
            rows = [[operation, shorten(file), line, *told] for (operation, file, line), told in table.items()]
            rows.sort(key=lambda row: (-row[4], row[:3]))
            return rows
        return {"total": self.total, "bounded": rows(self.bounded)[:SHOWN], "unbounded": rows(self.unbounded)}


# Operations with a bound that are told apart; their total has all of them.
SHOWN = 10

recorder = Recorder()
add = recorder.add
add_unbounded = recorder.add_unbounded


# --------------------------------------------------------------- operators

def _name(value):
    kind = type(value)
    return kind.__qualname__ if kind.__module__ in ("builtins", "collections") else f"{kind.__module__}.{kind.__qualname__}"


_signs = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.lshift: "<<", operator.rshift: ">>", operator.and_: "&",
    operator.or_: "|", operator.xor: "^", operator.matmul: "@", operator.iadd: "+=", operator.isub: "-=",
    operator.imul: "*=", operator.itruediv: "/=", operator.ifloordiv: "//=", operator.imod: "%=", operator.ipow: "**=",
    operator.ilshift: "<<=", operator.irshift: ">>=", operator.iand: "&=", operator.ior: "|=", operator.ixor: "^=",
    operator.imatmul: "@=", operator.eq: "==", operator.ne: "!=", operator.lt: "<", operator.le: "<=", operator.gt: ">",
    operator.ge: ">="}
_MULTIPLICATIVE = frozenset(("*", "/", "//", "%", "*=", "/=", "//=", "%="))
_POWERS = frozenset(("**", "**="))


def binary(function, left, right):
    before = length(right) if function is operator.iadd and type(left) in _GROWING else None
    result = function(left, right)
    kind, other = type(left), type(right)
    if kind is float or other is float or kind is bool:
        return result
    if kind is int and other is int:
        if type(result) is not int or -WORD_LIMIT < result < WORD_LIMIT and -WORD_LIMIT < left < WORD_LIMIT:
            return result
        units = _of_integers(_signs[function], left, right, result)
    elif before is not None:
        # Room is made ahead: only what is added is touched.
        units = before
    else:
        units = deep(left) if isinstance(left, str) and function in (operator.mod, operator.imod) else length(left)
        units = max(units + length(right), length(result))
    if units > 1:
        add(f"{_name(left)} {_signs[function]} {_name(right)}", units)
    return result


WORD_LIMIT = 1 << WORD
_GROWING = frozenset((list, bytearray, collections.deque, array.array))


def _of_integers(sign, left, right, result):
    a, b, c = digits(left), digits(right), digits(result)
    if sign in _POWERS:
        return (c + 1) ** 2
    if sign in _MULTIPLICATIVE:
        return (a + 1) * (b + 1)
    return max(a, b, c)


def compare(function, left, right):
    result = function(left, right)
    kind = type(left)
    if kind is int:
        if not -WORD_LIMIT < left < WORD_LIMIT:
            add("int " + _signs[function] + " int", digits(left))
        return result
    if kind is float or kind is bool or right is None:
        return result
    units = 0
    if kind in _lengths:
        if function is operator.eq or function is operator.ne:
            # Those of different lengths differ.
            same = length(left) == length(right)
            units = 0 if not same else length(left) if kind in _TEXTS else deep(left)
        else:
            units = min(length(left), length(right)) if kind in _TEXTS else min(deep(left), deep(right))
    elif type(kind.__eq__) is types.WrapperDescriptorType:
        units = min(deep(left), deep(right))
    if units > 1:
        add(f"{_name(left)} {_signs[function]} {_name(right)}", units)
    return result


def compared(value):
    """An operand of a chain of comparisons."""
    if type(value) in _lengths:
        add(f"a comparison of {_name(value)}", deep(value))
    return value


_HASHED = (dict, set, frozenset, type({}.keys()), type({}.items()), types.MappingProxyType)


def contains(item, container):
    found = item in container
    if isinstance(container, _HASHED):
        units = key(item)
    elif isinstance(container, _TEXTS):
        units = length(container) + length(item)
    elif type(container) is range:
        units = 0
    else:
        units = length(container) * max(1, length(item))
    if units > 1:
        add(f"x in {_name(container)}", units)
    return found


def item(container, index):
    result = container[index]
    kind = type(container)
    if type(index) is slice:
        if kind is not memoryview and kind is not range:
            add(f"{_name(container)}[a:b]", length(result))
    elif kind is collections.deque:
        units = len(container)
        add("deque[i]", min(index % units, -index % units))
    elif isinstance(container, dict):
        add(f"{_name(container)}[key]", key(index))
    return result


def changed(container):
    """What items are moved in, by storing to a slice or by deleting."""
    if isinstance(container, (list, bytearray, collections.deque, array.array)):
        add(f"a change within {_name(container)}", length(container))
    return container


def stored(index):
    """What is stored under."""
    add("container[key] = x", key(index))
    return index


def spread(value):
    """What a star takes apart."""
    add(f"*{_name(value)}", length(value))
    return value


def text(value):
    add("an f-string", length(value))
    return value


def formatted(value):
    if type(value) is int:
        add("int in an f-string", decimal(value))
    return value


def executed(value):
    """What eval or exec is given."""
    add_unbounded("eval()", deep(value))
    return value


# ------------------------------------------------------------------- calls

def pick(function):
    """What to call instead of a function: itself, or what tells of it, too."""
    kind = type(function)
    if kind is types.FunctionType:
        return function
    if kind is types.MethodType:
        return function if type(function.__func__) is types.FunctionType else _bound_other(function)
    known = _known(function)
    if known is not None:
        return function if known is FREE else functools.partial(known, function)
    if kind is types.BuiltinFunctionType or kind is types.MethodWrapperType:
        return _of_builtin(function)
    if kind is types.MethodDescriptorType or kind is types.WrapperDescriptorType:
        rule = _rule_of(function.__objclass__, function.__name__)
        return function if rule is FREE else functools.partial(_unbound, rule, function)
    if isinstance(function, type):
        return _of_class(function)
    if kind is functools.partial:
        inner = pick(function.func)
        return function if inner is function.func else functools.partial(inner, *function.args, **function.keywords)
    if kind in _free_kinds or type(getattr(kind, "__call__", None)) is types.FunctionType:
        return function
    if kind.__module__ in _LINEAR_MODULES:
        return functools.partial(linear, function)
    return functools.partial(unknown, function)


def _known(function):
    # Other objects may have a hash of their own, in Python.
    return _rules.get(function) if type(function) in _PLAIN else None


def each(function):
    """The same for what a loop goes through item by item, each for a line."""
    return function if type(function) in _PLAIN and function in _LAZY else pick(function)


_PLAIN = frozenset((type, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType))
_LAZY = frozenset((enumerate, zip, reversed, iter, range, itertools.chain, itertools.count, itertools.combinations,
                   itertools.permutations, itertools.product, itertools.combinations_with_replacement))


def FREE(function, *arguments, **named):
    """It takes the same time whatever it is given."""
    return function(*arguments, **named)


def _shown(function):
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        module = getattr(function, "__module__", None)
        kind = getattr(function, "__objclass__", None)
        name = getattr(function, "__name__", None) or type(function).__qualname__
        if kind is not None:
            return f"{kind.__qualname__}.{name}()"
        return f"{name}()" if module in (None, "builtins") else f"{module}.{name}()"
    kind = owner if isinstance(owner, type) else type(owner)
    return f"{kind.__module__}.{kind.__qualname__}.{function.__name__}()" if kind.__module__ not in (
        "builtins", "collections") else f"{kind.__qualname__}.{function.__name__}()"


def _all(arguments, named):
    return sum(map(deep, arguments)) + sum(map(deep, named.values()))


def _owner(function):
    """The size of the object whose method this is."""
    owner = getattr(function, "__self__", None)
    return 0 if owner is None or isinstance(owner, (type, types.ModuleType)) else length(owner)


def _called(function, arguments, units):
    """C that calls other C, for each of so many items."""
    for inner in arguments:
        if type(inner) is types.FunctionType or not callable(inner):
            continue
        if type(inner) in _PLAIN and inner in _ITEMWISE or pick(inner) is inner:
            continue
        add_unbounded(f"{_shown(function)} of {_shown(inner)}", units + _owner(inner))


_ITEMWISE = frozenset((int, str, float, bool, ord, chr, len, abs, repr, bytes, tuple, list, hash, round, hex, bin,
                       str.lower, str.upper, str.strip, str.casefold, str.isdigit, str.isalpha))


def unknown(function, *arguments, **named):
    """Nothing is known of it."""
    handed = _all(arguments, named) + _owner(function)
    # If it never ends, that it was called is known all the same.
    add_unbounded(_shown(function), handed)
    return function(*arguments, **named)


def linear(function, *arguments, **named):
    """It goes through what it is given, and what it makes, once."""
    units = _all(arguments, named) + _owner(function)
    result = function(*arguments, **named)
    add(_shown(function), units + deep(result))
    _called(function, arguments, units)
    return result


def of_result(function, *arguments, **named):
    result = function(*arguments, **named)
    add(_shown(function), length(result))
    return result


def of_arguments(function, *arguments, **named):
    units = _all(arguments, named)
    result = function(*arguments, **named)
    add(_shown(function), units)
    return result


def of_key(function, *arguments, **named):
    if arguments:
        add(_shown(function), key(arguments[0]))
    return function(*arguments, **named)


def sorting(function, *arguments, **named):
    units = _all(arguments, {})
    owner = getattr(function, "__self__", None)
    result = function(*arguments, **named)
    values = owner if isinstance(owner, list) else result
    count = length(values)
    units = max(units, deep(values)) * count.bit_length()
    add(_shown(function), units)
    _called(function, [named.get("key")], units)
    return result


def logarithmic(function, *arguments, **named):
    """A heap, or a sorted list."""
    add(_shown(function), length(arguments[0]).bit_length() if arguments else 0)
    return function(*arguments, **named)


def summed(function, *arguments, **named):
    result = function(*arguments, **named)
    values = arguments[0] if arguments else ()
    add("sum()", length(values) * max(1, length(result)))
    return result


def reduced(function, *arguments, **named):
    result = function(*arguments, **named)
    if len(arguments) > 1 and type(arguments[0]) is not types.FunctionType:
        units = length(arguments[1]) * max(1, length(result))
        add("functools.reduce()", units)
        if arguments[0] not in _signs:
            _called(function, arguments[:1], units)
    return result


def least(function, *arguments, **named):
    """min and max: of one container, or of some numbers."""
    units = _all(arguments, {})
    result = function(*arguments, **named)
    add(_shown(function), units)
    _called(function, [named.get("key")], units)
    return result


def of_number(function, *arguments, **named):
    """What makes or takes large integers."""
    result = function(*arguments, **named)
    sizes = [digits(value) for value in (*arguments, result) if type(value) is int]
    most = max(sizes, default=0)
    rounds = int.bit_length(arguments[1]) if function is pow and len(arguments) > 2 else 1
    if most:
        add(_shown(function), (most + 1) ** 2 * rounds)
    return result


def converted(function, *arguments, **named):
    """int(), str() and their like."""
    result = function(*arguments, **named)
    value = arguments[0] if arguments else None
    if type(value) is int:
        units = decimal(value)
    else:
        units = deep(value) + length(result)
        if type(result) is int:
            units += decimal(result)
    add(_shown(function), units)
    return result


def comprising(function, *arguments, **named):
    """A constructor of a container."""
    units = sum(map(length, arguments))
    result = function(*arguments, **named)
    add(_shown(function), max(units, length(result)))
    return result


def lazily(function, *arguments, **named):
    """An iterator that C may go through: once, whoever does so."""
    items = [value for value in arguments if not callable(value)]
    units = _all(items, {}) if len(items) < len(arguments) else sum(map(length, items))
    add(_shown(function), units)
    _called(function, arguments, units)
    return function(*arguments, **named)


def sliced(function, *arguments):
    """itertools.islice: up to where it stops, with what it skips."""
    stop = arguments[1] if len(arguments) == 2 else arguments[2] if len(arguments) > 2 else None
    whole = length(arguments[0]) if arguments else 0
    add("itertools.islice()", whole if type(stop) is not int else min(stop, whole or stop))
    return function(*arguments)


def end_of_list(function, *arguments):
    """list.pop(i), list.insert(i, x): what stands behind moves."""
    owner = function.__self__
    count = length(owner)
    if function.__name__ == "pop" and not arguments:
        return function()
    index = arguments[0] if arguments and type(arguments[0]) is int else 0
    moved = -index if index < 0 else max(count - index, 0)
    if function.__name__ == "pop":
        moved -= 1
    add(f"{_name(owner)}.{function.__name__}(i)", min(moved, count))
    return function(*arguments)


def scanned(function, *arguments, **named):
    """remove, index and count of a sequence."""
    units = length(function.__self__) * max(1, *map(length, arguments[:1] or (0,)))
    result = function(*arguments, **named)
    add(_shown(function), units)
    return result


def turned(function, *arguments):
    """deque.rotate"""
    by = arguments[0] if arguments else 1
    count = length(function.__self__)
    add("deque.rotate()", min(abs(by), count))
    return function(*arguments)


def found(function, *arguments):
    """find, index and count of a text, from one place to another."""
    owner = function.__self__
    count = len(owner)
    start, end, _ = slice(*(arguments[1:] + (None, None))[:2]).indices(count)
    name = function.__name__
    try:
        result = function(*arguments)
    except ValueError:
        result = -1
        raise
    finally:
        units = max(end - start, 0)
    if result >= 0 and name in ("find", "index"):
        units = result - start
    elif result >= 0 and name in ("rfind", "rindex"):
        units = end - result
    add(_shown(function), units + length(arguments[0]))
    return result


def begins(function, *arguments):
    """startswith and endswith."""
    if arguments:
        add(_shown(function), deep(arguments[0]))
    return function(*arguments)


# Functions and classes, and what is known of them.
_rules = {}


def _say(rule, *functions):
    for function in functions:
        _rules[function] = rule


_say(FREE, abs, callable, chr, delattr, dir, getattr, globals, hasattr, id, isinstance, issubclass, len, locals,
     next, ord, setattr, vars, super, type, object, range, slice, property, classmethod, staticmethod, bool, float,
     complex, input, __import__, memoryview, round,
     functools.partial, functools.cmp_to_key, operator.itemgetter, operator.attrgetter, operator.methodcaller,
     itertools.count, itertools.repeat, itertools.cycle, eval, exec, sys.getrefcount, sys.getsizeof,
     sys.intern, sys._getframe, sys.exc_info, operator.index, operator.is_, operator.is_not, operator.truth,
     operator.not_, math.floor, math.ceil, math.trunc, math.sqrt, math.isnan, math.isinf, math.isfinite, breakpoint)
_say(of_number, pow, math.gcd, math.lcm, math.factorial, math.comb, math.perm,
     math.isqrt, divmod)
_say(converted, int, str, repr, ascii, format, hex, bin, oct, float)
_say(comprising, list, tuple, set, frozenset, dict, bytes, bytearray, collections.deque, collections.OrderedDict,
     collections.defaultdict, array.array, all, any)
_say(linear, print, math.fsum, math.prod, heapq.heapify, heapq.nlargest, heapq.nsmallest, math.dist, math.hypot)
_say(least, min, max)
_say(summed, sum)
_say(sorting, sorted)
_say(reduced, functools.reduce)
_say(of_key, hash)
_say(sliced, itertools.islice)
_say(unknown, itertools.product, itertools.permutations, itertools.combinations,
     itertools.combinations_with_replacement)
_say(lazily, iter, map, filter, zip, enumerate, reversed, itertools.chain, itertools.accumulate, itertools.starmap,
     itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.zip_longest, itertools.groupby,
     itertools.compress, itertools.chain.from_iterable, itertools.tee)
_say(logarithmic, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace, bisect.bisect_left,
     bisect.bisect_right)
_say(comprising, bisect.insort_left, bisect.insort_right)

def _binary_of(function):
    def called(_, left, right):
        return binary(function, left, right)
    return called


for _function in _signs:
    _rules[_function] = _binary_of(_function)
for _function in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
    _rules[_function] = (lambda function: lambda _, left, right: compare(function, left, right))(_function)
_rules[operator.contains] = lambda _, container, member: contains(member, container)
_rules[operator.getitem] = lambda _, container, index: item(container, index)
_count_elements = getattr(collections, "_count_elements", None)
if type(_count_elements) is types.BuiltinFunctionType:
    _rules[_count_elements] = lambda function, mapping, values: (
        add("Counter()", deep(values)), function(mapping, values))[1]

# Methods by the class that has them; None stands for all others.
_methods = {
    str: {"join": of_result, "format": linear, "format_map": linear, "find": found, "index": found, "rfind": found,
          "rindex": found, "count": found, "startswith": begins, "endswith": begins, None: linear},
    list: {"append": FREE, "clear": FREE, "pop": end_of_list, "insert": end_of_list, "remove": scanned,
           "index": scanned, "count": scanned, "extend": of_arguments, "sort": sorting, "__iter__": FREE,
           "__init__": of_arguments, None: linear},
    dict: {"get": of_key, "setdefault": of_key, "pop": of_key, "popitem": FREE, "items": FREE, "keys": FREE,
           "values": FREE, "clear": FREE, "update": comprising, "__init__": comprising, "__setitem__": of_key,
           "__getitem__": of_key, "__delitem__": of_key, "__contains__": of_key, "move_to_end": of_key,
           "fromkeys": comprising, "__iter__": FREE, None: linear},
    set: {"add": of_key, "discard": of_key, "remove": of_key, "pop": FREE, "clear": FREE, "__iter__": FREE,
          "__contains__": of_key, "update": of_arguments, "isdisjoint": linear, None: linear},
    tuple: {"index": scanned, "count": scanned, "__iter__": FREE, None: linear},
    collections.deque: {"append": FREE, "appendleft": FREE, "pop": FREE, "popleft": FREE, "clear": FREE,
                        "extend": of_arguments, "extendleft": of_arguments, "rotate": turned, "remove": scanned,
                        "index": scanned, "count": scanned, "__iter__": FREE, None: linear},
    array.array: {"append": FREE, "pop": end_of_list, "insert": end_of_list, None: linear},
    int: {"bit_length": FREE, "bit_count": FREE, "from_bytes": of_arguments, None: of_number},
    float: {None: FREE},
    memoryview: {None: linear},
    range: {None: FREE},
    slice: {None: FREE},
    object: {None: FREE},
    type: {None: FREE},
    BaseException: {None: FREE},
    types.GeneratorType: {None: FREE},
    types.CoroutineType: {None: FREE},
    types.ModuleType: {None: FREE},
    types.FrameType: {None: FREE},
    property: {None: FREE},
}
_methods[bytes] = {**_methods[str], "hex": linear, "fromhex": linear}
_methods[bytearray] = {**_methods[bytes], "append": FREE, "clear": FREE, "extend": of_arguments, "pop": end_of_list,
                       "insert": end_of_list}
_methods[frozenset] = _methods[set]

# Modules of C whose functions go through what they are given a constant number of times.
_LINEAR_MODULES = frozenset((
    "binascii", "zlib", "_hashlib", "_md5", "_sha1", "_sha2", "_sha256", "_sha512", "_blake2", "_sha3", "_struct",
    "_codecs", "_json", "math", "_io", "_string", "_random", "time", "_operator", "_heapq", "_bisect", "_weakref",
    "_abc", "_thread", "_warnings", "_contextvars", "itertools", "_csv", "_datetime"))

# What is called by a few characters, or gives only a part of a text.
_free_kinds = frozenset((operator.itemgetter, operator.attrgetter, operator.methodcaller,
                         type(functools.lru_cache(lambda: 0))))


def _rule_of(kind, name):
    for base in kind.__mro__:
        table = _methods.get(base)
        if table is not None and (base is not object or name in object.__dict__):
            rule = table.get(name)
            return rule if rule is not None else table[None]
    if kind.__module__ == "re":
        # A match gives parts of the text; a pattern may do anything.
        return of_result if kind.__name__ == "Match" else unknown
    return linear if kind.__module__ in _LINEAR_MODULES else unknown


def _of_builtin(function):
    owner = function.__self__
    if owner is None or isinstance(owner, types.ModuleType):
        module = getattr(function, "__module__", None) or getattr(owner, "__name__", None)
        rule = linear if module in _LINEAR_MODULES else unknown
        if module in ("_operator", "_abc", "_weakref", "_thread", "sys", "gc", "_imp", "posix", "_functools"):
            rule = FREE
    elif isinstance(owner, type):
        rule = _rule_of(owner, function.__name__)
    else:
        rule = _rule_of(type(owner), function.__name__)
    return function if rule is FREE else functools.partial(rule, function)


def _unbound(rule, function, *arguments, **named):
    """str.lower(x): the object comes first."""
    if not arguments:
        return function(*arguments, **named)
    return rule(function.__get__(arguments[0]), *arguments[1:], **named)


def _bound_other(method):
    """A method whose function is not in Python."""
    inner = pick(method.__func__)
    return method if inner is method.__func__ else functools.partial(inner, method.__self__)


def _of_class(kind):
    """A class: what its constructor does, if that is C."""
    if type(getattr(type(kind), "__call__", None)) is types.FunctionType:
        return kind
    for name in ("__init__", "__new__"):
        method = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
        if type(getattr(method, "__func__", method)) is types.FunctionType:
            return kind
    if issubclass(kind, (type, BaseException)):
        return kind
    for base in kind.__mro__:
        rule = _rules.get(base)
        if rule is not None:
            return kind if rule is FREE else functools.partial(rule, kind)
    if kind.__module__ in _LINEAR_MODULES:
        return functools.partial(linear, kind)
    return functools.partial(unknown, kind)
