/* Is it a function or an expression in brackets? Only the arrow behind the brackets tells, so they are parsed as
 * parameters first and, if no arrow follows, again as an expression. Everything else that is wrong is an error at
 * once.
 *
 *   expression = '(' expression ')' "=>" expression  /  '(' expression ')'  /  letter
 *
 * call: parse(u8[n], n)         returns the number of arrows, or -1
 *
 * Worst case: 2^(n/2) = 1.41^n, by balanced nesting: ((x)) without arrows parses each level twice, and a level takes
 * two characters. An error inside ends it without a second attempt, so the brackets have to be closed. Behind an arrow
 * a further expression follows, once: T(n) = max(2 T(n - 2), T(a) + T(n - a)) + O(1), whose solution is 2^(n/2).
 */
struct parser {
    const unsigned char *bytes;
    int length;
    int at;
    int arrows;
};

static int accept(struct parser *parser, unsigned char c) {
    if (parser->at >= parser->length || parser->bytes[parser->at] != c) return 0;
    parser->at++;
    return 1;
}

static int letter(struct parser *parser) {
    if (parser->at >= parser->length) return 0;
    unsigned char c = parser->bytes[parser->at];
    if (c < 'a' || c > 'z') return 0;
    parser->at++;
    return 1;
}

static int expression(struct parser *parser);

static int in_brackets(struct parser *parser) {
    return accept(parser, '(') && expression(parser) && accept(parser, ')');
}

/* Returns whether there is one; if there is none, nothing else is tried. */
static int expression(struct parser *parser) {
    int start = parser->at, arrows = parser->arrows;
    if (letter(parser)) return 1;
    if (!in_brackets(parser)) return 0;
    if (accept(parser, '=')) {
        parser->arrows++;
        return accept(parser, '>') && expression(parser);
    }
    parser->at = start;
    parser->arrows = arrows;
    return in_brackets(parser);
}

int parse(const unsigned char *bytes, int n) {
    struct parser parser = {bytes, n, 0, 0};
    return expression(&parser) && parser.at == n ? parser.arrows : -1;
}
