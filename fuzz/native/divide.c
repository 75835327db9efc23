// divide(i8, i8) -> i32
// Quotients that round towards zero, down, and to the nearest; the remainder with the sign of either operand.
#include <stdint.h>

int32_t divide(int8_t a, int8_t b) {
    if (b == 0) return a < 0 ? INT32_MIN : a > 0 ? INT32_MAX : 0;
    int32_t quotient = a / b, rest = a % b;
    int32_t floor = quotient - (rest != 0 && (rest < 0) != (b < 0));
    int32_t modulo = a - floor * b;
    uint32_t unsigned_quotient = (uint8_t)a / (uint8_t)b;
    return floor * 1000003 + modulo * 257 + (int32_t)unsigned_quotient * 7 + rest;
}
