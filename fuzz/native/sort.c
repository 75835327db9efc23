// sort(u8[4] in 0..16, 4) -> u32
// Insertion sort; the result is the sorted numbers in one.
#include <stdint.h>

uint32_t sort(uint8_t *values, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        uint8_t value = values[i];
        uint32_t j = i;
        while (j > 0 && values[j - 1] > value) {
            values[j] = values[j - 1];
            j--;
        }
        values[j] = value;
    }
    uint32_t packed = 0;
    for (uint32_t i = 0; i < n; i++) packed = packed << 8 | values[i];
    return packed;
}
