/* Drops the blanks before the end of each line of a statement, as the search for [ \t]+$ does: from every blank on, it
 * looks whether only blanks follow. A statement that does not end in a semicolon is incomplete and left for later.
 *
 * call: trim(u8[n], n)         returns how many characters stay, or -1 for an incomplete statement
 *
 * Worst case: n^2, and only with the right last character: blanks (or tabs) up to the semicolon are looked through
 * from each of them, n^2/2 steps, and no search goes further than to the end. (A regular expression like this, on a
 * line of 20,000 blanks, made Stack Overflow unreachable in 2016.) Blanks before an end of line are dropped at once;
 * random bytes are incomplete or have no long blanks: linear.
 */
static int is_blank(unsigned char c) {
    return c == ' ' || c == '\t';
}

/* The end of the line's blanks if they start here and reach the end of the line, otherwise 0. */
static int blanks_to_end_of_line(const unsigned char *text, int at, int n) {
    while (at < n && is_blank(text[at])) at++;
    return at < n && text[at] == '\n' ? at : 0;
}

static int is_complete(const unsigned char *text, int n) {
    return n > 0 && text[n - 1] == ';';
}

int trim(unsigned char *text, int n) {
    int at = 0, kept = 0;
    if (!is_complete(text, n)) return -1;
    while (at < n) {
        if (is_blank(text[at])) {
            int end = blanks_to_end_of_line(text, at, n);
            if (end) {
                at = end;
                continue;
            }
        }
        text[kept++] = text[at++];
    }
    return kept;
}
