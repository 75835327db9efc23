/* An index over keys: a binary search tree that is never balanced. A key that is there already is only counted.
 *
 * call: build(i32[n], n)         returns the depth of the tree
 *
 * Worst case: n^2, by order: sorted keys (also reversed ones, and any others that leave no choice of a side) make the
 * tree a list, and each key passes all before it, n(n - 1)/2 steps; a search never passes a key twice. Equal keys are
 * linear, random ones n log n.
 */
#include <stdint.h>
#include <stdlib.h>

struct node {
    int32_t key;
    int count;
    struct node *smaller;
    struct node *greater;
};

struct tree {
    struct node *root;
    struct node *nodes;
    int used;
};

/* Returns the depth at which the key is found or put. */
static int add(struct tree *tree, int32_t key) {
    struct node **at = &tree->root;
    int depth = 1;
    while (*at) {
        struct node *node = *at;
        if (key == node->key) {
            node->count++;
            return depth;
        }
        at = key < node->key ? &node->smaller : &node->greater;
        depth++;
    }
    struct node *node = &tree->nodes[tree->used++];
    node->key = key;
    node->count = 1;
    node->smaller = 0;
    node->greater = 0;
    *at = node;
    return depth;
}

int build(const int32_t *keys, int n) {
    struct tree tree = {0, malloc((size_t)(n > 0 ? n : 1) * sizeof(struct node)), 0};
    int deepest = 0;
    if (!tree.nodes) return -1;
    for (int i = 0; i < n; i++) {
        int depth = add(&tree, keys[i]);
        if (depth > deepest) deepest = depth;
    }
    free(tree.nodes);
    return deepest;
}
