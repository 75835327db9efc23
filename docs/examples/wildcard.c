/* File name patterns: `*` stands for any characters, `?` for one. */
#include <stdbool.h>

bool wildcard_match(const char *pattern, const char *text) {
    while (*pattern) {
        if (*pattern == '*') {
            do {
                if (wildcard_match(pattern + 1, text)) return true;
            } while (*text++);
            return false;
        }
        if (*text == '\0' || (*pattern != '?' && *pattern != *text)) return false;
        pattern++;
        text++;
    }
    return *text == '\0';
}
