/* Building a plain binary search tree of n keys. PySE (Koo et al.), benchmark 4, Table I.
 *
 * call: build(i32[n], n, out i32[3*n])
 *
 * Smaller keys go left, all others right, so equal keys follow a path of distinct ones.
 *
 * Cost `decisions`: one comparison per vertex passed.
 * Worst case: a monotone sequence; key i passes all i earlier ones: n(n-1)/2. It is the optimum, since there are no more to pass. n! paths.
 */
#include "subject.h"

struct node {
    int key;
    struct node *left, *right;
};

/* `nodes` is room for n zeroed nodes. */
EXPORT("build") void build(const int *keys, int n, struct node *nodes) {
    struct node *root = 0;
    for (int i = 0; i < n; i++) {
        struct node **at = &root;
        while (*at) {
            if (keys[i] < (*at)->key) at = &(*at)->left;
            else at = &(*at)->right;
        }
        nodes[i].key = keys[i];
        *at = &nodes[i];
    }
}
