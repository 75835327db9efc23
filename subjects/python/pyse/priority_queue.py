"""A priority queue of n values: each is put at the end of a binary heap and rises while it is less than its parent. PySE
(Koo et al.), benchmark 3, Table I.

call: enqueue_all(int[n])        returns the heap

Cost `decisions`: comparisons of two values.
Worst case: a descending list, in which every value rises to the top: the sum of floor(log2 i) over i <= n. It is the optimum,
since the i-th value has no more ancestors. Each value has as many paths as ancestors and one more: the product over i of
floor(log2 i) + 1, as published.
"""


def enqueue_all(values):
    heap = []
    for value in values:
        at = len(heap)
        heap.append(value)
        while at > 0 and value < heap[(at - 1) // 2]:
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = value
    return heap
