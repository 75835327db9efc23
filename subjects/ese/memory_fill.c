/* Copies the non-zero values of a list into a small buffer. ESE (Aquino et al.), Listing 4, Table V.
 *
 * call: memory_fill(i32[n], n)         the listing: 16 cells
 * call: memory_fill_18(i32[n], n)      the same with 18 cells
 *
 * Cost `user`: one per executed line of the listing.
 * Worst case: for n <= 16 every input costs 2 n + 5 (one path); above, all values non-zero: 4 n + 20. Each value adds 4 lines instead of
 * 2, and the first 16 of them one more, so it is the optimum. 2^n paths.
 * Table V prints 4 n + 22. Two cells more explain it without touching the other sizes of the table, hence the second entry.
 */
#include "subject.h"

static int memory[18];

static void fill(const int *l, int n, int cells) {
    LINE; for (int i = 0; i < cells; i++) memory[i] = 0;
    LINE; int free = cells;
    LINE; if (n <= free) {
        for (int i = 0; LINE, i < n; i++) {
            LINE; memory[i] = l[i];
        }
        LINE; return;
    }
    for (int i = 0; LINE, i < n; i++) {
        LINE; if (l[i] != 0) {
            LINE; free--;
            LINE; if (free >= 0) {
                LINE; memory[free] = l[i];
            }
        }
    }
}

EXPORT("memory_fill") void memory_fill(const int *l, int n) {
    fill(l, n, 16);
}

EXPORT("memory_fill_18") void memory_fill_18(const int *l, int n) {
    fill(l, n, 18);
}
