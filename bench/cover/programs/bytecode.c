/* A bytecode interpreter with a stack, local variables, jumps and a budget of steps. */
#include <stdint.h>

enum { PUSH = 1, POP, DUP, SWAP, ADD, SUB, MUL, DIV, LOAD, STORE, LESS, EQUAL, JUMP, BRANCH, CALL, RETURN, HALT };

int run_bytecode(const unsigned char *code, uint32_t size) {
    int32_t stack[16], locals[4] = {0};
    uint32_t calls[4], depth = 0, nested = 0, at = 0;
    for (int steps = 0; steps < 200; steps++) {
        if (at >= size) return -1;
        unsigned char op = code[at++];
        uint32_t needs = op == POP || op == DUP || op == STORE || op == BRANCH ? 1 : op >= SWAP && op <= DIV ? 2 : 0;
        if (op == LESS || op == EQUAL) needs = 2;
        if (depth < needs) return -2;
        switch (op) {
        case PUSH:
            if (at >= size) return -3;
            if (depth == 16) return -4;
            stack[depth++] = (int8_t)code[at++];
            break;
        case POP: depth--; break;
        case DUP:
            if (depth == 16) return -4;
            stack[depth] = stack[depth - 1];
            depth++;
            break;
        case SWAP: {
            int32_t top = stack[depth - 1];
            stack[depth - 1] = stack[depth - 2];
            stack[depth - 2] = top;
            break;
        }
        case ADD: depth--; stack[depth - 1] = (int32_t)((uint32_t)stack[depth - 1] + (uint32_t)stack[depth]); break;
        case SUB: depth--; stack[depth - 1] = (int32_t)((uint32_t)stack[depth - 1] - (uint32_t)stack[depth]); break;
        case MUL: depth--; stack[depth - 1] = (int32_t)((uint32_t)stack[depth - 1] * (uint32_t)stack[depth]); break;
        case DIV:
            depth--;
            if (stack[depth] == 0) return -5;
            if (stack[depth] == -1) return -6;
            stack[depth - 1] /= stack[depth];
            break;
        case LOAD:
            if (at >= size || code[at] > 3) return -7;
            if (depth == 16) return -4;
            stack[depth++] = locals[code[at++]];
            break;
        case STORE:
            if (at >= size || code[at] > 3) return -8;
            locals[code[at++]] = stack[--depth];
            break;
        case LESS: depth--; stack[depth - 1] = stack[depth - 1] < stack[depth]; break;
        case EQUAL: depth--; stack[depth - 1] = stack[depth - 1] == stack[depth]; break;
        case JUMP:
            if (at >= size) return -9;
            at = code[at];
            break;
        case BRANCH:
            if (at >= size) return -9;
            if (stack[--depth]) at = code[at]; else at++;
            break;
        case CALL:
            if (at >= size) return -10;
            if (nested == 4) return -11;
            calls[nested++] = at + 1;
            at = code[at];
            break;
        case RETURN:
            if (nested == 0) return -12;
            at = calls[--nested];
            break;
        case HALT:
            if (depth == 0) return 0;
            if (stack[depth - 1] == 1234) return 1; /* an answer that no single push gives */
            return locals[3] > 100 ? 2 : 3;
        default: return -13;
        }
    }
    return -14;
}
