"""What is only looked at, must not end the program."""

import lazy
from lazy import settings


# call: above(int[n] in 0..=9)
# size: 2
# all: ones(lists(range(10), 2))
def above(xs):
    return lazy.count(xs)


# call: untouched(int in 0..=5)
# all: ones(range(6))
def untouched(x):
    if x >= 3:
        return settings is None
    return True
