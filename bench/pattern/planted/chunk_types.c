/* Counts how often each chunk type occurs in a file's directory. Types have six characters and are kept in a plain
 * list.
 *
 * call: census(u8[n][6] in 'a'..='z', n)         returns the number of different types
 *
 * Worst case: n^2, by different names: each is compared with all before it, n(n - 1)/2 comparisons, and there are 26^6
 * = 3 * 10^8 names. A type that was there before is found and makes the list no longer, so that files with few types
 * are linear. Random names hardly ever repeat: they are as bad as any.
 */
#include <stdint.h>
#include <stdlib.h>

#define TYPE_BYTES 6

struct entry {
    uint64_t type;
    int count;
};

struct directory {
    struct entry *entries;
    int used;
};

/* The characters of a type in one number, which compares faster. */
static uint64_t pack(const unsigned char *type) {
    uint64_t packed = 0;
    for (int i = 0; i < TYPE_BYTES; i++) packed = packed << 8 | type[i];
    return packed;
}

static struct entry *find(const struct directory *directory, uint64_t type) {
    for (int i = 0; i < directory->used; i++) {
        if (directory->entries[i].type == type) return &directory->entries[i];
    }
    return 0;
}

static void add(struct directory *directory, uint64_t type) {
    struct entry *known = find(directory, type);
    if (known) {
        known->count++;
    } else {
        struct entry entry = {type, 1};
        directory->entries[directory->used++] = entry;
    }
}

int census(const unsigned char *types, int n) {
    struct directory directory = {malloc((size_t)(n > 0 ? n : 1) * sizeof(struct entry)), 0};
    if (!directory.entries) return -1;
    for (int i = 0; i < n; i++) add(&directory, pack(types + TYPE_BYTES * i));
    int different = directory.used;
    free(directory.entries);
    return different;
}
