/* The smallest period of a tile or a melody, by trying one after the other whether the data agree with themselves,
 * shifted.
 *
 * call: period(u8[n], n)
 *
 * Worst case: n^2, by text that is periodic up to its last character: a...ab disagrees with each of its shifts only at
 * the end, n(n - 1)/2 comparisons, and there are no more to make. Without the b the first shift fits, and in random
 * data a shift fails after a comparison or two: linear.
 */
struct tile {
    int length;
    int copies;
    int rest;
};

static int fits(const unsigned char *data, int n, int shift) {
    for (int i = shift; i < n; i++) {
        if (data[i] != data[i - shift]) return 0;
    }
    return 1;
}

static struct tile find_tile(const unsigned char *data, int n) {
    struct tile tile = {n, 1, 0};
    for (int shift = 1; shift < n; shift++) {
        if (fits(data, n, shift)) {
            tile.length = shift;
            tile.copies = n / shift;
            tile.rest = n % shift;
            break;
        }
    }
    return tile;
}

int period(const unsigned char *data, int n) {
    if (n <= 0) return 0;
    struct tile tile = find_tile(data, n);
    return tile.rest == 0 ? tile.length : -tile.length;
}
