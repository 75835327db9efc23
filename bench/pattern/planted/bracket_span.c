/* Marks the span of every bracket pair for an editor. For each closing bracket it walks back to the opening one.
 *
 * call: longest_span(u8[n], n)         returns the longest span, or -1 at a bracket without a partner
 *
 * Worst case: n^2, by nesting: in ((( ))) the i-th closing bracket walks back over 2 i characters, n^2/4 in all. No
 * text makes it walk over more than it has already read, for each character: at most n^2/2. A bracket without a
 * partner ends everything, so that pairs side by side and random text stay linear.
 */
static int opening(unsigned char closing) {
    switch (closing) {
    case ')':
        return '(';
    case ']':
        return '[';
    case '}':
        return '{';
    default:
        return 0;
    }
}

/* Where the bracket at `end` was opened, or -1. Brackets of other kinds are looked over. */
static int partner(const unsigned char *text, int end, unsigned char open) {
    unsigned char close = text[end];
    int depth = 0;
    for (int at = end; at >= 0; at--) {
        if (text[at] == close) {
            depth++;
        } else if (text[at] == open && --depth == 0) {
            return at;
        }
    }
    return -1;
}

int longest_span(const unsigned char *text, int n) {
    int longest = 0;
    for (int i = 0; i < n; i++) {
        int open = opening(text[i]);
        if (!open) continue;
        int start = partner(text, i, (unsigned char)open);
        if (start < 0) return -1;
        if (i - start + 1 > longest) longest = i - start + 1;
    }
    return longest;
}
