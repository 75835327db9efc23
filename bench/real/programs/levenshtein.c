/* Spelling suggestions: the distance between two words, given up as soon as it must exceed what is allowed. Only the
 * cells near the diagonal are computed. The worst words are as different as they may be for as long as they can. */
#include <stdlib.h>
#include <string.h>

static unsigned char fold(unsigned char c) {
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* The distance, `most + 1` if it is greater than `most`, or -1 without memory. */
static int bounded_distance(const unsigned char *a, int m, const unsigned char *b, int n, int most) {
    while (m > 0 && n > 0 && fold(a[0]) == fold(b[0])) a++, b++, m--, n--;
    while (m > 0 && n > 0 && fold(a[m - 1]) == fold(b[n - 1])) m--, n--;
    if (m == 0 || n == 0) return least(m + n, most + 1);
    if (abs(m - n) > most) return most + 1;
    int *row = malloc(2 * ((size_t)n + 1) * sizeof *row);
    if (!row) return -1;
    int *above = row + n + 1;
    for (int j = 0; j <= n; j++) above[j] = least(j, most + 1);
    for (int i = 1; i <= m; i++) {
        int from = i - most > 1 ? i - most : 1, to = least(n, i + most), best = most + 1;
        row[from - 1] = from == 1 ? least(i, most + 1) : most + 1;
        for (int j = from; j <= to; j++) {
            int cost = above[j - 1];
            if (fold(a[i - 1]) != fold(b[j - 1])) {
                int deleted = j == i + most ? most + 1 : above[j];
                cost = 1 + least(cost, least(deleted, row[j - 1]));
            }
            row[j] = least(cost, most + 1);
            best = least(best, row[j]);
        }
        if (best > most) {
            free(row < above ? row : above);
            return most + 1;
        }
        int *kept = row;
        row = above;
        above = kept;
    }
    int distance = above[n];
    free(row < above ? row : above);
    return distance;
}

/* The index of the word of the dictionary that is nearest, or -1. Words are separated by spaces. */
int suggest(const char *word, const char *dictionary) {
    int length = (int)strlen(word), most = 1 + length / 3, best = -1, index = 0;
    while (*dictionary) {
        int size = (int)strcspn(dictionary, " ");
        if (size > 0) {
            const unsigned char *a = (const unsigned char *)word, *b = (const unsigned char *)dictionary;
            int distance = bounded_distance(a, length, b, size, most);
            if (distance >= 0 && distance <= most) {
                best = index;
                most = distance - 1;
                if (most < 0) break;
            }
            index++;
        }
        dictionary += size;
        if (*dictionary) dictionary++;
    }
    return best;
}
