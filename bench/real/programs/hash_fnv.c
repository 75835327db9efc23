/* Header fields counted by name: chaining, FNV-1a, a power of two of buckets that doubles as the table fills. The worst
 * names are different and share their bucket at every size of the table. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 8 };

struct field {
    struct field *next;
    uint32_t hash;
    unsigned seen;
    char name[NAME];
};

struct table {
    struct field **buckets;
    size_t size, used;
};

static uint32_t fnv1a(const char *name) {
    uint32_t hash = 2166136261u;
    for (int i = 0; i < NAME; i++) {
        hash ^= (unsigned char)name[i];
        hash *= 16777619u;
    }
    return hash;
}

static bool grow(struct table *table) {
    size_t size = table->size ? 2 * table->size : 8;
    struct field **buckets = calloc(size, sizeof(struct field *));
    if (!buckets) return false;
    for (size_t i = 0; i < table->size; i++) {
        struct field *field = table->buckets[i];
        while (field) {
            struct field *next = field->next;
            struct field **bucket = &buckets[field->hash & (size - 1)];
            field->next = *bucket;
            *bucket = field;
            field = next;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->size = size;
    return true;
}

static bool count_name(struct table *table, const char *name) {
    if (table->used == table->size && !grow(table)) return false;
    uint32_t hash = fnv1a(name);
    struct field **bucket = &table->buckets[hash & (table->size - 1)], *field = *bucket;
    for (; field; field = field->next) {
        if (field->hash == hash && memcmp(field->name, name, NAME) == 0) {
            field->seen++;
            return true;
        }
    }
    field = malloc(sizeof *field);
    if (!field) return false;
    field->next = *bucket;
    field->hash = hash;
    field->seen = 1;
    memcpy(field->name, name, NAME);
    *bucket = field;
    table->used++;
    return true;
}

/* How often the commonest name is there, or -1 without memory. */
int commonest(const char *names, size_t count) {
    struct table table = {0};
    int most = 0;
    for (size_t i = 0; i < count && most >= 0; i++)
        if (!count_name(&table, names + i * NAME)) most = -1;
    for (size_t i = 0; i < table.size; i++) {
        struct field *field = table.buckets[i];
        while (field) {
            struct field *next = field->next;
            if (most >= 0 && (int)field->seen > most) most = (int)field->seen;
            free(field);
            field = next;
        }
    }
    free(table.buckets);
    return most;
}
