/* Fractions in lowest terms, of the kind of the small value classes of SF100 and of Remainder in EvoSuite's hybrid search (Galeotti et al., 2013),
 * Table II. Ours.
 *
 * suite: fraction.api
 *
 * Goal: cover every branch. Results of one call are operands of the next; the sum that is zero, the quotient that is one of two known fractions and the
 * overflows are conditions over the numbers of several calls, through a loop of remainders.
 */
#include "subject.h"
#include "objects.h"

#define LARGEST 2147483647LL

struct fraction {
    int numerator, denominator; /* in lowest terms, the denominator positive */
};

static long long divisor(long long a, long long b) {
    while (b != 0) {
        long long rest = a % b;
        a = b;
        b = rest;
    }
    if (a < 0) return -a;
    return a;
}

static struct fraction *reduced(long long numerator, long long denominator) {
    if (denominator == 0) __builtin_trap();
    long long common = divisor(numerator, denominator);
    if (denominator < 0) common = -common;
    numerator /= common;
    denominator /= common;
    if (numerator > LARGEST || numerator < -LARGEST || denominator > LARGEST) __builtin_trap();
    struct fraction *fraction = NEW(struct fraction);
    fraction->numerator = (int)numerator;
    fraction->denominator = (int)denominator;
    return fraction;
}

EXPORT("fraction_new") struct fraction *fraction_new(int numerator, int denominator) {
    return reduced(numerator, denominator);
}

EXPORT("fraction_add") struct fraction *fraction_add(const struct fraction *a, const struct fraction *b) {
    if (a->denominator == b->denominator) return reduced((long long)a->numerator + b->numerator, a->denominator);
    return reduced((long long)a->numerator * b->denominator + (long long)b->numerator * a->denominator, (long long)a->denominator * b->denominator);
}

EXPORT("fraction_multiply") struct fraction *fraction_multiply(const struct fraction *a, const struct fraction *b) {
    return reduced((long long)a->numerator * b->numerator, (long long)a->denominator * b->denominator);
}

EXPORT("fraction_invert") struct fraction *fraction_invert(const struct fraction *a) {
    return reduced(a->denominator, a->numerator);
}

EXPORT("fraction_compare") int fraction_compare(const struct fraction *a, const struct fraction *b) {
    long long left = (long long)a->numerator * b->denominator, right = (long long)b->numerator * a->denominator;
    if (left < right) return -1;
    if (left > right) return 1;
    if (a != b) return 2; /* equal, but not the same object */
    return 0;
}

EXPORT("fraction_round") int fraction_round(const struct fraction *a) {
    int whole = a->numerator / a->denominator, rest = a->numerator % a->denominator;
    if (rest == 0) return whole;
    if (rest < 0) rest = -rest;
    if ((long long)2 * rest < a->denominator) return whole;
    if ((long long)2 * rest == a->denominator && whole % 2 == 0) return whole; /* half to even */
    if (a->numerator < 0) return whole - 1;
    return whole + 1;
}

EXPORT("fraction_kind") int fraction_kind(const struct fraction *a) {
    if (a->numerator == 0) return 0;
    if (a->denominator == 1) return 1;
    if (a->numerator == 1) return 2;
    if (a->numerator == 355 && a->denominator == 113) return 3;
    if (a->numerator == -22) {
        if (a->denominator == 7) return 4;
        if (a->denominator % 2 == 0) return 5; /* cannot be: in lowest terms */
    }
    return 6;
}
