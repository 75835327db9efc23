/* Magic integers and linear arithmetic, after LinearWithoutOverflow of the Roops benchmarks in EvoSuite's hybrid search (Galeotti et al., 2013),
 * Tables II and IV: 0.38 of the branches by search alone, 0.98 with a solver. Our own conditions.
 *
 * call: linear(i32 in -10000..=10000, i32 in -10000..=10000, i32 in -10000..=10000)
 * call: magic(i32, i64)
 * call: remainder(i32, i32)
 *
 * Goal: cover every branch. Each number returned is a leaf; all of 0..=8, 0..=5 and 0..=6 can be returned.
 */
#include "subject.h"

EXPORT("linear") int linear(int x, int y, int z) {
    if (x + y == 1000) {
        if (x - y == 200) return 1;
        if (2 * x + 3 * z == 17) return 2;
        return 3;
    }
    if (3 * x - 7 * y + z == 4242) {
        if (x > y && y > z) return 4;
        if (x == z) return 5;
        return 6;
    }
    if (x == y && y == z) {
        if (x < -9990) return 7;
        return 8;
    }
    return 0;
}

EXPORT("magic") int magic(int32_t a, int64_t b) {
    if (a == 0x1badcafe) return 1;
    if (b == 0x0123456789abcdefll) return 2;
    if ((a ^ 0x5a5a5a5a) == (int32_t)b) {
        if (a % 1024 == 77) return 3;
        return 4;
    }
    if ((b >> 32) == a) return 5;
    return 0;
}

/* Traps when b is 0, where the original throws, unless a is 0 too. */
EXPORT("remainder") int remainder(int a, int b) {
    if (a == 0) return 0;
    if (b < 0) {
        if (a < 0) return 1;
        return 2;
    }
    if (a % b == 0) return 3;
    if (a % b == 17) {
        if (a / b == 1000) return 4;
        return 5;
    }
    return 6;
}
