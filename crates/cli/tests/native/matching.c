// Strings, lengths, structures, rows, functions as arguments and results through pointers.
//
// worst: match --size 6 --paths 400
// worst: distinct --size 5 --paths 300
// worst: join --size n=4,m=3 --call 'join(i32[n] in 0..=9, n, i32[m] in 0..=9, m, out i32[12])' --paths 300
// worst: heaviest --size 4 --paths 300
// worst: corner --size 4 --paths 300
// worst: order --call 'order(i16[n] in -9..=9, n, &descending)' --size 5 --paths 300
// worst: near --call 'near(f64[n] in -4.0..=4.0, n, f64)' --size 4 --paths 200
// worst: quotient --size 3 --paths 200
// worst: pattern --call 'pattern("a*b*", str[n])' --size 6 --paths 400
#include "pessimum.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int glob(const char *pattern, const char *text) {
    pessimum_cost(1);
    if (*pattern == 0) return *text == 0;
    if (*pattern == '*') return glob(pattern + 1, text) || (*text && glob(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text) && glob(pattern + 1, text + 1);
}

int match(const char *pattern, const char *text) {
    return glob(pattern, text);
}

int pattern(const char *pattern, const char *text) {
    return glob(pattern, text);
}

uint32_t distinct(const uint8_t *values, size_t count) {
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < i && values[j] != values[i]) {
            j++;
            pessimum_cost(1);
        }
        found += j == i;
    }
    return found;
}

/* Both in descending order, as insertion makes it. */
void join(const int32_t *a, int n, const int32_t *b, int m, int32_t *out) {
    int filled = 0;
    for (int i = 0; i < n + m; i++) {
        int32_t value = i < n ? a[i] : b[i - n];
        int at = filled++;
        while (at > 0 && out[at - 1] < value) {
            out[at] = out[at - 1];
            at--;
            pessimum_cost(1);
        }
        out[at] = value;
    }
}

typedef struct {
    char tag;
    double weight;
    struct { int16_t x, y; } at;
} item;

int heaviest(item *items, int n, int16_t x) {
    int best = -1;
    for (int i = 0; i < n; i++) {
        if (items[i].at.x < x) continue;
        pessimum_cost(1);
        if (best < 0 || items[i].weight > items[best].weight) {
            pessimum_cost(2);
            best = i;
            items[i].tag = 'b';
        }
    }
    return best;
}

int64_t corner(int32_t rows[][3], int n) {
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3 && rows[i][j] > 0; j++) {
            pessimum_cost(1);
            sum += (int64_t)rows[i][j] << j;
        }
    return sum;
}

int descending(int16_t a, int16_t b) {
    pessimum_cost(1);
    return a > b;
}

void order(int16_t *values, int n, int (*before)(int16_t, int16_t)) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && before(values[j], values[j - 1]); j--) {
            int16_t kept = values[j];
            values[j] = values[j - 1];
            values[j - 1] = kept;
        }
}

double near(const double *values, int n, double centre) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double away = values[i] - centre;
        if (away * away < 0.25) {
            pessimum_cost(1);
            sum += away;
        }
    }
    return sum;
}

/* The worst input that returns, and one that divides by zero. */
int32_t quotient(const int32_t *values, int n) {
    int32_t left = 1000;
    for (int i = 0; i < n; i++) {
        if (values[i] == -1) return left;
        pessimum_cost(1);
        left /= values[i];
    }
    return left;
}
