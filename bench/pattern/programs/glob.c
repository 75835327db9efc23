/* A matcher for patterns with `*` that tries every length for each star. Patterns of more than two stars are refused: the
   number of ways is quadratic for two, and each takes a step. */
static int match(const char *pattern, const char *text) {
    if (!*pattern) return !*text;
    if (*pattern == '*') {
        for (const char *rest = text;; rest++) {
            if (match(pattern + 1, rest)) return 1;
            if (!*rest) return 0;
        }
    }
    return *text == *pattern && match(pattern + 1, text + 1);
}

int glob(const char *pattern, const char *text) {
    int stars = 0;
    for (const char *at = pattern; *at; at++) stars += *at == '*';
    return stars > 2 ? -1 : match(pattern, text);
}
