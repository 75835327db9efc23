/* A scheduler: all jobs enter a binary heap, then run in the order of their deadlines.
 *
 * call: run_jobs(i32[n], n)         returns how many jobs ran late, at one job for each unit of time
 *
 * Worst case: n log n. Entering rises and leaving sinks along one path of the heap, at most log2 n levels, and n
 * different deadlines have to be sorted by comparisons. Equal deadlines neither rise nor sink: then it is linear.
 */
#include <stdint.h>
#include <stdlib.h>

struct heap {
    int32_t *deadline;
    int size;
};

static void enter(struct heap *heap, int32_t deadline) {
    int at = heap->size++;
    while (at > 0) {
        int parent = (at - 1) / 2;
        if (heap->deadline[parent] <= deadline) break;
        heap->deadline[at] = heap->deadline[parent];
        at = parent;
    }
    heap->deadline[at] = deadline;
}

static int32_t leave(struct heap *heap) {
    int32_t first = heap->deadline[0];
    int32_t last = heap->deadline[--heap->size];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= heap->size) break;
        if (child + 1 < heap->size && heap->deadline[child + 1] < heap->deadline[child]) child++;
        if (last <= heap->deadline[child]) break;
        heap->deadline[at] = heap->deadline[child];
        at = child;
    }
    heap->deadline[at] = last;
    return first;
}

int run_jobs(const int32_t *deadlines, int n) {
    struct heap heap = {malloc((size_t)(n > 0 ? n : 1) * sizeof(int32_t)), 0};
    int late = 0;
    if (!heap.deadline) return -1;
    for (int i = 0; i < n; i++) enter(&heap, deadlines[i]);
    for (int now = 0; heap.size > 0; now++) {
        if (leave(&heap) < now) late++;
    }
    free(heap.deadline);
    return late;
}
