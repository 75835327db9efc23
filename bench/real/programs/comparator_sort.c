/* A sort in the manner of qsort: elements of any width, an order given by a callback, a ninther for long ranges, and no
 * guard against bad pivots. Sorting records by a number costs a quadratic number of calls of the callback at worst. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int (*comparison)(const void *, const void *);

struct order {
    size_t width;
    comparison compare;
};

static void swap_bytes(char *a, char *b, size_t width) {
    while (width-- > 0) {
        char kept = *a;
        *a++ = *b;
        *b++ = kept;
    }
}

static char *median(char *a, char *b, char *c, const struct order *order) {
    if (order->compare(a, b) < 0) {
        if (order->compare(b, c) < 0) return b;
        return order->compare(a, c) < 0 ? c : a;
    }
    if (order->compare(b, c) > 0) return b;
    return order->compare(a, c) < 0 ? a : c;
}

static char *choose_pivot(char *base, size_t count, const struct order *order) {
    size_t width = order->width;
    char *first = base, *middle = base + count / 2 * width, *last = base + (count - 1) * width;
    if (count > 40) {
        size_t step = count / 8 * width;
        first = median(first, first + step, first + 2 * step, order);
        middle = median(middle - step, middle, middle + step, order);
        last = median(last - 2 * step, last - step, last, order);
    }
    return median(first, middle, last, order);
}

static void sort_range(char *base, size_t count, const struct order *order) {
    size_t width = order->width;
    while (count > 7) {
        swap_bytes(base, choose_pivot(base, count, order), width);
        size_t boundary = 0;
        for (size_t i = 1; i < count; i++) {
            if (order->compare(base + i * width, base) < 0) {
                boundary++;
                if (boundary != i) swap_bytes(base + boundary * width, base + i * width, width);
            }
        }
        swap_bytes(base, base + boundary * width, width);
        size_t after = count - boundary - 1;
        char *right = base + (boundary + 1) * width;
        /* The shorter side is sorted by recursion, so that the stack stays shallow. */
        if (boundary < after) {
            sort_range(base, boundary, order);
            base = right;
            count = after;
        } else {
            sort_range(right, after, order);
            count = boundary;
        }
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && order->compare(base + (j - 1) * width, base + j * width) > 0; j--)
            swap_bytes(base + (j - 1) * width, base + j * width, width);
}

void generic_sort(void *base, size_t count, size_t width, comparison compare) {
    struct order order = {width, compare};
    sort_range(base, count, &order);
}

struct record {
    int32_t key;
    uint32_t row;
};

static int by_key(const void *left, const void *right) {
    int32_t a = ((const struct record *)left)->key, b = ((const struct record *)right)->key;
    return (a > b) - (a < b);
}

enum { MOST_RECORDS = 4096 };
static struct record records[MOST_RECORDS];

/* The row that comes first when rows are ordered by their key, or -1 if there are none or too many. */
int first_row(const int32_t *keys, size_t count) {
    if (count == 0 || count > MOST_RECORDS) return -1;
    for (size_t i = 0; i < count; i++) records[i] = (struct record){keys[i], (uint32_t)i};
    generic_sort(records, count, sizeof records[0], by_key);
    return (int)records[0].row;
}
