/* Quicksort into three parts by way of a second array, so that equal elements keep together and others their order.
 * The pivot is the middle element.
 *
 * call: sort(i32[n], n)
 *
 * Worst case: n^2, by an order like organ pipes, which rises to the middle and then falls, or falls and then rises:
 * the middle is the greatest (least) element, and without it the others, still in their order, have the next one in
 * the middle. So n elements take n parts of n, n - 1, ... elements; there cannot be more. Sorted elements are halved,
 * random ones split well, which is n log n, and equal ones are linear.
 */
#include <stdint.h>
#include <stdlib.h>

struct parts {
    int smaller_end;
    int greater_start;
};

static struct parts divide(int32_t *array, int32_t *room, int low, int high) {
    int32_t pivot = array[low + (high - low) / 2];
    int smaller = low, equal = 0, greater = 0;
    for (int i = low; i < high; i++) {
        int32_t element = array[i];
        if (element < pivot) {
            array[smaller++] = element;
        } else if (element > pivot) {
            room[greater++] = element;
        } else {
            equal++;
        }
    }
    struct parts parts = {smaller, smaller + equal};
    for (int i = smaller; i < parts.greater_start; i++) array[i] = pivot;
    for (int i = 0; i < greater; i++) array[parts.greater_start + i] = room[i];
    return parts;
}

/* Sorts array[low..high], the shorter part first, which bounds the stack. */
static void sort_range(int32_t *array, int32_t *room, int low, int high) {
    while (high - low > 1) {
        struct parts parts = divide(array, room, low, high);
        if (parts.smaller_end - low < high - parts.greater_start) {
            sort_range(array, room, low, parts.smaller_end);
            low = parts.greater_start;
        } else {
            sort_range(array, room, parts.greater_start, high);
            high = parts.smaller_end;
        }
    }
}

int sort(int32_t *array, int n) {
    int32_t *room = malloc((size_t)(n > 0 ? n : 1) * sizeof *room);
    if (!room) return -1;
    sort_range(array, room, 0, n);
    free(room);
    return 0;
}
