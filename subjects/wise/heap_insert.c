/* Insertion of n values into the binary heap of java.util.PriorityQueue (JDK 1.5). WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: insert_all(i32[n], n, out i32[n+2])
 *
 * Cost `branches`: all insertions and the driver's loop.
 * Worst case: decreasing values; every value rises to the top. Insertion i tests for null, for capacity, for a comparator, and then twice per
 * level and once at the top: 4 + 2 floor(log2 i); with n + 1 tests of the driver's loop
 *     sum over i <= n of (4 + 2 floor(log2 i)) + n + 1,
 * as published for n >= 2 (at n = 1 the paper prints 7, this gives 6). It is the optimum, since no value can rise higher.
 * Paths: product over i <= n of (floor(log2 i) + 1), as published: 1, 2, 4, 12, 36, 20736 at 10.
 *
 * Differs from the original: elements are numbers compared with <=, where WISE's compareTo subtracts (and overflows).
 */
#include "subject.h"

static int *queue; /* 1-based: the parent of k is k / 2 */
static int size, capacity;
static int (*comparator)(int, int);

static void fix_up(int k) {
    if (!comparator) {
        while (k > 1) {
            int parent = k / 2;
            if (queue[parent] <= queue[k]) break;
            int t = queue[parent];
            queue[parent] = queue[k];
            queue[k] = t;
            k = parent;
        }
    }
}

static void offer(const int *value) {
    if (!value) __builtin_trap(); /* the original throws NullPointerException */
    size++;
    if (size >= capacity) __builtin_trap(); /* the original makes a larger array */
    queue[size] = *value;
    fix_up(size);
}

/* `room` is room for n+2 numbers. */
EXPORT("insert_all") void insert_all(const int *values, int n, int *room) {
    queue = room;
    size = 0;
    capacity = n + 2;
    for (int i = 0; i < n; i++) offer(&values[i]);
}
