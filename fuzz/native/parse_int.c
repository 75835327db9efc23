// parse_int(u8[2], 2) -> i32
// A decimal number with an optional sign.
#include <stdint.h>

int32_t parse_int(const uint8_t *text, uint32_t length) {
    uint32_t at = 0;
    int32_t sign = 1, value = 0, digits = 0;
    while (at < length && (text[at] == ' ' || text[at] == '\t')) at++;
    if (at < length && (text[at] == '-' || text[at] == '+')) sign = text[at++] == '-' ? -1 : 1;
    for (; at < length; at++) {
        uint32_t digit = text[at] - (uint32_t)'0';
        if (digit > 9) break;
        value = value * 10 + (int32_t)digit;
        digits++;
    }
    if (digits == 0) return -1000;
    return at == length ? sign * value : 1000 + sign * value;
}
