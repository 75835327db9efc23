/* File name patterns, matched by trying: `*` stands for any characters, `?` for one. The pattern is the first six
 * bytes of the input, cut at a blank; the name is the rest. More than three stars are refused.
 *
 * call: matches(u8[n], n)
 *
 * Worst case: n^3, by three stars: each tries every rest of the name, and for ***aab in a name of a's all n^3/6 ways
 * to place them fail. What stands between the stars is at most three characters, so a way costs a constant. Two stars
 * would be quadratic; random patterns hardly ever have one.
 */
#define PATTERN_BYTES 6
#define MOST_STARS 3

struct piece {
    const unsigned char *at;
    const unsigned char *end;
};

static int match(struct piece pattern, struct piece name) {
    while (pattern.at < pattern.end) {
        if (*pattern.at == '*') {
            pattern.at++;
            for (;;) {
                if (match(pattern, name)) return 1;
                if (name.at == name.end) return 0;
                name.at++;
            }
        }
        if (name.at == name.end || (*pattern.at != '?' && *pattern.at != *name.at)) return 0;
        pattern.at++;
        name.at++;
    }
    return name.at == name.end;
}

static int count_stars(struct piece pattern) {
    int stars = 0;
    for (; pattern.at < pattern.end; pattern.at++) {
        if (*pattern.at == '*') stars++;
    }
    return stars;
}

int matches(const unsigned char *input, int n) {
    if (n < PATTERN_BYTES) return -1;
    struct piece pattern = {input, input};
    struct piece name = {input + PATTERN_BYTES, input + n};
    while (pattern.end < name.at && *pattern.end != ' ') pattern.end++;
    if (count_stars(pattern) > MOST_STARS) return -1;
    return match(pattern, name);
}
