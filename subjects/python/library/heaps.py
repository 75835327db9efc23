"""heapq in Python: heaps of n numbers.

call: heapify(int[n])
call: push_all(int[n])
call: heap_sort(int[n])
call: nsmallest(3, int[n])
call: merge(int[n], int[n])

Worst cases known: pushing a descending list lets every number rise to the top, n log n; heapify is linear on every list.
"""

from pure import pure

heapq = pure("heapq", "_heapq")


def heapify(values: list[int]):
    heapq.heapify(values)


def push_all(values: list[int]):
    heap = []
    for value in values:
        heapq.heappush(heap, value)


def heap_sort(values: list[int]) -> list[int]:
    heapq.heapify(values)
    return [heapq.heappop(values) for _ in range(len(values))]


def nsmallest(count: int, values: list[int]) -> list[int]:
    return heapq.nsmallest(count, values)


def merge(left: list[int], right: list[int]) -> list[int]:
    return list(heapq.merge(sorted(left), sorted(right)))
