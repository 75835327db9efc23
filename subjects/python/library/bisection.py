"""bisect in Python: a sorted list of n numbers, made by inserting one after the other.

call: insert_all(int[n])
call: place(int[n], int)

A search of k numbers makes floor(log2 k) comparisons or one more.
"""

from pure import pure

bisect = pure("bisect", "_bisect")


def insert_all(values: list[int]) -> list[int]:
    ordered = []
    for value in values:
        bisect.insort(ordered, value)
    return ordered


def place(values: list[int], value: int) -> int:
    values.sort()
    return bisect.bisect_left(values, value)
