/* Lines of `a` and `b`: each `a` is compared with each `b`, and each such pair with each `c`: cubic, if there are many of all. */
int three_loops(const char *text, int length) {
    int found = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] != 'a') continue;
        for (int j = 0; j < length; j++) {
            if (text[j] != 'b') continue;
            for (int k = 0; k < length; k++) found += text[k] == 'c';
        }
    }
    return found;
}
