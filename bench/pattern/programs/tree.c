/* A binary search tree without balance: quadratic for sorted keys, n log n for keys in no order. */
static int keys[1 << 22], children[1 << 22][2];

int tree(const int *input, int count) {
    int used = 0;
    for (int i = 0; i < count; i++) {
        int at = 0;
        if (used > 0) {
            for (;;) {
                if (keys[at] == input[i]) break;
                int side = input[i] > keys[at];
                if (!children[at][side]) {
                    children[at][side] = used;
                    break;
                }
                at = children[at][side];
            }
            if (keys[at] == input[i]) continue;
        }
        keys[used] = input[i];
        children[used][0] = children[used][1] = 0;
        used++;
    }
    return used;
}
