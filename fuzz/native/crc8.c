// crc8(u8[2], 2) -> u32
// CRC-8/MAXIM bit by bit, over a message of two bytes.
#include <stdint.h>

uint32_t crc8(const uint8_t *bytes, uint32_t length) {
    uint8_t crc = 0;
    for (uint32_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            if (crc & 1)
                crc = (uint8_t)((crc >> 1) ^ 0x8c);
            else
                crc >>= 1;
        }
    }
    return crc;
}
