/* A simulation of periodic timers: for each period up to the number of steps there is one timer, and all that fire are
 * counted.
 *
 * call: steps(u32 in 0..=100000)         returns a checksum over the firings
 *
 * Worst case, by the number itself: n log n. The timer of period p fires n/p times, and n + n/2 + n/3 + ... + 1 is
 * about n ln n + 0.58 n. The number is all of the input, and more steps never cost less.
 */
#include <stdint.h>

struct timer {
    uint32_t period;
    uint32_t due;
};

struct simulation {
    uint32_t end;
    uint32_t firings;
    uint32_t checksum;
};

static struct timer start(uint32_t period) {
    struct timer timer = {period, period};
    return timer;
}

static void fire(struct simulation *simulation, struct timer *timer) {
    uint32_t mixed = simulation->checksum ^ (timer->period + timer->due);
    simulation->checksum = (mixed << 5 | mixed >> 27) + 0x9e3779b9u;
    simulation->firings++;
    timer->due += timer->period;
}

static void run(struct simulation *simulation, uint32_t period) {
    struct timer timer = start(period);
    while (timer.due <= simulation->end) fire(simulation, &timer);
}

uint32_t steps(uint32_t count) {
    struct simulation simulation = {count, 0, 0};
    for (uint32_t period = 1; period <= count; period++) run(&simulation, period);
    return simulation.checksum ^ simulation.firings;
}
