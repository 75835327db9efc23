/* A signed token: two parts in base64 with a dot between them. The first names a method, the second is a list of claims. */
#include <stdint.h>
#include <string.h>

static int sextet(int c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '-') return 62;
    if (c == '_') return 63;
    return -1;
}

static int decode(const unsigned char *at, uint32_t size, unsigned char *out) {
    uint32_t bits = 0, held = 0;
    int count = 0;
    if (size % 4 == 1) return -1;
    for (uint32_t i = 0; i < size; i++) {
        int value = sextet(at[i]);
        if (value < 0) return -2;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[count++] = (unsigned char)(bits >> held);
        }
    }
    if (bits & ((1u << held) - 1)) return -3;
    return count;
}

int check_token(const unsigned char *data, uint32_t size) {
    unsigned char part[64];
    uint32_t dot = 0;
    while (dot < size && data[dot] != '.') dot++;
    if (dot == size) return -1;
    int length = decode(data, dot, part);
    if (length < 0) return length - 1;
    if (length != 5) return -5;
    int is_none = memcmp(part, "none!", 5) == 0;
    if (!is_none && memcmp(part, "HS256", 5) != 0) return -6;
    length = decode(data + dot + 1, size - dot - 1, part);
    if (length < 0) return length - 9;
    if (length < 6) return -13;
    if (memcmp(part, "id=", 3) != 0) return -14;
    int id = 0, at = 3;
    while (at < length && part[at] >= '0' && part[at] <= '9') id = id * 10 + part[at++] - '0';
    if (at == 3 || at > 8) return -15;
    if (at == length) return id == 1000 ? 2 : 1;
    if (part[at] != ';') return -16;
    if (length - at == 6 && memcmp(part + at + 1, "admin", 5) == 0) return is_none ? -17 : 3;
    return -18;
}
