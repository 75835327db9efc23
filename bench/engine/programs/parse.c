// A recursive-descent reader of nested lists of numbers and strings, byte by byte: loads of bytes, chains of comparisons, a
// `switch`, recursion.
static unsigned char text[4096];
static const unsigned char *at, *end;
static unsigned sum;

static void skip_spaces(void) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t')) at++;
}

static int read_value(int depth) {
    skip_spaces();
    if (at == end || depth > 60) return 0;
    switch (*at) {
    case '[':
        at++;
        for (;;) {
            skip_spaces();
            if (at < end && *at == ']') {
                at++;
                return 1;
            }
            if (!read_value(depth + 1)) return 0;
            skip_spaces();
            if (at < end && *at == ',') at++;
        }
    case '"':
        for (at++; at < end && *at != '"'; at++) {
            if (*at == '\\' && ++at == end) return 0;
            sum = sum * 31 + *at;
        }
        at++;
        return 1;
    case 't':
    case 'f':
    case 'n':
        while (at < end && *at >= 'a' && *at <= 'z') at++;
        sum++;
        return 1;
    default: {
        unsigned number = 0, digits = 0;
        for (; at < end && *at >= '0' && *at <= '9'; at++, digits++) number = number * 10 + (*at - '0');
        sum ^= number;
        return digits > 0;
    }
    }
}

__attribute__((export_name("run"))) int run(int rounds) {
    static const char pieces[6][12] = {"[12, 7, ", "\"a\\\"bc\", ", "[true, [", "]], ", "[\n  ], ", "98765 ]"};
    static const unsigned char order[] = {0, 1, 2, 1, 3, 0, 4, 1, 5, 1, 0, 5, 5};
    int length = 0;
    text[length++] = '[';
    for (int i = 0; length < 4000; i = (i + 1) % (int)sizeof order)
        for (const char *from = pieces[order[i]]; *from; from++) text[length++] = *from;
    for (int r = 0; r < rounds; r++) {
        at = text, end = text + length;
        while (at < end && !read_value(0)) at++;
    }
    return sum;
}
