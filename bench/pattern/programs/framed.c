/* Reads standard input: `<`, numbers and commas, `>` at the very end. Only a whole frame is sorted, by exchange: quadratic. */
#include <stdio.h>

static int numbers[1 << 20];

int main(void) {
    int count = 0, value = 0, c = getchar();
    if (c != '<') return 1;
    while ((c = getchar()) != '>') {
        if (c >= '0' && c <= '9') {
            value = (10 * value + c - '0') % 1000000;
        } else if (c == ',') {
            numbers[count++] = value;
            value = 0;
        } else {
            return 2;
        }
    }
    if (getchar() != EOF) return 3;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            if (numbers[j] < numbers[i]) {
                int swapped = numbers[i];
                numbers[i] = numbers[j];
                numbers[j] = swapped;
            }
        }
    }
    return 0;
}
