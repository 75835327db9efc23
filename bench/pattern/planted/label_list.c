/* The labels of a small assembler: three printable characters and a semicolon each. A label that is declared twice is
 * an error.
 *
 * call: declare(u8[n], n)         returns the number of labels, or minus the position of an error
 *
 * Worst case: n^2, by different names: the n/4 labels of a correct list are each compared with all before, n^2/32
 * comparisons. A wrong character or a repetition ends everything, so that random bytes cost next to nothing. There are
 * 93^3 = 804,357 labels (no blank, no semicolon), enough for n up to 3 * 10^6.
 */
#include <stdint.h>
#include <stdlib.h>

#define LABEL_CHARS 3

struct labels {
    uint32_t *packed;
    int used;
};

static int is_label_char(unsigned char c) {
    return c > ' ' && c < 0x7f && c != ';';
}

/* The characters of a label in one number, or 0 if something else is there. */
static uint32_t read_label(const unsigned char *text) {
    uint32_t packed = 0;
    for (int i = 0; i < LABEL_CHARS; i++) {
        if (!is_label_char(text[i])) return 0;
        packed = packed << 8 | text[i];
    }
    return text[LABEL_CHARS] == ';' ? packed : 0;
}

static int is_declared(const struct labels *labels, uint32_t label) {
    for (int i = 0; i < labels->used; i++) {
        if (labels->packed[i] == label) return 1;
    }
    return 0;
}

int declare(const unsigned char *text, int n) {
    struct labels labels = {malloc((size_t)(n / (LABEL_CHARS + 1) + 1) * sizeof(uint32_t)), 0};
    int result = 0;
    if (!labels.packed) return 0;
    for (int at = 0; at + LABEL_CHARS < n; at += LABEL_CHARS + 1) {
        uint32_t label = read_label(text + at);
        if (label == 0 || is_declared(&labels, label)) {
            result = -at - 1;
            break;
        }
        labels.packed[labels.used++] = label;
        result = labels.used;
    }
    free(labels.packed);
    return result;
}
