/* Foo and Bar, the motivating example of EvoSuite's hybrid search (Galeotti et al., 2013), Figure 1, to the letter: one predicate, which says
 * that the string with the number behind it equals "baz5". foo_bar.c asks for the string and for the number one after the other.
 *
 * suite: baz5.api
 * exports: foo_new, foo_inc, foo_get_x, bar_new, bar_cover_me, for a search that makes its own sequences of calls
 *
 * Target: must_reach, for the string "baz" and five calls of inc. EvoSuite replaces `equals` by a distance of strings, so that its genetic search is told
 * how far off it is: the difference of the lengths, and the places that differ. (That is `StringEquals` of its releases of that time, which aligns
 * strings at the left.) So does this, and no letter has a branch of its own. "baz5" itself is a trap: with any digit behind it, it is only one
 * place too long. And until the string is nearly right, no number of calls is better than another.
 */
#include "subject.h"
#include "objects.h"

#define MOST 4

struct foo {
    int x;
};

struct bar {
    unsigned char text[MOST]; /* up to the first NUL, if there is one */
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
    for (int i = 0; i < MOST; i++) bar->text[i] = text[i];
    return bar;
}

/* How far the text with the number behind it is from "baz5", without a branch on either. Two digits are enough: a test has fewer than a hundred
 * calls. */
static int distance(const unsigned char *text, unsigned x) {
    static const unsigned char wanted[4] = {'b', 'a', 'z', '5'};
    int length = 0;
    for (int i = 0, inside = 1; i < MOST; i++) length += inside &= text[i] != 0;
    int digits = 1 + (x > 9);
    unsigned first = '0' + (x > 9) * (x / 10 % 10) + (x <= 9) * x, second = (x > 9) * ('0' + x % 10);
    int longer = length + digits - 4;
    int sum = (longer > 0) * longer;
    for (int i = 0; i < 4; i++) {
        unsigned letter = (i < length) * text[i] + (i == length) * first + (i == length + 1) * second;
        sum += letter != wanted[i];
    }
    return sum;
}

EXPORT("bar_cover_me") void bar_cover_me(const struct bar *bar, const struct foo *foo) {
    if (distance(bar->text, (unsigned)foo_get_x(foo)) == 0) must_reach();
}
