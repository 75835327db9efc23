/* Are all numbers distinct? Pairs are compared until two are equal: quadratic only for numbers that are all different. */
int early_exit(const int *numbers, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (numbers[i] == numbers[j]) return 0;
        }
    }
    return 1;
}
