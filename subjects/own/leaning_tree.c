/* A binary search tree that nothing keeps in balance, with removal.
 *
 * suite: leaning_tree.api
 * exports: tree_new, tree_insert, tree_remove, tree_contains
 *
 * Cost `user`: nodes looked at. Worst case of k calls, tree_new among them: the keys come in order, the tree becomes a list, and every call
 * walks to its end. Insertion i (from 0) looks at i nodes, so k calls look at (k-1)(k-2)/2 nodes in total and the last of them at k-2: no call can look
 * at more nodes than there are (a removal with two children looks at each node of one way down once).
 */
#include "subject.h"
#include "objects.h"

struct node {
    int key;
    struct node *left, *right;
};

struct tree {
    struct node *root;
    int length;
};

EXPORT("tree_new") struct tree *tree_new(void) {
    return NEW(struct tree);
}

/* Where the pointer to the node with the key is, or would be. */
static struct node **find(struct node **at, int key) {
    while (*at) {
        pessimum_cost(1);
        if (key == (*at)->key) break;
        if (key < (*at)->key) at = &(*at)->left;
        else at = &(*at)->right;
    }
    return at;
}

EXPORT("tree_insert") int tree_insert(struct tree *tree, int key) {
    struct node **at = find(&tree->root, key);
    if (*at) return 0;
    *at = NEW(struct node);
    (*at)->key = key;
    tree->length++;
    return 1;
}

EXPORT("tree_remove") int tree_remove(struct tree *tree, int key) {
    struct node **at = find(&tree->root, key);
    struct node *node = *at;
    if (!node) return 0;
    tree->length--;
    if (!node->left) {
        *at = node->right;
    } else if (!node->right) {
        *at = node->left;
    } else {
        struct node **next = &node->right; /* the least of the greater keys takes its place */
        pessimum_cost(1);
        while ((*next)->left) {
            next = &(*next)->left;
            pessimum_cost(1);
        }
        node->key = (*next)->key;
        *next = (*next)->right;
    }
    return 1;
}

EXPORT("tree_contains") int tree_contains(const struct tree *tree, int key) {
    struct node *root = tree->root;
    return *find(&root, key) != 0;
}
