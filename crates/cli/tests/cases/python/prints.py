import sys


def f(x: int) -> int:
    print("x is", "large" if x > 100 else "small")
    print("told", file=sys.stderr)
    return 2 * x
