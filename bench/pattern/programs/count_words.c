/* Counts words. Every byte is looked at once: linear, whatever the text. */
int count_words(const unsigned char *text, int length) {
    int words = 0, inside = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] == ' ' || text[i] == '\n') {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
    }
    return words;
}
