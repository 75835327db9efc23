/* Merge sort from the bottom up, which leaves two neighbouring runs alone if they are in order already.
 *
 * call: sort(i32[n], n)
 *
 * Worst case: n log n. There are log2 n passes, and one copies each element at most twice. A sorted array is only
 * looked at where runs meet, n - 1 times in all; it takes runs that interleave on every level to pay for every pass.
 */
#include <stdint.h>
#include <stdlib.h>

/* Merges array[low..middle] and array[middle..high] by way of `room`. */
static void merge(int32_t *array, int32_t *room, int low, int middle, int high) {
    int left = low, right = middle, to = low;
    while (left < middle && right < high) {
        if (array[right] < array[left]) {
            room[to++] = array[right++];
        } else {
            room[to++] = array[left++];
        }
    }
    while (left < middle) room[to++] = array[left++];
    /* What remains on the right is in its place. */
    for (int i = low; i < to; i++) array[i] = room[i];
}

int sort(int32_t *array, int n) {
    int32_t *room = malloc((size_t)(n > 0 ? n : 1) * sizeof *room);
    int merges = 0;
    if (!room) return -1;
    for (int width = 1; width < n; width *= 2) {
        for (int low = 0; low + width < n; low += 2 * width) {
            int middle = low + width;
            int high = middle + width < n ? middle + width : n;
            if (array[middle - 1] <= array[middle]) continue;
            merge(array, room, low, middle, high);
            merges++;
        }
    }
    free(room);
    return merges;
}
