/* Emphasis in one line of Markdown: a stack of delimiter runs, each closing run looking back for one that it can close,
 * links in brackets that look back too, and code spans that look ahead for as many backticks. All three can be made to
 * look at everything again and again. */
#include <stdbool.h>
#include <stddef.h>

enum { MOST_RUNS = 128 };

struct run {
    size_t at;
    int length;
    char kind;
    bool opens, closes, active;
};

struct line {
    const char *text;
    size_t length;
    struct run runs[MOST_RUNS];
    int count, emphasis, strong, links, code;
};

static bool is_space(const struct line *l, size_t at) {
    return at >= l->length || l->text[at] == ' ' || l->text[at] == '\t';
}

static bool is_punctuation(const struct line *l, size_t at) {
    if (at >= l->length) return false;
    char c = l->text[at];
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

static size_t run_length(const struct line *l, size_t at) {
    size_t end = at;
    while (end < l->length && l->text[end] == l->text[at]) end++;
    return end - at;
}

/* Behind the code span that begins here, or behind the backticks if nothing closes it. */
static size_t code_span(struct line *l, size_t at) {
    size_t ticks = run_length(l, at);
    for (size_t next = at + ticks; next < l->length;) {
        if (l->text[next] != '`') {
            next++;
            continue;
        }
        size_t found = run_length(l, next);
        if (found == ticks) {
            l->code++;
            return next + found;
        }
        next += found;
    }
    return at + ticks;
}

static void push(struct line *l, size_t at, size_t length, char kind) {
    if (l->count == MOST_RUNS) return;
    bool before = at == 0 || is_space(l, at - 1), after = is_space(l, at + length);
    bool left = !after && (!is_punctuation(l, at + length) || before || is_punctuation(l, at - 1));
    bool right = !before && (!is_punctuation(l, at - 1) || after || is_punctuation(l, at + length));
    struct run run = {at, (int)length, kind, left, right, true};
    if (kind == '_') {
        run.opens = left && (!right || is_punctuation(l, at - 1));
        run.closes = right && (!left || is_punctuation(l, at + length));
    }
    l->runs[l->count++] = run;
}

static bool odd_match(const struct run *open, const struct run *close) {
    return (open->closes || close->opens) && (open->length + close->length) % 3 == 0 && close->length % 3 != 0;
}

/* Pairs the runs from the given one on: every closer looks back for the nearest opener of its kind. */
static void pair(struct line *l, int bottom) {
    for (int close = bottom; close < l->count; close++) {
        struct run *closer = &l->runs[close];
        while (closer->active && closer->closes && closer->length > 0) {
            int open = close - 1;
            for (; open >= bottom; open--) {
                struct run *opener = &l->runs[open];
                if (opener->active && opener->kind == closer->kind && opener->opens && opener->length > 0 &&
                    !odd_match(opener, closer))
                    break;
            }
            if (open < bottom) break;
            int used = l->runs[open].length >= 2 && closer->length >= 2 ? 2 : 1;
            l->runs[open].length -= used;
            closer->length -= used;
            if (used == 2) l->strong++;
            else l->emphasis++;
            for (int between = open + 1; between < close; between++) l->runs[between].active = false;
        }
    }
}

/* At `]`: the nearest bracket decides whether this is a link, `[text](target)`. */
static size_t bracket(struct line *l, size_t at) {
    int open = l->count - 1;
    while (open >= 0 && (l->runs[open].kind != '[' || !l->runs[open].active)) open--;
    if (open < 0) return at + 1;
    l->runs[open].active = false;
    if (at + 1 >= l->length || l->text[at + 1] != '(') return at + 1;
    int depth = 0;
    for (size_t end = at + 1; end < l->length && l->text[end] != ' '; end++) {
        if (l->text[end] == '(') depth++;
        if (l->text[end] == ')' && --depth == 0) {
            pair(l, open + 1);
            l->count = open;
            l->links++;
            return end + 1;
        }
    }
    return at + 1;
}

/* The number of spans in the line. */
int inline_spans(const char *text, size_t length) {
    static struct line line;
    line = (struct line){.text = text, .length = length};
    for (size_t at = 0; at < length;) {
        size_t run = run_length(&line, at);
        switch (text[at]) {
        case '\\': at += 2; continue;
        case '`': at = code_span(&line, at); continue;
        case '[': push(&line, at, 1, '['); at++; continue;
        case ']': at = bracket(&line, at); continue;
        case '*':
        case '_': push(&line, at, run, text[at]); break;
        }
        at += run;
    }
    pair(&line, 0);
    return line.emphasis + line.strong + line.links + line.code;
}
