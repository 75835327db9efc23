/* An archive whose directory is at its end, as in ZIP: a trailer points to entries, entries point to members. */
#include <stdint.h>
#include <string.h>

static uint32_t half(const unsigned char *at) { return at[0] | (uint32_t)at[1] << 8; }

static uint32_t word(const unsigned char *at) { return half(at) | half(at + 2) << 16; }

int read_archive(const unsigned char *data, uint32_t size) {
    if (size < 12) return -1;
    const unsigned char *trailer = data + size - 12;
    if (word(trailer) != 0x06054b50) return -2;
    uint32_t count = half(trailer + 4), at = word(trailer + 8), packed = 0;
    if (half(trailer + 6) != 0) return -3;
    if (count == 0) return 0;
    if (count > 4) return -4;
    for (uint32_t i = 0; i < count; i++) {
        if (at > size - 12 || size - 12 - at < 12) return -5;
        const unsigned char *entry = data + at;
        if (word(entry) != 0x02014b50) return -6;
        uint32_t method = half(entry + 4), member = half(entry + 6), length = half(entry + 8), name = half(entry + 10);
        if (name == 0 || name > size - 24 - at) return -7;
        if (memchr(entry + 12, 0, name)) return -8;
        if (entry[12] == '/') return -9;
        if (name >= 2 && memcmp(entry + 12, "..", 2) == 0) return -10;
        if (member > size || length > size - member) return -11;
        switch (method) {
        case 0: break;
        case 1: /* runs: pairs of a count and a byte */
            if (length % 2) return -12;
            for (uint32_t j = 0; j < length; j += 2) {
                if (data[member + j] == 0) return -13;
                packed += data[member + j];
            }
            break;
        case 8: return -14;
        default: return -15;
        }
        at += 12 + name;
    }
    if (packed > 300) return 3;
    return count > 1 ? 2 : 1;
}
