/* JDK 1.5 quicksort as released: insertion sort below 7 elements. See quicksort_jdk, which is the variant the ESE paper describes.
 *
 * call: sort(i32[n], n)
 *
 * Cost `user`: one per executed line of a Python port.
 */
#define LINES 1
#define COMPARISONS 0
#define SHORT_BELOW 7
#include "jdk_quicksort.h"
