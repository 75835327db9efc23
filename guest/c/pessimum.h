/* What a C program under test may import from Pessimum.
 *
 * A program that takes its inputs from these functions needs no --call. It is started with --entry NAME, asks for its
 * size and inputs, states its assumptions, and may say which part of it counts and report its own cost. The functions are imports of module `pessimum`.
 *
 * On other targets the functions are ordinary declarations, so that the same source can be linked with your own
 * definitions, for instance to replay an input natively.
 */
#ifndef PESSIMUM_H
#define PESSIMUM_H

#include <stdint.h>

#ifdef __wasm__
#define PESSIMUM_IMPORT(name) __attribute__((import_module("pessimum"), import_name(name)))
#else
#define PESSIMUM_IMPORT(name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The size n of this run (--size). Concrete. */
PESSIMUM_IMPORT("size") int32_t pessimum_size(void);

/* One new symbolic input per call. */
PESSIMUM_IMPORT("i32") int32_t pessimum_i32(void);
PESSIMUM_IMPORT("i64") int64_t pessimum_i64(void);
PESSIMUM_IMPORT("f32") float pessimum_f32(void);
PESSIMUM_IMPORT("f64") double pessimum_f64(void);

/* Fills `length` bytes at `at` with new symbolic inputs. */
PESSIMUM_IMPORT("bytes") void pessimum_bytes(void *at, int32_t length);

/* Only inputs for which `condition` is not 0 are of interest; the path ends here for all others. It is not counted as a branch. */
PESSIMUM_IMPORT("assume") void pessimum_assume(int32_t condition);

/* Adds `amount` to the cost `user`. */
PESSIMUM_IMPORT("cost") void pessimum_cost(int64_t amount);

/* From here on everything counts: all costs so far are put back to zero. What comes before it, for instance the making of
 * the input, is not measured. */
PESSIMUM_IMPORT("begin") void pessimum_begin(void);

/* What follows does not count any more. */
PESSIMUM_IMPORT("end") void pessimum_end(void);

/* A text of `length` bytes that explains a trap that follows. */
PESSIMUM_IMPORT("message") void pessimum_message(const char *text, int32_t length);

#ifdef __cplusplus
}
#endif

#endif
