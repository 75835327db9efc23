/* Comparisons of floating-point numbers, after FloatArithmetic of the Roops benchmarks in EvoSuite's hybrid search (Galeotti et al., 2013),
 * Table II: 0.41 of the branches by search alone, 0.85 with a solver. Our own conditions.
 *
 * call: single(f32, f32)
 * call: twice(f64, f64, f64)
 *
 * Goal: cover every branch. Each number returned is a leaf; all of 0..=6 and 0..=5 can be returned (NaN and infinities included).
 */
#include "subject.h"

EXPORT("single") int single(float x, float y) {
    if (x != x) return 1; /* NaN */
    if (x == 3.1415927f) return 2;
    if (x + y == 1.5f) {
        if (x * y == 0.5f) return 3;
        return 4;
    }
    if (x > 0 && x / y > 1e30f) return 5;
    if (x + 1.0f == x) return 6; /* too large for a step of one */
    return 0;
}

EXPORT("twice") int twice(double a, double b, double c) {
    double d = b * b - 4 * a * c;
    if (a == 0) return 1;
    if (d < 0) return 2;
    if (d == 0) return 3; /* one root */
    if ((-b + d) / (2 * a) == 7.25) return 4;
    if (a > 1 && b < -1 && c > a) return 5;
    return 0;
}
