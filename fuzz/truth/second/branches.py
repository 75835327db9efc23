"""More conditions, written before any of these programs was run."""


# call: fever(int in 30..=45)
# all: ones(range(30, 46))
def fever(t):
    if not t < 38:
        if t >= 42:
            return "danger"
        return "fever"
    if t != 37:
        return "low" if t <= 35 else "fine"
    return "normal"


# call: different(int in -2..=2, int in -2..=2, int in -2..=2)
# all: product(range(-2, 3), repeat=3)
# paths: 400
def different(a, b, c):
    if a != b != c:
        if a != c:
            return 3
        return 2
    return 1


# call: refused(str[n] in 'x'..='z')
# size: 2
# all: ones(texts("xyz", 2))
def refused(text):
    if not text:
        return None
    if not text.endswith("y"):
        return text[0] != "x"
    return text


# call: window(float in -2..=2, float in -2..=2)
# some: product([-2.0, -0.5, 0.0, 0.25, 1.0, 2.0], repeat=2)
def window(x, y):
    if x >= y:
        if x != y:
            return 1
        return 0
    if y - x <= 0.5:
        return -1
    return -2


# call: countdown(int in -3..=12)
# all: ones(range(-3, 13))
def countdown(x):
    steps = 0
    while not x <= 0:
        x -= 2 if x != 5 else 5
        steps += 1
    return steps


# call: bits(int in 0..=255)
# all: ones(range(256))
# paths: 400
def bits(x):
    n = 0
    while x != 0:
        if x & 1 != 0:
            n += 1
        x >>= 1
    return n


# call: impossible(int in 0..=100)
# all: ones(range(101))
def impossible(x):
    if x % 2 != 0:
        if x % 4 == 2:
            return -1
        return 1
    if x > 100:
        return -2
    return 0


# call: both(bool, bool, bool)
# all: product((False, True), repeat=3)
def both(a, b, c):
    if not (a and b) or not c:
        if a != b:
            return 1
        return 2
    return 3


# call: negated(int in -5..=5)
# all: ones(range(-5, 6))
def negated(x):
    y = -x
    assert y <= 5
    if not y >= -4:
        return "edge"
    if not -y != 0:
        return "zero"
    return "rest"


# call: ordered(int[n] in 0..=3)
# size: 3
# all: ones(lists(range(4), 3))
def ordered(xs):
    for a, b in zip(xs, xs[1:]):
        if not a <= b:
            return False
    return True


# call: outer(int in 0..=12)
# all: ones(range(13))
def outer(x):
    for i in range(2, 5):
        if x % i != 0:
            continue
        if x // i >= 3:
            break
    else:
        return None
    return i


# call: until(str[n] in 'a'..='b' | ';')
# size: 3
# all: ones(texts("ab;", 3))
def until(text):
    at = 0
    while at < len(text) and text[at] != ";":
        at += 1
    return at


# call: smallest(int, int)
# some: product([-7, -1, 0, 1, 7, 2**31 - 1], repeat=2)
def smallest(a, b):
    if not a >= b:
        return a
    if a != b:
        return b
    return None


# call: distance(int in -8..=8, int in -8..=8)
# all: product(range(-8, 9), repeat=2)
# paths: 400
def distance(a, b):
    d = abs(a - b)
    if d >= 12:
        return "far"
    if not d != 0:
        return "same"
    return "near" if d <= 3 else "some"
