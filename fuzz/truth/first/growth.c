// Loops whose growth is known.
#include "pessimum.h"

// call: inversions(i32[n], n)
// class: n^2
// sizes: 3..12
int32_t inversions(int32_t *xs, int32_t n) {
    int32_t found = 0;
    for (int32_t i = 1; i < n; i++)
        for (int32_t j = i; j > 0 && xs[j - 1] > xs[j]; j--) {
            int32_t x = xs[j];
            xs[j] = xs[j - 1];
            xs[j - 1] = x;
            pessimum_cost(1);
            found++;
        }
    return found;
}

// call: blanks(str[n])
// class: n
// sizes: 4..32
int32_t blanks(const char *s) {
    int32_t n = 0;
    for (; *s == ' ' || *s == 'x'; s++) {
        pessimum_cost(1);
        n++;
    }
    return n;
}

// call: constant(i32[n], n)
// class: 1
// sizes: 4..32
int32_t constant(const int32_t *xs, int32_t n) {
    pessimum_cost(3);
    return xs[0] > xs[n - 1];
}

// call: halving(i32[n], n)
// class: log n
// sizes: 4..64
int32_t halving(const int32_t *xs, int32_t n) {
    int32_t low = 0, high = n;
    while (low < high) {
        pessimum_cost(1);
        int32_t middle = (low + high) / 2;
        if (xs[middle] < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// call: subsets(i32[n] in 1..=9, n)
// runs: curve
// class: 2^n
// sizes: 2..10
int32_t subsets(const int32_t *xs, int32_t n) {
    pessimum_cost(1);
    if (n == 0)
        return 0;
    int32_t without = subsets(xs, n - 1);
    int32_t with = subsets(xs, n - 1) + xs[n - 1];
    return with > without ? with : without;
}

// call: matching(u8[n], n)
// class: n^2
// sizes: 4..24
int32_t matching(const uint8_t *s, int32_t n) {
    int32_t best = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t j = i;
        while (j < n && s[j] == '(') {
            pessimum_cost(1);
            j++;
        }
        if (j - i > best)
            best = j - i;
    }
    return best;
}

// call: slow_start(i32[n], n)
// class: n^2
// sizes: 4..16
int32_t slow_start(const int32_t *xs, int32_t n) {
    pessimum_cost(400);
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            pessimum_cost(1);
            found += xs[i] < xs[j];
        }
    return found;
}

// call: needle(u8[n], n)
// class: n
// sizes: 4..16
int32_t needle(const uint8_t *s, int32_t n) {
    int32_t i = 0;
    while (i < n && s[i] == (uint8_t)(i * 7 + 3)) {
        pessimum_cost(1);
        i++;
    }
    return i;
}
