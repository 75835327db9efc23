/* Heap sort: n log n for every order but equal numbers, which take n. */
static void sift(int *heap, int at, int count) {
    int value = heap[at];
    for (;;) {
        int child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

void heap_sort(int *numbers, int count) {
    for (int at = count / 2; at-- > 0;) sift(numbers, at, count);
    for (int last = count - 1; last > 0; last--) {
        int value = numbers[0];
        numbers[0] = numbers[last];
        numbers[last] = value;
        sift(numbers, 0, last);
    }
}
