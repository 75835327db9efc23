// widths(i32 in -32768..32768) -> i64
// Conversions between widths and signs, whose comparisons differ: both extensions of one number meet here.
#include <stdint.h>

int64_t widths(int32_t x) {
    int8_t narrow = (int8_t)x;
    uint8_t low = (uint8_t)x;
    uint16_t middle = (uint16_t)x;
    int64_t wide = x, zeros = (uint32_t)x;
    int64_t result = 0;
    if (narrow < 0 && low > 0x7f) result |= 1;
    if (wide != zeros) result |= 2;
    if ((uint32_t)x > middle) result |= 4;
    if (zeros - wide > 5) result |= 8;
    if ((int16_t)middle == x) result |= 16;
    if ((uint32_t)narrow > 0xffffff80u) result |= 32;
    if ((uint64_t)wide >> 33 != 0 && (int64_t)(int32_t)zeros == wide) result |= 64;
    if (narrow * low < x) result |= 128;
    return result << 32 | middle;
}
