// adler(u8[4] in 0..16, 4) -> u32
// Adler-32, with the subtraction that libraries use in place of the remainder.
#include <stdint.h>

uint32_t adler(const uint8_t *bytes, uint32_t length) {
    uint32_t a = 65500, b = 65500;
    for (uint32_t i = 0; i < length; i++) {
        a += bytes[i] * 7u;
        if (a >= 65521) a -= 65521;
        b += a;
        if (b >= 65521) b -= 65521;
    }
    return b << 16 | a;
}
