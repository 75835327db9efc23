/* A format: `RX`, a version from 1 to 3, records of a length and as many bytes, `END`. Only whole files get to the quadratic part,
   in which every record is compared with all before. */
#include <string.h>

static int starts[1 << 20], sizes[1 << 20];

int magic(const unsigned char *text, int length) {
    int at = 3, count = 0, equal = 0;
    if (length < 6 || memcmp(text, "RX", 2) || text[2] < '1' || text[2] > '3') return -1;
    if (memcmp(text + length - 3, "END", 3)) return -2;
    while (at < length - 3) {
        int size = text[at++] - '0';
        if (size < 1 || size > 9 || at + size > length - 3) return -3;
        starts[count] = at;
        sizes[count++] = size;
        at += size;
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) equal += sizes[i] == sizes[j] && !memcmp(text + starts[i], text + starts[j], sizes[i]);
    }
    return equal;
}
