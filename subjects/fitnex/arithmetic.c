/* Conditions on numbers that one branch compares directly, so that a solver or nothing gets there; fitness has little to add. After the
 * micro-benchmarks of Fitnex (Xie et al., DSN 2009, section 5), which have such "essences of an exploration problem". Ours.
 *
 * call: triangle(i32 in 1..=1000, i32 in 1..=1000, i32 in 1..=1000)      a right-angled one of a circumference above 100
 * call: collatz(u16)                                                     25 steps down to 1
 * call: luhn(u8[n])                                                      n = 8: eight digits with a valid check digit, the first a 4
 * call: mixed(u8[n])                                                     n = 4: bytes whose hash is that of "Wasm"
 *
 * Target: must_reach in each.
 */
#include "subject.h"

EXPORT("triangle") void triangle(int a, int b, int c) {
    if (a + b <= c || a + c <= b || b + c <= a) return;
    if (a == b && b == c) return;
    if (a == b || b == c || a == c) return;
    if (a + b + c <= 100) return;
    if (a * a + b * b == c * c) must_reach();
}

EXPORT("collatz") void collatz(unsigned x) {
    int steps = 0;
    while (x != 1 && steps < 60) {
        if (x % 2 == 0) {
            x = x / 2;
        } else {
            x = 3 * x + 1;
        }
        steps++;
    }
    if (steps == 25) must_reach();
}

EXPORT("luhn") void luhn(const unsigned char *s) {
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        if (!(s[i] >= '0' && s[i] <= '9')) return;
        int digit = s[i] - '0';
        if (i % 2 == 0) {
            digit *= 2;
            if (digit > 9) digit -= 9;
        }
        sum += digit;
    }
    if (sum % 10 != 0) return;
    if (s[0] == '4') must_reach();
}

EXPORT("mixed") void mixed(const unsigned char *s) {
    unsigned hash = 2166136261u; /* FNV-1a */
    for (int i = 0; i < 4; i++) {
        hash ^= s[i];
        hash *= 16777619u;
    }
    if (hash == 0x289f156du) must_reach();
}
