import sys


def f(x: int) -> int:
    if x > 5:
        sys.exit(2)
    return x
