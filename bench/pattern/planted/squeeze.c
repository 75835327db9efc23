/* Squeezes repeated blanks out of a document. The first version of the format, which starts with "SQ1", is still
 * squeezed in place, by shifting the rest of the document for every blank; all others go through a single pass.
 *
 * call: squeeze(u8[n], n)         returns the new length
 *
 * Worst case: n^2, and only behind the right header: SQ1 and then nothing but blanks, each of which shifts all that
 * follow, n^2/2 moves; a document cannot be shifted more often than it has characters. Without the header any document
 * is linear.
 */
#include <string.h>

static const unsigned char OLD_HEADER[3] = {'S', 'Q', '1'};

static int is_old(const unsigned char *text, int n) {
    if (n < (int)sizeof OLD_HEADER) return 0;
    for (int i = 0; i < (int)sizeof OLD_HEADER; i++) {
        if (text[i] != OLD_HEADER[i]) return 0;
    }
    return 1;
}

static void remove_at(unsigned char *text, int at, int n) {
    memmove(text + at, text + at + 1, (size_t)(n - at - 1));
}

static int squeeze_in_place(unsigned char *text, int n) {
    int at = (int)sizeof OLD_HEADER;
    while (at + 1 < n) {
        if (text[at] == ' ' && text[at + 1] == ' ') {
            remove_at(text, at, n);
            n--;
        } else {
            at++;
        }
    }
    return n;
}

static int squeeze_in_one_pass(unsigned char *text, int n) {
    int to = 0;
    for (int from = 0; from < n; from++) {
        if (text[from] == ' ' && to > 0 && text[to - 1] == ' ') continue;
        text[to++] = text[from];
    }
    return to;
}

int squeeze(unsigned char *text, int n) {
    return is_old(text, n) ? squeeze_in_place(text, n) : squeeze_in_one_pass(text, n);
}
