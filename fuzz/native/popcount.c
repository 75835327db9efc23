// popcount(i16) -> i32
// Kernighan's loop, checked against the parallel count; the sign must not leak into the upper half.
#include <stdint.h>

int32_t popcount(int16_t value) {
    uint16_t bits = (uint16_t)value;
    int32_t count = 0;
    for (uint16_t rest = bits; rest != 0; rest &= rest - 1) count++;
    uint32_t v = bits;
    v = v - ((v >> 1) & 0x5555);
    v = (v & 0x3333) + ((v >> 2) & 0x3333);
    v = (v + (v >> 4)) & 0x0f0f;
    v = (v + (v >> 8)) & 0x1f;
    return v == (uint32_t)count ? count : -1;
}
