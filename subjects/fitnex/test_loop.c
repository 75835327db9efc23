/* TestLoop, the running example of Fitnex (Xie et al., DSN 2009), Figure 1.
 *
 * call: test_loop(i32, i32[n], i32 in 0..=n)        any n >= 20; the length of the array is an input too
 *
 * Target: must_reach. It needs x = 90 and exactly 20 elements equal to 15, out of 2^length ways through the loop; the shortest input has
 * length 20. The fitness |x - 110| after the loop falls by one with each such element, which is what guides the search.
 */
#include "subject.h"

EXPORT("test_loop") int test_loop(int x, const int *y, int length) {
    if (x == 90) {
        for (int i = 0; i < length; i++) {
            if (y[i] == 15) x++;
        }
        if (x == 110) {
            must_reach();
            return 1;
        }
    }
    return 0;
}
