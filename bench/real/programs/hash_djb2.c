/* A set of strings with open addressing: djb2, a table of twice the keys, linear probing. The worst keys are different
 * and all have one place: each is compared with every key before it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 8 };

struct slot {
    uint32_t hash;
    const char *key;
};

struct set {
    struct slot *slots;
    size_t capacity, used;
};

static uint32_t djb2(const char *key, size_t length) {
    uint32_t hash = 5381;
    for (size_t i = 0; i < length; i++) hash = hash * 33 + (unsigned char)key[i];
    return hash;
}

static bool create(struct set *set, size_t keys) {
    set->capacity = 8;
    while (set->capacity < 2 * keys) set->capacity *= 2;
    set->used = 0;
    set->slots = calloc(set->capacity, sizeof *set->slots);
    return set->slots != NULL;
}

/* Whether the key is new. The table is never full. */
static bool insert(struct set *set, const char *key) {
    uint32_t hash = djb2(key, KEY);
    size_t at = hash & (set->capacity - 1);
    while (set->slots[at].key) {
        if (set->slots[at].hash == hash && memcmp(set->slots[at].key, key, KEY) == 0) return false;
        at = (at + 1) & (set->capacity - 1);
    }
    set->slots[at] = (struct slot){hash, key};
    set->used++;
    return true;
}

/* Keys of eight bytes, one after the other. Returns how many are different, or -1 without memory. */
int distinct_keys(const char *keys, size_t count) {
    struct set set;
    if (!create(&set, count)) return -1;
    for (size_t i = 0; i < count; i++) insert(&set, keys + i * KEY);
    int different = (int)set.used;
    free(set.slots);
    return different;
}
