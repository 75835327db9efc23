/* A command packet: two bytes of magic, a length, a payload, and behind it the Adler-32 of the payload. */
#include <stdint.h>

static uint32_t adler32(const unsigned char *at, uint32_t count) {
    uint32_t a = 1, b = 0;
    while (count--) {
        a = (a + *at++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static int run(const unsigned char *at, uint32_t count) {
    int speed = 0, armed = 0, moved = 0;
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        int value = at[i + 1];
        switch (at[i]) {
        case 'S':
            if (value > 100) return -30;
            speed = value;
            break;
        case 'A':
            if (value != 0x5a) return -31;
            armed = 1;
            break;
        case 'M':
            if (speed == 0) return -32;
            moved += speed * (value > 127 ? -1 : 1);
            break;
        case 'F':
            if (!armed) return -33;
            if (moved == 42) return 100;
            armed = 0;
            break;
        default: return -34;
        }
    }
    return moved < 0 ? 1 : 2;
}

int run_packet(const unsigned char *data, uint32_t size) {
    if (size < 8) return -1;
    if (data[0] != 0xc0 || data[1] != 0xde) return -2;
    uint32_t length = data[2];
    if (length < 2) return -3;
    if (size != length + 7) return -4;
    const unsigned char *sum = data + 3 + length;
    uint32_t stored = (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    if (stored != adler32(data + 3, length)) return -5;
    return run(data + 3, length);
}
