/* Search in a red-black tree of n keys for one more key. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: search_after_inserts(i32[n+1], n, out i32[5*n])        returns whether the last key is in the tree
 *
 * Insertion is that of Cormen et al.: smaller keys go left, all others right, then colours are repaired; missing children are null.
 *
 * Cost `user`: conditional branches of the search: at each vertex null?, equal?, smaller?, and null at the end.
 * Worst case: 3 h + 1 with h the greatest height of a red-black tree with n vertices, whose key runs off the deepest leaf. The least number of
 * vertices for height h is 2^(h/2+1) - 2 for even h and 3*2^((h-1)/2) - 2 for odd h (one path that alternates red and black, all else
 * black and minimal); such trees do arise by insertion. Published: 4, 7, 7, 10, 10 at 1..5, 16, 19, 19, 25 at 10, 15, 20, 30.
 * Paths: n! orders of insertion times 2 n + 1 outcomes of the search: 3, 10, 42, 216, 1320.
 */
#include "subject.h"

struct node {
    int key;
    int red;
    struct node *left, *right, *parent;
};

static struct node *root;
static int64_t measuring;

/* Puts `child` where `node` hangs under its parent. */
static void replace(struct node *node, struct node *child) {
    child->parent = node->parent;
    if (!node->parent) root = child;
    else if (node == node->parent->left) node->parent->left = child;
    else node->parent->right = child;
}

static void rotate_left(struct node *x) {
    struct node *y = x->right;
    x->right = y->left;
    if (y->left) y->left->parent = x;
    replace(x, y);
    y->left = x;
    x->parent = y;
}

static void rotate_right(struct node *x) {
    struct node *y = x->left;
    x->left = y->right;
    if (y->right) y->right->parent = x;
    replace(x, y);
    y->right = x;
    x->parent = y;
}

static void insert(struct node *new) {
    struct node *parent = 0;
    struct node *at = root;
    int left = 0;
    while (at) {
        parent = at;
        if (new->key < at->key) {
            left = 1;
            at = at->left;
        } else {
            left = 0;
            at = at->right;
        }
    }
    new->left = new->right = 0;
    new->parent = parent;
    new->red = 1;
    if (!parent) root = new;
    else if (left) parent->left = new;
    else parent->right = new;

    for (;;) {
        if (!(new != root && new->parent->red)) break;
        struct node *up = new->parent->parent; /* exists: a red vertex is not the root */
        if (new->parent == up->left) {
            struct node *uncle = up->right;
            if (uncle && uncle->red) {
                new->parent->red = uncle->red = 0;
                up->red = 1;
                new = up;
            } else {
                if (new == new->parent->right) {
                    new = new->parent;
                    rotate_left(new);
                }
                new->parent->red = 0;
                up->red = 1;
                rotate_right(up);
            }
        } else {
            struct node *uncle = up->left;
            if (uncle && uncle->red) {
                new->parent->red = uncle->red = 0;
                up->red = 1;
                new = up;
            } else {
                if (new == new->parent->left) {
                    new = new->parent;
                    rotate_right(new);
                }
                new->parent->red = 0;
                up->red = 1;
                rotate_left(up);
            }
        }
    }
    root->red = 0;
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

/* `nodes` is room for n nodes. */
EXPORT("search_after_inserts") int search_after_inserts(const int *keys, int n, struct node *nodes) {
    root = 0;
    for (int i = 0; i < n; i++) {
        nodes[i].key = keys[i];
        insert(&nodes[i]);
    }
    measuring = 1;
    return contains(keys[n]);
}
