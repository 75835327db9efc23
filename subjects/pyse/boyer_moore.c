/* Boyer-Moore search for a key of three different symbols in a text of n symbolic ones. PySE (Koo et al.), benchmark 5, Table II.
 *
 * call: search(u8[n], n)        returns the place of the key, or -1
 *
 * The window is compared from right to left and then moves by the whole length of the key: in the original a symbolic symbol is never found
 * in the table of bad characters, so every shift is 3.
 *
 * Cost `decisions`: comparisons of symbols.
 * Worst case: in every window the first two comparisons succeed and the third fails: 3 floor(n/3). It is the optimum: a window has three symbols.
 * Paths: (3^(w+1) - 1) / 2 with w = floor(n/3) windows; as published 4, 4, 4, 40, 1093, 88573 at n = 3, 4, 5, 10, 20, 30.
 */
#include "subject.h"

#define KEY_LENGTH 3

static const unsigned char key[KEY_LENGTH] = {'a', 'b', 'c'};

EXPORT("search") int search(const unsigned char *text, int n) {
    for (int at = 0; at + KEY_LENGTH <= n; at += KEY_LENGTH) {
        int j = KEY_LENGTH - 1;
        while (j >= 0) {
            if (text[at + j] != key[j]) break;
            j--;
        }
        if (j < 0) return at;
    }
    return -1;
}
