#include "pessimum.h"
int32_t part(int32_t x);

int32_t whole(const int32_t *xs, int32_t n) {
    int32_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += part(xs[i]);
    return sum;
}
