/* Asks for its input itself. */
#include "pessimum.h"

int32_t start(void)
{
    int32_t steps = 0;
    for (int32_t x = pessimum_i32() & 255; x > 1; x /= 2) {
        steps++;
        pessimum_cost(1);
    }
    return steps;
}
