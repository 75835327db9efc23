/* Naive search for a text in another: quadratic where both are periodic and differ at the end. */
int find_text(const char *text, const char *wanted) {
    for (int i = 0; text[i]; i++) {
        int at = 0;
        while (wanted[at] && text[i + at] == wanted[at]) at++;
        if (!wanted[at]) return i;
    }
    return -1;
}
