#include <stdio.h>
#include <string.h>
#include <ctype.h>

/* Reads a small configuration from standard input: [section], key = value, ; comments. */
static char text[4096];
static int line = 1;

static int fail(const char *why) {
    fprintf(stderr, "line %d: %s\n", line, why);
    return 2;
}

static char *skip(char *s) {
    while (*s == ' ' || *s == '\t') s++;
    return s;
}

static int parse_line(char *s, int *sections, int *keys) {
    s = skip(s);
    if (*s == 0 || *s == ';') return 0;
    if (*s == '[') {
        char *end = strchr(s, ']');
        if (!end) return fail("no ]");
        if (end == s + 1) return fail("empty section");
        if (*skip(end + 1)) return fail("text after ]");
        ++*sections;
        return 0;
    }
    char *equals = strchr(s, '=');
    if (!equals) return fail("no =");
    if (equals == s) return fail("no key");
    for (char *c = s; c < equals; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != ' ') return fail("bad key");
    if (*sections == 0) return fail("key outside a section");
    if (!*skip(equals + 1)) return fail("no value");
    ++*keys;
    return 0;
}

int main(void) {
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    text[size] = 0;
    int sections = 0, keys = 0;
    char *at = text;
    while (*at) {
        char *end = strchr(at, '\n');
        if (end) *end = 0;
        int code = parse_line(at, &sections, &keys);
        if (code) return code;
        if (!end) break;
        at = end + 1;
        line++;
    }
    printf("%d sections, %d keys\n", sections, keys);
    return 0;
}
