/* Settings in the form of Windows' INI files: sections, `name = value`, comments, and values that refer to
 * others as `%name%`. Names are looked up in a list, so that many short settings cost a square, and references more. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct text {
    const char *start;
    size_t length;
};

struct setting {
    struct setting *next;
    struct text section, name, value;
};

struct settings {
    struct setting *list;
    int count;
    long expanded;
};

static struct text trim(const char *start, const char *end) {
    while (start < end && isspace((unsigned char)*start)) start++;
    while (end > start && isspace((unsigned char)end[-1])) end--;
    return (struct text){start, (size_t)(end - start)};
}

static bool same(struct text a, struct text b) {
    if (a.length != b.length) return false;
    for (size_t i = 0; i < a.length; i++)
        if (tolower((unsigned char)a.start[i]) != tolower((unsigned char)b.start[i])) return false;
    return true;
}

static struct setting *find(struct settings *all, struct text section, struct text name) {
    for (struct setting *s = all->list; s; s = s->next)
        if (same(s->section, section) && same(s->name, name)) return s;
    return NULL;
}

/* How long the value is with its references replaced, down to a depth: settings may refer to each other in a ring. */
static long expanded_length(struct settings *all, const struct setting *from, int depth) {
    long length = 0;
    struct text value = from->value;
    for (size_t i = 0; i < value.length; i++) {
        const char *close = NULL;
        if (value.start[i] == '%') close = memchr(value.start + i + 1, '%', value.length - i - 1);
        if (!close) {
            length++;
            continue;
        }
        struct text name = {value.start + i + 1, (size_t)(close - value.start) - i - 1};
        struct setting *used = find(all, from->section, name);
        if (used && depth > 0) length += expanded_length(all, used, depth - 1);
        i = (size_t)(close - value.start);
    }
    return length;
}

static bool set(struct settings *all, struct text section, struct text name, struct text value) {
    struct setting *setting = find(all, section, name);
    if (!setting) {
        setting = malloc(sizeof *setting);
        if (!setting) return false;
        *setting = (struct setting){all->list, section, name, {NULL, 0}};
        all->list = setting;
        all->count++;
    }
    setting->value = value;
    all->expanded += expanded_length(all, setting, 2);
    return true;
}

/* The number of settings; less than zero: the line with the first mistake, or INT_MIN / 2 without memory. */
int read_settings(const char *text, size_t length) {
    struct settings all = {0};
    struct text section = {"", 0};
    const char *end = text + length;
    int line = 0, result = 0;
    while (text < end && result == 0) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        struct text content = trim(text, stop);
        line++;
        if (content.length > 0 && *content.start == '[') {
            if (content.start[content.length - 1] != ']') result = -line;
            else section = trim(content.start + 1, content.start + content.length - 1);
        } else if (content.length > 0 && *content.start != ';' && *content.start != '#') {
            const char *equals = memchr(content.start, '=', content.length);
            if (!equals || equals == content.start) {
                result = -line;
            } else {
                struct text value = trim(equals + 1, content.start + content.length);
                if (!set(&all, section, trim(content.start, equals), value)) result = -(1 << 30);
            }
        }
        text = newline ? newline + 1 : end;
    }
    if (result == 0) result = all.count;
    while (all.list) {
        struct setting *next = all.list->next;
        free(all.list);
        all.list = next;
    }
    return result;
}
