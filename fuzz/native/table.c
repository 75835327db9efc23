// table(u8, u8) -> i32
// A hash table with four places and open addressing: insertions, a collision, and a search.
#include <stdint.h>

int32_t table(uint8_t a, uint8_t b) {
    int16_t places[4] = {-1, -1, 77, -1};
    const uint8_t keys[2] = {a, b};
    uint32_t probes = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t at = (keys[i] * 0x9du >> 4) & 3;
        while (places[at] != -1 && places[at] != keys[i]) {
            at = (at + 1) & 3;
            probes++;
        }
        places[at] = keys[i];
    }
    for (uint32_t at = 0; at < 4; at++)
        if (places[at] == b) return (int32_t)(probes * 16 + at);
    return -1;
}
