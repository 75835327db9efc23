/* JDK 1.5 quicksort with the middle element as pivot of pieces below 7, the median of 3 up to 40 and the median of 9 above.
 * ESE (Aquino et al.), Table I subject `quicksort_jdk`, Table V.
 *
 * call: sort(i32[n], n)
 *
 * Cost `user`: one per executed line of a Python port. The paper prints no listing, so how lines are counted is our choice, and the
 * numbers can be compared with Table V in kind only. Below 7 elements the paper's text says middle pivot, not insertion sort, and only
 * without insertion sort can the published 348 lines at n = 10 be reached; the variant with it is quicksort_jdk_insertion.
 *
 * Worst case: quadratic. The median of 3 (or 9) can be made the second smallest (or so) of every piece; McIlroy's adversary ("A killer
 * adversary for quicksort", 1999) builds such an input. The exact optimum is known for small n only, by trying all inputs.
 * ESE's `Manual` at n = 50, 75, 100 is not the worst case: see the manifest.
 */
#define LINES 1
#define COMPARISONS 0
#define SHORT_BELOW 0
#include "jdk_quicksort.h"
