/* Counts the fields of a CSV file on standard input. A quote opens a field that ends at a quote before a comma or an
 * end of line; if there is none, the quote is taken literally, as lenient readers do.
 *
 * stdin: n
 *
 * Worst case: n^2, by quotes that never close: from each of n quotes in a row it searches up to the end of the file,
 * n^2/2 steps; a search starts at most once at a character and ends at the end. Only a quote at the start of a field
 * or behind another literal one opens. Random bytes have few quotes: linear.
 */
#include <stdio.h>
#include <stdlib.h>

struct input {
    char *bytes;
    size_t length;
};

static int read_all(struct input *input) {
    size_t room = 64;
    int c;
    input->bytes = malloc(room);
    input->length = 0;
    while (input->bytes && (c = getchar()) != EOF) {
        if (input->length == room) {
            room *= 2;
            char *larger = realloc(input->bytes, room);
            if (!larger) return 0;
            input->bytes = larger;
        }
        input->bytes[input->length++] = (char)c;
    }
    return input->bytes != NULL;
}

static int ends_field(char c) {
    return c == ',' || c == '\n';
}

/* Where the quote is that closes a field opened at `open`, or 0. */
static size_t closing_quote(const struct input *input, size_t open) {
    for (size_t at = open + 1; at + 1 < input->length; at++) {
        if (input->bytes[at] == '"' && ends_field(input->bytes[at + 1])) return at;
    }
    return 0;
}

static unsigned count_fields(const struct input *input) {
    unsigned fields = 0;
    int may_open = 1;
    for (size_t at = 0; at < input->length; at++) {
        char c = input->bytes[at];
        if (c == '"' && may_open) {
            size_t close = closing_quote(input, at);
            if (close) at = close;
        } else {
            may_open = ends_field(c);
            fields += (unsigned)may_open;
        }
    }
    return fields;
}

int main(void) {
    struct input input;
    if (!read_all(&input)) return 1;
    printf("%u fields\n", count_fields(&input));
    free(input.bytes);
    return 0;
}
