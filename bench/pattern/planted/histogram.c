/* The largest rectangle under a histogram, with the stack of open bars (the usual solution for skylines and text
 * layout).
 *
 * call: largest_rectangle(i32[n], n)
 *
 * Worst case: linear. The inner loop may close many bars at once and looks quadratic, but every bar is pushed once and
 * popped at most once, so that all its rounds together are at most n + 1.
 */
#include <stdint.h>
#include <stdlib.h>

struct bar {
    int start;
    int32_t height;
};

struct stack {
    struct bar *bars;
    int depth;
};

static void push(struct stack *open, int start, int32_t height) {
    open->bars[open->depth].start = start;
    open->bars[open->depth].height = height;
    open->depth++;
}

static int64_t area(struct bar bar, int end) {
    return bar.height > 0 ? (int64_t)bar.height * (end - bar.start) : 0;
}

int64_t largest_rectangle(const int32_t *heights, int n) {
    struct stack open = {malloc((size_t)(n + 1) * sizeof(struct bar)), 0};
    int64_t best = 0;
    if (!open.bars) return -1;
    for (int i = 0; i <= n; i++) {
        int32_t height = i < n ? heights[i] : INT32_MIN;
        int start = i;
        while (open.depth > 0 && open.bars[open.depth - 1].height > height) {
            struct bar closed = open.bars[--open.depth];
            int64_t covered = area(closed, i);
            if (covered > best) best = covered;
            start = closed.start;
        }
        if (i < n) push(&open, start, height);
    }
    free(open.bars);
    return best;
}
