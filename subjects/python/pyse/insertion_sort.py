"""Insertion sort. PySE (Koo et al.), benchmark 2, Table I.

call: sort(int[n])

Cost `decisions`: comparisons of two values.
Worst case: a descending list; element i passes all i before it: n(n-1)/2. It is the optimum, since there are no more to
pass. n! paths.
"""


def sort(values):
    for i in range(1, len(values)):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
