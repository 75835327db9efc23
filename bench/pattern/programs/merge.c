/* Merge sort from the bottom up: n log n comparisons for every order, and twice as many for some. */
static int scratch[1 << 22];

void merge_sort(int *numbers, int count) {
    for (int width = 1; width < count; width *= 2) {
        for (int from = 0; from < count; from += 2 * width) {
            int middle = from + width < count ? from + width : count;
            int to = from + 2 * width < count ? from + 2 * width : count;
            int left = from, right = middle;
            for (int at = from; at < to; at++) {
                int takes_left = left < middle && (right >= to || numbers[left] <= numbers[right]);
                scratch[at] = takes_left ? numbers[left++] : numbers[right++];
            }
        }
        for (int at = 0; at < count; at++) numbers[at] = scratch[at];
    }
}
