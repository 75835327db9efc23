/* The undo history of an editor: an array that doubles when it is full and halves when three quarters are empty.
 *
 * call: replay(u8[n], n)         '+' records a change, '-' undoes one, anything else looks at the latest
 *
 * Worst case: linear. A single operation may copy the whole history, but after a copy the array is half full, and a
 * further copy needs a number of operations in proportion to what it copies: at most a constant number of copied
 * entries for each operation (Tarjan 1985, amortized complexity). Halving at one half instead would be quadratic.
 */
#include <stdlib.h>

#define SMALLEST 4

struct history {
    unsigned *entries;
    int used;
    int capacity;
};

static int resize(struct history *history, int capacity) {
    unsigned *entries = malloc((size_t)capacity * sizeof *entries);
    if (!entries) return 0;
    for (int i = 0; i < history->used; i++) entries[i] = history->entries[i];
    free(history->entries);
    history->entries = entries;
    history->capacity = capacity;
    return 1;
}

static int record(struct history *history, unsigned change) {
    if (history->used == history->capacity && !resize(history, 2 * history->capacity)) return 0;
    history->entries[history->used++] = change;
    return 1;
}

static int undo(struct history *history) {
    if (history->used == 0) return 1;
    history->used--;
    if (history->capacity > SMALLEST && history->used <= history->capacity / 4) {
        return resize(history, history->capacity / 2);
    }
    return 1;
}

int replay(const unsigned char *operations, int n) {
    struct history history = {0, 0, 0};
    unsigned seen = 0;
    int ok = resize(&history, SMALLEST);
    for (int i = 0; i < n && ok; i++) {
        switch (operations[i]) {
        case '+':
            ok = record(&history, (unsigned)i);
            break;
        case '-':
            ok = undo(&history);
            break;
        default:
            if (history.used) seen ^= history.entries[history.used - 1];
        }
    }
    free(history.entries);
    return ok ? (int)seen : -1;
}
