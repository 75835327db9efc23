/* Inputs as array indices, after IntArrayWithoutExceptions and BinSearchError of the Roops benchmarks in EvoSuite's hybrid search
 * (Galeotti et al., 2013), Table IV. Our own conditions.
 *
 * call: index_chain(i32[n], n, i32)         follows indices stored in the array; leaves 0..=4
 * call: binary_search(i32[n], n, i32)       the place of a key in a sorted array, or -1; -2 if the array is not sorted
 * call: two_indices(i32[n], n, i32, i32)    compares two elements chosen by the input; leaves 0..=4
 *
 * Goal: cover every branch; n >= 4 makes all leaves reachable. An index that is an input is an address that is an input.
 */
#include "subject.h"

EXPORT("index_chain") int index_chain(const int *a, int n, int start) {
    int at = start;
    for (int step = 0; step < 3; step++) {
        if (at < 0 || at >= n) {
            if (step == 0) return 1;
            return 2;
        }
        if (a[at] == at) return 3; /* a fixed point */
        at = a[at];
    }
    if (at == start) return 4; /* a cycle */
    return 0;
}

EXPORT("binary_search") int binary_search(const int *a, int n, int key) {
    for (int i = 1; i < n; i++) {
        if (a[i - 1] > a[i]) return -2;
    }
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (a[middle] < key) low = middle + 1;
        else if (a[middle] > key) high = middle - 1;
        else return middle;
    }
    return -1;
}

EXPORT("two_indices") int two_indices(const int *a, int n, int i, int j) {
    if (i < 0 || i >= n || j < 0 || j >= n) return 1;
    if (i == j) return 2;
    if (a[i] == a[j] + 1000) {
        if (i + j == n - 1) return 3;
        return 4;
    }
    return 0;
}
