/* Evaluates nested lists, each level twice (once for its size, once for its sum): exponential in the depth. */
static const char *text;
static int length;

static int value(int at, int *end) {
    if (at >= length) {
        *end = at;
        return 0;
    }
    if (text[at] != '(') {
        *end = at + 1;
        return 1;
    }
    int size = value(at + 1, end);
    int sum = value(at + 1, end);
    if (*end < length && text[*end] == ')') (*end)++;
    return size + sum;
}

int doubling(const char *input, int count) {
    text = input;
    length = count;
    int end = 0, total = 0;
    for (int at = 0; at < count; at = end) total += value(at, &end);
    return total;
}
