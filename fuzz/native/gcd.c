// gcd(u8, u8) -> u32
// Euclid's algorithm: as many iterations as the quotients are small.
#include <stdint.h>

uint32_t gcd(uint8_t a, uint8_t b) {
    uint32_t x = a, y = b;
    while (y != 0) {
        uint32_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}
