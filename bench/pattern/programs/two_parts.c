/* A header of definitions `d` up to a `|`, then uses `u`, each of which walks all definitions: quadratic only for inputs with
   many of both. */
int two_parts(const char *text, int length) {
    int at = 0, found = 0;
    while (at < length && text[at] == 'd') at++;
    int definitions = at;
    if (at >= length || text[at++] != '|') return -1;
    for (; at < length; at++) {
        if (text[at] != 'u') return -2;
        for (int i = 0; i < definitions; i++) found += text[i] == 'd';
    }
    return found;
}
