#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int sum(const char *s, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] == 'x') { fprintf(stderr, "bad letter at %d\n", i); abort(); }
        if (s[i] == 'y') { for (int j = 0; j < 50; j++) total += j; }
        total += s[i];
    }
    return total;
}
