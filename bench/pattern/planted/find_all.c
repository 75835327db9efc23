/* Counts where a word occurs in a text, as a simple strstr does: at every place, from the word's beginning.
 *
 * call: count(u8[n], n)         the first line is the word, the rest is the text
 *
 * Worst case: n^2, by periodic text: for the word a...ab in a text of a's each place fails at the word's last
 * character; a word of n/4 characters costs n^2/8 comparisons, the most that a split of n characters between word and
 * text gives. (The word a...a, found everywhere, costs a little more.) In random text nearly each first comparison
 * fails, and there may be no end of line at all: linear.
 */
struct piece {
    const unsigned char *start;
    int length;
};

static struct piece first_line(const unsigned char *text, int n) {
    struct piece line = {text, 0};
    while (line.length < n && text[line.length] != '\n') line.length++;
    return line;
}

static int starts_with(const unsigned char *text, struct piece word) {
    for (int i = 0; i < word.length; i++) {
        if (text[i] != word.start[i]) return 0;
    }
    return 1;
}

int count(const unsigned char *input, int n) {
    struct piece word = first_line(input, n);
    if (word.length == 0 || word.length == n) return -1;
    struct piece text = {input + word.length + 1, n - word.length - 1};
    int found = 0;
    for (int at = 0; at + word.length <= text.length; at++) {
        if (starts_with(text.start + at, word)) found++;
    }
    return found;
}
