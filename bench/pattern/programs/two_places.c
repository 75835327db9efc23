/* Two quadratic places: lines that begin with `#` are counted from the beginning each time, and spaces in a row are moved one by
   one. */
int two_places(char *text, int length) {
    int count = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] == '#') {
            for (int at = 0; at < i; at++) count += text[at] == '#';
        } else if (text[i] == ' ' && i + 1 < length && text[i + 1] == ' ') {
            for (int at = i; at + 1 < length; at++) text[at] = text[at + 1];
            length--;
            i--;
        }
    }
    return count;
}
