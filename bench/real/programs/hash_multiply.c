/* Pairs of numbers with a given sum, by a table of integers: multiply-shift (Knuth's constant), linear probing. The
 * worst numbers are different and agree in the upper bits of their products, and so do their complements. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct entry {
    uint32_t key;
    uint32_t count;
};

struct table {
    struct entry *entries;
    unsigned shift;
    uint32_t mask;
};

static bool create(struct table *table, size_t keys) {
    unsigned bits = 4;
    while (((size_t)1 << bits) < 2 * keys) bits++;
    table->shift = 32 - bits;
    table->mask = (uint32_t)(((size_t)1 << bits) - 1);
    table->entries = calloc((size_t)1 << bits, sizeof *table->entries);
    return table->entries != NULL;
}

/* The entry of the key, or the free one (count 0) where it belongs. */
static struct entry *find(const struct table *table, uint32_t key) {
    uint32_t at = (key * 2654435769u) >> table->shift;
    while (table->entries[at].count != 0 && table->entries[at].key != key) at = (at + 1) & table->mask;
    return &table->entries[at];
}

/* The number of pairs, or -1 without memory. */
long pairs_with_sum(const uint32_t *numbers, size_t count, uint32_t sum) {
    struct table table;
    long pairs = 0;
    if (!create(&table, count)) return -1;
    for (size_t i = 0; i < count; i++) {
        pairs += find(&table, sum - numbers[i])->count;
        struct entry *entry = find(&table, numbers[i]);
        entry->key = numbers[i];
        entry->count++;
    }
    free(table.entries);
    return pairs;
}
