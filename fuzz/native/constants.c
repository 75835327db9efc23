// constants(i16) -> i64
// Division by constants, which compilers turn into multiplications and shifts of 32 and 64 bits.
#include <stdint.h>

int64_t constants(int16_t x) {
    int64_t sum = x / 3 + x % 7 * 10;
    sum += (uint16_t)x / 10u * 100u;
    sum += (int64_t)x * 1000003 / 641;
    if (x % 16 == 0) sum += x / 16;
    if ((uint32_t)(int32_t)x % 1000u < 17u) sum ^= 0x5555;
    return sum;
}
