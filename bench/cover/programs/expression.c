/* An expression parser and evaluator: numbers, four operators, powers, brackets, functions and variables. */
#include <stdint.h>
#include <string.h>

static const char *text, *end;
static int error, depth;

static long sum(void);

static void skip(void) { while (text < end && (*text == ' ' || *text == '\t')) text++; }

static int accept(char c) {
    skip();
    if (text < end && *text == c) { text++; return 1; }
    return 0;
}

static long fail(int why) { if (!error) error = why; return 0; }

static long named(const char *name, int length) {
    if (length == 2 && memcmp(name, "pi", 2) == 0) return 3;
    if (length == 6 && memcmp(name, "answer", 6) == 0) return 42;
    int is_min = length == 3 && memcmp(name, "min", 3) == 0, is_max = length == 3 && memcmp(name, "max", 3) == 0;
    int is_abs = length == 3 && memcmp(name, "abs", 3) == 0;
    if (!is_min && !is_max && !is_abs) return fail(1);
    if (!accept('(')) return fail(2);
    long x = sum();
    if (is_abs) {
        if (!accept(')')) return fail(3);
        return x < 0 ? -x : x;
    }
    if (!accept(',')) return fail(4);
    long y = sum();
    if (!accept(')')) return fail(5);
    if (is_min) return x < y ? x : y;
    return x > y ? x : y;
}

static long primary(void) {
    skip();
    if (text == end) return fail(6);
    if (++depth > 20) return fail(7);
    long value = 0;
    if (accept('(')) {
        value = sum();
        if (!accept(')')) fail(8);
    } else if (accept('-')) {
        value = -primary();
    } else if (*text >= '0' && *text <= '9') {
        int digits = 0;
        while (text < end && *text >= '0' && *text <= '9') {
            if (++digits > 6) return fail(9);
            value = value * 10 + (*text++ - '0');
        }
    } else if (*text >= 'a' && *text <= 'z') {
        const char *name = text;
        while (text < end && *text >= 'a' && *text <= 'z') text++;
        value = named(name, (int)(text - name));
    } else {
        fail(10);
    }
    depth--;
    return value;
}

static long power(void) {
    long base = primary();
    if (error || !accept('^')) return base;
    long exponent = power(), value = 1;
    if (exponent < 0) return fail(11);
    if (exponent > 8) return fail(12);
    while (exponent--) value = value * base % 1000003;
    return value;
}

static long product(void) {
    long value = power();
    while (!error) {
        if (accept('*')) {
            value = value * power() % 1000003;
        } else if (accept('/')) {
            long by = power();
            if (by == 0) return fail(13);
            value /= by;
        } else {
            break;
        }
    }
    return value;
}

static long sum(void) {
    long value = product();
    while (!error) {
        if (accept('+')) value += product();
        else if (accept('-')) value -= product();
        else break;
    }
    return value;
}

int evaluate(const unsigned char *data, uint32_t size) {
    text = (const char *)data;
    end = text + size;
    error = depth = 0;
    long value = sum();
    skip();
    if (error) return -error;
    if (text != end) return -20;
    return value == 1000 ? 2 : value < 0 ? 0 : 1;
}
