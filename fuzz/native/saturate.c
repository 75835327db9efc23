// saturate(i8, i8) -> i32
// Sums, differences and products that stop at the ends of the range.
#include <stdint.h>

static int8_t clamp(int32_t x) {
    return x > INT8_MAX ? INT8_MAX : x < INT8_MIN ? INT8_MIN : (int8_t)x;
}

int32_t saturate(int8_t a, int8_t b) {
    int8_t sum = clamp(a + b), difference = clamp(a - b), product = clamp(a * b);
    return (uint8_t)sum << 16 | (uint8_t)difference << 8 | (uint8_t)product;
}
