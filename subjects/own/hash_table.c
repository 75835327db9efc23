/* A chained hash table with 64 buckets and the multiplicative string hash of many libraries (h = 31 h + c), filled with n keys of 6 bytes.
 *
 * call: fill(u8[6*n], n, out i32[2*n])         returns the number of different keys
 *
 * Cost `user`: key comparisons, one per chain element looked at.
 * Worst case: n different keys of one bucket; the i-th key meets all i earlier ones: n(n-1)/2. No input does more,
 * since a chain holds each earlier key at most once. Such keys exist for every n a memory can hold: 2^48 keys share 64 buckets.
 * The bucket is a computed address, so a search must treat addresses as decisions to find the collisions.
 */
#include "subject.h"

#define KEY_BYTES 6
#define BUCKETS 64

struct node {
    const unsigned char *key;
    struct node *next;
};

static unsigned hash(const unsigned char *key) {
    unsigned h = 0;
    for (int i = 0; i < KEY_BYTES; i++) h = 31 * h + key[i];
    return h;
}

static int equal(const unsigned char *a, const unsigned char *b) {
    for (int i = 0; i < KEY_BYTES; i++) {
        if (a[i] != b[i]) return 0;
    }
    return 1;
}

/* `nodes` is room for n nodes. */
EXPORT("fill") int fill(const unsigned char *keys, int n, struct node *nodes) {
    static struct node *bucket[BUCKETS];
    int used = 0;
    for (int i = 0; i < BUCKETS; i++) bucket[i] = 0;
    for (int i = 0; i < n; i++) {
        const unsigned char *key = keys + KEY_BYTES * i;
        struct node **chain = &bucket[hash(key) % BUCKETS];
        struct node *at = *chain;
        while (at) {
            pessimum_cost(1);
            if (equal(at->key, key)) break;
            at = at->next;
        }
        if (!at) {
            struct node *new = &nodes[used++];
            new->key = key;
            new->next = *chain;
            *chain = new;
        }
    }
    return used;
}
