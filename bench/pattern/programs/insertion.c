/* Insertion sort: quadratic for descending numbers, linear for ascending ones. */
void insertion(int *numbers, int count) {
    for (int i = 1; i < count; i++) {
        int value = numbers[i], at = i;
        while (at > 0 && numbers[at - 1] > value) {
            numbers[at] = numbers[at - 1];
            at--;
        }
        numbers[at] = value;
    }
}
