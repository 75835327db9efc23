/* A table of chains with 256 buckets and no growth, keys by their low byte: quadratic, fastest for keys that share it. A key
   that is there already is found, not added. */
static int heads[256], next[1 << 22], keys[1 << 22];

int chain_table(const int *input, int count) {
    int used = 0;
    for (int i = 0; i < 256; i++) heads[i] = -1;
    for (int i = 0; i < count; i++) {
        int bucket = input[i] & 255, at = heads[bucket];
        while (at >= 0 && keys[at] != input[i]) at = next[at];
        if (at < 0) {
            keys[used] = input[i];
            next[used] = heads[bucket];
            heads[bucket] = used++;
        }
    }
    return used;
}
