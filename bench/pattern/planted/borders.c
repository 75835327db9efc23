/* How often a word repeats itself: the table of borders of Knuth, Morris and Pratt (1977), and the period that
 * follows.
 *
 * call: repetitions(u8[n], n)
 *
 * Worst case: linear, although one step may fall back through many borders, and although periodic text is what ruins
 * simpler searches. The length of the border grows by at most one for each character and every fall makes it shorter:
 * at most n falls in all.
 */
#include <stdlib.h>

static void fill_borders(const unsigned char *word, int n, int *border) {
    int length = 0;
    border[0] = 0;
    for (int i = 1; i < n; i++) {
        while (length > 0 && word[i] != word[length]) length = border[length - 1];
        if (word[i] == word[length]) length++;
        border[i] = length;
    }
}

/* How many of the prefixes are repetitions of something shorter. */
static int count_repeating(const int *border, int n) {
    int repeating = 0;
    for (int i = 0; i < n; i++) {
        int length = i + 1;
        int period = length - border[i];
        if (period < length && length % period == 0) repeating++;
    }
    return repeating;
}

int repetitions(const unsigned char *word, int n) {
    if (n <= 0) return 0;
    int *border = malloc((size_t)n * sizeof *border);
    if (!border) return -1;
    fill_borders(word, n, border);
    int repeating = count_repeating(border, n);
    free(border);
    return repeating;
}
