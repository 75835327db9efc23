/* A calculator written as a PEG without memory: each level tries its longer alternatives first and starts again when
 * they fail. An opening bracket is read again by every alternative above it, so that nesting costs a power of it. */
#include <stdbool.h>
#include <stddef.h>

struct parser {
    const char *at, *end;
    bool overflow;
};

struct value {
    bool ok;
    long number;
};

static const struct value FAILED = {false, 0};

static bool literal(struct parser *p, char c) {
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static struct value good(long number) {
    return (struct value){true, number};
}

static struct value sum(struct parser *p);

static struct value combine(struct parser *p, char operator, long a, long b) {
    long result = 0;
    bool overflow = false;
    switch (operator) {
    case '+': overflow = __builtin_add_overflow(a, b, &result); break;
    case '-': overflow = __builtin_sub_overflow(a, b, &result); break;
    case '*': overflow = __builtin_mul_overflow(a, b, &result); break;
    case '/': result = b == 0 || b == -1 ? 0 : a / b; break;
    }
    p->overflow |= overflow;
    return good(result);
}

/* primary <- [0-9]+ / '(' sum ')' / '[' sum ']' */
static struct value primary(struct parser *p) {
    const char *start = p->at;
    long number = 0;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        struct value longer = combine(p, '+', combine(p, '*', number, 10).number, *p->at++ - '0');
        number = longer.number;
    }
    if (p->at > start) return good(number);
    if (literal(p, '(')) {
        struct value inner = sum(p);
        if (inner.ok && literal(p, ')')) return inner;
    }
    p->at = start;
    if (literal(p, '[')) {
        struct value inner = sum(p);
        if (inner.ok && literal(p, ']')) return good(inner.number < 0 ? -inner.number : inner.number);
    }
    p->at = start;
    return FAILED;
}

/* power <- primary '^' power / primary */
static struct value power(struct parser *p) {
    const char *start = p->at;
    struct value base = primary(p);
    if (base.ok && literal(p, '^')) {
        struct value exponent = power(p);
        if (exponent.ok && exponent.number >= 0 && exponent.number < 64) {
            struct value result = good(1);
            while (exponent.number-- > 0) result = combine(p, '*', result.number, base.number);
            return result;
        }
    }
    p->at = start;
    return primary(p);
}

/* product <- power [*\/] product / power */
static struct value product(struct parser *p) {
    const char *start = p->at;
    struct value left = power(p);
    if (left.ok && p->at < p->end && (*p->at == '*' || *p->at == '/')) {
        char operator = *p->at++;
        struct value right = product(p);
        if (right.ok) return combine(p, operator, left.number, right.number);
    }
    p->at = start;
    return power(p);
}

/* sum <- product ([+-] product)* */
static struct value sum(struct parser *p) {
    struct value total = product(p);
    while (total.ok && p->at < p->end && (*p->at == '+' || *p->at == '-')) {
        const char *before = p->at;
        char operator = *p->at++;
        struct value next = product(p);
        if (!next.ok) {
            p->at = before;
            break;
        }
        total = combine(p, operator, total.number, next.number);
    }
    return total;
}

/* 0 and the value, 1 for text that is no expression, 2 for a value that does not fit. */
int evaluate(const char *text, size_t length, long *result) {
    struct parser parser = {text, text + length, false};
    struct value value = sum(&parser);
    if (!value.ok || parser.at != parser.end) return 1;
    *result = value.number;
    return parser.overflow ? 2 : 0;
}
