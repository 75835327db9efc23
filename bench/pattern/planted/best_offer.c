/* Offers arrive one by one at a heap of all offers; after each the best one is shown. None is ever taken out.
 *
 * call: watch(i32[n], n)         returns how often the best offer changed
 *
 * Worst case: n log n, and only if nearly every offer is better than those before: falling prices rise through all
 * log2 i levels of the heap. In random order an offer rises fewer than two levels on average (Porter and Simon 1975),
 * which is linear, and so is any order of rising prices.
 */
#include <stdint.h>
#include <stdlib.h>

struct offer {
    int32_t price;
    int number;
};

static int better(struct offer a, struct offer b) {
    return a.price != b.price ? a.price < b.price : a.number < b.number;
}

/* Puts the offer into a heap of `size` others. */
static void add(struct offer *heap, int size, struct offer offer) {
    int at = size;
    while (at > 0) {
        int parent = (at - 1) / 2;
        if (better(heap[parent], offer)) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = offer;
}

int watch(const int32_t *prices, int n) {
    struct offer *heap = malloc((size_t)(n > 0 ? n : 1) * sizeof *heap);
    int changes = 0, shown = -1;
    if (!heap) return -1;
    for (int i = 0; i < n; i++) {
        struct offer offer = {prices[i], i};
        add(heap, i, offer);
        if (heap[0].number != shown) {
            shown = heap[0].number;
            changes++;
        }
    }
    free(heap);
    return changes;
}
