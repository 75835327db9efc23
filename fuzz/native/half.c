// half(u16) -> f32
// A half-precision number as a float, by its bits: zeros, subnormals, infinities.
#include <stdint.h>
#include <string.h>

float half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023, bits;
    if (exponent == 31) {
        bits = sign | (fraction ? 0x7fc00000u : 0x7f800000u);
    } else if (exponent != 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else if (fraction == 0) {
        bits = sign;
    } else {
        exponent = 113;
        while (!(fraction & 1024)) {
            fraction <<= 1;
            exponent--;
        }
        bits = sign | exponent << 23 | (fraction & 1023) << 13;
    }
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}
