// hex(i8[2], 2) -> i32
// Two hexadecimal digits in `char`s that may be negative.
#include <stdint.h>

static int digit(signed char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

int32_t hex(const signed char *text, uint32_t length) {
    int32_t value = 0;
    for (uint32_t i = 0; i < length; i++) {
        int d = digit(text[i]);
        if (d < 0) return -1 - (int32_t)i;
        value = value << 4 | d;
    }
    return value;
}
