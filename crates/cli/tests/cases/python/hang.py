"""3 hangs in C, where nothing is counted; of the others 5 costs most."""
import collections
import itertools


def f(x: int) -> int:
    if x == 3:
        collections.deque(itertools.repeat(0), maxlen=0)
    n = 0
    while n < x:
        n += 1
    return n
