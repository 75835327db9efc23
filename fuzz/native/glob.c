// glob(u8[2], 2) -> i32
// A pattern with `*` and `?` against a fixed text, by backtracking.
#include <stdint.h>

int32_t glob(const uint8_t *pattern, uint32_t length) {
    static const char text[] = "abab";
    uint32_t p = 0, t = 0, star = UINT32_MAX, mark = 0;
    while (t < sizeof text - 1) {
        if (p < length && (pattern[p] == '?' || pattern[p] == (uint8_t)text[t])) {
            p++;
            t++;
        } else if (p < length && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (star != UINT32_MAX) {
            p = star + 1;
            t = ++mark;
        } else {
            return 0;
        }
    }
    while (p < length && pattern[p] == '*') p++;
    return p == length;
}
