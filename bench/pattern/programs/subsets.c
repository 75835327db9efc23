/* Is there a subset of this sum? All of them are tried as long as none is found: exponential for numbers that never add up to the
   target. */
static int any(const int *numbers, int count, int target) {
    if (target == 0) return 1;
    if (count == 0) return 0;
    return any(numbers + 1, count - 1, target - numbers[0]) || any(numbers + 1, count - 1, target);
}

int subsets(const int *numbers, int count) { return any(numbers, count, 1000003); }
