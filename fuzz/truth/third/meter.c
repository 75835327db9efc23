// An object whose calls have a state, for sequences of calls.
#include <stdlib.h>
#include "pessimum.h"

struct meter {
    int32_t level, alarms;
};

// api: meter_new() -> Meter; meter_add(Meter, i32 in 0..=2) -> i32; meter_reset(Meter) -> i32
// size: 4
struct meter *meter_new(void) {
    struct meter *made = calloc(1, sizeof(struct meter));
    return made;
}

int32_t meter_add(struct meter *meter, int32_t amount) {
    meter->level += amount;
    pessimum_cost(meter->level);
    if (meter->level > 4) {
        meter->alarms++;
        return -1;
    }
    if (amount > 2)
        return -2;
    return meter->level;
}

int32_t meter_reset(struct meter *meter) {
    if (meter->alarms > 0 && meter->level == 6) {
        pessimum_cost(10);
        meter->level = 0;
        return 2;
    }
    if (meter->level == 0)
        return 0;
    meter->level = 0;
    return 1;
}
