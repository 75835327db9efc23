"""Numbers that stand for the input: SymInt, SymBool and SymFloat.

They are no subclasses of int and float: C code would read a value from those
without a word. `__class__` gives the real type, so `isinstance` holds, and the
classes are named as the real ones, so messages of the interpreter are the same.

What cannot be followed becomes concrete: `pin` makes the engine decide for one
value, so that the path condition stays true of every input on the path.
"""

import math
import operator
import sys

from . import nodes
from .nodes import (MIN, MAX, FEQ, FLT, FLE, FADD, FSUB, FMUL, FDIV, constant,
                    decide, engine, fails, pin, pin_float)

BEYOND = "integer beyond 64 bits"
# Integers up to here are floats without rounding.
EXACT = 1 << 53


class Symbolic:
    """The base of all proxies."""

    __slots__ = ()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        return concrete(self).__reduce_ex__(protocol)

    def __sizeof__(self):
        return concrete(self).__sizeof__()

    def __getattr__(self, name):
        # Whatever the real type has and this class has not.
        real = self.__class__
        if not hasattr(real, name):
            return getattr(real(), name)  # raises as the real one does
        engine.note(f"{real.__name__}.{name}")
        return getattr(concrete(self), name)


def whole(node):
    """An integer node as a value."""
    return node.lo if node.lo == node.hi else SymInt(node)


def truth(condition):
    """A condition as a value."""
    return condition if condition is True or condition is False else SymBool(condition)


def real(node):
    """A float node as a value."""
    return float(node.a) if node.op == nodes.FCONST else SymFloat(node)


# ------------------------------------------- integer operators, on two nodes

def _lost(function, *operands):
    """The operation on one value of each operand."""
    engine.note(BEYOND)
    return function(*map(pin, operands))


def _outside(node):
    """Whether a plain number that does not fit 64 bits."""
    return node.op == nodes.CONST and not MIN <= node.a <= MAX


def _settle(function, node, a, b, fits):
    """`node` if the operands are such that it fits, else the plain result.

    `fits` gives a condition which implies that the result fits and which says
    the same if a node below it wraps around.
    """
    if node.lo == node.hi:
        return node.lo
    if (_outside(a) or _outside(b) or node.lo > MAX or node.hi < MIN
            or not decide(fits(a, b))):
        return _lost(function, a, b)
    node.lo = max(node.lo, MIN)
    node.hi = min(node.hi, MAX)
    return whole(node)


def _add_fits(a, b):
    zero, least, most = constant(0), constant(MIN), constant(MAX)
    return nodes.band(
        nodes.bor(nodes.le(b, zero), nodes.le(a, nodes.sub(most, b))),
        nodes.bor(nodes.le(zero, b), nodes.le(nodes.sub(least, b), a)))


def _sub_fits(a, b):
    zero, least, most = constant(0), constant(MIN), constant(MAX)
    return nodes.band(
        nodes.bor(nodes.le(zero, b), nodes.le(a, nodes.add(most, b))),
        nodes.bor(nodes.le(b, zero), nodes.le(nodes.add(least, b), a)))


def _magnitude(node):
    return max(abs(node.lo), abs(node.hi))


def _mul_fits(a, b):
    # The exact condition needs 128 bits; this one is enough and narrows as
    # little as the bounds at hand allow.
    if _magnitude(a) < _magnitude(b):
        a, b = b, a
    root = math.isqrt(MAX)
    bound = MAX // max(1, min(_magnitude(b), root))
    return nodes.band(nodes.within(a, -bound, bound),
                      nodes.within(b, -root, root) if _magnitude(b) > root else True)


def _quotient_fits(a, b):
    return nodes.negation(nodes.band(nodes.eq(a, constant(MIN)),
                                     nodes.eq(b, constant(-1))))


def _add(a, b):
    node = nodes.add(a, b)
    if node.lo < MIN or node.hi > MAX:
        return _settle(operator.add, node, a, b, _add_fits)
    return node.lo if node.lo == node.hi else SymInt(node)


def _sub(a, b):
    node = nodes.sub(a, b)
    if node.lo < MIN or node.hi > MAX:
        return _settle(operator.sub, node, a, b, _sub_fits)
    return node.lo if node.lo == node.hi else SymInt(node)


def _mul(a, b):
    node = nodes.mul(a, b)
    if node.lo < MIN or node.hi > MAX:
        return _settle(operator.mul, node, a, b, _mul_fits)
    return node.lo if node.lo == node.hi else SymInt(node)


def _floordiv(a, b):
    if fails(nodes.eq(b, constant(0))):
        return 1 // 0
    if _outside(b):
        # The quotient's magnitude is below 1: it is 0, or -1 for unlike signs.
        zero = constant(0)
        unlike = nodes.lt(a, zero) if b.a > 0 else nodes.lt(zero, a)
        return whole(nodes.ite(unlike, constant(-1), zero))
    if _outside(a):
        return _lost(operator.floordiv, a, b)
    node = nodes.floordiv(a, b)
    if node.lo < MIN or node.hi > MAX:
        return _settle(operator.floordiv, node, a, b, _quotient_fits)
    return whole(node)


def _mod(a, b):
    if fails(nodes.eq(b, constant(0))):
        return 1 % 0
    if _outside(b):
        zero = constant(0)
        if decide(nodes.le(zero, a) if b.a > 0 else nodes.le(a, zero)):
            return whole(a)
        return _lost(operator.mod, a, b)
    if _outside(a):
        return _lost(operator.mod, a, b)
    return whole(nodes.mod(a, b))


def _divmod(a, b):
    if fails(nodes.eq(b, constant(0))):
        return divmod(1, 0)
    return _floordiv(a, b), _mod(a, b)


def _truediv(a, b):
    if fails(nodes.eq(b, constant(0))):
        return 1 / 0
    # Both operands exact as floats: the quotient is rounded once, as Python's.
    for side in (a, b):
        if not decide(nodes.within(side, -EXACT, EXACT)):
            engine.note("division of integers beyond 2**53")
            return pin(a) / pin(b)
    return real(nodes.fmake(FDIV, nodes.itof(a), nodes.itof(b)))


def _and(a, b):
    if _outside(a):
        a, b = b, a
    if _outside(b):
        if decide(nodes.le(constant(0), a)):
            return whole(nodes.bit_and(a, constant(b.a & MAX)))
        return _lost(operator.and_, a, b)
    return whole(nodes.bit_and(a, b))


def _or(a, b):
    if _outside(a) or _outside(b):
        return _lost(operator.or_, a, b)
    return whole(nodes.bit_or(a, b))


def _xor(a, b):
    if _outside(a) or _outside(b):
        return _lost(operator.xor, a, b)
    return whole(nodes.bit_xor(a, b))


def _lshift(a, b):
    if fails(nodes.lt(b, constant(0))):
        return 1 << -1
    if b.lo != b.hi:
        if b.hi <= 62 and not _outside(a):
            node = nodes.shl(a, b)
            if MIN <= node.lo and node.hi <= MAX:
                return whole(node)
        pin(b)
    if b.lo > 62 or _outside(a):
        return _lost(operator.lshift, a, b)
    return _mul(a, constant(1 << b.lo))


def _rshift(a, b):
    if fails(nodes.lt(b, constant(0))):
        return 1 >> -1
    if _outside(a):
        return _lost(operator.rshift, a, b)
    # From 63 on only the sign is left.
    most = constant(63)
    return whole(nodes.shr(a, nodes.ite(nodes.lt(most, b), most, b)))


def _pow(a, b):
    if a.lo == a.hi == 2 and 0 <= b.lo and b.hi <= 62:
        return whole(nodes.shl(constant(1), b))
    exponent = pin(b)
    if a.lo == a.hi:
        return a.lo ** exponent
    if exponent == 0:
        return 1
    if not 0 < exponent < 64:
        # A float, or beyond 64 bits for all but three bases.
        engine.note("power")
        return pin(a) ** exponent
    value = base = whole(a)
    for _ in range(exponent - 1):
        value = value * base
    return value


def _lt(a, b):
    return truth(nodes.lt(a, b))


def _le(a, b):
    return truth(nodes.le(a, b))


def _gt(a, b):
    return truth(nodes.lt(b, a))


def _ge(a, b):
    return truth(nodes.le(b, a))


def _eq(a, b):
    return truth(nodes.eq(a, b))


def _ne(a, b):
    return truth(nodes.negation(nodes.eq(a, b)))


# ------------------------------------------------ operators on mixed operands

def _reflects(kind, name):
    """Whether a type that is not ours has its own say in the operator, and in
    Python, so that it can deal with a proxy itself."""
    for base in kind.__mro__:
        # What every object has asks the others.
        if name in base.__dict__ and base is not object:
            method = base.__dict__[name]
            return type(method).__name__ == "function", True
    return False, False


def _mixed(function, name, reflected, self, other, swapped):
    """`self function other` (or the other way round) for an `other` that is
    neither int nor SymInt."""
    kind = type(other)
    if kind is bool:
        other = int(other)
    elif kind is SymBool:
        other = whole(nodes.btoi(other.node))
    elif kind is float or kind is SymFloat:
        if name in _FLOAT_OPERATORS:
            left = real(nodes.itof(self.node))
            return function(other, left) if swapped else function(left, other)
        return NotImplemented
    elif issubclass(kind, int):
        # A subclass with an operator of its own is asked first by Python only
        # where int is its base; here it has to be asked by giving up.
        python, _ = _reflects(kind, name if swapped else reflected)
        if python:
            return NotImplemented
        other = int.__add__(other, 0)
    elif kind is complex:
        engine.note("complex")
        self = pin(self.node)
    else:
        python, there = _reflects(kind, name if swapped else reflected)
        if python or not there or kind.__module__ == "builtins":
            return NotImplemented
        # An extension type that takes an int but not what looks like one.
        engine.note(f"{kind.__name__}.{reflected}")
        self = pin(self.node)
    return function(other, self) if swapped else function(self, other)


_FLOAT_OPERATORS = {"__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__",
                    "__mod__", "__divmod__", "__pow__"}


def _binary(core, function, stem):
    """The method of an operator and its reflection."""
    name, reflected = f"__{stem}__", f"__r{stem}__"

    def method(self, other):
        kind = type(other)
        if kind is int:
            return core(self.node, constant(other))
        if kind is SymInt:
            return core(self.node, other.node)
        return _mixed(function, name, reflected, self, other, False)

    def reflection(self, other):
        if type(other) is int:
            return core(constant(other), self.node)
        return _mixed(function, name, reflected, self, other, True)

    method.__name__, reflection.__name__ = name, reflected
    return method, reflection


def _comparison(core, function, stem, mirrored):
    name, mirror = f"__{stem}__", f"__{mirrored}__"

    def method(self, other):
        kind = type(other)
        if kind is int:
            return core(self.node, constant(other))
        if kind is SymInt:
            return core(self.node, other.node)
        if kind is float:
            return _compare_float(stem, self.node, other)
        if kind is SymFloat:
            return _compare_floats(stem, self.node, other.node)
        return _mixed(function, name, mirror, self, other, False)

    method.__name__ = name
    return method


def _compare_float(stem, a, x):
    """An integer node with a plain float, exactly."""
    if x != x:
        return stem == "ne"
    if x in (math.inf, -math.inf):
        return getattr(operator, stem)(0.0, x)
    if stem in ("eq", "ne"):
        equal = nodes.eq(a, constant(int(x))) if x == int(x) else False
        return truth(equal if stem == "eq" else nodes.negation(equal))
    # a < x is a < ceil(x), a > x is a > floor(x), and so on.
    if stem == "lt":
        return truth(nodes.lt(a, constant(math.ceil(x))))
    if stem == "le":
        return truth(nodes.le(a, constant(math.floor(x))))
    if stem == "gt":
        return truth(nodes.lt(constant(math.floor(x)), a))
    return truth(nodes.le(constant(math.ceil(x)), a))


_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def _compare_floats(stem, a, x):
    """An integer node with a float node, exactly."""
    if decide(nodes.within(a, -EXACT, EXACT)):
        return _float_compare(stem, nodes.itof(a), x)
    engine.note("comparison of floats with integers beyond 2**53")
    return _compare_int(_MIRRORED[stem], x, pin(a))


def _compare_int(stem, x, k):
    """A float node with a plain integer, exactly."""
    try:
        nearest = float(k)
    except OverflowError:
        # Beyond every finite float: as the infinity of its sign, which itself
        # is beyond k.
        nearest = math.inf if k > 0 else -math.inf
    if nearest != k:
        if stem in ("eq", "ne"):
            return stem == "ne"
        # No float lies between k and the nearest one.
        if nearest > k:
            stem = "lt" if stem in ("lt", "le") else "ge"
        else:
            stem = "le" if stem in ("lt", "le") else "gt"
    return _float_compare(stem, x, nodes.float_constant(nearest))


def _float_compare(stem, a, b):
    """Two float nodes."""
    if stem == "lt":
        return truth(nodes.fcompare(FLT, a, b))
    if stem == "le":
        return truth(nodes.fcompare(FLE, a, b))
    if stem == "gt":
        return truth(nodes.fcompare(FLT, b, a))
    if stem == "ge":
        return truth(nodes.fcompare(FLE, b, a))
    equal = nodes.fcompare(FEQ, a, b)
    return truth(equal if stem == "eq" else nodes.negation(equal))


# ----------------------------------------------------------------- integers

class SymInt(Symbolic):
    """An int of the input or made from it."""

    __slots__ = ("node",)

    def __init__(self, node):
        self.node = node

    __class__ = property(lambda self: int)

    __add__, __radd__ = _binary(_add, operator.add, "add")
    __sub__, __rsub__ = _binary(_sub, operator.sub, "sub")
    __mul__, __rmul__ = _binary(_mul, operator.mul, "mul")
    __floordiv__, __rfloordiv__ = _binary(_floordiv, operator.floordiv, "floordiv")
    __mod__, __rmod__ = _binary(_mod, operator.mod, "mod")
    __divmod__, __rdivmod__ = _binary(_divmod, divmod, "divmod")
    __truediv__, __rtruediv__ = _binary(_truediv, operator.truediv, "truediv")
    __and__, __rand__ = _binary(_and, operator.and_, "and")
    __or__, __ror__ = _binary(_or, operator.or_, "or")
    __xor__, __rxor__ = _binary(_xor, operator.xor, "xor")
    __lshift__, __rlshift__ = _binary(_lshift, operator.lshift, "lshift")
    __rshift__, __rrshift__ = _binary(_rshift, operator.rshift, "rshift")
    _power, __rpow__ = _binary(_pow, operator.pow, "pow")

    def __pow__(self, other, modulus=None):
        if modulus is None:
            return self._power(other)
        engine.note("pow with a modulus")
        return pow(concrete(self), concrete(other), concrete(modulus))

    __lt__ = _comparison(_lt, operator.lt, "lt", "gt")
    __le__ = _comparison(_le, operator.le, "le", "ge")
    __gt__ = _comparison(_gt, operator.gt, "gt", "lt")
    __ge__ = _comparison(_ge, operator.ge, "ge", "le")
    __eq__ = _comparison(_eq, operator.eq, "eq", "eq")
    __ne__ = _comparison(_ne, operator.ne, "ne", "ne")

    def __neg__(self):
        a = self.node
        node = nodes.neg(a)
        if node.hi > MAX:
            if not decide(nodes.lt(constant(MIN), a)):
                return _lost(operator.neg, a)
            node.hi = MAX
        return whole(node)

    def __pos__(self):
        return self

    def __abs__(self):
        a = self.node
        if a.lo >= 0:
            return self
        negative = -self
        if a.hi <= 0 or type(negative) is int:
            return negative
        node = nodes.ite(nodes.lt(a, constant(0)), negative.node, a)
        node.lo = max(node.lo, 0)
        return whole(node)

    def __invert__(self):
        return whole(nodes.sub(constant(-1), self.node))

    def __bool__(self):
        return decide(nodes.negation(nodes.eq(self.node, constant(0))))

    def __hash__(self):
        return hash(pin(self.node))

    def __index__(self):
        return pin(self.node)

    __int__ = __index__

    def __float__(self):
        engine.note("int as a float of C code")
        return float(pin(self.node))

    def __complex__(self):
        engine.note("complex")
        return complex(pin(self.node))

    def __str__(self):
        engine.note("text of an int in C code")
        return str(pin(self.node))

    __repr__ = __str__

    def __format__(self, specification):
        engine.note("format of an int")
        return format(pin(self.node), concrete(specification))

    def __round__(self, digits=None):
        if digits is None:
            return self
        digits = operator.index(digits)
        if digits >= 0:
            return self
        engine.note("round of an int")
        return round(pin(self.node), digits)

    def __trunc__(self):
        return self

    __floor__ = __ceil__ = __trunc__

    real = numerator = property(lambda self: self)
    imag = property(lambda self: 0)
    denominator = property(lambda self: 1)

    def conjugate(self):
        return self

    def as_integer_ratio(self):
        return self, 1

    if sys.version_info >= (3, 12):
        def is_integer(self):
            return True

    def bit_length(self):
        # One for every power of two that the magnitude reaches.
        magnitude = abs(self)
        if type(magnitude) is int:
            return magnitude.bit_length()
        node = magnitude.node
        total = constant(node.lo.bit_length())
        for k in range(node.lo.bit_length(), node.hi.bit_length()):
            total = nodes.add(total, nodes.btoi(nodes.le(constant(1 << k), node)))
        return whole(total)

    def bit_count(self):
        magnitude = abs(self)
        if type(magnitude) is int:
            return magnitude.bit_count()
        node, one = magnitude.node, constant(1)
        total = constant(0)
        for k in range(node.hi.bit_length()):
            total = nodes.add(total, nodes.bit_and(nodes.shr(node, constant(k)), one))
        return whole(total)


# ------------------------------------------------------------------- truths

def _as_int(stem):
    """An operator of bool that is int's."""
    name = f"__{stem}__"
    number = getattr(SymInt, name)

    def method(self, *arguments):
        # A proxy even where the value is known by now: C does not know a bool that
        # is one, so neither operand may be asked as a plain int.
        return number(SymInt(nodes.btoi(self.node)), *arguments)

    method.__name__ = name
    return method


def _logical(core, stem):
    """&, | and ^: bool with a bool, else int's."""
    name, reflected = f"__{stem}__", f"__r{stem}__"
    number, reflected_number = getattr(SymInt, name), getattr(SymInt, reflected)

    def method(self, other):
        kind = type(other)
        if kind is bool:
            return truth(core(self.node, other))
        if kind is SymBool:
            return truth(core(self.node, other.node))
        return number(SymInt(nodes.btoi(self.node)), other)

    def reflection(self, other):
        if type(other) is bool:
            return truth(core(self.node, other))
        return reflected_number(SymInt(nodes.btoi(self.node)), other)

    method.__name__, reflection.__name__ = name, reflected
    return method, reflection


class SymBool(Symbolic):
    """A bool of the input or a condition on it; `bool()` of it is the decision."""

    __slots__ = ("node",)

    def __init__(self, node):
        self.node = node

    __class__ = property(lambda self: bool)

    def __bool__(self):
        node = self.node
        if node.lo == node.hi:
            return node.lo == 1
        return decide(node)

    def __eq__(self, other):
        kind = type(other)
        if kind is bool:
            return truth(nodes.same(self.node, other))
        if kind is SymBool:
            return truth(nodes.same(self.node, other.node))
        return SymInt(nodes.btoi(self.node)).__eq__(other)

    def __ne__(self, other):
        kind = type(other)
        if kind is bool:
            return truth(nodes.negation(nodes.same(self.node, other)))
        if kind is SymBool:
            return truth(nodes.negation(nodes.same(self.node, other.node)))
        return SymInt(nodes.btoi(self.node)).__ne__(other)

    def __hash__(self):
        return hash(decide(self.node))

    def __index__(self):
        return int(decide(self.node))

    __int__ = __index__

    def __float__(self):
        return float(decide(self.node))

    def __complex__(self):
        return complex(decide(self.node))

    def __str__(self):
        return str(decide(self.node))

    __repr__ = __str__

    def __format__(self, specification):
        return format(decide(self.node), concrete(specification))

    __and__, __rand__ = _logical(nodes.band, "and")
    __or__, __ror__ = _logical(nodes.bor, "or")
    __xor__, __rxor__ = _logical(lambda a, b: nodes.negation(nodes.same(a, b)), "xor")

    real = numerator = property(lambda self: whole(nodes.btoi(self.node)))
    imag = property(lambda self: 0)
    denominator = property(lambda self: 1)

    for _stem in ("add", "sub", "mul", "floordiv", "mod", "divmod", "truediv",
                  "lshift", "rshift", "pow"):
        locals()[f"__{_stem}__"] = _as_int(_stem)
        locals()[f"__r{_stem}__"] = _as_int("r" + _stem)
    for _stem in ("lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "round",
                  "trunc", "floor", "ceil"):
        locals()[f"__{_stem}__"] = _as_int(_stem)
    del _stem

    def bit_length(self):
        return whole(nodes.btoi(self.node))

    bit_count = conjugate = bit_length


# ------------------------------------------------------------------- floats

def _float_operand(other):
    """The node of a number in a float operator, or None."""
    kind = type(other)
    if kind is SymFloat:
        return other.node
    if kind is float:
        return nodes.float_constant(other)
    if kind is SymInt:
        return nodes.itof(other.node)
    if kind is SymBool:
        return nodes.itof(nodes.btoi(other.node))
    if kind is int or kind is bool:
        return nodes.float_constant(float(other))
    return None


def _float_binary(op, function, stem):
    """The methods of an operator that is a node, or of one that is not."""
    name, reflected = f"__{stem}__", f"__r{stem}__"

    def apply(a, b):
        if op is None:
            engine.note(f"float {stem}")
            return function(pin_float(a), pin_float(b))
        if op == FDIV and fails(nodes.fcompare(FEQ, b, nodes.float_constant(0.0))):
            return 1.0 / 0.0
        return real(nodes.fmake(op, a, b))

    def foreign(self, other, swapped):
        kind = type(other)
        python, there = _reflects(kind, name if swapped else reflected)
        if issubclass(kind, (int, float)) and not python:
            other = float.__add__(0.0, other)
        elif python or not there or kind.__module__ == "builtins" and kind is not complex:
            return NotImplemented
        else:
            engine.note(f"{kind.__name__}.{reflected}")
            self = pin_float(self.node)
        return function(other, self) if swapped else function(self, other)

    def method(self, other):
        node = _float_operand(other)
        return foreign(self, other, False) if node is None else apply(self.node, node)

    def reflection(self, other):
        node = _float_operand(other)
        return foreign(self, other, True) if node is None else apply(node, self.node)

    method.__name__, reflection.__name__ = name, reflected
    return method, reflection


def _float_comparison(stem):
    function = getattr(operator, stem)

    def method(self, other):
        kind = type(other)
        if kind is SymFloat:
            return _float_compare(stem, self.node, other.node)
        if kind is float:
            return _float_compare(stem, self.node, nodes.float_constant(other))
        if kind is SymInt:
            return _compare_floats(_MIRRORED[stem], other.node, self.node)
        if kind is int or kind is bool:
            return _compare_int(stem, self.node, int(other))
        if kind is SymBool:
            return _compare_floats(_MIRRORED[stem], nodes.btoi(other.node), self.node)
        if issubclass(kind, int):
            return _compare_int(stem, self.node, int.__add__(other, 0))
        if issubclass(kind, float):
            return function(self, float.__add__(other, -0.0))
        python, there = _reflects(kind, f"__{_MIRRORED[stem]}__")
        if python or not there or kind.__module__ == "builtins":
            return NotImplemented
        engine.note(f"{kind.__name__} compared")
        return function(pin_float(self.node), other)

    method.__name__ = f"__{stem}__"
    return method


def _integer_of(node, op):
    """The int of a float rounded by `op`, with int()'s exceptions."""
    if fails(nodes.negation(nodes.fcompare(FEQ, node, node))):
        return int(math.nan)
    size = nodes.fmake(nodes.FABS, node)
    if fails(nodes.fcompare(FEQ, size, nodes.float_constant(math.inf))):
        return int(math.inf)
    if not decide(nodes.fcompare(FLT, size, nodes.float_constant(2.0 ** 62))):
        engine.note(BEYOND)
        return int(nodes.EVALUATE[op](pin_float(node)))
    return whole(nodes.ftoi(nodes.fmake(op, node), -(1 << 62), 1 << 62))


class SymFloat(Symbolic):
    """A float of the input or made from it."""

    __slots__ = ("node",)

    def __init__(self, node):
        self.node = node

    __class__ = property(lambda self: float)

    __add__, __radd__ = _float_binary(FADD, operator.add, "add")
    __sub__, __rsub__ = _float_binary(FSUB, operator.sub, "sub")
    __mul__, __rmul__ = _float_binary(FMUL, operator.mul, "mul")
    __truediv__, __rtruediv__ = _float_binary(FDIV, operator.truediv, "truediv")
    __floordiv__, __rfloordiv__ = _float_binary(None, operator.floordiv, "floordiv")
    __mod__, __rmod__ = _float_binary(None, operator.mod, "mod")
    __divmod__, __rdivmod__ = _float_binary(None, divmod, "divmod")
    __pow__, __rpow__ = _float_binary(None, operator.pow, "pow")

    __lt__ = _float_comparison("lt")
    __le__ = _float_comparison("le")
    __gt__ = _float_comparison("gt")
    __ge__ = _float_comparison("ge")
    __eq__ = _float_comparison("eq")
    __ne__ = _float_comparison("ne")

    def __neg__(self):
        return real(nodes.fmake(nodes.FNEG, self.node))

    def __pos__(self):
        return self

    def __abs__(self):
        return real(nodes.fmake(nodes.FABS, self.node))

    def __bool__(self):
        return decide(nodes.negation(nodes.fcompare(FEQ, self.node, nodes.float_constant(0.0))))

    def __hash__(self):
        value = self._pinned()
        # From 3.10 on the hash of NaN is that of the object.
        return object.__hash__(self) if value != value else hash(value)

    def _pinned(self):
        value = pin_float(self.node)
        self.node = nodes.float_constant(value)
        return value

    def __float__(self):
        engine.note("float in C code")
        return self._pinned()

    def __int__(self):
        return operator.index(_integer_of(self.node, nodes.FTRUNC))

    def __complex__(self):
        engine.note("complex")
        return complex(self._pinned())

    def __str__(self):
        engine.note("text of a float")
        return str(self._pinned())

    __repr__ = __str__

    def __format__(self, specification):
        engine.note("format of a float")
        return format(self._pinned(), concrete(specification))

    def __round__(self, digits=None):
        if digits is None:
            return _integer_of(self.node, nodes.FNEAREST)
        engine.note("round of a float")
        return round(self._pinned(), concrete(digits))

    def __trunc__(self):
        return _integer_of(self.node, nodes.FTRUNC)

    def __floor__(self):
        return _integer_of(self.node, nodes.FFLOOR)

    def __ceil__(self):
        return _integer_of(self.node, nodes.FCEIL)

    def is_integer(self):
        node = self.node
        size = nodes.fmake(nodes.FABS, node)
        finite = nodes.fcompare(FLT, size, nodes.float_constant(math.inf))
        return truth(nodes.band(finite, nodes.fcompare(
            FEQ, nodes.fmake(nodes.FFLOOR, node), node)))

    real = property(lambda self: self)
    imag = property(lambda self: 0.0)

    def conjugate(self):
        return self


# ---------------------------------------------------------------- conversion

def concrete(value):
    """The plain value of a proxy, which the engine decides for; anything else
    as it is."""
    kind = type(value)
    if kind is SymInt:
        return pin(value.node)
    if kind is SymBool:
        return decide(value.node)
    if kind is SymFloat:
        return value._pinned()
    if issubclass(kind, Symbolic):
        return value.concrete()
    return value


def peek(value):
    """The value at hand, without a decision: for what no program sees."""
    kind = type(value)
    if kind is SymInt or kind is SymFloat:
        return nodes.evaluate(value.node)
    if kind is SymBool:
        return nodes.evaluate(value.node) == 1
    if issubclass(kind, Symbolic):
        return value.peek()
    return value


def integer(value):
    """int(value) of a number that may be a proxy."""
    kind = type(value)
    if kind is SymBool:
        return whole(nodes.btoi(value.node))
    if kind is SymFloat:
        return _integer_of(value.node, nodes.FTRUNC)
    return value if kind is SymInt else int(value)


def floating(value):
    """float(value) of a number that may be a proxy."""
    kind = type(value)
    if kind is SymInt:
        return real(nodes.itof(value.node))
    if kind is SymBool:
        return real(nodes.itof(nodes.btoi(value.node)))
    return value if kind is SymFloat else float(value)


# Messages of the interpreter name the type.
for _class, _name in ((SymInt, "int"), (SymBool, "bool"), (SymFloat, "float")):
    _class.__name__ = _class.__qualname__ = _name
