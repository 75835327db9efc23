/* Declares the names of a list such as `ab;cd;`, each looked up in a list of those before: quadratic in the number of distinct
   names. The list must begin with `v:`. */
static int starts[1 << 20], lengths[1 << 20];

int symbols(const char *text, int length) {
    int count = 0, at = 2;
    if (length < 2 || text[0] != 'v' || text[1] != ':') return -1;
    while (at < length) {
        int start = at;
        while (at < length && text[at] >= 'a' && text[at] <= 'z') at++;
        if (at == start) return -2;
        int size = at - start, known = 0;
        for (int i = 0; i < count && !known; i++) {
            if (lengths[i] != size) continue;
            int same = 0;
            while (same < size && text[starts[i] + same] == text[start + same]) same++;
            known = same == size;
        }
        if (!known) {
            starts[count] = start;
            lengths[count++] = size;
        }
        if (at < length && text[at++] != ';') return -3;
    }
    return count;
}
