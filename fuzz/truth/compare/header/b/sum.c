#include "pessimum.h"
#include "rounds.h"

int32_t sum(const uint8_t *xs, int32_t n) {
    int32_t total = 0;
    for (int32_t r = 0; r < ROUNDS; r++)
        for (int32_t i = 0; i < n; i++) {
            pessimum_cost(1);
            total += xs[i];
        }
    return total;
}
