/* Quicksort with the middle element as pivot and Lomuto's partition, as in many textbooks.
 *
 * call: sort(i32[n], n)
 *
 * Worst case: n^2, by repeated values: what equals the pivot goes to the left with the smaller elements, so that each
 * partition of equal ones swaps them all and takes off one. n partitions of n swaps are the most there can be.
 * (Different elements in a certain order do the same.) Sorted arrays are halved by their middle, and random ones are
 * split well: n log n.
 */
#include <stdint.h>

static void swap(int32_t *a, int32_t *b) {
    int32_t old = *a;
    *a = *b;
    *b = old;
}

/* Returns where the pivot ends up. */
static int partition(int32_t *array, int low, int high) {
    swap(&array[low + (high - low) / 2], &array[high]);
    int32_t pivot = array[high];
    int place = low;
    for (int i = low; i < high; i++) {
        if (array[i] <= pivot) swap(&array[i], &array[place++]);
    }
    swap(&array[place], &array[high]);
    return place;
}

static void sort_range(int32_t *array, int low, int high) {
    while (low < high) {
        int pivot = partition(array, low, high);
        if (pivot - low < high - pivot) {
            sort_range(array, low, pivot - 1);
            low = pivot + 1;
        } else {
            sort_range(array, pivot + 1, high);
            high = pivot - 1;
        }
    }
}

void sort(int32_t *array, int n) {
    sort_range(array, 0, n - 1);
}
