/* A red-black tree driven by bytes: the two high bits say what is done, the others with which key. */
#include <stddef.h>
#include <stdint.h>

struct node { struct node *child[2], *parent; int red; unsigned key; };

static struct node pool[64], *root;
static unsigned used;

static int side(const struct node *node) { return node->parent->child[1] == node; }

static void replace(struct node *old, struct node *with) {
    if (!old->parent) root = with;
    else old->parent->child[side(old)] = with;
    if (with) with->parent = old->parent;
}

static void rotate(struct node *node, int to) {
    struct node *up = node->child[!to];
    replace(node, up);
    node->child[!to] = up->child[to];
    if (up->child[to]) up->child[to]->parent = node;
    up->child[to] = node;
    node->parent = up;
}

static struct node *find(unsigned key) {
    struct node *at = root;
    while (at && at->key != key) at = at->child[key > at->key];
    return at;
}

static int insert(unsigned key) {
    struct node *parent = NULL, **at = &root;
    while (*at) {
        parent = *at;
        if (parent->key == key) return 0;
        at = &parent->child[key > parent->key];
    }
    struct node *node = *at = &pool[used++];
    *node = (struct node){{NULL, NULL}, parent, 1, key};
    while (node->parent && node->parent->red) {
        struct node *grand = node->parent->parent;
        int to = side(node->parent);
        struct node *uncle = grand->child[!to];
        if (uncle && uncle->red) {
            node->parent->red = uncle->red = 0;
            grand->red = 1;
            node = grand;
        } else {
            if (side(node) != to) {
                node = node->parent;
                rotate(node, to);
            }
            node->parent->red = 0;
            grand->red = 1;
            rotate(grand, !to);
        }
    }
    root->red = 0;
    return 1;
}

static void balance(struct node *node, struct node *parent) {
    while (node != root && (!node || !node->red)) {
        int to = parent->child[1] == node;
        struct node *other = parent->child[!to];
        if (other->red) {
            other->red = 0;
            parent->red = 1;
            rotate(parent, to);
            other = parent->child[!to];
        }
        struct node *near = other->child[to], *far = other->child[!to];
        if ((!near || !near->red) && (!far || !far->red)) {
            other->red = 1;
            node = parent;
            parent = node->parent;
        } else {
            if (!far || !far->red) {
                near->red = 0;
                other->red = 1;
                rotate(other, !to);
                other = parent->child[!to];
            }
            other->red = parent->red;
            parent->red = 0;
            other->child[!to]->red = 0;
            rotate(parent, to);
            node = root;
        }
    }
    if (node) node->red = 0;
}

static int delete(unsigned key) {
    struct node *node = find(key);
    if (!node) return 0;
    if (node->child[0] && node->child[1]) {
        struct node *next = node->child[1];
        while (next->child[0]) next = next->child[0];
        node->key = next->key;
        node = next;
    }
    struct node *child = node->child[0] ? node->child[0] : node->child[1], *parent = node->parent;
    replace(node, child);
    if (!node->red) balance(child, parent);
    return 1;
}

int drive_tree(const unsigned char *data, uint32_t size) {
    int found = 0, refused = 0;
    root = NULL;
    used = 0;
    for (uint32_t i = 0; i < size; i++) {
        unsigned key = data[i] & 63;
        switch (data[i] >> 6) {
        case 0:
            if (used == 64) return -1;
            refused += !insert(key);
            break;
        case 1: refused += !delete(key); break;
        case 2: found += find(key) != NULL; break;
        default: return -2;
        }
    }
    if (refused > 8) return 1;
    return found > 3 ? 2 : 3;
}
