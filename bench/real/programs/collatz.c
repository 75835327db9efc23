/* How long a loop over one byte can be: the mixer of a toy random generator, which is run until it comes back to
 * one, with the steps of Collatz in its middle. A thousand steps depend on eight bits. */
#include <stdint.h>

enum { MOST_STEPS = 4096 };

struct walk {
    uint32_t value;
    int steps, highest_bit;
};

static int bit_length(uint32_t value) {
    int bits = 0;
    while (value != 0) {
        value >>= 1;
        bits++;
    }
    return bits;
}

static int step(struct walk *walk) {
    if (walk->steps == MOST_STEPS) return 0;
    walk->steps++;
    if (walk->value % 2 == 0) {
        walk->value /= 2;
    } else {
        walk->value = 3 * walk->value + 1;
        int bits = bit_length(walk->value);
        if (bits > walk->highest_bit) walk->highest_bit = bits;
    }
    return walk->value > 1;
}

/* The number of steps of the walks from the byte and from each of its next few multiples. */
int walk_lengths(uint8_t start, int walks) {
    int total = 0;
    for (int i = 1; i <= walks; i++) {
        struct walk walk = {(uint32_t)start * (uint32_t)i + 1, 0, 0};
        while (step(&walk)) {
        }
        total += walk.steps + walk.highest_bit;
    }
    return total;
}
