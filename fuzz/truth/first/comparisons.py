"""Conditions of every kind, each of which some input decides either way."""


# call: sign(int)
# some: ones([-5, -1, 0, 1, 7])
def sign(x: int) -> int:
    if x >= 1:
        return 1
    if x != 0:
        return -1
    return 0


# call: inside(int in -9..=9, int in -9..=9)
# all: product(range(-9, 10), repeat=2)
def inside(low: int, x: int) -> str:
    if not x >= low:
        return "below"
    if x <= low + 3:
        return "near"
    return "above"


# call: quadrant(int in -3..=3, int in -3..=3)
# all: product(range(-3, 4), repeat=2)
def quadrant(x, y):
    if x != 0 and y != 0:
        return 1 if x > 0 else 2
    elif not (x <= 0):
        return 3
    return 0


# call: leap(int in 1890..=2010)
# all: ones(range(1890, 2011))
def leap(year: int) -> bool:
    if year % 400 != 0:
        if year % 100 != 0:
            return year % 4 == 0
        return False
    return True


# call: letter(str[1])
# all: texts([chr(c) for c in range(1, 128)], 1)
def letter(c: str) -> int:
    if c != "q":
        if c <= "A":
            return 1
        return 2
    return 3


# call: between(float)
# some: ones([0.0, 0.5, 1.0, 2.0, -3.0, float("nan"), float("inf")])
def between(x: float) -> str:
    if not x <= 1.0:
        return "more"
    if x != 0.5:
        return "other"
    return "half"


# call: none_of(int in 0..=20)
# all: ones(range(21))
def none_of(x):
    while x >= 5:
        if x != 7:
            x -= 3
        else:
            return -1
    return x


# call: shorter(str[n] in 'a'..='b', str[n] in 'a'..='b')
# size: 3
# all: product(texts("ab", 3), texts("ab", 3))
def shorter(a, b):
    for x, y in zip(a, b):
        if x != y:
            return x >= y
    return None


# call: weekday(int in 0..=9)
# all: ones(range(10))
def weekday(day):
    if day >= 7:
        raise ValueError("no day")
    if not day <= 4:
        return "weekend"
    return "work"


# call: never(int in 0..=30)
# all: ones(range(31))
def never(x):
    if x * 2 >= 1:
        if x <= -1:
            return 1
        if x * x == 2:
            return 2
    return 3


# call: chained(int in -4..=4, int in -4..=4, int in -4..=4)
# all: product(range(-4, 5), repeat=3)
# paths: 600
def chained(a, b, c):
    if a <= b <= c:
        return 1
    if not (a >= b or b >= c):
        return 2
    return 3


# call: signed(bool, int in -1..=1)
# all: product((False, True), (-1, 0, 1))
def signed(negative, x):
    if negative and x != -1:
        return -x
    if not negative or x >= 0:
        return x
    return 0


# call: clamp(int, int in 0..=5)
# some: product([-8, -1, 0, 1, 4, 5, 6, 90], range(6))
def clamp(x, top):
    if x <= 0:
        return 0
    if x >= top:
        return top
    return x


# call: first_other(int[n] in 0..=2)
# size: 3
# all: ones(lists(range(3), 3))
def first_other(xs):
    for at, x in enumerate(xs):
        if x != xs[0]:
            return at
    return -1
