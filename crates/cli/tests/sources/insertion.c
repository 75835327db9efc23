/* Insertion sort, and a function that only this file can call. */
#include "limits.h"
#include <stdlib.h>
#include <string.h>

static int next(int x) { return x + STEP; }

void sort(int *values, int count)
{
    for (int i = 1; i < count; i = next(i)) {
        int moving = values[i], j = i;
        while (j > 0 && values[j - 1] > moving) {
            values[j] = values[j - 1];
            j--;
        }
        values[j] = moving;
    }
}

/* Uses the C library's allocator beside the buffers of the call. */
int copied(const int *values, int count)
{
    int *copy = malloc(count * sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    memset(copy, 0, sizeof *copy);
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += copy[i] - values[i];
    free(copy);
    return -sum;
}
