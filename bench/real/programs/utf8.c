/* Text checked for UTF-8 and counted in characters and columns, with overlong forms, surrogates and code points beyond
 * Unicode refused, and a fast path for eight bytes of ASCII. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct count {
    int characters, columns;
};

/* How many bytes follow a first byte, or -1 for one that cannot be first. */
static int follow(uint8_t first) {
    if (first < 0x80) return 0;
    if (first < 0xc2) return -1;
    if (first < 0xe0) return 1;
    if (first < 0xf0) return 2;
    return first < 0xf5 ? 3 : -1;
}

static bool wide(uint32_t c) {
    return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
           (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
           (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

static bool combining(uint32_t c) {
    return (c >= 0x300 && c <= 0x36f) || (c >= 0x1ab0 && c <= 0x1aff) || (c >= 0x20d0 && c <= 0x20ff) ||
           (c >= 0xfe20 && c <= 0xfe2f);
}

/* The number of bytes of the character, or 0 if it is not one. */
static size_t decode(const uint8_t *p, size_t rest, uint32_t *code) {
    int more = follow(*p);
    if (more < 0 || (size_t)more >= rest) return 0;
    *code = more == 0 ? *p : *p & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    if (more == 2 && (*code < 0x800 || (*code >= 0xd800 && *code <= 0xdfff))) return 0;
    if (more == 3 && (*code < 0x10000 || *code > 0x10ffff)) return 0;
    return (size_t)more + 1;
}

/* The columns that a text takes on a terminal, or -1 minus the place of the first mistake. */
int columns(const uint8_t *text, size_t length) {
    struct count count = {0, 0};
    size_t at = 0;
    while (at < length) {
        uint64_t eight;
        if (length - at >= sizeof eight) {
            memcpy(&eight, text + at, sizeof eight);
            if ((eight & 0x8080808080808080u) == 0) {
                count.characters += 8;
                count.columns += 8;
                at += 8;
                continue;
            }
        }
        uint32_t code;
        size_t bytes = decode(text + at, length - at, &code);
        if (bytes == 0) return -1 - (int)at;
        count.characters++;
        if (!combining(code)) count.columns += wide(code) ? 2 : 1;
        at += bytes;
    }
    return count.columns;
}
