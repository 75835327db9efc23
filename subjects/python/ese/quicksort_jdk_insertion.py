"""JDK 1.5 quicksort as released: insertion sort below 7 elements. See quicksort_jdk.py, which is the variant that the ESE
paper describes.

call: quicksort(int[n], 0, n)

Cost `lines`. Each input costs as much as in ../../ese/quicksort_jdk_insertion.c.
"""

from quicksort_jdk import median3, swap, swap_blocks


def quicksort(x, off, length):
    if length < 7:
        for i in range(off, off + length):
            j = i
            while j > off and x[j] < x[j - 1]:
                swap(x, j, j - 1)
                j -= 1
        return
    m = off + length // 2
    if length > 7:
        first = off
        last = off + length - 1
        if length > 40:
            s = length // 8
            first = median3(x, first, first + s, first + 2 * s)
            m = median3(x, m - s, m, m + s)
            last = median3(x, last - 2 * s, last - s, last)
        m = median3(x, first, m, last)
    v = x[m]
    a = b = off
    c = off + length - 1
    d = c
    while True:
        while b <= c and x[b] <= v:
            if x[b] == v:
                swap(x, a, b)
                a += 1
            b += 1
        while c >= b and x[c] >= v:
            if x[c] == v:
                swap(x, c, d)
                d -= 1
            c -= 1
        if b > c:
            break
        swap(x, b, c)
        b, c = b + 1, c - 1
    end = off + length
    s = min(a - off, b - a)
    swap_blocks(x, off, b - s, s)
    s = min(d - c, end - d - 1)
    swap_blocks(x, b, end - s, s)
    s = b - a
    if s > 1:
        quicksort(x, off, s)
    s = d - c
    if s > 1:
        quicksort(x, end - s, s)
