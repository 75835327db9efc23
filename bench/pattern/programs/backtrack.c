/* A matcher for `(a|aa)*` that tries both at every place and only then looks whether the text ends: exponential for texts of `a`
   that do not match. The base is that of the Fibonacci numbers. */
static int match(const char *text, int length) {
    if (length == 0) return 1;
    if (text[0] == 'a' && match(text + 1, length - 1)) return 1;
    return length >= 2 && text[0] == 'a' && text[1] == 'a' && match(text + 2, length - 2);
}

int backtrack(const char *text, int length) { return match(text, length); }
