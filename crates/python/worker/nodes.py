"""Expressions over the input: the nodes that proxies carry and conditions are made of.

A node is an operator with at most three children. Nodes of one path are shared
(the same operator on the same children is the same object), so a condition
that was decided once is known when the program asks again.

Three sorts: integers, conditions and floats.

* Integers are mathematical, and every integer node that is handed to the
  engine lies in signed 64 bits on the path at hand: `lo` and `hi` bound its
  value. A node whose bounds leave 64 bits occurs only below a condition that is
  the same whatever that node wraps to (see `fits` in numbers.py).
* Conditions are 0 or 1; `lo == hi` says that the path has decided it.
* Floats are IEEE doubles with Python's arithmetic; `lo` and `hi` mean nothing.

Bounds hold *on this path*: a decision narrows them (`learn`), which is sound
because the decision is part of the path condition from then on.
"""

import math
import struct
from sys import gettrace, settrace

# The operators. The numbers go over the wire and are the same in
# src/wire.rs; a test compares the two tables.
OPERATORS = (
    # integers
    "var",        # a: number of the variable
    "const",      # a: the value
    "add",
    "sub",
    "mul",
    "floordiv",   # rounds down; the divisor is not 0 on this path
    "mod",        # sign of the divisor; the divisor is not 0 on this path
    "divu",       # both sides >= 0 on this path, divisor > 0
    "remu",       # both sides >= 0 on this path, divisor > 0
    "and",
    "or",
    "xor",
    "shl",        # count 0..62, the result fits
    "shr",        # arithmetic; count 0..63
    "neg",
    "ite",        # a: condition
    "btoi",       # a: condition; 0 or 1
    "ftoi",       # a: float, integral or truncated; fits 64 bits on this path
    "fbits",      # a: float; its 64 bits as a signed integer; not NaN on this path
    # conditions
    "bvar",       # a: number of the variable
    "eq",
    "lt",
    "le",         # kept for the wire; nodes are made with lt and not
    "not",
    "band",
    "bor",
    "feq",
    "flt",
    "fle",
    # floats
    "fvar",       # a: number of the variable
    "fconst",     # a: the value, a Python float
    "fadd",
    "fsub",
    "fmul",
    "fdiv",       # the divisor is not 0 on this path
    "fneg",
    "fabs",
    "fsqrt",
    "ffloor",     # these four give floats with integral values
    "fceil",
    "ftrunc",
    "fnearest",   # ties to even
    "itof",       # a: integer; nearest, ties to even
    "fite",       # a: condition
)

(VAR, CONST, ADD, SUB, MUL, FLOORDIV, MOD, DIVU, REMU, AND, OR, XOR, SHL, SHR,
 NEG, ITE, BTOI, FTOI, FBITS, BVAR, EQ, LT, LE, NOT, BAND, BOR, FEQ, FLT, FLE,
 FVAR, FCONST, FADD, FSUB, FMUL, FDIV, FNEG, FABS, FSQRT, FFLOOR, FCEIL,
 FTRUNC, FNEAREST, ITOF, FITE) = range(len(OPERATORS))

LEAVES = frozenset((VAR, CONST, BVAR, FVAR, FCONST))
UNARY = frozenset((NEG, BTOI, FTOI, FBITS, NOT, FNEG, FABS, FSQRT, FFLOOR,
                   FCEIL, FTRUNC, FNEAREST, ITOF))
TERNARY = frozenset((ITE, FITE))
# How many children an operator has; the others have two.
ARITY = tuple(0 if op in LEAVES else 1 if op in UNARY else 3 if op in TERNARY
              else 2 for op in range(len(OPERATORS)))
CONDITIONS = frozenset(range(BVAR, FVAR))
FLOATS = frozenset(range(FVAR, len(OPERATORS)))

MIN = -(1 << 63)
MAX = (1 << 63) - 1


class Node:
    """An expression. `value` is that of the witness if `epoch` is the world's;
    `number` is for the engine (where the node stands in what was sent)."""

    __slots__ = ("op", "a", "b", "c", "lo", "hi", "value", "epoch", "number")

    def __init__(self, op, a, b, c, lo, hi):
        self.op = op
        self.a = a
        self.b = b
        self.c = c
        self.lo = lo
        self.hi = hi
        self.epoch = -1
        self.number = -1

    def __repr__(self):
        return self.shown(4)

    def shown(self, depth):
        """The expression; nodes are shared, so all of it may be long."""
        if self.op in LEAVES:
            return f"{OPERATORS[self.op]}({self.a!r})"
        if depth == 0:
            return f"{OPERATORS[self.op]}(..)"
        children = (self.a, self.b, self.c)[:ARITY[self.op]]
        return f"{OPERATORS[self.op]}({', '.join(child.shown(depth - 1) for child in children)})"


class Engine:
    """What decides. The attributes are functions; `attach` replaces them, so
    that a call costs one attribute look-up.

    branch(condition) -> bool   a decision of the program; its arm
    check(condition) -> bool    the same where true raises an exception
    choose(node) -> int         a decision for one value of an integer node
    note(reason)                something became concrete: why
    """

    __slots__ = ("branch", "check", "choose", "note")


engine = Engine()


def attach(implementation):
    """Lets `implementation` decide from now on."""
    engine.branch = implementation.branch
    engine.check = implementation.check
    engine.choose = implementation.choose
    engine.note = implementation.note


class World:
    """The values of the variables. Whoever changes `values` raises `epoch`."""

    __slots__ = ("values", "epoch")


world = World()
world.values = []
world.epoch = 0

_table = {}
_constants = {}


# What else has to be forgotten with a path: functions.
forget = [_table.clear, _constants.clear]


def reset():
    """Forgets the last path."""
    for function in forget:
        function()


def make(op, a, b, lo, hi):
    """The node of an operator with one or two children."""
    key = (op, a, b)
    node = _table.get(key)
    if node is None:
        node = _table[key] = Node(op, a, b, None, lo, hi)
    else:
        # The path may know more than it did when the node was made.
        if lo > node.lo:
            node.lo = lo
        if hi < node.hi:
            node.hi = hi
    return node


def variable(number, lo, hi):
    """The integer variable `number` with values in lo..=hi."""
    return make(VAR, number, None, lo, hi)


def condition_variable(number):
    return make(BVAR, number, None, 0, 1)


def float_variable(number):
    return make(FVAR, number, None, 0, 1)


def constant(value):
    """The integer `value`, of type int."""
    node = _constants.get(value)
    if node is None:
        node = _constants[value] = Node(CONST, value, None, None, value, value)
    return node


def float_constant(value):
    # Zeros of either sign are equal, and NaN is not; the bits tell all apart.
    return make(FCONST, _Float(value), None, 0, 1)


class _Float(float):
    """A float that is the same as another when the bits are."""

    __slots__ = ()

    def __hash__(self):
        return hash(struct.pack("<d", self))

    def __eq__(self, other):
        return struct.pack("<d", self) == struct.pack("<d", other)


# ---------------------------------------------------------------- integers

def add(a, b):
    lo = a.lo + b.lo
    hi = a.hi + b.hi
    if lo == hi:
        return constant(lo)
    if b.lo == b.hi:
        if b.lo == 0:
            return a
        if a.op == ADD and a.b.op == CONST:
            # (x + 1) + 1 is x + 2, unless x + 2 itself may leave 64 bits: then
            # the bounds of what was decided about x + 1 would be lost.
            inner, k = a.a, a.b.a + b.lo
            if MIN <= inner.lo + k and inner.hi + k <= MAX:
                return add(inner, constant(k))
        if b.op != CONST:
            b = constant(b.lo)
    elif a.lo == a.hi:
        return add(b, a)
    return make(ADD, a, b, lo, hi)


def sub(a, b):
    if b.lo == b.hi:
        return add(a, constant(-b.lo))
    if a is b:
        return constant(0)
    return make(SUB, a, b, a.lo - b.hi, a.hi - b.lo)


def neg(a):
    if a.lo == a.hi:
        return constant(-a.lo)
    return make(NEG, a, None, -a.hi, -a.lo)


def mul(a, b):
    if b.lo == b.hi:
        k = b.lo
        if a.lo == a.hi:
            return constant(a.lo * k)
        if k == 0:
            return constant(0)
        if k == 1:
            return a
        if b.op != CONST:
            b = constant(k)
        if k > 0:
            return make(MUL, a, b, a.lo * k, a.hi * k)
        return make(MUL, a, b, a.hi * k, a.lo * k)
    if a.lo == a.hi:
        return mul(b, a)
    if a is b:
        square = max(a.lo * a.lo, a.hi * a.hi)
        least = 0 if a.lo <= 0 <= a.hi else min(a.lo * a.lo, a.hi * a.hi)
        return make(MUL, a, b, least, square)
    corners = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
    return make(MUL, a, b, min(corners), max(corners))


def _divisors(b):
    """The extreme divisors of b's interval, 0 left out."""
    ends = {b.lo, b.hi}
    if b.lo <= -1 <= b.hi:
        ends.add(-1)
    if b.lo <= 1 <= b.hi:
        ends.add(1)
    ends.discard(0)
    return ends


def floordiv(a, b):
    """a // b where b is not 0 on this path."""
    if b.lo == b.hi:
        if a.lo == a.hi:
            return constant(a.lo // b.lo)
        if b.lo == 1:
            return a
    quotients = [x // y for x in (a.lo, a.hi) for y in _divisors(b)]
    lo, hi = min(quotients), max(quotients)
    if lo == hi:
        return constant(lo)
    if a.lo >= 0 and b.lo >= 0:
        return make(DIVU, a, b, lo, hi)
    return make(FLOORDIV, a, b, lo, hi)


def mod(a, b):
    """a % b where b is not 0 on this path."""
    if b.lo == b.hi:
        k = b.lo
        if a.lo == a.hi:
            return constant(a.lo % k)
        if a.lo // k == a.hi // k:
            # One quotient: the remainder is the number less a constant.
            return sub(a, constant(a.lo // k * k))
    lo = min(0, b.lo + 1)
    hi = max(0, b.hi - 1)
    if a.lo >= 0 and b.lo >= 0:
        if a.hi < b.lo:
            return a
        return make(REMU, a, b, 0, min(hi, a.hi))
    return make(MOD, a, b, lo, hi)


def _bits(a, b):
    """The least m so that both intervals lie in -2**m..2**m."""
    return max(x.bit_length() if x >= 0 else (~x).bit_length()
               for x in (a.lo, a.hi, b.lo, b.hi))


def bit_and(a, b):
    if a.lo == a.hi:
        if b.lo == b.hi:
            return constant(a.lo & b.lo)
        a, b = b, a
    if b.lo == b.hi:
        k = b.lo
        if k == 0:
            return constant(0)
        # A mask of ones that covers the value.
        if k & (k + 1) == 0 and k > 0 and 0 <= a.lo and a.hi <= k or k == -1:
            return a
    if a is b:
        return a
    if a.lo >= 0 or b.lo >= 0:
        lo = 0
        hi = min(x.hi for x in (a, b) if x.lo >= 0)
    else:
        lo, hi = -(1 << _bits(a, b)), (1 << _bits(a, b)) - 1
    return make(AND, a, b, lo, hi)


def bit_or(a, b):
    if a.lo == a.hi:
        if b.lo == b.hi:
            return constant(a.lo | b.lo)
        a, b = b, a
    if b.lo == b.hi == 0 or a is b:
        return a
    if b.lo == b.hi == -1:
        return b
    m = _bits(a, b)
    if a.lo >= 0 and b.lo >= 0:
        return make(OR, a, b, max(a.lo, b.lo), (1 << m) - 1)
    return make(OR, a, b, -(1 << m), (1 << m) - 1)


def bit_xor(a, b):
    if a.lo == a.hi:
        if b.lo == b.hi:
            return constant(a.lo ^ b.lo)
        a, b = b, a
    if b.lo == b.hi == 0:
        return a
    if a is b:
        return constant(0)
    m = _bits(a, b)
    lo = 0 if a.lo >= 0 and b.lo >= 0 else -(1 << m)
    return make(XOR, a, b, lo, (1 << m) - 1)


def shl(a, b):
    """a << b where b is in 0..62."""
    if b.lo == b.hi:
        return mul(a, constant(1 << b.lo))
    corners = (a.lo << b.lo, a.lo << b.hi, a.hi << b.lo, a.hi << b.hi)
    return make(SHL, a, b, min(corners), max(corners))


def shr(a, b):
    """a >> b where b is in 0..63."""
    corners = (a.lo >> b.lo, a.lo >> b.hi, a.hi >> b.lo, a.hi >> b.hi)
    lo, hi = min(corners), max(corners)
    if lo == hi:
        return constant(lo)
    if b.hi == 0:
        return a
    return make(SHR, a, b, lo, hi)


def ite(condition, a, b):
    """a where the condition holds, else b."""
    if condition is True:
        return a
    if condition is False:
        return b
    if condition.lo == condition.hi:
        return a if condition.lo else b
    if condition.op == NOT:
        condition, a, b = condition.a, b, a
    if a is b:
        return a
    key = (ITE, condition, a, b)
    node = _table.get(key)
    if node is None:
        node = _table[key] = Node(ITE, condition, a, b,
                                  min(a.lo, b.lo), max(a.hi, b.hi))
    return node


def btoi(condition):
    """1 where the condition holds, else 0."""
    if condition is True or condition is False:
        return constant(int(condition))
    if condition.lo == condition.hi:
        return constant(condition.lo)
    return make(BTOI, condition, None, 0, 1)


# -------------------------------------------------------------- conditions
# These give True, False or a node: what is known needs no node.

def eq(a, b):
    if a is b:
        return True
    if a.hi < b.lo or b.hi < a.lo:
        return False
    if a.lo == a.hi:
        if b.lo == b.hi:
            return True
        a, b = b, a
    if b.lo == b.hi:
        # A truth value as a number is compared as what it is.
        if a.op == BTOI:
            return a.a if b.lo == 1 else negation(a.a)
        if b.op != CONST:
            b = constant(b.lo)
    elif (EQ, b, a) in _table:
        a, b = b, a
    return known(make(EQ, a, b, 0, 1))


def lt(a, b):
    if a.hi < b.lo:
        return True
    if a.lo >= b.hi or a is b:
        return False
    # On an integer scale x < k at the edge of x's bounds is an equality, but
    # it stays what the program wrote: messages are easier to follow.
    return known(make(LT, a, b, 0, 1))


def le(a, b):
    return negation(lt(b, a))


def known(condition):
    """The condition, or what the path has decided about it."""
    if condition.lo == condition.hi:
        return condition.lo == 1
    return condition


def negation(condition):
    if condition is True:
        return False
    if condition is False:
        return True
    if condition.op == NOT:
        return known(condition.a)
    if condition.lo == condition.hi:
        return condition.lo == 0
    return make(NOT, condition, None, 0, 1)


def band(a, b):
    if a is True:
        return b
    if b is True:
        return a
    if a is False or b is False:
        return False
    return a if a is b else known(make(BAND, a, b, 0, 1))


def bor(a, b):
    if a is False:
        return b
    if b is False:
        return a
    if a is True or b is True:
        return True
    return a if a is b else known(make(BOR, a, b, 0, 1))


def every(conditions):
    """The conjunction."""
    result = True
    for condition in conditions:
        if condition is False:
            return False
        result = band(result, condition)
    return result


def some(conditions):
    """The disjunction."""
    result = False
    for condition in conditions:
        if condition is True:
            return True
        result = bor(result, condition)
    return result


def within(a, lo, hi):
    """lo <= a <= hi for plain lo, hi."""
    return band(le(constant(lo), a), lt(a, constant(hi + 1)))


def same(a, b):
    """Whether two conditions have the same truth."""
    if b is True:
        return a
    if b is False:
        return negation(a)
    if a is True or a is False:
        return same(b, a)
    return eq(btoi(a), btoi(b))


# ------------------------------------------------------------------ floats

def fmake(op, a, b=None):
    """A float operator; of constants it is worked out."""
    if a.op == FCONST and (b is None or b.op == FCONST):
        if op != FDIV or b.a != 0.0:
            x = float(a.a)
            return float_constant(EVALUATE[op](x) if b is None
                                  else EVALUATE[op](x, float(b.a)))
    return make(op, a, b, 0, 1)


def fcompare(op, a, b):
    """FEQ, FLT or FLE: True, False or a node."""
    if a.op == FCONST and b.op == FCONST:
        return EVALUATE[op](float(a.a), float(b.a)) == 1
    return known(make(op, a, b, 0, 1))


def itof(a):
    if a.lo == a.hi:
        return float_constant(float(a.lo))
    return make(ITOF, a, None, 0, 1)


def ftoi(a, lo=MIN, hi=MAX):
    """The truncated integer of a float which lies in lo..=hi on this path."""
    if a.op == FCONST:
        return constant(int(a.a))
    return make(FTOI, a, None, lo, hi)


def fite(condition, a, b):
    if condition is True or condition is False:
        return a if condition else b
    if condition.lo == condition.hi:
        return a if condition.lo else b
    if a is b:
        return a
    key = (FITE, condition, a, b)
    node = _table.get(key)
    if node is None:
        node = _table[key] = Node(FITE, condition, a, b, 0, 1)
    return node


# ---------------------------------------------------------------- decisions

def decide(condition):
    """The truth of a condition: known, or a decision of the engine."""
    if condition is True or condition is False:
        return condition
    if condition.lo == condition.hi:
        return condition.lo == 1
    # A negation stays one: the arm is what the jump sees, as an ordinary run counts it.
    if condition.op == NOT and condition.a.lo == condition.a.hi:
        return condition.a.lo == 0
    trace = gettrace()
    if trace is None:
        taken = engine.branch(condition)
        learn(condition, taken)
        return taken
    # Up to 3.11 tracing is by settrace, which is told of every call of the functions
    # below: without it a decision takes little more than half the time.
    settrace(None)
    try:
        taken = engine.branch(condition)
        learn(condition, taken)
    finally:
        settrace(trace)
    return taken


def fails(condition):
    """As `decide`, where a condition that holds raises an exception."""
    if condition is True or condition is False:
        return condition
    if condition.lo == condition.hi:
        return condition.lo == 1
    if condition.op == NOT:
        inner = condition.a
        if inner.lo == inner.hi:
            return inner.lo == 0
    taken = engine.check(condition)
    learn(condition, taken)
    return taken


def pin(node):
    """One value of an integer: known, or a decision of the engine."""
    if node.lo == node.hi:
        return node.lo
    if node.op == BTOI:
        return int(decide(node.a))
    value = engine.choose(node)
    node.lo = node.hi = value
    if node.op == ADD and node.b.op == CONST:
        node.a.lo = node.a.hi = value - node.b.a
    return value


def pin_float(node):
    """One value of a float."""
    if node.op == FCONST:
        return float(node.a)
    if decide(negation(fcompare(FEQ, node, node))):
        # Every NaN is like every other but for bits that no comparison sees.
        return evaluate(node)
    bits = pin(make(FBITS, node, None, MIN, MAX))
    return struct.unpack("<d", struct.pack("<q", bits))[0]


def learn(condition, taken):
    """Narrows what the decision says: `condition` is `taken` on this path."""
    todo = [(condition, taken)]
    while todo:
        node, truth = todo.pop()
        node.lo = node.hi = 1 if truth else 0
        op = node.op
        if op == LT:
            a, b = node.a, node.b
            if truth:
                if a.hi >= b.hi:
                    a.hi = b.hi - 1
                if b.lo <= a.lo:
                    b.lo = a.lo + 1
            else:
                if a.lo < b.lo:
                    a.lo = b.lo
                if b.hi > a.hi:
                    b.hi = a.hi
        elif op == EQ:
            a, b = node.a, node.b
            if truth:
                a.lo = b.lo = max(a.lo, b.lo)
                a.hi = b.hi = min(a.hi, b.hi)
            elif b.lo == b.hi:
                if a.lo == b.lo:
                    a.lo += 1
                elif a.hi == b.lo:
                    a.hi -= 1
        elif op == NOT:
            todo.append((node.a, not truth))
        elif op == BAND and truth or op == BOR and not truth:
            todo.append((node.a, truth))
            todo.append((node.b, truth))


# --------------------------------------------------------------- evaluation

def _float_bits(x):
    return struct.unpack("<q", struct.pack("<d", x))[0]


def _integral(function):
    """A rounding to integral floats, which infinities and NaN pass through."""
    def rounded(x):
        # From 2**52 on every float is integral; the sign of zero is kept.
        return math.copysign(function(x), x) if abs(x) < 4503599627370496.0 else x
    return rounded


def _fdiv(x, y):
    # A divisor of 0 is excluded on the path; below a decision that the values
    # at hand do not take it may still be met.
    return x / y if y != 0.0 else math.nan


def _ftoi(x):
    return int(x) if abs(x) < 9.3e18 else 0


EVALUATE = [None] * len(OPERATORS)
EVALUATE[ADD] = lambda x, y: x + y
EVALUATE[SUB] = lambda x, y: x - y
EVALUATE[MUL] = lambda x, y: x * y
EVALUATE[FLOORDIV] = EVALUATE[DIVU] = lambda x, y: x // y if y else 0
EVALUATE[MOD] = EVALUATE[REMU] = lambda x, y: x % y if y else 0
EVALUATE[AND] = lambda x, y: x & y
EVALUATE[OR] = lambda x, y: x | y
EVALUATE[XOR] = lambda x, y: x ^ y
EVALUATE[SHL] = lambda x, y: x << (y & 63)
EVALUATE[SHR] = lambda x, y: x >> (y & 63)
EVALUATE[NEG] = lambda x: -x
EVALUATE[BTOI] = lambda x: x
EVALUATE[FTOI] = _ftoi
EVALUATE[FBITS] = _float_bits
EVALUATE[EQ] = EVALUATE[FEQ] = lambda x, y: 1 if x == y else 0
EVALUATE[LT] = EVALUATE[FLT] = lambda x, y: 1 if x < y else 0
EVALUATE[LE] = EVALUATE[FLE] = lambda x, y: 1 if x <= y else 0
EVALUATE[NOT] = lambda x: 1 - x
EVALUATE[BAND] = lambda x, y: x & y
EVALUATE[BOR] = lambda x, y: x | y
EVALUATE[FADD] = lambda x, y: x + y
EVALUATE[FSUB] = lambda x, y: x - y
EVALUATE[FMUL] = lambda x, y: x * y
EVALUATE[FDIV] = _fdiv
EVALUATE[FNEG] = lambda x: -x
EVALUATE[FABS] = abs
EVALUATE[FSQRT] = lambda x: math.sqrt(x) if x >= 0.0 else math.nan
EVALUATE[FFLOOR] = _integral(math.floor)
EVALUATE[FCEIL] = _integral(math.ceil)
EVALUATE[FTRUNC] = _integral(math.trunc)
EVALUATE[FNEAREST] = _integral(round)
EVALUATE[ITOF] = float


def evaluate(node):
    """The value under `world`: int, float, or 0 and 1 for a condition."""
    epoch = world.epoch
    if node.epoch == epoch:
        return node.value
    # A loop rather than recursion: a sum over a long list is a long chain.
    todo = [node]
    while todo:
        node = todo[-1]
        if node.epoch == epoch:
            todo.pop()
            continue
        op = node.op
        arity = ARITY[op]
        if arity == 2:
            a, b = node.a, node.b
            if a.epoch != epoch:
                todo.append(a)
                if b.epoch != epoch:
                    todo.append(b)
                continue
            if b.epoch != epoch:
                todo.append(b)
                continue
            node.value = EVALUATE[op](a.value, b.value)
        elif arity == 1:
            a = node.a
            if a.epoch != epoch:
                todo.append(a)
                continue
            node.value = EVALUATE[op](a.value)
        elif arity == 0:
            if op == CONST:
                node.value = node.a
            elif op == FCONST:
                node.value = float(node.a)
            else:
                node.value = world.values[node.a]
        else:
            a = node.a
            if a.epoch != epoch:
                todo.append(a)
                continue
            # Only the arm that counts: the other may have no value.
            arm = node.b if a.value else node.c
            if arm.epoch != epoch:
                todo.append(arm)
                continue
            node.value = arm.value
        node.epoch = epoch
        todo.pop()
    return node.value
