/* A binary heap of tasks with priorities, of the kind of BinomialHeap and FibHeap of the Roops benchmarks in EvoSuite's hybrid search (Galeotti et al.,
 * 2013), Table IV. Ours.
 *
 * suite: binary_heap.api
 *
 * Goal: cover every branch. Sinking and rising take several calls with priorities in the right order; a task whose priority changes has to be named by
 * the number that an earlier call was given; merging needs two heaps that are too large together. That a heap is not in order is never true.
 */
#include "subject.h"
#include "objects.h"

#define MOST 7

struct heap {
    int priority[MOST], task[MOST];
    int length;
};

EXPORT("heap_new") struct heap *heap_new(void) {
    return NEW(struct heap);
}

static void swap(struct heap *heap, int i, int j) {
    int priority = heap->priority[i], task = heap->task[i];
    heap->priority[i] = heap->priority[j];
    heap->task[i] = heap->task[j];
    heap->priority[j] = priority;
    heap->task[j] = task;
}

static int rise(struct heap *heap, int at) {
    int steps = 0;
    while (at > 0) {
        int parent = (at - 1) / 2;
        if (heap->priority[parent] <= heap->priority[at]) break;
        swap(heap, parent, at);
        at = parent;
        steps++;
    }
    return steps;
}

static int sink(struct heap *heap, int at) {
    int steps = 0;
    for (;;) {
        int least = at, left = 2 * at + 1, right = 2 * at + 2;
        if (left < heap->length && heap->priority[left] < heap->priority[least]) least = left;
        if (right < heap->length && heap->priority[right] < heap->priority[least]) least = right;
        if (least == at) break;
        swap(heap, least, at);
        at = least;
        steps++;
    }
    return steps;
}

EXPORT("heap_push") int heap_push(struct heap *heap, int task, int priority) {
    if (heap->length == MOST) return -1;
    for (int i = 0; i < heap->length; i++) {
        if (heap->task[i] == task) return -2;
    }
    heap->task[heap->length] = task;
    heap->priority[heap->length] = priority;
    heap->length++;
    if (rise(heap, heap->length - 1) == 2) return 2; /* from the bottom to the top */
    return 0;
}

EXPORT("heap_pop") int heap_pop(struct heap *heap) {
    if (heap->length == 0) __builtin_trap();
    int task = heap->task[0];
    heap->length--;
    if (heap->length == 0) return task;
    swap(heap, 0, heap->length);
    sink(heap, 0);
    return task;
}

EXPORT("heap_change") int heap_change(struct heap *heap, int task, int priority) {
    int at = 0;
    while (at < heap->length && heap->task[at] != task) at++;
    if (at == heap->length) return -1;
    int before = heap->priority[at];
    heap->priority[at] = priority;
    if (priority < before) return rise(heap, at);
    if (priority > before) return sink(heap, at);
    return -2;
}

/* Takes all tasks out of `other`; nothing happens if there is no room. */
EXPORT("heap_merge") int heap_merge(struct heap *heap, struct heap *other) {
    if (heap == other) return -1;
    if (heap->length + other->length > MOST) return -2;
    int added = 0;
    while (other->length > 0) {
        int priority = other->priority[0], task = heap_pop(other);
        if (heap_push(heap, task, priority) >= 0) added++;
    }
    if (added == 3) return 3;
    return added;
}

EXPORT("heap_check") int heap_check(const struct heap *heap) {
    for (int i = 1; i < heap->length; i++) {
        if (heap->priority[(i - 1) / 2] > heap->priority[i]) __builtin_trap();
    }
    if (heap->length == MOST) return 2;
    return heap->length > 0;
}
