/* Records of a type, a length and a value, nested, with a table of what each type may be. */
#include <stdint.h>

enum kind { NONE, FLAG, NUMBER, TEXT, LIST, STAMP };

static const unsigned char KINDS[256] = {
    [0x01] = FLAG, [0x02] = NUMBER, [0x0c] = TEXT, [0x13] = TEXT, [0x30] = LIST, [0x31] = LIST, [0x17] = STAMP,
    [0x80] = NUMBER, [0x81] = TEXT, [0xa0] = LIST, [0xbf] = STAMP,
};

static int texts, stamps, deepest;

static int read_all(const unsigned char *at, uint32_t size, int depth) {
    if (depth > deepest) deepest = depth;
    if (depth > 4) return -1;
    while (size) {
        if (size < 2) return -2;
        uint32_t type = at[0], length = at[1], head = 2;
        if (length == 0x81) {
            if (size < 3) return -3;
            length = at[2];
            head = 3;
            if (length < 0x80) return -4; /* not the shortest form */
        } else if (length > 0x7f) {
            return -5;
        }
        if (length > size - head) return -6;
        const unsigned char *value = at + head;
        switch (KINDS[type]) {
        case FLAG:
            if (length != 1) return -7;
            if (value[0] != 0 && value[0] != 0xff) return -8;
            break;
        case NUMBER:
            if (length == 0 || length > 4) return -9;
            if (length > 1 && value[0] == 0 && value[1] < 0x80) return -10;
            break;
        case TEXT:
            for (uint32_t i = 0; i < length; i++) {
                if (value[i] < ' ') return -11;
                if (type == 0x13 && value[i] > '~') return -12;
            }
            texts++;
            break;
        case LIST: {
            int wrong = read_all(value, length, depth + 1);
            if (wrong < 0) return wrong;
            break;
        }
        case STAMP: {
            if (length != 5 || value[4] != 'Z') return -13;
            int hour = (value[0] - '0') * 10 + value[1] - '0', minute = (value[2] - '0') * 10 + value[3] - '0';
            if (hour < 0 || hour > 23) return -14;
            if (minute < 0 || minute > 59) return -15;
            stamps++;
            break;
        }
        default: return -16;
        }
        at += head + length;
        size -= head + length;
    }
    return 0;
}

int read_records(const unsigned char *data, uint32_t size) {
    texts = stamps = deepest = 0;
    int wrong = read_all(data, size, 0);
    if (wrong) return wrong;
    if (deepest >= 3 && stamps) return 3;
    if (texts > 2) return 2;
    return stamps == 2 ? 4 : 1;
}
