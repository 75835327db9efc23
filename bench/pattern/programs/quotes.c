/* Fields in quotes: a quote that is not closed is looked for to the end of the line, and the line is then read again from the next
   character. Quadratic for quotes each followed by something else. */
int quotes(const char *text, int length) {
    int fields = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] != '"') continue;
        int at = i + 1;
        while (at < length && !(text[at] == '"' && (at + 1 == length || text[at + 1] == ','))) {
            if (text[at] == '\n') break;
            at++;
        }
        if (at < length && text[at] == '"') {
            fields++;
            i = at;
        }
    }
    return fields;
}
