"""Top-down merge sort. ESE (Aquino et al.), Table I subject `merge_sort`, Table V.

call: merge_sort(int[n])

Cost `lines`. The paper prints no listing; this one (textbook version with slices, `left < right`, two loops for the rests)
gives all four Manual values of Table V.

Worst case: all merges of `size` elements make size-1 comparisons at once, that is, each ends with one element left over.
A leaf costs 1 line, an inner call 11+5*size at worst, in all 5 S + 12 n - 11 with S = n c - 2^c + n, c = ceil(log2 n): the
sum of the sizes. It is the optimum: a merge cannot make more comparisons, and each element left over instead costs one line
less than a compared one (brute force over all orders up to n = 9). n! paths.
"""


def merge_sort(values):
    if len(values) > 1:
        mid = len(values) // 2
        left = values[:mid]
        right = values[mid:]
        merge_sort(left)
        merge_sort(right)
        i = 0
        j = 0
        k = 0
        while i < len(left) and j < len(right):
            if left[i] < right[j]:
                values[k] = left[i]
                i += 1
            else:
                values[k] = right[j]
                j += 1
            k += 1
        while i < len(left):
            values[k] = left[i]
            i += 1
            k += 1
        while j < len(right):
            values[k] = right[j]
            j += 1
            k += 1
