/* Base64 as mail has it: line breaks are skipped, padding is checked, the bits behind the last byte must be zero.
 * The cost is that of the characters that are read before the first mistake. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INVALID = -1, PADDING = -2, BLANK = -3 };

enum status { DECODED, BAD_CHARACTER, BAD_PADDING, TRUNCATED, NO_ROOM };

static int value_of(unsigned char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    if (c == '=') return PADDING;
    if (c == '\r' || c == '\n' || c == ' ' || c == '\t') return BLANK;
    return INVALID;
}

struct group {
    uint32_t bits;
    int characters, padding;
};

static enum status flush(struct group *group, uint8_t *out, size_t room, size_t *used) {
    int bytes = 3 - group->padding;
    if (group->padding > 0 && (group->bits & ((1u << (8 * group->padding)) - 1)) != 0) return BAD_PADDING;
    if (*used + (size_t)bytes > room) return NO_ROOM;
    for (int i = 0; i < bytes; i++) out[(*used)++] = (uint8_t)(group->bits >> (16 - 8 * i));
    group->bits = 0;
    group->characters = 0;
    return DECODED;
}

/* Decodes into `out`; `used` says how much is there, also after a mistake. */
static enum status decode(const unsigned char *text, size_t length, uint8_t *out, size_t room, size_t *used) {
    struct group group = {0};
    bool ended = false;
    for (size_t i = 0; i < length; i++) {
        int value = value_of(text[i]);
        if (value == BLANK) continue;
        if (value == INVALID || ended) return BAD_CHARACTER;
        if (value == PADDING) {
            if (group.characters < 2) return BAD_PADDING;
            group.padding++;
            value = 0;
        } else if (group.padding > 0) {
            return BAD_PADDING;
        }
        group.bits = group.bits << 6 | (uint32_t)value;
        if (++group.characters < 4) continue;
        ended = group.padding > 0;
        enum status status = flush(&group, out, room, used);
        if (status != DECODED) return status;
    }
    return group.characters == 0 ? DECODED : TRUNCATED;
}

/* The number of bytes, or less than zero for text that is not base64. */
int base64_decode(const unsigned char *text, size_t length, uint8_t *out, size_t room) {
    size_t used = 0;
    enum status status = decode(text, length, out, room, &used);
    return status == DECODED ? (int)used : -(int)status;
}
