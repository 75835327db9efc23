/* Fields of a log line, found a word of memory at a time: eight bytes are tested for the separator at once, as fast
 * versions of memchr do, and a field that is quoted is looked through for its end. Fields are then trimmed and compared
 * with the one before. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* Not zero if one of the eight bytes is the one looked for; the lowest bit that is set marks the first. */
static uint64_t matches(uint64_t word, unsigned char wanted) {
    uint64_t difference = word ^ (ONES * wanted);
    return (difference - ONES) & ~difference & HIGHS;
}

static const char *find_byte(const char *at, const char *end, char wanted) {
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        uint64_t found = matches(word, (unsigned char)wanted);
        if (found) return at + __builtin_ctzll(found) / 8;
        at += 8;
    }
    while (at < end && *at != wanted) at++;
    return at;
}

struct field {
    const char *start, *end;
};

static struct field trimmed(struct field field) {
    while (field.start < field.end && *field.start == ' ') field.start++;
    while (field.end > field.start && field.end[-1] == ' ') field.end--;
    return field;
}

static bool same(struct field a, struct field b) {
    return a.end - a.start == b.end - b.start && memcmp(a.start, b.start, (size_t)(a.end - a.start)) == 0;
}

/* The next field, without its quotes; `at` goes behind its separator. False for a quote that nothing closes. */
static bool next_field(const char **at, const char *end, struct field *field) {
    const char *start = *at;
    if (start < end && *start == '"') {
        const char *close = find_byte(start + 1, end, '"');
        if (close == end) return false;
        *field = (struct field){start + 1, close};
        *at = find_byte(close + 1, end, ';');
    } else {
        *at = find_byte(start, end, ';');
        *field = trimmed((struct field){start, *at});
    }
    if (*at < end) ++*at;
    return true;
}

/* How many fields differ from the one before them, or -1 for a quote that nothing closes. */
int changes(const char *line, size_t length) {
    const char *end = line + length;
    struct field last = {line, line}, field;
    int changed = 0;
    while (line < end) {
        if (!next_field(&line, end, &field)) return -1;
        if (!same(field, last)) changed++;
        last = field;
    }
    return changed;
}
