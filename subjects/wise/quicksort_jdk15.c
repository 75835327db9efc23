/* The quicksort of java.util.Arrays in JDK 1.5 without its median of nine. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: sort(i32[n], n, out i32[n])
 *
 * WISE removed the median of nine for pieces above 40, but its test still runs. A driver loop that copies the n inputs adds n tests: the
 * published numbers are n above the branches of the sort, which we attribute to such a loop.
 *
 * Cost `branches`.
 * Worst case: n <= 6 is insertion sort of decreasing values, n^2 + 2 n + 2. Above, a median-of-3 killer: each partition leaves n-2 elements,
 * and some ties are needed: published 144, 309, 484, 974 at 10, 15, 20, 30. No formula is known.
 * Paths: n! for n <= 6, more above, because equal elements go their own way.
 */
#include "subject.h"

static void swap(int *x, int a, int b) {
    int t = x[a];
    x[a] = x[b];
    x[b] = t;
}

static void swap_blocks(int *x, int a, int b, int count) {
    for (int i = 0; i < count; i++) swap(x, a + i, b + i);
}

static int median3(const int *x, int a, int b, int c) {
    if (x[a] < x[b]) {
        if (x[b] < x[c]) return b;
        if (x[a] < x[c]) return c;
        return a;
    }
    if (x[b] > x[c]) return b;
    if (x[a] > x[c]) return c;
    return a;
}

static int min(int a, int b) {
    if (a < b) return a;
    return b;
}

static void quicksort(int *x, int off, int length) {
    if (length < 7) {
        for (int i = off; i < off + length; i++) {
            for (int j = i; j > off; j--) {
                if (x[j - 1] <= x[j]) break;
                swap(x, j, j - 1);
            }
        }
        return;
    }
    int m = off + length / 2;
    if (length > 7) {
        int l = off;
        int n = off + length - 1;
        if (length > 40) {
            __asm__ volatile(""); /* keeps the test; here the original narrows l, m and n to medians of three each */
        }
        m = median3(x, l, m, n);
    }
    int v = x[m];
    int a = off, b = off, c = off + length - 1, d = c;
    for (;;) {
        for (;;) {
            if (!(b <= c && x[b] <= v)) break;
            if (x[b] == v) swap(x, a++, b);
            b++;
        }
        for (;;) {
            if (!(c >= b && x[c] >= v)) break;
            if (x[c] == v) swap(x, c, d--);
            c--;
        }
        if (b > c) break;
        swap(x, b++, c--);
    }
    int end = off + length;
    int s = min(a - off, b - a);
    swap_blocks(x, off, b - s, s);
    s = min(d - c, end - d - 1);
    swap_blocks(x, b, end - s, s);
    s = b - a;
    if (s > 1) quicksort(x, off, s);
    s = d - c;
    if (s > 1) quicksort(x, end - s, s);
}

/* `x` is room for n numbers. */
EXPORT("sort") void sort(const int *inputs, int n, int *x) {
    int i = 0;
    do {
        x[i] = inputs[i];
        i++;
    } while (i < n);
    quicksort(x, 0, n);
}
