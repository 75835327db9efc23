/* Paths against a pattern as in .gitignore: `*` within a directory, `**` across them, `?`, classes as `[!a-z]`, and
 * alternatives in braces. Each star tries every rest of the path, and so does the next one. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Behind the class that begins at `pattern`, or NULL if it is not closed; whether `c` is in it goes to `found`. */
static const char *match_class(const char *pattern, char c, bool *found) {
    bool negated = false;
    *found = false;
    if (*pattern == '!' || *pattern == '^') {
        negated = true;
        pattern++;
    }
    const char *first = pattern;
    while (*pattern && (*pattern != ']' || pattern == first)) {
        char low = *pattern++, high = low;
        if (*pattern == '-' && pattern[1] && pattern[1] != ']') {
            high = pattern[1];
            pattern += 2;
        }
        if (c >= low && c <= high) *found = true;
    }
    if (*pattern != ']') return NULL;
    if (negated) *found = !*found;
    return pattern + 1;
}

/* The end of a group in braces, or NULL if it is not closed. */
static const char *closing_brace(const char *pattern) {
    int depth = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '{') depth++;
        if (*pattern == '}' && --depth == 0) return pattern;
    }
    return NULL;
}

static bool match(const char *pattern, const char *end, const char *rest, const char *path);

/* Tries each alternative between the braces, followed by what is behind them. */
static bool match_braces(const char *pattern, const char *close, const char *path) {
    int depth = 0;
    const char *start = pattern + 1;
    for (const char *at = start; at <= close; at++) {
        if (*at == '{') depth++;
        if (at == close || (depth == 0 && *at == ',')) {
            if (match(start, at, close + 1, path)) return true;
            start = at + 1;
        } else if (*at == '}') {
            depth--;
        }
    }
    return false;
}

static bool match_star(const char *pattern, const char *end, const char *rest, const char *path) {
    bool across = pattern < end && *pattern == '*';
    while (pattern < end && *pattern == '*') pattern++;
    if (across && pattern < end && *pattern == '/' && match(pattern + 1, end, rest, path)) return true;
    for (;; path++) {
        if (match(pattern, end, rest, path)) return true;
        if (*path == 0 || (*path == '/' && !across)) return false;
    }
}

/* Matches the pattern up to `end`, and then the one at `rest`, which is NULL or goes on to its NUL. */
static bool match(const char *pattern, const char *end, const char *rest, const char *path) {
    for (;;) {
        if (pattern == end) {
            if (!rest) return *path == 0;
            pattern = rest;
            end = rest + strlen(rest);
            rest = NULL;
            continue;
        }
        char c = *pattern++;
        if (c == '*') return match_star(pattern, end, rest, path);
        if (c == '{' && !rest) {
            const char *close = closing_brace(pattern - 1);
            if (close) return match_braces(pattern - 1, close, path);
        }
        if (*path == 0) return false;
        if (c == '?') {
            if (*path == '/') return false;
        } else if (c == '[') {
            bool found;
            const char *next = match_class(pattern, *path, &found);
            if (!next || next > end || !found) return false;
            pattern = next;
        } else if (c == '\\' && pattern < end) {
            if (*pattern++ != *path) return false;
        } else if (c != *path) {
            return false;
        }
        path++;
    }
}

int glob_match(const char *pattern, const char *path) {
    return match(pattern, pattern + strlen(pattern), NULL, path);
}
