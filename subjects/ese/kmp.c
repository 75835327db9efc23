/* Knuth-Morris-Pratt: the first place of a pattern of 3 symbols in a text of n symbols, both symbolic. ESE (Aquino et al.), Table V.
 *
 * call: kmp(i32[n], n, i32[3], 3, out i32[3])        returns the place, or -1
 *
 * Cost `user`: one per executed line. The paper prints no listing; in this one an input without equal symbols costs 4 n + 14, which is what
 * Table V prints for EvoSuite at 10, 50 and 100, and the pattern aab in the text aaa.. costs 7 n + 13, which is Manual at all sizes.
 *
 * Worst case: pattern aab, text a^(n-1) z: 7 n + 14 for n >= 2. From the third symbol on every symbol falls back once (7 lines), the
 * last one twice (8). It is the optimum by a dynamic program over all patterns and texts, and by brute force for small n; the paper's
 * Manual is one line short of it.
 */
#include "subject.h"

/* `prefix` is room for m numbers. */
EXPORT("kmp") int kmp(const int *text, int n, const int *pattern, int m, int *prefix) {
    LINE; prefix[0] = 0;
    LINE; int j = 0;
    for (int i = 1; LINE, i < m; i++) {
        for (;;) {
            LINE; if (!(j > 0 && pattern[i] != pattern[j])) break;
            LINE; j = prefix[j - 1];
        }
        LINE; if (pattern[i] == pattern[j]) {
            LINE; j++;
        }
        LINE; prefix[i] = j;
    }
    LINE; j = 0;
    for (int i = 0; LINE, i < n; i++) {
        for (;;) {
            LINE; if (!(j > 0 && text[i] != pattern[j])) break;
            LINE; j = prefix[j - 1];
        }
        LINE; if (text[i] == pattern[j]) {
            LINE; j++;
        }
        LINE; if (j == m) {
            LINE; return i - m + 1;
        }
    }
    LINE; return -1;
}
