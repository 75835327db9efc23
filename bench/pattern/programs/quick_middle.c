/* Quicksort with the middle element as pivot, after Hoare: quadratic only where the middle is always the greatest or the least. */
void quick_middle(int *numbers, int count) {
    while (count > 1) {
        int pivot = numbers[(count - 1) / 2], low = 0, high = count - 1;
        while (low <= high) {
            while (numbers[low] < pivot) low++;
            while (numbers[high] > pivot) high--;
            if (low <= high) {
                int value = numbers[low];
                numbers[low++] = numbers[high];
                numbers[high--] = value;
            }
        }
        if (high + 1 < count - low) {
            quick_middle(numbers, high + 1);
            numbers += low;
            count -= low;
        } else {
            quick_middle(numbers + low, count - low);
            count = high + 1;
        }
    }
}
