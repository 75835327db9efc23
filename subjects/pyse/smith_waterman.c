/* Local alignment score of a fixed string of three different symbols with n symbolic ones, in the manner of Biopython's localxx: a match
 * counts 1, a mismatch and a gap 0. PySE (Koo et al.), benchmark 1, Table I.
 *
 * call: localxx(u8[n], n, out i32[8])        returns the best score
 *
 * Cost `decisions`: one equality per cell of the table, 3 n on every path; the worst case is any input.
 * A symbol is one of the three or none of them: 4^n paths. The paper's exhaustive count 2*4^n - 1 (127, 511, 2047 at n = 3, 4, 5) also
 * counts the infeasible sides.
 */
#include "subject.h"

#define KEY_LENGTH 3

static const unsigned char key[KEY_LENGTH] = {'A', 'C', 'G'};

/* `rows` is room for the previous and the current row of the table. */
EXPORT("localxx") int localxx(const unsigned char *text, int n, int *rows) {
    int *previous = rows, *current = rows + KEY_LENGTH + 1;
    int best = 0;
    for (int j = 0; j <= KEY_LENGTH; j++) previous[j] = 0;
    for (int i = 0; i < n; i++) {
        current[0] = 0;
        for (int j = 0; j < KEY_LENGTH; j++) {
            int score = previous[j];
            if (text[i] == key[j]) score++;
            if (previous[j + 1] > score) score = previous[j + 1];
            if (current[j] > score) score = current[j];
            current[j + 1] = score;
            if (score > best) best = score;
        }
        int *t = previous;
        previous = current;
        current = t;
    }
    return best;
}
