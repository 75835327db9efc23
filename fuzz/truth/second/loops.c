// More growth.
#include "pessimum.h"

// call: selection(i32[n], n)
// class: n^2
// sizes: 3..12
void selection(int32_t *xs, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        int32_t least = i;
        for (int32_t j = i + 1; j < n; j++) {
            pessimum_cost(1);
            if (xs[j] < xs[least])
                least = j;
        }
        int32_t x = xs[i];
        xs[i] = xs[least];
        xs[least] = x;
    }
}

// call: zeros(u8[n], n)
// class: n
// sizes: 4..24
int32_t zeros(const uint8_t *s, int32_t n) {
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++)
        if (s[i] == 0) {
            pessimum_cost(1);
            found++;
        }
    return found;
}

// call: doubled(n)
// class: log n
// sizes: 2..64
// runs: curve
int32_t doubled(int32_t n) {
    int32_t steps = 0;
    for (int32_t i = 1; i < n; i *= 2) {
        pessimum_cost(1);
        steps++;
    }
    return steps;
}

// call: permutations(u8[n] in 0..=1, n)
// runs: curve
// class: 2^n
// sizes: 2..10
int32_t permutations(const uint8_t *s, int32_t n) {
    pessimum_cost(1);
    if (n == 0)
        return 1;
    if (s[n - 1])
        return permutations(s, n - 1) + permutations(s, n - 1);
    return permutations(s, n - 1);
}

// call: heavy_head(u8[n], n)
// class: n^2
// sizes: 4..16
int32_t heavy_head(const uint8_t *s, int32_t n) {
    for (int32_t i = 0; i < 1000; i++)
        pessimum_cost(1);
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            pessimum_cost(1);
            found += s[i] == s[j];
        }
    return found;
}

// call: stairs(i32[n], n)
// class: n^1.5
// sizes: 4..64
int32_t stairs(const int32_t *xs, int32_t n) {
    int32_t sum = 0;
    for (int32_t i = 0; i * i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            pessimum_cost(1);
            sum += xs[j] & 1;
        }
    return sum;
}

// call: cubes(u8[n], n)
// class: n^3
// sizes: 3..12
int32_t cubes(const uint8_t *s, int32_t n) {
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            for (int32_t k = 0; k < n; k++) {
                pessimum_cost(1);
                found += s[i] + s[j] == s[k];
            }
    return found;
}
