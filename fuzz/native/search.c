// search(i16) -> i32
// Binary search in a sorted table of signed numbers.
#include <stdint.h>

static const int16_t table[16] = {-32768, -20000, -4097, -4096, -300, -2, -1, 0, 1, 2, 255, 256, 4095, 20001, 32766, 32767};

int32_t search(int16_t key) {
    int32_t low = 0, high = 15;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        if (table[middle] == key) return middle;
        if (table[middle] < key)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1 - low;
}
