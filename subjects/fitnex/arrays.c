/* Arrays whose order or whose runs are tested, after the loops of Fitnex (Xie et al., DSN 2009, section 5). Ours.
 *
 * call: inversions(i32[n], n)                    n >= 7: exactly 15 pairs in the wrong order
 * call: longest_equal(i32[n], i32 in 0..=n)      n >= 7: a longest run of 7 equal values
 * call: last_probe(i32[n], i32)                  n = 15: strictly ascending, and binary search finds the key at the last place
 * call: histogram(u8[n], n)                      n = 12: three values in each of four ranges
 *
 * Target: must_reach in each.
 */
#include "subject.h"

EXPORT("inversions") void inversions(const int *a, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (a[i] > a[j]) count++;
        }
    }
    if (count == 15) must_reach();
}

EXPORT("longest_equal") void longest_equal(const int *a, int length) {
    int longest = 0, run = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && a[i] == a[i - 1]) {
            run++;
        } else {
            run = 1;
        }
        if (run > longest) longest = run;
    }
    if (longest == 7) must_reach();
}

EXPORT("last_probe") void last_probe(const int *a, int key) {
    enum { N = 15 };
    for (int i = 1; i < N; i++) {
        if (a[i - 1] >= a[i]) return;
    }
    int low = 0, high = N - 1, probes = 0;
    while (low <= high) {
        int middle = (low + high) / 2;
        probes++;
        if (a[middle] == key) {
            if (middle == N - 1 && probes == 4) must_reach();
            return;
        }
        if (a[middle] < key) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
}

EXPORT("histogram") void histogram(const unsigned char *a, int n) {
    int bucket[4] = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        if (a[i] < 64) {
            bucket[0]++;
        } else if (a[i] < 128) {
            bucket[1]++;
        } else if (a[i] < 192) {
            bucket[2]++;
        } else {
            bucket[3]++;
        }
    }
    if (bucket[0] == 3 && bucket[1] == 3 && bucket[2] == 3) must_reach();
}
