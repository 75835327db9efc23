/* A picture in chunks, in the manner of PNG: a signature, then length, type, content and CRC-32 of each chunk. The header
 * comes first, a palette only where the header says so, the end last. */
#include <stdint.h>
#include <string.h>

static uint32_t crc32(const unsigned char *at, uint32_t count) {
    uint32_t crc = 0xffffffffu;
    while (count--) {
        crc ^= *at++;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static uint32_t big_endian(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int header(const unsigned char *at, uint32_t length, int *has_palette) {
    if (length != 10) return -10;
    uint32_t width = big_endian(at), height = big_endian(at + 4);
    if (width == 0 || height == 0) return -11;
    if (width > 4096 || height > 4096) return -12;
    int depth = at[8], colours = at[9];
    switch (colours) {
    case 0: if (depth != 1 && depth != 2 && depth != 4 && depth != 8) return -13; break;
    case 2: if (depth != 8 && depth != 16) return -14; break;
    case 3: if (depth > 8) return -15; *has_palette = 1; break;
    default: return -16;
    }
    return 0;
}

int read_chunks(const unsigned char *data, uint32_t size) {
    static const unsigned char SIGNATURE[8] = {0x89, 'P', 'I', 'X', '\r', '\n', 0x1a, '\n'};
    if (size < 8 || memcmp(data, SIGNATURE, 8) != 0) return -1;
    int chunks = 0, has_palette = 0, seen_palette = 0, seen_text = 0;
    uint32_t at = 8;
    while (size - at >= 12) {
        uint32_t length = big_endian(data + at);
        if (length > size - at - 12) return -2;
        const unsigned char *type = data + at + 4, *content = data + at + 8;
        if (crc32(type, length + 4) != big_endian(content + length)) return -3;
        at += 12 + length;
        if (chunks == 0) {
            if (memcmp(type, "HEAD", 4) != 0) return -4;
            int wrong = header(content, length, &has_palette);
            if (wrong) return wrong;
        } else if (memcmp(type, "PLTE", 4) == 0) {
            if (!has_palette) return -5;
            if (seen_palette++) return -6;
            if (length == 0 || length % 3 != 0) return -7;
        } else if (memcmp(type, "tEXt", 4) == 0) {
            if (length == 0 || content[0] == 0) return -8;
            seen_text++;
        } else if (memcmp(type, "DONE", 4) == 0) {
            if (length) return -9;
            if (at != size) return -20;
            if (has_palette && !seen_palette) return -21;
            return seen_text ? 2 : 1;
        } else if (!(type[0] & 0x20)) {
            return -22; /* a critical chunk that nobody knows */
        }
        chunks++;
    }
    return -23;
}
