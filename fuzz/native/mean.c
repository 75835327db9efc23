// mean(i8, i8) -> f64
// Floats: a mean, a distance, and which of the two is taken.
#include <stdint.h>

double mean(int8_t a, int8_t b) {
    double x = a, y = b;
    double mean = (x + y) / 2, squares = x * x + y * y;
    if (squares > 20000.0) return squares;
    if (mean < -0.5) return -mean * 0.1;
    return x * 0.25f == y ? mean + 1e-9 : mean / 3;
}
