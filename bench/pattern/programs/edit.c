/* Edit distance of two texts: quadratic for every input. */
static int row[1 << 20];

int edit(const char *one, const char *other, int length) {
    for (int j = 0; j <= length; j++) row[j] = j;
    for (int i = 1; i <= length; i++) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            int above = row[j], best = before + (one[i - 1] != other[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            before = above;
        }
    }
    return row[length];
}
