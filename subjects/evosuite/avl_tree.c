/* An AVL tree driven by a sequence of insertions and searches, after AvlTree and TreeSet of the Roops benchmarks in EvoSuite's hybrid search
 * (Galeotti et al., 2013), Table IV. Ours.
 *
 * call: run(u8[n] in 0..=1, i32[n], n, out i32[4*n])        call k inserts (0) or searches (1) value k; returns the height
 * exports: avl_clear, avl_insert, avl_contains, for a search that makes its own sequences of calls
 *
 * Goal: cover every branch: the four kinds of rotation need at least three insertions in the right order each.
 */
#include "subject.h"

struct node {
    int key, height;
    struct node *left, *right;
};

static struct node *pool, *root;
static int used, capacity;

static int height(const struct node *node) {
    if (!node) return 0;
    return node->height;
}

static void update_height(struct node *node) {
    int left = height(node->left), right = height(node->right);
    if (left > right) node->height = left + 1;
    else node->height = right + 1;
}

static struct node *rotate_right(struct node *node) {
    struct node *up = node->left;
    node->left = up->right;
    up->right = node;
    update_height(node);
    update_height(up);
    return up;
}

static struct node *rotate_left(struct node *node) {
    struct node *up = node->right;
    node->right = up->left;
    up->left = node;
    update_height(node);
    update_height(up);
    return up;
}

static struct node *rebalance(struct node *node) {
    update_height(node);
    int slope = height(node->left) - height(node->right);
    if (slope > 1) {
        if (height(node->left->left) < height(node->left->right)) node->left = rotate_left(node->left);
        return rotate_right(node);
    }
    if (slope < -1) {
        if (height(node->right->right) < height(node->right->left)) node->right = rotate_right(node->right);
        return rotate_left(node);
    }
    return node;
}

static struct node *insert(struct node *node, int key) {
    if (!node) {
        if (used == capacity) __builtin_trap();
        node = &pool[used++];
        node->key = key;
        node->height = 1;
        node->left = node->right = 0;
        return node;
    }
    if (key == node->key) return node;
    if (key < node->key) node->left = insert(node->left, key);
    else node->right = insert(node->right, key);
    return rebalance(node);
}

/* Empties the tree; `nodes` is room for `count` nodes. */
EXPORT("avl_clear") void avl_clear(struct node *nodes, int count) {
    pool = nodes;
    capacity = count;
    used = 0;
    root = 0;
}

EXPORT("avl_insert") void avl_insert(int key) {
    root = insert(root, key);
}

EXPORT("avl_contains") int avl_contains(int key) {
    struct node *at = root;
    while (at) {
        if (key == at->key) return 1;
        if (key < at->key) at = at->left;
        else at = at->right;
    }
    return 0;
}

EXPORT("run") int run(const unsigned char *operations, const int *keys, int n, struct node *nodes) {
    avl_clear(nodes, n);
    for (int i = 0; i < n; i++) {
        if (operations[i] == 0) avl_insert(keys[i]);
        else avl_contains(keys[i]);
    }
    return height(root);
}
