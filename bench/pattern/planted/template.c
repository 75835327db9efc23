/* A template: definitions of two characters each (a letter and what it stands for), an end of line, then a body in
 * which $x stands for the definition of x. Later definitions hide earlier ones, so they are searched backwards.
 *
 * call: expand(u8[n], n)         returns the length of the expansion, or -1 for a letter without a definition
 *
 * Worst case: n^2, by two parts: many definitions, and a body of uses of the first one: with n/4 definitions and n/4
 * uses of two characters each n^2/16 comparisons, the most that a split of n characters gives. A use without a
 * definition ends the expansion, and random bytes are no definitions.
 */
struct template {
    const unsigned char *definitions;
    int defined;
    const unsigned char *body;
    int length;
};

static int is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int split(const unsigned char *text, int n, struct template *template) {
    int at = 0;
    while (at + 1 < n && is_letter(text[at])) at += 2;
    if (at >= n || text[at] != '\n') return 0;
    template->definitions = text;
    template->defined = at / 2;
    template->body = text + at + 1;
    template->length = n - at - 1;
    return 1;
}

static int meaning(const struct template *template, unsigned char letter) {
    for (int i = template->defined - 1; i >= 0; i--) {
        if (template->definitions[2 * i] == letter) return template->definitions[2 * i + 1];
    }
    return -1;
}

int expand(const unsigned char *text, int n) {
    struct template template;
    int expanded = 0;
    if (!split(text, n, &template)) return -1;
    for (int i = 0; i < template.length; i++) {
        if (template.body[i] == '$' && i + 1 < template.length) {
            if (meaning(&template, template.body[++i]) < 0) return -1;
        }
        expanded++;
    }
    return expanded;
}
