// Quicksort of pseudo-random numbers: comparisons, memory traffic, recursion.
static unsigned state = 1;
static int a[100000];

static unsigned next(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void sort(int *a, int lo, int hi) {
    while (lo < hi) {
        int pivot = a[lo + (hi - lo) / 2], i = lo, j = hi;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) {
                int t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        if (j - lo < hi - i) {
            sort(a, lo, j);
            lo = i;
        } else {
            sort(a, i, hi);
            hi = j;
        }
    }
}

__attribute__((export_name("run"))) int run(int rounds) {
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < 100000; i++) a[i] = next();
        sort(a, 0, 99999);
        for (int i = 0; i < 100000; i += 1000) sum = sum * 31 + a[i];
    }
    return sum;
}
