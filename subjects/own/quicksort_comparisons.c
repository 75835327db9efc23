/* JDK 1.5 quicksort as released (insertion sort below 7 elements), counting comparisons of elements.
 *
 * call: sort(i32[n], n)
 *
 * Cost `user`: comparisons of two elements (or of an element with the pivot), independent of compiler and language.
 * Worst case: quadratic, by a median-of-3 (and 9) killer; the exact optimum is known for small n only.
 */
#define LINES 0
#define COMPARISONS 1
#define SHORT_BELOW 7
#include "jdk_quicksort.h"
