// collatz(u16) -> u32
// Steps until 1, at most 18: many numbers have a sequence of halvings of their own. The values leave 16 bits.
#include <stdint.h>

uint32_t collatz(uint16_t start) {
    uint64_t n = (uint64_t)start + 1;
    uint32_t steps = 0;
    while (n != 1 && steps < 18) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}
