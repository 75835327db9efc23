// collatz(u16) -> u32
// Steps until 1; the values leave 16 and, for some, 32 bits.
#include <stdint.h>

uint32_t collatz(uint16_t start) {
    uint64_t n = (uint64_t)start + 1;
    uint32_t steps = 0;
    while (n != 1 && steps < 60) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}
