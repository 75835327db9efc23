"""Small functions for `cover`: each with the call, and all inputs of it as an expression."""

from collections import deque
from dataclasses import dataclass


# le(int in -3..=3) | ints(1)
def le(a):
    if a <= 0:
        return 0
    return 3


# ge(int in -3..=3) | ints(1)
def ge(a):
    if a >= 2:
        return 0
    return 3


# ne(int in -3..=3) | ints(1)
def ne(a):
    if a != 3:
        return 0
    return 3


# lt(int in -3..=3) | ints(1)
def lt(a):
    if a < -2:
        return 0
    return 3


# gt(int in -3..=3) | ints(1)
def gt(a):
    return 1 if a > 2 else 0


# eq(int in -3..=3) | ints(1)
def eq(a):
    return 1 if a == 2 else 0


# truth(int in -3..=3) | ints(1)
def truth(a):
    if a:
        return 0
    return 3


# falsehood(int in -3..=3) | ints(1)
def falsehood(a):
    if not a:
        return 0
    return 3


# never(int in -3..=3) | ints(1)
def never(a):
    if a >= 4:
        return 0
    if a * a < 0:
        return 1
    if a != a:
        return 2
    return 3


# three(int in -3..=3, int in -3..=3, int in -3..=3) | ints(3)
def three(a, b, c):
    if a <= 0:
        return 0
    if b <= 0:
        return 1
    if c <= 0:
        return 2
    return 3


# triangle(int in 0..=4, int in 0..=4, int in 0..=4) | naturals(3, 4)
def triangle(a, b, c):
    if a <= 0 or b <= 0 or c <= 0:
        return "no"
    if not (a + b > c and b + c > a and a + c > b):
        return "none"
    if a == b == c:
        return "equilateral"
    if a != b and b != c and a != c:
        return "scalene"
    return "isosceles"


# chained(int in -3..=3, int in -3..=3) | ints(2)
def chained(a, b):
    if -1 <= a < b <= 2:
        return 1
    if a >= b != 0:
        return 2
    return 3


# negated(int in -3..=3, int in -3..=3) | ints(2)
def negated(a, b):
    if not a <= b:
        return 1
    if not (a >= b):
        return 2
    return not a != -b


# sums(int in -3..=3, int in -3..=3) | ints(2)
def sums(a, b):
    k = 0
    if a > 0:
        k += 1
    if b > 0:
        k += 2
    if k == 3:
        return "both"
    return "first" if k == 1 else "second"


# known(int in -3..=3, int in -3..=3) | ints(2)
def known(a, b):
    k = 0
    if a > 0:
        k += 1
    if b > 0:
        k += 2
    return 7 if k == 0 else 8


# known_last(int in -3..=3, int in -3..=3) | ints(2)
def known_last(a, b):
    k = 0
    if a > 0:
        k += 1
    if b > 0:
        k += 2
    return 7 if k == 3 else 8


# pairs(bool, bool) | truths(2)
def pairs(a, b):
    if (a, 1) == (True, 2):
        return 1
    if [a] != [b]:
        return 2
    if (a, b) < (b, True):
        return 3
    return 4


# both(bool, bool) | truths(2)
def both(a, b):
    if a and not b:
        return 1
    if a is True or b is False:
        return 2
    return a == b


# exclusive(bool, bool, bool) | truths(3)
def exclusive(a, b, c):
    if a ^ b:
        return 1
    if a | b and not c:
        return 2
    if (a & c) != b:
        return 3
    return 4


# arithmetic(int in -3..=3, int in -3..=3) | ints(2)
def arithmetic(a, b):
    try:
        if a // b >= 1:
            return 1
        if a % b != 0:
            return 2
    except ZeroDivisionError:
        return 3
    return 4


# absolute(int in -3..=3) | ints(1)
def absolute(a):
    if abs(a) >= 3:
        return 1
    if -a >= 2:
        return 2
    if a ** 2 <= 1:
        return 3
    return 4


# extremes(int in -3..=3, int in -3..=3) | ints(2)
def extremes(a, b):
    if max(a, b) <= 0:
        return 1
    if min(a, b) != 1:
        return 2
    return 3


# shifts(int in 0..=7) | naturals(1, 7)
def shifts(a):
    if a >> 1 & 1:
        return 1
    if a << 2 >= 20:
        return 2
    if (a ^ 1) != 0:
        return 3
    return 4


# loop(int in -3..=3) | ints(1)
def loop(a):
    n = 0
    while n <= a:
        n += 1
    else:
        n -= 1
    return n


# rounds(int in 0..=3) | naturals(1, 3)
def rounds(a):
    n = 0
    for i in range(a):
        if i >= 2:
            break
        n += i
    else:
        return n
    return -1


# bubble(int[3] in 0..=2) | rows(3, 2)
def bubble(xs):
    n = 0
    for i in range(len(xs) - 1):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
                n += 1
        if n <= 0:
            return 0
    return n


# contains(int[3] in 0..=2, int in 0..=3) | ((r, a) for (r,) in rows(3, 2) for a in range(4))
def contains(xs, a):
    if a in xs:
        return 1
    if a not in (0, 3):
        return 2
    return 3


# squares(int[3] in 0..=2) | rows(3, 2)
def squares(xs):
    if any(x >= 2 for x in xs):
        return 1
    if not all(x != 0 for x in xs):
        return 2
    return sum(1 for x in xs if x <= 1)


# picked(int[3] in 0..=2) | rows(3, 2)
def picked(xs):
    n = 0
    for x in filter(None, xs):
        if x != 1:
            n += 1
    for x in [x for x in xs if not x]:
        n += 1 if n >= 2 else 2
    return n


# ordered(int[3] in 0..=2) | rows(3, 2)
def ordered(xs):
    if sorted(xs) == xs:
        return 1
    if xs != xs[::-1]:
        return 2
    return 3


# queue(int[3] in 0..=2) | rows(3, 2)
def queue(xs):
    left = deque(xs)
    n = 0
    while left:
        if left.popleft() >= 1 and left:
            left.pop()
            n += 1
    return n


# table(int[3] in 0..=2) | rows(3, 2)
def table(xs):
    seen = {}
    for x in xs:
        if x not in seen:
            seen[x] = 0
        seen[x] += 1
        if seen[x] >= 3:
            return 3
    return len(seen)


# letter(str[1] in 97..=99) | texts(1)
def letter(s):
    if s != "b":
        return 1
    return 2


# letters(str[2] in 97..=99) | texts(2)
def letters(s):
    n = 0
    for c in s:
        if c <= "a":
            n += 1
        elif c != "b":
            n += 2
    if n >= 4:
        return n
    return -n


# words(str[3] in 97..=99) | texts(3)
def words(s):
    if s.startswith("ab"):
        return 1
    if not s.endswith("c"):
        return 2
    if "bb" in s:
        return 3
    if s.find("a") >= 1:
        return 4
    return 5


# compared(str[2] in 97..=99, str[2] in 97..=99) | ((s, t) for (s,) in texts(2) for (t,) in texts(2))
def compared(s, t):
    if s >= t:
        return 1
    if s[0] != t[1]:
        return 2
    if s + "c" == t:
        return 3
    return 4


# cases(int in -3..=3) | ints(1)
def cases(a):
    match a:
        case 0:
            return 1
        case 1 | 2:
            return 2
        case n if n <= -2:
            return 3
        case _:
            return 4


# asserted(int in -3..=3) | ints(1)
def asserted(a):
    assert a != 2, "two"
    if a <= 2:
        return 1
    return 2


# raised(int in -3..=3) | ints(1)
def raised(a):
    try:
        if a >= 2:
            raise ValueError(a)
        if a != 0:
            raise KeyError(a)
    except ValueError:
        return 1
    except KeyError as error:
        return 2 if error.args[0] <= 0 else 3
    finally:
        a = 0
    return 4


# walrus(int in -3..=3) | ints(1)
def walrus(a):
    if (b := a + 1) != 3 and (c := b * 2) >= 2:
        return c
    return b


# choice(int in -3..=3, int in -3..=3) | ints(2)
def choice(a, b):
    x = a or b
    y = a and b
    z = a if a != b else x
    return x != y or z <= 0


# Counter(int in 0..=2).add(int in 0..=2) | naturals(2, 2)
class Counter:
    def __init__(self, n):
        if n >= 2:
            raise ValueError(n)
        self.n = n

    def __bool__(self):
        return self.n != 0

    def __eq__(self, other):
        return self.n <= other.n and other.n <= self.n

    def add(self, k):
        if self:
            return self.n + k
        if self == Counter(0) and k >= 2:
            return -1
        return k


# Fixed(int in 0..=2).get(int in 0..=2) | naturals(2, 2)
class Fixed:
    def __new__(cls, k):
        if k != 1:
            return object.__new__(cls)
        raise ValueError(k)

    def get(self, x):
        if x != 1:
            return x
        return 0


@dataclass
class Point:
    x: int
    y: int

    def __post_init__(self):
        if self.x >= 3:
            self.x = 0


# manhattan(Point) | points()
def manhattan(p: "Point"):
    if p.x != 1 and p.y <= 0:
        return 0
    return p.x + p.y


def helper(a):
    return a >= 2


# calls(int in -3..=3) | ints(1)
def calls(a):
    if helper(a):
        return 1
    while not helper(a) and a != 1:
        a += 1
    return (lambda x: 1 if x != 1 else 2)(a)


# generated(int in 0..=3) | naturals(1, 3)
def generated(a):
    def each():
        n = 0
        while n != a:
            yield n
            n += 1

    total = 0
    for x in each():
        if x >= 2:
            total += 10
        total += x
    return total


# floats(float) | ((x,) for x in SAMPLES)
def floats(x):
    if x <= 0.5:
        return 1
    if x != 2.5:
        return 2
    return 3


# nans(float) | ((x,) for x in SAMPLES)
def nans(x):
    if x != x:
        return 1
    if not x:
        return 2
    if not x >= -1.0:
        return 3
    return 4


# floats2(float, float) | ((x, y) for x in SAMPLES for y in SAMPLES)
def floats2(x, y):
    if x + y >= 4.0 and x < y:
        return 1
    return 2 if x != y else 3


# data(bytes[2] in 0..=2) | ((bytes(row),) for (row,) in rows(2, 2))
def data(b):
    if b[0] != 1:
        return 1
    if b[1] >= 2:
        return 2
    return 3
