// isqrt(u16) -> u32
// The integer square root by Newton's method.
#include <stdint.h>

uint32_t isqrt(uint16_t n) {
    if (n < 2) return n;
    uint32_t x = n, next = (x + 1) / 2;
    while (next < x) {
        x = next;
        next = (x + n / x) / 2;
    }
    return x;
}
