/* Lengths that have to be guessed. */
int before(int n, const int *values) {
    int found = 0;
    for (int i = 1; i < n; i++) found += values[i] > values[i - 1];
    return found;
}

int around(int n, const int *values, int m) {
    int found = 0;
    for (int i = 0; i < m; i++) found += values[i] == n;
    return found;
}

int each(int n, const int *a, int m, const int *b) {
    int found = 0;
    for (int i = 0; i < n && i < m; i++) found += a[i] > b[i];
    return found;
}

int grid(const int *cells, int rows, int cols) {
    int found = 0;
    for (int i = 0; i < rows * cols; i++) found += cells[i] > 0;
    return found;
}

int variable(int height, int width, int cells[height][width]) {
    int found = 0;
    for (int i = 0; i < height; i++) found += cells[i][0] > cells[i][width - 1];
    return found;
}

int part(int *values, int lo, int hi) {
    int kept = lo;
    for (int i = lo; i < hi; i++)
        if (values[i] < values[hi]) values[kept++] = values[i];
    return kept;
}

int square(int cells[3][3]) { return cells[0][0] > cells[2][2]; }

/* As most functions have them. */
int usual(const int *values, int n, int key) {
    int found = 0;
    for (int i = 0; i < n; i++) found += values[i] == key;
    return found;
}
