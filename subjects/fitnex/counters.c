/* Loops that count something in the input, and tests of the counts afterwards: the kind of subject Fitnex (Xie et al., DSN 2009, section 5)
 * says it has besides TestLoop. Ours.
 *
 * call: vowels(u8[n], i32 in 0..=n)         n >= 12: exactly 12 vowels
 * call: scales(i32[n], i32 in 0..=n)        n >= 12: three steps up or two down for each weight, and 31 in the end
 * call: coins(u8[n], n)                     n >= 6: coins worth 95, and then the button
 * call: population(i32)                     20 bits set
 * call: quota(i32[n], i32 in 0..=n)         n >= 16: more than 15 orders above 100; the verdict is kept, and tested later
 * call: lock(u8[n], n)                      n >= 6: the six keys of a lock that goes back to the start at each wrong one
 *
 * Target: must_reach in each. The tests are on numbers that no branch compares with an input. In `coins` and `lock` a wrong byte loses what
 * was counted, so being close is worth less there.
 */
#include "subject.h"

EXPORT("vowels") void vowels(const unsigned char *s, int length) {
    int count = 0;
    for (int i = 0; i < length; i++) {
        if (s[i] == 'a' || s[i] == 'e' || s[i] == 'i' || s[i] == 'o' || s[i] == 'u') count++;
    }
    if (count == 12) must_reach();
}

EXPORT("scales") void scales(const int *weights, int length) {
    int pointer = 0;
    for (int i = 0; i < length; i++) {
        if (weights[i] > 0) {
            pointer += 3;
        } else {
            pointer -= 2;
        }
    }
    if (pointer == 31) must_reach();
}

EXPORT("coins") void coins(const unsigned char *s, int n) {
    int credit = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] == 'n') {
            credit += 5;
        } else if (s[i] == 'd') {
            credit += 10;
        } else if (s[i] == 'q') {
            credit += 25;
        } else if (s[i] == 'b') {
            if (credit == 95) {
                must_reach();
                return;
            }
            credit = 0;
        }
    }
}

EXPORT("population") void population(int bits) {
    int count = 0;
    for (int i = 0; i < 32; i++) {
        if (((unsigned)bits >> i) & 1) count++;
    }
    if (count == 20) must_reach();
}

static int is_met; /* in memory, so that the comparison below is a value and not a branch */

EXPORT("quota") void quota(const int *orders, int length) {
    int large = 0;
    for (int i = 0; i < length; i++) {
        if (orders[i] > 100) large++;
    }
    is_met = large > 15;
    int total = 0;
    for (int i = 0; i < length; i++) total += orders[i] / 2;
    if (is_met && total > 0) must_reach();
}

EXPORT("lock") void lock(const unsigned char *s, int n) {
    static const unsigned char keys[6] = {3, 1, 4, 1, 5, 9};
    int right = 0;
    for (int i = 0; i < n && right < 6; i++) {
        if (s[i] == keys[right]) {
            right++;
        } else {
            right = 0;
        }
    }
    if (right == 6) must_reach();
}
