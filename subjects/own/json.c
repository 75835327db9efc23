/* build: wasi
 *
 * A parser of JSON over standard input: recursive descent, one byte at a time, with the check that no object has a key twice.
 * Prints the number of values, or where the first error is (and exits with 1).
 *
 * stdin: n bytes
 *
 * Worst case: the check for duplicate keys compares each key with all earlier keys of its object, so an object with many short
 * different keys costs quadratic time in the bytes; everything else is linear. The exact optimum is not known.
 */
#include <string.h>
#include <unistd.h>

#define MAX_BYTES 65536
#define MAX_DEPTH 200
#define MAX_KEYS 8192

static char text[MAX_BYTES];
static int length, at, values;

/* Keys of all open objects, innermost last: start and length of each between its quotes. */
static struct { int start, length; } keys[MAX_KEYS];
static int key_count;

static int parse_value(int depth);

static int peek(void) { return at < length ? (unsigned char)text[at] : -1; }

static void skip_space(void) {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') at++;
}

static int take(int c) {
    if (peek() != c) return 0;
    at++;
    return 1;
}

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int is_hex(int c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static int parse_word(const char *word) {
    while (*word) {
        if (!take(*word++)) return 0;
    }
    return 1;
}

static int parse_digits(void) {
    if (!is_digit(peek())) return 0;
    while (is_digit(peek())) at++;
    return 1;
}

static int parse_number(void) {
    take('-');
    if (!take('0') && !parse_digits()) return 0;
    if (take('.') && !parse_digits()) return 0;
    if (take('e') || take('E')) {
        if (!take('+')) take('-');
        if (!parse_digits()) return 0;
    }
    return 1;
}

static int parse_string(void) {
    if (!take('"')) return 0;
    for (;;) {
        int c = peek();
        if (c < ' ') return 0; /* also the end of the input */
        at++;
        if (c == '"') return 1;
        if (c != '\\') continue;
        switch (peek()) {
        case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
            at++;
            break;
        case 'u':
            at++;
            for (int i = 0; i < 4; i++) {
                if (!is_hex(peek())) return 0;
                at++;
            }
            break;
        default:
            return 0;
        }
    }
}

static int parse_array(int depth) {
    at++;
    skip_space();
    if (take(']')) return 1;
    do {
        if (!parse_value(depth)) return 0;
    } while (take(','));
    return take(']');
}

static int parse_member(int depth, int first_key) {
    skip_space();
    int start = at + 1;
    if (!parse_string()) return 0;
    int size = at - 1 - start;
    for (int i = first_key; i < key_count; i++) {
        if (keys[i].length == size && memcmp(text + keys[i].start, text + start, size) == 0) return 0;
    }
    if (key_count == MAX_KEYS) return 0;
    keys[key_count].start = start;
    keys[key_count++].length = size;
    skip_space();
    return take(':') && parse_value(depth);
}

static int parse_object(int depth) {
    int first_key = key_count;
    at++;
    skip_space();
    if (take('}')) return 1;
    do {
        if (!parse_member(depth, first_key)) return 0;
    } while (take(','));
    key_count = first_key;
    return take('}');
}

static int parse_bare_value(int depth) {
    switch (peek()) {
    case '{': return parse_object(depth);
    case '[': return parse_array(depth);
    case '"': return parse_string();
    case 't': return parse_word("true");
    case 'f': return parse_word("false");
    case 'n': return parse_word("null");
    default: return parse_number();
    }
}

static int parse_value(int depth) {
    if (depth == MAX_DEPTH) return 0;
    skip_space();
    if (!parse_bare_value(depth + 1)) return 0;
    values++;
    skip_space();
    return 1;
}

/* printf would make the module ten times as large. */
static void print(const char *label, int number) {
    char digits[12];
    int first = sizeof digits;
    digits[--first] = '\n';
    do {
        digits[--first] = '0' + number % 10;
        number /= 10;
    } while (number > 0);
    write(1, label, strlen(label));
    write(1, digits + first, sizeof digits - first);
}

int main(void) {
    for (;;) {
        ssize_t got = read(0, text + length, MAX_BYTES - length);
        if (got <= 0) break;
        length += got;
    }
    if (!parse_value(0) || at != length) {
        print("error at byte ", at);
        return 1;
    }
    print("values: ", values);
    return 0;
}
