/* Replaces `\\n` and the like in place, moving the rest each time: quadratic in the number of escapes. The keyword `raw` at the
   beginning switches that off. */
#include <string.h>

int unescape(char *text, int length) {
    if (length >= 4 && memcmp(text, "raw:", 4) == 0) return length;
    for (int i = 0; i + 1 < length; i++) {
        if (text[i] != '\\') continue;
        text[i] = text[i + 1] == 'n' ? '\n' : text[i + 1];
        for (int at = i + 1; at + 1 < length; at++) text[at] = text[at + 1];
        length--;
    }
    return length;
}
