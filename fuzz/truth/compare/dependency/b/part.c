#include "pessimum.h"

int32_t part(int32_t x) {
    pessimum_cost(3);
    return x > 0;
}
