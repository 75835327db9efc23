// utf8(u8[2], 2) -> i32
// The first code point, or a negative number that says what is wrong.
#include <stdint.h>

int32_t utf8(const uint8_t *s, uint32_t n) {
    if (n == 0) return -1;
    if (s[0] < 0x80) return s[0];
    if (s[0] < 0xc2) return -2; /* a continuation, or an overlong form */
    if (s[0] < 0xe0) {
        if (n < 2) return -1;
        if ((s[1] & 0xc0) != 0x80) return -3;
        return (s[0] & 0x1f) << 6 | (s[1] & 0x3f);
    }
    if (s[0] < 0xf0) {
        if (n >= 2 && s[0] == 0xe0 && s[1] < 0xa0) return -2;
        if (n >= 2 && s[0] == 0xed && s[1] > 0x9f) return -4; /* a surrogate */
        if (n >= 2 && (s[1] & 0xc0) != 0x80) return -3;
        return -1;
    }
    return s[0] < 0xf5 ? -1 : -2;
}
