/* HelloWorld of Fitnex (Xie et al., DSN 2009), section 5: a string that starts with "Hello", ends with "World!" and contains a space.
 *
 * call: hello_world(u8[n], i32 in 0..=n)        any n >= 12; the length of the string is an input too
 *
 * Target: must_reach. The shortest input is "Hello World!", 12 bytes: the two words do not overlap, and a space fits in neither.
 */
#include "subject.h"

static int equal(const unsigned char *a, const char *b, int length) {
    for (int i = 0; i < length; i++) {
        if (a[i] != (unsigned char)b[i]) return 0;
    }
    return 1;
}

static int starts_with(const unsigned char *s, int length, const char *word, int word_length) {
    if (length < word_length) return 0;
    return equal(s, word, word_length);
}

static int ends_with(const unsigned char *s, int length, const char *word, int word_length) {
    if (length < word_length) return 0;
    return equal(s + length - word_length, word, word_length);
}

static int contains(const unsigned char *s, int length, unsigned char c) {
    for (int i = 0; i < length; i++) {
        if (s[i] == c) return 1;
    }
    return 0;
}

EXPORT("hello_world") void hello_world(const unsigned char *s, int length) {
    if (starts_with(s, length, "Hello", 5) && ends_with(s, length, "World!", 6) && contains(s, length, ' ')) must_reach();
}
