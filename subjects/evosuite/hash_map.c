/* A hash map with open addressing, marks for removed keys and growth, of the kind of HashMap and TreeSet of the Roops benchmarks in EvoSuite's hybrid
 * search (Galeotti et al., 2013), Table IV. Ours.
 *
 * suite: hash_map.api
 *
 * Goal: cover every branch. Keys have to collide, a removed one has to be passed on the way to another and its place to be used again, and removals
 * alone have to make the map rebuild itself: values that meet in the middle of a sequence. A probe never goes round the whole table, because
 * a place is always left free: that arm cannot be covered.
 */
#include "subject.h"
#include "objects.h"

#define MOST 16

enum { FREE, USED, REMOVED };

struct map {
    int key[MOST], value[MOST];
    unsigned char state[MOST];
    int places, used, removed;
};

EXPORT("map_new") struct map *map_new(void) {
    struct map *map = NEW(struct map);
    map->places = 8;
    return map;
}

static unsigned first_place(const struct map *map, int key) {
    return (((unsigned)key * 0x9e3779b1u) >> 16) & (unsigned)(map->places - 1);
}

/* The place of the key, or -1. */
static int find(const struct map *map, int key) {
    unsigned at = first_place(map, key);
    for (int probes = 0; probes < map->places; probes++) {
        if (map->state[at] == FREE) return -1;
        if (map->state[at] == USED && map->key[at] == key) return (int)at;
        at = (at + 1) & (unsigned)(map->places - 1);
    }
    return -1;
}

static void add(struct map *map, int key, int value) {
    unsigned at = first_place(map, key);
    while (map->state[at] == USED) at = (at + 1) & (unsigned)(map->places - 1);
    if (map->state[at] == REMOVED) map->removed--;
    map->state[at] = USED;
    map->key[at] = key;
    map->value[at] = value;
    map->used++;
}

/* `places` is not less than before, or the map is empty. */
static void rebuild(struct map *map, int places) {
    int key[MOST], value[MOST], count = 0;
    for (int i = 0; i < map->places; i++) {
        if (map->state[i] == USED) {
            key[count] = map->key[i];
            value[count++] = map->value[i];
        }
        map->state[i] = FREE;
    }
    map->places = places;
    map->used = map->removed = 0;
    for (int i = 0; i < count; i++) add(map, key[i], value[i]);
}

EXPORT("map_put") int map_put(struct map *map, int key, int value) {
    int at = find(map, key);
    if (at >= 0) {
        int before = map->value[at];
        if (before == value) return 2;
        map->value[at] = value;
        return 1;
    }
    if (4 * (map->used + 1 + map->removed) > 3 * map->places) {
        if (map->used < map->removed) rebuild(map, map->places);
        else if (map->places == MOST) __builtin_trap();
        else rebuild(map, 2 * map->places);
    }
    add(map, key, value);
    return 0;
}

EXPORT("map_get") int map_get(const struct map *map, int key) {
    int at = find(map, key);
    if (at < 0) return -1;
    return map->value[at];
}

EXPORT("map_remove") int map_remove(struct map *map, int key) {
    int at = find(map, key);
    if (at < 0) return 0;
    map->used--;
    if (map->state[((unsigned)at + 1) & (unsigned)(map->places - 1)] == FREE) {
        map->state[at] = FREE; /* nothing is behind it */
    } else {
        map->state[at] = REMOVED;
        map->removed++;
    }
    if (map->used == 0) rebuild(map, 8);
    return 1;
}

/* Whether the first map has every key of the second, with the same value. */
EXPORT("map_includes") int map_includes(const struct map *map, const struct map *other) {
    if (map == other) return 2;
    for (int i = 0; i < other->places; i++) {
        if (other->state[i] != USED) continue;
        int at = find(map, other->key[i]);
        if (at < 0) return 0;
        if (map->value[at] != other->value[i]) return -1;
    }
    return 1;
}
