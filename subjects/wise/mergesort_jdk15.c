/* The merge sort of java.util.Arrays for objects in JDK 1.5. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: sort(i32[n], n, out i32[n])
 *
 * Cost `branches`. Copying an array is one instruction here, as it is library code there.
 * Worst case: T(n) = n^2 + n + 2 for n <= 6 (insertion sort of decreasing values), T(n) = 4 n + 2 + T(floor(n/2)) + T(ceil(n/2)) above: both
 * halves at their worst and the right half used up last. 106, 206 at 10, 15 as published; 294, 534 at 20, 30, which WISE could not finish.
 * It is the optimum: an output takes at most 3 tests (q >= high, p < mid, compare) and the loop's own.
 * Paths: n!.
 *
 * Differs from the original: elements are numbers compared with <=, where WISE's compareTo subtracts (and overflows).
 */
#include "subject.h"

static void swap(int *x, int a, int b) {
    int t = x[a];
    x[a] = x[b];
    x[b] = t;
}

/* Copies count numbers without a branch. */
__attribute__((target("bulk-memory"))) static void copy(int *to, const int *from, int count) {
    __builtin_memcpy(to, from, sizeof(int) * (unsigned)count);
}

/* Sorts dest[low..high); src holds the same numbers there. */
static void merge_sort(int *src, int *dest, int low, int high) {
    int length = high - low;
    if (length < 7) {
        for (int i = low; i < high; i++) {
            for (int j = i; j > low; j--) {
                if (dest[j - 1] <= dest[j]) break;
                swap(dest, j, j - 1);
            }
        }
        return;
    }
    int mid = (low + high) / 2;
    merge_sort(dest, src, low, mid);
    merge_sort(dest, src, mid, high);
    if (src[mid - 1] <= src[mid]) {
        copy(dest + low, src + low, length);
        return;
    }
    int p = low, q = mid;
    for (int i = low; i < high; i++) {
        if (q >= high || (p < mid && src[p] <= src[q])) dest[i] = src[p++];
        else dest[i] = src[q++];
    }
}

/* `scratch` is room for n numbers. */
EXPORT("sort") void sort(int *a, int n, int *scratch) {
    copy(scratch, a, n);
    merge_sort(scratch, a, 0, n);
}
