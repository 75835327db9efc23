/* Regular expressions by backtracking: literals, `.`, classes as `[a-c^]`, groups, `|`, and `*`, `+`, `?` behind
 * each of them. The pattern is compiled to a tree; matching tries every way. Pattern and text are both free. */
#include <stdbool.h>
#include <stddef.h>

enum kind { LITERAL, ANY, CLASS, GROUP, EMPTY };

struct node {
    enum kind kind;
    char low;                 /* the literal, or the first of a range */
    char high;                /* the last of a range */
    bool negated;
    int least, most;          /* repetitions; -1 is any number */
    struct node *next;        /* what follows in the same alternative */
    struct node *first;       /* of a group: its first alternative */
    struct node *alternative; /* of the first node of an alternative: the next one */
};

enum { MOST_NODES = 64 };

struct program {
    struct node nodes[MOST_NODES];
    int used;
    const char *at;
    bool broken;
};

static struct node *make(struct program *p, enum kind kind) {
    if (p->used == MOST_NODES) {
        p->broken = true;
        p->used--;
    }
    struct node *node = &p->nodes[p->used++];
    *node = (struct node){.kind = kind, .least = 1, .most = 1};
    return node;
}

static struct node *alternatives(struct program *p, int depth);

static struct node *atom(struct program *p, int depth) {
    struct node *node;
    char c = *p->at++;
    if (c == '(') {
        node = make(p, GROUP);
        node->first = alternatives(p, depth + 1);
        if (*p->at == ')') p->at++;
        else p->broken = true;
    } else if (c == '[') {
        node = make(p, CLASS);
        if (*p->at == '^') node->negated = true, p->at++;
        if (*p->at) node->low = node->high = *p->at++;
        if (*p->at == '-') {
            p->at++;
            if (*p->at) node->high = *p->at++;
        }
        if (*p->at == ']') p->at++;
        else p->broken = true;
    } else {
        node = make(p, c == '.' ? ANY : LITERAL);
        if (c == '\\' && *p->at) c = *p->at++;
        node->low = c;
        if (c == '*' || c == '+' || c == '?') p->broken = true;
    }
    if (*p->at == '*' || *p->at == '?') node->least = 0;
    if (*p->at == '*' || *p->at == '+') node->most = -1;
    if (*p->at == '*' || *p->at == '+' || *p->at == '?') p->at++;
    return node;
}

static struct node *alternatives(struct program *p, int depth) {
    struct node *first = NULL, **next = &first;
    while (!p->broken && *p->at && *p->at != '|' && *p->at != ')') {
        *next = atom(p, depth);
        next = &(*next)->next;
    }
    if (*p->at == ')' && depth == 0) p->broken = true;
    if (!first) first = make(p, EMPTY);
    if (!p->broken && *p->at == '|') {
        p->at++;
        first->alternative = alternatives(p, depth);
    }
    return first;
}

/* What is left to do when a part has matched. */
struct rest {
    const struct node *node;
    int count;                /* repetitions of the node that are done */
    const char *from;         /* where the last of them began */
    const struct rest *outer;
};

static bool match(const struct node *node, int count, const char *text, const struct rest *rest);

static bool resume(const char *text, const struct rest *rest) {
    if (!rest) return *text == 0;
    /* A repetition that took nothing would go on for ever. */
    if (text == rest->from) return match(rest->node->next, 0, text, rest->outer);
    return match(rest->node, rest->count, text, rest->outer);
}

static bool accepts(const struct node *node, char c) {
    if (c == 0) return false;
    if (node->kind == ANY) return true;
    if (node->kind == LITERAL) return c == node->low;
    return (c >= node->low && c <= node->high) != node->negated;
}

static bool match(const struct node *node, int count, const char *text, const struct rest *rest) {
    if (!node) return resume(text, rest);
    if (node->kind == EMPTY) return match(node->next, 0, text, rest);
    if (node->most < 0 || count < node->most) {
        if (node->kind == GROUP) {
            struct rest after = {node, count + 1, text, rest};
            for (const struct node *way = node->first; way; way = way->alternative)
                if (match(way, 0, text, &after)) return true;
        } else if (accepts(node, *text) && match(node, count + 1, text + 1, rest)) {
            return true;
        }
    }
    return count >= node->least && match(node->next, 0, text, rest);
}

/* 1 if all of the text matches, 0 if it does not, -1 for a pattern with a mistake. */
int regex_match(const char *pattern, const char *text) {
    static struct program program;
    program = (struct program){.at = pattern};
    struct node *first = alternatives(&program, 0);
    if (program.broken) return -1;
    for (const struct node *way = first; way; way = way->alternative)
        if (match(way, 0, text, NULL)) return 1;
    return 0;
}
