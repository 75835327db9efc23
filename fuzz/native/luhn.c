// luhn(u16) -> i32
// The check digit of a number in decimal.
#include <stdint.h>

int32_t luhn(uint16_t number) {
    int32_t sum = 0, place = 0;
    for (uint32_t rest = number; rest != 0; rest /= 10, place++) {
        int32_t digit = (int32_t)(rest % 10);
        if (place % 2 == 0) digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
        sum += digit;
    }
    return (10 - sum % 10) % 10;
}
