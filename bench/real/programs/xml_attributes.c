/* The start tags of an XML text, checked for being well-formed: names, quoted values, entities, no attribute twice
 * in one tag, and tags that nest. One tag with many short attributes costs a square. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST_ATTRIBUTES = 64, MOST_DEPTH = 32 };

struct name {
    const char *start;
    size_t length;
};

struct checker {
    const char *at, *end;
    struct name open[MOST_DEPTH];
    int depth, attributes;
};

static bool name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}

static bool name_part(char c) {
    return name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool more(const struct checker *c) {
    return c->at < c->end;
}

static bool skip_space(struct checker *c) {
    const char *before = c->at;
    while (more(c) && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
    return c->at > before;
}

static bool literal(struct checker *c, char wanted) {
    if (!more(c) || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool read_name(struct checker *c, struct name *name) {
    name->start = c->at;
    if (!more(c) || !name_start(*c->at)) return false;
    while (more(c) && name_part(*c->at)) c->at++;
    name->length = (size_t)(c->at - name->start);
    return true;
}

static bool same(struct name a, struct name b) {
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

static bool entity(struct checker *c) {
    static const char *const known[] = {"amp", "lt", "gt", "quot", "apos"};
    struct name name;
    if (!literal(c, '&') || !read_name(c, &name) || !literal(c, ';')) return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i]) == name.length && memcmp(known[i], name.start, name.length) == 0) return true;
    return false;
}

static bool quoted(struct checker *c) {
    if (!more(c) || (*c->at != '"' && *c->at != '\'')) return false;
    char quote = *c->at++;
    while (more(c) && *c->at != quote) {
        if (*c->at == '<') return false;
        if (*c->at != '&') c->at++;
        else if (!entity(c)) return false;
    }
    return literal(c, quote);
}

static bool attributes(struct checker *c) {
    struct name seen[MOST_ATTRIBUTES];
    int count = 0;
    while (skip_space(c) && more(c) && name_start(*c->at)) {
        if (count == MOST_ATTRIBUTES || !read_name(c, &seen[count])) return false;
        for (int i = 0; i < count; i++)
            if (same(seen[i], seen[count])) return false;
        count++;
        skip_space(c);
        if (!literal(c, '=')) return false;
        skip_space(c);
        if (!quoted(c)) return false;
    }
    c->attributes += count;
    return true;
}

static bool tag(struct checker *c) {
    struct name name;
    if (literal(c, '/')) {
        if (!read_name(c, &name) || c->depth == 0 || !same(name, c->open[--c->depth])) return false;
        skip_space(c);
        return literal(c, '>');
    }
    if (!read_name(c, &name) || !attributes(c)) return false;
    if (literal(c, '/')) return literal(c, '>');
    if (c->depth == MOST_DEPTH) return false;
    c->open[c->depth++] = name;
    return literal(c, '>');
}

/* The number of attributes, or -1 minus the place of the first mistake. */
int count_attributes(const char *text, size_t length) {
    struct checker c = {.at = text, .end = text + length};
    while (more(&c)) {
        if (*c.at == '<') {
            c.at++;
            if (!tag(&c)) return -1 - (int)(c.at - text);
        } else if (*c.at == '&') {
            if (!entity(&c)) return -1 - (int)(c.at - text);
        } else {
            c.at++;
        }
    }
    return c.depth == 0 ? c.attributes : -1 - (int)length;
}
