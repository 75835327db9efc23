// machine(u8, u8) -> i32
// A small interpreter: a switch over operations, with a stack in memory.
#include <stdint.h>

int32_t machine(uint8_t first, uint8_t second) {
    const uint8_t program[4] = {first >> 4, first & 15, second >> 4, second & 15};
    int32_t stack[4] = {3, 5, 0, 0};
    uint32_t depth = 2, pc = 0, steps = 0;
    while (pc < 4 && steps++ < 12) {
        switch (program[pc++]) {
        case 0: return stack[(depth - 1) & 3];
        case 1: stack[(depth - 1) & 3]++; break;
        case 2: stack[(depth - 1) & 3] *= 2; break;
        case 3: stack[(depth - 2) & 3] -= stack[(depth - 1) & 3]; break;
        case 4: if (stack[(depth - 1) & 3] > 0) pc++; break;
        case 5: pc = 0; stack[(depth - 1) & 3]--; break;
        case 6: stack[depth & 3] = (int32_t)pc; depth++; break;
        case 7: if (depth > 1) depth--; break;
        case 8: stack[0] ^= stack[1]; break;
        case 12: return -1;
        default: stack[(depth - 1) & 3] += program[(pc - 1) & 3];
        }
    }
    return stack[0] + 1000 * stack[1];
}
