/* What programs report, for runs of C and Rust on this machine. */
#include <stdint.h>

int64_t truth_cost;

void pessimum_cost(int64_t amount) { truth_cost += amount; }
void cost(int64_t amount) { truth_cost += amount; }

#ifdef TRUTH_COVERAGE
/* A library keeps what counts its lines to itself. */
void __gcov_dump(void);
void __gcov_reset(void);
void truth_dump(void) { __gcov_dump(); }
void truth_reset(void) { __gcov_reset(); }
#endif
