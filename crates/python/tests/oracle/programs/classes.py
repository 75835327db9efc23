# call: f(int in 0..=3, int in 0..=3)
def f(a, b):
    class Money:
        __slots__ = ("cents",)

        def __init__(self, cents):
            self.cents = cents

        def __add__(self, other):
            if not isinstance(other, Money):
                return NotImplemented
            return Money(self.cents + other.cents)

        def __radd__(self, other):
            return self if other == 0 else NotImplemented

        def __eq__(self, other):
            return isinstance(other, Money) and self.cents == other.cents

        def __lt__(self, other):
            return self.cents < other.cents

        def __hash__(self):
            return hash(self.cents)

        def __bool__(self):
            return self.cents != 0

        def __repr__(self):
            return f"<{self.cents}>"

        def __format__(self, how):
            return f"{self.cents:{how}}!"

        def __neg__(self):
            return Money(-self.cents)

    x, y = Money(a), Money(b)
    return told((sum([x, y]).cents, x == y, x < y, x != y, len({x, y, Money(2)}), x and 1 or 2, str([x, y]), f"{x:>3}", max(x, y).cents, sorted([y, x])[0].cents, (-x).cents, x in [y], {x: 1}.get(y, 5)))


# call: f(int[3] in 0..=2, int in -1..=3)
def f(xs, k):
    class Row:
        def __init__(self, items):
            self.items = items

        def __len__(self):
            return self.items[0]

        def __getitem__(self, at):
            return self.items[at] * 2

        def __contains__(self, value):
            return value == self.items[1]

        def __iter__(self):
            yield from self.items
            yield -1

        def __call__(self, value):
            return value in self.items

        def __index__(self):
            return self.items[2]

        def __getattr__(self, name):
            return len(name)

    row = Row(xs)
    return told((len(row), row[k], k in row, list(row), row(k), [5, 6, 7][row], row.other, bool(row), list(reversed(row)), "abc"[row:], range(4)[row]))


# call: f(int in 0..=5, int in 0..=2)
def f(n, which):
    from abc import ABC, abstractmethod
    import functools

    class Shape(ABC):
        count = 0

        def __init__(self, size):
            self._size = size
            type(self).count += 1

        @property
        def size(self):
            return self._size

        @size.setter
        def size(self, value):
            if value < 0:
                raise ValueError("negative")
            self._size = value

        @abstractmethod
        def area(self): ...

        @classmethod
        def unit(cls):
            return cls(1)

        @staticmethod
        def twice(x):
            return 2 * x

    class Square(Shape):
        def area(self):
            return self.size ** 2

    class Line(Shape):
        def area(self):
            return 0

        @functools.cached_property
        def length(self):
            return self.twice(self.size)

    shape = [Square, Line, Shape][which](n)
    try:
        shape.size -= 3
    except ValueError as error:
        return told(str(error))
    return told((shape.area(), shape.unit().size, type(shape).count, Shape.count, getattr(shape, "length", -1), isinstance(shape, Square)))


# call: f(int in 0..=4, str[1] in 97..=98)
def f(n, s):
    import enum, functools

    class Color(enum.Enum):
        RED = 0
        GREEN = 1
        BLUE = 3

    class Level(enum.IntEnum):
        LOW = 1
        HIGH = 4

    @functools.singledispatch
    def kind(value):
        return "other"

    @kind.register
    def _(value: int):
        return "int" + str(value)

    @kind.register
    def _(value: str):
        return "str" + value

    try:
        color = Color(n).name
    except ValueError:
        color = "none"
    return told((color, Level.HIGH == n, n < Level.LOW, kind(n), kind(s), kind(None), Level(4) - n))


# call: f(int in 0..=3, int in 0..=3)
def f(a, b):
    class Count(int):
        def __add__(self, other):
            return Count(int(self) * 10 + other)

    class Words(str):
        def shout(self):
            return self.upper() + "!"

    class Stack(list):
        def push(self, value):
            self.append(value)
            return self

    class Default(dict):
        def __missing__(self, key):
            self[key] = key * 2
            return self[key]

    table = Default({1: 5})
    return told((Count(a) + b, b + Count(a), Count(2) < a, Words("ab").shout(), Stack([a]).push(b)[::-1], table[a], table[b], len(table), table))


# call: f(int[4] in 0..=2)
def f(xs):
    from typing import NamedTuple
    from functools import total_ordering

    class Job(NamedTuple):
        start: int
        end: int

        def length(self):
            return self.end - self.start

    @total_ordering
    class Version:
        def __init__(self, *parts):
            self.parts = parts

        def __eq__(self, other):
            return self.parts == other.parts

        def __lt__(self, other):
            return self.parts < other.parts

    jobs = sorted([Job(xs[0], xs[1]), Job(xs[2], xs[3])], key=lambda job: (job.end, job.start))
    a, b = Version(*xs[:2]), Version(*xs[2:])
    return told((jobs, jobs[0].length(), jobs[0]._replace(end=5), a <= b, a >= b, a > b, jobs[0] == (0, 1), Job(*xs[1:3]) in jobs))


# call: f(int[3] in 0..=2)
def f(xs):
    class Node:
        def __init__(self, value, left=None, right=None):
            self.value, self.left, self.right = value, left, right

        def insert(self, value):
            side = "left" if value < self.value else "right"
            child = getattr(self, side)
            if child is None:
                setattr(self, side, Node(value))
            else:
                child.insert(value)

        def __iter__(self):
            if self.left:
                yield from self.left
            yield self.value
            if self.right:
                yield from self.right

    root = Node(1)
    for x in xs:
        root.insert(x)
    return told((list(root), vars(root)["value"], root.__dict__.keys() >= {"left"}))


# call: f(int in -1..=3, int in 0..=3)
def f(a, b):
    class Checked:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, instance, owner):
            return getattr(instance, self.name)

        def __set__(self, instance, value):
            if not 0 <= value < 3:
                raise ValueError(self.name)
            setattr(instance, self.name, value)

    class Meta(type):
        def __call__(cls, *arguments):
            made = super().__call__(*arguments)
            made.made = True
            return made

    class Pair(metaclass=Meta):
        left = Checked()
        right = Checked()

        def __init__(self, left, right):
            self.left = left
            self.right = right

        def __enter__(self):
            self.left = self.right
            return self

        def __exit__(self, kind, error, trace):
            return kind is ValueError

        def __ior__(self, other):
            self.right = self.right | other
            return self

    pair = Pair(a, b)
    with pair as inner:
        inner |= a
        inner.left += 1
    return told((pair.left, pair.right, pair.made))


# call: f(int in 0..=3, int in 0..=3)
def f(a, b):
    class Key:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return self.n == other.n

        def __hash__(self):
            return self.n % 2

        def __int__(self):
            return self.n

        def __float__(self):
            return float(self.n)

        def __str__(self):
            return "k" * self.n

        def __len__(self):
            return self.n

        def __rsub__(self, other):
            return other - self.n

        def __matmul__(self, other):
            return self.n * other

        def __round__(self, digits=None):
            return self.n if digits is None else -self.n

        def __divmod__(self, other):
            return (self.n, other)

    table = {Key(a): 1}
    table[Key(b)] = 2
    return told((len(table), Key(2) in table, int(Key(a)), float(Key(b)), str(Key(a)), len(Key(b)), 5 - Key(a), Key(a) @ b, round(Key(a)), round(Key(b), 1), divmod(Key(a), b), "%d" % a, "%s" % Key(b)))


# call: f(int in 0..=3, str[1] in 48..=50)
def f(a, s):
    from decimal import Decimal
    import datetime

    class Price(Decimal):
        def __new__(cls, value, rate=1):
            made = super().__new__(cls, value)
            made.rate = rate
            return made

    class Amount(Decimal):
        pass

    class Day(datetime.date):
        pass

    class Parsed(int):
        pass

    class Named(str):
        def startswith(self, prefix):
            return super().startswith(prefix)

        def join(self, parts):
            return super().join(parts)

    class Kept(list):
        def append(self, item):
            super().append(item)
            super().extend([item] * item)

    kept = Kept([a])
    kept.append(a)
    return told((str(Price(a, s) + 1), Price(s).rate, str(Amount(a) * 2), Day(2020, a + 1, 2).isoformat(), Parsed(s) + 1,
                 Named("012").startswith(s), Named("-").join([s, s]), kept))


# call: f(str[3] in 97..=98, int in 0..=2, int in 0..=2)
def f(s, a, b):
    # Nothing is known of the lines that follow what C made of three values in one line.
    text = "%*s|%d" % (a, s, b)
    space = " "
    first = text[0] is space
    if a is b:
        first += 2
    return told((text, first, s[0] is s[1], s is not s[:], (a == 1) is (b == 1)))


# call: f(int in 0..=2, bool)
def f(n, flag):
    class Half:
        def __init__(self, a):
            self.a = a

        def __eq__(self, other):
            if not isinstance(other, Half):
                return NotImplemented
            return self.a == other.a

    class Down:
        def __init__(self, a):
            self.a = a

        def __iter__(self):
            return self

        def __next__(self):
            self.a -= 1
            if self.a < 0:
                raise StopIteration
            return self.a

    # What is known of the flag from here on is a number that C would have to compare.
    known = 1 if flag else 2
    return told((max(-2.0, flag, n), min(flag, 0.5), flag + 0.5, 0.5 - flag, Half(n) != n, n != Half(n), flag == Half(1), sum(Down(n)), known))


# call: f(int in 0..=3)
def f(n):
    # A comprehension that an exception leaves cleans up on its line.
    try:
        return told([later + n // k for k in (1, n) for later in (n, later)])
    except (UnboundLocalError, ZeroDivisionError):
        return 1
