/* Counts down: linear in the value of its parameter. */
unsigned countdown(unsigned n) {
    unsigned steps = 0;
    for (volatile unsigned left = n; left > 0; left = left - 1) steps++;
    return steps;
}
