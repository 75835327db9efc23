// bcd(u16) -> i32
// Packed decimal digits to a number; what is no digit is reported with its place.
#include <stdint.h>

int32_t bcd(uint16_t packed) {
    int32_t value = 0;
    for (int shift = 12; shift >= 0; shift -= 4) {
        int32_t digit = packed >> shift & 15;
        if (digit > 9) return -1 - shift / 4;
        value = value * 10 + digit;
    }
    return value;
}
