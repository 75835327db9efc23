"""Which function is called: `pick(f)(x)` stands for `f(x)` in rewritten sources.

Functions written in Python are called as they are, from the same frame. C code
is given proxies only where it is known to use no more than their protocols; for
the rest there is a function in shims.py, or the arguments become concrete and
this is noted.
"""

import functools
import itertools
import math
import operator
import os
import sys
from types import (BuiltinFunctionType, ClassMethodDescriptorType, FunctionType,
                   GeneratorType, MethodDescriptorType, MethodType, MethodWrapperType,
                   ModuleType, WrapperDescriptorType)
from collections import OrderedDict, defaultdict, deque
from functools import partial

from . import nodes, shims
from .formats import format_of, repr_of, str_format
from .nodes import engine
from .numbers import Symbolic, concrete
from .texts import SymByteArray, SymBytes, SymStr, Text, lift


# In 3.12 a line gets a second event after a call of a function in Python where a
# jump ends, as in `return a or f(b)`. What stands for C code is called through
# C, so that it makes none.
CALLS_SHOW = (3, 12) <= sys.version_info < (3, 13)


def through_c(function):
    return partial(function) if type(function) is FunctionType else function


def pick(function):
    """What to call instead of `function`: mostly itself."""
    kind = type(function)
    if kind is FunctionType or kind is MethodType:
        if CALLS_SHOW and kind is MethodType and issubclass(type(function.__self__), Symbolic):
            return partial(function)
        return function
    if kind is BuiltinFunctionType:
        owner = function.__self__
        if type(owner) is ModuleType or owner is None:
            found = _functions.get(function)
            if found is None:
                found = _functions[function] = _module_function(function)
            return found
        return _bound(function, owner)
    found = _types.get(function) if kind is type else None
    if found is not None:
        return found
    return _other(function, kind)


# ------------------------------------------------------------ what is guarded

def _plain(value, depth):
    """The value with all proxies in it made plain; itself if there are none."""
    kind = type(value)
    if issubclass(kind, Symbolic):
        return concrete(value)
    if depth == 0:
        return value
    if kind is list or kind is tuple:
        for item in value:
            if _plain(item, depth - 1) is not item:
                return kind([_plain(item, depth - 1) for item in value])
    elif kind is dict:
        for item in value.values():
            if _plain(item, depth - 1) is not item:
                return {key: _plain(item, depth - 1) for key, item in value.items()}
    return value


def _call_plain(function, *arguments, **named):
    """A call of C code that must not see a proxy."""
    plain = [_plain(value, 3) for value in arguments]
    changed = any(map(operator.is_not, plain, arguments))
    if named:
        values = {key: _plain(value, 3) for key, value in named.items()}
        changed = changed or any(values[key] is not named[key] for key in named)
        named = values
    if changed:
        engine.note(_name(function))
    return function(*plain, **named)


def _name(function):
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        module = (owner if isinstance(owner, type) else type(owner)).__name__
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return name if module in (None, "builtins") or "." in name else f"{module}.{name}"


# Modules in C that use the protocols of what they are given, or whose
# functions look at the frame of the caller.
_PROTOCOL_MODULES = frozenset((
    "builtins", "_heapq", "_bisect", "_operator", "_functools", "_collections",
    "itertools", "sys", "_warnings", "_thread", "gc", "_weakref", "_abc", "_contextvars",
    "atexit", "faulthandler", "_tracemalloc", "_imp", "marshal"))


def _module_function(function):
    module = getattr(function, "__module__", None)
    if module in _PROTOCOL_MODULES:
        return function
    return partial(_call_plain, function)


# Types whose methods take whatever they are given.
_CONTAINERS = frozenset((
    tuple, set, frozenset, deque, defaultdict, OrderedDict, GeneratorType,
    type({}.keys()), type({}.values()), type({}.items()), functools.partial))


def _bound(function, owner):
    """A method in C of a real object."""
    kind = type(owner)
    if kind is list:
        return partial(_with_key, function) if function.__name__ == "sort" else function
    if kind is dict:
        return partial(shims.dict_get, owner) if function.__name__ == "get" else function
    if kind in _CONTAINERS:
        return function
    if kind is str or kind is bytes or kind is bytearray:
        return partial(_text_method, owner, function)
    if isinstance(owner, type):
        if owner is int and function.__name__ == "from_bytes":
            return partial(shims.from_bytes)
        if issubclass(owner, (dict, type)) or function.__name__ == "__new__" and _keeps(owner):
            return function
        return partial(_call_plain, function)
    if owner is sys.__stdout__ or owner is sys.__stderr__:
        return partial(shims.write_nowhere) if function.__name__ == "write" else function
    if isinstance(owner, (dict, list, set, BaseException)):
        return function
    if isinstance(owner, str):
        return partial(_text_method, owner, function)
    return partial(_call_plain, function)


def _text_method(owner, function, *arguments, **named):
    """A method of a plain str or bytes, whose arguments may be symbolic."""
    name = function.__name__
    if name == "join" and len(arguments) == 1:
        items = arguments[0] if type(arguments[0]) in (list, tuple) else list(arguments[0])
        for item in items:
            if issubclass(type(item), Symbolic):
                return lift(_base(owner)).join(items)
        return function(items)
    if name == "format":
        return str_format(owner, arguments, named)
    for value in arguments:
        if issubclass(type(value), Symbolic) or type(value) is tuple and any(
                issubclass(type(item), Symbolic) for item in value):
            break
    else:
        if name == "translate" and arguments and type(arguments[0]) is dict and any(
                issubclass(type(value), Symbolic) for value in arguments[0].values()):
            return lift(_base(owner)).translate(*arguments)
        return _call_plain(function, *arguments, **named) if named else function(*arguments)
    if type(owner) is bytearray and name in _CHANGES:
        # A real bytearray can hold no symbolic byte.
        return _call_plain(function, *arguments, **named)
    method = getattr(type(lift(_base(owner))), name, None)
    if method is None:
        return _call_plain(function, *arguments, **named)
    return method(lift(_base(owner)), *arguments, **named)


_CHANGES = frozenset(("append", "extend", "insert", "remove", "pop", "__setitem__",
                      "__delitem__", "__iadd__", "__imul__"))


def _base(owner):
    """The plain text of an instance of a subclass."""
    return str.__str__(owner) if isinstance(owner, str) and type(owner) is not str else owner


def _descriptor(function, kind):
    """str.lower, int.__add__ and so on: the owner comes with the call."""
    owner = function.__objclass__
    if owner in (str, bytes, bytearray, int, float, bool):
        return partial(_call_unbound, function)
    if owner is list and function.__name__ == "sort":
        return partial(_with_key, function)
    if owner in (list, dict, object, type) or owner in _CONTAINERS \
            or issubclass(owner, BaseException):
        return function
    return partial(_call_plain, function)


def _call_unbound(function, *arguments, **named):
    if arguments:
        first = arguments[0]
        if issubclass(type(first), Symbolic) and isinstance(first, function.__objclass__):
            method = getattr(first, function.__name__)
            return pick(method)(*arguments[1:], **named)
        if isinstance(first, (str, bytes, bytearray)) and isinstance(
                first, function.__objclass__):
            return _text_method(first, function.__get__(first), *arguments[1:], **named)
        if any(issubclass(type(value), Symbolic) for value in arguments[1:]) \
                and function.__objclass__ is not str and len(arguments) == 2 \
                and function.__name__ in _OPERATORS and type(first) is function.__objclass__:
            # int.__add__(1, x) and its like.
            return _OPERATORS[function.__name__](first, arguments[1])
    return _call_plain(function, *arguments, **named)


_OPERATORS = {f"__{name}__": getattr(operator, f"__{name}__") for name in (
    "add", "sub", "mul", "floordiv", "mod", "truediv", "and", "or", "xor", "lshift",
    "rshift", "lt", "le", "gt", "ge", "eq", "ne")}


def _wrapper(function, kind):
    """"abc".__add__ and its like."""
    owner = function.__self__
    if isinstance(owner, (str, bytes, bytearray, int, float)) and not isinstance(owner, type):
        return partial(_call_plain, function)
    return function


def _rebuilt(function, kind):
    """A functools.partial of a builtin."""
    inner = pick(function.func)
    if inner is function.func:
        return function
    return partial(inner, *function.args, **function.keywords)


def _itself(function, kind):
    return function


_others = {
    MethodDescriptorType: _descriptor,
    WrapperDescriptorType: _descriptor,
    ClassMethodDescriptorType: _itself,
    MethodWrapperType: _wrapper,
    functools.partial: _rebuilt,
    type(functools.lru_cache(lambda: 0)): _itself,
    operator.itemgetter: _itself,
    operator.attrgetter: _itself,
    operator.methodcaller: _itself,
}


def _other(function, kind):
    if issubclass(kind, type):
        found = _types.get(function) or _classes.get(function)
        if found is None:
            found = _class(function)
            _classes[function] = found
        return found
    found = _others.get(kind)
    if found is not None:
        return found(function, kind)
    # An instance: of a class in Python it can deal with everything.
    call = getattr(kind, "__call__", None)
    if call is None or type(call) is FunctionType:
        return function
    return partial(_call_plain, function)


_classes = {}
nodes.forget.append(_classes.clear)


def _in_python(kind):
    """Whether a class is written in Python."""
    module = sys.modules.get(kind.__dict__.get("__module__"))
    return "__dict__" in kind.__dict__ or "__slots__" in kind.__dict__ or (
        # It has inherited its dictionary.
        kind.__dictoffset__ != 0
        and module is not None and str(getattr(module, "__file__", "")).endswith(".py")
        and "__doc__" in kind.__dict__ and bool(kind.__flags__ & 1 << 9))


def _keeps(kind):
    """Whether a type's `__new__` takes whatever it is given, or is in Python."""
    for base in kind.__mro__:
        new = base.__dict__.get("__new__")
        if new is not None:
            # Other exceptions keep what they are given; these insist on real texts and bytes.
            return type(getattr(new, "__func__", new)) is FunctionType \
                or base in _CONTAINERS or _types.get(base) is base or base in (list, dict) \
                or issubclass(base, BaseException) and not issubclass(base, UnicodeError) \
                or issubclass(base, type)
    return True


def _class(kind):
    if type(getattr(type(kind), "__call__", None)) is FunctionType:
        # A metaclass in Python has its own way.
        return kind
    if issubclass(kind, BaseException) or _in_python(kind):
        return kind if _keeps(kind) else partial(_call_plain, kind)
    return partial(_call_plain, kind)


# ------------------------------------------------ functions that are arguments

def _picked(function):
    return None if function is None else pick(function)


def _with_key(function, *arguments, key=None, **named):
    if key is not None:
        named["key"] = pick(key)
    return function(*arguments, **named)


def _first_picked(function):
    """For C functions that call their first argument."""
    def shim(*arguments, **named):
        if arguments:
            arguments = (_picked(arguments[0]), *arguments[1:])
        return function(*arguments, **named)
    return shim


def _accumulate(iterable, func=None, **named):
    return itertools.accumulate(iterable, _picked(func), **named)


def _groupby(iterable, key=None):
    return itertools.groupby(iterable, _picked(key))


_types = {
    int: shims.int_, float: shims.float_, bool: shims.bool_, str: shims.str_,
    bytes: shims.bytes_, bytearray: shims.bytearray_, range: shims.range_,
    type: shims.type_, map: _first_picked(map), filter: _first_picked(filter),
    itertools.takewhile: _first_picked(itertools.takewhile),
    itertools.dropwhile: _first_picked(itertools.dropwhile),
    itertools.filterfalse: _first_picked(itertools.filterfalse),
    itertools.starmap: _first_picked(itertools.starmap),
    itertools.accumulate: _accumulate, itertools.groupby: _groupby,
    complex: partial(_call_plain, complex), memoryview: partial(_call_plain, memoryview),
}
for _kind in (list, tuple, set, frozenset, dict, object, super, property, classmethod,
              staticmethod, slice, enumerate, zip, reversed, deque, defaultdict,
              OrderedDict, functools.partial, operator.itemgetter, operator.attrgetter,
              operator.methodcaller):
    _types[_kind] = _kind
for _name_ in dir(itertools):
    _kind = getattr(itertools, _name_)
    if isinstance(_kind, type) and not _name_.startswith("_"):
        _types.setdefault(_kind, _kind)

_functions = {
    chr: shims.chr_, ord: shims.ord_, pow: shims.pow_, sum: shims.sum_,
    ascii: shims.ascii_, print: shims.print_, format: format_of, repr: repr_of,
    getattr: shims.with_names(getattr), setattr: shims.with_names(setattr),
    hasattr: shims.with_names(hasattr), delattr: shims.with_names(delattr),
    min: partial(_with_key, min), max: partial(_with_key, max),
    sorted: partial(_with_key, sorted),
    open: partial(_call_plain, open), compile: partial(_call_plain, compile),
    functools.reduce: _first_picked(functools.reduce),
    functools.cmp_to_key: functools.cmp_to_key,
    os.fspath: shims.fspath,
    math.sqrt: shims.sqrt, math.fabs: shims.fabs, math.isnan: shims.isnan,
    math.isinf: shims.isinf, math.isfinite: shims.isfinite,
    # These ask __floor__ and its like.
    math.floor: math.floor, math.ceil: math.ceil, math.trunc: math.trunc,
}

for _table in (_types, _functions):
    for _key, _value in _table.items():
        _table[_key] = through_c(_value)
