/* The quicksort of java.util.Arrays in JDK 1.5 (Bentley and McIlroy's, with a three-way partition), with the lines that a Python port of
 * it has. Included by the subjects that differ only in what they count and in how they treat short pieces; each defines first:
 *   LINES          1 to count executed lines in the cost `user`, else 0
 *   COMPARISONS    1 to count comparisons of two elements in the cost `user`, else 0
 *   SHORT_BELOW    pieces shorter than this are sorted by insertion; 0: no piece is, the middle element is their pivot
 */
#include "subject.h"

#if LINES
#define L LINE
#else
#define L (void)0
#endif

#if COMPARISONS
#define TEST(comparison) (pessimum_cost(1), (comparison))
#else
#define TEST(comparison) (comparison)
#endif

static void swap(int *x, int a, int b) {
    L; int t = x[a]; x[a] = x[b]; x[b] = t; /* Python: x[a], x[b] = x[b], x[a] */
}

static void swap_blocks(int *x, int a, int b, int count) {
    for (int i = 0; L, i < count; i++) {
        L; swap(x, a + i, b + i);
    }
}

/* The index of the median of three elements; one line in Python. */
static int median3(int *x, int a, int b, int c) {
    L;
    if (TEST(x[a] < x[b])) {
        if (TEST(x[b] < x[c])) return b;
        if (TEST(x[a] < x[c])) return c;
        return a;
    }
    if (TEST(x[c] < x[b])) return b;
    if (TEST(x[c] < x[a])) return c;
    return a;
}

static int min(int a, int b) {
    if (a < b) return a;
    return b;
}

static void quicksort(int *x, int off, int length) {
#if SHORT_BELOW
    L; if (length < SHORT_BELOW) {
        for (int i = off; L, i < off + length; i++) {
            L; int j = i;
            for (;;) {
                L; if (!(j > off && TEST(x[j] < x[j - 1]))) break;
                L; swap(x, j, j - 1);
                L; j--;
            }
        }
        L; return;
    }
#endif
    L; int m = off + length / 2;
    L; if (length > 7) {
        L; int l = off;
        L; int n = off + length - 1;
        L; if (length > 40) {
            L; int s = length / 8;
            L; l = median3(x, l, l + s, l + 2 * s);
            L; m = median3(x, m - s, m, m + s);
            L; n = median3(x, n - 2 * s, n - s, n);
        }
        L; m = median3(x, l, m, n);
    }
    L; int v = x[m];
    L; int a = off;
    L; int b = off;
    L; int c = off + length - 1;
    L; int d = c;
    for (;;) { /* `while True` has no line event of its own */
        for (;;) {
            L; if (!(b <= c && TEST(x[b] <= v))) break;
            L; if (TEST(x[b] == v)) {
                L; swap(x, a, b);
                L; a++;
            }
            L; b++;
        }
        for (;;) {
            L; if (!(c >= b && TEST(x[c] >= v))) break;
            L; if (TEST(x[c] == v)) {
                L; swap(x, c, d);
                L; d--;
            }
            L; c--;
        }
        L; if (b > c) {
            L; break;
        }
        L; swap(x, b, c);
        L; b++;
        L; c--;
    }
    L; int end = off + length;
    L; int s = min(a - off, b - a);
    L; swap_blocks(x, off, b - s, s);
    L; s = min(d - c, end - d - 1);
    L; swap_blocks(x, b, end - s, s);
    L; s = b - a;
    L; if (s > 1) {
        L; quicksort(x, off, s);
    }
    L; s = d - c;
    L; if (s > 1) {
        L; quicksort(x, end - s, s);
    }
}

EXPORT("sort") void sort(int *x, int n) {
    quicksort(x, 0, n);
}
