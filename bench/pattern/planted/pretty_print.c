/* Lays out nested lists, one element on a line, indented by two blanks for each level, and adds up a checksum of the
 * result.
 *
 * call: layout(u8[n], n)         returns the checksum, or 0 if a list is closed that was not opened
 *
 * Worst case: n^2, by nesting: the line at depth d starts with 2 d blanks, and n opening brackets make lines of 2, 4,
 * ..., 2 n blanks. No text makes deeper lines or more of them than it has characters. In random text brackets close as
 * often as they open, if they do not end it at once.
 */
struct printer {
    unsigned low, high;
    int depth;
};

/* Adler's checksum, with the remainder taken by subtraction. */
static void put(struct printer *printer, unsigned char c) {
    printer->low += c;
    if (printer->low >= 65521) printer->low -= 65521;
    printer->high += printer->low;
    if (printer->high >= 65521) printer->high -= 65521;
}

static void new_line(struct printer *printer) {
    put(printer, '\n');
    for (int i = 0; i < printer->depth; i++) {
        put(printer, ' ');
        put(printer, ' ');
    }
}

unsigned layout(const unsigned char *text, int n) {
    struct printer printer = {1, 0, 0};
    for (int i = 0; i < n; i++) {
        switch (text[i]) {
        case '[':
            put(&printer, '[');
            printer.depth++;
            new_line(&printer);
            break;
        case ']':
            if (printer.depth == 0) return 0;
            printer.depth--;
            new_line(&printer);
            put(&printer, ']');
            break;
        case ',':
            put(&printer, ',');
            new_line(&printer);
            break;
        case ' ':
        case '\n':
            break;
        default:
            put(&printer, text[i]);
        }
    }
    return printer.high << 16 | printer.low;
}
