/* Finds the partner of every opening bracket by counting from it: quadratic for deep nesting, linear for flat text. */
int brackets(const char *text, int length) {
    int pairs = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] != '[') continue;
        int depth = 0;
        for (int at = i; at < length; at++) {
            if (text[at] == '[') depth++;
            if (text[at] == ']' && --depth == 0) {
                pairs++;
                break;
            }
        }
    }
    return pairs;
}
