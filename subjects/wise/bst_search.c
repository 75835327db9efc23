/* Search in a plain binary search tree: n-1 keys are inserted, the n-th is searched for. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: search_after_inserts(i32[n], n, out i32[3*n])        returns whether the last key is in the tree
 *
 * Insertion drops a key that is there already, so equal keys give paths of their own.
 *
 * Cost `user`: conditional branches of the search: at each vertex null?, equal?, smaller?, and null at the end.
 * Worst case: a monotone sequence, so that the tree is a list, and a key beyond its end: 3 (n-1) + 1 = 3 n - 2. It is the optimum, since the tree
 * has n-1 vertices. Paths: the ways to order n keys with ties, 1, 3, 13, 75, 541, 102247563 at 10.
 */
#include "subject.h"

struct node {
    int key;
    struct node *left, *right;
};

static struct node *root;
static int64_t measuring;

static void insert(struct node *new) {
    struct node **at = &root;
    while (*at) {
        if (new->key == (*at)->key) return;
        if (new->key < (*at)->key) at = &(*at)->left;
        else at = &(*at)->right;
    }
    *at = new;
}

static int contains(int key) {
    struct node *at = root;
    while (MEASURED(at != 0)) {
        if (MEASURED(key == at->key)) return 1;
        if (MEASURED(key < at->key)) at = at->left;
        else at = at->right;
    }
    return 0;
}

/* `nodes` is room for n zeroed nodes. */
EXPORT("search_after_inserts") int search_after_inserts(const int *keys, int n, struct node *nodes) {
    root = 0;
    for (int i = 0; i < n - 1; i++) {
        nodes[i].key = keys[i];
        insert(&nodes[i]);
    }
    measuring = 1;
    return contains(keys[n - 1]);
}
