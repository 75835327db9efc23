/* Insertion into a sorted linked list: n values, one after the other. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: insert_all(i32[n] in -1000000..=1000000, n, out i32[2*n])
 *
 * The list ends in a sentinel that is greater than every value, so that the recursion needs no test for the end; the comparison with it can
 * only go one way (the range of the values ensures that in 32 bits).
 *
 * Cost `user`: conditional branches of the last insertion and the test that ends the driver's loop after it.
 * Worst case: increasing values. The last one is compared with n-1 elements and the sentinel: n + 1 with the driver's test, as published;
 * the published numbers are one above the comparisons of the insertion, which we attribute to the driver's test.
 * It is the optimum: there is nothing else to compare with. n! paths.
 */
#include "subject.h"

struct node {
    int value;
    struct node *next;
};

static int64_t measuring;

/* The list that begins at `at`, with `new` in front of the first element that is not smaller. */
static struct node *insert(struct node *at, struct node *new) {
    if (MEASURED(at->value < new->value)) {
        at->next = insert(at->next, new);
        return at;
    }
    new->next = at;
    return new;
}

/* `nodes` is room for n nodes. */
EXPORT("insert_all") void insert_all(const int *values, int n, struct node *nodes) {
    static struct node sentinel = {0x7fffffff, 0};
    struct node *list = &sentinel;
    measuring = 0;
    for (int i = 0; MEASURED(i < n); i++) {
        measuring = i == n - 1;
        nodes[i].value = values[i];
        list = insert(list, &nodes[i]);
    }
}
