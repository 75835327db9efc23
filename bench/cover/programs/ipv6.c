/* Text addresses of version 6: eight groups, one gap, an address of version 4 at the end, a zone and a prefix length. */
#include <stdint.h>
#include <string.h>

static int hex(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static int version4(const unsigned char *at, uint32_t size, uint16_t *groups) {
    int part = 0, value = -1;
    uint32_t address = 0;
    for (uint32_t i = 0; i <= size; i++) {
        if (i == size || at[i] == '.') {
            if (value < 0 || part == 4) return -1;
            address = address << 8 | (uint32_t)value;
            part++;
            value = -1;
        } else if (at[i] >= '0' && at[i] <= '9') {
            if (value == 0) return -2;
            value = (value < 0 ? 0 : value * 10) + at[i] - '0';
            if (value > 255) return -3;
        } else {
            return -4;
        }
    }
    if (part != 4) return -5;
    groups[0] = (uint16_t)(address >> 16);
    groups[1] = (uint16_t)address;
    return 0;
}

int parse_address(const unsigned char *data, uint32_t size) {
    uint16_t groups[8] = {0};
    int count = 0, gap = -1, prefix = -1;
    uint32_t end = size;
    for (uint32_t i = 0; i < size; i++) {
        if (data[i] != '/') continue;
        if (i + 1 == size || i + 4 < size) return -1;
        prefix = 0;
        for (uint32_t j = i + 1; j < size; j++) {
            if (data[j] < '0' || data[j] > '9') return -2;
            prefix = prefix * 10 + data[j] - '0';
        }
        if (prefix > 128) return -3;
        end = i;
        break;
    }
    for (uint32_t i = 0; i < end; i++) {
        if (data[i] != '%') continue;
        if (i + 1 == end) return -4;
        end = i;
        break;
    }
    uint32_t at = 0;
    if (end >= 2 && data[0] == ':' && data[1] == ':') { gap = 0; at = 2; }
    else if (end && data[0] == ':') return -5;
    while (at < end) {
        if (count == 8) return -6;
        uint32_t begin = at;
        int value = 0, digits = 0;
        while (at < end && hex(data[at]) >= 0) {
            value = value << 4 | hex(data[at++]);
            if (++digits > 4) return -7;
        }
        if (at < end && data[at] == '.') {
            if (count > 6) return -8;
            if (version4(data + begin, end - begin, groups + count)) return -9;
            count += 2;
            at = end;
            break;
        }
        if (digits == 0) return -10;
        groups[count++] = (uint16_t)value;
        if (at == end) break;
        if (data[at++] != ':') return -11;
        if (at == end) return -12;
        if (data[at] == ':') {
            if (gap >= 0) return -13;
            gap = count;
            at++;
        }
    }
    if (gap < 0 && count != 8) return -14;
    if (gap >= 0 && count == 8) return -15;
    if (gap >= 0) {
        int moved = count - gap;
        memmove(groups + 8 - moved, groups + gap, sizeof *groups * (size_t)moved);
        memset(groups + gap, 0, sizeof *groups * (size_t)(8 - count));
    }
    int zeros = 0;
    while (zeros < 7 && groups[zeros] == 0) zeros++;
    if (zeros == 7) return groups[7] == 1 ? 1 : groups[7] == 0 ? 2 : 3;
    if (zeros == 5 && groups[5] == 0xffff) return 4;
    if ((groups[0] & 0xffc0) == 0xfe80) return 5;
    if ((groups[0] & 0xff00) == 0xff00) return prefix >= 0 && prefix < 8 ? 6 : 7;
    return groups[0] == 0x2001 && groups[1] == 0x0db8 ? 8 : 9;
}
