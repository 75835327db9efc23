// Small functions of C numbers; `pessimum_cost` counts.
#include "pessimum.h"

// call: triangle(i32 in 1..=5, i32 in 1..=5, i32 in 1..=5)
// all: product(range(1, 6), repeat=3)
// paths: 600
int32_t triangle(int32_t a, int32_t b, int32_t c) {
    if (a + b <= c || a + c <= b || b + c <= a)
        return 0;
    if (a == b && b == c)
        return 3;
    if (a == b || b == c || a == c)
        return 2;
    return 1;
}

// call: three(i32)
// some: ones([-5, -1, 0, 1, 5, 6])
int32_t three(int32_t x) {
    if (x < 0)
        return -1;
    if (x > 5)
        return 1;
    return 0;
}

// call: larger(i32, i32)
// some: product([-1, 0, 1], repeat=2)
int32_t larger(int32_t a, int32_t b) {
    if (a > b)
        return a;
    return b;
}

// call: steps(i32 in 0..=40)
// all: ones(range(41))
int32_t steps(int32_t x) {
    int32_t n = 0;
    while (x > 1) {
        pessimum_cost(1);
        x = x % 2 ? x - 1 : x / 2;
        n++;
    }
    return n;
}

// call: wide(i64)
// some: ones([0, 1, -1, 2**40, -2**62])
int32_t wide(int64_t x) {
    if (x > 1099511627775)
        return 1;
    if (x < -4611686018427387903)
        return 2;
    return 0;
}

// call: dead(u8)
// all: ones(range(256))
int32_t dead(uint8_t x) {
    int32_t y = x;
    if (y > 255)
        return 1;
    if (y * y == 2)
        return 2;
    if (y & 1)
        pessimum_cost(2);
    return 0;
}

// call: bits(u16)
// all: ones(range(65536))
// runs: worst paths
int32_t bits(uint16_t x) {
    int32_t n = 0;
    for (; x; x &= x - 1) {
        pessimum_cost(1);
        n++;
    }
    return n;
}

// call: gap(i32 in -3..=-1 | 4..=6)
// all: ones([-3, -2, -1, 4, 5, 6])
// beyond: ones([0, 1, 3])
int32_t gap(int32_t x) {
    if (x >= 0 && x < 4) {
        pessimum_cost(9);
        return 1;
    }
    return 0;
}

// call: inside(str[n])
// size: 2
// some: ones(["ab", "a\xff", "aa", "\x01\x02"])
// beyond: ones(["", "a"])
int32_t inside(const char *text) {
    int32_t n = 0;
    for (; *text; text++) {
        pessimum_cost(1);
        if (*text == 'a')
            n++;
    }
    if (n == 0)
        return -1;
    return n;
}

// call: classify(f64)
// some: ones([0.0, -1.5, 2.5, 1e300, float("nan"), float("inf")])
int32_t classify(double x) {
    if (x != x)
        return 0;
    if (x > 1e200)
        return 1;
    if (x < 0)
        return 2;
    return 3;
}

// call: largest(i32[n] in 0..=3, n)
// size: 3
// all: ((xs, 3) for xs in lists(range(4), 3))
int32_t largest(const int32_t *xs, int32_t n) {
    int32_t best = xs[0];
    for (int32_t i = 1; i < n; i++) {
        if (xs[i] > best) {
            best = xs[i];
            pessimum_cost(1);
        }
    }
    return best;
}

// call: selected(i32 in 0..=9, i32 in 0..=9)
// all: product(range(10), repeat=2)
int32_t selected(int32_t a, int32_t b) {
    int32_t x = a > b ? a - b : b - a;
    if (x == 9)
        return 7;
    return x > 3 ? 1 : 2;
}

// call: day(i32 in 0..=8)
// all: ones(range(9))
int32_t day(int32_t d) {
    switch (d) {
    case 0:
    case 6:
        pessimum_cost(3);
        return 2;
    case 3:
        return 1;
    case 99:
        return 5;
    default:
        return 0;
    }
}

// call: short_circuit(u8, u8)
// all: product(range(0, 256, 5), range(0, 256, 5))
int32_t short_circuit(uint8_t a, uint8_t b) {
    if (a > 200 && b > 200)
        return 1;
    if (a < 10 || b < 10)
        return 2;
    return 3;
}

// call: euclid(i32 in 1..=20, i32 in 1..=20)
// all: product(range(1, 21), repeat=2)
// paths: 600
int32_t euclid(int32_t a, int32_t b) {
    while (b) {
        int32_t c = a % b;
        a = b;
        b = c;
        pessimum_cost(1);
    }
    return a;
}
