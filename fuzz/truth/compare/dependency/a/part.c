#include "pessimum.h"

int32_t part(int32_t x) {
    pessimum_cost(1);
    return x > 0;
}
