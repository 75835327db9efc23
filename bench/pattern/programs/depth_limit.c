/* A parser of brackets that walks its stack at each one, but refuses to go deeper than 40: linear, though it looks quadratic at
   small sizes. */
int depth_limit(const char *text, int length) {
    int depth = 0, seen = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] == '{' && depth < 40) depth++;
        if (text[i] == '}' && depth > 0) depth--;
        for (int at = 0; at < depth; at++) seen += at;
    }
    return seen;
}
