/* A hash table whose removals leave marks behind that nothing ever cleans up: fast when new, slow after a while, although it never holds
 * more than four keys.
 *
 * suite: tombstones.api
 * exports: table_new, table_insert, table_remove, table_contains
 *
 * Cost `user`: places looked at. A single call cannot be slow: what it costs depends on the calls before it.
 * Worst case of the last of k calls, table_new among them: keys of one place (differences of 64) are inserted and removed again, each new one behind
 * the marks of those before it. A removal is needed for every insertion after the fourth.
 */
#include "subject.h"
#include "objects.h"

#define PLACES 64
#define LIVE 4

enum { FREE, USED, REMOVED };

struct table {
    int key[PLACES];
    unsigned char state[PLACES];
    int live;
};

EXPORT("table_new") struct table *table_new(void) {
    return NEW(struct table);
}

/* The place of the key; if it is not there, minus one minus the first free place. Marks are passed, and never used again. */
static int find(const struct table *table, int key) {
    int at = (int)((unsigned)key % PLACES);
    for (int looked_at = 0; looked_at < PLACES; looked_at++) {
        pessimum_cost(1);
        if (table->state[at] == FREE) return -1 - at;
        if (table->state[at] == USED && table->key[at] == key) return at;
        at = (at + 1) % PLACES;
    }
    return -1 - PLACES;
}

/* Whether it was inserted: not if it is there already, if four others are, or if no place was ever left alone. */
EXPORT("table_insert") int table_insert(struct table *table, int key) {
    if (table->live == LIVE) return 0;
    int at = find(table, key);
    if (at >= 0 || at == -1 - PLACES) return 0;
    table->state[-1 - at] = USED;
    table->key[-1 - at] = key;
    table->live++;
    return 1;
}

EXPORT("table_remove") int table_remove(struct table *table, int key) {
    int at = find(table, key);
    if (at < 0) return 0;
    table->state[at] = REMOVED;
    table->live--;
    return 1;
}

EXPORT("table_contains") int table_contains(const struct table *table, int key) {
    return find(table, key) >= 0;
}
