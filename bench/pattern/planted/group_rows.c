/* Groups rows by key, in a chained hash table that keeps rows of one key in the order of their arrival.
 *
 * call: group(i32[n], n)         returns the length of the longest chain
 *
 * Worst case: n^2, by repeated keys: a row goes to the end of its chain, and n equal keys share one, n(n - 1)/2 steps;
 * no chain is longer than the rows before. (Different keys of one bucket do the same.) There are at least as many
 * buckets as rows, and the hash (multiplication by the golden ratio, Knuth 6.4) spreads ordinary keys: linear.
 */
#include <stdint.h>
#include <stdlib.h>

struct row {
    int32_t key;
    struct row *next;
};

static int bits_for(int n) {
    int bits = 1;
    while (bits < 30 && (1 << bits) < n) bits++;
    return bits;
}

/* Returns the row's place in its chain. */
static int append(struct row **bucket, struct row *row) {
    int place = 1;
    while (*bucket) {
        bucket = &(*bucket)->next;
        place++;
    }
    row->next = 0;
    *bucket = row;
    return place;
}

int group(const int32_t *keys, int n) {
    int bits = bits_for(n), longest = 0;
    struct row **buckets = calloc((size_t)1 << bits, sizeof *buckets);
    struct row *rows = malloc((size_t)(n > 0 ? n : 1) * sizeof *rows);
    if (!buckets || !rows) return -1;
    for (int i = 0; i < n; i++) {
        rows[i].key = keys[i];
        uint32_t bucket = (uint32_t)keys[i] * 2654435769u >> (32 - bits);
        int place = append(&buckets[bucket], &rows[i]);
        if (place > longest) longest = place;
    }
    free(rows);
    free(buckets);
    return longest;
}
