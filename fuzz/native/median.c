// median(i8[4] in -8..8, 4) -> i32
// The lower median by quickselect, of signed bytes, with recursion.
#include <stdint.h>

static int8_t select_kth(int8_t *v, int32_t low, int32_t high, int32_t k) {
    if (low >= high) return v[low];
    int8_t pivot = v[high];
    int32_t at = low;
    for (int32_t i = low; i < high; i++) {
        if (v[i] < pivot) {
            int8_t swap = v[i];
            v[i] = v[at];
            v[at++] = swap;
        }
    }
    v[high] = v[at];
    v[at] = pivot;
    if (k == at) return pivot;
    return k < at ? select_kth(v, low, at - 1, k) : select_kth(v, at + 1, high, k);
}

int32_t median(int8_t *values, int32_t n) {
    return select_kth(values, 0, n - 1, (n - 1) / 2);
}
