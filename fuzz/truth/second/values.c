// More functions of numbers, bytes and texts.
#include "pessimum.h"

// call: middle(i32 in 0..=4, i32 in 0..=4, i32 in 0..=4)
// all: product(range(5), repeat=3)
// paths: 400
int32_t middle(int32_t a, int32_t b, int32_t c) {
    if ((a <= b && b <= c) || (c <= b && b <= a))
        return b;
    if ((b <= a && a <= c) || (c <= a && a <= b))
        return a;
    return c;
}

// call: sign(i32)
// some: ones([-2147483648, -1, 0, 1, 2147483647])
int32_t sign(int32_t x) {
    if (x > 0)
        return 1;
    if (x < 0)
        return -1;
    return 0;
}

// call: clipped(i16)
// all: ones(range(-32768, 32768))
// runs: worst cover
int32_t clipped(int16_t x) {
    int32_t y = x;
    if (y < -32000) {
        pessimum_cost(2);
        y = -32000;
    }
    if (y > 32767)
        return 9;
    return y;
}

// call: vowel(u8)
// all: ones(range(256))
int32_t vowel(uint8_t c) {
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        return 1;
    case 'y':
        pessimum_cost(1);
        return 2;
    }
    return 0;
}

// call: pow2(u32)
// some: ones([0, 1, 2, 3, 4, 2**31])
int32_t pow2(uint32_t x) {
    if (x == 0)
        return 0;
    if ((x & (x - 1)) == 0)
        return 1;
    return 2;
}

// call: root(u32 in 0..=99)
// all: ones(range(100))
uint32_t root(uint32_t x) {
    uint32_t r = 0;
    while ((r + 1) * (r + 1) <= x) {
        r++;
        pessimum_cost(1);
    }
    return r;
}

// call: holes(i32 in 0 | 10 | 20 | 30)
// all: ones([0, 10, 20, 30])
// beyond: ones([5, 31])
int32_t holes(int32_t x) {
    if (x % 10) {
        pessimum_cost(50);
        return 1;
    }
    if (x == 20)
        return 2;
    return 0;
}

// call: pairwise(u8[n] in 0..=2, n)
// size: 3
// all: ((xs, 3) for xs in lists(range(3), 3))
int32_t pairwise(const uint8_t *xs, int32_t n) {
    int32_t equal = 0;
    for (int32_t i = 0; i + 1 < n; i++)
        if (xs[i] == xs[i + 1]) {
            equal++;
            pessimum_cost(1);
        }
    return equal;
}

// call: trailing(str[n] in 'a'..='b' | ' ')
// size: 3
// all: ones(texts("ab ", 3))
// beyond: ones(["", "a"])
int32_t trailing(const char *s) {
    int32_t n = 0, spaces = 0;
    while (s[n])
        n++;
    if (n == 0)
        return -1;
    while (n > 0 && s[n - 1] == ' ') {
        n--;
        spaces++;
        pessimum_cost(1);
    }
    return spaces;
}

// call: signed_shift(i8)
// all: ones(range(-128, 128))
int32_t signed_shift(int8_t x) {
    if ((x >> 1) < -64)
        return 3;
    if ((x >> 1) == -64)
        return 1;
    return 0;
}

// call: rounding(f32)
// some: ones([0.0, 0.5, -0.5, 1e30, float("nan")])
int32_t rounding(float x) {
    if (x + 1.0f == x)
        return 1;
    if (x != x)
        return 2;
    if (x < 0.0f)
        return 3;
    return 0;
}

// call: overflow(i32 in 0..=100000)
// some: ones([0, 1, 40000, 65536, 100000])
int32_t overflow(int32_t x) {
    int32_t square = (int32_t)((uint32_t)x * (uint32_t)x);
    if (square < 0)
        return 1;
    if (x > 1 && square == 0)
        return 2;
    return 0;
}

// call: ternary(i32 in -4..=4, i32 in -4..=4)
// all: product(range(-4, 5), repeat=2)
int32_t ternary(int32_t a, int32_t b) {
    int32_t low = a < b ? a : b;
    int32_t high = a < b ? b : a;
    if (high - low == 8)
        return 99;
    if (low == high)
        return 0;
    return low < 0 && high > 0 ? 1 : 2;
}

// call: wide_product(u64 in 0..=10, u64 in 0..=10)
// all: product(range(11), repeat=2)
int32_t wide_product(uint64_t a, uint64_t b) {
    if (a * b > 100)
        return 3;
    if (a * b == 97)
        return 2;
    for (uint64_t i = 0; i < a; i++)
        pessimum_cost(1);
    return 1;
}

// call: boolean(bool, bool)
// all: product((False, True), repeat=2)
int32_t boolean(_Bool a, _Bool b) {
    if (a != b)
        return 1;
    if (a && b)
        return 2;
    return 0;
}

// call: search(i32[n] in 0..=2, n, i32 in 0..=3)
// size: 2
// all: ((xs, 2, x) for xs in lists(range(3), 2) for x in range(4))
int32_t search(const int32_t *xs, int32_t n, int32_t x) {
    for (int32_t i = 0; i < n; i++) {
        pessimum_cost(1);
        if (xs[i] == x)
            return i;
    }
    return -1;
}
