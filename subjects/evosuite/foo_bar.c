/* Foo and Bar, the motivating example of EvoSuite's hybrid search (Galeotti et al., 2013), Figure 1.
 *
 * call: cover(u8[n] in 0..=1, n, u8[4])        a sequence of n calls (0: inc, 1: getX), then coverMe on a Bar made of the string
 * suite: foo_bar.api
 * exports: foo_new, foo_inc, foo_get_x, bar_new, bar_cover_me, for a search that makes its own sequences of calls
 *
 * Target: must_reach. It needs the string "baz" (a solver finds it at once, mutation hardly ever) and exactly five calls of inc (a solver cannot
 * see them, because they are calls and not values; here, in `cover`, they are).
 */
#include "subject.h"
#include "objects.h"

struct foo {
    int x;
};

struct bar {
    unsigned char text[4]; /* three characters and NUL, or four */
};

EXPORT("foo_new") struct foo *foo_new(void) {
    return NEW(struct foo);
}

EXPORT("foo_inc") void foo_inc(struct foo *foo) {
    foo->x++;
}

EXPORT("foo_get_x") int foo_get_x(const struct foo *foo) {
    return foo->x;
}

EXPORT("bar_new") struct bar *bar_new(const unsigned char *text) {
    struct bar *bar = NEW(struct bar);
    for (int i = 0; i < 4; i++) bar->text[i] = text[i];
    return bar;
}

/* The original appends the decimal number to the string and compares with "baz5". As there, the comparison of strings is one branch: with one for
 * each character, the published search would see nothing left to do after the first character has been taken both ways. */
EXPORT("bar_cover_me") void bar_cover_me(const struct bar *bar, const struct foo *foo) {
    static const unsigned char wanted[4] = "baz";
    int different = 0;
    for (int i = 0; i < 4; i++) different |= bar->text[i] ^ wanted[i];
    if (different) return;
    if (foo_get_x(foo) == 5) must_reach();
}

EXPORT("cover") void cover(const unsigned char *calls, int n, const unsigned char *text) {
    struct foo *foo = foo_new();
    for (int i = 0; i < n; i++) {
        if (calls[i] == 0) foo_inc(foo);
        else foo_get_x(foo);
    }
    bar_cover_me(bar_new(text), foo);
}
