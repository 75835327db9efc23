/* Loops over inputs whose results are tested later: the kind of subject Fitnex (Xie et al., DSN 2009, section 5) describes besides TestLoop
 * without printing one. Ours.
 *
 * call: count_and_sum(i32[n] in -1000..=1000, n)      n >= 10: exactly 8 elements above 50, and a sum of 700
 * call: decimal(u8[n], n)                             n >= 5: the digits of 47110, then nothing or no digit
 * call: balanced(u8[n], n)                            n >= 12: brackets that balance, six deep
 * call: longest_run(i32[n], n)                        n >= 9: a strictly increasing run of 9, after which everything is equal
 *
 * Target: must_reach in each. The last test depends on values the loop computed, so no single branch of the loop is the one to flip.
 */
#include "subject.h"

EXPORT("count_and_sum") void count_and_sum(const int *a, int n) {
    int count = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 50) count++;
        sum += a[i];
    }
    if (count == 8 && sum == 700) must_reach();
}

EXPORT("decimal") void decimal(const unsigned char *s, int n) {
    int value = 0, digits = 0;
    for (int i = 0; i < n; i++) {
        if (!(s[i] >= '0' && s[i] <= '9')) break;
        if (digits == 9) return;
        value = 10 * value + (s[i] - '0');
        digits++;
    }
    if (value == 47110) must_reach();
}

EXPORT("balanced") void balanced(const unsigned char *s, int n) {
    int depth = 0, deepest = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] == '(') {
            depth++;
            if (depth > deepest) deepest = depth;
        } else if (s[i] == ')') {
            if (depth == 0) return;
            depth--;
        }
    }
    if (depth == 0 && deepest == 6) must_reach();
}

EXPORT("longest_run") void longest_run(const int *a, int n) {
    int run = 1, i = 1;
    for (; i < n; i++) {
        if (!(a[i - 1] < a[i])) break;
        run++;
    }
    for (; i < n; i++) {
        if (a[i - 1] != a[i]) return;
    }
    if (run == 9) must_reach();
}
