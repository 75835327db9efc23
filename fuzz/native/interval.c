// interval(i64 in -128..128, u8) -> i64
// Halving an interval of 64-bit numbers until it is small.
#include <stdint.h>

int64_t interval(int64_t low, uint8_t length) {
    low *= 0x100000000;
    int64_t high = low + length * 65537;
    int64_t steps = 0;
    while (high - low > 1000000) {
        int64_t middle = low / 2 + high / 2 + (low & high & 1);
        if ((middle & 1) != 0)
            low = middle;
        else
            high = middle;
        steps++;
    }
    return high % 1000003 + steps * 1000;
}
