// round_cents(i16) -> i32
// Tenths of a cent to cents in single precision: rounding half away from zero.
#include <stdint.h>

int32_t round_cents(int16_t tenths) {
    float cents = (float)tenths * 0.1f;
    int32_t whole = (int32_t)cents;
    float rest = cents - (float)whole;
    if (rest >= 0.5f) whole++;
    if (rest <= -0.5f) whole--;
    return whole;
}
