/* The Burrows-Wheeler transform by sorting all rotations of a block with merge sort and comparing them character by
 * character.
 *
 * call: transform(u8[n], n)         returns where the block itself is among its sorted rotations
 *
 * Worst case: n^2 log n, by a block of one character: the merges make n/2 comparisons on each of log2 n levels, and
 * all of them go around the whole block. There are at most n log2 n comparisons, of at most n characters. In a random
 * block two rotations differ in their first characters: n log n.
 */
#include <stdlib.h>

struct block {
    const unsigned char *bytes;
    int length;
};

/* Whether the rotation that starts at `a` comes before the one at `b`. */
static int before(const struct block *block, int a, int b) {
    for (int i = 0; i < block->length; i++) {
        unsigned char from_a = block->bytes[a], from_b = block->bytes[b];
        if (from_a != from_b) return from_a < from_b;
        if (++a == block->length) a = 0;
        if (++b == block->length) b = 0;
    }
    return 0;
}

static void merge(const struct block *block, const int *from, int *to, int low, int middle, int high) {
    int left = low, right = middle;
    for (int i = low; i < high; i++) {
        if (right >= high || (left < middle && !before(block, from[right], from[left]))) {
            to[i] = from[left++];
        } else {
            to[i] = from[right++];
        }
    }
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

int transform(const unsigned char *bytes, int n) {
    struct block block = {bytes, n};
    int *order = malloc((size_t)(n + 1) * sizeof *order), *room = malloc((size_t)(n + 1) * sizeof *room);
    int place = 0;
    if (!order || !room) return -1;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int width = 1; width < n; width *= 2) {
        for (int low = 0; low < n; low += 2 * width) {
            merge(&block, order, room, low, smaller(low + width, n), smaller(low + 2 * width, n));
        }
        int *other = order;
        order = room;
        room = other;
    }
    while (place < n && order[place] != 0) place++;
    free(order);
    free(room);
    return place;
}
