/* The longest passage that occurs twice in a text, by comparing from every two places on: what a first version does
 * that looks for duplicated code.
 *
 * call: longest(u8[n], n)
 *
 * Worst case: n^3, by text of one character: from the places i < j it agrees up to the end, n^3/6 comparisons, and
 * there are no more that could be made. In random text two places agree for less than one character on average: n^2.
 */
struct passage {
    int first;
    int second;
    int length;
};

static int common(const unsigned char *text, int n, int first, int second) {
    int length = 0;
    while (second + length < n && text[first + length] == text[second + length]) length++;
    return length;
}

static struct passage find_longest(const unsigned char *text, int n) {
    struct passage best = {0, 0, 0};
    for (int first = 0; first < n; first++) {
        for (int second = first + 1; second < n; second++) {
            int length = common(text, n, first, second);
            if (length > best.length) {
                best.first = first;
                best.second = second;
                best.length = length;
            }
        }
    }
    return best;
}

int longest(const unsigned char *text, int n) {
    struct passage passage = find_longest(text, n);
    int overlaps = passage.first + passage.length > passage.second;
    return overlaps ? -passage.length : passage.length;
}
