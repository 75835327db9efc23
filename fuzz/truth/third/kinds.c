// Inputs of every kind, each with what is true of it, written before any was searched.
#include "pessimum.h"

// call: quotient(i32 in -6..=6, i32 in -2..=2)
// all: ((a, b) for a in range(-6, 7) for b in range(-2, 3))
int32_t quotient(int32_t a, int32_t b) {
    if (b == 0)
        return -99;
    int32_t q = a / b;
    if (a % b < 0) {
        pessimum_cost(2);
        return q - 1;
    }
    return q;
}

// call: limits(i64)
// some: ones([0, 1, -1, 2**63 - 1, -2**63, 2**32])
int32_t limits(int64_t x) {
    if (x == INT64_MIN) {
        pessimum_cost(64);
        return 1;
    }
    if (x < 0)
        x = -x;
    if (x < 0)
        return 2;
    return (x >> 32) != 0 ? 3 : 4;
}

// call: unsigned_wrap(u32 in 0..=3 | 4294967293..=4294967295)
// all: ones([0, 1, 2, 3, 2**32 - 3, 2**32 - 2, 2**32 - 1])
// beyond: ones([1000])
int32_t unsigned_wrap(uint32_t x) {
    if (x + 3 < x)
        return 1;
    if (x > 3) {
        pessimum_cost(100);
        return 2;
    }
    pessimum_cost(x);
    return 0;
}

// call: not_a_number(f64)
// some: ones([0.0, -0.0, 1.0, float("nan"), float("inf"), float("-inf"), 5e-324])
int32_t not_a_number(double x) {
    if (!(x < 1.0) && !(x >= 1.0))
        return 0;
    if (x - x != 0.0)
        return 1;
    if (x > 0.0 && x / 2 == 0.0)
        return 2;
    return 3;
}

// call: empty_text(str[n])
// size: 0
// all: ones([""])
// beyond: ones(["a", "ab"])
int32_t empty_text(const char *s) {
    int32_t n = 0;
    while (*s++) {
        pessimum_cost(3);
        n++;
    }
    return n;
}

static int32_t climb(int32_t steps) {
    pessimum_cost(1);
    if (steps <= 1)
        return 1;
    return climb(steps - 1) + climb(steps - 2);
}

// call: stairs(i32 in 0..=8)
// all: ones(range(9))
int32_t stairs(int32_t steps) {
    return climb(steps);
}

// call: parenthesis(u8[n] in '(' | ')' | 'x', n)
// size: 4
// all: (([ord(c) for c in text], 4) for text in texts("()x", 4))
int32_t parenthesis(const uint8_t *s, int32_t n) {
    int32_t depth = 0, deepest = 0;
    for (int32_t i = 0; i < n; i++) {
        if (s[i] == '(') {
            pessimum_cost(++depth);
            if (depth > deepest)
                deepest = depth;
        } else if (s[i] == ')' && --depth < 0) {
            return -1;
        }
    }
    return depth == 0 ? deepest : -2;
}

// call: utf8_length(u8[n] in 0..=255, n)
// size: 2
// all: (([a, b], 2) for a in range(256) for b in range(0, 256, 15))
// runs: worst
int32_t utf8_length(const uint8_t *s, int32_t n) {
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            count++;
            pessimum_cost(1);
        }
    }
    return count;
}

// call: state_machine(u8[n] in 0..=2, n)
// size: 4
// all: ((xs, 4) for xs in lists(range(3), 4))
int32_t state_machine(const uint8_t *s, int32_t n) {
    enum { START, HALF, DONE, DEAD } state = START;
    for (int32_t i = 0; i < n; i++) {
        switch (state) {
        case START:
            state = s[i] == 1 ? HALF : START;
            break;
        case HALF:
            if (s[i] == 2) {
                state = DONE;
                pessimum_cost(5);
            }
            break;
        case DONE:
            if (s[i] != 0)
                state = START;
            break;
        case DEAD:
            return -1;
        }
    }
    return state;
}

// call: early(i16[n] in -1..=1, n)
// size: 4
// all: ((xs, 4) for xs in lists(range(-1, 2), 4))
int32_t early(const int16_t *xs, int32_t n) {
    int32_t sum = 0;
    for (int32_t i = 0; i < n; i++) {
        pessimum_cost(1);
        sum += xs[i];
        if (sum < -1)
            return i;
        if (sum > 4)
            return -2;
    }
    return n;
}
