/* Timers of an event loop in a doubly linked list, sorted by time. New timers are mostly the latest, so the place is
 * looked for from the end.
 *
 * call: schedule(i32[n], n)         returns a sum over the order in which they will fire
 *
 * Worst case: n^2, by falling times: each timer passes all others, n(n - 1)/2 steps. No insertion can pass more.
 * Rising and equal times are linear; random ones pass half of the list, which is quadratic too.
 */
#include <stdint.h>
#include <stdlib.h>

struct timer {
    int32_t due;
    struct timer *earlier;
    struct timer *later;
};

struct agenda {
    struct timer *first;
    struct timer *last;
};

static void insert(struct agenda *agenda, struct timer *timer) {
    struct timer *before = agenda->last;
    while (before && before->due > timer->due) before = before->earlier;
    timer->earlier = before;
    timer->later = before ? before->later : agenda->first;
    if (timer->earlier) {
        timer->earlier->later = timer;
    } else {
        agenda->first = timer;
    }
    if (timer->later) {
        timer->later->earlier = timer;
    } else {
        agenda->last = timer;
    }
}

int schedule(const int32_t *times, int n) {
    struct timer *timers = malloc((size_t)(n > 0 ? n : 1) * sizeof *timers);
    struct agenda agenda = {0, 0};
    unsigned sum = 0, turn = 0;
    if (!timers) return -1;
    for (int i = 0; i < n; i++) {
        timers[i].due = times[i];
        insert(&agenda, &timers[i]);
    }
    for (struct timer *timer = agenda.first; timer; timer = timer->later) sum += ++turn * (unsigned)timer->due;
    free(timers);
    return (int)(sum & 0x7fffffff);
}
