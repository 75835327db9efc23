// A tree of expressions, evaluated through function pointers: indirect calls, recursion, loads that follow pointers.
typedef struct node node;
struct node {
    int (*value)(const node *, int);
    const node *left, *right;
    int number;
};

static int constant(const node *n, int x) { return n->number; }
static int variable(const node *n, int x) { return x; }
static int sum(const node *n, int x) { return n->left->value(n->left, x) + n->right->value(n->right, x); }
static int product(const node *n, int x) { return n->left->value(n->left, x) * n->right->value(n->right, x); }
static int smaller(const node *n, int x) {
    int a = n->left->value(n->left, x), b = n->right->value(n->right, x);
    return a < b ? a : b;
}

static node nodes[1023];

__attribute__((export_name("run"))) int run(int rounds) {
    static int (*const inner[])(const node *, int) = {sum, product, smaller};
    for (int i = 1022; i >= 0; i--) {
        if (i >= 511)
            nodes[i] = (node){i % 3 ? constant : variable, 0, 0, i % 17 - 8};
        else
            nodes[i] = (node){inner[i % 3], &nodes[2 * i + 1], &nodes[2 * i + 2], 0};
    }
    int total = 0;
    for (int r = 0; r < rounds; r++) total ^= nodes[0].value(&nodes[0], r) + r;
    return total;
}
