/* Arrays whose lengths are not where most functions have them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

int total(size_t count, const int *values) {
    int sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i] > 0;
    return sum;
}

int common(const char *a, int na, const char *b, int nb) {
    int found = 0;
    for (int i = 0; i < na && i < nb; i++) found += a[i] == b[i];
    return found;
}

int merged(const int *left, int left_len, const int *right, int right_len, int *out) {
    int i = 0, j = 0, k = 0;
    while (i < left_len && j < right_len) out[k++] = left[i] <= right[j] ? left[i++] : right[j++];
    while (i < left_len) out[k++] = left[i++];
    while (j < right_len) out[k++] = right[j++];
    return k;
}

long rows(int n, const short (*table)[3]) {
    long sum = 0;
    for (int i = 0; i < n; i++) sum += table[i][0] == table[i][2];
    return sum;
}

/* The compiler gives its innermost loop no line of its own. */
size_t unique(size_t n, unsigned short *values) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t j = 0; j < kept; j++) if (values[j] == values[i]) { seen = true; break; }
        if (!seen) values[kept++] = values[i];
    }
    return kept;
}

int lines(FILE *from) { return fgetc(from) == '\n'; }
int first(const char *const *words, size_t count) { return count > 0 && words[0][0] == 'x'; }
int wide(unsigned __int128 number) { return number > 9; }
