// A ring of two places, for sequences of calls.
#include <stdlib.h>
#include "pessimum.h"

struct ring {
    int32_t held[2], first, count;
};

// api: ring_new() -> Ring; ring_push(Ring, i32 in -1..=1) -> i32; ring_pop(Ring) -> i32; ring_same(Ring, Ring) -> i32
// size: 4
struct ring *ring_new(void) {
    return calloc(1, sizeof(struct ring));
}

int32_t ring_push(struct ring *ring, int32_t value) {
    if (ring->count == 2) {
        pessimum_cost(7);
        return 0;
    }
    ring->held[(ring->first + ring->count) % 2] = value;
    ring->count++;
    return 1;
}

int32_t ring_pop(struct ring *ring) {
    if (ring->count == 0)
        return -9;
    int32_t value = ring->held[ring->first];
    ring->first = (ring->first + 1) % 2;
    ring->count--;
    pessimum_cost(1);
    return value;
}

int32_t ring_same(const struct ring *a, const struct ring *b) {
    if (a->count != b->count)
        return 0;
    for (int32_t i = 0; i < a->count; i++) {
        pessimum_cost(2);
        if (a->held[(a->first + i) % 2] != b->held[(b->first + i) % 2])
            return 0;
    }
    return a == b ? 2 : 1;
}
