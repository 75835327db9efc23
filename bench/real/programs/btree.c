/* A B-tree of at most five keys in a node, split on the way down. Keys are looked for from the left of each node, so
 * that great keys cost more than small ones, and a split costs more than both. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 3, MOST_KEYS = 2 * DEGREE - 1 };

struct node {
    int count;
    bool leaf;
    int32_t keys[MOST_KEYS];
    struct node *children[MOST_KEYS + 1];
};

static struct node *new_node(bool leaf) {
    struct node *node = calloc(1, sizeof *node);
    if (node) node->leaf = leaf;
    return node;
}

static void free_tree(struct node *node) {
    if (!node) return;
    if (!node->leaf)
        for (int i = 0; i <= node->count; i++) free_tree(node->children[i]);
    free(node);
}

/* Moves the upper half of a full child into a new sibling; its middle key goes up. */
static bool split_child(struct node *parent, int at) {
    struct node *full = parent->children[at], *right = new_node(full->leaf);
    if (!right) return false;
    right->count = DEGREE - 1;
    memcpy(right->keys, full->keys + DEGREE, (DEGREE - 1) * sizeof full->keys[0]);
    if (!full->leaf) memcpy(right->children, full->children + DEGREE, DEGREE * sizeof full->children[0]);
    full->count = DEGREE - 1;
    for (int i = parent->count; i > at; i--) {
        parent->keys[i] = parent->keys[i - 1];
        parent->children[i + 1] = parent->children[i];
    }
    parent->keys[at] = full->keys[DEGREE - 1];
    parent->children[at + 1] = right;
    parent->count++;
    return true;
}

/* 1 if the key is new, 0 if it was there, -1 without memory. The node is not full. */
static int insert_below(struct node *node, int32_t key) {
    for (;;) {
        int at = 0;
        while (at < node->count && node->keys[at] < key) at++;
        if (at < node->count && node->keys[at] == key) return 0;
        if (node->leaf) {
            for (int i = node->count; i > at; i--) node->keys[i] = node->keys[i - 1];
            node->keys[at] = key;
            node->count++;
            return 1;
        }
        if (node->children[at]->count == MOST_KEYS) {
            if (!split_child(node, at)) return -1;
            if (node->keys[at] == key) return 0;
            if (node->keys[at] < key) at++;
        }
        node = node->children[at];
    }
}

static int insert(struct node **root, int32_t key) {
    if ((*root)->count == MOST_KEYS) {
        struct node *above = new_node(false);
        if (!above) return -1;
        above->children[0] = *root;
        *root = above;
        if (!split_child(above, 0)) return -1;
    }
    return insert_below(*root, key);
}

/* The number of different keys, or -1 without memory. */
int index_keys(const int32_t *keys, size_t count) {
    struct node *root = new_node(true);
    int different = 0;
    if (!root) return -1;
    for (size_t i = 0; i < count; i++) {
        int added = insert(&root, keys[i]);
        if (added < 0) {
            different = -1;
            break;
        }
        different += added;
    }
    free_tree(root);
    return different;
}
