/* Small parsers and validators, after the Pascal-like parser of Fitnex (Xie et al., DSN 2009, section 5). Ours.
 *
 * call: ipv4(u8[n], i32 in 0..=n)            n >= 7: four numbers up to 255 without leading zeros, the last of them 1
 * call: calculator(u8[n], i32 in 0..=n)      n >= 7: an expression with parentheses and a product that is worth 42
 * call: date(u8[n])                          n = 10: YYYY-MM-DD, a 29th of February
 * call: markup(u8[n], i32 in 0..=n)          n >= 14: nothing but elements with names of one letter, each closed, two deep
 *
 * Target: must_reach in each.
 */
#include "subject.h"

static const unsigned char *text;
static int length, at;

static int peek(void) {
    if (at < length) return text[at];
    return -1;
}

static int accept(int c) {
    if (peek() != c) return 0;
    at++;
    return 1;
}

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static void begin(const unsigned char *s, int size) {
    text = s;
    length = size;
    at = 0;
}

/* A number from 0 to 255 without leading zeros, or -1. */
static int parse_byte(void) {
    int start = at, value = 0;
    while (is_digit(peek())) {
        value = 10 * value + (text[at] - '0');
        at++;
        if (value > 255) return -1;
    }
    if (at == start) return -1;
    if (at > start + 1 && text[start] == '0') return -1;
    return value;
}

EXPORT("ipv4") void ipv4(const unsigned char *s, int size) {
    begin(s, size);
    int last = -1;
    for (int part = 0; part < 4; part++) {
        if (part > 0 && !accept('.')) return;
        last = parse_byte();
        if (last < 0) return;
    }
    if (at == length && last == 1) must_reach();
}

static int failed, parentheses, products;

static int parse_sum(void);

static int parse_factor(void) {
    if (accept('(')) {
        parentheses++;
        int value = parse_sum();
        if (!accept(')')) failed = 1;
        return value;
    }
    int value = 0, digits = 0;
    while (is_digit(peek()) && digits < 4) {
        value = 10 * value + (text[at] - '0');
        at++;
        digits++;
    }
    if (digits == 0) failed = 1;
    return value;
}

static int parse_product(void) {
    int value = parse_factor();
    while (!failed && accept('*')) {
        products++;
        value *= parse_factor();
    }
    return value;
}

static int parse_sum(void) {
    int value = parse_product();
    while (!failed && accept('+')) value += parse_product();
    return value;
}

EXPORT("calculator") void calculator(const unsigned char *s, int size) {
    begin(s, size);
    failed = parentheses = products = 0;
    int value = parse_sum();
    if (failed || at != length) return;
    if (parentheses > 0 && products > 0 && value == 42) must_reach();
}

/* A number of so many digits, or -1. */
static int parse_digits(int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!is_digit(peek())) return -1;
        value = 10 * value + (text[at] - '0');
        at++;
    }
    return value;
}

EXPORT("date") void date(const unsigned char *s) {
    begin(s, 10);
    int year = parse_digits(4);
    if (year < 1583 || !accept('-')) return;
    int month = parse_digits(2);
    if (month < 1 || month > 12 || !accept('-')) return;
    int day = parse_digits(2);
    int days = 31;
    if (month == 4 || month == 6 || month == 9 || month == 11) days = 30;
    if (month == 2) {
        days = 28;
        if (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) days = 29;
    }
    if (day < 1 || day > days) return;
    if (month == 2 && day == 29) must_reach();
}

EXPORT("markup") void markup(const unsigned char *s, int size) {
    unsigned char open[8];
    int depth = 0, deepest = 0;
    begin(s, size);
    while (at < length) {
        if (!accept('<')) return;
        int closes = accept('/');
        int name = peek();
        if (!(name >= 'a' && name <= 'z')) return;
        at++;
        if (!accept('>')) return;
        if (closes) {
            if (depth == 0) return;
            depth--;
            if (open[depth] != name) return;
        } else {
            if (depth == 8) return;
            open[depth] = (unsigned char)name;
            depth++;
            if (depth > deepest) deepest = depth;
        }
    }
    if (depth == 0 && deepest == 2) must_reach();
}
