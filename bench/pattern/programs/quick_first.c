/* Quicksort with the first element as pivot and its own stack: quadratic for sorted numbers. */
static int stack[1 << 22];

void quick_first(int *numbers, int count) {
    int depth = 0;
    stack[depth++] = 0;
    stack[depth++] = count - 1;
    while (depth > 0) {
        int high = stack[--depth], low = stack[--depth];
        if (low >= high) continue;
        int pivot = numbers[low], at = low;
        for (int i = low + 1; i <= high; i++) {
            if (numbers[i] < pivot) {
                at++;
                int value = numbers[at];
                numbers[at] = numbers[i];
                numbers[i] = value;
            }
        }
        numbers[low] = numbers[at];
        numbers[at] = pivot;
        stack[depth++] = low;
        stack[depth++] = at - 1;
        stack[depth++] = at + 1;
        stack[depth++] = high;
    }
}
