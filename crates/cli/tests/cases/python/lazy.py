import collections.abc
from contextlib import contextmanager


def numbers(n: int):
    for i in range(n):
        yield i


async def waits(n: int):
    return n


@contextmanager
def within(n: int):
    yield n


def used(n: int) -> bool:
    return isinstance(list(numbers(n & 3)), collections.abc.Sequence)
