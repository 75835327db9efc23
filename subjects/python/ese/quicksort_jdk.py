"""JDK 1.5 quicksort (Bentley and McIlroy's, with a three-way partition): the pivot is the middle element of pieces below 7,
the median of 3 up to 40 and the median of 9 above. ESE (Aquino et al.), Table I subject `quicksort_jdk`, Table V.

call: quicksort(int[n], 0, n)

Cost `lines`. The paper prints no listing, so how the program is cut into lines is our choice, and the numbers can be compared
with Table V in kind only. Each input costs as much as in ../../ese/quicksort_jdk.c. Below 7 elements the paper's text says
middle pivot, not insertion sort, and only without insertion sort can the published 348 lines at n = 10 be reached; the
variant with it is quicksort_jdk_insertion.py.

Worst case: quadratic. The median of 3 (or 9) can be made the second smallest (or so) of every piece; McIlroy's adversary ("A
killer adversary for quicksort", 1999) builds such an input. The exact optimum is known for small n only, by trying all
inputs. ESE's `Manual` at n = 50, 75, 100 is not the worst case: see the manifest.
"""


def swap(x, a, b):
    x[a], x[b] = x[b], x[a]


def swap_blocks(x, a, b, count):
    for i in range(count):
        swap(x, a + i, b + i)


def median3(x, a, b, c):
    # One line, as in the account of ../../jdk_quicksort.h.
    return (b if x[b] < x[c] else c if x[a] < x[c] else a) if x[a] < x[b] else b if x[c] < x[b] else c if x[c] < x[a] else a


def quicksort(x, off, length):
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
