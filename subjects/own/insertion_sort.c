/* Insertion sort of n numbers, the plainest quadratic program.
 *
 * call: sort(i32[n], n)
 *
 * Worst case: strictly decreasing numbers. Element i is compared with all i elements before it and moves to the front, so there are
 * n(n-1)/2 comparisons and as many moves; no input does more, because element i has only i elements before it.
 * Every order of distinct numbers takes a path of its own and ties follow one of them: n! paths.
 */
#include "subject.h"

EXPORT("sort") void sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i];
        int j = i;
        while (j > 0) {
            if (!(x < a[j - 1])) break;
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}
