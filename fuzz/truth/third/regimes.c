// Growth that is amortised, changes its regime, or depends on the domain.
#include "pessimum.h"

// call: monotonic(i32[n], n)
// class: n
// sizes: 4..20
int32_t monotonic(const int32_t *xs, int32_t n) {
    int32_t stack[64], top = 0, shown = 0;
    for (int32_t i = 0; i < n && i < 64; i++) {
        while (top > 0 && xs[stack[top - 1]] < xs[i]) {
            pessimum_cost(1);
            top--;
        }
        pessimum_cost(1);
        stack[top++] = i;
        shown += top;
    }
    return shown;
}

// call: small_then_large(u8[n], n)
// class: n
// sizes: 4..48
// falls
int32_t small_then_large(const uint8_t *s, int32_t n) {
    int32_t found = 0;
    if (n > 16) {
        for (int32_t i = 0; i < n; i++) {
            pessimum_cost(1);
            found += s[i] == 0;
        }
        return found;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            pessimum_cost(1);
            found += s[i] == s[j];
        }
    return found;
}

// call: pigeons(u8[n] in 0..=3, n)
// class: 1
// sizes: 6..24
int32_t pigeons(const uint8_t *s, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++) {
            pessimum_cost(1);
            if (s[j] == s[i])
                return i;
        }
    return n;
}

// call: harmonic(n)
// class: n log n
// sizes: 4..64
// runs: curve
int32_t harmonic(int32_t n) {
    int32_t steps = 0;
    for (int32_t i = 1; i <= n; i++)
        for (int32_t j = i; j <= n; j += i) {
            pessimum_cost(1);
            steps++;
        }
    return steps;
}

// call: root_steps(n)
// class: n^0.5
// sizes: 4..400:36
// runs: curve
int32_t root_steps(int32_t n) {
    int32_t steps = 0;
    for (int32_t i = 1; i * i <= n; i++) {
        pessimum_cost(1);
        steps++;
    }
    return steps;
}

// call: runs_of(u8[n] in 0..=1, n)
// class: n
// sizes: 4..32
int32_t runs_of(const uint8_t *s, int32_t n) {
    int32_t runs = 0;
    for (int32_t i = 0; i < n; i++)
        if (i == 0 || s[i] != s[i - 1]) {
            pessimum_cost(2);
            runs++;
        }
    return runs;
}
