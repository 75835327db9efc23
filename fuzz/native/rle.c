// rle(u8[4] in 0..16, 4) -> i64
// Run-length encoding into a buffer, read back and compared.
#include <stdint.h>
#include <string.h>

int64_t rle(const uint8_t *bytes, uint32_t n) {
    uint8_t coded[8], plain[8];
    uint32_t length = 0, out = 0;
    memset(plain, 0xff, sizeof plain);
    for (uint32_t i = 0; i < n;) {
        uint32_t run = 1;
        while (i + run < n && bytes[i + run] == bytes[i]) run++;
        coded[length++] = (uint8_t)run;
        coded[length++] = bytes[i];
        i += run;
    }
    for (uint32_t i = 0; i < length; i += 2)
        for (uint32_t k = 0; k < coded[i]; k++) plain[out++] = coded[i + 1];
    return memcmp(plain, bytes, n) == 0 ? (int64_t)length << 32 | plain[0] : -1;
}
