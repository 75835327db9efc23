"""Methods, constructors that refuse, generators, exceptions."""

from dataclasses import dataclass


class Account:
    def __init__(self, balance: int):
        if balance < 0:
            raise ValueError("debt")
        self.balance = balance

    # call: Account(int in -9..=-1).draw(int in 0..=3)
    # all: product(range(-9, 0), range(4))
    # make: lambda b, x: (lambda: Account(b).draw(x), ())
    # runs: cover
    def draw(self, amount: int) -> int:
        if amount > self.balance:
            return 0
        self.balance -= amount
        return amount


@dataclass
class Point:
    x: int
    y: int


# call: raises(int in -2..=2)
# all: ones(range(-2, 3))
def raises(x):
    try:
        y = 10 // x
    except ZeroDivisionError:
        return 0
    if y <= -5:
        return 1
    return 2


# call: index(int in 0..=5)
# all: ones(range(6))
def index(x):
    table = ["a", "b", "c"]
    return table[x]


# call: generated(int in 0..=6)
# all: ones(range(7))
def generated(n):
    def numbers():
        for i in range(n):
            if i != 3:
                yield i
    return sum(numbers())


# call: finished(int in 0..=4)
# all: ones(range(5))
def finished(x):
    try:
        if x >= 3:
            return 1
        if x != 1:
            raise KeyError(x)
        return 2
    except KeyError:
        return 3
    finally:
        x += 1


# call: matched(int in 0..=9)
# all: ones(range(10))
def matched(x):
    match x % 4:
        case 0:
            return "zero"
        case 1 | 2:
            return "few"
        case _:
            return "many"


# call: recursive(int in 0..=7)
# all: ones(range(8))
def recursive(x):
    if x <= 1:
        return 1
    return recursive(x - 1) + recursive(x - 2)


# call: words(str[n] in 'a' | ' ')
# size: 4
# all: ones(texts("a ", 4))
def words(text):
    count, inside = 0, False
    for c in text:
        if c != " ":
            if not inside:
                count += 1
            inside = True
        else:
            inside = False
    return count


# call: comprehension(int[n] in -2..=2)
# size: 3
# all: ones(lists(range(-2, 3), 3))
def comprehension(xs):
    return [x for x in xs if x >= 0 if x != 1]


# call: parsed(str[n] in '0'..='2' | '-')
# size: 2
# all: ones(texts("012-", 2))
def parsed(text):
    if text[0] == "-":
        return -int(text[1]) if text[1] != "-" else None
    return int(text[0])
