// mix(u16) -> i64
// The finaliser of splitmix64, with a loop that depends on its bits.
#include <stdint.h>

int64_t mix(uint16_t seed) {
    uint64_t x = (uint64_t)seed * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    uint32_t rounds = 0;
    while ((x & 3) == 0 && rounds < 5) {
        x = x >> 2 | x << 62;
        rounds++;
    }
    return (int64_t)(x + rounds);
}
