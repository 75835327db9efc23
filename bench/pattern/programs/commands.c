/* A list that commands change: `push` adds to its end, `find` walks all of it, `;` ends a command. Quadratic for many pushes and
   then many finds. */
#include <string.h>

int commands(const char *text, int length) {
    int at = 0, size = 0, seen = 0;
    while (at < length) {
        if (length - at >= 5 && memcmp(text + at, "push;", 5) == 0) {
            size++;
            at += 5;
        } else if (length - at >= 5 && memcmp(text + at, "find;", 5) == 0) {
            for (int i = 0; i < size; i++) seen += i & 1;
            at += 5;
        } else {
            return -1;
        }
    }
    return seen;
}
