/* Declarators in brackets, parsed by trying one alternative after the other without remembering (a parsing expression
 * grammar):
 *
 *   declarator = '(' declarator ')' '*'  /  '(' declarator ')'  /  name
 *
 * call: parse(u8[n], n)         returns the number of stars, or -1
 *
 * Worst case: 2^n, by nesting: the first alternative may fail behind what is nested, for want of a star or of the
 * closing bracket, and the second one parses the same again. n opening brackets double the work n times. A bracket
 * starts at most two attempts at the next character, and a name is linear: T(n) <= 2 T(n - 1) + O(n), so that nothing
 * costs more.
 */
struct parser {
    const unsigned char *bytes;
    int length;
    int at;
    int stars;
};

static int accept(struct parser *parser, unsigned char c) {
    if (parser->at >= parser->length || parser->bytes[parser->at] != c) return 0;
    parser->at++;
    return 1;
}

static int is_letter(unsigned char c) {
    return c >= 'a' && c <= 'z';
}

static int name(struct parser *parser) {
    int start = parser->at;
    while (parser->at < parser->length && is_letter(parser->bytes[parser->at])) parser->at++;
    return parser->at > start;
}

static int declarator(struct parser *parser);

static int in_brackets(struct parser *parser) {
    return accept(parser, '(') && declarator(parser) && accept(parser, ')');
}

static int declarator(struct parser *parser) {
    int start = parser->at, stars = parser->stars;
    if (in_brackets(parser) && accept(parser, '*')) {
        parser->stars++;
        return 1;
    }
    parser->at = start;
    parser->stars = stars;
    if (in_brackets(parser)) return 1;
    parser->at = start;
    parser->stars = stars;
    return name(parser);
}

int parse(const unsigned char *bytes, int n) {
    struct parser parser = {bytes, n, 0, 0};
    return declarator(&parser) && parser.at == n ? parser.stars : -1;
}
