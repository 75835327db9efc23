/* The median of measurements by quickselect with the middle element as its pivot. Measurements below zero are errors
 * and left out first. Linear on average, quadratic when every pivot is an extreme of what is left. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct sample {
    int32_t value;
    uint32_t index;
};

static void swap(struct sample *a, struct sample *b) {
    struct sample kept = *a;
    *a = *b;
    *b = kept;
}

static struct sample *select_nth(struct sample *samples, size_t count, size_t wanted) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        int32_t pivot = samples[low + (high - low) / 2].value;
        size_t i = low, j = high;
        for (;;) {
            while (samples[i].value < pivot) i++;
            while (samples[j].value > pivot) j--;
            if (i >= j) break;
            swap(&samples[i++], &samples[j--]);
        }
        /* Nothing up to `j` is greater than the pivot, and `j` is before the last. */
        if (wanted <= j) high = j;
        else low = j + 1;
    }
    return &samples[wanted];
}

/* Writes the median and its position; returns the number of valid measurements, or -1 without memory. */
int median(const int32_t *values, size_t count, int32_t *result) {
    struct sample *samples = malloc((count ? count : 1) * sizeof *samples);
    if (!samples) return -1;
    size_t valid = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] >= 0) samples[valid++] = (struct sample){values[i], (uint32_t)i};
    if (valid > 0) {
        const struct sample *found = select_nth(samples, valid, (valid - 1) / 2);
        result[0] = found->value;
        result[1] = (int32_t)found->index;
    }
    free(samples);
    return (int)valid;
}
