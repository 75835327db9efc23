// shifts(u8, u8) -> i64
// Rotations and shifts, logical and arithmetic, of all widths.
#include <stdint.h>

static uint32_t rotate(uint32_t x, uint32_t by) {
    by &= 31;
    return by == 0 ? x : x << by | x >> (32 - by);
}

int64_t shifts(uint8_t a, uint8_t b) {
    uint64_t wide = (uint64_t)a << 56 | b;
    uint32_t by = b & 63;
    int64_t arithmetic = (int64_t)wide >> by;
    uint64_t logical = wide >> by;
    uint32_t turned = rotate(0x80000001u ^ a, b);
    int16_t narrow = (int16_t)((uint16_t)a << 8);
    if (arithmetic < 0 && (turned & 1)) logical += turned;
    return (int64_t)(logical ^ (uint64_t)arithmetic ^ (uint64_t)(narrow >> (b & 7)));
}
