/* A program that asks for its inputs itself, through every import of module `pessimum`.
 *
 * entry: run        returns the number of readings accepted
 *
 * Cost `user`: what it reports, 1 to 5 per kind of input.
 * Worst case: all n readings accepted, 15 n, since the five tests of a reading are independent of each other and of other readings.
 * Each test has two outcomes, but the one on the 64-bit number cannot fail under the assumption made: 2^(4n) paths.
 */
#include "subject.h"

EXPORT("run") int run(void) {
    int n = pessimum_size();
    int accepted = 0;
    for (int i = 0; i < n; i++) {
        unsigned char tag[2];
        int32_t place = pessimum_i32();
        int64_t time = pessimum_i64();
        float level = pessimum_f32();
        double value = pessimum_f64();
        pessimum_bytes(tag, 2);
        pessimum_assume(time > 1000000000000);
        int before = accepted;
        if (place > 41) {
            pessimum_cost(1);
            accepted++;
        }
        if (time > 1000) {
            pessimum_cost(2);
            accepted++;
        }
        if (level < -0.5f) {
            pessimum_cost(3);
            accepted++;
        }
        if (value == 2.5) {
            pessimum_cost(4);
            accepted++;
        }
        if (256 * tag[0] + tag[1] == 0x4f4b) {
            pessimum_cost(5);
            accepted++;
        }
        accepted = before + (accepted == before + 5);
    }
    return accepted;
}
