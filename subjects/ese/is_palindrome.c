/* Is the list the same backwards? ESE (Aquino et al.), Listing 1, Table V.
 *
 * call: is_palindrome(i32[n], n)
 *
 * Cost `user`: one per executed line of the listing.
 * Worst case: a palindrome; the loop runs to the end: 2 n + 2. A path that leaves in iteration k costs 2 k + 1 <= 2 n + 1, so it is the optimum.
 * The second half of the tests is implied by the first: floor(n/2) + 1 paths.
 */
#include "subject.h"

EXPORT("is_palindrome") int is_palindrome(const int *l, int n) {
    for (int i = 0; LINE, i < n; i++) {
        LINE; if (l[i] != l[n - 1 - i]) {
            LINE; return 0;
        }
    }
    LINE; return 1;
}
