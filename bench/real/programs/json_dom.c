/* JSON into a tree: values from malloc, members of an object in a list whose names must differ, a limit on depth,
 * strings with escapes. Many members with short names cost a square. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUL, FALSE, TRUE, NUMBER, STRING, ARRAY, OBJECT };

struct value {
    struct value *next, *first;
    char *name, *text;
    double number;
    enum kind kind;
};

struct parser {
    const char *at, *end;
    int depth;
};

enum { MOST_DEPTH = 64 };

static void free_value(struct value *value) {
    while (value) {
        struct value *next = value->next;
        free_value(value->first);
        free(value->name);
        free(value->text);
        free(value);
        value = next;
    }
}

static void skip_space(struct parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) p->at++;
}

static bool take(struct parser *p, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

static int hex(const char *digits) {
    int code = 0;
    for (int i = 0; i < 4; i++) {
        int digit;
        char c = digits[i];
        if (c >= '0' && c <= '9') digit = c - '0';
        else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
        else return -1;
        code = code * 16 + digit;
    }
    return code;
}

static char *string(struct parser *p) {
    if (!take(p, "\"")) return NULL;
    const char *close = p->at;
    while (close < p->end && *close != '"') close += *close == '\\' ? 2 : 1;
    if (close >= p->end) return NULL;
    char *text = malloc((size_t)(close - p->at) + 1), *out = text;
    if (!text) return NULL;
    while (p->at < close) {
        char c = *p->at++;
        if ((unsigned char)c < ' ') goto bad;
        if (c != '\\') {
            *out++ = c;
            continue;
        }
        c = *p->at++;
        if (c == 'u') {
            int code = close - p->at >= 4 ? hex(p->at) : -1;
            if (code < 0) goto bad;
            p->at += 4;
            if (code >= 0x800) *out++ = (char)(0xe0 | code >> 12);
            if (code >= 0x80) *out++ = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
            *out++ = (char)(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
        } else {
            const char *from = "\"\\/bfnrt", *found = c ? strchr(from, c) : NULL;
            if (!found) goto bad;
            *out++ = "\"\\/\b\f\n\r\t"[found - from];
        }
    }
    *out = 0;
    p->at++;
    return text;
bad:
    free(text);
    return NULL;
}

static bool number(struct parser *p, double *value) {
    bool negative = take(p, "-");
    const char *start = p->at;
    double scale = 1;
    *value = 0;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') *value = *value * 10 + (*p->at++ - '0');
    if (p->at == start || (*start == '0' && p->at > start + 1)) return false;
    if (take(p, ".")) {
        start = p->at;
        while (p->at < p->end && *p->at >= '0' && *p->at <= '9') *value += (*p->at++ - '0') * (scale /= 10);
        if (p->at == start) return false;
    }
    if (negative) *value = -*value;
    return true;
}

static struct value *parse(struct parser *p);

static bool named_before(const struct value *first, const char *name) {
    for (; first; first = first->next)
        if (strcmp(first->name, name) == 0) return true;
    return false;
}

static bool members(struct parser *p, struct value *into, char close) {
    struct value **last = &into->first;
    char end[2] = {close, 0};
    skip_space(p);
    if (take(p, end)) return true;
    do {
        char *name = NULL;
        skip_space(p);
        if (close == '}') {
            name = string(p);
            skip_space(p);
            if (!name || named_before(into->first, name) || !take(p, ":")) {
                free(name);
                return false;
            }
        }
        struct value *value = parse(p);
        if (!value) {
            free(name);
            return false;
        }
        value->name = name;
        *last = value;
        last = &value->next;
        skip_space(p);
    } while (take(p, ","));
    return take(p, end);
}

static struct value *parse(struct parser *p) {
    struct value *value = calloc(1, sizeof *value);
    bool good = value && ++p->depth <= MOST_DEPTH;
    skip_space(p);
    if (!good || p->at == p->end) good = false;
    else if (take(p, "null")) value->kind = NUL;
    else if (take(p, "true")) value->kind = TRUE;
    else if (take(p, "false")) value->kind = FALSE;
    else if (*p->at == '"') value->kind = STRING, good = (value->text = string(p)) != NULL;
    else if (take(p, "[")) value->kind = ARRAY, good = members(p, value, ']');
    else if (take(p, "{")) value->kind = OBJECT, good = members(p, value, '}');
    else value->kind = NUMBER, good = number(p, &value->number);
    p->depth--;
    if (good) return value;
    free_value(value);
    return NULL;
}

static int count(const struct value *value) {
    int values = 0;
    for (; value; value = value->next) values += 1 + count(value->first);
    return values;
}

/* The number of values in the text, or -1 where it is not JSON. */
int json_values(const char *text, size_t length) {
    struct parser parser = {text, text + length, 0};
    struct value *value = parse(&parser);
    skip_space(&parser);
    int values = value && parser.at == parser.end ? count(value) : -1;
    free_value(value);
    return values;
}
