/* Dijkstra with a binary heap from vertex 0 to vertex n-1, in the manner of the Python package Dijkstar and the module heapq.
 * PySE (Koo et al.), benchmark 7, Table II.
 *
 * call: dijkstra(i32[n*n-n] in -10000..=10000, n, out i32[2*n*n+4*n+8])        returns the distance; the paper's N is n(n-1)
 *
 * The heap holds pairs (cost, vertex). Comparing two pairs tests the costs for equality, then for less, and compares the vertices if the
 * costs are equal. A push sifts up. A pop moves the last leaf to the root, lets it sink to the bottom following the smaller child, then sifts
 * it up. Vertices that are done are skipped, and so are their entries in the heap; the search ends when vertex n-1 is popped.
 * The weights may be negative, as in the paper, though the result is then not a distance. The range keeps the sums exact.
 *
 * Cost `decisions`: comparisons of costs.
 * Worst case: 5, 29, 72 at n = 3, 4, 5 as published; at n = 6 the paper prints 126 with a question mark, but 136 is reachable. No formula is known.
 * Paths: 5, 155 at n = 3, 4 (with the infeasible sides 9 and 837, as published).
 */
#include "subject.h"

struct entry {
    int cost, vertex;
};

static struct entry *heap;
static int heap_size;

static int less(const struct entry *a, const struct entry *b) {
    if (a->cost == b->cost) {
        if (a->vertex < b->vertex) return 1;
        return 0;
    }
    if (a->cost < b->cost) return 1;
    return 0;
}

static void sift_up(int at) {
    struct entry moved = heap[at];
    while (at > 0) {
        int parent = (at - 1) / 2;
        if (!less(&moved, &heap[parent])) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = moved;
}

static void push(int cost, int vertex) {
    heap[heap_size].cost = cost;
    heap[heap_size].vertex = vertex;
    sift_up(heap_size++);
}

static struct entry pop(void) {
    struct entry top = heap[0];
    struct entry last = heap[--heap_size];
    if (heap_size == 0) return top;
    int at = 0;
    int child = 1;
    while (child < heap_size) {
        if (child + 1 < heap_size) {
            if (!less(&heap[child], &heap[child + 1])) child++;
        }
        heap[at] = heap[child];
        at = child;
        child = 2 * at + 1;
    }
    heap[at] = last;
    sift_up(at);
    return top;
}

/* `scratch` is room for the heap (at most one entry per edge, and the start), and three numbers per vertex. */
EXPORT("dijkstra") int dijkstra(const int *weights, int n, int *scratch) {
    int *cost = scratch, *known = scratch + n, *done = scratch + 2 * n;
    heap = (struct entry *)(scratch + 4 * n);
    heap_size = 0;
    known[0] = 1;
    push(0, 0);
    while (heap_size > 0) {
        struct entry top = pop();
        int u = top.vertex;
        if (u == n - 1) return top.cost;
        if (done[u]) continue;
        done[u] = 1;
        for (int v = 0; v < n; v++) {
            if (v == u || done[v]) continue;
            int through = top.cost + weights[u * (n - 1) + (v < u ? v : v - 1)];
            if (!known[v] || cost[v] > through) {
                known[v] = 1;
                cost[v] = through;
                push(through, v);
            }
        }
    }
    return 0x7fffffff;
}
