/* How many pairs of n intervals overlap? The worst case of the cost reported here is all n(n-1)/2 of them.
 *
 *   clang --target=wasm32 -O2 -g -c example.c -o example.o
 *   clang --target=wasm32 -nostdlib -Wl,--no-entry example.o -o example.wasm
 *   pessimum worst example.wasm --entry run --size 6 --cost user
 */
#include "pessimum.h"

#define MAX_INTERVALS 1000

static struct { int32_t low, high; } interval[MAX_INTERVALS];

__attribute__((export_name("run"))) int run(void) {
    int n = pessimum_size();
    int overlaps = 0;
    if (n > MAX_INTERVALS) __builtin_trap();
    for (int i = 0; i < n; i++) {
        interval[i].low = pessimum_i32();
        interval[i].high = pessimum_i32();
        pessimum_assume(interval[i].low <= interval[i].high);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (interval[i].low > interval[j].high) continue;
            if (interval[j].low > interval[i].high) continue;
            pessimum_cost(1);
            overlaps++;
        }
    }
    return overlaps;
}
