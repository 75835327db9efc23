/* A tokenizer that remembers where it is, of the kind of XMLElement, CommandLine and Pattern in EvoSuite's hybrid search (Galeotti et al., 2013),
 * Table II. Ours.
 *
 * suite: tokenizer.api
 *
 * Goal: cover every branch. Words of the language and escapes have to be in the text that the constructor is given, while what reads them are later
 * calls: `in` is a word only after `for`, a bracket closes only what is open, and a token can be pushed back once.
 */
#include "subject.h"
#include "objects.h"

#define MOST 24
#define DEPTH 3

enum { END, NUMBER, NAME, LET, FOR, IN, STRING, SYMBOL, OPEN, CLOSE, ERROR = -1 };

struct tokenizer {
    unsigned char text[MOST];
    int length, at, number, last, pushed_back, depth;
    unsigned char open[DEPTH];
};

EXPORT("tokenizer_new") struct tokenizer *tokenizer_new(const unsigned char *text, int n) {
    struct tokenizer *t = NEW(struct tokenizer);
    if (n > MOST) n = MOST;
    for (int i = 0; i < n; i++) t->text[i] = text[i];
    t->length = n;
    return t;
}

static int is_letter(int c) { return (c >= 'a' && c <= 'z') || c == '_'; }

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int is_word(const struct tokenizer *t, int from, int to, const char *word) {
    int i = 0;
    for (; from + i < to; i++) {
        if (word[i] == 0) return 0;
        if (t->text[from + i] != (unsigned char)word[i]) return 0;
    }
    return word[i] == 0;
}

static int word(struct tokenizer *t) {
    int from = t->at;
    while (t->at < t->length && is_letter(t->text[t->at])) t->at++;
    if (is_word(t, from, t->at, "let")) return LET;
    if (is_word(t, from, t->at, "for")) return FOR;
    if (t->last == FOR && is_word(t, from, t->at, "in")) return IN;
    return NAME;
}

static int number(struct tokenizer *t) {
    t->number = 0;
    while (t->at < t->length && is_digit(t->text[t->at])) {
        if (t->number > 99999) return ERROR;
        t->number = 10 * t->number + (t->text[t->at++] - '0');
    }
    return NUMBER;
}

static int string(struct tokenizer *t) {
    for (t->at++; t->at < t->length; t->at++) {
        int c = t->text[t->at];
        if (c == '\\') {
            t->at++;
            if (t->at == t->length) return ERROR;
            if (t->text[t->at] != 'n' && t->text[t->at] != '"') return ERROR;
        } else if (c == '"') {
            t->at++;
            return STRING;
        }
    }
    return ERROR;
}

static int bracket(struct tokenizer *t, int c) {
    t->at++;
    if (c == '(' || c == '[') {
        if (t->depth == DEPTH) return ERROR;
        t->open[t->depth++] = (unsigned char)c;
        return OPEN;
    }
    if (t->depth == 0) return ERROR;
    int open = t->open[--t->depth];
    if (open == '(' && c != ')') return ERROR;
    if (open == '[' && c != ']') return ERROR;
    return CLOSE;
}

static int read(struct tokenizer *t) {
    while (t->at < t->length && t->text[t->at] == ' ') t->at++;
    if (t->at == t->length) {
        if (t->depth > 0) return ERROR;
        return END;
    }
    int c = t->text[t->at];
    if (is_letter(c)) return word(t);
    if (is_digit(c)) return number(t);
    switch (c) {
    case '"': return string(t);
    case '(': case ')': case '[': case ']': return bracket(t, c);
    case '+': case '=': case ';': t->at++; return SYMBOL;
    default: return ERROR;
    }
}

EXPORT("tokenizer_next") int tokenizer_next(struct tokenizer *t) {
    if (t->pushed_back) {
        t->pushed_back = 0;
        return t->last;
    }
    if (t->last == ERROR) return ERROR; /* for ever */
    t->last = read(t);
    return t->last;
}

EXPORT("tokenizer_push_back") int tokenizer_push_back(struct tokenizer *t) {
    if (t->pushed_back) __builtin_trap();
    if (t->last == END) return 0;
    t->pushed_back = 1;
    return 1;
}

EXPORT("tokenizer_number") int tokenizer_number(const struct tokenizer *t) {
    if (t->last != NUMBER) return -1;
    if (t->number == 65536) return -2; /* out of the range of a word */
    return t->number;
}
