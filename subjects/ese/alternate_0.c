/* Runs an expensive task at every place where zeros and non-zeros alternate. ESE (Aquino et al.), Listing 2, Table V.
 *
 * call: alternate_0(i32[n], n)
 *
 * Cost `user`: one per executed line of the listing and of the task, which is one line (that is what Table V needs).
 * Worst case: zero at even, non-zero at odd places, so that the task runs every time: 6 n + 1. Each place adds 6 lines
 * with the task and 4 without, independently of the others, so this is the optimum. 2^n paths.
 */
#include "subject.h"

static void expensive_task(void) {
    LINE;
}

EXPORT("alternate_0") void alternate_0(const int *l, int n) {
    for (int i = 0; LINE, i < n; i++) {
        int check;
        LINE; if (l[i] == 0) {
            LINE; check = 1 - i % 2;
        } else {
            LINE; check = i % 2;
        }
        LINE; if (check != 0) {
            LINE; expensive_task();
        }
    }
}
