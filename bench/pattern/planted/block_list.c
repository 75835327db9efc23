/* A sorted list in blocks of about sqrt(n) elements, a simple stand-in for a tree: find the block, shift inside it,
 * split it when it is full.
 *
 * call: insert_all(i32[n], n)         returns the number of blocks at the end
 *
 * Worst case: n^1.5. With b = sqrt(n), a block holds at most 2 b elements and, once split off, at least b, so that
 * there are at most n/b + 1 = O(sqrt(n)) blocks: an insertion walks over O(sqrt(n)) blocks and shifts O(sqrt(n))
 * elements. The at most sqrt(n) splits move O(sqrt(n)) each. Falling order pays for the shifts, rising order for the
 * walk, random order for half of both.
 */
#include <stdint.h>
#include <stdlib.h>

struct block {
    int32_t *elements;
    int used;
};

struct list {
    struct block *blocks;
    int count;
    int half;
};

static int root(int n) {
    int root = 1;
    while ((root + 1) * (root + 1) <= n) root++;
    return root;
}

static int32_t *room_for(const struct list *list) {
    return malloc((size_t)(2 * list->half) * sizeof(int32_t));
}

/* Moves the upper half of a full block into a new one behind it. */
static int split(struct list *list, int at) {
    int32_t *elements = room_for(list);
    if (!elements) return 0;
    for (int i = list->count; i > at + 1; i--) list->blocks[i] = list->blocks[i - 1];
    list->count++;
    struct block *full = &list->blocks[at];
    for (int i = 0; i < list->half; i++) elements[i] = full->elements[list->half + i];
    full->used = list->half;
    full[1].elements = elements;
    full[1].used = list->half;
    return 1;
}

static int insert(struct list *list, int32_t value) {
    int at = 0;
    while (at + 1 < list->count && list->blocks[at + 1].elements[0] <= value) at++;
    struct block *block = &list->blocks[at];
    int place = block->used++;
    while (place > 0 && block->elements[place - 1] > value) {
        block->elements[place] = block->elements[place - 1];
        place--;
    }
    block->elements[place] = value;
    return block->used < 2 * list->half || split(list, at);
}

int insert_all(const int32_t *values, int n) {
    struct list list = {0, 1, root(n)};
    list.blocks = malloc((size_t)(n / list.half + 3) * sizeof *list.blocks);
    if (!list.blocks) return -1;
    list.blocks[0].elements = room_for(&list);
    list.blocks[0].used = 0;
    if (!list.blocks[0].elements) return -1;
    for (int i = 0; i < n; i++) {
        if (!insert(&list, values[i])) return -1;
    }
    return list.count;
}
