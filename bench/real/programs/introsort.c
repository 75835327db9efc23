/* Introsort: quicksort by the median of three until the recursion gets too deep, then heap sort; short runs are left to
 * one insertion sort at the end. The worst case spends the whole allowance of bad pivots before it falls back. */
#include <stddef.h>
#include <stdint.h>

enum { SHORT_RUN = 16 };

static void swap(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(int32_t *heap, size_t root, size_t count) {
    int32_t value = heap[root];
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count) break;
        if (child + 1 < count && heap[child] < heap[child + 1]) child++;
        if (heap[child] <= value) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = value;
}

static void heap_sort(int32_t *values, size_t count) {
    for (size_t root = count / 2; root-- > 0;) sift_down(values, root, count);
    while (count > 1) {
        swap(&values[0], &values[--count]);
        sift_down(values, 0, count);
    }
}

static int32_t median_of_three(int32_t *first, int32_t *middle, int32_t *last) {
    if (*middle < *first) swap(middle, first);
    if (*last < *middle) {
        swap(last, middle);
        if (*middle < *first) swap(middle, first);
    }
    return *middle;
}

/* Hoare's partition: nothing before the index returned is greater than anything from there on. */
static size_t partition(int32_t *values, size_t count, int32_t pivot) {
    size_t low = 0, high = count - 1;
    for (;;) {
        while (values[low] < pivot) low++;
        while (pivot < values[high]) high--;
        if (low >= high) return low;
        swap(&values[low], &values[high]);
        low++;
        high--;
    }
}

static void sort_roughly(int32_t *values, size_t count, int depth) {
    while (count > SHORT_RUN) {
        if (depth-- == 0) {
            heap_sort(values, count);
            return;
        }
        int32_t pivot = median_of_three(&values[0], &values[count / 2], &values[count - 1]);
        size_t split = partition(values, count, pivot);
        sort_roughly(values + split, count - split, depth);
        count = split;
    }
}

static void insertion_sort(int32_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        int32_t value = values[i];
        size_t j = i;
        for (; j > 0 && value < values[j - 1]; j--) values[j] = values[j - 1];
        values[j] = value;
    }
}

void intro_sort(int32_t *values, size_t count) {
    int depth = 0;
    for (size_t rest = count; rest > 1; rest /= 2) depth += 2;
    sort_roughly(values, count, depth);
    insertion_sort(values, count);
}
