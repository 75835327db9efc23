/* Complex numbers in floating point, of the kind of FloatArithmetic and Bessj in EvoSuite's hybrid search (Galeotti et al., 2013), Table II. Ours.
 *
 * suite: complex_number.api
 *
 * Goal: cover every branch. Exact equalities of floating-point numbers, NaN and infinities, through products and quotients of what several calls
 * were given: search sees a slope, but only a solver for floats lands on the point. The modulus of a number is never negative: that arm cannot be covered.
 */
#include "subject.h"
#include "objects.h"

struct complex {
    double real, imaginary;
};

static struct complex *make(double real, double imaginary) {
    struct complex *result = NEW(struct complex);
    result->real = real;
    result->imaginary = imaginary;
    return result;
}

EXPORT("complex_new") struct complex *complex_new(double real, double imaginary) {
    if (real != real || imaginary != imaginary) __builtin_trap();
    return make(real, imaginary);
}

EXPORT("complex_add") struct complex *complex_add(const struct complex *a, const struct complex *b) {
    return make(a->real + b->real, a->imaginary + b->imaginary);
}

EXPORT("complex_multiply") struct complex *complex_multiply(const struct complex *a, const struct complex *b) {
    return make(a->real * b->real - a->imaginary * b->imaginary, a->real * b->imaginary + a->imaginary * b->real);
}

EXPORT("complex_divide") struct complex *complex_divide(const struct complex *a, const struct complex *b) {
    double square = b->real * b->real + b->imaginary * b->imaginary;
    if (square == 0) __builtin_trap();
    return make((a->real * b->real + a->imaginary * b->imaginary) / square, (a->imaginary * b->real - a->real * b->imaginary) / square);
}

EXPORT("complex_conjugate") struct complex *complex_conjugate(const struct complex *a) {
    return make(a->real, -a->imaginary);
}

EXPORT("complex_kind") int complex_kind(const struct complex *a) {
    if (a->real != a->real) return -1;
    if (a->real > 1e308 || a->imaginary > 1e308) return -2;
    if (a->imaginary == 0) {
        if (a->real == 0) return 0;
        if (a->real == 2.718281828) return 2;
        return 1;
    }
    if (a->real == 0) {
        if (a->imaginary == 1) return 4; /* i */
        return 3;
    }
    if (a->real == a->imaginary) return 5;
    return 6;
}

EXPORT("complex_in_circle") int complex_in_circle(const struct complex *a, double radius) {
    double square = a->real * a->real + a->imaginary * a->imaginary;
    if (square < 0) return -1;
    if (radius <= 0) return -2;
    if (square > radius * radius) return 0;
    if (square == radius * radius) {
        if (a->real > 0 && a->imaginary > 0) return 3;
        return 2;
    }
    return 1;
}

/* Steps of z = z*z + c before it leaves the circle of 2, at most eight. */
EXPORT("complex_escape") int complex_escape(const struct complex *c) {
    double real = 0, imaginary = 0;
    for (int step = 0; step < 8; step++) {
        double next = real * real - imaginary * imaginary + c->real;
        imaginary = 2 * real * imaginary + c->imaginary;
        real = next;
        if (real * real + imaginary * imaginary > 4) {
            if (step == 5) return -5;
            return step;
        }
    }
    return 8;
}

EXPORT("complex_near") int complex_near(const struct complex *a, const struct complex *b) {
    double real = a->real - b->real, imaginary = a->imaginary - b->imaginary;
    if (real < 0) real = -real;
    if (imaginary < 0) imaginary = -imaginary;
    if (real == 0 && imaginary == 0) {
        if (a == b) return 3;
        return 2;
    }
    if (real < 1e-6 && imaginary < 1e-6) return 1;
    return 0;
}
