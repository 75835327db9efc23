/* Top-down merge sort. ESE (Aquino et al.), Table I subject `merge_sort`, Table V.
 *
 * call: merge_sort(i32[n], n, out i32[3*n])
 *
 * Cost `user`: one per executed line of the Python original. The paper prints no listing; this one (textbook version with slices,
 * `left < right`, two loops for the rests) gives all four Manual values of Table V.
 *
 * Worst case: all merges of `size` elements make size-1 comparisons at once, that is, each ends with one element left over.
 * A leaf costs 1 line, an inner call 11+5*size at worst, in all 5 S + 12 n - 11 with S = n c - 2^c + n, c = ceil(log2 n): the sum of the sizes.
 * It is the optimum: a merge cannot make more comparisons and each element left over instead costs one line less than a
 * compared one (brute force over all orders up to n = 9). n! paths.
 */
#include "subject.h"

static void sort(int *a, int n, int *scratch) {
    LINE; if (n > 1) {
        LINE; int mid = n / 2;
        LINE; int *left = scratch;
        LINE; int *right = scratch + mid;
        for (int i = 0; i < n; i++) scratch[i] = a[i]; /* the slices: no line of their own */
        LINE; sort(left, mid, scratch + n);
        LINE; sort(right, n - mid, scratch + n);
        LINE; int i = 0;
        LINE; int j = 0;
        LINE; int k = 0;
        for (;;) {
            LINE; if (!(i < mid && j < n - mid)) break;
            LINE; if (left[i] < right[j]) {
                LINE; a[k] = left[i];
                LINE; i++;
            } else {
                LINE; a[k] = right[j];
                LINE; j++;
            }
            LINE; k++;
        }
        while (LINE, i < mid) {
            LINE; a[k] = left[i];
            LINE; i++;
            LINE; k++;
        }
        while (LINE, j < n - mid) {
            LINE; a[k] = right[j];
            LINE; j++;
            LINE; k++;
        }
    }
}

/* `scratch` holds the slices of one branch of the recursion: n + ceil(n/2) + ... <= 3 n numbers. */
EXPORT("merge_sort") void merge_sort(int *a, int n, int *scratch) {
    sort(a, n, scratch);
}
