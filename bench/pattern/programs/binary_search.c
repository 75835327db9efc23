/* Sums up what a search for each of 8 numbers looks at in a sorted table: the table itself is only read there. Logarithmic. */
int binary_search(const int *table, int count, int wanted) {
    int low = 0, high = count, steps = 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        steps++;
        if (table[middle] < wanted) low = middle + 1; else high = middle;
    }
    return steps;
}
